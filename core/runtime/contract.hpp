#pragma once

namespace cuebox::detail {

[[noreturn]] void contract_broken(const char* file, int line, const char* what) noexcept;

}

// A programmer's mistake, checked in every build: the process says which one and ends.
#define CUEBOX_ASSERT(condition, what)                                                             \
    (static_cast<bool>(condition) ? void(0)                                                        \
                                  : ::cuebox::detail::contract_broken(__FILE__, __LINE__, what))
