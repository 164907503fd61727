// The public API, one example a thing. Each is short enough to be copied. They include <ptc/ptc.h> as hosts do; what
// breaks here breaks the programs of hosts.
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <thread>

namespace ptc {
namespace {

TEST(EngineExample, RunsAProgramInAFreshSandbox) {
    const Engine engine;
    const Outcome outcome = engine.run("(reduce + (map #(* % %) (range 5)))");
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome.value, "30");
    EXPECT_GT(outcome.usage.fuel, 0);
    EXPECT_GT(outcome.usage.peak_heap_bytes, 0u);
}

TEST(ProgramExample, IsCompiledOnceAndRunManyTimes) {
    const Engine engine;
    const Compiled compiled = engine.compile("(count data/orders)");
    ASSERT_TRUE(compiled);
    const auto small = DataSet::from_json(R"({"orders": [1]})").value();
    const auto large = DataSet::from_json(R"({"orders": [1, 2, 3]})").value();
    EXPECT_EQ(engine.run(compiled.program, {.data = {small}}).value, "1");
    EXPECT_EQ(engine.run(compiled.program, {.data = {large}}).value, "3");
}

TEST(ProgramExample, ReportsAllErrorsWithPositions) {
    const Engine engine;
    const Compiled compiled = engine.compile("(prinln 1)\n(fiter odd? [1])");
    EXPECT_FALSE(compiled);
    ASSERT_EQ(compiled.diagnostics.error_count(), 2u);
    const Error& second = compiled.diagnostics.all()[1].error;
    EXPECT_EQ(reason_name(second.reason), "unbound_var");
    EXPECT_EQ(compiled.source.position(second.span.begin).line, 2u);
    EXPECT_NE((second.message + second.hint).find("filter"), std::string::npos);
}

// A text of a million letters takes longer than a millisecond to compile on any machine.
TEST(ProgramExample, IsCompiledWithinTheTimeLimit) {
    std::string text;
    while (text.size() < 1'000'000)
        text += "(defn f [x] (let [y (inc x)] (if y (map f [y]) {:a y})))\n";
    Limits limits;
    limits.timeout = std::chrono::milliseconds(1);
    const Engine engine;
    Session session(engine);
    const Outcome late = session.run(text, {.limits = limits});
    ASSERT_TRUE(late.error);
    EXPECT_EQ(late.error->reason, Reason::Timeout);
    EXPECT_EQ(session.run("(inc 1)").value, "2");
    const Compiled compiled = Engine({.limits = limits}).compile(text);
    EXPECT_FALSE(compiled);
    ASSERT_EQ(compiled.diagnostics.error_count(), 1u);
    EXPECT_EQ(compiled.diagnostics.all()[0].error.reason, Reason::Timeout);
}

TEST(ClockExample, AFixedTimeMakesRunsRepeatable) {
    const Engine engine({.clock_millis = [] { return std::int64_t{1'709'164'800'000}; }});
    EXPECT_EQ(engine.run("(str (LocalDate/now))").value, "\"2024-02-29\"");
    EXPECT_EQ(engine.run("(System/currentTimeMillis)").value, "1709164800000");
    EXPECT_EQ(engine.run("[(java.util.Date.) (Instant/now)]").value,
              "[\"2024-02-29T00:00:00Z\" \"2024-02-29T00:00:00Z\"]");
}

TEST(ClockExample, ARunMayHaveAClockOfItsOwn) {
    const Engine engine({.clock_millis = [] { return std::int64_t{0}; }});
    Session session(engine);
    std::int64_t ticks = 1000;
    EXPECT_EQ(session.run("[(currentTimeMillis) (currentTimeMillis)]", {.clock_millis = [&] { return ticks++; }}).value,
              "[1000 1001]");
    EXPECT_EQ(session.run("(currentTimeMillis)").value, "0") << "the engine's again";
}

TEST(ClockExample, AClockThatThrowsStandsStill) {
    const Engine engine;
    Session session(engine);
    int calls = 0;
    const Clock clock = [&]() -> std::int64_t {
        if (++calls > 1) throw std::runtime_error("no time");
        return 7;
    };
    EXPECT_EQ(session.run("[(currentTimeMillis) (currentTimeMillis)]", {.clock_millis = clock}).value, "[7 7]");
}

TEST(SessionExample, RemembersNamesAndResults) {
    const Engine engine;
    Session session(engine);
    EXPECT_EQ(session.run("(def threshold 10)").value, "#'threshold");
    EXPECT_EQ(session.run("(filter #(> % threshold) [5 15 25])").value, "[15 25]");
    EXPECT_EQ(session.run("(count *1)").value, "2");
    EXPECT_EQ(session.names(), std::vector<std::string>{"threshold"});
    EXPECT_EQ(session.value_text("threshold"), "10");
}

// Integers of a quarter of a million digits are made in no time and take a tenth of a second each to be written out.
TEST(Session, WhatAHostLooksAtIsBoundedUntilTheNextRun) {
    const Engine engine;
    Session session(engine);
    ASSERT_TRUE(session.run("(def n (loop [i 0 n 3] (if (< i 19) (recur (inc i) (* n n)) n))) (def small 7)").ok());
    EXPECT_TRUE(session.run("(def many (vec (repeat 20 n)))").ok());
    const auto many = session.value("many");
    ASSERT_FALSE(many.ok());
    EXPECT_EQ(many.error().reason, Reason::LimitExceeded);
    bool is_cut = false;
    (void)session.value_text("n", 1'000'000, &is_cut);
    EXPECT_TRUE(is_cut);
    ASSERT_TRUE(session.run("(def other (* 2 small))").ok());
    EXPECT_EQ(session.value("small").value(), Datum(7));
    EXPECT_EQ(session.value_text("other"), "14");
}

TEST(SessionExample, AFailedRunChangesNothing) {
    const Engine engine;
    Session session(engine);
    (void)session.run("(def x 1)");
    const Outcome failed = session.run("(def x 2) (+ 1 nil)");
    ASSERT_TRUE(failed.error);
    EXPECT_EQ(failed.error->reason, Reason::TypeError);
    EXPECT_EQ(session.run("x").value, "1");
}

TEST(SessionExample, AFunctionOfAnEarlierRunSeesARedefinedName) {
    const Engine engine;
    Session session(engine);
    (void)session.run("(defn rate [] 2) (defn price [x] (* x (rate)))");
    EXPECT_EQ(session.run("(price 10)").value, "20");
    (void)session.run("(defn rate [] 3)");
    EXPECT_EQ(session.run("(price 10)").value, "30");
}

TEST(LimitsExample, BoundARun) {
    const Engine engine;
    Limits limits;
    limits.fuel = 1'000;
    const Outcome outcome = engine.run("(loop [i 0] (recur (inc i)))", {.limits = limits});
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(reason_name(outcome.error->reason), "fuel_exhausted");
    EXPECT_EQ(engine.run("(+ 1 1)").value, "2");
}

TEST(LimitsExample, TheWallClockIsOneOfThem) {
    const Engine engine;
    Limits limits;
    limits.fuel = INT64_MAX;
    limits.timeout = std::chrono::milliseconds(20);
    const Outcome outcome = engine.run("(loop [i 0] (recur (inc i)))", {.limits = limits});
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::Timeout);
}

