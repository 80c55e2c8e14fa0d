#include <cuebox/embedded/options.hpp>
#include <cuebox/outbox/publisher.hpp>
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

struct greeted
{
    static constexpr std::string_view event_type = "greeter.greeted";
    static constexpr int event_version = 1;

    std::string whom;
};

int main()
{
    const cuebox::outbox::publisher publisher{{.source = "greeter", .generation = 1}};
    const auto event = publisher.prepare(greeted{.whom = "you"});
    std::printf("%s %s\n", event.channel.c_str(), event.envelope.payload.text.c_str());
    if (!cuebox::embedded::parse("embedded"))
        return 1;

    cuebox::stage stage;
    cuebox::tree app{stage.loop(), "app"};
    auto who = app.add<greeter>("greeter");
    app.start();
    const bool sent = who.try_send(hello{}) == cuebox::sent::accepted;
    stage.run_until_idle();
    stage.stop(app);
    return sent ? 0 : 1;
}
