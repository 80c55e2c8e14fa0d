#include <cuebox/event/reader.hpp>
#include <cuebox/event/utf8.hpp>

#include <charconv>

// The part of the reader that knows what may stand between quotes.
namespace cuebox::event {

std::string_view reader::quoted(std::string& unescaped)
{
    const char* const begin = ++at_;
    const char* run = begin; // Where the text starts that has not been copied yet.
    for (;;) {
        at_ = skip_plain(at_, end_);
        if (at_ == end_)
            refuse_syntax("the string has no end");
        const auto byte = static_cast<unsigned char>(*at_);
        if (byte == '"')
            break;
        if (byte == '\\') {
            if (run == begin)
                unescaped.clear();
            unescaped.append(run, static_cast<std::size_t>(at_ - run));
            escape(unescaped);
            run = at_;
        }
        else if (byte < 0x20) {
            refuse_syntax("a control character in a string: write it as an escape");
        }
        else if (const auto length = utf8_length(at_, end_)) {
            at_ += length;
        }
        else {
            refuse("invalid UTF-8");
        }
    }
    const char* const end = at_++;
    if (run == begin)
        return {begin, static_cast<std::size_t>(end - begin)};
    return unescaped.append(run, static_cast<std::size_t>(end - run));
}

void reader::escape(std::string& out)
{
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";

    ++at_;
    if (at_ == end_)
        refuse_syntax("the string has no end");
    const char letter = *at_++;
    if (letter != 'u') {
        const auto index = letters.find(letter);
        if (index == std::string_view::npos)
            refuse_syntax("no such escape");
        out += meanings[index];
        return;
    }
    char32_t code_point = code_unit();
    if (code_point == 0)
        refuse("\\u0000 cannot be stored by Postgres");
    const bool high = code_point >= 0xD800 && code_point <= 0xDBFF;
    if (high && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u') {
        at_ += 2;
        const char32_t low = code_unit();
        if (low >= 0xDC00 && low <= 0xDFFF)
            code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code_point >= 0xD800 && code_point <= 0xDFFF)
        refuse("half of a surrogate pair");
    append_utf8(out, code_point);
}

char32_t reader::code_unit()
{
    std::uint16_t unit = 0;
    const char* const end = end_ - at_ < 4 ? end_ : at_ + 4;
    const auto [stopped, failed] = std::from_chars(at_, end, unit, 16);
    if (failed != std::errc{} || stopped - at_ != 4)
        refuse_syntax("\\u needs four hexadecimal digits");
    at_ = stopped;
    return unit;
}

}
