#pragma once

#include <cuebox/event/limits.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace cuebox::event {

// Where a reader or a writer stands, one step per open object or array. Keeping it up to date costs
// a store per value; the text is made only when something is refused.
class path
{
public:
    std::size_t depth() const noexcept { return depth_; }

    void enter() noexcept { steps_[depth_++] = {{}, 0, place::container}; }
    void leave() noexcept { --depth_; }

    // At the innermost object or array itself, at one of its keys, or at its next element. A name
    // has to outlive the stay.
    void at_container() noexcept { steps_[depth_ - 1].where = place::container; }
    void at_key(std::string_view name) noexcept { steps_[depth_ - 1] = {name, 0, place::key}; }
    void at_next_element() noexcept;

    // As a JSON pointer.
    std::string text() const;
    // The same for names which are as they stand in a JSON text, escapes and all.
    std::string text_of_escaped() const;

private:
    enum class place
    {
        container,
        key,
        element
    };
    // Left as they are until entered: clearing them all would cost as much as a small payload.
    struct step
    {
        step() noexcept {}
        step(std::string_view key, std::size_t element, place at) noexcept
            : name{key},
              index{element},
              where{at}
        {}

        std::string_view name;
        std::size_t index;
        place where;
    };

    std::string text(std::string (*name_of)(std::string_view)) const;

    std::array<step, depth_max + 1> steps_; // One more than a payload has: an envelope around it.
    std::size_t depth_ = 0;
};

// A slash and the name, with ~ and / in it escaped as RFC 6901 has it: a pointer names one place.
void append_token(std::string& pointer, std::string_view name);

}
