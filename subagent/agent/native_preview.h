// What a model sees of the result of a native call whose whole result is kept for programs (requirements 210 to 216).
#pragma once
#include "ptc/agent.h"

namespace ptc {

/// The preview that `how` asks for (of Metadata: size, schema and keys, no values of rows), with the fields that every
/// one has: status, full_result_cached and cache_hint. A custom preview that raises or fails, is no map or has no JSON
/// form (a number that is none, say) gives the metadata;
/// `*problem` is why then: "raised", "non_map" or "non_encodable" (requirement 215).
Datum native_preview(const std::string& tool, const Datum& arguments, const Datum& result, const NativeResult& how,
                     std::string* problem);

/// "Call lisp_eval and then call (tool/NAME {ARGS}) to process the full cached result."
std::string cache_hint(const std::string& tool, const Datum& arguments);

} // namespace ptc
