// Tokens of other languages that this one does not read: comments, lambdas, template strings, regexes between slashes.
// Guesses for the edits of errors; none reports anything, and each looks at the line, or the text, at most once. What
// is foreign about a whole text is in model_text.h.
#pragma once
#include "ptc/error.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Whether the `#` at `at` begins a comment in Python's way.
bool is_hash_comment(std::string_view text, std::uint32_t at);

/// The colon at `at` ends `lambda x, y:` or `def f(x):`; the edits make (fn [x y] ..) or (defn f [x] ..) of it.
std::vector<Edit> python_function_edits(std::string_view text, std::uint32_t at);
/// `text ${code}` as (str "text " code), from the first backtick to the second on the same line; none without that.
std::vector<Edit> template_string_edits(std::string_view text, std::uint32_t begin);
/// /\d+/ as #"\d+"; `at` is the backslash behind the first slash.
std::vector<Edit> slashed_regex_edits(std::string_view text, std::uint32_t at);

} // namespace ptc
