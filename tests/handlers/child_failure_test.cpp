#include <cuebox/handlers/kinds/child_failure.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::handlers;

namespace {

// As it is kept of a program that wrote this little to stderr.
std::string described(std::string program, int exit, std::string err)
{
    const child_outcome ended{.exit = exit, .err_head = err, .err = err};
    const policy::headline why = describe(program, ended);
    return why.error_class + " | " + why.message;
}

}

TEST_CASE("a program's failure has the class that it gave first on stderr")
{
    struct row
    {
        const char* program;
        const char* err;
        const char* expected;
    };
    const row table[] = {
        {"sh", "", "exited with 65 | sh"},
        {"sh", "no such order\n", "no such order | sh exited with 65"},
        {"sh", "\n\n  no such order \n", "no such order | sh exited with 65"},
        {"sh", "no_stock: of 7", "no_stock | of 7 (sh exited with 65)"},
        {"sh", "no stock\nof 7\n", "no stock | sh exited with 65\nof 7"},
        {"sh", "no stock\rof 7\r\n", "no stock | sh exited with 65\nof 7"},
        {"/opt/ship.sh", "/opt/ship.sh: line 3: curl: command not found",
         "curl | command not found (/opt/ship.sh exited with 65)"},
        {"/bin/sh", "sh: 1: curl: not found", "curl | not found (/bin/sh exited with 65)"},
        {"./a.out", "terminate called after throwing an instance of 'shop::gone'\n  what():  x",
         "terminate called after throwing an instance of 'shop.gone' | "
         "./a.out exited with 65\nwhat():  x"},
        {"log", "2026-11-18 10:47:52,113 ERROR no stock", "ERROR no stock | log exited with 65"},
        {"log", "[2026-11-18T10:47:52Z] no stock", "no stock | log exited with 65"},
        {"py", "Traceback (most recent call last):\n  File \"a.py\", line 1\nshop.NoStock: of 7\n",
         "shop.NoStock | of 7 (py exited with 65)\n"
         "Traceback (most recent call last):\n  File \"a.py\", line 1"},
        {"py", "a warning\nTraceback (most recent call last):\nKeyError: 'a'",
         "KeyError | 'a' (py exited with 65)\na warning\nTraceback (most recent call last):"},
    };

    for (const row& each : table)
        CHECK(described(each.program, 65, each.err) == each.expected);
}

TEST_CASE("a NUL on stderr does not cut off what follows it")
{
    CHECK(described("sh", 65, std::string("a: b\0c", 6)) == "a | b c (sh exited with 65)");
}

TEST_CASE("of a program that said much, the class is from the beginning and the rest from the end")
{
    const child_outcome ended{
        .signal = 9, .err_head = "no stock\nthen", .err = "and so on\nto the end"};

    const policy::headline why = describe("sh", ended);

    CHECK(why.error_class == "no stock");
    CHECK(why.message == "sh ended by signal 9\nand so on\nto the end");
}
