#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

// Words that the password of every test's database and the payloads of its events carry, and that
// no log may show, whatever is tested. Those who run programs and contexts for tests look for them
// in all that these say.
namespace cuebox::test::canary {

inline constexpr std::string_view password = "canary-in-the-password";
inline constexpr std::string_view payload = "canary-in-the-payload";

inline bool heard(std::string_view text)
{
    return text.find(password) != std::string_view::npos ||
           text.find(payload) != std::string_view::npos;
}

// Does not repeat what it heard.
inline void refuse(std::string_view text, const std::string& where)
{
    if (heard(text))
        throw std::logic_error("a password or a payload got into " + where);
}

}
