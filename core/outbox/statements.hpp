#pragma once

#include <cuebox/outbox/outgoing.hpp>
#include <cuebox/pg/params.hpp>
#include <cuebox/pg/statement.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The SQL of publishing, each statement with its parameters.
namespace cuebox::outbox {

// One event per statement.
extern const pg::statement publish_one;
pg::params publish_one_params(const outgoing& event);

// Any number of events in one statement, as one array per column.
extern const pg::statement publish_many;
pg::params publish_many_params(std::span<const outgoing> events);

// COPY, for bulk; its delays count from the clock of this process.
extern const pg::statement publish_copy;

// One wake for each of the channels: a NOTIFY without a payload.
extern const pg::statement wake_channels;
// The same as a transaction of its own, whose commit waits for no disk.
extern const pg::statement wake_at_once;

// publish_one for any other client: SQL, and its parameters as text or NULL.
struct portable_statement
{
    std::string_view sql{};
    std::vector<std::optional<std::string>> values{};
};
portable_statement as_text(const outgoing& event);

}
