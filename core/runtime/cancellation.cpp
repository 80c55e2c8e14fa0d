#include <cuebox/runtime/cancellation.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace cuebox::detail {

std::exception_ptr cancelled_error()
{
    return std::make_exception_ptr(
        boost::system::system_error(boost::asio::error::operation_aborted, "cancelled"));
}

bool is_cancellation(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    }
    catch (const boost::system::system_error& caught) {
        return caught.code() == boost::asio::error::operation_aborted;
    }
    catch (...) {
        return false;
    }
}

}
