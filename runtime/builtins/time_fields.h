// The %t conversions of `format`.
#pragma once
#include "runtime/value.h"
#include <string>
#include <string_view>

namespace ptc {

/// What %t`field` gives for `time`: a LocalDate, an Instant (in UTC) or an integer of milliseconds since 1970. Nothing
/// when there is no such field, or the value does not have it (the hour of a LocalDate); `*known` tells the two apart.
std::string time_field(const Value& time, char field, bool* known);

/// "JANUARY" .. for 0 to 11, "SUNDAY" .. for 0 to 6: as Java prints its Month and DayOfWeek.
std::string month_in_capitals(std::size_t index);
std::string weekday_in_capitals(std::size_t index);

} // namespace ptc
