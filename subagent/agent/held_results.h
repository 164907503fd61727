// What the calls of a program gave, held until it ends: where it ends for want of room they have been made all the
// same, and what they gave becomes data of later turns (Sandbox::keep_held), or the model reads what of it is lost.
#pragma once
#include "subagent/agent/agent_core.h"
#include "subagent/agent/mission_memory.h"
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptc {

/// Of one tool: what became data, and of which calls it is (counted from 0 among all of the program).
struct KeptCalls {
    NewData data;
    std::vector<std::size_t> calls{};
};

/// Owns counts alone: writes `held` and, for what checks cost, the fuel of the turn of the state, so that a mission
/// that is saved while its program waits has all of it.
class HeldResults {
public:
    explicit HeldResults(const AgentCore& core) : core_(core) {}

    /// Copies what these calls gave. Of all calls of the program no more than AgentOptions::tool_cache allows: the
    /// largest go first, as of a payment little is as precious as its receipt; of equal ones the later.
    void hold(const std::vector<PendingUse>& uses);
    void drop();
    /// From here on only that is held which fits into `room` bytes, small ones first, and fits the signature of its
    /// tool. Checking ends at the time of a program, the mission's deadline and its stop, and may cost as much as a
    /// program; the turn pays for it.
    void settle(std::uint64_t room);
    /// A tool of which something is held, each time with all calls of it that are held or have failed.
    [[nodiscard]] std::vector<std::vector<std::size_t>> by_tool() const;
    /// What those gave: a value, or a list of several, with nil for what failed.
    [[nodiscard]] Datum value_of(const std::vector<std::size_t>& calls) const;
    void lose(const std::vector<std::size_t>& calls, HeldCall::State state, const std::string& why = "");

private:
    void count();
    const AgentCore& core_;
    /// Of `held`, so far as it is `counted_`: what is held by size, and its sum.
    std::set<std::pair<std::uint64_t, std::size_t>> by_size_{};
    std::uint64_t bytes_ = 0;
    std::size_t counted_ = 0;
};

/// "call 2 of 4 (pay)", "calls 1, 3 and 5 to 9 of 12 (page)", of which it has a bounded number.
std::string calls_text(const std::vector<std::size_t>& calls, const std::vector<HeldCall>& all);
/// What the model has to know of calls that failed, and of those whose results are lost; "" where there are none.
/// Else it ends in a space.
std::string unkept_text(const std::vector<HeldCall>& all);

} // namespace ptc
