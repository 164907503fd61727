// The fixed parts of a trace's page.
#pragma once

namespace ptc {

extern const char* const kTracePageStyle;
/// Runs by its hash alone (kTracePageScriptHash, in the page's policy): nothing else in a page can run.
extern const char* const kTracePageScript;
extern const char* const kTracePageScriptHash; ///< "sha256-..." of kTracePageScript

} // namespace ptc
