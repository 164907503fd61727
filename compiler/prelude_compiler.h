// The text of a prelude to what a Prelude offers.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/language/core_library.h"
#include "compiler/language/prelude.h"
#include "ptc/diagnostic.h"

namespace ptc {

/// Reads and compiles the namespaces of the text and adds them to `prelude`, whose namespaces they may use; the first
/// one with errors ends it. Constants are made once, here, in the order of the text, under limits of their own and
/// without tools, data and clock: what comes out depends on nothing else. Any tool name is accepted
/// (PreludeMember::needs). `core` must outlive `prelude`. Gives the names of what was added.
std::vector<std::string_view> compile_prelude(const Source& source, const CoreLibrary& core,
                                              const CompileLimits& limits, Prelude& prelude, Diagnostics& diagnostics);

} // namespace ptc
