// The state of missions as bytes: one list of fields for each type, which both directions follow.
#pragma once
#include "frontend/bytes.h"
#include "subagent/agent/attachment_keeper.h"
#include "subagent/agent/mission_state.h"
#include <string>
#include <utility>
#include <vector>

namespace ptc {

inline constexpr std::string_view kMissionMagic = "PTCM";

/// What an agent is: a snapshot of a mission goes on with the same one only.
std::uint64_t agent_fingerprint(const Agent& agent);
/// The same part by part: what it is called, and what it is (a text that is short, else a hash).
std::vector<std::pair<std::string, std::string>> agent_parts(const Agent& agent);
/// Written in front of a mission, so that another agent can say how it differs.
void write_agent(ByteWriter& out, const Agent& agent);
/// Reads that back, for the agent that wrote it.
void skip_agent(ByteReader& in);
/// Whether the bytes are a mission of another agent, or of this one in another version of ptc, and whole: that one can
/// go on with it.
bool is_of_another_agent(std::string_view bytes, const Agent& agent);
/// Why `agent` cannot go on with these bytes, which are another's: "the prompt, max_turns (5, now 6)".
Error other_agent(std::string_view bytes, const Agent& agent);

/// Points in time count from `now` of the clock that the mission has: another process has another clock, and the time
/// in between does not count.
void write_totals(ByteWriter& out, const MissionTotals& totals);
void read_totals(ByteReader& in, MissionTotals& totals);
/// Without what its agents as tools are doing, without its sandbox, and without the attachments that `keeper` keeps.
void write_state(ByteWriter& out, const AgentState& state, Millis now, AttachmentKeeper& keeper);
/// Fails the reader for anything that `write_state` cannot have written.
void read_state(ByteReader& in, AgentState& state, Millis now, AttachmentKeeper& keeper);

} // namespace ptc
