#include <cuebox/compose/compose.hpp>
#include <cuebox/config/error.hpp>
#include <cuebox/config/nearest.hpp>

#include <set>

namespace cuebox {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw config::error("tree", path.empty() ? "/" : path, why);
}

// What was meant by a name that is not there, as far as that can be guessed.
std::string unknown(std::string_view what, std::string_view name,
                    const std::vector<std::string_view>& valid)
{
    std::string text = "no " + std::string(what) + " \"" + std::string(name) + '"';
    if (const auto meant = config::nearest_name(name, valid))
        text += ", did you mean \"" + std::string(*meant) + "\"?";
    text += valid.empty() ? " (none is registered)" : " (there is";
    for (std::size_t i = 0; i < valid.size(); ++i)
        text += (i == 0 ? " " : ", ") + std::string(valid[i]);
    return valid.empty() ? text : text + ')';
}

class composer
{
public:
    composer(const kinds& kinds, const loops& loops, directory names)
        : kinds_(kinds),
          loops_(loops),
          names_(names)
    {}

    void add_children(supervisor parent, const child_spec& spec, const std::string& path)
    {
        check_rules(spec, path);
        if (spec.children.empty())
            refuse(path,
                   "\"" + spec.name + "\" has neither a kind nor children: give it one of both");
        std::set<std::string> taken;
        for (std::size_t i = 0; i < spec.children.size(); ++i)
            add(parent, spec.children[i], path + "/children/" + std::to_string(i), taken);
    }

    static void check_rules(const child_spec& spec, const std::string& path)
    {
        if (const auto fault = find_fault(spec.intensity))
            refuse(path + "/intensity/" + std::string(fault->first), std::string(fault->second));
        if (const auto fault = find_fault(spec.backoff))
            refuse(path + "/backoff/" + std::string(fault->first), std::string(fault->second));
    }

    // A supervisor waits for its children, which have deadlines of their own; an actor has a
    // default.
    child_options options_of(const child_spec& spec, const std::string& path) const
    {
        const restart by_default = spec.is_supervisor() ? restart::transient : restart::permanent;
        child_options options{.restart = spec.restart.value_or(by_default),
                              .start_deadline = spec.start_deadline,
                              .capacity = spec.capacity,
                              .loop = loop_of(spec, path)};
        if (spec.is_supervisor())
            options.start_deadline = options.stop_deadline = duration::max();
        options.stop_deadline = spec.stop_deadline.value_or(options.stop_deadline);
        return options;
    }

private:
    void add(supervisor& parent, const child_spec& spec, const std::string& path,
             std::set<std::string>& taken)
    {
        if (spec.name.empty() || spec.name.find('/') != std::string::npos)
            refuse(path + "/name",
                   "\"" + spec.name + "\" is no name: it must not be empty or contain /");
        if (spec.capacity == 0)
            refuse(path + "/capacity", "a mailbox holds at least one message");
        if (spec.count == 0)
            refuse(path + "/count", "write at least 1, or leave \"" + spec.name + "\" out");
        if (spec.is_supervisor() && spec.count != 1)
            refuse(path + "/count",
                   "only actors can be counted: \"" + spec.name + "\" is a supervisor");
        if (!spec.is_supervisor() && !spec.children.empty())
            refuse(path + "/children", "an actor of a kind has no children: leave out one of both");
        for (std::size_t i = 0; i < spec.count; ++i) {
            const std::string name =
                spec.count == 1 ? spec.name : spec.name + '-' + std::to_string(i + 1);
            if (!taken.insert(name).second)
                refuse(path + "/name", "a sibling is named \"" + name + "\" already");
            if (spec.is_supervisor())
                add_supervisor(parent, spec, path);
            else
                add_actor(parent, spec, name, path);
        }
    }

    void add_supervisor(supervisor& parent, const child_spec& spec, const std::string& path)
    {
        const supervisor_options options{.strategy = spec.strategy,
                                         .intensity = spec.intensity,
                                         .backoff = spec.backoff,
                                         .child = options_of(spec, path)};
        add_children(parent.add_supervisor(spec.name, options), spec, path);
    }

    void add_actor(supervisor& parent, const child_spec& spec, const std::string& name,
                   const std::string& path)
    {
        const kinds::maker* make = kinds_.find(spec.kind);
        if (!make)
            refuse(path + "/kind", unknown("actor kind", spec.kind, kinds_.names()));
        const child_options options = options_of(spec, path);
        try {
            parent.add_cell(
                (*make)(name, parent.cell(), parent.cell().home(), options, spec.params, names_));
        }
        catch (const config::error& wrong) {
            if (!spec.params.path().empty())
                throw; // read from a text, it knows where it stands
            refuse(path + "/params" + wrong.path(), wrong.why());
        }
    }

    loop* loop_of(const child_spec& spec, const std::string& path) const
    {
        if (spec.loop.empty())
            return nullptr;
        if (const auto found = loops_.find(spec.loop); found != loops_.end())
            return found->second;
        std::vector<std::string_view> valid;
        for (const auto& [name, each] : loops_)
            valid.push_back(name);
        refuse(path + "/loop", unknown("loop", spec.loop, valid));
    }

    const kinds& kinds_;
    const loops& loops_;
    directory names_;
};

}

std::unique_ptr<tree> compose(const child_spec& spec, const kinds& kinds, loop& home,
                              const loops& others)
{
    if (!spec.is_supervisor())
        refuse("/kind",
               "the root of a tree is a supervisor: put \"" + spec.name + "\" among its children");
    if (spec.name.empty() || spec.name.find('/') != std::string::npos)
        refuse("/name", "\"" + spec.name + "\" is no name: it must not be empty or contain /");
    const supervisor_options options{
        .strategy = spec.strategy, .intensity = spec.intensity, .backoff = spec.backoff};
    auto built = std::make_unique<tree>(home, spec.name, options);
    composer(kinds, others, built->names()).add_children(*built, spec, "");
    return built;
}

}
