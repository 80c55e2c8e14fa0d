#include "support/tcp_gate.hpp"

#include "support/cluster.hpp"
#include "support/gate_core.hpp"

namespace cuebox::test {

tcp_gate::tcp_gate() : tcp_gate{the_cluster().port} {}

tcp_gate::tcp_gate(int target_port) : core_{std::make_unique<gate_core>(target_port)} {}

tcp_gate::~tcp_gate() = default;

int tcp_gate::port() const noexcept
{
    return core_->port();
}

std::string tcp_gate::conninfo(std::string_view database) const
{
    return the_cluster().tcp_conninfo(database, port());
}

void tcp_gate::pass()
{
    core_->pass();
}

void tcp_gate::delay(duration each_way)
{
    core_->change([=](gate_rules& rules) {
        for (auto& rule : rules.ways)
            rule.delay = each_way;
    });
}

void tcp_gate::delay(way which, duration late)
{
    core_->change([=](gate_rules& rules) { rules.of(which).delay = late; });
}

void tcp_gate::trickle()
{
    core_->change([](gate_rules& rules) {
        for (auto& rule : rules.ways)
            rule.piece_max = 1;
    });
}

void tcp_gate::half_open()
{
    core_->change([](gate_rules& rules) { rules.half_open = true; });
}

void tcp_gate::cut(ending how)
{
    core_->perform([=, this] { core_->end_all(how); });
}

void tcp_gate::refuse()
{
    core_->perform([this] { core_->refuse(); });
}

void tcp_gate::accept()
{
    core_->perform([this] { core_->listen(); });
}

void tcp_gate::cut_after(way which, std::size_t bytes, ending how, std::size_t times)
{
    core_->change([=](gate_rules& rules) {
        rules.fault = {.of = which, .after = bytes, .cut = how, .times = times};
    });
}

void tcp_gate::stop_after(way which, std::size_t bytes, std::size_t times)
{
    core_->change([=](gate_rules& rules) {
        rules.fault = {.of = which, .after = bytes, .cut = std::nullopt, .times = times};
    });
}

std::size_t tcp_gate::connections() const
{
    return core_->count().connections;
}

std::size_t tcp_gate::accepted() const
{
    return core_->count().accepted;
}

std::size_t tcp_gate::bytes(way which) const
{
    return core_->count().bytes[static_cast<std::size_t>(which)];
}

std::size_t tcp_gate::swallowed() const
{
    return core_->count().swallowed;
}

bool tcp_gate::wait_until_connections(std::size_t count, duration longest) const
{
    return core_->wait(longest, [=](const auto& now) { return now.connections == count; });
}

bool tcp_gate::wait_until_accepted(std::size_t at_least, duration longest) const
{
    return core_->wait(longest, [=](const auto& now) { return now.accepted >= at_least; });
}

bool tcp_gate::wait_until_bytes(way which, std::size_t at_least, duration longest) const
{
    const auto index = static_cast<std::size_t>(which);
    return core_->wait(longest, [=](const auto& now) { return now.bytes[index] >= at_least; });
}

bool tcp_gate::wait_until_swallowed(std::size_t at_least, duration longest) const
{
    return core_->wait(longest, [=](const auto& now) { return now.swallowed >= at_least; });
}

}
