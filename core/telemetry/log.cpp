#include <cuebox/telemetry/log.hpp>

namespace cuebox::telemetry {

std::string_view to_string(level level) noexcept
{
    switch (level) {
    case level::debug:
        return "debug";
    case level::info:
        return "info";
    case level::warning:
        return "warning";
    case level::error:
        return "error";
    }
    return "unknown";
}

logger::logger(sink to, level at_least)
    : shared_(std::make_shared<const shared>(shared{std::move(to), at_least}))
{}

logger logger::with(std::initializer_list<field> fields) const
{
    logger made = *this;
    if (!shared_)
        return made;
    std::vector<field> all;
    if (fields_)
        all = *fields_;
    all.insert(all.end(), fields);
    made.fields_ = std::make_shared<const std::vector<field>>(std::move(all));
    return made;
}

void logger::log(level level, std::string_view message, std::initializer_list<field> fields) const
{
    if (!says(level))
        return;
    if (!fields_) {
        shared_->to({level, message, {fields.begin(), fields.size()}});
        return;
    }
    std::vector<field> all = *fields_;
    all.insert(all.end(), fields);
    shared_->to({level, message, all});
}

void logger::debug(std::string_view message, std::initializer_list<field> fields) const
{
    log(level::debug, message, fields);
}

void logger::info(std::string_view message, std::initializer_list<field> fields) const
{
    log(level::info, message, fields);
}

void logger::warning(std::string_view message, std::initializer_list<field> fields) const
{
    log(level::warning, message, fields);
}

void logger::error(std::string_view message, std::initializer_list<field> fields) const
{
    log(level::error, message, fields);
}

}
