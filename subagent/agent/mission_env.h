// The mission around its agents: options, totals, clock and chance, and what the agents wait for.
#pragma once
#include "ptc/agent.h"
#include "ptc/needs.h"
#include "subagent/agent/attachment_keeper.h"
#include "subagent/agent/mission_state.h"
#include "subagent/agent/mission_tape.h"
#include "subagent/agent/shared_data.h"
#include <optional>
#include <string>

namespace ptc {

/// Shared by the agents of one mission. Owns the needs that nobody has fetched yet; borrows everything else from the
/// Mission, which outlives it.
struct MissionEnv {
    const MissionOptions& options;
    MissionTotals& totals;
    Needs needs{};
    std::stop_source stopping{}; ///< of tools under way
    DataSets data{}; ///< of the options, as programs of the root read them: in front of each what of it was coerced
    AttachmentKeeper attachments{};    ///< of its snapshots
    MissionTape* tape = nullptr;       ///< instead of clock, chance and is_interrupted of the options
    Millis paused{0};                  ///< how long the mission's time has stood still
    std::optional<Millis> paused_at{}; ///< while it does: since when, on the clock

    /// The mission's time: that of the clock without the pauses.
    [[nodiscard]] Millis now() const;
    void pause();
    void end_pause();
    [[nodiscard]] Millis clock_now() const;
    [[nodiscard]] double random() const;
    [[nodiscard]] bool is_interrupted() const;
    void emit(const MissionEvent& event) const;
    /// What of a tool's context is the same for all agents.
    [[nodiscard]] ToolContext tool_context(std::uint64_t need) const;
    /// A name for the call that is unique among all missions, and the same again after a crash; "" when the mission
    /// has no id.
    [[nodiscard]] std::string key_of(std::uint64_t need) const;
};

} // namespace ptc
