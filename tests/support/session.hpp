#pragma once

#include "support/process.hpp"

#include <string>
#include <string_view>

namespace cuebox::test {

// A connection of its own, held by a psql: for what takes several of them at a time, transactions
// that stay open, sessions that end. Answers are rows, a line each, columns separated by '|'.
class session
{
public:
    explicit session(const std::string& conninfo);

    // Throws what the server says against it; as in a script, what follows is done all the same.
    std::string ask(std::string_view sql);
    // What the server says against it.
    std::string refusal(std::string_view sql);

    // Sends it and goes on; the answer, or what is said against it, is fetched later.
    void start(std::string_view sql);
    std::string finish();
    std::string refused();

    // Input as it is, for a COPY that dawdles.
    void write(std::string_view input) { psql_.write(input); }
    // Ends as a process does that dies: the server is not told.
    void kill();

    // The server process behind it.
    const std::string& backend() const noexcept { return backend_; }

private:
    process psql_;
    std::string backend_;
};

}
