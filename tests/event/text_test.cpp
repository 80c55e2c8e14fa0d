#include "refusal.hpp"

#include <cuebox/event/utf8.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::event;
using namespace cuebox::event::test;
using namespace std::string_literals;

namespace {

using text = one<std::string>;

std::string read_text(std::string_view quoted)
{
    return decode<text>(R"({"a":)" + std::string{quoted} + "}").a;
}

std::string refusal_of_text(std::string_view quoted)
{
    return refusal_of<text>(R"({"a":)" + std::string{quoted} + "}");
}

}

TEST_CASE("text is written with as few escapes as JSON allows", "[event]")
{
    REQUIRE(encode(text{"a\"b\\c/d\b\f\n\r\t\x01\x1f\x7f"}) ==
            R"({"a":"a\"b\\c/d\b\f\n\r\t\u0001\u001f)"
            "\x7f\"}");
}

TEST_CASE("every escape is read", "[event]")
{
    REQUIRE(read_text(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
    REQUIRE(read_text(R"("\u0041\u00e9\u20AC\ud83d\ude00!")") == "Aé€😀!");
    REQUIRE(read_text(R"("plain then \u0041 then plain")") == "plain then A then plain");
}

TEST_CASE("text of any length and with an escape at any place is read back", "[event]")
{
    for (std::size_t size = 0; size < 40; ++size)
        for (std::size_t place = 0; place < size; ++place)
            for (const char special : {'"', '\\', '\n', '\x01', '\x7f', ' '}) {
                std::string value(size, 'x');
                value[place] = special;
                REQUIRE(decode<text>(encode(text{value})).a == value);
            }
}

TEST_CASE("a broken escape is refused", "[event]")
{
    REQUIRE(refusal_of_text(R"("\x")") == "/a: not JSON at byte 8: no such escape");
    REQUIRE(refusal_of_text(R"("\u12g4")") ==
            "/a: not JSON at byte 8: \\u needs four hexadecimal digits");
    REQUIRE(refusal_of_text(R"("\u12)") ==
            "/a: not JSON at byte 8: \\u needs four hexadecimal digits");
    REQUIRE(refusal_of<text>(R"({"a":"\)") == "/a: not JSON at byte 7: the string has no end");
    REQUIRE(refusal_of<text>(R"({"a":"b)") == "/a: not JSON at byte 7: the string has no end");
}

TEST_CASE("half of a surrogate pair is refused", "[event]")
{
    for (const auto* half : {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud800x")",
                             R"("\ud800\n")", R"("\udfff\ud800")", R"("\ud83d\u0041")"})
        REQUIRE(refusal_of_text(half) == "/a: half of a surrogate pair");
}

TEST_CASE("NUL is refused in every way it can be written", "[event]")
{
    REQUIRE(refusal_of_text(R"("a\u0000b")") == "/a: \\u0000 cannot be stored by Postgres");
    REQUIRE(refusal_of_text("\"a\0b\""s) ==
            "/a: not JSON at byte 7: a control character in a string: write it as an escape");
    REQUIRE(refusal_to_encode(text{"a\0b"s}) ==
            "/a: holds a NUL, which cannot be stored by Postgres");
    REQUIRE(refusal_to_encode(one<std::map<std::string, int>>{{{"a\0b"s, 1}}}) ==
            "/a: a key: holds a NUL, which cannot be stored by Postgres");
}

TEST_CASE("a control character has to be escaped", "[event]")
{
    for (char letter = 1; letter < 0x20; ++letter)
        REQUIRE(refusal_of_text(std::string{'"'} + letter + '"') ==
                "/a: not JSON at byte 6: a control character in a string: write it as an escape");
}

TEST_CASE("well-formed UTF-8 passes both ways", "[event]")
{
    const std::string table[] = {
        "\x7F",         "\xC2\x80",         "\xDF\xBF",         "\xE0\xA0\x80",
        "\xEC\xBF\xBF", "\xED\x9F\xBF",     "\xEE\x80\x80",     "\xEF\xBF\xBD",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF3\xBF\xBF\xBF", "\xF4\x8F\xBF\xBF",
    };
    for (const auto& each : table) {
        REQUIRE(is_utf8(each));
        REQUIRE(decode<text>(encode(text{each + "x" + each})).a == each + "x" + each);
    }
}

TEST_CASE("what is not well-formed UTF-8 is refused both ways", "[event]")
{
    const std::string table[] = {
        "\x80",
        "\xBF",
        "\xC0\x80",
        "\xC1\xBF",
        "\xC2",
        "\xC2\x41",
        "\xC2\xC2",
        "\xE0\x9F\xBF",
        "\xE0\x80\x80",
        "\xED\xA0\x80",
        "\xED\xBF\xBF",
        "\xEF\xBF",
        "\xE2\x28\xA1",
        "\xE2\x82\x28",
        "\xF0\x8F\xBF\xBF",
        "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xF0\x9F\x98",
        "\xFE",
        "\xFF",
        "\xF8\x88\x80\x80",
        "\xF0\x28\x8C\xBC",
    };
    for (const auto& each : table) {
        REQUIRE_FALSE(is_utf8("a" + each));
        REQUIRE(refusal_of_text("\"12345678" + each + "\"") == "/a: invalid UTF-8");
        REQUIRE(refusal_to_encode(text{"12345678" + each}) == "/a: invalid UTF-8");
        REQUIRE(refusal_of<text>("{\"" + each + "\":1}") == "/: invalid UTF-8");
    }
}

TEST_CASE("code points become UTF-8 at each length", "[event]")
{
    std::string out;
    for (const char32_t point : {0x41, 0x7FF, 0xFFFD, 0x10FFFF})
        append_utf8(out, point);

    REQUIRE(out == "A\xDF\xBF\xEF\xBF\xBD\xF4\x8F\xBF\xBF");
}
