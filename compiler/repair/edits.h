// How repairs are put together: as few and as small edits as possible, so that those of several errors fit together.
#pragma once
#include "compiler/language/rewrite.h"
#include "compiler/repair/code.h"
#include "ptc/error.h"
#include <optional>

namespace ptc::repair {

/// One repair of one error.
struct Repair {
    std::vector<Edit> edits;
    std::string hint; ///< says what the edits do; "": the error's own hint says it
    /// Errors inside of it follow from this one: they get no edits of their own.
    Span covers{};
    bool is_moot = false; ///< they are not even reported: what they are about goes away as a whole
};
using Proposal = std::optional<Repair>;

/// Replaces a form by these pieces.
Repair replace(const Code& code, const Form& form, const Pieces& pieces, std::string hint = {});
Repair replace(const Form& form, std::string text, std::string hint = {});
/// Takes a form away, with the blanks in front of it (behind it, for the first one in its brackets).
Edit removal(const Code& code, const Form& form);
Edit insertion(std::uint32_t at, std::string text);
/// Puts `before` and `after` around a form.
std::vector<Edit> wrapping(Span span, std::string before, std::string after);
/// Takes the brackets of a form away. `opening` is their size: 2 for #(.
std::vector<Edit> unwrapping(const Form& form);
/// Replaces both brackets of a form.
std::vector<Edit> rebracketing(const Form& form, std::string opening, std::string closing);
/// Of both, in the order of the text. For many parts: `append` each, then `in_order` once.
std::vector<Edit> join(std::vector<Edit> a, std::vector<Edit> b);
void append(std::vector<Edit>& edits, std::vector<Edit> more);
std::vector<Edit> in_order(std::vector<Edit> edits);

/// "Write `(f x)`.", with long code cut.
std::string write_this(std::string_view code);

} // namespace ptc::repair
