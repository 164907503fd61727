// The expansions of expand.h. They are made on the forms that the reader made, in place where only a name changes, so
// that the analyzer, the checker and the repairs all see the same program.
#include "compiler/language/expand.h"
#include "compiler/language/hierarchies.h"
#include "compiler/language/records.h"
#include "compiler/language/recurrence.h"
#include "frontend/work.h"
#include <algorithm>
#include <vector>

namespace ptc {
namespace {

/// Forms that mean what they say at the top level alone.
bool is_top_level_form(const Form& form) {
    if (!form.is(FormKind::List) || form.size == 0) return false;
    constexpr const char* kHeads[] = {"defmulti",    "defmethod",   "defrecord",      "deftype",
                                      "defprotocol", "extend-type", "extend-protocol"};
    return std::ranges::any_of(kHeads, [&](const char* head) { return form.items()[0].is_symbol(head); });
}

/// A (do ..) whose parts count at the top level.
bool is_group(const Form& form) {
    return form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol("do") &&
           std::ranges::any_of(form.items(), is_top_level_form);
}

class Expansion {
public:
    Expansion(Forms& forms, Diagnostics& diagnostics) : forms_(forms), make_(forms), records_(make_, diagnostics) {}

    bool run() {
        const auto changes = [](const Form& form) {
            return is_top_level_form(form) || is_group(form) || Hierarchies::derives(form) ||
                   (form.is(FormKind::List) && form.size > 2 && form.items()[0].is_symbol("def"));
        };
        if (std::ranges::none_of(forms_.top_level(), changes)) return true;
        for (const Form& form : forms_.top_level())
            open(form);
        Hierarchies hierarchies(make_, flat_);
        for (const Form& form : flat_)
            records_.declare(form);
        if (records_.are_too_many()) return false;
        if (work::is_over()) return true;
        hierarchies.begin(top_);
        const bool has_sequences = std::ranges::none_of(flat_, redefines_sequences);
        for (const Form& form : flat_) {
            if (!work::charge(4)) return true;
            const std::optional<Form> sequence = has_sequences ? sequence_of_itself(form, make_) : std::nullopt;
            if (sequence) {
                top_.push_back(*sequence);
                is_changed_ = true;
            } else if (const std::optional<Form> other = hierarchies.said(form)) {
                top_.push_back(*other);
                is_changed_ = true;
            } else if (records_.define(form, top_)) {
                is_changed_ = true;
            } else {
                top_.push_back(form);
            }
        }
        if (is_changed_) forms_.set_top_level(make_.kept(top_));
        if (records_.empty()) return true;
        for (const Form& form : forms_.top_level())
            records_.say(form);
        return true;
    }

private:
    void open(const Form& form) {
        if (!is_group(form)) {
            flat_.push_back(form);
            return;
        }
        is_changed_ = true;
        for (const Form& part : form.items().subspan(1))
            open(part);
    }

    Forms& forms_;
    FormMaker make_;
    Records records_;
    std::vector<Form> flat_; ///< the top level with all groups opened
    std::vector<Form> top_;  ///< what it becomes
    bool is_changed_ = false;
};

} // namespace

bool expand_forms(Forms& forms, Diagnostics& diagnostics) { return Expansion(forms, diagnostics).run(); }

} // namespace ptc
