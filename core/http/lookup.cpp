#include <cuebox/http/lookup.hpp>

#include <boost/asio/ip/address.hpp>

namespace cuebox::http {

awaitable<lookup_result> resolve(std::string host, time_point until,
                                 cuebox::detail::lookup::function how)
{
    boost::system::error_code no_address;
    asio::ip::make_address(host, no_address);
    if (!no_address) {
        lookup_result itself;
        itself.addresses.push_back(host);
        co_return itself;
    }
    const cuebox::detail::lookup asked(host, std::move(how));
    auto found = co_await asked.answer(until);
    co_return found;
}

}
