#include "goals.hpp"

#include "payload.hpp"

#include <cstdio>

namespace bench::codec {
namespace {

std::string printed(const char* pattern, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

goal judge_lead(const results& all, std::string text, const char* workload, double at_least)
{
    goal judged{.text = std::move(text), .reached = verdict::not_measured, .figure = ""};
    if (const auto lead = ratio(all, workload, systems::cuebox, systems::taojson)) {
        judged.reached = *lead >= at_least ? verdict::met : verdict::missed;
        judged.figure = printed("%.2fx", *lead);
    }
    return judged;
}

// A run allocates a few times as it starts, which vanishes against its payloads.
goal judge_allocations(const results& all, std::string text, const char* workload)
{
    constexpr double none = 0.001;
    goal judged{.text = std::move(text), .reached = verdict::not_measured, .figure = ""};
    if (const auto* row = find(all, workload, systems::cuebox_reused)) {
        const auto allocations = row->allocations_per_message().max;
        judged.reached = allocations < none ? verdict::met : verdict::missed;
        judged.figure = printed("%.4f a payload", allocations);
    }
    return judged;
}

}

std::vector<goal> judge(const results& all)
{
    return {
        judge_lead(all, "encode 2x taoJSON's DOM", workloads::encode, 2),
        judge_lead(all, "decode 2x taoJSON's DOM", workloads::decode, 2),
        judge_lead(all, "decode what jsonb prints 2x", workloads::decode_jsonb, 2),
        judge_allocations(all, "no allocation to encode into reused memory", workloads::encode)};
}

}
