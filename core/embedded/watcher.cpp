#include <cuebox/embedded/child.hpp>
#include <cuebox/embedded/cluster.hpp>
#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/watcher.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace cuebox::embedded {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Descriptor 3 is the channel: verbs come in, news goes home. `$run/postmaster` exists as long as
// postgres runs, holding its pid once that is known. A signal that comes before postgres listens
// for signals is lost, so it is repeated.
//
// The shell that waits for postgres may be killed, and then nobody notes the pid or removes the
// file. So the end does not rely on it: the server's own file tells the pid as well, and with its
// fifth line, where the socket is, that it is ours; and time passes even when nothing is known.
constexpr const char* script = R"(
bin=$1 data=$2 run=$3 log=$4 locale=$5 no_sync=$6 password=$7
shift 7
trap '' HUP INT TERM PIPE
while read -r verb port <&3; do
    case $verb in
    init)
        "$bin/initdb" -D "$data" -U postgres -E UTF8 --locale="$locale" -A scram-sha-256 \
            --pwfile="$run/$password" $no_sync >"$run/initdb.log" 2>&1 3<&- &&
            cp "$run/$password" "$data/$password"
        echo "init $?" >&3
        ;;
    start)
        : >"$run/postmaster"
        (
            "$bin/postgres" -D "$data" -p "$port" "$@" >>"$log" 2>&1 3<&- &
            echo $! >"$run/postmaster"
            echo "pid $!" >&3
            wait $!
            code=$?
            rm -f "$run/postmaster"
            echo "exit $code" >&3
        ) &
        ;;
    esac
done
tenths=0 next=0
while [ -e "$run/postmaster" ] && [ $tenths -lt 200 ]; do
    pid=
    read -r pid <"$run/postmaster"
    if [ -z "$pid" ]; then
        socket=$(sed -n 5p "$data/postmaster.pid" 2>/dev/null)
        [ "$socket" = "$run" ] && read -r pid <"$data/postmaster.pid"
    fi
    if [ -n "$pid" ]; then
        kill -0 "$pid" 2>/dev/null || break
        if [ $tenths -ge $next ]; then
            if [ $tenths -lt 100 ]; then kill -INT "$pid"
            elif [ $tenths -lt 150 ]; then kill -QUIT "$pid"
            else kill -KILL "$pid"; fi
            next=$((tenths + 10))
        fi
    fi
    tenths=$((tenths + 1))
    sleep 0.1
done
rm -rf "$run"
)";

}

bool watcher::watches(const std::filesystem::path& run)
{
    std::error_code none;
    return std::filesystem::exists(run / "postmaster", none);
}

watcher::watcher(const task& task, const account& run_as)
{
    auto channel = make_channel();
    command shell{.arguments = {"/bin/sh", "-c", script, "cuebox-embedded", task.binaries.string(),
                                task.data.string(), task.run.string(), task.log.string(),
                                task.locale, task.no_sync ? "--no-sync" : "", password_file},
                  .descriptors = {{3, channel.theirs.get()}},
                  .run_as = &run_as,
                  .own_session = true};
    shell.arguments.insert(shell.arguments.end(), task.arguments.begin(), task.arguments.end());
    pid_ = spawn(shell);
    channel_ = std::move(channel.ours);
}

watcher::~watcher()
{
    ::shutdown(channel_.get(), SHUT_WR);
    // Its own patience with the server has an end, so this has one, too.
    char ignored[256];
    while (::read(channel_.get(), ignored, sizeof ignored) > 0 || errno == EINTR)
        errno = 0;
    reap(pid_);
}

int watcher::init(milliseconds longest)
{
    tell("init");
    const auto code = told("init", longest);
    if (!code)
        throw error{"initdb did not finish in time"};
    return *code;
}

pid_t watcher::start(int port)
{
    tell("start " + std::to_string(port));
    const auto pid = told("pid", std::chrono::seconds{10});
    if (!pid)
        throw error{"the shell that watches the embedded Postgres did not start it"};
    running_ = true;
    return *pid;
}

bool watcher::ended(milliseconds longest)
{
    if (running_ && told("exit", longest))
        running_ = false;
    return !running_;
}

std::optional<int> watcher::told(std::string_view word, milliseconds longest)
{
    const auto until = steady_clock::now() + longest;
    for (;;) {
        if (const auto end = unread_.find('\n'); end != std::string::npos) {
            const std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            int number = 0;
            const auto space = line.find(' ');
            if (line.substr(0, space) == word && space != std::string::npos) {
                std::from_chars(line.data() + space + 1, line.data() + line.size(), number);
                return number;
            }
            continue;
        }
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        if (!wait_readable(channel_.get(), std::max(left, milliseconds{0})))
            return std::nullopt;
        char block[256];
        const auto got = ::read(channel_.get(), block, sizeof block);
        if (got == 0)
            throw error{"the shell that watches the embedded Postgres is gone: was it killed?"};
        if (got > 0)
            unread_.append(block, static_cast<std::size_t>(got));
        else if (errno != EINTR)
            throw_system_error("read from the watcher of the embedded Postgres", errno);
    }
}

void watcher::tell(std::string_view line)
{
    if (!send_all(channel_.get(), std::string{line} + "\n"))
        throw_system_error("speak to the watcher of the embedded Postgres", errno);
}

}
