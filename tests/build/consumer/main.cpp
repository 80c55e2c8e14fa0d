#include <cuebox/runtime/stage.hpp>

#include <cstdio>

struct hello
{};
struct greeter
{
    using messages = cuebox::messages<hello>;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto message = co_await me.receive())
            std::puts("hello from an installed actor");
    }
};

int main()
{
    cuebox::stage stage;
    cuebox::tree app{stage.loop(), "app"};
    auto who = app.add<greeter>("greeter");
    app.start();
    const bool sent = who.try_send(hello{}) == cuebox::sent::accepted;
    stage.run_until_idle();
    stage.stop(app);
    return sent ? 0 : 1;
}
