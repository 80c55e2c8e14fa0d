#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/platform.hpp>
#include <cuebox/embedded/port.hpp>

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>

namespace cuebox::embedded {

int free_port()
{
    const descriptor listening{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (!listening.open() || ::bind(listening.get(), generic, size) != 0 ||
        ::getsockname(listening.get(), generic, &size) != 0)
        throw_system_error("find a free port on 127.0.0.1", errno);
    return ntohs(address.sin_port);
}

}
