// What the language needs of Unicode (version 15, from utf8proc): case, white space, graphemes, code points. ASCII text
// never reaches the tables.
#pragma once
#include "runtime/heap.h"
#include <string_view>

namespace ptc {

bool is_valid_utf8(std::string_view bytes);
/// The code point at byte `*at` of valid UTF-8; moves `*at` behind it.
char32_t next_code_point(std::string_view utf8, std::size_t* at);
/// The code point that ends at byte `*end` (not 0); moves `*end` to its start.
char32_t previous_code_point(std::string_view utf8, std::size_t* end);
/// Writes 1 to 4 bytes to `out`, which has room for 4; gives how many. Surrogates and values above U+10FFFF have none:
/// 0.
std::size_t encode_utf8(char32_t code_point, char* out);

/// White space as Java and Clojure have it (`trim`, `blank?`): space separators except the non-breaking ones, and the
/// ASCII controls from tab to carriage return and U+001C to U+001F.
bool is_whitespace(char32_t code_point);
bool is_letter(char32_t code_point);
bool is_digit(char32_t code_point);
bool is_upper_case(char32_t code_point);
bool is_lower_case(char32_t code_point);
std::string_view trim_start(std::string_view text);
std::string_view trim_end(std::string_view text);
/// The same for texts of programs: a unit is charged for each 8 bytes that are cut off.
Result<std::string_view> trim_start(Heap& heap, std::string_view text);
Result<std::string_view> trim_end(Heap& heap, std::string_view text);
bool is_blank(std::string_view text);

/// Full case mapping: `ß` becomes `SS`, and a sigma that ends a word becomes `ς`. `string` itself when nothing changes.
/// Charges fuel per byte.
Result<Value> to_upper(Heap& heap, const Value& string);
Result<Value> to_lower(Heap& heap, const Value& string);
/// The first grapheme in upper case, the rest in lower case (`capitalize`).
Result<Value> to_capitalized(Heap& heap, const Value& string);

} // namespace ptc
