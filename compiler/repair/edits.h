// How repairs are put together: as few and as small edits as possible, so that those of several errors fit together.
#pragma once
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
};
using Proposal = std::optional<Repair>;

/// A new text for a stretch of the program, made of literal text and of parts of the program that stay as they are.
class Pieces {
public:
    Pieces& text(std::string_view literal);
    Pieces& copy(Span part);
    Pieces& copy(const Form& form) { return copy(form.span); }
    /// The whole text.
    [[nodiscard]] std::string str(const Code& code) const;
    /// The edits that make this of `whole`: of the gaps between the parts when these keep their order, else of all.
    [[nodiscard]] std::vector<Edit> edits(const Code& code, Span whole) const;
    [[nodiscard]] bool empty() const { return pieces_.empty(); }

private:
    struct Piece {
        std::string literal;
        Span part{};
        bool is_part = false;
    };
    std::vector<Piece> pieces_;
};

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
std::vector<Edit> join(std::vector<Edit> a, std::vector<Edit> b);

/// "Write `(f x)`.", with long code cut.
std::string write_this(std::string_view code);

/// A name for a parameter that `form` does not use yet: "x", "it", ..
std::string fresh_name(const Form& form);

} // namespace ptc::repair
