// What other languages write and this one does not read: comments, lambdas, template strings, regexes between slashes.
// Guesses for the edits of errors; none reports anything, and each looks at the line, or the text, at most once.
#pragma once
#include "ptc/error.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// A text of the same length in which signs that mean something else here are replaced, and the places of these signs.
struct Respelled {
    std::string text;
    std::vector<std::uint32_t> places;
};

/// With `;` for `#` and `//` where these begin a comment.
Respelled with_comments(std::string_view text);
/// With blanks for each `;` that has code in front of it and behind it on its line.
Respelled without_semicolons(std::string_view text);
/// With blanks for the lines that begin with ```; the places are where these lines begin.
Respelled without_fences(std::string_view text);
/// With blanks for the lines of plain words around a program: those outside of its brackets and, when it stands between
/// fences, outside of these. The places are where these lines begin.
Respelled without_prose(std::string_view text);
/// With double quotes for single ones around 'some text'; the places are those of both quotes, in turn.
Respelled with_double_quotes(std::string_view text);
/// Whether the `#` at `at` begins a comment in Python's way.
bool is_hash_comment(std::string_view text, std::uint32_t at);

/// The colon at `at` ends `lambda x, y:` or `def f(x):`; the edits make (fn [x y] ..) or (defn f [x] ..) of it.
std::vector<Edit> python_function_edits(std::string_view text, std::uint32_t at);
/// `text ${code}` as (str "text " code), from the first backtick to the second on the same line; none without that.
std::vector<Edit> template_string_edits(std::string_view text, std::uint32_t begin);
/// /\d+/ as #"\d+"; `at` is the backslash behind the first slash.
std::vector<Edit> slashed_regex_edits(std::string_view text, std::uint32_t at);

} // namespace ptc
