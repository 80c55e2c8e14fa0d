#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace cuebox::telemetry {

enum class level
{
    debug,
    info,
    warning,
    error
};

std::string_view to_string(level level) noexcept;

// Something a line tells besides its message: a number stays a number.
struct field
{
    using value_type = std::variant<std::int64_t, double, bool, std::string>;

    std::string key;
    value_type value;

    template <class T>
    field(std::string_view key_, const T& value_) : key(key_),
                                                    value(make(value_))
    {}

private:
    template <class T>
    static value_type make(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            return value;
        else if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(value);
        else if constexpr (std::is_floating_point_v<T>)
            return static_cast<double>(value);
        else
            return std::string(value);
    }
};

struct line
{
    telemetry::level level;
    std::string_view message;
    std::span<const field> fields;
};

// Where lines go. Called from any thread.
using sink = std::function<void(const line&)>;

// Writes lines to a sink, with fields of its own in front of each line's. Cheap to copy; one made
// without a sink says nothing. Payloads and passwords have no business here.
class logger
{
public:
    logger() = default;
    explicit logger(sink to, level at_least = level::info);

    // The same with further fields in every line.
    logger with(std::initializer_list<field> fields) const;

    void debug(std::string_view message, std::initializer_list<field> fields = {}) const;
    void info(std::string_view message, std::initializer_list<field> fields = {}) const;
    void warning(std::string_view message, std::initializer_list<field> fields = {}) const;
    void error(std::string_view message, std::initializer_list<field> fields = {}) const;

    bool says(level what) const noexcept { return shared_ && what >= shared_->at_least; }
    void log(level level, std::string_view message, std::initializer_list<field> fields) const;

private:
    struct shared
    {
        sink to;
        level at_least;
    };
    std::shared_ptr<const shared> shared_;
    std::shared_ptr<const std::vector<field>> fields_;
};

}
