#include <cuebox/runtime/report.hpp>

#include <cstdio>

namespace cuebox {

std::string_view to_string(report::kind kind) noexcept
{
    switch (kind) {
    case report::kind::started:
        return "started";
    case report::kind::ended:
        return "ended";
    case report::kind::failed:
        return "failed";
    case report::kind::restarting:
        return "restarting";
    case report::kind::escalated:
        return "escalated";
    case report::kind::overdue:
        return "overdue";
    case report::kind::stuck:
        return "stuck";
    }
    return "?";
}

void report_to_stderr(const report& report)
{
    if (report.what == report::kind::started || report.what == report::kind::ended)
        return;
    const std::string_view what = to_string(report.what);
    std::fprintf(stderr, "cuebox: %s %.*s: %s\n", report.path.c_str(),
                 static_cast<int>(what.size()), what.data(), report.detail.c_str());
}

}
