// Every message of the reader, one factory a kind, so that they can be read together.
//
// All have reason parse_error unless said otherwise. `token` is the text at `span`. Each error carries the one repair
// that most likely gives the program that was meant, as edits, whenever there is such a repair.
#pragma once
#include "frontend/form.h"
#include "ptc/error.h"
#include "ptc/source.h"
#include <span>

namespace ptc {

// Limits and encoding.
Error source_too_large(const Source& source, std::size_t max_bytes);
Error formatted_too_large(const Source& source, std::size_t max_bytes);
Error invalid_utf8(const Source& source, std::uint32_t at);
Error nesting_too_deep(Span span, std::string_view token, std::uint32_t max_nesting);
Error too_many_forms(Span span, std::uint32_t max_forms);

// Brackets. `closers` go in at `insert_at`; `opened` are the brackets that they close, outermost first.
struct OpenBracket {
    std::uint32_t offset = 0;
    std::uint32_t size = 1; ///< 2 for `#(` and `#{`
    char closer = ')';
};
Error unclosed_brackets(const Source& source, std::span<const OpenBracket> opened, std::uint32_t insert_at);
Error mismatched_bracket(const Source& source, const OpenBracket& opened, std::uint32_t closer_at);
Error surplus_bracket(const Source& source, std::uint32_t closer_at);
Error wrong_opening_bracket(const Source& source, const OpenBracket& opened,
                            std::uint32_t closer_at); ///< `closer` is the one found
Error surplus_opening_bracket(const Source& source, const OpenBracket& opened);
Error missing_opening_bracket(const Source& source, const OpenBracket& missing); ///< to be put in at its offset
Error odd_map(const Source& source, const Form& map);

// Strings and characters.
Error unterminated_string(const Source& source, std::uint32_t begin, std::uint32_t insert_at);
Error unopened_string(const Source& source, std::uint32_t end, std::uint32_t insert_at);
Error bad_escape(Span span, std::string_view token);
Error raw_string(std::uint32_t prefix_at); ///< r"\d+"
Error smart_quotes(Span span, std::string_view token);
Error bad_character_code(Span span, std::string_view token);
Error character_too_long(const Source& source, Span span, std::string_view token);

// Numbers.
Error ratio_as_float(Span span, std::string_view token); ///< a warning
Error bad_number(Span span,
                 std::string_view token); ///< unsupported_method for 1.5.2, which the language reads as 1.5 and .2
Error bare_fraction(Span span, std::string_view token); ///< unsupported_method, as for any name that starts with a dot
Error integer_too_long(Span span, std::string_view token);
Error real_too_large(Span span, std::string_view token);
Error unknown_special_number(Span span, std::string_view token);

// Names.
/// `in_call`: it stands in round brackets.
Error bad_keyword(Span span, std::string_view token, bool in_call);
/// A colon alone. `key`: the name that it touches, in a place where keys stand; empty for none.
Error lone_colon(const Source& source, Span span, Span key);
Error bad_name(Span span, std::string_view token);
Error bad_character(const Source& source, Span span);
Error foreign_comment(const Source& source, std::uint32_t at);
/// `lines`: where the fences begin.
Error fenced_program(const Source& source, const std::vector<std::uint32_t>& lines);
/// `lines`: where those begin that are to be deleted.
Error prose_around_program(const Source& source, const std::vector<std::uint32_t>& lines);
Error single_quoted_string(std::uint32_t opening, std::uint32_t closing);
Error separating_semicolon(std::uint32_t at);

// Clojure's reader macros that do not exist here. `form` is what follows, null when nothing does.
Error nothing_to_discard(Span span);
Error nothing_to_quote(Span span);
Error unsupported_metadata(const Source& source, std::uint32_t begin, const Form* form);
Error unsupported_conditional(const Source& source, std::uint32_t begin, const Form* form);
Error namespaced_map(const Source& source, std::uint32_t begin, const Form* form);
Error unsupported_prefix(const Source& source, Span span, std::string_view token);
Error unsupported_dispatch(const Source& source, Span span, std::string_view token);

} // namespace ptc
