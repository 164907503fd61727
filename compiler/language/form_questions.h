// Questions about forms as they are written, whatever the names in them mean: for rewrites, lints and repairs.
#pragma once
#include "frontend/form.h"
#include <string_view>

namespace ptc {

/// A list or #() that calls something.
[[nodiscard]] inline bool is_call(const Form& form) {
    return (form.is(FormKind::List) || form.is(FormKind::ShortFn)) && form.size > 0;
}
/// A call whose head is this name.
[[nodiscard]] inline bool calls(const Form& form, std::string_view name) {
    return is_call(form) && form.items()[0].is_symbol(name);
}
/// Brackets of any kind, also when they are empty, and a quote.
[[nodiscard]] bool has_items(const Form& form);
/// A placeholder of #(): %, %1, %&.
[[nodiscard]] bool is_placeholder(const Form& form);
/// Whether a placeholder stands in `form` that belongs to an enclosing #(), or to none.
[[nodiscard]] bool has_placeholder(const Form& form);
/// Whether some #() or placeholder stands in it: then it cannot be put into another #().
[[nodiscard]] bool needs_named_parameter(const Form& form);
/// Whether the name stands in `form`, bound there or not.
[[nodiscard]] bool mentions(const Form& form, std::string_view name);

} // namespace ptc
