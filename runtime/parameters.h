// What parameters take, by the names that they have in usage texts: "(nth coll index)" takes something to go through
// and a number. A usage is written with these names; a test fails when one is not known here.
#pragma once
#include "runtime/kinds.h"
#include <optional>
#include <string_view>

namespace ptc {

/// Nothing for names that the language's usage texts do not have. A name that several functions use for different
/// things takes anything.
[[nodiscard]] std::optional<Kinds> kinds_of_parameter(std::string_view name);

/// Whether the first parameter of a usage is a test of items: "(filter pred coll)".
[[nodiscard]] bool takes_test(std::string_view usage);

} // namespace ptc
