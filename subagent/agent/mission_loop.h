// The loop around a mission: calls what it needs and hands the first answer back, until it is done.
#pragma once
#include "ptc/mission.h"
#include "subagent/agent/mission_calls.h"

namespace ptc {

/// Answers what a mission of `agent`, which has started, needs until it is done, or waits for approvals that nobody
/// gives now.
void run_mission(Mission& mission, const Agent& agent, const MissionClock& clock, AnswerJournal journal);

} // namespace ptc
