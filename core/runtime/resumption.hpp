#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace cuebox::detail {

// A suspended coroutine that waits for the values Ts, kept in place: suspending allocates nothing.
// Asio's own any_completion_handler does the same with an allocation per wait.
template <class... Ts>
class resumption
{
public:
    resumption() = default;
    resumption(const resumption&) = delete;
    resumption& operator=(const resumption&) = delete;
    ~resumption() { reset(); }

    explicit operator bool() const noexcept { return table_ != nullptr; }

    template <class Handler>
    void set(Handler&& handler)
    {
        using held = std::decay_t<Handler>;
        static_assert(sizeof(held) <= sizeof(storage_) &&
                      alignof(held) <= alignof(std::max_align_t));
        new (storage_) held(std::forward<Handler>(handler));
        table_ = &table_of<held>;
    }

    // Resumes inside this call; the caller is on the coroutine's executor. One shot.
    void operator()(Ts... values)
    {
        std::exchange(table_, nullptr)->call(storage_, std::move(values)...);
    }

    // Resumes through the coroutine's own executor, from any thread.
    void post(Ts... values)
    {
        std::exchange(table_, nullptr)->post(storage_, std::move(values)...);
    }

    bool runs_on(const asio::any_io_executor& executor) const
    {
        return table_->runs_on(storage_, executor);
    }

    // In a turn of a loop with this executor: inside this call, unless the coroutine has an
    // executor of its own, which may have to know.
    void resume_on(const asio::any_io_executor& executor, Ts... values)
    {
        if (runs_on(executor))
            (*this)(std::move(values)...);
        else
            post(std::move(values)...);
    }

    void reset() noexcept
    {
        if (table_)
            std::exchange(table_, nullptr)->destroy(storage_);
    }

private:
    struct table
    {
        void (*call)(void*, Ts&&...);
        void (*post)(void*, Ts&&...);
        bool (*runs_on)(const void*, const asio::any_io_executor&);
        void (*destroy)(void*) noexcept;
    };

    // The handler leaves its storage before it runs: running it may end, or reuse, what it was kept
    // in.
    template <class Held>
    static Held take(void* storage)
    {
        auto* held = std::launder(static_cast<Held*>(storage));
        Held handler(std::move(*held));
        held->~Held();
        return handler;
    }

    template <class Held>
    static constexpr table table_of{
        [](void* storage, Ts&&... values) {
            Held handler = take<Held>(storage);
            std::move(handler)(std::move(values)...);
        },
        [](void* storage, Ts&&... values) {
            asio::post(asio::append(take<Held>(storage), std::move(values)...));
        },
        [](const void* storage, const asio::any_io_executor& executor) {
            const auto* held = std::launder(static_cast<const Held*>(storage));
            return asio::any_io_executor(asio::get_associated_executor(*held, executor)) ==
                   executor;
        },
        [](void* storage) noexcept { std::launder(static_cast<Held*>(storage))->~Held(); },
    };

    alignas(std::max_align_t) std::byte storage_[64];
    const table* table_ = nullptr;
};

}
