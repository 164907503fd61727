// What a mission waits for: calls of models and of tools, and approvals, to be made and given by whoever runs it.
#pragma once
#include "ptc/approval.h"
#include "ptc/llm.h"
#include "ptc/tool.h"
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ptc {

/// A model to be called, after `delay`.
struct LlmNeed {
    std::uint64_t id = 0;
    LlmRequest request;
    const Llm* model = nullptr; ///< the one to call; the mission keeps it alive
    std::string name{};         ///< of the model in the registry; "" for one that is none of these
    std::chrono::milliseconds delay{0};
    std::uint64_t run = 0; ///< the agent at work that asks, as MissionEvent::run
};

/// A host's tool to be called.
struct ToolNeed {
    std::uint64_t id = 0;
    const Tool* tool = nullptr; ///< of the agent, which the mission keeps alive
    Datum arguments;            ///< checked, with text keys
    std::string key{};          ///< of the call, when the mission has an id: see Tool::keyed_function
    std::uint64_t run = 0;      ///< as of LlmNeed
    ToolContext context{}; ///< for Tool::context_function; `stop` and `deadline` of all tools: no call is wanted then
};

/// Somebody to decide about a call of a tool. When it is approved, a ToolNeed follows, or an agent begins.
struct ApprovalNeed {
    std::uint64_t id = 0;
    ApprovalRequest request;
};

/// Calls the tool as Agent::run does; exceptions become errors. Once the mission is stopped, it is not called.
[[nodiscard]] ToolAnswer call_tool(const ToolNeed& need);

/// All of it. Several at once: from branches of pmap and pcalls, and from agents that work in them.
struct Needs {
    std::vector<LlmNeed> llm;
    std::vector<ToolNeed> tools;
    std::vector<ApprovalNeed> approvals{};
    [[nodiscard]] bool empty() const;
};

} // namespace ptc
