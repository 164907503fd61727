// The limits matrix of what models write: every limit of a run in each way in which a mission runs a program, and the
// limits of the agent layer. The edge is the least with which a program works as a turn; with one less the turn ends
// with the limit's own reason, the mission goes on, and its next turn costs what it costs behind any other.
// run_limits_test.cpp has the limits of runs, text_limits_test.cpp those of what is read and written.
#include "ptc/mission.h"
#include "tests/subagent/missions.h"
#include "tests/support/edges.h"
#include <chrono>
#include <deque>
#include <ostream>

namespace ptc {
namespace {

using test::end_of, test::expect_edges, test::least_that_works, test::times;
std::string end_of(const Step& step) { return reason_of(step); }

// ---- Programs of turns

constexpr const char* kNext = "(return (reduce + (map inc (range 100))))";

/// How turns of the agent `worker` ended.
struct TurnEnd {
    std::string reason; ///< "ok" if it did well
    std::int64_t fuel;
    std::uint64_t peak_heap_bytes;
    friend bool operator==(const TurnEnd&, const TurnEnd&) = default;
    friend std::ostream& operator<<(std::ostream& out, const TurnEnd& end) {
        return out << end.reason << " for " << end.fuel << " units and " << end.peak_heap_bytes << " bytes";
    }
};

/// A way in which a mission runs a program.
struct Way {
    const char* name;
    AgentOutput output = AgentOutput::PtcLisp;
    Transport transport = Transport::Content;
    bool is_called = false;   ///< by another agent's program
    bool is_restored = false; ///< from its bytes, before each answer
};

constexpr Way kWays[] = {
    {.name = "a turn"},
    {.name = "a call of lisp_eval", .transport = Transport::ToolCall},
    {.name = "a program beside an answer", .output = AgentOutput::Text, .transport = Transport::ToolCall},
    {.name = "a turn of an agent that is called", .is_called = true},
    {.name = "a turn of a restored mission", .is_restored = true},
};

LlmReply reply_of(const Way& way, const std::string& program) {
    if (way.transport == Transport::Content) return {.text = fenced(program)};
    if (program.empty()) return {.text = "Done."};
    LlmReply reply;
    reply.tool_calls = {{"c", "lisp_eval", Datum::object({{"program", program}})}};
    return reply;
}

AgentPtr worker(const Way& way, const Limits& limits) {
    AgentTool echo(Tool{.name = "echo", .function = [](const Datum& given) -> Result<Datum> { return given; }});
    echo.expose = Exposure::PtcLisp;
    return agent({.name = "worker",
                  .prompt = "x",
                  .tools = {echo},
                  .timeout = std::chrono::hours(1),
                  .mission_timeout = {},
                  .limits = limits,
                  .output = way.output,
                  .transport = way.transport});
}

/// Runs it to the end; before each round of answers it goes on from its bytes.
void run_in_steps(const AgentPtr& made, const MissionOptions& options) {
    auto mission = std::make_unique<Mission>(made, options);
    mission->start();
    while (!mission->is_done()) {
        auto restored = made->restore(mission->save().value(), options);
        ASSERT_TRUE(restored.ok()) << restored.error().message;
        mission = std::move(restored).value();
        const Needs needs = mission->take_needs();
        ASSERT_FALSE(needs.empty());
        for (const LlmNeed& need : needs.llm)
            mission->answer(need.id, (*need.model)(need.request));
        for (const ToolNeed& need : needs.tools)
            mission->answer(need.id, call_tool(need));
    }
}

/// The turns of a mission whose first program is `program`, and whose next one is an ordinary one.
std::vector<TurnEnd> turns_of(const Way& way, const std::string& program, const Limits& limits) {
    std::vector<TurnEnd> ends;
    std::deque<std::string> texts = {program, kNext};
    MissionOptions options;
    options.model = ModelRef(Llm([&](const LlmRequest& request) -> LlmResult {
        if (request.agent != "worker") return LlmReply{.text = fenced("(return (tool/work {}))")};
        const std::string text = texts.empty() ? "" : texts.front();
        if (!texts.empty()) texts.pop_front();
        return reply_of(way, text);
    }));
    options.on_event = [&](const MissionEvent& event) {
        if (event.kind != MissionEvent::Kind::TurnStop || event.agent != "worker" || !event.record->program) return;
        ends.push_back({event.ok ? "ok" : event.reason, event.record->fuel, event.record->peak_heap_bytes});
    };
    const AgentPtr made = worker(way, limits);
    if (way.is_called) {
        AgentOptions caller{.name = "caller", .prompt = "x", .timeout = std::chrono::hours(1), .mission_timeout = {}};
        caller.tools = {made->as_tool("work")};
        (void)agent(caller)->run(options);
    } else if (way.is_restored) {
        run_in_steps(made, options);
    } else {
        (void)made->run(options);
    }
    return ends;
}

struct RunLimit {
    const char* name;
    const char* program;
    void (*set)(Limits& limits, std::uint64_t value);
    const char* reason; ///< of the turn
};

const RunLimit kRunLimits[] = {
    {"fuel", "(count (vec (map inc (range 3000))))",
     [](Limits& limits, std::uint64_t n) { limits.fuel = static_cast<std::int64_t>(n); }, "timeout"},
    {"heap", "(count (vec (range 30000)))", [](Limits& limits, std::uint64_t n) { limits.heap_bytes = n; },
     "memory_exceeded"},
    {"depth", "((fn f [n] (if (= n 0) 0 (inc (f (dec n))))) 50)",
     [](Limits& limits, std::uint64_t n) { limits.max_depth = static_cast<std::uint32_t>(n); }, "eval_error"},
    {"loop iterations", "(loop [i 0] (if (< i 200) (recur (inc i)) i))",
     [](Limits& limits, std::uint64_t n) { limits.max_loop_iterations = n; }, "timeout"},
    {"tool calls", "(count (mapv (fn [i] (tool/echo {:x i})) (range 5)))",
     [](Limits& limits, std::uint64_t n) { limits.max_tool_calls = static_cast<std::uint32_t>(n); }, "eval_error"},
    {"digits", "(count (str (bigint (apply str (repeat 30 \"9\")))))",
     [](Limits& limits, std::uint64_t n) { limits.max_digits = static_cast<std::uint32_t>(n); }, "eval_error"},
    {"printed bytes", "(dotimes [i 10] (println \"123456789\"))",
     [](Limits& limits, std::uint64_t n) { limits.max_print_bytes = n; }, "eval_error"},
    {"result bytes", "(vec (range 1000))", [](Limits& limits, std::uint64_t n) { limits.max_result_bytes = n; },
     "eval_error"},
    {"source bytes", "(+ 1                                               2)",
     [](Limits& limits, std::uint64_t n) { limits.max_source_bytes = static_cast<std::uint32_t>(n); }, "parse_error"},
    {"nesting", "(count [[[[[[[[1]]]]]]]])",
     [](Limits& limits, std::uint64_t n) { limits.max_nesting = static_cast<std::uint32_t>(n); }, "parse_error"},
    {"names", "(def a 1) (def b 2) (def c 3) (def d 4) (def e 5) (def f 6) 1",
     [](Limits& limits, std::uint64_t n) { limits.max_symbols = static_cast<std::uint32_t>(n); }, "analysis_error"},
    {"constants", "(count [\"a\" \"b\" \"c\" \"d\" \"e\" \"f\" \"g\" \"h\" \"i\"])",
     [](Limits& limits, std::uint64_t n) { limits.max_constants = static_cast<std::uint32_t>(n); }, "analysis_error"},
};

TEST(MissionLimits, OfProgramsOfTurns) {
    for (const Way& way : kWays) {
        const std::vector<TurnEnd> usual = turns_of(way, "1", Limits());
        ASSERT_EQ(usual.size(), 2u) << way.name;
        for (const RunLimit& limit : kRunLimits) {
            SCOPED_TRACE(std::string(way.name) + ": " + limit.name);
            const auto with = [&](std::uint64_t value) {
                Limits limits;
                limit.set(limits, value);
                return turns_of(way, limit.program, limits);
            };
            const std::uint64_t most = least_that_works([&](std::uint64_t n) { return with(n).at(0).reason; });
            const std::vector<TurnEnd> edge = with(most), beyond = with(most - 1);
            EXPECT_EQ(beyond.at(0).reason, limit.reason) << most;
            // The next turn costs what it costs behind the same program that failed for a reason of its own.
            const std::string failing = "(do " + std::string(limit.program) + " (+ 1 :a))";
            EXPECT_EQ(beyond.at(1), turns_of(way, failing, Limits()).at(1));
            EXPECT_EQ(edge.at(1).reason, "ok");
        }
    }
}

// ---- Limits of the agent layer

/// Of the last turn that failed.
std::string last_reason(const Step& step) {
    std::string reason = end_of(step);
    for (const Turn& turn : step.trace)
        if (!turn.ok) reason = turn.reason;
    return reason;
}

std::string numbers(std::size_t n, const std::string& each) {
    return "(doseq [i (range " + std::to_string(n) + ")] " + each + ")";
}

TEST(MissionLimits, OfAgents) {
    const auto depth = [](std::size_t n) {
        Result<AgentPtr> made = Agent::create({.prompt = "x", .max_depth = static_cast<unsigned>(n)});
        return end_of(made);
    };
    const auto levels = [](std::size_t n) { // each calls the next one
        const Llm model = [n](const LlmRequest& request) -> LlmResult {
            return LlmReply{.text = fenced(request.depth < n ? "(return (tool/again {}))" : "(return 1)")};
        };
        return last_reason(
            agent({.prompt = "x", .tools = {AgentTool::self("again")}, .max_turns = 1, .max_depth = 4})->run(model));
    };
    const auto failures = [](std::size_t n) {
        std::vector<std::string> texts(n, "(oops)");
        texts.emplace_back("(return 1)");
        return end_of(
            agent({.prompt = "x", .max_turns = 9, .max_consecutive_failures = 4})->run(programs(texts).llm()));
    };
    const auto retries = [](std::size_t n) {
        std::vector<std::string> texts(n, "(return {:n \"a\"})");
        texts.emplace_back("(return {:n 1})");
        return end_of(agent({.prompt = "x", .signature = "{n :int}", .max_turns = 1, .retry_turns = 3})
                          ->run(programs(texts).llm()));
    };
    const auto quarters = [](std::size_t n) {
        std::vector<LlmResult> replies(n, LlmReply{.text = fenced("1"), .usage = {.cost_usd = 0.25}});
        replies.emplace_back(LlmReply{.text = fenced("(return 1)")});
        return end_of(agent({.prompt = "x", .max_turns = 9, .max_cost_usd = 1})->run(Model(replies).llm()));
    };
    const auto calls = [](std::size_t n) { // in one reply
        LlmReply reply;
        for (std::size_t i = 0; i < n; ++i)
            reply.tool_calls.push_back({"c" + std::to_string(i), "id", Datum::object({})});
        const Model model(std::vector<LlmResult>{reply, LlmReply{.text = "Done."}});
        AgentTool id(host_tool("id", "() -> :int", [](const Datum&) -> Result<Datum> { return Datum(1); }));
        const AgentOptions options{.prompt = "x", .tools = {id}, .max_tool_calls = 5, .output = AgentOutput::Text};
        const Step step = agent(options)->run(model.llm());
        std::size_t refused = 0;
        for (const Message& message : model.seen->requests.back().messages)
            refused += message.role == Message::Role::Tool && message.is_error ? 1u : 0u;
        return refused == 0 ? end_of(step) : std::to_string(refused) + " refused";
    };
    expect_edges({
        {"Agent::create", "levels of agents", 32, "invalid_request", depth},
        {"a mission", "levels of agents", 4, "tool_error", levels},
        {"a mission", "failures in a row", 3, "consecutive_failures_exceeded", failures},
        {"a mission", "turns for a result that does not fit", 3, "validation_error", retries},
        {"a mission", "money", 4, "budget_callback_exceeded", quarters},
        {"a mission", "native calls of tools", 5, "1 refused", calls},
    });
}

TEST(MissionLimits, OfJournals) {
    const auto journal = [](std::optional<std::uint64_t> bytes, const std::string& program) {
        AgentOptions options{.prompt = "x", .max_turns = 2, .memory_limit = bytes, .journaling = true};
        options.limits.timeout = {};
        const Step step = agent(options)->run(programs({program, "(return 1)"}).llm());
        EXPECT_TRUE(step.ok) << reason_of(step); // the next turn works
        return step.trace.at(0).ok ? "ok" : step.trace.at(0).reason;
    };
    const auto given = [](const Datum& tasks, const Datum& steps) {
        MissionOptions options;
        options.model = ModelRef(programs({"(return 1)"}).llm());
        options.tasks = tasks;
        options.done_steps = steps;
        return end_of(agent({.prompt = "x", .journaling = true})->run(options));
    };
    const auto many = [](std::size_t n) {
        Datum::Map map;
        for (std::size_t i = 0; i < n; ++i)
            map.emplace_back(Datum("id" + std::to_string(i)), Datum("text"));
        return Datum(std::move(map));
    };
    expect_edges({
        {"a task", "bytes of its id", 1000, "eval_error",
         [&](std::size_t n) { return journal({}, "(task (apply str (repeat " + std::to_string(n) + " \"i\")) 1)"); }},
        {"a journal", "tasks", 10'000, "eval_error",
         [&](std::size_t n) { return journal({}, numbers(n, "(task i 1)")); }},
        {"a journal", "bytes", 1000, "eval_error", // a text takes three more, its id one
         [&](std::size_t n) {
             return journal(1000, "(task \"a\" (apply str (repeat " + std::to_string(n - 4) + " \"x\"))) 1");
         }},
        {"a mission", "steps that are done", 1000, "invalid_request",
         [&](std::size_t n) { return given(Datum(), many(n)); }},
        {"a mission", "tasks that were done", 10'000, "memory_exceeded",
         [&](std::size_t n) { return given(many(n), Datum()); }},
    });
}

TEST(MissionLimits, OfAttachments) {
    const auto attached = [](std::vector<Attachment> all) {
        MissionOptions options;
        options.model = ModelRef(programs({"(return 1)"}).llm());
        options.attachments = std::move(all);
        return end_of(agent({.prompt = "x"})->run(options));
    };
    expect_edges({
        {"a mission", "bytes of an attachment", Attachment::kMaxBytes, "invalid_request",
         [&](std::size_t n) { return attached({Attachment::file(std::string(n, 'a'), "text/plain")}); }},
        {"a mission", "attachments", Attachment::kMaxCount, "invalid_request",
         [&](std::size_t n) { return attached(std::vector<Attachment>(n, Attachment::file("text", "text/plain"))); }},
        {"a mission", "bytes of all attachments", Attachment::kMaxTotalBytes, "invalid_request",
         [&](std::size_t n) {
             std::vector<Attachment> all(3, Attachment::file(std::string(20u << 20, 'a'), "text/plain"));
             all.push_back(Attachment::file(std::string(n - (60u << 20), 'a'), "text/plain"));
             return attached(std::move(all));
         }},
    });
}

TEST(MissionLimits, OfApprovals) {
    std::string denied;
    const auto asked = [&denied](const std::string& program, const std::string& reason) {
        Tool pay = host_tool("pay", "() -> :int", [](const Datum&) -> Result<Datum> { return Datum(1); });
        pay.approval = true;
        const Tool look = host_tool("look", "() -> :int", [](const Datum&) -> Result<Datum> { return Datum(1); });
        std::optional<ApprovalRequest> request;
        MissionOptions options;
        options.model = ModelRef(programs({program, "(return 1)"}).llm());
        options.approve = [&](const ApprovalRequest& one) {
            request = one;
            return std::optional(ApprovalAnswer::deny(reason));
        };
        const Step step = agent({.prompt = "x", .tools = {pay, look}})->run(options);
        EXPECT_TRUE(step.ok);
        denied = step.trace.at(0).message;
        EXPECT_TRUE(request.has_value());
        return request.value_or(ApprovalRequest());
    };
    const auto program = [&](std::size_t n) {
        const std::string call = "(tool/pay {})", text = call + std::string(n - call.size() - 1, ' ') + "1";
        return asked(text, "no").program == text ? "ok" : "cut";
    };
    const auto done = [&](std::size_t n) {
        const ApprovalRequest request =
            asked("(dotimes [_ " + std::to_string(n) + "] (tool/look {})) (tool/pay {})", "");
        EXPECT_EQ(request.done.size() + request.done_before, n);
        return request.done_before == 0 ? "ok" : "cut";
    };
    const auto reason = [&](std::size_t n) {
        (void)asked("(tool/pay {})", std::string(n, 'r'));
        return denied.find(std::string(n, 'r')) == std::string::npos ? "cut" : "ok";
    };
    expect_edges({
        {"a request for approval", "bytes of the program", ApprovalRequest::kMaxProgram, "cut", program},
        {"a request for approval", "calls before it", ApprovalRequest::kMostDone, "cut", done},
        {"an answer", "bytes of the reason", ApprovalAnswer::kMaxReason, "cut", reason},
    });
}

// What compaction has cut is told as far as it is kept.
TEST(MissionLimits, OfTheJournalOfWhatWasCut) {
    const auto cut = [](std::size_t n) { // turns that are over: two stay
        AgentOptions options{.prompt = "x", .max_turns = n + 9, .mission_timeout = {}, .turn_budget = n + 9};
        options.compaction = Compaction{.trigger_turns = 2, .keep_recent_turns = 2};
        const Llm model = [n](const LlmRequest& request) -> LlmResult {
            return LlmReply{.text = fenced(request.turn < n + 3 ? "1" : "(return 1)")};
        };
        const Step step = agent(options)->run(model);
        EXPECT_TRUE(step.ok) << reason_of(step);
        EXPECT_LE(step.journal.size(), Step::kMostJournal);
        return step.journal.front().turn == 1 ? "ok" : "cut";
    };
    expect_edges({{"a mission", "turns that were cut", Step::kMostJournal, "cut", cut}});
}

TEST(MissionLimits, OfTheSearchForTools) {
    std::vector<AgentTool> tools;
    for (int i = 0; i < 120; ++i)
        tools.emplace_back(host_tool("look" + std::to_string(i), "() -> :int",
                                     [](const Datum&) -> Result<Datum> { return Datum(1); }));
    const AgentPtr made = agent({.prompt = "x", .tools = tools, .builtin_tools = {"tool_search"}, .max_turns = 2});
    const auto found = [&](std::size_t n) {
        const Step step = made->run(
            programs({"(count (tool/search_tools {:query \"look\" :limit " + std::to_string(n) + "}))", "(return *1)"})
                .llm());
        return step.ok && step.value == Datum(static_cast<std::int64_t>(n)) ? "ok" : step.trace.at(0).reason;
    };
    expect_edges({{"search_tools", "tools that are found", 100, "validation_error", found}});
}

} // namespace
} // namespace ptc
