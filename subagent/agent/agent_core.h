// What every part of an agent at work looks at: which agent it is, the mission around it, and its state.
#pragma once
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/mission_env.h"
#include <string>
#include <string_view>

namespace ptc {

/// Owns a share of the agent; borrows mission and state. The parts of an AgentRun borrow this; which part writes which
/// fields of the state is said at each of them.
struct AgentCore {
    AgentPtr agent; ///< between two turns another one may take its place, which differs in tools of a feed alone
    MissionEnv& env;
    AgentState& state;

    [[nodiscard]] const AgentImpl& impl() const { return impl_of(*agent); }
    [[nodiscard]] const AgentOptions& options() const { return agent->options(); }
    [[nodiscard]] ValidationMode mode() const { return env.options.validation.value_or(options().validation); }
    /// One turn, whose program's value is the result without `return`; retries are such turns, too.
    [[nodiscard]] bool is_judgment() const { return options().max_turns == 1; }
    /// Programs beside an answer in text: what they give is for the model alone.
    [[nodiscard]] bool is_combined() const {
        return options().output == AgentOutput::Text && options().transport == Transport::ToolCall;
    }
    /// The data sets that its programs read beside its context: those of the root, and of whom it handed over to.
    [[nodiscard]] const DataSets& shared_data() const {
        static const DataSets kNone;
        return state.depth == 0 || state.is_handed_over ? env.data : kNone;
    }
    /// `text` as traces, events and models may see it: without firewalled values.
    [[nodiscard]] std::string hidden(std::string_view text) const { return without_secrets(state.secrets, text); }
    /// Adds what was let through at a boundary, as hosts may see it.
    void warn(BoundaryWarnings& warnings, std::string_view what, const std::vector<Fault>& faults) const;
    /// data/NAME for a key: a name that programs can write (program_name.h), but for one that has something firewalled
    /// in it: spelled differently, that would not be found any more.
    [[nodiscard]] std::string written_name(std::string_view key) const;
    /// An event of this agent and its turn under way.
    [[nodiscard]] MissionEvent event(MissionEvent::Kind kind) const;
};

/// A failure whose reason is one of the mission's own.
[[nodiscard]] Fail because(MissionReason reason, std::string message, Datum details = {});

} // namespace ptc
