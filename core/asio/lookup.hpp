#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cuebox::detail {

// What became of a name: its addresses, or why it has none.
struct lookup_result
{
    std::vector<std::string> addresses{};
    std::string failure{};
};

// getaddrinfo: it blocks, for as long as the name servers please.
lookup_result look_up(const std::string& host);

// A name that is being looked up, from its construction on, by threads that belong to nobody:
// Asio's resolver has one for each io_context, so that names would queue behind one that hangs, and
// neither a deadline nor a cancellation would end the wait. It may go on when who asked has gone;
// the answer is then dropped.
class lookup
{
public:
    using function = std::function<lookup_result(const std::string&)>;

    explicit lookup(const std::string& host, function how = look_up);

    // Once, on any executor. Gives a failure when it takes longer; throws when it is cancelled.
    boost::asio::awaitable<lookup_result> answer(std::chrono::steady_clock::time_point until) const;

private:
    class question;
    class expectation;
    static boost::asio::awaitable<lookup_result>
    await_answer(std::shared_ptr<question> asked, std::chrono::steady_clock::time_point until);

    std::shared_ptr<question> asked_;
};

}
