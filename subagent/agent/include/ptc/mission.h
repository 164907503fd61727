// Missions step by step: what Agent::run does, for hosts that call models and tools by themselves.
#pragma once
#include "ptc/agent.h"
#include "ptc/needs.h"
#include "ptc/owned.h"

namespace ptc {

/// A running mission: start it, then answer what it needs, in any order, until it is done. Belongs to one thread at a
/// time; between calls it does nothing. A host that stops answering may simply destroy it.
class Mission {
public:
    Mission(AgentPtr agent, MissionOptions options);
    ~Mission();
    Mission(Mission&&) noexcept;
    Mission& operator=(Mission&&) noexcept;

    void start(); ///< a second call, and one on a mission that was restored, does nothing
    /// What came up since the last call, each need once.
    [[nodiscard]] Needs take_needs();
    void answer(std::uint64_t id, LlmResult result);
    void answer(std::uint64_t id, ToolAnswer answer);
    void answer(std::uint64_t id, ApprovalAnswer answer);
    /// It waits for approvals, and for nothing else: the mission's time stands still.
    [[nodiscard]] bool waits_for_approval() const;
    /// Of one that goes on after it failed because its model could not be called: its attempts count anew, and the next
    /// one is made at once.
    void forget_attempts();
    /// Ends it with `interrupted`; answers that still come are ignored.
    void interrupt();

    [[nodiscard]] bool is_done() const;
    /// The mission as bytes: at any point between two calls of its functions, once it has started. Sandboxes with
    /// suspended programs, memory, conversation, budgets, what it waits for; not what hosts give as callables.
    /// Agent::restore goes on from it, in this process or another one, as if nothing had happened: nothing is run or
    /// asked for again that had its answer. Time that passes in between does not count.
    ///
    /// With `kept`, attachments of 4 KB or more and texts of 16 KB or more (of replies, say) are not in the bytes:
    /// `kept` becomes all of them that the mission has now, so that whoever writes many snapshots keeps each once.
    /// Agent::restore wants them back.
    [[nodiscard]] Result<std::string> save(AttachmentBytes* kept = nullptr) const;

    /// Of a mission that is done.
    [[nodiscard]] const Step& step() const;
    [[nodiscard]] Step take_step();

private:
    friend class Agent;
    friend class TapedMission; ///< ptc/recording.h
    struct Impl;
    Owned<Impl> impl_;
};

} // namespace ptc
