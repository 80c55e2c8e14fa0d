#include <cuebox/event/path.hpp>
#include <cuebox/event/reader.hpp>

namespace cuebox::event {

namespace {

std::string as_it_is(std::string_view name)
{
    return std::string{name};
}

// The quotes around the name are still there, in the text it is a part of.
std::string unescaped(std::string_view name)
{
    return std::string{reader{{name.data() - 1, name.size() + 2}}.string()};
}

}

void path::at_next_element() noexcept
{
    auto& step = steps_[depth_ - 1];
    step.index = step.where == place::element ? step.index + 1 : 0;
    step.where = place::element;
}

std::string path::text() const
{
    return text(as_it_is);
}

std::string path::text_of_escaped() const
{
    return text(unescaped);
}

std::string path::text(std::string (*name_of)(std::string_view)) const
{
    std::string pointer;
    for (std::size_t i = 0; i < depth_; ++i) {
        const auto& step = steps_[i];
        if (step.where == place::container)
            continue;
        append_token(pointer,
                     step.where == place::key ? name_of(step.name) : std::to_string(step.index));
    }
    return pointer;
}

void append_token(std::string& pointer, std::string_view name)
{
    pointer += '/';
    for (const char letter : name) {
        if (letter == '~')
            pointer += "~0";
        else if (letter == '/')
            pointer += "~1";
        else
            pointer += letter;
    }
}

}
