// The patterns of java.text.DecimalFormat: "#,##0.00". A format is the text of its pattern behind a mark.
#pragma once
#include "runtime/builtins/arguments.h"
#include <string_view>

namespace ptc {

inline constexpr std::string_view kDecimalFormatMark = "DecimalFormat:";

/// Whether all of it can be used; the error names `who`.
Result<void> check_decimal_pattern(const char* who, std::string_view pattern);
/// A number written by a pattern, which is checked. A half goes to the even digit, as in Java.
Result<Value> format_decimal(Call& call, std::string_view pattern, const Value& number);

} // namespace ptc
