#include <cuebox/runtime/contract.hpp>

#include <cstdio>
#include <cstdlib>

namespace cuebox::detail {

void contract_broken(const char* file, int line, const char* what) noexcept
{
    std::fprintf(stderr, "cuebox: %s (%s:%d)\n", what, file, line);
    std::abort();
}

}
