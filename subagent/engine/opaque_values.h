// Values of programs that a host has as texts alone (Datum::Opaque: a text, and the type as type_name has it), and
// back.
#pragma once
#include "runtime/heap.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// Whether the text of such a value says all that it is: dates, times and lengths of time, symbols, regexes. Nothing
/// else does: functions, atoms, vars.
[[nodiscard]] bool is_readable(std::string_view type);
/// The text of a length of time with its nanoseconds: "#duration[1500ms]", "#duration[1500ms 7ns]". Of any other value
/// of times as append_time has it.
[[nodiscard]] std::string whole_time_text(const Value& time);
/// The value that the text says; nothing when it says none.
[[nodiscard]] std::optional<Result<Value>> value_of_opaque(Heap& heap, std::string_view type, std::string_view text);

} // namespace ptc
