#include <cuebox/event/uuid.hpp>

#include <boost/uuid/time_generator_v7.hpp>

#include <atomic>
#include <charconv>
#include <mutex>
#include <pthread.h>

namespace cuebox::event {

namespace {

constexpr std::size_t text_size = 36;

// A fork would go on with the randomness of its parent, and both would make the same ids.
class id_source
{
public:
    id_source()
    {
        pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
    }

    uuid next()
    {
        const std::lock_guard lock{mutex_};
        if (forked.exchange(false))
            generator_ = {};
        return generator_();
    }

private:
    static inline std::atomic<bool> forked = false;

    std::mutex mutex_;
    boost::uuids::time_generator_v7 generator_;
};

constexpr bool is_dash(std::size_t at)
{
    return at == 8 || at == 13 || at == 18 || at == 23;
}

}

uuid new_event_id()
{
    static id_source source;
    return source.next();
}

std::optional<uuid> parse_uuid(std::string_view text)
{
    if (text.size() != text_size)
        return std::nullopt;
    uuid id;
    auto* byte = id.begin();
    for (std::size_t at = 0; at < text_size;) {
        if (is_dash(at)) {
            if (text[at++] != '-')
                return std::nullopt;
            continue;
        }
        const char* const pair = text.data() + at;
        const auto [end, failed] = std::from_chars(pair, pair + 2, *byte++, 16);
        if (failed != std::errc{} || end != pair + 2)
            return std::nullopt;
        at += 2;
    }
    return id;
}

void print_uuid(const uuid& id, std::span<char, 36> out)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::size_t at = 0;
    for (const auto byte : id) {
        if (is_dash(at))
            out[at++] = '-';
        out[at++] = digits[byte >> 4];
        out[at++] = digits[byte & 15];
    }
}

std::string print_uuid(const uuid& id)
{
    char text[text_size];
    print_uuid(id, text);
    return {text, text_size};
}

}
