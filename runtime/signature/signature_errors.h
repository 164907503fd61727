// Every message of the signature grammar, one factory a kind. `text` is the whole signature; all have reason
// parse_error.
#pragma once
#include "ptc/error.h"
#include <cstdint>
#include <string_view>

namespace ptc {

/// What the grammar was looking for when it met something else.
enum class Expected : std::uint8_t {
    Type,
    Name, ///< of a field
    ParameterName,
    Comma,     ///< or the closing bracket
    EndOfList, ///< the `]` of `[:int]`
    Arrow,
    End,
    EnumChoice, ///< of `:enum[..]`
    Constraint, ///< of `:int[..]`
};

inline constexpr std::uint32_t kNoBracket = UINT32_MAX;

/// `at` is where the text stops making sense, `opened` the offset of the innermost open bracket or kNoBracket.
Error signature_mismatch(std::string_view text, Expected expected, std::uint32_t at, std::uint32_t opened);

Error empty_signature(std::string_view text);
Error signature_too_large(std::string_view text, std::size_t max_bytes);
Error signature_is_not_utf8(std::uint32_t at);
Error signature_too_deep(std::uint32_t at, std::uint32_t max_nesting);
Error empty_list_type(Span span);
Error empty_enum(Span span);
Error unknown_type(Span span, std::string_view name);
Error nil_is_no_type(Span span);
Error bounds_need_number(Span span, std::string_view type);
Error bound_out_of_range(Span span, std::string_view number);
Error empty_range(Span span);
/// `second` has the same name as `first`, but for hyphens and underscores.
Error name_clash(Span first_span, std::string_view first, Span second_span, std::string_view second);

} // namespace ptc
