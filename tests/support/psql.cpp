#include "support/psql.hpp"

#include "support/process.hpp"

#include <cuebox/embedded/binaries.hpp>

#include <stdexcept>

namespace cuebox::test {

std::filesystem::path find_psql()
{
    const auto beside = embedded::find_binaries().directory / "psql";
    return std::filesystem::exists(beside) ? beside : "psql";
}

std::string psql(const std::string& conninfo, std::string_view sql)
{
    static const auto program = find_psql();
    auto done = run(program, {"-XqAt", "-v", "ON_ERROR_STOP=1", "-d", conninfo, "-f", "-"}, sql);
    if (done.exit != 0)
        throw std::runtime_error{"psql: " + done.err};
    if (done.out.ends_with('\n'))
        done.out.pop_back();
    return done.out;
}

}
