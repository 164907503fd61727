// Whether what an agent gives is what a client's schema asks for.
#pragma once
#include "ptc/datum.h"
#include "ptc/type.h"
#include <optional>
#include <string>

namespace ptc {

/// None when each value of `given` fits `asked`; else where it may not, in a sentence. Fields that a client does not
/// ask for are a misfit, as its schema may be closed.
std::optional<std::string> misfit(const Type& given, const Type& asked);

/// A value of a type that fits, with the fields that the schema wants: of an object with `additionalProperties: false`
/// none but its properties, nil for those of `required` that are missing, and no nil for others. Follows local
/// references, and of `anyOf` and `oneOf` the one object.
Datum shaped(Datum value, const Datum& schema);

} // namespace ptc
