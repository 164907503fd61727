// What `ptcc agent --record` writes about the mission beside its calls and answers (ptc/recording.h), so that --replay
// needs no other file.
#pragma once
#include "tools/agent/agent_arguments.h"
#include "tools/agent/agent_setup.h"

namespace ptc {

/// {"ptcc": version, "agent": the row, "preludes", "limits", "models": names, "is_script", "data"}. Nothing of how
/// models and tools are called is in it: no commands, no providers, no keys.
Result<Datum> recording_note(const AgentArguments& arguments, const Datum& row,
                             const std::vector<PreludeSource>& preludes, const MissionOptions& mission);

/// What a replay makes agents and missions of: models and tools that fail when they are called.
PartMakers silent_parts();
/// The models that the recorded mission had, silent, and how it asked them again. Nothing in `note` is trusted.
MissionOptions silent_mission(const Datum& note);

/// An agent whose tools are never called, and what its mission gets; its models are never called either.
struct ReplayedAgent {
    AgentPtr agent;
    MissionOptions mission;
};
/// The recorded one, or, when the command line describes an agent, that one. Nothing in `note` is trusted.
Result<ReplayedAgent> replayed_agent(const Datum& note, const AgentArguments& arguments);

} // namespace ptc
