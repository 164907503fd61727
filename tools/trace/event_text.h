// Events of missions (ptc/trace.h) for people, as they happen or from a trace.
#pragma once
#include "ptc/datum.h"
#include <string>
#include <string_view>

namespace ptc {

struct EventTextOptions {
    bool is_brief = false; ///< one short line for what takes time, and nothing else
    bool color = false;
};

/// Lines, "" when there is nothing to say, indented by `level`. `event` is what event_json wrote.
std::string event_text(const Datum& event, const EventTextOptions& options, std::size_t level);

/// A tool that was called, of which no answer is known.
std::string open_call_text(const Datum& tool_start, const EventTextOptions& options, std::size_t level);

/// A line of its own about what the trace does not have.
std::string note_text(std::string_view note, const EventTextOptions& options, std::size_t level);

} // namespace ptc
