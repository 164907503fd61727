// Missions step by step: what Agent::run does, for hosts that call models and tools by themselves.
#pragma once
#include "ptc/agent.h"

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
};

/// What a mission waits for. Several at once: from branches of pmap and pcalls, and from agents that work in them.
struct Needs {
    std::vector<LlmNeed> llm;
    std::vector<ToolNeed> tools;
    [[nodiscard]] bool empty() const { return llm.empty() && tools.empty(); }
};

/// A running mission: start it, then answer what it needs, in any order, until it is done. Belongs to one thread at a
/// time; between calls it does nothing. A host that stops answering may simply destroy it.
class Mission {
public:
    Mission(AgentPtr agent, MissionOptions options);
    ~Mission();
    Mission(Mission&&) noexcept;
    Mission& operator=(Mission&&) noexcept;

    void start();
    /// What came up since the last call, each need once.
    [[nodiscard]] Needs take_needs();
    void answer(std::uint64_t id, LlmResult result);
    void answer(std::uint64_t id, ToolAnswer answer);
    /// Ends it with `interrupted`; answers that still come are ignored.
    void interrupt();

    [[nodiscard]] bool is_done() const;
    /// The mission as bytes: at any point between two calls of its functions, once it has started. Sandboxes with
    /// suspended programs, memory, conversation, budgets, what it waits for; not what hosts give as callables.
    /// Agent::restore goes on from it, in this process or another one, as if nothing had happened: nothing is run or
    /// asked for again that had its answer. Time that passes in between does not count.
    [[nodiscard]] Result<std::string> save() const;

    /// Of a mission that is done.
    [[nodiscard]] const Step& step() const;
    [[nodiscard]] Step take_step();

private:
    friend class Agent;
    friend class TapedMission; // ptc/recording.h
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
