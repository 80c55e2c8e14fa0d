#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace cuebox::embedded {

// "host=/tmp port=5432 dbname='it\'s'", as libpq reads it.
std::string
print_conninfo(std::initializer_list<std::pair<std::string_view, std::string_view>> parameters);

// How to get into a server of Cuebox's, over the socket in its private directory.
std::string socket_conninfo(const std::filesystem::path& directory, int port,
                            std::string_view database);

}
