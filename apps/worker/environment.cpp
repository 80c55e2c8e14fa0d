#include <cuebox/config/error.hpp>
#include <cuebox/worker/environment.hpp>

#include <algorithm>
#include <cstdlib>

namespace cuebox::worker {

namespace {

// What a value becomes inside a JSON string.
std::string escaped(std::string_view value)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char each : value) {
        const auto byte = static_cast<unsigned char>(each);
        if (each == '"' || each == '\\' || each == '\'')
            out.append("\\u00").append({digits[byte >> 4U], digits[byte & 15U]});
        else if (byte < 0x20)
            out.append("\\u00").append({digits[byte >> 4U], digits[byte & 15U]});
        else
            out.push_back(each);
    }
    return out;
}

// Walks over JAXN just far enough to know what is a string and what is a comment.
class filler
{
public:
    filler(std::string_view text, std::string_view source,
           const std::function<const char*(const char*)>& environment)
        : text_(text),
          source_(source),
          environment_(environment)
    {}

    std::string fill()
    {
        while (at_ < text_.size()) {
            const char here = text_[at_];
            if (here == '"' || here == '\'')
                pass_string(here);
            else if (here == '#' || text_.substr(at_, 2) == "//")
                pass(std::min(text_.find('\n', at_), text_.size()));
            else if (text_.substr(at_, 2) == "/*")
                pass(std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2);
            else
                pass(at_ + 1);
        }
        return std::move(out_);
    }

private:
    void pass(std::size_t end)
    {
        out_.append(text_.substr(at_, end - at_));
        at_ = end;
    }

    void pass_string(char quote)
    {
        const std::string three(3, quote);
        const std::string close = text_.substr(at_, 3) == three ? three : std::string(1, quote);
        pass(at_ + close.size());
        while (at_ < text_.size() && text_.substr(at_, close.size()) != close) {
            if (text_[at_] == '\\' && close.size() == 1)
                pass(std::min(at_ + 2, text_.size()));
            else if (text_.substr(at_, 3) == "$${")
                ++at_, pass(at_ + 2);
            else if (text_.substr(at_, 2) == "${")
                fill_one(close);
            else
                pass(at_ + 1);
        }
        pass(std::min(at_ + close.size(), text_.size()));
    }

    void fill_one(const std::string& close)
    {
        const auto end = text_.find('}', at_);
        if (end == std::string_view::npos)
            refuse("${ without a }: write $${ for the two characters themselves");
        const std::string name(text_.substr(at_ + 2, end - at_ - 2));
        const char* value = environment_(name.c_str());
        if (value == nullptr)
            refuse("the environment variable " + name + " is not set");
        // Nothing is escaped within three quotes.
        if (close.size() == 1)
            out_ += escaped(value);
        else if (std::string_view(value).find(close.front()) == std::string_view::npos)
            out_ += value;
        else
            refuse("the environment variable " + name +
                   " has a quote in it: put it into a string of single quotes, or of the other "
                   "kind");
        at_ = end + 1;
    }

    [[noreturn]] void refuse(const std::string& why) const
    {
        const auto before = text_.substr(0, at_);
        const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
        const auto start = before.rfind('\n');
        throw config::error(source_, line, start == std::string_view::npos ? at_ + 1 : at_ - start,
                            why);
    }

    std::string_view text_;
    std::string_view source_;
    const std::function<const char*(const char*)>& environment_;
    std::string out_;
    std::size_t at_ = 0;
};

}

std::string fill_in_environment(std::string_view text, std::string_view source,
                                const std::function<const char*(const char*)>& environment)
{
    return filler(text, source, environment).fill();
}

std::string fill_in_environment(std::string_view text, std::string_view source)
{
    return fill_in_environment(text, source, [](const char* name) { return std::getenv(name); });
}

}
