// Starts an embedded server and holds it until its standard input ends, or until it is killed:
//     server_holder [DIR] [NAME=VALUE...]
// Says on one line each: the postmaster's pid, the socket's directory, both conninfos.
#include <cuebox/embedded/server.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <unistd.h>

namespace {

cuebox::embedded::options options_from(int count, char** arguments)
{
    cuebox::embedded::options options;
    options.settings = {{"fsync", "off"}};
    for (int index = 1; index < count; ++index) {
        const std::string argument = arguments[index];
        if (const auto equals = argument.find('='); equals != std::string::npos)
            options.settings.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
        else
            options.directory = argument;
    }
    return options;
}

}

int main(int count, char** arguments)
try {
    const cuebox::embedded::server server{options_from(count, arguments)};
    std::printf("%d\n%s\n%s\n%s\n", server.pid(), server.socket_directory().c_str(),
                server.conninfo().c_str(), server.tcp_conninfo().c_str());
    std::fflush(stdout);
    char ignored = 0;
    while (::read(STDIN_FILENO, &ignored, 1) > 0) {
    }
    return 0;
}
catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
}
