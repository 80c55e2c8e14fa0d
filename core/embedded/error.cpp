#include <cuebox/embedded/error.hpp>

#include <system_error>

namespace cuebox::embedded {

void throw_system_error(std::string_view what, int code)
{
    throw error{std::string{"could not "}.append(what).append(": ").append(
        std::generic_category().message(code))};
}

}
