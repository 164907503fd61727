// When things of a trace happened: what a timeline shows.
#pragma once
#include "tools/trace/trace_tree.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// Something that took time.
struct TraceSpan {
    enum class Kind : std::uint8_t { Model, Program, Tool };
    Kind kind;
    std::int64_t begin = 0; ///< microseconds since 1970
    std::int64_t end = 0;
    bool ok = true;
    std::size_t event = 0; ///< in TraceTree::events: the reply, the program's start, the tool's start
    std::int64_t turn = 0;
};

/// One agent at work, as a line of a timeline.
struct TraceLane {
    std::size_t run = 0; ///< in TraceTree::runs
    std::size_t depth = 0;
    std::optional<std::size_t> call{}; ///< in TraceTree::events: the call that it answers; none for the first
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::vector<TraceSpan> spans{};
};

/// The lanes of a mission, callers before those that they called. Empty when the trace has no times.
std::vector<TraceLane> lanes_of(const TraceTree& tree, std::size_t root);

/// Of a run's items, for each tool_start the index of the tool_call that answers it.
std::vector<std::optional<std::size_t>> answers_of(const TraceTree& tree, const TraceRun& run);

} // namespace ptc
