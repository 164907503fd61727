// JSON that says of every value what it is: {"$kw":"open"} a keyword, {"$dt":".."} a point in time, {"$set":[..]},
// {"$tuple":[..]} (a list), {"$map":[[k,v],..]} a map with other keys than text.
#pragma once
#include "ptc/datum.h"
#include <string>

namespace ptc {

/// What the tags of a parsed JSON value mean. invalid_request when one is malformed.
Result<Datum> untag(const Datum& json);
/// Compact JSON with tags.
std::string tagged_json(const Datum& value);
/// The same value: maps are unordered, 1 is not 1.0, a keyword is the text of its name. With `subset`, maps of `actual`
/// may have more keys.
bool same_datum(const Datum& expected, const Datum& actual, bool subset = false);

} // namespace ptc
