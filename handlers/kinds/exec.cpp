#include "child_failure.hpp"
#include "find_program.hpp"

#include <cuebox/config/read.hpp>
#include <cuebox/event/envelope.hpp>
#include <cuebox/handlers/kinds/kind.hpp>

#include <map>
#include <sysexits.h>

namespace cuebox::handlers {

struct exec_params
{
    // The program and its arguments; no shell is in between.
    std::vector<std::string> command;
    // Added to the worker's own environment.
    std::map<std::string, std::string> environment;

    static constexpr std::string_view required[] = {"command"};
    static constexpr auto& read_elsewhere = handler_keys;
};

namespace {

awaitable<void> run_program(std::shared_ptr<const exec_params> params, delivery<raw_payload> event)
{
    const std::string input = event::encode(event.envelope()) + "\n";
    auto environment = params->environment;
    environment["CUEBOX_EVENT_ID"] = event::print_uuid(event.event_id());
    environment["CUEBOX_EVENT_TYPE"] = event.envelope().event_type;
    environment["CUEBOX_ATTEMPT"] = std::to_string(event.attempt());
    environment["CUEBOX_CLAIM_TOKEN"] = event::print_uuid(event.claim_token());
    if (const auto& trace = event.trace())
        environment["TRACEPARENT"] = event::print_traceparent(*trace);
    const child_outcome ended = co_await run_child(params->command, std::move(environment), input);
    if (ended.exit == 0 && ended.signal == 0)
        co_return;
    const policy::headline why = describe(params->command.front(), ended);
    // sysexits.h: what the program got is wrong, and will be wrong again.
    if (ended.signal == 0 && (ended.exit == EX_DATAERR || ended.exit == EX_USAGE))
        throw terminal_error(why.error_class, why.message);
    throw transient_error(why.error_class, why.message);
}

}

handling::handler make_exec(kind_base base, const config::node& from)
{
    auto params = std::make_shared<const exec_params>(config::read<exec_params>(from));
    check_command(from, "command", params->command);
    auto run = [params](delivery<raw_payload> event) {
        return run_program(params, std::move(event));
    };
    return make_handler<raw_payload>(std::move(base.name), std::move(base.event_types),
                                     std::move(run), std::move(base.options));
}

}
