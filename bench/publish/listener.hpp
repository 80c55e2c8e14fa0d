#pragma once

#include <cuebox/pg/conninfo.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace bench::publish {

// Listens on a channel, as a context does, on a thread of its own, until it is dropped. It is
// listening when the constructor returns.
class listener
{
public:
    listener(cuebox::pg::connect_options where, std::string channel);
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    // Throws when none came in time.
    void expect_some() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}
