// Hierarchies of kinds: what a program says of the one that Clojure keeps for all, and what multimethods do with one.
#pragma once
#include "compiler/language/form_maker.h"
#include <optional>
#include <string_view>
#include <vector>

namespace ptc {

/// The hierarchies of one program. A hierarchy is a value (make-hierarchy, derive with three arguments), so the one
/// that (derive child parent) changes is a name of the program, or of the session, which each of these at the top level
/// defines anew. In such a program isa?, parents, ancestors and descendants are functions of its own, which ask that
/// one when they are given none. A multimethod's dispatch function goes on from what it gives to the value of the
/// nearest method. Borrows the forms.
class Hierarchies {
public:
    /// What the one hierarchy is called.
    static constexpr std::string_view kName = "global-hierarchy";
    /// (derive child parent)
    static bool derives(const Form& form);

    Hierarchies(FormMaker& make, const std::vector<Form>& top_level);
    /// Adds what stands in front of the program.
    void begin(std::vector<Form>& out);
    /// What a form of the top level becomes; nothing when it stays as it is.
    std::optional<Form> said(const Form& form);

private:
    [[nodiscard]] Form dispatch_by(const Form& hierarchy, const Form& definition, const Form& dispatch);
    [[nodiscard]] Form question(std::string_view name, std::size_t arguments, Span span);
    [[nodiscard]] bool mentions_anywhere(std::string_view name) const;

    FormMaker& make_;
    const std::vector<Form>& top_level_;
    const Form* first_ = nullptr; ///< (derive child parent); null: there is none, or a derive of the program's own
};

} // namespace ptc
