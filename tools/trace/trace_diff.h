// Where two traces part.
#pragma once
#include "tools/trace/trace_tree.h"
#include <optional>
#include <string>

namespace ptc {

/// The first event that differs, by agent at work: an agent's events are compared with those of the same agent at work
/// in the other trace, found by who called it at which event, so that it does not matter what went on beside it. An
/// agent's events come after the event of its caller that began it, and before the caller's next one.
struct TraceDifference {
    const Datum* a = nullptr; ///< null: there is no such event in A
    const Datum* b = nullptr;
    std::size_t a_line = 0; ///< 0: there is none
    std::size_t b_line = 0;
    std::string path;   ///< of the member that differs; "" when the events are of different kinds
    std::string a_text; ///< both sides, cut
    std::string b_text;
    std::size_t same_of_run = 0; ///< events before it, of this agent at work
};

struct TraceComparison {
    std::size_t same_events = 0; ///< until the difference
    std::size_t same_runs = 0;   ///< agents at work, all of whose events were the same
    std::optional<TraceDifference> difference{};
};

/// Times, durations and the numbers of runs are not compared. The result refers to the trees.
TraceComparison compare_traces(const TraceTree& a, const TraceTree& b);

std::string comparison_text(const TraceComparison& comparison);
std::string comparison_json(const TraceComparison& comparison);

} // namespace ptc
