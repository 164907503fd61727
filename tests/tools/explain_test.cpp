// What `ptcc explain` claims, against what programs do when they run: effects, functions, and bounds of fuel that must
// hold and must not be far too high. All conformance rows are explained and run.
#include "compiler/bounds/effects.h"
#include "runtime/builtin.h"
#include "subagent/engine/known_data.h"
#include "tests/support/corpus.h"
#include "tools/evaluation.h"
#include "tools/test_tools.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

bool has_effect(const Effects& effects, EffectKind kind, std::string_view name = "") {
    return std::any_of(effects.sites.begin(), effects.sites.end(), [&](const EffectSite& site) {
        return site.kind == kind && (name.empty() || site.name == name);
    });
}

/// A program that has been explained, and what a run of it did.
struct Explained {
    Effects effects;
    FuelBound bound;      ///< with nothing known of data
    FuelBound data_bound; ///< with the data that it was given
    Outcome outcome;
};

class Explain : public ::testing::Test {
protected:
    /// Nothing when it does not compile, or needs a session's memory.
    std::optional<Explained> explain(const Evaluation& evaluation) {
        Session session(engine);
        for (const Datum& value : evaluation.history) {
            if (!session.push_history(value).ok()) return std::nullopt;
        }
        const Compiled compiled = session.compile(evaluation.source);
        if (!compiled) return std::nullopt;
        const auto known = known_data(evaluation.options.data);
        Explained result{effects_of(*compiled.program), fuel_bound(*compiled.program, {}, max_steps), {}, {}};
        result.data_bound = known.empty() ? result.bound : fuel_bound(*compiled.program, known, max_steps);
        RunOptions options = evaluation.options;
        options.want_json = options.want_datum = true;
        options.limits = Limits{.fuel = 2'000'000};
        result.outcome = session.run(compiled.program, options);
        return result;
    }

    std::optional<Explained> explain(std::string source) {
        Evaluation evaluation;
        evaluation.source = std::move(source);
        return explain(evaluation);
    }

    void expect_sound(const Explained& explained, const std::string& name) {
        const Outcome& outcome = explained.outcome;
        for (const FuelBound* bound : {&explained.bound, &explained.data_bound}) {
            if (!bound->units) {
                EXPECT_NE(bound->why, "") << name;
                continue;
            }
            EXPECT_GE(*bound->units, outcome.usage.fuel) << name;
            EXPECT_LT(*bound->units, INT64_MAX / 2) << name;
        }
        for (const ToolRecord& call : outcome.tool_calls)
            EXPECT_TRUE(has_effect(explained.effects, EffectKind::Tool, call.name)) << name << ": " << call.name;
        for (const std::string& defined : outcome.changed_names)
            EXPECT_TRUE(has_effect(explained.effects, EffectKind::Define, defined)) << name << ": " << defined;
        EXPECT_TRUE(outcome.prints.empty() || has_effect(explained.effects, EffectKind::Print)) << name;
    }

    std::size_t max_steps = 400'000;
    Engine engine{{.tools = test_tools()}};
};

std::string places(const Effects& effects, EffectKind kind) {
    std::string text;
    for (const EffectSite& site : effects.sites) {
        if (site.kind == kind) text += (text.empty() ? "" : " ") + site.name + "@" + std::to_string(site.span.begin);
    }
    return text;
}

