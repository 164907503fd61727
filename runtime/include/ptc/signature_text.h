// Signatures: `(query :string, limit :int?) -> [{id :int}]`, the contract of a tool or a mission.
#pragma once
#include "ptc/result.h"
#include "ptc/type.h"

namespace ptc {

/// Which side of a signature a value is on.
enum class Direction : std::uint8_t {
    Input,  ///< arguments: what does not fit is coerced where that is safe
    Output, ///< results: strict
};

struct Signature {
    std::vector<Field> params;
    Type returns;

    [[nodiscard]] const Type*
    find_param(std::string_view name) const; ///< hyphens and underscores count as equal; or null
    friend bool operator==(const Signature&, const Signature&) = default;
};

/// Reads the text form, or the Malli form, a text that begins with `[:=>`. An output alone, `{count :int}`, has no
/// parameters. Two fields or parameters whose names differ in hyphens and underscores only are refused. The error has
/// reason parse_error, the span of what is wrong in `text`, a hint that says what to write instead and, where one
/// repair is likely, its edits. Linear in the text's size, which may be 64 KiB; allocates only the tree.
Result<Signature> parse_signature(std::string_view text);

/// The normal form: always `(params) -> type`. Parses back to the same signature, if all parameters have names.
std::string signature_text(const Signature& signature);
/// What a prompt shows of a tool: `name(params) -> returns`. Firewalled fields of the result are left out, and so are
/// firewalled parameters, save required ones: a program that does not know of them could not call the tool.
std::string prompt_text(std::string_view name, const Signature& signature);
/// A context or a chained step has the return type of a signature: `() -> {n :int}`, `{n :int}` and the Malli form
/// `[:=> [:cat] [:map [:n :int]]]` all give `{n :int}`.
Result<std::string> return_text(std::string_view text);

} // namespace ptc
