// Tools whose signatures are deduced from C++ callables: the types that can be described, what their arguments are
// decoded to, and what is said of values that do not fit.
#include "frontend/utf8.h"
#include "ptc/ptc.h"
#include "ptc/typed_tool.h"
#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace shop {

enum class Order { price, rating };
BOOST_DESCRIBE_ENUM(Order, price, rating)

struct Range {
    double low = 0;
    double high = 0;
};
BOOST_DESCRIBE_STRUCT(Range, (), (low, high))

struct Search {
    std::string query;
    std::optional<std::int64_t> limit;
    std::vector<std::string> tags;
    std::optional<Range> price;
    Order order = Order::price;
};
BOOST_DESCRIBE_STRUCT(Search, (), (query, limit, tags, price, order))

struct Product {
    std::int32_t id = 0;
    std::string title;
    std::variant<std::int64_t, std::string> code;
    std::chrono::system_clock::time_point since;
};
BOOST_DESCRIBE_STRUCT(Product, (), (id, title, code, since))

struct Category {
    std::string name;
    std::vector<Category> parts;
    bool operator==(const Category&) const = default;
};
BOOST_DESCRIBE_STRUCT(Category, (), (name, parts))

std::vector<Product> find(const Search& search) {
    using namespace std::chrono;
    const std::int64_t limit = search.limit.value_or(1);
    std::vector<Product> found;
    for (std::int64_t i = 0; i < limit; ++i)
        found.push_back({static_cast<std::int32_t>(i), search.query, "c" + std::to_string(i),
                         system_clock::time_point(seconds(i))});
    return found;
}

double twice(float x) { return 2.0 * static_cast<double>(x); }

} // namespace shop

