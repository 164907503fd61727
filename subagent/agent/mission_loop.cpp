#include "subagent/agent/mission_loop.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/engine/engine_impl.h"

namespace ptc {

void run_mission(Mission& mission, const Agent& agent, const MissionClock& clock, AnswerJournal journal) {
    MissionCalls calls(impl_of(*impl_of(agent).engine).callers, clock, std::move(journal));
    while (!mission.is_done()) {
        calls.add(mission.take_needs());
        std::optional<MissionCalls::Answer> answer = calls.wait();
        if (!answer) return;
        std::visit([&](auto& result) { mission.answer(answer->id, std::move(result)); }, answer->result);
    }
}

Step Agent::run(MissionOptions options) const {
    const MissionClock clock = options.clock;
    const Approver approve = options.approve;
    Mission mission(shared_from_this(), std::move(options));
    mission.start();
    run_mission(mission, *this, clock, {.approve = approve});
    return mission.take_step();
}

Step Agent::run(Llm llm, Datum context) const {
    MissionOptions options;
    options.model = ModelRef(std::move(llm));
    options.context = std::move(context);
    return run(std::move(options));
}

} // namespace ptc
