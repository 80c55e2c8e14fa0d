#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox::embedded {

// Why there is no private Postgres, in words for the person who asked for one.
class error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Another server has the directory.
class in_use : public error
{
public:
    using error::error;
};

// "could not WHAT: No such file or directory", from errno or a code like it.
[[noreturn]] void throw_system_error(std::string_view what, int code);

}
