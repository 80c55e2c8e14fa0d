#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>
#include <sys/types.h>

// The few calls that differ between systems, and the descriptors they hand out.
namespace cuebox::embedded {

// Owns a file descriptor.
class descriptor
{
public:
    descriptor() = default;
    explicit descriptor(int number) noexcept : number_{number} {}
    ~descriptor() { reset(); }
    descriptor(descriptor&& other) noexcept : number_{other.release()} {}
    descriptor& operator=(descriptor&& other) noexcept;

    int get() const noexcept { return number_; }
    bool open() const noexcept { return number_ >= 0; }
    int release() noexcept;
    void reset() noexcept;

private:
    int number_ = -1;
};

struct pipe_ends
{
    descriptor read{};
    descriptor write{};
};

// Closed on exec from the start, so that no other thread's child inherits an end, and numbered from
// 10 upwards, out of the way of what a child expects at fixed numbers.
pipe_ends make_pipe();

struct channel_ends
{
    descriptor ours{};
    descriptor theirs{};
};

// A stream both ways, with the same care. Nobody at the other end is an error of send_all, not a
// signal to the whole program as with a pipe.
channel_ends make_channel();
bool send_all(int channel, std::string_view text) noexcept;

// Marks every descriptor from `first` on as closed on exec. Safe between fork and exec.
void close_on_exec_from(int first) noexcept;

// Waits until a process that need not be a child has ended; false when the time is up first.
bool wait_for_end(pid_t process, std::chrono::milliseconds longest);

// Whether there is no process of this pid.
bool is_gone(pid_t process) noexcept;

// Whether a process listens on a socket in the file system. As far as the system tells: where it
// does not say which process listens, any will do.
bool listener_is(const std::filesystem::path& socket, pid_t process);

// Whether the system knows a locale of this name.
bool has_locale(const char* name);

// Waits for the lock on a directory; it is held until the descriptor is closed.
descriptor lock_directory(const std::filesystem::path& path);

// Waits until something can be read from it, or its other end is closed; false when time is up.
bool wait_readable(int number, std::chrono::milliseconds longest);

}
