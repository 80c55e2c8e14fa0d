#include "pace.hpp"

#include <algorithm>
#include <memory>

namespace bench::publish {

bench_case paced(bench_case whole)
{
    constexpr std::uint64_t first_share = 20; // The warm-up is short, and tells how fast it is.
    constexpr std::uint64_t messages_min = 100;

    auto per_second = std::make_shared<std::uint64_t>(0);
    const auto run = std::move(whole.run);
    const auto most = whole.messages;
    whole.run = [=](std::uint64_t messages) {
        const auto share = *per_second == 0 ? most / first_share : *per_second * messages / most;
        const auto taken = run(std::min(messages, std::max(share, messages_min)));
        *per_second = static_cast<std::uint64_t>(1e6 * taken.million_per_second());
        return taken;
    };
    return whole;
}

}
