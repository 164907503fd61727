// What the calls of a program gave that ends for want of room: what is kept of it, and what the model reads of the
// rest.
#include "subagent/agent/held_results.h"
#include "subagent/engine/boundary.h"
#include "tests/subagent/missions.h"
#include <ptc/mission.h>

namespace ptc {
namespace {

/// About 120 bytes a row.
Datum rows(int count) {
    Datum::List items;
    for (int i = 0; i < count; ++i)
        items.push_back(
            Datum::object({{"id", i},
                           {"region", "region " + std::to_string(i % 7)},
                           {"note", "a longer text of which there are many, of this row as of all others"}}));
    return Datum(std::move(items));
}

Tool pay() {
    return host_tool("pay", "() -> :int", [](const Datum&) { return Result<Datum>(Datum(7)); });
}
Tool search(std::string signature = "() -> [:map]") {
    return host_tool("search", std::move(signature), [](const Datum&) { return Result<Datum>(rows(5'000)); });
}
/// Page n has so many rows; page 1 fails.
Tool page(int count = 300) {
    return host_tool("page", "(n :int) -> [:map]", [count](const Datum& arguments) -> Result<Datum> {
        std::int64_t n = 0;
        (void)arguments.find("n")->to_int64(&n);
        if (n == 1) return Error(Reason::ToolError, "there is none");
        return rows(count);
    });
}

AgentOptions with(std::vector<AgentTool> tools) {
    AgentOptions options{.prompt = "x", .tools = std::move(tools)};
    options.limits.heap_bytes = 200'000;
    return options;
}

void expect_told(const Model& model, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_NE(model.last_message(2).find(part), std::string::npos) << part << "\nis not in\n"
                                                                       << model.last_message(2);
}

TEST(HeldResults, OneThatDoesNotFitItsSignatureLosesNoOther) {
    const Model model =
        programs({"(def id (tool/pay)) (tool/search)", "(return [data/pay-result data/search-result])"});
    const Step step = agent(with({pay(), search("() -> [{id :string}]")}))->run(model.llm());
    EXPECT_EQ(step.value.to_json(), "[7,null]") << reason_of(step);
    expect_told(model, {"What call 1 of 2 (pay) gave is data/pay-result from now on: :int.",
                        "What call 2 of 2 (search) gave is lost, though it was made: it does not fit the tool's "
                        "signature. What the program defined is not there."});
}

TEST(HeldResults, ThereIsRoomForSmallOnesFirst) {
    AgentOptions options = with({pay(), search()});
    options.tool_cache.bytes = 30'000;
    for (const char* program : {"(tool/pay) (tool/search)", "(pcalls #(tool/search) #(tool/pay))"}) {
        const Model model = programs({program, "(return data/pay-result)"});
        EXPECT_EQ(agent(options)->run(model.llm()).value, Datum(7)) << model.last_message(2);
    }
    const Model model = programs({"(tool/pay) (tool/search)", "(return 1)"});
    EXPECT_TRUE(agent(options)->run(model.llm()).ok);
    expect_told(model, {"What call 2 of 2 (search) gave is lost, though it was made: there is no room for it."});
}

TEST(HeldResults, WhereNothingIsKeptTheModelReadsWhichCallsWereMade) {
    AgentOptions options = with({search()});
    options.tool_cache.bytes = 100'000;
    const Model model = programs({"(tool/search)", "(return 1)"});
    EXPECT_TRUE(agent(options)->run(model.llm()).ok);
    expect_told(model, {"Ask the tool for less",
                        "What call 1 of 1 (search) gave is lost, though it was made: there is no room for it."});
    options.tool_cache.bytes = 0;
    const Model other = programs({"(tool/search)", "(return 1)"});
    EXPECT_TRUE(agent(options)->run(other.llm()).ok);
    expect_told(other, {"call 1 of 1 (search) gave is lost"});
}

TEST(HeldResults, AllNumbersOfCallsAreNamed) {
    AgentOptions options = with({pay(), page()});
    options.tool_cache.bytes = 60'000; // of one page
    const Model model = programs({"(tool/pay) (mapv #(tool/page {:n (+ 2 %)}) (range 10))",
                                  "(return [data/pay-result (count data/page-result)])"});
    EXPECT_EQ(agent(options)->run(model.llm()).value.to_json(), "[7,300]") << model.last_message(2);
    expect_told(model,
                {"What call 2 of 4 (page) gave is data/page-result",
                 "What calls 3 and 4 of 4 (page) gave is lost, though they were made: there is no room for it."});
}

TEST(HeldResults, NumbersAreShortWhereThereAreMany) {
    const std::vector<HeldCall> all(40, HeldCall{.tool = "page"});
    EXPECT_EQ(calls_text({0}, all), "call 1 of 40 (page)");
    EXPECT_EQ(calls_text({0, 2}, all), "calls 1 and 3 of 40 (page)");
    EXPECT_EQ(calls_text({0, 1, 4, 5, 6, 9}, all), "calls 1, 2, 5 to 7 and 10 of 40 (page)");
    EXPECT_EQ(calls_text({0, 2, 4, 6, 8, 10, 12, 14}, all), "calls 1, 3, 5, 7, 9, 11 and 2 more of 40 (page)");
}

TEST(HeldResults, WhichCallsFailedAndWhyIsSaid) {
    const Model model =
        programs({"(pmap (fn [n] (tool/page {:n n})) [3 1 2])", "(return (mapv count data/page-result))"});
    EXPECT_EQ(agent(with({page(2'000)}))->run(model.llm()).value.to_json(), "[2000,0,2000]") << model.last_message(2);
    expect_told(model, {"What calls 1 to 3 of 3 (page) gave is data/page-result", "with nil for one that failed",
                        "Call 2 of 3 (page) failed: there is none."});
    const Model many = programs({"(pmap (fn [n] (tool/page {:n n})) [3 1 1 1 1 1 2])", "(return 1)"});
    EXPECT_TRUE(agent(with({page(2'000)}))->run(many.llm()).ok);
    expect_told(many, {"Call 4 of 7 (page) failed: there is none. So did 2 more. "});
    EXPECT_EQ(many.last_message(2).find("Call 5 of 7"), std::string::npos);
}

TEST(HeldResults, WhyACallFailedIsBoundedAndHoldsNothingFirewalled) {
    AgentOptions options = with({search()});
    options.tools.emplace_back(host_tool("card", "() -> {_number :string}", [](const Datum&) {
        return Result<Datum>(Datum::object({{"_number", "4111-SECRET"}}));
    }));
    options.tools.emplace_back(host_tool("boom", "() -> :int", [](const Datum&) -> Result<Datum> {
        return Error(Reason::ToolError, "no account 4111-SECRET " + std::string(5'000, 'z'));
    }));
    const Model model = programs(
        {"(tool/card) (try (tool/boom) (catch Exception e 0)) (tool/search)", "(return (count data/search-result))"});
    EXPECT_EQ(agent(options)->run(model.llm()).value, Datum(5'000)) << model.last_message(2);
    expect_told(model, {"Call 2 of 3 (boom) failed: no account <Firewalled> zzz"});
    EXPECT_EQ(model.last_message(2).find("SECRET"), std::string::npos);
    EXPECT_LT(model.last_message(2).size(), 3'000U);
}

// ---- Checkpoints

TEST(HeldResults, AreInASnapshotOfAProgramThatWaits) {
    const AgentPtr made = agent(with({pay(), search()}));
    std::size_t tool_calls = 0;
    const Step step = run_by_saves(
        made, {"(def id (tool/pay)) (tool/search)", "(return [data/pay-result (count data/search-result)])"},
        [&](const ToolNeed&) { ++tool_calls; });
    EXPECT_EQ(step.value.to_json(), "[7,5000]") << reason_of(step);
    EXPECT_EQ(tool_calls, 2U);
}

// ---- What checking them may take

TEST(HeldResults, AreCheckedForTheFuelOfAProgramWhichTheTurnPays) {
    const Model model = programs({"(tool/search)", "(return (count data/search-result))"});
    const Step free = agent(with({search("() -> [:any]")}))->run(programs({"(tool/search)", "(return 1)"}).llm());
    const Step paid = agent(with({search("() -> [{id :int, region :string}]")}))->run(model.llm());
    EXPECT_EQ(paid.value, Datum(5'000)) << model.last_message(2);
    EXPECT_GT(paid.trace.at(0).fuel, free.trace.at(0).fuel + 5'000);
    EXPECT_EQ(paid.usage.fuel, paid.trace[0].fuel + paid.trace.at(1).fuel);
    AgentOptions options = with({pay(), search("() -> [{id :int, region :string}]")});
    options.limits.fuel = 5'000;
    const Model poor = programs({"(tool/pay) (tool/search)", "(return data/pay-result)"});
    EXPECT_EQ(agent(options)->run(poor.llm()).value, Datum(7)) << poor.last_message(2);
    expect_told(poor,
                {"What call 2 of 2 (search) gave is lost, though it was made: checking it by the tool's signature "
                 "takes too long."});
}

TEST(HeldResults, AreCheckedUntilTheDeadlineAndTheStop) {
    const SignaturePtr signature = compile_signature("() -> [{id :int}]").value();
    const Datum value = rows(20'000);
    const auto check = [&](Meter::Clock::time_point deadline, bool is_stopped) {
        const std::atomic<bool> interrupt = is_stopped;
        std::int64_t fuel = 1'000'000'000;
        const Result<bool> fits = fits_in_time(*signature, Direction::Output, value, {},
                                               {.deadline = deadline, .interrupt = &interrupt, .fuel = &fuel});
        return fits.ok() ? "ok" : std::string(reason_name(fits.error().reason));
    };
    const auto later = Meter::Clock::now() + std::chrono::hours(1);
    EXPECT_EQ(check(later, false), "ok");
    EXPECT_EQ(check(later, true), "interrupted");
    EXPECT_EQ(check(Meter::Clock::now(), false), "timeout");
}

// ---- Guards

TEST(HeldResults, PassTheGuardsOfWhatBecomesData) {
    const auto run = [](Verdict verdict, const std::vector<std::string>& parts) {
        AgentOptions options = with({pay(), search()});
        options.guards = {{.name = "g", .points = {GuardPoint::AfterProgram}, .check = [verdict](const Guarded& seen) {
                               return seen.value.find("search-result") ? verdict : Verdict::allow();
                           }}};
        const Model model = programs({"(tool/pay) (tool/search)", "(return [data/pay-result data/search-result])"});
        const Step step = agent(std::move(options))->run(model.llm());
        expect_told(model, parts);
        return step.value.to_json();
    };
    EXPECT_EQ(run(Verdict::refuse("No rows."), {"What call 2 of 2 (search) gave is lost, though it was made: The guard "
                                                "`g` refused this: No rows."}),
              "[7,null]");
    EXPECT_EQ(run(Verdict::ask("Rows?"), {"nobody can be asked here: Rows?"}), "[7,null]");
    EXPECT_EQ(run(Verdict::change(json(R"({"search-result": [1]})")), {"a list of 1, [:int]"}), "[7,[1]]");
    EXPECT_EQ(run(Verdict::change(Datum(1)), {"A guard at after_program leaves nothing of `search-result`."}),
              "[7,null]");
}

TEST(HeldResults, DefinitionsThatBecomeDataPassThemToo) {
    AgentOptions options{.prompt = "x", .tools = {search()}, .memory_limit = 10'000};
    options.guards = {{.name = "g", .points = {GuardPoint::AfterProgram}, .check = [](const Guarded& seen) {
                           return seen.value.find("rows") ? Verdict::refuse("No rows.") : Verdict::allow();
                       }}};
    const Model model = programs({"(def rows (tool/search)) (count rows)", "(return data/rows)"});
    const Step step = agent(std::move(options))->run(model.llm());
    EXPECT_EQ(step.value, Datum());
    EXPECT_EQ(step.trace.at(0).reason, "guard_refused");
    EXPECT_EQ(step.memory.to_json(), "{}");
    expect_told(model, {"No rows."});
}

TEST(HeldResults, AreWhatGuardsOfToolsLeave) {
    const auto run = [](Verdict verdict, const std::vector<std::string>& parts) {
        AgentOptions options = with({search()});
        options.guards = {{.name = "g", .points = {GuardPoint::AfterTool}, .check = [verdict](const Guarded& seen) {
                               return seen.value.list() ? verdict : Verdict::allow();
                           }}};
        const Model model = programs(
            {"(try (tool/search) (catch Exception e 0)) (vec (range 1000000))", "(return (count data/search-result))"});
        const Step step = agent(std::move(options))->run(model.llm());
        expect_told(model, parts);
        return step.value;
    };
    EXPECT_EQ(run(Verdict::change(rows(4'000)), {"a list of 4000"}), Datum(4'000));
    EXPECT_EQ(run(Verdict::refuse("No rows."), {"Call 1 of 1 (search) failed: The guard `g` refused this: No rows."}),
              Datum(0));
    EXPECT_EQ(run(Verdict::ask("Rows?"), {"Call 1 of 1 (search) failed: The guard `g` wants a person to decide, and "
                                          "nobody can be asked here: Rows?"}),
              Datum(0));
}

} // namespace
} // namespace ptc
