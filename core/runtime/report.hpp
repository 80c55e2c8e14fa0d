#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cuebox {

// What happens in a tree that an operator wants to know. One call per happening, on the loop of the
// parent of the actor it names.
struct report
{
    enum class kind
    {
        started,    // it runs
        ended,      // it finished or stopped, as it should
        failed,     // it threw; `detail` is the message
        restarting, // it will start again; `detail` says when
        escalated,  // its supervisor has restarted too often and gives up
        overdue,    // it ignored its stop deadline and was cancelled
        stuck,      // it ignored being cancelled too; it is left alone until it ends
    };

    kind what;
    std::string path;
    std::string detail;
};

std::string_view to_string(report::kind kind) noexcept;

using reporter = std::function<void(const report&)>;

// The default: failures and worse, a line each, on stderr.
void report_to_stderr(const report& report);

}
