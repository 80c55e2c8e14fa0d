// A pool of workers that crash now and then, a supervisor that restarts them, and nothing lost.
//
//     build/release/bin/supervised_pool
#include <cuebox/compose/compose.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <set>
#include <stdexcept>

using namespace std::chrono_literals;

struct job
{
    int number;
};
struct job_done
{
    int number;
};
using worker_messages = cuebox::messages<job>;
using ledger_messages = cuebox::messages<job_done>;

constexpr int jobs = 200;
constexpr int workers = 4;

// Fails on every 40th job, the first time it sees it. The job comes from the dispatcher again.
class worker
{
public:
    using messages = worker_messages;
    static constexpr const char* kind = "worker";
    struct params
    {
        std::string ledger;
        int clumsiness = 40;
        static constexpr std::string_view required[] = {"ledger"};
    };

    worker(params given, cuebox::directory names)
        : given_(std::move(given)),
          ledger_(names.find<ledger_messages>(given_.ledger))
    {}

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const job work = std::get<job>(*message);
            static std::set<int> dropped; // what has failed once; it outlives the worker's lives
            if (work.number % given_.clumsiness == 0 && dropped.insert(work.number).second)
                throw std::runtime_error("dropped job " + std::to_string(work.number));
            const bool rested = co_await me.sleep(1ms);
            if (!rested)
                break;
            const job_done done{work.number};
            co_await ledger_.send(done);
        }
    }

private:
    params given_;
    cuebox::address<ledger_messages> ledger_;
};

// Keeps what has been done and sends again what has not.
class dispatcher
{
public:
    using messages = ledger_messages;
    static constexpr const char* kind = "dispatcher";

    explicit dispatcher(cuebox::directory names) : names_(names) {}

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        std::set<int> open;
        for (int number = 1; number <= jobs; ++number)
            open.insert(number);
        while (!open.empty()) {
            for (const int number : open) {
                const job work{number};
                const auto path = "shop/pool/worker-" + std::to_string(number % workers + 1);
                const auto whom = names_.find<worker_messages>(path);
                co_await whom.send(work);
            }
            // What is not answered by the time nothing comes any more was lost with a worker.
            me.after(500ms, job_done{0});
            while (auto message = co_await me.receive()) {
                const int number = std::get<job_done>(*message).number;
                if (number == 0)
                    break;
                open.erase(number);
            }
            if (me.stopping())
                co_return;
            std::printf("%zu jobs still open\n", open.size());
        }
    }

private:
    cuebox::directory names_;
};

constexpr std::string_view shop = R"({
    name: "shop",
    children: [
        { name: "pool",                        # a failure here costs one worker, not its siblings
          strategy: "one_for_one",
          intensity: { restarts: 20, within: "10s" },
          backoff: { base: "20ms", cap: "1s" },
          children: [
            { name: "worker", kind: "worker", count: 4, params: { ledger: "shop/dispatcher" } },
          ] },
        { name: "dispatcher", kind: "dispatcher", restart: "temporary" },
    ],
})";

int main()
{
    cuebox::kinds kinds;
    kinds.add<worker>("worker");
    kinds.add<dispatcher>("dispatcher");

    boost::asio::io_context context;
    cuebox::loop loop{context.get_executor()};
    auto tree = cuebox::compose(cuebox::parse_tree(shop, "shop"), kinds, loop);
    tree->report_to([](const cuebox::report& news) {
        if (news.what == cuebox::report::kind::failed ||
            news.what == cuebox::report::kind::restarting)
            std::printf("%s %s: %s\n", news.path.c_str(), std::string(to_string(news.what)).c_str(),
                        news.detail.c_str());
    });

    tree->start();
    const auto dispatcher_is = tree->find<ledger_messages>("shop/dispatcher");
    while (dispatcher_is)
        context.run_one();
    std::printf("\nall %d jobs done\n\n%s", jobs, to_string(tree->snapshot()).c_str());

    tree->stop();
    context.run();
}