TEST(ToolExample, IsACallable) {
    EngineOptions options;
    options.tools.push_back({"search", "Finds products by a word.", "(query :string) -> [:string]",
                             [](const Datum& arguments) -> Result<Datum> {
                                 return Datum(Datum::List{Datum("lamp for " + *arguments.find("query")->text())});
                             }});
    const Engine engine(options);
    const Outcome outcome = engine.run(R"((first (tool/search {:query "desk"})))");
    EXPECT_EQ(outcome.value, "\"lamp for desk\"");
    ASSERT_EQ(outcome.tool_calls.size(), 1u);
    EXPECT_EQ(outcome.tool_calls[0].arguments_json, R"({"query":"desk"})");
}

TEST(ToolExample, AnExceptionIsAToolError) {
    EngineOptions options;
    options.tools.push_back(
        {"boom", "", "", [](const Datum&) -> Result<Datum> { throw std::runtime_error("out of paper"); }});
    const Engine engine(options);
    const Outcome outcome = engine.run("(tool/boom {})");
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::ToolError);
    EXPECT_NE(outcome.error->message.find("out of paper"), std::string::npos);
}

TEST(OutcomeExample, TellsReturnFromFail) {
    const Engine engine;
    EXPECT_EQ(engine.run("(return {:ok true})").kind_name(), "return");
    EXPECT_EQ(engine.run("(fail {:reason :not_found})").kind_name(), "fail");
    const Outcome json = engine.run("{:a [1 2.5 nil]}", {.want_json = true, .want_datum = true});
    EXPECT_EQ(json.json, R"({"a":[1,2.5,null]})");
    ASSERT_TRUE(json.datum);
    EXPECT_EQ(json.datum->find("a")->list()->size(), 3u);
}

