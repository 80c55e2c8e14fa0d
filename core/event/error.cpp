#include <cuebox/event/error.hpp>

#include <utility>

namespace cuebox::event {

namespace {

std::string located(std::string_view where, std::string_view why)
{
    return std::string{where}.append(": ").append(why);
}

}

// The pointer to the whole payload is empty; a lone slash keeps its place in the message visible.
payload_error::payload_error(std::string path, std::string_view why)
    : std::runtime_error{located(path.empty() ? "/" : path, why)},
      path_{std::move(path)},
      why_{why}
{}

envelope_error::envelope_error(std::string_view field, std::string_view why)
    : std::runtime_error{located(field, why)},
      field_{field}
{}

}
