// Between programs' values and what servers take and give.
#pragma once
#include "ptc/datum.h"
#include "ptc/schema_reader.h"
#include <span>
#include <string_view>

namespace ptc::mcp {

/// What a call's result is as a value. `structuredContent`, where there is one. Else the contents: of none nil, of one
/// text the text, of several all of them, as maps with the server's own keys. A lone text that is a JSON object or list
/// is that value, unless `keeps_text`: most servers of typed data declare nothing and write JSON. An error (tool_error)
/// when the server says that the call failed.
Result<Datum> value_of_result(const Datum& result, bool keeps_text);

/// `arguments` under the names that the server's schema has: programs' names differ from these in hyphens and
/// underscores, and by `names` (SignatureReading::argument_names).
Datum arguments_as_named(std::string_view input_schema, const Datum& arguments,
                         std::span<const RenamedParameter> names = {});

} // namespace ptc::mcp