TEST(OutcomeExample, HasEachNameOnceInItsJson) {
    const Engine engine;
    const RunOptions options{.want_json = true};
    EXPECT_EQ(engine.run("(group-by odd? (range 4))", options).json, R"({"false":[0,2],"true":[1,3]})");
    EXPECT_EQ(engine.run("(frequencies [1.5 -2 -2])", options).json, R"({"-2":2,"1.5":1})");
    EXPECT_FALSE(engine.run("[inc]", options).json);
    const Outcome both = engine.run("[(zipmap [:a \"a\"] [1 2])]", options);
    ASSERT_TRUE(both.error);
    EXPECT_EQ(both.error->reason, Reason::ValidationError);
    EXPECT_NE(both.error->message.find(":a and \"a\""), std::string::npos) << both.error->message;
    const Outcome tree = engine.run("(zipmap [:a \"a\"] [1 2])", {.want_datum = true});
    ASSERT_TRUE(tree.datum);
    EXPECT_EQ(tree.datum->to_json(), R"({":a":1,"a":2})");
}

TEST(SuspendedExample, TheHostAnswersWhenItLikes) {
    EngineOptions options;
    options.tools.push_back({"lookup", "", "", nullptr});
    const Engine engine(options);
    Session session(engine);
    const Compiled compiled = session.compile("(mapv (fn [id] (:name (tool/lookup {:id id}))) [7 8])");
    ASSERT_TRUE(compiled);
    RunState state = session.start(compiled.program);
    std::vector<std::int64_t> asked;
    // The session may move to another thread between two steps.
    while (auto* waiting = std::get_if<Suspended>(&state)) {
        std::int64_t id = 0;
        ASSERT_TRUE(waiting->calls.at(0).arguments.find("id")->to_int64(&id));
        asked.push_back(id);
        std::thread([&] { state = session.resume(Datum::object({{"name", Datum("n" + std::to_string(id))}})); }).join();
    }
    EXPECT_EQ(std::get<Outcome>(state).value, R"(["n7" "n8"])");
    EXPECT_EQ(asked, (std::vector<std::int64_t>{7, 8}));
}

TEST(SuspendedExample, MayBeGivenUp) {
    EngineOptions options;
    options.tools.push_back({"lookup", "", "", nullptr});
    const Engine engine(options);
    Session session(engine);
    const Compiled compiled = session.compile("(def x (tool/lookup {})) x");
    ASSERT_TRUE(compiled);
    ASSERT_TRUE(std::holds_alternative<Suspended>(session.start(compiled.program)));
    session.abandon();
    EXPECT_TRUE(session.names().empty());
    EXPECT_EQ(session.run("(+ 1 2)").value, "3");
}

