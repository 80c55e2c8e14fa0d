#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::config {

enum class kind
{
    null,
    boolean,
    integer,
    number,
    string,
    array,
    object
};

std::string_view to_string(kind kind);

// One value of a parsed config, which knows where it stands. Cheap to copy, immutable, and keeps
// the whole document alive, so a part of it can be kept and interpreted later. Safe to share
// between threads. Whatever it is asked and is not, it answers with a config::error naming its
// path.
class node
{
public:
    struct document;

    // An empty object at the root: a config in which every setting has its default.
    node();
    explicit node(std::shared_ptr<const document> document);

    config::kind kind() const;
    // JSON pointer such as "/children/0/params/every"; empty for the root.
    const std::string& path() const noexcept { return path_; }

    bool as_bool() const;
    // Integers, or numbers such as 1e6 that are whole; refused outside the bounds, never narrowed.
    std::int64_t as_signed(std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                           std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
    std::uint64_t as_unsigned(std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const;
    // Integers or numbers, always finite; refused when further than max from zero.
    double as_double(double max = std::numeric_limits<double>::max()) const;
    std::string as_string() const;
    // A string such as "250ms"; see parse_duration.
    std::chrono::nanoseconds as_duration() const;

    // Of an array or an object.
    std::size_t size() const;
    // Of an array.
    node element(std::size_t index) const;
    // Of an object. Keys come sorted: the order in the text is not kept.
    std::optional<node> find(std::string_view key) const;
    std::vector<std::string> keys() const;

    // Refuses every other kind.
    void expect(config::kind wanted) const;

    // Throws a config::error that blames this value, or the value this object has or lacks at key.
    [[noreturn]] void refuse(std::string_view why) const;
    [[noreturn]] void refuse(std::string_view key, std::string_view why) const;

private:
    node(std::shared_ptr<const document> document, const void* value, std::string path);
    [[noreturn]] void refuse_kind(std::string_view wanted) const;

    std::shared_ptr<const document> document_;
    const void* value_; // A taoJSON value inside document_; void keeps taoJSON out of this header.
    std::string path_;
};

}
