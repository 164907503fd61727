// An argument of a call of one of the language's functions, as the parts of the checker hand it on.
#pragma once
#include "compiler/check/fact.h"
#include "frontend/form.h"

namespace ptc {

struct CallArgument {
    const Form* form = nullptr; ///< null: there is only a fact
    const Fact* fact = nullptr; ///< null: not looked at yet
};

/// (fn ..), #(..)
[[nodiscard]] inline bool is_function_form(const Form& form) {
    if (form.is(FormKind::ShortFn)) return true;
    return form.is(FormKind::List) && form.size > 1 && form.items()[0].is_symbol("fn");
}
/// What is looked up in maps of fields.
[[nodiscard]] inline bool is_key_form(const Form& form) {
    return form.is(FormKind::Keyword) || form.is(FormKind::String);
}
/// What is known of a literal; Any for other forms.
[[nodiscard]] const Fact* fact_of_literal(const Form& form);

} // namespace ptc