TEST(DataSetExample, IsImportedOnce) {
    const auto data = DataSet::from_json("orders", R"([{"id": 1, "total": 9.5}, {"id": 2, "total": 0.5}])");
    ASSERT_TRUE(data.ok());
    const Engine engine;
    EXPECT_EQ(engine.run("(reduce + (map :total data/orders))", {.data = {data.value()}}).value, "10.0");
    const auto bad = DataSet::from_json("[1, 2");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().reason, Reason::InvalidJson);
}

TEST(DataSetExample, DatumsBecomeRecordsAsJsonDoes) {
    constexpr const char* kRows =
        R"({"rows": [{"price": 1, "name": "a", "id": 7}, {"id": 8, "name": "b", "price": 2}]})";
    const auto text = DataSet::from_json(kRows);
    const auto datum = DataSet::from_datum(Datum::from_json(kRows).value());
    ASSERT_TRUE(text.ok() && datum.ok());
    const Engine engine;
    constexpr const char* kProgram = "(reduce + (map #(+ (:id %) (:price %)) (map #(assoc % :name 1) data/rows)))";
    const Outcome of_text = engine.run(kProgram, {.data = {text.value()}});
    const Outcome of_datum = engine.run(kProgram, {.data = {datum.value()}});
    EXPECT_EQ(of_datum.value, "18");
    EXPECT_EQ(of_datum.value, of_text.value);
    // The same representation: the same work, and the same memory.
    EXPECT_EQ(of_datum.usage.fuel, of_text.usage.fuel);
    EXPECT_EQ(of_datum.usage.peak_heap_bytes, of_text.usage.peak_heap_bytes);
}

// The value of (return ..) or (fail ..) is made of its program's constants, and the session may be the last that has
// it.
TEST(SessionEnd, ReleasesTheResultBeforeTheProgram) {
    const Engine engine;
    for (const char* end : {"return", "fail"}) {
        Session session(engine);
        const RunState state = session.start("(" + std::string(end) + " {:a (count [1]) :b [(str 1 2)]})");
        ASSERT_TRUE(std::holds_alternative<Outcome>(state));
        EXPECT_EQ(std::get<Outcome>(state).value, "{:a 1 :b [\"12\"]}");
    }
}

TEST(Version, IsTheSameAsATextAndAsNumbers) {
    EXPECT_EQ(std::string(PTC_VERSION), std::to_string(PTC_VERSION_MAJOR) + "." + std::to_string(PTC_VERSION_MINOR) +
                                            "." + std::to_string(PTC_VERSION_PATCH));
}

// A full heap is given back when the time is over by whoever has time: the next run.
TEST(SessionEnd, ARunThatIsStoppedWithAFullHeapTakesNothingFromTheNext) {
    Session* running = nullptr;
    EngineOptions options;
    options.tools.push_back({.name = "stop", .function = [&running](const Datum&) -> Result<Datum> {
                                 running->interrupt();
                                 return Datum();
                             }});
    const Engine engine(options);
    Session session(engine);
    running = &session;
    ASSERT_TRUE(session.run("(def kept (mapv str (range 100)))").ok());
    const std::uint64_t peak = session.run("(count kept)").usage.peak_heap_bytes;
    for (const char* stopped :
         {"(let [v (mapv (fn [x] [x]) (range 200000))] (tool/stop {}) (loop [i 0] (if (< i 0) v (recur (inc i)))))",
          "(def v (mapv (fn [x] [x]) (range 200000))) (tool/stop {}) (loop [] (recur))",
          "(pmap (fn [n] (let [v (mapv vector (range n))] (tool/stop {}) (loop [i 0] (if (< i 0) v (recur (inc i)))))) "
          "[50000 60000])"}) {
        const Outcome outcome = session.run(stopped);
        ASSERT_TRUE(outcome.error && outcome.error->reason == Reason::Interrupted) << stopped;
        const Outcome next = session.run("(count kept)");
        EXPECT_EQ(next.value, "100");
        EXPECT_EQ(next.usage.peak_heap_bytes, peak) << stopped;
    }
}

} // namespace
} // namespace ptc
