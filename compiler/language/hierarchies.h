// Hierarchies of kinds: what a program says of the one that Clojure keeps for all, and what multimethods do with one.
#pragma once
#include "compiler/language/form_maker.h"
#include <optional>
#include <string_view>
#include <vector>

namespace ptc {

/// The hierarchies of one program. A hierarchy is a value (make-hierarchy, derive with three arguments), so the one
/// that (derive child parent) changes is a name of the program, which each of these at the top level defines anew;
/// isa?, parents, ancestors and descendants without a hierarchy ask that one. A multimethod's dispatch function goes on
/// from what it gives to the value of the nearest method. Borrows the forms.
class Hierarchies {
public:
    /// What the one hierarchy is called.
    static constexpr std::string_view kName = "global-hierarchy";
    /// (derive child parent)
    static bool derives(const Form& form);

    Hierarchies(FormMaker& make, const std::vector<Form>& top_level);
    /// What a form of the top level becomes; nothing when it stays as it is.
    std::optional<Form> said(const Form& form);
    /// Changes the calls in other forms that ask the one hierarchy.
    void say(std::span<const Form> forms);

private:
    [[nodiscard]] Form dispatch_by(const Form& hierarchy, const Form& definition, const Form& dispatch);
    void say(const Form& form);

    FormMaker& make_;
    const std::vector<Form>& top_level_;
    bool has_global_ = false;
    bool is_made_ = false; ///< a derive was said already
};

} // namespace ptc
