#include <cuebox/event/utf8.hpp>
#include <cuebox/policy/error_class.hpp>
#include <cuebox/policy/failure.hpp>

#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::policy;
using namespace std::string_literals;

namespace shop {

struct no_such_address : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

template <class T>
struct refused : std::exception
{};

struct desk
{
    struct closed : std::exception
    {};
};

namespace {
struct unlucky : std::exception
{};
}

}

namespace {

struct row
{
    std::string text;
    std::string expected;
};

// What catches it sees.
template <class F>
std::string class_of_thrown(F raise)
{
    try {
        raise();
    }
    catch (const std::exception& error) {
        return class_of(typeid(error));
    }
    return "nothing";
}

template <class T>
std::string class_of_local()
{
    struct lost
    {};
    return class_of(typeid(lost));
}

}

TEST_CASE("the class of an exception is its type, with dots and without noise", "[policy]")
{
    struct within_a_function
    {};
    auto in_a_lambda = [](auto) {
        struct lost
        {};
        return class_of(typeid(lost));
    };

    CHECK(class_of(typeid(shop::no_such_address)) == "shop.no_such_address");
    CHECK(class_of(typeid(shop::unlucky)) == "shop.unlucky");
    CHECK(class_of(typeid(shop::desk::closed)) == "shop.desk.closed");
    CHECK(class_of(typeid(shop::refused<std::vector<std::string>>)) == "shop.refused");
    CHECK(class_of(typeid(std::runtime_error)) == "runtime_error");
    CHECK(class_of(typeid(std::system_error)) == "system_error");
    CHECK(class_of(typeid(terminal_error)) == "terminal_error");
    CHECK(class_of(typeid(within_a_function)) == "within_a_function");
    CHECK(class_of_local<std::string>() == "lost");
    CHECK(in_a_lambda(1) == "lost");
    CHECK(class_of(typeid(int)) == "int");
    CHECK(class_of(typeid(const char*)) == "char const*");
    CHECK(class_of_thrown([] {
              boost::throw_exception(
                  boost::system::system_error(make_error_code(boost::system::errc::timed_out)));
          }) == "boost.system.system_error");
    CHECK(class_of_thrown([] { std::throw_with_nested(shop::no_such_address("x")); }) ==
          "shop.no_such_address");
}

TEST_CASE("a demangled name of any make gives a class", "[policy]")
{
    const row table[] = {
        {"shop::no_such_address", "shop.no_such_address"},
        {"(anonymous namespace)::oops", "oops"},
        {"a::(anonymous namespace)::b::oops", "a.b.oops"},
        {"std::__1::system_error", "system_error"},
        {"std::filesystem::__cxx11::filesystem_error", "filesystem.filesystem_error"},
        {"std::ios_base::failure[abi:cxx11]", "ios_base.failure"},
        {"cuebox::http::error", "http.error"},
        {"shop::refused<std::map<int, shop::order> >", "shop.refused"},
        {"shop::refused<int>::late", "shop.refused.late"},
        {"boost::wrapexcept<shop::refused<std::pair<int, int> > >", "shop.refused"},
        {"boost::exception_detail::clone_impl<boost::exception_detail::error_info_injector<"
         "shop::gone> >",
         "shop.gone"},
        {"shop::ship(cuebox::delivery<order>)::lost", "lost"},
        {"void shop::ship<int>(int)::lost", "lost"},
        {"shop::ship()::{lambda(int)#1}::operator()(int) const::lost", "lost"},
        {"bool operator< (a::b const&)::lost", "lost"},
        {"main::{unnamed type#1}", "main.{unnamed type#1}"},
        {"shop::größe", "shop.größe"},
        {"", ""},
    };

    for (const row& each : table)
        CHECK(class_of_type(each.text) == each.expected);
    CHECK(class_of_type("shop::" + std::string(130, 'n') + "::lost") == "lost");
    CHECK(class_of_type(std::string(5'000, 'x')).size() <= class_max);
}

TEST_CASE("a class that a handler gives is one short line without a colon", "[policy]")
{
    const row table[] = {
        {"no_stock", "no_stock"},
        {"  no stock \n", "no stock"},
        {"shop::no_stock", "shop.no_stock"},
        {"HTTP 503: busy", "HTTP 503. busy"},
        {"two\nlines", "two"},
        {"a\r\nb", "a"},
        {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
        {"a\tb", "a b"},
        {"a\xff"s, "a\uFFFD"},
        {":::", ""},
        {"", ""},
    };

    for (const row& each : table)
        CHECK(make_class(each.text) == each.expected);
    for (const std::string& each :
         {std::string(1'000'000, 'x'), std::string(500, '\xff'), "a" + std::string(500, '\x01')})
    {
        CHECK(make_class(each).size() <= class_max);
        CHECK(event::is_utf8(make_class(each)));
        CHECK(make_class(each).ends_with("…"));
    }
}

TEST_CASE("a line that says what went wrong is a class and a message", "[policy]")
{
    struct line
    {
        std::string text;
        std::string error_class;
        std::string message;
    };
    const line table[] = {
        {"no such order", "no such order", ""},
        {"ValueError: no amount", "ValueError", "no amount"},
        {"shop.NoStock: of 7: none", "shop.NoStock", "of 7: none"},
        {"an instance of 'shop::gone'", "an instance of 'shop.gone'", ""},
        {": odd", ". odd", ""},
        {"", "", ""},
    };

    for (const line& each : table) {
        const headline got = split_line(each.text);
        CHECK(got.error_class == each.error_class);
        CHECK(got.message == each.message);
    }
}

TEST_CASE("what a row keeps of an error begins with its class, which can be had back", "[policy]")
{
    CHECK(make_reason("no_stock", "of 7") == "no_stock: of 7");
    CHECK(make_reason("", "of 7") == "error: of 7");
    CHECK(make_reason("a:b", "c:d") == "a.b: c:d");
    CHECK(make_reason("no_stock", std::string(1'000'000, 'x')).size() <= reason_max + 3);

    CHECK(class_of(make_reason("shop::no_stock", "of: 7\n8")) == "shop.no_stock");
    CHECK(class_of("no colon at all") == "no colon at all");
    CHECK(class_of("two lines\nand a: colon") == "two lines");
    CHECK(class_of(std::string(1'000'000, 'x')).size() <= class_max);
    CHECK(class_of("").empty());
}
