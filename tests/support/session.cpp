#include "support/session.hpp"

#include "support/psql.hpp"

#include <csignal>
#include <stdexcept>

namespace cuebox::test {

namespace {

constexpr std::string_view end_mark = "(end of answer)";

}

session::session(const std::string& conninfo)
    // What is said against a statement comes in its place among the answers.
    : psql_{"/bin/sh",
            {"-c", "exec \"$0\" -XqAt -d \"$1\" -f - 2>&1", find_psql().string(), conninfo}}
{
    backend_ = ask("set client_min_messages = error; select pg_backend_pid()");
}

std::string session::ask(std::string_view sql)
{
    start(sql);
    return finish();
}

std::string session::refusal(std::string_view sql)
{
    start(sql);
    return refused();
}

std::string session::refused()
{
    try {
        return "not refused: " + finish();
    }
    catch (const std::runtime_error& refused) {
        return refused.what();
    }
}

void session::start(std::string_view sql)
{
    psql_.write(std::string(sql) + ";\n\\echo " + std::string(end_mark) + "\n");
}

std::string session::finish()
{
    std::string answer;
    for (;;) {
        const auto line = psql_.read_line();
        if (line == end_mark)
            break;
        answer += answer.empty() ? line : '\n' + line;
    }
    if (answer.starts_with("psql:") || answer.find("\npsql:") != answer.npos)
        throw std::runtime_error{answer};
    return answer;
}

void session::kill()
{
    psql_.signal(SIGKILL);
    psql_.wait();
}

}
