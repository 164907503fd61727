// The wording of the errors that the builtins on text report (see also runtime_errors.h).
#pragma once
#include "ptc/error.h"
#include "runtime/value.h"
#include <string>
#include <string_view>

namespace ptc {

Error output_exceeded(const char* who);
/// A text that does not spell what `who` reads: "a date like 2024-01-31".
Error unreadable_text(const char* who, const char* expected, std::string_view got);

/// `start`..`end` of .substring is not inside the string of `length` graphemes.
Error substring_out_of_range(std::int64_t start, std::int64_t end, std::size_t length);
/// `index` is not the place of one of `length` graphemes.
Error index_out_of_range(const char* who, std::int64_t index, std::size_t length);
/// `split` by a text of several characters (DIV-50).
Error split_by_text(std::string_view delimiter);
/// In a replacement for a regex, `\` or `$` followed by what cannot follow.
Error malformed_replacement(const char* who, std::string_view replacement, const char* problem);
/// `$7`, or `${name}`, of a pattern that has no such group.
Error unknown_group(const char* who, std::string_view group, std::string_view pattern);

/// What a function gave for a match, when that is no string.
Error replacement_not_text(const Value& got);

Error no_such_date(const char* who, std::int64_t year, std::int64_t month, std::int64_t day);
Error mixed_times(const char* who, const char* first, const char* second);

Error malformed_directive(std::string_view directive, const std::string& problem);
Error missing_format_argument(std::string_view directive, std::size_t position, std::size_t given);
Error wrong_format_argument(std::string_view directive, const char* expected, const Value& got, const char* advice);

} // namespace ptc