namespace ptc {
namespace {

TEST(TypedTool, SignaturesAreDeduced) {
    EXPECT_EQ(
        tool("find", "", shop::find).signature,
        "(query :string, limit :int?, tags [:string], price {low :float, high :float}?, order :enum[price rating]) -> "
        "[{id :int, title :string, code :int|:string, since :datetime}]");
    EXPECT_EQ(tool("add", "", {"x", "y"}, [](std::int64_t x, std::uint8_t y) { return x + y; }).signature,
              "(x :int, y :int[>=0]) -> :int");
    EXPECT_EQ(tool("now", "", [] { return std::chrono::system_clock::time_point(); }).signature, "() -> :datetime");
    EXPECT_EQ(tool("log", "", {"line"}, [](const std::string&) {}).signature, "(line :string) -> :any");
    EXPECT_EQ(tool("twice", "", {"x"}, shop::twice).signature, "(x :float) -> :float");
    EXPECT_EQ(tool("maybe", "", {"x"}, [](bool b) { return b ? std::optional<bool>(b) : std::nullopt; }).signature,
              "(x :bool) -> :bool?");
    EXPECT_EQ(
        tool("try", "", {"m"}, [](const std::map<std::string, double>& m) -> Result<std::size_t> { return m.size(); })
            .signature,
        "(m :map) -> :int[>=0]");
    EXPECT_EQ(tool("json", "", {"v"}, [](const boost::json::value& v) { return v; }).signature, "(v :any) -> :any");
    EXPECT_EQ(tool("whole", "", [](const Datum& d) { return d; }).signature, "");
}

TEST(TypedTool, AlternativesMayBeOptionalOrHaveAlternatives) {
    using Inner = std::variant<std::optional<bool>, std::monostate, std::string>;
    EXPECT_EQ(tool("t", "", {"v"}, [](const std::variant<std::int64_t, Inner>&) {}).signature,
              "(v :int|:bool|:nil|:string?) -> :any");
    EXPECT_EQ(tool("t", "", [] { return std::monostate(); }).signature, "() -> :any?");
}

Outcome run(Tool made, std::string_view source) {
    std::vector<Tool> tools;
    tools.push_back(std::move(made));
    return Engine({.tools = std::move(tools)}).run(source);
}

std::string value_of(Tool made, std::string_view source) {
    const Outcome outcome = run(std::move(made), source);
    return outcome.error ? "!! " + std::string(reason_name(outcome.error->reason)) + " " + outcome.error->message
                         : outcome.value;
}

TEST(TypedTool, ArgumentsAreCheckedCoercedAndDecoded) {
    EXPECT_EQ(value_of(tool("find", "", shop::find),
                       "(map :code (tool/find {:query \"x\" :limit \"2\" :tags [] :order :rating}))"),
              "[\"c0\" \"c1\"]");
    EXPECT_EQ(value_of(tool("add", "", {"x", "y"}, [](std::int64_t x, std::int64_t y) { return x - y; }),
                       "(tool/add {:y 2 :x 44})"),
              "42");
    EXPECT_EQ(value_of(tool("twice", "", {"x"}, shop::twice), "(tool/twice {:x 4})"), "8.0");
}

TEST(TypedTool, ViewsLiveAsLongAsTheCall) {
    using Texts = std::vector<std::string_view>;
    const std::string text(100, 'x'); // longer than what a std::string keeps within itself
    EXPECT_EQ(tool("len", "", {"t"}, [](std::string_view t) { return t.size(); }).signature,
              "(t :string) -> :int[>=0]");
    EXPECT_EQ(value_of(tool("len", "", {"t"}, [](std::string_view t) { return t.size(); }),
                       "(tool/len {:t \"" + text + "\"})"),
              "100");
    EXPECT_EQ(value_of(tool("longest", "", {"all", "or"},
                            [](const Texts& all, std::optional<std::string_view> other) {
                                return all.empty() ? other.value_or("")
                                                   : std::ranges::max(all, {}, &Texts::value_type::size);
                            }),
                       "[(tool/longest {:all [\"a\" \"" + text + "\" \"bc\"]}) (tool/longest {:all [] :or :none})]"),
              "[\"" + text + "\" \"none\"]");
}

TEST(TypedTool, FaultsHavePaths) {
    const std::string wrong =
        value_of(tool("find", "", shop::find), "(tool/find {:query 1 :tags [\"a\" 2] :order :size :price {:low 1}})");
    for (const char* line :
         {"- query: expected string, got int 1", "- tags[1]: expected string, got int 2",
          "- price.high: expected float, got nil", "- order: expected enum[price rating], got keyword :size"})
        EXPECT_NE(wrong.find(line), std::string::npos) << wrong;
    EXPECT_EQ(wrong.rfind("!! validation_error", 0), 0u) << wrong;
}

TEST(TypedTool, NumbersOutsideOfTheCppTypeAreRefused) {
    const std::string wrong =
        value_of(tool("byte", "", {"xs"}, [](const std::vector<std::int8_t>& xs) { return xs.size(); }),
                 "(tool/byte {:xs [1 200]})");
    EXPECT_NE(wrong.find("xs[1]: expected int from -128 to 127, got int 200"), std::string::npos) << wrong;
}

TEST(TypedTool, WhatMessagesShowIsCutBetweenCharacters) {
    const std::string message = decode<std::int64_t>(Datum("a" + std::string(200, 'x'))).error().message;
    EXPECT_LT(message.size(), 120u);
    std::string accents = "a";
    for (int i = 0; i < 100; ++i)
        accents += "é";
    const std::string cut = decode<std::int64_t>(Datum(accents)).error().message;
    EXPECT_EQ(utf8::find_invalid(cut), utf8::kValid) << cut;
}

TEST(TypedTool, FailuresOfTheCallableAreToolErrors) {
    EXPECT_NE(value_of(tool("t", "", []() -> Result<int> { return Error(Reason::ToolError, "no luck"); }), "(tool/t)")
                  .find("tool_error"),
              std::string::npos);
    EXPECT_NE(value_of(tool("t", "", []() -> int { throw std::runtime_error("no luck"); }), "(tool/t)").find("no luck"),
              std::string::npos);
}

TEST(TypedTool, WholeArgumentsAndJsonValues) {
    EXPECT_EQ(value_of(tool("echo", "", [](const Datum& d) { return d; }), "(tool/echo {:a-b [1 2.5 nil]})"),
              "{\"a_b\" [1 2.5 nil]}");
    EXPECT_EQ(value_of(tool("size", "", [](const boost::json::value& v) { return v.as_object().size(); }),
                       "(tool/size {:a 1 :b {:c 2}})"),
              "2");
    EXPECT_EQ(value_of(tool("back", "", {"v"}, [](const boost::json::value& v) { return v; }),
                       "(tool/back {:v [true {\"k\" 1.5} 18446744073709551615]})"),
              "[true {\"k\" 1.5} 18446744073709551615]");
}

template <class T> void round_trips(const T& value) {
    const Result<T> back = decode<T>(encode(value));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_TRUE(back.value() == value);
}

TEST(TypedTool, AStructMayHoldItself) {
    const Tool made = tool("parts", "", {"of"}, [](const shop::Category& of) { return of.parts; });
    EXPECT_EQ(made.signature, "(of {name :string, parts [:map]}) -> [{name :string, parts [:map]}]");
    EXPECT_EQ(value_of(made, "(map :name (tool/parts {:of {:name \"a\" :parts [{:name \"b\" :parts []}]}}))"),
              "[\"b\"]");
    EXPECT_NE(value_of(made, "(tool/parts {:of {:name \"a\" :parts [{:name \"b\" :parts [1]}]}})")
                  .find("of.parts[0].parts[0]"),
              std::string::npos);
}

TEST(TypedTool, ValuesRoundTrip) {
    round_trips(std::string("é"));
    round_trips(std::optional<int>());
    round_trips(std::map<std::string, std::vector<double>>{{"a", {1.5, -2}}, {"b", {}}});
    round_trips(std::variant<std::monostate, std::int64_t, std::string>("x"));
    round_trips(std::numeric_limits<std::uint64_t>::max());
    round_trips(std::numeric_limits<std::int64_t>::min());
    round_trips(shop::Order::rating);
    round_trips(std::chrono::system_clock::time_point(std::chrono::microseconds(-1)));
    round_trips(std::set<int>{3, 1, 2});
    round_trips(shop::Category{"a", {{"b", {}}, {"c", {{"d", {}}}}}});
}

} // namespace
} // namespace ptc
