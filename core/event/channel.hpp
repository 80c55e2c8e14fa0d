#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuebox::event {

// Whether the database takes it as a channel: ^[a-z_][a-z0-9_]{0,62}$.
bool is_channel_name(std::string_view name);

// outbox_gen_7, or outbox_gen_7_bulk for a processing class of at most 32 bytes. Throws an
// envelope_error when that is no channel name: a bad one would abort the producer's transaction.
std::string channel_for(std::int64_t generation, std::string_view processing_class = {});

}
