// What an agent does outside of the machine with values of programs: it grows with their size and not faster, however
// they are shaped, because no fuel pays for it and only turns are stopped by the mission's deadline.
#include "subagent/agent/firewall.h"
#include "tests/subagent/missions.h"
#include "tests/support/growth.h"

namespace ptc::test {
namespace {

/// Maps as keys of maps, `depth` of them.
Datum nested_keys(std::size_t depth) {
    Datum value = Datum::object({{"a", Datum(1)}});
    for (std::size_t i = 0; i < depth; ++i)
        value = Datum(Datum::Map{{std::move(value), Datum(1)}});
    return value;
}

TEST(HostWork, MapsAsKeysAreWrittenOnce) {
    EXPECT_TRUE(is_linear(100, [](std::size_t depth) {
        return [value = nested_keys(depth), depth] { ASSERT_LT(value.to_json().size(), 50 * depth); };
    }));
}

/// A map of `n` names; those of another `turn` differ.
std::string map_program(std::size_t n, int turn) {
    return "(into {} (map (fn [i] [(str \"t" + std::to_string(turn) + "-\" i) i]) (range " + std::to_string(n) + ")))";
}

TEST(HostWork, ResultsOfTurnsAreKeptInProportionToTheirNames) {
    EXPECT_TRUE(is_linear(500, [](std::size_t n) {
        std::vector<std::string> texts;
        for (int turn = 0; turn < 20; ++turn) // more than there are layers of data: they are merged
            texts.push_back(map_program(n, turn % 4));
        texts.emplace_back("(return 1)");
        return [texts] {
            const AgentPtr made = agent({.prompt = "x", .max_turns = 30, .turn_budget = 30});
            ASSERT_TRUE(made->run(programs(texts).llm()).ok);
        };
    }));
}

Secrets secrets_beginning_alike(std::size_t n) {
    Secrets secrets;
    Datum::List items;
    for (std::size_t i = 0; i < n; ++i)
        items.emplace_back("https://example.org/a/path/that/all/have/" + std::to_string(i));
    learn_secrets(secrets, Datum::object({{"_urls", Datum(std::move(items))}}));
    return secrets;
}

TEST(HostWork, LookingForSecretsDoesNotGrowWithTheirNumber) {
    EXPECT_TRUE(is_linear(2000, [](std::size_t n) {
        return [secrets = secrets_beginning_alike(n), n] {
            // Lines are many where secrets are few: only their product is the same.
            const std::string line = "see https://example.org/a/path/that/all/have/none, https://exam and so on";
            for (std::size_t i = 0; i < n / 4; ++i)
                ASSERT_NE(without_secrets(secrets, line), "");
        };
    }));
}

TEST(HostWork, HidingCollectionsDoesNotGrowWithTheirDepth) {
    EXPECT_TRUE(is_linear(100, [](std::size_t depth) {
        Datum value = Datum(Datum::List{Datum(1), Datum(2)});
        for (std::size_t i = 0; i < depth; ++i)
            value = Datum(Datum::List{std::move(value), Datum("some text beside it")});
        Secrets secrets;
        learn_secrets(secrets, Datum::object({{"_ids", Datum(Datum::List{Datum(1), Datum(2)})}}));
        return [value, secrets] {
            ASSERT_NE(public_view(value, secrets).to_json().find("Firewalled"), std::string::npos);
        };
    }));
}

// Sixteen MiB of text took 600 million.
TEST(HostWork, OfAResultThatIsTooLongIsThatOfTheValue) {
    const Engine engine({.warnings = false, .threads = 0, .tool_threads = 0});
    constexpr std::uint64_t kMost = 30'000'000;
    for (const char* program : {"(reduce (fn [m _] [m m]) [1] (range 60))", "(reduce (fn [m _] {m m}) {} (range 60))",
                                "(let [t (apply str (repeat 20000 \"ab\"))] (vec (repeat 5000 t)))"}) {
        Session session(engine);
        EXPECT_LT(instructions([&] {
                      const Outcome outcome = session.run(program);
                      ASSERT_TRUE(outcome.error && outcome.error->reason == Reason::LimitExceeded) << program;
                  }),
                  kMost)
            << program;
        ASSERT_TRUE(session.run("(def x " + std::string(program) + ") 1").ok());
        bool cut = false;
        EXPECT_LT(instructions([&] { (void)session.value_text("x", std::size_t{16} << 20, &cut); }), kMost) << program;
        EXPECT_TRUE(cut);
    }
}

// Each program of a session is compiled with what is known of those before.
TEST(HostWork, OfProgramsThatUseTheFunctionsOfEarlierOnesGrowsWithTheirNumber) {
    const Engine engine({.warnings = false, .threads = 0, .tool_threads = 0});
    EXPECT_TRUE(is_linear(200, [&](std::size_t n) {
        const auto session = std::make_shared<Session>(engine);
        EXPECT_TRUE(session->run("(defn f0 [] (iterate inc 1))").ok());
        for (std::size_t i = 1; i < n; ++i)
            EXPECT_TRUE(session
                            ->run("(defn f" + std::to_string(i) + " [] (f" + std::to_string(i - 1) +
                                  ")) "
                                  "(def g 1)")
                            .ok());
        return [session] { ASSERT_TRUE(session->compile("(+ 1 2)")); };
    }));
}

} // namespace
} // namespace ptc::test
