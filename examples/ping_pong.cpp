// Two actors play ping-pong: the smallest whole program.
//
//     build/release/bin/ping_pong
#include <cuebox/runtime/tree.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>

// What a player can be sent. Sending anything else does not compile.
struct ball
{
    int hits;
};
using court = cuebox::messages<ball>;

class player
{
public:
    using messages = court;

    // The opponent is known only once both have been added: so by reference to where it will be.
    player(const char* sound, const cuebox::address<court>* opponent)
        : sound_(sound),
          opponent_(opponent)
    {}

    // The whole life of the actor. receive() gives nothing once it was asked to stop.
    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const ball caught = std::get<ball>(*message);
            std::printf("%s %d\n", sound_, caught.hits);
            if (caught.hits == 10)
                break;
            const ball back{caught.hits + 1};
            co_await opponent_->send(back);
        }
    }

private:
    const char* sound_;
    const cuebox::address<court>* opponent_;
};

int main()
{
    boost::asio::io_context context;
    cuebox::loop loop{context.get_executor()};
    cuebox::tree match{loop, "match"};

    // temporary: a player that has finished is not started again.
    const cuebox::child_options once{.restart = cuebox::restart::temporary};
    cuebox::address<court> left;
    cuebox::address<court> right;
    left = match.add<player>("left", once, "ping", &right);
    right = match.add<player>("right", once, "pong", &left);

    match.start();
    if (left.try_send(ball{1}) != cuebox::sent::accepted)
        return 1;

    // The one who has played the last ball is gone; the other still waits, so the match is stopped.
    while (right)
        context.run_one();
    match.stop();
    context.run();
}
