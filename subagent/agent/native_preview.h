// What a model sees of the result of a native call whose whole result is kept for programs (requirements 210 to 216).
#pragma once
#include "ptc/agent.h"
#include "subagent/agent/preview.h"

namespace ptc {

/// The preview that `how` asks for (of Metadata: size, schema and keys, no values of rows), with the fields that every
/// one has: status, full_result_cached and cache_hint. A custom preview that raises or fails, is no map or has no JSON
/// form (a number that is none, say) gives the metadata;
/// `*problem` is why then: "raised", "non_map" or "non_encodable" (requirement 215).
Datum native_preview(const std::string& tool, const Datum& arguments, const Datum& result, const NativeResult& how,
                     std::string* problem);

/// What the model reads of a result that no cache keeps for programs.
struct NativeShown {
    Datum content;     ///< all of it up to a size; else a preview, which says so
    Preview preview{}; ///< with cuts when it is a preview
};
/// `has_programs`: there are programs, which can read on; without them the model gets as much as there is room for.
NativeShown show_native(const Datum& result, const PromptLimit& limit, bool has_programs);
/// The content of a preview, and how to read on: `paging`, if there is such a program.
Datum native_part(const Preview& shown, const std::string& paging);

/// "Call lisp_eval and then call (tool/NAME {ARGS}) to process the full cached result."
std::string cache_hint(const std::string& tool, const Datum& arguments);

} // namespace ptc
