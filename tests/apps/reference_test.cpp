#include <cuebox/handlers/kinds/kind.hpp>
#include <cuebox/worker/config.hpp>

#include <boost/pfr/core.hpp>
#include <boost/pfr/core_name.hpp>
#include <boost/pfr/ops_fields.hpp>
#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <iterator>

// examples/worker.jaxn and docs/configuration.md say what every key is and does; here they are held
// to it.
using namespace cuebox;

namespace {

std::string read_text(const std::string& name)
{
    std::ifstream file(std::string(CUEBOX_SOURCE) + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
bool same(const T& one, const T& other)
{
    if constexpr (std::is_same_v<T, std::vector<config::node>>)
        return true; // Handlers: the kinds read these.
    else if constexpr (std::is_same_v<T, worker::supervision_config>)
        return boost::pfr::eq_fields(one.intensity, other.intensity) &&
               boost::pfr::eq_fields(one.backoff, other.backoff);
    else
        return one == other;
}

// Compares field by field, and names those that differ.
template <class Struct>
std::string differences(const Struct& one, const Struct& other)
{
    std::string found;
    const auto compare = [&]<std::size_t... I>(std::index_sequence<I...>) {
        constexpr auto names = boost::pfr::names_as_array<Struct>();
        ((same(boost::pfr::get<I>(one), boost::pfr::get<I>(other))
              ? void()
              : void(found.append(names[I]).append(" "))),
         ...);
    };
    compare(std::make_index_sequence<boost::pfr::tuple_size_v<Struct>>{});
    return found;
}

// The keys of a struct that a text does not have in that form.
template <class Struct>
std::string missing(const std::string& text, std::string_view before, std::string_view after)
{
    std::string found;
    for (const std::string_view name : boost::pfr::names_as_array<Struct>()) {
        const std::string key = std::string(before).append(name).append(after);
        if (text.find(key) == std::string::npos)
            found.append(name).append(" ");
    }
    return found;
}

template <class... Structs>
std::string missing_of_all(const std::string& text, std::string_view before, std::string_view after)
{
    return (missing<Structs>(text, before, after) + ...);
}

}

TEST_CASE("the reference config holds every default")
{
    const auto reference = worker::parse_config(read_text("examples/worker.jaxn"), "worker.jaxn");
    const auto plain = worker::parse_config(
        R"({contexts: [{context: "billing", generation: 1, handlers: [{name: "a.b"}]}]})", "plain");

    REQUIRE(reference.contexts.size() == 1);
    CHECK(differences(reference.contexts.front(), plain.contexts.front()) == "");
    CHECK(differences(reference.log, plain.log) == "");
    CHECK(reference.threads == plain.threads);
    CHECK(reference.connections == plain.connections);
    CHECK(reference.http.has_value() == plain.http.has_value());
    CHECK(reference.alerts.size() == plain.alerts.size());
    CHECK(reference.traces.has_value() == plain.traces.has_value());
    const auto plan = worker::plan_context(reference.contexts.front(), {});
    for (const auto& each : plan.handlers)
        CHECK(each.retry == retry_policy{});
}

TEST_CASE("the reference config and its page name every key")
{
    const std::string config = read_text("examples/worker.jaxn");
    const std::string page = read_text("docs/configuration.md");
    const auto missing_in = [](const std::string& text, auto before, auto after) {
        return missing_of_all<worker::worker_config, worker::context_config, worker::log_config,
                              worker::http_config, worker::traces_config, retry_policy,
                              outbox::retention, worker::supervision_config>(text, before, after);
    };

    CHECK(missing_in(config, " ", ":") == "");
    CHECK(missing_in(page, "| `", "` |") == "");
}

TEST_CASE("the reference config has a handler of each kind, and its page names them all")
{
    const std::string config = read_text("examples/worker.jaxn");
    const std::string page = read_text("docs/configuration.md");

    for (const handlers::kind& each : handlers::stock_kinds()) {
        const std::string name = '"' + std::string(each.name) + '"';
        CHECK(config.find("kind: " + name) != std::string::npos);
        CHECK(page.find('`' + name + '`') != std::string::npos);
    }
}
