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

// Going through a text by positions costs as much as it is long, whatever its alphabet.
TEST(Fuel, OfTextsByPositionsGrowsAsTheyDo) {
    for (const char* walk :
         {"(loop [i 0 n 0] (if (< i (count s)) (recur (inc i) (if (= (nth s i) \"é\") (inc n) n)) n))",
          "(loop [i (dec (count s)) n 0] (if (< i 0) n (recur (dec i) (if (= (get s i) \"é\") (inc n) n))))",
          "(loop [i 1 n 0] (if (< i (count s)) (recur (inc i) (if (= (nth s i) (nth t (dec i))) (inc n) n)) n))",
          "(loop [i 0 n 0] (if (< i (count s)) (recur (inc i) (+ n (count (subs s i (inc i))))) n))",
          "(loop [i 0 n 0] (if (< i 2000) (recur (inc i) (if (nth s (mod (* i 7919) (count s))) (inc n) n)) n))"}) {
        const auto fuel = [walk](int size) {
            const std::string text = "(apply str (repeat " + std::to_string(size) + " \"é\"))";
            return fuel_of("(let [s " + text + " t (str s \"x\")] " + walk + ")");
        };
        EXPECT_LT(static_cast<double>(fuel(8000)) / static_cast<double>(fuel(2000)), 6) << walk;
    }
}

// What is known of a text is let go where it is made longer: it still grows where it is.
TEST(Fuel, OfAppendingToTextsThatAreLookedAtGrowsAsTheyDo) {
    const auto fuel = [](int times) {
        return fuel_of("(loop [i 0 s (apply str (repeat 300 \"é\"))] (if (< i " + std::to_string(times) +
                       ") (recur (inc i) (if (= (nth s 0) \"é\") (str s \"x\") s)) (count s)))");
    };
    EXPECT_LT(static_cast<double>(fuel(40'000)) / static_cast<double>(fuel(10'000)), 6);
}

// Texts that are a large part of the heap are not kept for the sake of their places.
TEST(Fuel, LargeTextsAreNotKeptForTheirPlaces) {
    const std::string large = "(defn large [c] (join (repeat 100000 c))) ";
    const Engine engine({.limits = {.fuel = 1'000'000'000, .heap_bytes = 4u << 20}});
    const auto peak = [&](const char* end) {
        const Outcome outcome = engine.run(large + "(+ (count (nth (large \"é\") 0)) " + end + ")");
        EXPECT_TRUE(outcome.ok()) << end;
        return outcome.usage.peak_heap_bytes;
    };
    EXPECT_LT(peak("(count (nth (large \"ü\") 0))"), peak("1") + (64u << 10));
}

TEST(Fuel, OfPositionsInTextsIsThatOfARunAlone) {
    const std::string program =
        "(let [s (apply str (repeat 3000 \"é\"))] (tool/wait {}) [(count s) (nth s 2000) (count s)])";
    EngineOptions options;
    options.tools.push_back({.name = "wait", .function = [](const Datum&) -> Result<Datum> { return Datum(); }});
    const Engine engine(options);
    Session session(engine);
    const Outcome first = session.run(program);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(session.run(program).usage.fuel, first.usage.fuel);
    EXPECT_EQ(engine.run(program).usage.fuel, first.usage.fuel);
    // It is forgotten while a run waits, as a run that goes on elsewhere does not know it.
    const std::string after =
        "(let [s (apply str (repeat 3000 \"é\"))] (count s) (nth s 2000) (tool/wait {}) (count s))";
    EXPECT_GT(session.run(after).usage.fuel,
              session.run("(let [s (apply str (repeat 3000 \"é\"))] (tool/wait {}) (count s) (nth s 2000) (count s))")
                  .usage.fuel);
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
