// The fixed parts of a trace's page, and of the page of an evaluation.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

extern const char* const kTracePageStyle;
/// Runs by its hash alone (kTracePageScriptHash, in the page's policy): nothing else in a page can run.
extern const char* const kTracePageScript;
extern const char* const kTracePageScriptHash; ///< "sha256-..." of kTracePageScript

/// A page that needs nothing else. `title` and `main` are HTML already; `more_style` comes behind the style of traces.
std::string whole_page(std::string_view title, std::string_view main, std::string_view more_style = {});

} // namespace ptc
