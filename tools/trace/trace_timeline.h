// The timeline of a trace's page.
#pragma once
#include "tools/trace/trace_tree.h"
#include <cstddef>
#include <string>

namespace ptc {

/// A line for each agent at work, with bars for what took time; "" when the trace has no times.
std::string timeline_html(const TraceTree& tree, std::size_t root);

} // namespace ptc