TEST_F(Explain, EffectsAreFoundWhereverTheyAre) {
    const auto found = explain(R"((def f (fn [x] (tool/echo {:a x})))
(map (fn [y] (println y) (f data/n)) [1])
(when *1 (call "add" {:x 1 :y 2}) (memory/put :m 1))
[prn {:now #(Instant/now)}] data/a-b f)");
    ASSERT_TRUE(found);
    EXPECT_EQ(places(found->effects, EffectKind::Tool), "echo@15 add@87");
    EXPECT_EQ(places(found->effects, EffectKind::Data), "n@64 a-b@159");
    EXPECT_EQ(places(found->effects, EffectKind::Print), "println@49 prn@132");
    EXPECT_EQ(places(found->effects, EffectKind::History), "*1@84");
    EXPECT_EQ(places(found->effects, EffectKind::Define), "f@0 m@112");
    EXPECT_EQ(places(found->effects, EffectKind::Time), "Instant/now@142");
    EXPECT_EQ(places(found->effects, EffectKind::Memory), "f@168");
}

TEST_F(Explain, FunctionsAreListedWithTheNumberOfTheirArguments) {
    const auto found = explain("(defn f [a b] a) (def g (fn [& more] more)) (def x 1) (defn h [] 1)");
    ASSERT_TRUE(found);
    ASSERT_EQ(found->effects.functions.size(), 3u);
    EXPECT_EQ(found->effects.functions[0].name, "f");
    EXPECT_EQ(found->effects.functions[0].most_arguments, 2u);
    EXPECT_EQ(found->effects.functions[1].least_arguments, 0u);
    EXPECT_FALSE(found->effects.functions[1].most_arguments);
    EXPECT_EQ(found->effects.functions[2].span.begin, 54u);
}

// A builtin that is not pure, because of the world or because it only raises an error, must be listed here and found.
TEST_F(Explain, EveryImpureBuiltinHasItsKind) {
    const std::map<std::string_view, EffectKind> kinds = {
        {"println", EffectKind::Print},
        {"prn", EffectKind::Print},
        {"print", EffectKind::Print},
        {"pprint", EffectKind::Print},
        {"pr", EffectKind::Print},
        {"newline", EffectKind::Print},
        {"begin-capture%", EffectKind::Print},
        {"end-capture%", EffectKind::Print},
        {"System/currentTimeMillis", EffectKind::Time},
        {"System/nanoTime", EffectKind::Time},
        {"Math/random", EffectKind::Time},
        {"currentTimeMillis", EffectKind::Time},
        {"LocalDate/now", EffectKind::Time},
        {"Instant/now", EffectKind::Time},
        {"LocalDateTime/now", EffectKind::Time},
        {"LocalTime/now", EffectKind::Time},
        {"YearMonth/now", EffectKind::Time},
        {"ZonedDateTime/now", EffectKind::Time},
        {"java.util.Date.", EffectKind::Time},
        {"budget/remaining", EffectKind::Mission},
        {"step-done", EffectKind::Mission},
        {"task-reset", EffectKind::Mission},
        {"task-kept?%", EffectKind::Mission},
        {"task-value%", EffectKind::Mission},
        {"task-keep%", EffectKind::Mission},
        {"task-return%", EffectKind::Mission},
        {"refuse%", EffectKind::None},
    };
    for (const Builtin* row : all_builtins()) {
        const auto kind = kinds.find(row->name);
        EXPECT_EQ(kind == kinds.end(), row->effect == SideEffect::None) << row->name;
        EXPECT_EQ(builtin_effect(*row), kind == kinds.end() ? EffectKind::None : kind->second) << row->name;
    }
}

/// The bound's reason and what it is about, or "" when there is a bound that is not more than `times` too high.
std::string reason(const std::optional<Explained>& explained, const std::string& source, double times) {
    if (!explained) return "does not compile";
    const FuelBound& bound = explained->bound;
    if (!bound.units) return source.substr(bound.span.begin, bound.span.size()) + ": " + bound.why;
    const auto used = static_cast<double>(explained->outcome.usage.fuel);
    return static_cast<double>(*bound.units) <= times * used ? "" : "too high: " + std::to_string(*bound.units);
}

TEST_F(Explain, BoundsOfWhatNeedsNoDataAreClose) {
    for (const char* source : {
             "1",
             "(+ 1 2)",
             "(if data/x 1 2)",
             "(reduce + (range 1000))",
             "(loop [i 0 acc 0] (if (< i 500) (recur (inc i) (+ acc i)) acc))",
             "(defn fact [n] (if (< n 2) 1 (* n (fact (dec n))))) (fact 15)",
             "(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 12)",
             "(map (fn [x] (* x x)) (filter even? (range 200)))",
             "(let [[a b] [1 2] {:keys [c]} {:c 3}] (+ a b c))",
             "(loop [n 1000 steps 0] (if (= n 0) steps (recur (quot n 2) (inc steps))))",
             "(take 3 (sort [3 1 2]))",
             "(case :b :a 1 :b (do (println \"x\") 2) 3)",
             "(apply max (map inc [1 2 3]))",
             "(if (keyword? (type (or data/x 1))) (sum (vec (range 20000))) 1)",
         }) {
        EXPECT_EQ(reason(explain(source), source, 8), "") << source;
    }
}

TEST_F(Explain, WhatHasNoBoundSaysWhere) {
    const std::pair<const char*, const char*> cases[] = {
        {"(map inc data/xs)", "(map inc data/xs): `map` goes through `data/xs`, whose size is not known"},
        {"(->> data/xs (filter :a) count)", "(filter :a): `filter` goes through `data/xs`, whose size is not known"},
        {"(count data/xs)", "(count data/xs): `count` works on `data/xs`, whose size is not known"},
        {"(+ 1 data/n)", "(+ 1 data/n): this calculates with numbers from `data/n`, whose size is not known"},
        {"data/x", "data/x: the result may hold `data/x`, whose size is not known"},
        {"(get *1 :a)", "(get *1 :a): `get` works on an earlier result, whose size is not known"},
        {"(tool/echo {})", "(tool/echo {}): how much the tool `echo` answers is not known"},
        {"(loop [] (recur))", "(recur): nothing that is known ends this loop"},
        {"(loop [i 0] (if data/x i (recur i)))", "(recur i): nothing that is known ends this loop"},
        {"(defn f [x] (inc (f x))) (f 1)", "(f x): `f` calls itself, and nothing that is known ends that"},
        {"(loop [i 0] (if data/x i (recur (inc i))))",
         "(recur (inc i)): the search for a bound ends here, after 400000 steps"},
        {"(let [s (if data/x \"a\" \"b\")] (re-find #\"a+\" s))",
         "(re-find #\"a+\" s): what `re-find` costs depends on more than the sizes of its arguments"},
        {"(let [f (if data/x inc dec)] (f 1))", "(f 1): which function is called here is not known"},
        {"(defn f [] 1) (defn f [] 2) (f)", "(f): which function is called here is not known"},
    };
    for (const auto& [source, expected] : cases)
        EXPECT_EQ(reason(explain(source), source, 1), expected) << source;
}

TEST_F(Explain, KnownDataGivesBounds) {
    Evaluation evaluation;
    evaluation.source = "(reduce + (map :amount (filter #(= (:status %) \"paid\") data/orders)))";
    evaluation.options.data.push_back(
        DataSet::from_json("orders", R"([{"status": "paid", "amount": 1}, {"status": "open", "amount": 2}])").value());
    const auto explained = explain(evaluation);
    ASSERT_TRUE(explained && explained->data_bound.units);
    EXPECT_LE(*explained->data_bound.units, 8 * explained->outcome.usage.fuel);
}

// Sharing makes values that are small in memory and endless to go through.
TEST_F(Explain, SharedPartsCountEachTime) {
    const auto explained = explain("(count (reduce (fn [v _] [v v]) [1] (range 30)))");
    ASSERT_TRUE(explained && explained->bound.units);
    expect_sound(*explained, "doubling");
    EXPECT_FALSE(explain("(str (reduce (fn [v _] [v v]) [1] (range 60)))")->bound.units);
}

TEST_F(Explain, HoldsForEveryConformanceRow) {
    max_steps = 50'000; // the rest of the programs take long, and have no bound either
    std::size_t bounded = 0, bounded_by_data = 0, all = 0;
    for (const Datum& row : test::conformance_rows(PTC_TEST_DATA)) {
        const Result<Evaluation> evaluation = read_evaluation(row, Limits{});
        if (!evaluation.ok() || !evaluation.value().memory.empty()) continue;
        const auto explained = explain(evaluation.value());
        if (!explained) continue;
        expect_sound(*explained, row.find("id")->to_json() + " " + evaluation.value().source);
        ++all;
        bounded += explained->bound.units.has_value();
        bounded_by_data += explained->data_bound.units.has_value();
    }
    RecordProperty("programs", static_cast<int>(all));
    RecordProperty("bounded", static_cast<int>(bounded));
    EXPECT_GT(bounded, all * 7 / 10);
    EXPECT_GT(bounded_by_data, all * 85 / 100);
}

// A branch that is taken although it was thought dead costs more than any bound.
TEST_F(Explain, KnowsEveryKindOfValueThatARowGives) {
    max_steps = 50'000;
    const std::string work = "(sum (vec (range 20000)))";
    std::string choice = "(cond";
    for (const char* kind : {"nil?", "true?", "false?", "int?", "float?", "string?", "keyword?", "vector?", "map?",
                             "set?", "fn?", "coll?"})
        choice += " (" + std::string(kind) + " x) " + work;
    std::size_t all = 0;
    for (const Datum& row : test::conformance_rows(PTC_TEST_DATA)) {
        Result<Evaluation> evaluation = read_evaluation(row, Limits{});
        if (!evaluation.ok() || !evaluation.value().memory.empty()) continue;
        std::string& source = evaluation.value().source;
        source = "(let [x (do " + source + "\n)] " + choice + " :else 1))";
        const auto explained = explain(evaluation.value());
        if (!explained) continue;
        expect_sound(*explained, row.find("id")->to_json() + " " + source);
        ++all;
    }
    EXPECT_GT(all, 3'000U);
}

TEST_F(Explain, HoldsForEveryProgramThatHasAFile) {
    max_steps = 50'000;
    for (const test::CorpusProgram& program : test::program_files(PTC_TEST_DATA)) {
        if (const auto explained = explain(program.text)) expect_sound(*explained, program.name + ":\n" + program.text);
    }
}

} // namespace
} // namespace ptc
