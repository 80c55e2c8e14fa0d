#include <cuebox/event/encode.hpp>
#include <cuebox/telemetry/process.hpp>
#include <cuebox/worker/endpoint.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

namespace cuebox::worker {

// What /healthz and /readyz say.
struct context_answer
{
    std::string context;
    std::int64_t generation;
    bool listening;
    bool polling;
    std::optional<double> silence_seconds;
    std::string trouble;
};
struct health_answer
{
    std::string status;
    std::vector<context_answer> contexts;
};

namespace {

http::response answer_health(const std::vector<actors::context_health>& all,
                             const std::vector<std::string>& troubles)
{
    health_answer said{.status = "ok", .contexts = {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& silence = all[i].silence;
        said.contexts.push_back(
            {.context = all[i].context,
             .generation = all[i].generation,
             .listening = all[i].listening,
             .polling = all[i].polling,
             .silence_seconds = silence
                                    ? std::optional(std::chrono::duration<double>(*silence).count())
                                    : std::nullopt,
             .trouble = troubles[i]});
        if (!troubles[i].empty())
            said.status = "unavailable";
    }
    return {.status = said.status == "ok" ? 200U : 503U,
            .content_type = "application/json",
            .body = event::encode(said) + "\n",
            .headers = {}};
}

http::response plain(unsigned status, std::string text)
{
    return {.status = status,
            .content_type = "text/plain; charset=utf-8",
            .body = std::move(text),
            .headers = {}};
}

http::server_options with_trouble(http::server_options where, const telemetry::logger& log)
{
    where.trouble = [log](std::string_view what) {
        log.warning("trouble with the HTTP endpoint", {{"error", what}});
    };
    return where;
}

}

endpoint::endpoint(endpoint_options options, const telemetry::metrics& metrics,
                   std::vector<watched_context> contexts)
    : options_(std::move(options)),
      metrics_(metrics),
      contexts_(std::move(contexts)),
      server_(io_.get_executor(), with_trouble(options_.where, options_.log),
              [this](http::request asked) { return answer(std::move(asked)); })
{
    thread_ = std::thread([this] {
        auto served = asio::co_spawn(io_, server_.run(), asio::use_future);
        io_.run();
    });
}

endpoint::~endpoint()
{
    stop();
}

void endpoint::stop()
{
    server_.stop();
    if (thread_.joinable())
        thread_.join();
}

std::vector<actors::context_health> endpoint::look() const
{
    std::vector<actors::context_health> all;
    for (const watched_context& each : contexts_) {
        all.push_back(each.whom->health());
        all.back().copy = each.copy;
    }
    return all;
}

std::string endpoint::print(const std::vector<actors::context_health>& all) const
{
    telemetry::exposition out;
    out.family("cuebox_build_info", telemetry::exposition::type::gauge, "1, with the version");
    out.sample({{"version", options_.version}}, 1);
    metrics_.print(out);
    actors::print_health(out, all);
    if (options_.more)
        options_.more(out);
    telemetry::print_process(out);
    return std::move(out).take();
}

awaitable<http::response> endpoint::answer(http::request asked) const
{
    http::response said = respond(asked);
    co_return said;
}

http::response endpoint::respond(const http::request& asked) const
{
    const bool metrics = asked.path == "/metrics";
    const bool healthz = asked.path == "/healthz";
    const bool readyz = asked.path == "/readyz";
    if (!metrics && !healthz && !readyz)
        return plain(asked.path == "/" ? 200 : 404, "/metrics\n/healthz\n/readyz\n");
    if (asked.method != "GET")
        return plain(405, "only GET and HEAD\n");

    const auto all = look();
    if (metrics) {
        http::response printed = plain(200, print(all));
        printed.content_type = "text/plain; version=0.0.4; charset=utf-8";
        return printed;
    }
    std::vector<std::string> troubles;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (readyz)
            troubles.push_back(actors::why_not_ready(all[i], contexts_[i].silence_max));
        else
            troubles.push_back(all[i].ended ? "it has ended" : "");
    }
    return answer_health(all, troubles);
}

}
