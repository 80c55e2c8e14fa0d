#pragma once

#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/error.hpp>

#include <stdexcept>
#include <string_view>

namespace cuebox::operations {

// What cannot be done as asked: one sentence that names the thing and says what to do next.
class error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
    error(std::string_view what, std::string_view advice);
};

namespace detail {

// Throws what a function of the schema refused as this room's error; every other one as it is.
[[noreturn]] void rethrow_in_words(const pg::error& from);

template <class T>
pg::awaitable<T> in_words(pg::awaitable<T> asked)
{
    try {
        T answer = co_await std::move(asked);
        co_return answer;
    }
    catch (const pg::error& refused) {
        rethrow_in_words(refused);
    }
}

}

}
