// Runs that are saved and restored wherever they wait.
#pragma once
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace ptc::test {

/// What a tool of these tests answers: the same whenever it is asked the same.
inline ToolAnswer scripted_answer(const ToolCall& call) {
    if (call.name == "boom") return Error(Reason::ToolError, "boom");
    if (call.name == "add") {
        std::int64_t x = 0, y = 0;
        const Datum* a = call.arguments.find("x");
        const Datum* b = call.arguments.find("y");
        if (a && b && a->to_int64(&x) && b->to_int64(&y)) return Datum(x + y);
    }
    if (call.name == "users")
        return Datum(
            Datum::List{Datum::object({{"id", 1}, {"name", "Ann"}}), Datum::object({{"id", 2}, {"name", "Bo"}})});
    return call.arguments;
}

/// An engine whose tools the host answers.
inline EngineOptions host_tools(std::vector<PreludeSource> preludes = {}) {
    EngineOptions options;
    for (const char* name : {"pause", "echo", "add", "boom", "users"})
        options.tools.push_back({.name = name});
    options.preludes = std::move(preludes);
    options.warnings = false;
    options.threads = 0;
    options.tool_threads = 0;
    options.clock_millis = [] { return std::int64_t{1'700'000'000'000}; };
    return options;
}

struct Ran {
    Outcome outcome;
    std::size_t saves = 0;
};

/// To its end; with `saving`, through bytes at every tool call: the session that goes on is another one each time.
inline Ran run_through(const Engine& engine, std::unique_ptr<Session>& session, const std::string& source,
                       const RunOptions& options, bool saving) {
    Ran ran;
    RunState state = session->start(source, options);
    while (auto* waiting = std::get_if<Suspended>(&state)) {
        std::vector<ToolAnswer> answers;
        if (saving) {
            const Result<std::string> bytes = session->save();
            EXPECT_TRUE(bytes.ok()) << bytes.error().message;
            if (!bytes.ok()) return ran;
            auto restored = Session::restore(engine, bytes.value(), options);
            EXPECT_TRUE(restored.ok()) << restored.error().message;
            if (!restored.ok()) return ran;
            ++ran.saves;
            const Result<std::string> again = restored.value()->save();
            EXPECT_TRUE(again.ok());
            session = std::move(restored).value();
            *waiting = *session->waiting();
        }
        for (const ToolCall& call : waiting->calls)
            answers.push_back(scripted_answer(call));
        state = session->resume(std::move(answers));
    }
    ran.outcome = std::move(std::get<Outcome>(state));
    return ran;
}

/// Between runs.
inline void save_and_restore(const Engine& engine, std::unique_ptr<Session>& session, const RunOptions& options = {}) {
    const Result<std::string> bytes = session->save(options.data);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    auto restored = Session::restore(engine, bytes.value(), options);
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    session = std::move(restored).value();
}

inline void expect_same(const Outcome& straight, const Outcome& saved) {
    EXPECT_EQ(straight.kind, saved.kind);
    EXPECT_EQ(straight.value, saved.value);
    EXPECT_EQ(straight.json, saved.json);
    EXPECT_EQ(straight.prints, saved.prints);
    EXPECT_EQ(straight.changed_names, saved.changed_names);
    EXPECT_EQ(straight.usage.fuel, saved.usage.fuel);
    EXPECT_EQ(straight.error.has_value(), saved.error.has_value());
    if (straight.error && saved.error) {
        EXPECT_EQ(straight.error->message, saved.error->message);
        EXPECT_EQ(straight.error->span.begin, saved.error->span.begin);
        EXPECT_EQ(straight.error->trace.size(), saved.error->trace.size());
    }
    ASSERT_EQ(straight.tool_calls.size(), saved.tool_calls.size());
    for (std::size_t i = 0; i < straight.tool_calls.size(); ++i) {
        EXPECT_EQ(straight.tool_calls[i].arguments_json, saved.tool_calls[i].arguments_json);
        EXPECT_EQ(straight.tool_calls[i].result_json, saved.tool_calls[i].result_json);
    }
}

} // namespace ptc::test
