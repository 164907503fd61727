// The timeline of a trace's page.
#pragma once
#include "tools/trace/trace_tree.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace ptc {

/// A line for each agent at work, with bars for what took time; "" when the trace has no times.
std::string timeline_html(const TraceTree& tree, std::size_t root);

std::string duration_text(std::int64_t micros);                    ///< "12 µs", "3.4 ms", "1.25 s"
std::string grouped_text(std::int64_t n);                          ///< "12,345"
std::string counted_text(std::size_t n, const std::string& thing); ///< "1 byte", "2,000 bytes"

} // namespace ptc
