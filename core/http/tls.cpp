// Asio's TLS, compiled once, as the rest of Asio is in core/asio.
#include <boost/asio/ssl/impl/src.hpp>
