// Datums as JSON from which exactly the same come back.
#pragma once
#include "ptc/datum.h"
#include <string>

namespace ptc {

/// JSON as it is, and for what JSON does not have an object with one member: {"$kw": name}, {"$set": [..]},
/// {"$map": [[key, value], ..]} (keys that are not texts, or that would be read as one of these), {"$float": "NaN"},
/// {"$opaque": [type, text]}, {"$bytes": hexadecimal} (a text that is no UTF-8).
std::string exact_json(const Datum& value);

/// `json` is what exact_json wrote, parsed. invalid_request for an object whose only member starts with $ and is none
/// of these; timeout when the work::Scope is over.
Result<Datum> read_exact(const Datum& json);

} // namespace ptc
