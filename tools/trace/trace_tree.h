// Traces read back: the events of agents at work, those that were called below those that called them.
#pragma once
#include "ptc/datum.h"
#include "ptc/result.h"
#include "tools/trace/event_text.h"
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// One agent at work.
struct TraceRun {
    struct Item {
        std::size_t event = 0;             ///< in TraceTree::events
        std::vector<std::size_t> called{}; ///< runs that began here, in TraceTree::runs
    };
    std::vector<Item> items;
    std::set<std::size_t> open_calls; ///< events: tools that were called and have not answered
    bool is_over = false;
};

struct TraceTree {
    std::vector<Datum> events;
    std::vector<std::size_t> lines; ///< of the events
    std::vector<TraceRun> runs;
    std::vector<std::size_t> roots; ///< in runs: one mission after the other
    bool is_cut = false;            ///< the last line is not whole
};

/// The error's message begins with the number of the line that is no event.
Result<TraceTree> read_trace(std::string_view text);
/// Of work::Scope, for what is written: texts and pages of traces end with the time of who wants them, somewhere.
inline std::size_t work_of_text(std::size_t bytes) { return 8 + bytes / 32; }

std::string trace_text(const TraceTree& tree, const EventTextOptions& options);
/// A page that needs nothing else: turns fold, failed ones are open.
std::string trace_html(const TraceTree& tree);

} // namespace ptc
