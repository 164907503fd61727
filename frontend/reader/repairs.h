// Guesses of what was meant by a token or form that cannot be read. They become the edits of errors; none reports
// anything.
#pragma once
#include "frontend/form.h"
#include "ptc/error.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Whether the language reads `text` as a number.
bool is_number(std::string_view text);

/// Index of the item of an odd map that most likely lacks its value: the one that makes most keys keywords or strings.
std::size_t key_without_value(std::span<const Form> items);

/// `:user/name` as `:user-name`, `::x` as `:x`.
std::string spell_as_keyword(std::string_view token);

/// A name that starts with a digit, as one that does not; "" when `token` is no name at all.
std::string spell_as_name(std::string_view token);

/// `##inf`, `##Infinity`, `##+Inf`, `##nan` as they should be; "" when it is none of these.
std::string special_number_like(std::string_view token);

/// The literal for what was meant by `\body`: `\newline` for `\nl`, else a string.
std::string named_character_or_string(std::string_view body);

/// A token in ASCII: look-alikes become what they look like (≤ is <=, − is -), letters lose their accents, others are
/// spelled by code, always in the same way, so that a renamed name stays one name.
struct NonAscii {
    std::string text;
    std::string hint; ///< when there is more to say than the spelling
};
NonAscii replace_non_ascii(std::string_view token);

/// The form that a reader conditional's list gives for :clj, else for :default, else its first; null when there is
/// none.
const Form* conditional_branch(const Form& list);

} // namespace ptc
