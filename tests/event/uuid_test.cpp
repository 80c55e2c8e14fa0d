#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace cuebox::event;

namespace {

std::chrono::milliseconds time_in(const uuid& id)
{
    std::int64_t milliseconds = 0;
    for (int i = 0; i < 6; ++i)
        milliseconds = milliseconds * 256 + id.begin()[i];
    return std::chrono::milliseconds{milliseconds};
}

}

TEST_CASE("an event id is a UUIDv7 of this very moment", "[event]")
{
    const auto before = std::chrono::floor<std::chrono::milliseconds>(now().time_since_epoch());
    const auto id = new_event_id();
    const auto after = std::chrono::floor<std::chrono::milliseconds>(now().time_since_epoch());

    REQUIRE(id.version() == 7);
    REQUIRE(id.variant() == uuid::variant_rfc_4122);
    REQUIRE(time_in(id) >= before);
    REQUIRE(time_in(id) <= after);
}

TEST_CASE("event ids ascend within a millisecond", "[event]")
{
    std::vector<uuid> ids(5000);
    std::ranges::generate(ids, new_event_id);

    REQUIRE(std::ranges::is_sorted(ids));
    REQUIRE(std::ranges::adjacent_find(ids) == ids.end());
}

TEST_CASE("event ids of several threads differ, and ascend for each", "[event][threads]")
{
    constexpr std::size_t each = 5000;
    std::vector<std::vector<uuid>> made(4, std::vector<uuid>(each));
    std::vector<std::thread> threads;

    for (auto& ids : made)
        threads.emplace_back([&ids] { std::ranges::generate(ids, new_event_id); });
    for (auto& thread : threads)
        thread.join();

    std::set<uuid> all;
    for (const auto& ids : made) {
        REQUIRE(std::ranges::is_sorted(ids));
        all.insert(ids.begin(), ids.end());
    }
    REQUIRE(all.size() == made.size() * each);
}

TEST_CASE("a forked process makes ids of its own", "[event]")
{
    (void)new_event_id();
    int results[2];
    REQUIRE(pipe(results) == 0);

    const pid_t child = fork();
    if (child == 0) {
        const auto id = new_event_id();
        const bool written = write(results[1], id.begin(), id.size()) == 16;
        _exit(written ? 0 : 1);
    }
    const auto own = new_event_id();
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    uuid theirs;
    REQUIRE(read(results[0], theirs.begin(), theirs.size()) == 16);
    close(results[0]);
    close(results[1]);

    // The first bytes are the time, the last eight chance alone.
    CHECK_FALSE(std::equal(own.begin() + 8, own.end(), theirs.begin() + 8));
}

TEST_CASE("a UUID is printed in lower case and read in either", "[event]")
{
    constexpr auto* text = "01938a5e-7c3b-7def-8123-456789abcdef";

    REQUIRE(print_uuid(*parse_uuid(text)) == text);
    REQUIRE(parse_uuid("01938A5E-7C3B-7DEF-8123-456789ABCDEF") == parse_uuid(text));
    REQUIRE(print_uuid(uuid{}) == "00000000-0000-0000-0000-000000000000");
}

TEST_CASE("what is not quite a UUID is none", "[event]")
{
    for (const auto* text :
         {"", "01938a5e7c3b7def8123456789abcdef", "{01938a5e-7c3b-7def-8123-456789abcdef}",
          "01938a5e-7c3b-7def-8123-456789abcde", "01938a5e-7c3b-7def-8123-456789abcdef0",
          "01938a5g-7c3b-7def-8123-456789abcdef", "01938a5e_7c3b-7def-8123-456789abcdef",
          "01938a5e-7c3b-7def-8123-456789abcd-f", "01938a5e-7c3b-7def-8123-456789abcd f"})
        REQUIRE_FALSE(parse_uuid(text));
}
