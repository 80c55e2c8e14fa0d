#include <cuebox/runtime/snapshot.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cuebox {

std::string_view to_string(actor_state state) noexcept
{
    switch (state) {
    case actor_state::waiting:
        return "waiting";
    case actor_state::starting:
        return "starting";
    case actor_state::running:
        return "running";
    case actor_state::stopping:
        return "stopping";
    case actor_state::restarting:
        return "restarting";
    case actor_state::ended:
        return "ended";
    }
    return "?";
}

namespace {

std::string brief(duration uptime)
{
    using namespace std::chrono;
    char text[32];
    const double seconds = duration_cast<std::chrono::duration<double>>(uptime).count();
    if (seconds < 1)
        std::snprintf(text, sizeof text, "%.0fms", seconds * 1e3);
    else if (seconds < 60)
        std::snprintf(text, sizeof text, "%.1fs", seconds);
    else if (seconds < 3600)
        std::snprintf(text, sizeof text, "%.0fm%02.0fs", std::floor(seconds / 60),
                      std::floor(std::fmod(seconds, 60)));
    else
        std::snprintf(text, sizeof text, "%.1fh", seconds / 3600);
    return text;
}

struct line
{
    std::string label;
    const snapshot* node;
};

void collect(const snapshot& node, const std::string& lead, const std::string& branch,
             std::vector<line>& lines)
{
    lines.push_back({lead + branch + node.name, &node});
    const std::string below = lead + (branch.empty() ? "" : branch == "├── " ? "│   " : "    ");
    for (std::size_t i = 0; i < node.children.size(); ++i)
        collect(node.children[i], below, i + 1 < node.children.size() ? "├── " : "└── ", lines);
}

// Columns on the screen: continuation bytes of UTF-8 take none.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}

std::string to_string(const snapshot& tree)
{
    std::vector<line> lines;
    collect(tree, "", "", lines);
    std::size_t widest = 0;
    for (const line& each : lines)
        widest = std::max(widest, width(each.label));

    std::string text;
    for (const line& each : lines) {
        const snapshot& node = *each.node;
        char columns[128];
        std::snprintf(columns, sizeof columns, "  %-10s up %-7s restarts %-3llu",
                      std::string(to_string(node.state)).c_str(), brief(node.uptime).c_str(),
                      static_cast<unsigned long long>(node.restarts));
        text += each.label + std::string(widest - width(each.label), ' ') + columns;
        if (node.kind != "supervisor") {
            std::snprintf(columns, sizeof columns, " mailbox %zu (peak %zu)", node.mailbox_depth,
                          node.mailbox_peak);
            text += columns;
        }
        if (!node.last_failure.empty())
            text += "  last failure: " + node.last_failure;
        text += '\n';
    }
    return text;
}

}
