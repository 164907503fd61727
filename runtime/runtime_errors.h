// The wording of all errors that values and builtins report, in one place so that messages can be read together.
#pragma once
#include "ptc/error.h"
#include "runtime/value.h"
#include <string>

namespace ptc {

/// "`subs` needs a string, got 5 (an integer)." `position` counts arguments from 1; 0 leaves it out.
Error wrong_type(const char* who, const char* expected, const Value& got, int position = 0);
/// "`+` needs numbers, ..." for arithmetic. `position`: the operand, counted from 1.
Error not_a_number(const char* who, const Value& got, int position = 0);
Error division_by_zero(const char* who);
Error out_of_range(const char* who, const std::string& what);
Error runtime_failure(const char* who, const std::string& what);
/// A text spells an integer of more digits than the limit.
Error too_many_digits(std::size_t digits, std::size_t limit);
/// `form`: "text", "JSON".
Error result_too_long(const char* form, std::size_t limit);
/// What repairs need to know of a value: its kind, and of a text whether it spells a number.
OperandKind operand_kind(const Value& v);

} // namespace ptc
