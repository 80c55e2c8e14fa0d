#pragma once

#include <exception>

namespace cuebox::detail {

// What a cancelled wait throws: the same as any cancelled Asio operation.
std::exception_ptr cancelled_error();

// Cancellation is not failure: whoever ends with this was told to.
bool is_cancellation(const std::exception_ptr& error);

}
