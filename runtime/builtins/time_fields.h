// The %t conversions of `format`.
#pragma once
#include "runtime/value.h"
#include <string>
#include <string_view>

namespace ptc {

/// What %t`field` gives for `time`: a LocalDate, an Instant (in UTC) or an integer of milliseconds since 1970. Nothing
/// when there is no such field, or the value does not have it (the hour of a LocalDate); `*known` says which of the two
/// it is.
std::string time_field(const Value& time, char field, bool* known);

} // namespace ptc
