// Puts a tape into a mission.
#pragma once
#include "ptc/mission.h"
#include "subagent/agent/mission_tape.h"

namespace ptc {

class TapedMission {
public:
    /// Before `start`. The tape outlives the mission.
    static void attach(Mission& mission, MissionTape& tape);
};

} // namespace ptc
