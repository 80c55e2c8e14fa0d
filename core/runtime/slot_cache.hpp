#pragma once

#include <cstddef>
#include <new>

namespace cuebox::detail {

// A few freed Ts' memory per thread, so that what comes and goes all the time (an ask) does not
// reach the allocator in the steady state.
template <class T>
class slot_cache
{
public:
    static void* take()
    {
        if (shelf& mine = shelf_; mine.count > 0)
            return mine.slots[--mine.count];
        return ::operator new(sizeof(T), std::align_val_t{alignof(T)});
    }

    static void give_back(void* memory) noexcept
    {
        if (shelf& mine = shelf_; mine.count < kept_max)
            mine.slots[mine.count++] = memory;
        else
            ::operator delete(memory, std::align_val_t{alignof(T)});
    }

private:
    static constexpr std::size_t kept_max = 64;

    struct shelf
    {
        ~shelf()
        {
            while (count > 0)
                ::operator delete(slots[--count], std::align_val_t{alignof(T)});
        }
        void* slots[kept_max];
        std::size_t count = 0;
    };

    static inline thread_local shelf shelf_{};
};

}
