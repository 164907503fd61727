// Java's regular expression syntax, translated to RE2's and PCRE2's.
#pragma once
#include "ptc/result.h"
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct TranslatedRegex {
    std::string linear;                   ///< for RE2; of no use when `needs_backtracking`
    std::string backtracking;             ///< for PCRE2
    std::vector<std::string> group_names; ///< of groups 1..; empty for those without a name
    /// Look-around, back-references, possessive quantifiers, atomic groups, `&&` or a negated class in a class, \G, \X,
    /// or a loop over what can be empty.
    bool needs_backtracking = false;
    bool has_back_reference = false;
    /// Of the repetitions that are counted, {n}: what an item may compare before it fails.
    std::uint32_t largest_count = 0;
    /// `$` or \Z outside of (?m): also matches before a line end that ends the text, which RE2 cannot express.
    bool has_end_anchor = false;
    /// `^` or `$` under (?m): RE2 knows \n only, and lets `^` match behind the last one.
    bool has_line_anchor = false;
    /// \B, which RE2 finds between the bytes of a character, too.
    bool has_no_boundary = false;
    /// An unbounded loop, and an alternative or a repeated group: looking for the end of one match may read far beyond
    /// it, again for each match. (In a plain sequence of atoms it cannot: a later match inside of what was read would
    /// have continued the earlier one.)
    bool may_read_ahead = false;
};

/// runtime_error that says what is wrong or not supported, with the offset in the pattern as span.
Result<TranslatedRegex> translate_regex(std::string_view pattern);

} // namespace ptc
