#include "allocations.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

// Counting happens in malloc, beneath operator new: every form of new (aligned, nothrow, array)
// ends here, and so does what never passes through new, such as Asio's recycled blocks, which come
// from aligned_alloc. glibc keeps the functions themselves under these names for exactly this
// purpose.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace bench {
namespace {

// One line per thread: a shared counter would make the systems that allocate pay for being
// measured.
struct alignas(64) counter
{
    std::atomic<std::uint64_t> value{0};
};

constexpr std::size_t counters_max = 4096;
constinit std::array<counter, counters_max> counters{};
constinit std::atomic<std::size_t> threads_seen{0};
constinit thread_local std::atomic<std::uint64_t>* mine = nullptr;
constinit thread_local bool shared = false;

void claim_counter()
{
    const auto index = threads_seen.fetch_add(1, std::memory_order_relaxed);
    shared = index >= counters_max - 1;
    mine = &counters[shared ? counters_max - 1 : index].value;
}

inline void count()
{
    if (mine == nullptr) [[unlikely]]
        claim_counter();
    if (shared) [[unlikely]]
        mine->fetch_add(1, std::memory_order_relaxed);
    else
        mine->store(mine->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}

std::uint64_t allocations()
{
    std::uint64_t sum = 0;
    const auto used = threads_seen.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < used && i < counters_max; ++i)
        sum += counters[i].value.load(std::memory_order_relaxed);
    return sum;
}

}

extern "C" {

void* malloc(std::size_t size)
{
    bench::count();
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size)
{
    bench::count();
    return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size)
{
    bench::count();
    return __libc_realloc(block, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size)
{
    bench::count();
    return __libc_memalign(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size)
{
    bench::count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size)
{
    bench::count();
    *block = __libc_memalign(alignment, size);
    return *block == nullptr ? ENOMEM : 0;
}
}
