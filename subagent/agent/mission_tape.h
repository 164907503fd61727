// What a mission gets from time and chance, while somebody keeps it, or repeats it (ptc/recording.h).
#pragma once
#include "subagent/agent/mission_state.h"
#include <functional>
#include <stop_token>

namespace ptc {

Millis system_now();
double system_chance(); ///< from 0 to 1: for the waits between retries only

/// Asked on the thread of the mission. Time stands still from one answer to the next, unless the mission's ends there.
class MissionTape {
public:
    struct ProgramTime {
        std::size_t number = 0;          ///< of the program in the mission
        std::optional<Millis> timeout{}; ///< 0 is none; nothing: what the agent and its mission give
        std::optional<std::int64_t> timeout_after_fuel{};
    };
    virtual ~MissionTape() = default;
    [[nodiscard]] virtual Millis now() const = 0; ///< since the mission began
    virtual double random() = 0;
    virtual bool is_interrupted() = 0;
    /// Ends programs in their middle.
    [[nodiscard]] virtual std::stop_token stop() const = 0;
    /// What programs see. On any thread while one runs.
    [[nodiscard]] virtual std::int64_t wall_millis() const = 0;
    virtual ProgramTime begin_program() = 0;
    /// After each slice of the mission's own work (frontend/work.h): false when its time is over, at `deadline` as
    /// `now` has it, which is later from then on; or nothing shall be done any more.
    virtual bool goes_on(std::optional<Millis> deadline) = 0;
    /// The tools of its feed with which the run goes on in its next turn, where they have changed; `ask` says what is
    /// so now.
    virtual std::optional<std::vector<Tool>>
    changed_tools(std::uint64_t run, std::size_t turn,
                  const std::function<std::optional<std::vector<Tool>>()>& ask) = 0;
    /// The clock ended a program.
    virtual void program_timed_out(std::size_t number, std::int64_t fuel) = 0;
};

} // namespace ptc
