// What the least is that some work costs. A unit of fuel pays for a few nanoseconds: what reads all of a long text, or
// all entries of a large collection, must cost in proportion to it, however small the call looks.
#include <gtest/gtest.h>
#include <ostream>
#include <ptc/ptc.h>
#include <string>

namespace ptc {
namespace {

/// Names that the programs below use: texts of a million bytes or more, twice each, so that equal ones are two objects.
constexpr const char* kTexts = R"(
    (defn text [x] (reduce (fn [s _] (str s s)) x (range 20)))
    (def ascii (text "a")) (def ascii-again (text "a"))
    (def accents (str (text "e") "é")) (def digits (text "0"))
    (def power (reduce (fn [x _] (* x x)) 3 (range 17))) (def power-again (reduce (fn [x _] (* x x)) 3 (range 17))))";

std::int64_t fuel_of(const std::string& source) {
    static const Engine engine(
        {.limits = {.fuel = 1'000'000'000'000, .heap_bytes = 512u << 20, .timeout = std::chrono::minutes(2)}});
    Session session(engine);
    EXPECT_TRUE(session.run(kTexts).ok());
    const Outcome outcome = session.run(source);
    EXPECT_TRUE(outcome.ok()) << source << ": " << (outcome.error ? outcome.error->message : "");
    return outcome.usage.fuel;
}

struct Row {
    const char* source;
    std::int64_t least;
};

[[maybe_unused]] void PrintTo(const Row& row, std::ostream* out) { *out << row.source; }

class FuelFor : public testing::TestWithParam<Row> {};

TEST_P(FuelFor, WorkThatGrowsWithItsInput) {
    EXPECT_GE(fuel_of(GetParam().source), GetParam().least) << GetParam().source;
}

// What is kept inside a text (its length, its hash) is kept for all runs that share it.
TEST(Fuel, DoesNotDependOnWhatOtherRunsLookedAt) {
    const Engine engine({.limits = {.fuel = 1'000'000'000}});
    const std::string text = std::string(2000, 'a') + "é";
    const auto data = DataSet::from_json("text", '"' + text + '"').value();
    for (const std::string& program :
         {"[(count data/text) (count \"" + text + "\")]", std::string("(get (hash-map data/text 1) data/text)")}) {
        const Compiled compiled = engine.compile(program);
        ASSERT_TRUE(compiled);
        const Outcome first = engine.run(compiled.program, {.data = {data}});
        ASSERT_TRUE(first.ok()) << first.error->message;
        EXPECT_EQ(engine.run(compiled.program, {.data = {data}}).usage.fuel, first.usage.fuel) << program.substr(0, 30);
    }
    Session session(engine);
    ASSERT_TRUE(session.run("(def mine (str \"" + text + "\" 1))").ok());
    const Outcome first = session.run("(count mine)");
    EXPECT_EQ(session.run("(count mine)").usage.fuel, first.usage.fuel);
}

constexpr std::int64_t kCompared = 10'000;     ///< a million bytes that are compared or hashed
constexpr std::int64_t kScanned = 50'000;      ///< looked at one by one
constexpr std::int64_t kGraphemes = 1'000'000; ///< taken apart into characters

constexpr Row kRows[] = {
    {"(= ascii ascii-again)", kCompared},
    {"(compare ascii ascii-again)", kCompared},
    {"(< ascii ascii-again)", kCompared},
    {"(hash-map ascii 1 2 3)", kCompared},
    {"(contains? #{ascii} ascii-again)", 2 * kCompared},
    {"(get (assoc (zipmap (range 20) (range 20)) ascii 1) ascii-again)", 2 * kCompared},
    {"(= power power-again)", 200},
    {"(contains? #{power} power-again)", 400},
    {"(starts-with? ascii ascii-again)", kCompared},
    {"(ends-with? ascii ascii-again)", kCompared},
    {"(.startsWith ascii ascii-again)", kCompared},
    {"(.endsWith ascii ascii-again)", kCompared},
    {"(split ascii \"b\")", kScanned},
    {"(split ascii #\"\\s+\")", kScanned},
    {"(split-lines ascii)", kScanned},
    {"(count accents)", kGraphemes},
    {"(nth accents 1000000)", kGraphemes},
    {"(subs accents 1000000)", kGraphemes},
    {"(.indexOf accents \"é\")", kGraphemes},
    {"(index-of accents \"é\")", kGraphemes},
    {"(char? (text \"\\u0301\"))", kGraphemes}, // marks of one character, without end
    {"(parse-long digits)", kScanned},
    {"(Integer/parseInt digits)", kScanned},
    {"(count (upper-case power))", 10'000},
    {"(count (Long/toString power))", 10'000},
    {"(walk/keywordize-keys (hash-map (str ascii \" \") 1))", kScanned},
    {"(count (assoc-in {} (range 1000) 1))", 2000},
};

INSTANTIATE_TEST_SUITE_P(Rows, FuelFor, testing::ValuesIn(kRows));

} // namespace
} // namespace ptc
