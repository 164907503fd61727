// Missions with scripted models, for tests.
#pragma once
#include "ptc/ptc.h"
#include <gtest/gtest.h>
#include <memory>

namespace ptc {

inline Datum json(std::string_view text) { return Datum::from_json(text).value(); }
inline std::string fenced(std::string_view program) { return "```clojure\n" + std::string(program) + "\n```"; }

/// A model that gives these replies in order, and what it was asked.
struct Model {
    struct Seen {
        std::vector<LlmRequest> requests;
        std::vector<LlmResult> replies;
    };
    std::shared_ptr<Seen> seen = std::make_shared<Seen>();

    explicit Model(std::vector<std::string> texts) {
        for (std::string& text : texts)
            seen->replies.emplace_back(LlmReply{.text = std::move(text)});
    }
    explicit Model(std::vector<LlmResult> replies) { seen->replies = std::move(replies); }

    [[nodiscard]] Llm llm() const {
        return [log = seen](const LlmRequest& request) -> LlmResult {
            log->requests.push_back(request);
            if (log->requests.size() > log->replies.size()) return LlmError{.kind = "past_end"};
            return log->replies[log->requests.size() - 1];
        };
    }
    [[nodiscard]] std::size_t calls() const { return seen->requests.size(); }
    /// What request `n` (from 1) says after the system text.
    [[nodiscard]] const std::string& last_message(std::size_t n) const {
        return seen->requests[n - 1].messages.back().content;
    }
};

/// A model that replies with these programs.
inline Model programs(std::vector<std::string> texts) {
    for (std::string& text : texts)
        text = fenced(text);
    return Model(std::move(texts));
}

/// Time that moves only when somebody waits.
struct FakeTime {
    std::shared_ptr<std::chrono::milliseconds> now = std::make_shared<std::chrono::milliseconds>(0);
    std::shared_ptr<std::vector<std::int64_t>> waits = std::make_shared<std::vector<std::int64_t>>();
    [[nodiscard]] MissionClock clock() const {
        return {.now = [now = now] { return *now; },
                .sleep =
                    [now = now, waits = waits](std::chrono::milliseconds delay) {
                        *now += delay;
                        waits->push_back(delay.count());
                    },
                .random = [] { return 1.0; }};
    }
};

/// With ten minutes in place of the usual deadlines, which a busy machine may miss. A test of deadlines takes others.
inline AgentPtr agent(AgentOptions options) {
    constexpr std::chrono::minutes kLong{10};
    const AgentOptions usual;
    if (options.timeout == usual.timeout) options.timeout = kLong;
    if (options.mission_timeout == usual.mission_timeout) options.mission_timeout = kLong;
    Result<AgentPtr> made = Agent::create(std::move(options));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
}

inline std::string reason_of(const Step& step) { return step.fail ? step.fail->reason : "ok"; }
inline std::string reason_of(const Result<Step>& step) { return step.ok() ? reason_of(step.value()) : "no step"; }

/// A mission whose process is killed again and again: saved and restored before its calls, each time. Its model gives
/// these programs; `on_tool` sees the calls of tools.
inline Step run_by_saves(const AgentPtr& made, const std::vector<std::string>& replies,
                         const std::function<void(const ToolNeed&)>& on_tool = {}) {
    const MissionOptions options{.model = ModelRef(programs({}).llm())};
    Mission mission(made, options);
    mission.start();
    std::size_t model_calls = 0;
    for (int step = 0; step < 20 && !mission.is_done(); ++step) {
        mission = std::move(*made->restore(mission.save().value(), options).value());
        const Needs needs = mission.take_needs();
        for (const LlmNeed& need : needs.llm)
            mission.answer(need.id, LlmResult(LlmReply{.text = fenced(replies.at(model_calls++))}));
        for (const ToolNeed& need : needs.tools) {
            if (on_tool) on_tool(need);
            mission.answer(need.id, call_tool(need));
        }
    }
    EXPECT_TRUE(mission.is_done());
    return mission.is_done() ? mission.take_step() : Step();
}

/// Why an agent cannot be made.
inline std::string refusal(AgentOptions options) {
    const Result<AgentPtr> made = Agent::create(std::move(options));
    return made.ok() ? "" : std::string(reason_name(made.error().reason)) + ": " + made.error().message;
}

inline Tool host_tool(std::string name, std::string signature, ToolFunction function) {
    return Tool{.name = std::move(name), .signature = std::move(signature), .function = std::move(function)};
}

} // namespace ptc
