// Questions about forms as they are written, whatever the names in them mean: for rewrites, lints and repairs.
#pragma once
#include "compiler/language/special_forms.h"
#include "frontend/form.h"
#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace ptc {

[[nodiscard]] inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}
/// A symbol that is one of these names.
[[nodiscard]] inline bool is_symbol_of(const Form& form, std::initializer_list<std::string_view> names) {
    return form.is(FormKind::Symbol) && is_one_of(form.text(), names);
}
/// Letters, digits, - and _.
[[nodiscard]] inline bool is_plain_name(std::string_view name) {
    return std::ranges::all_of(name, [](char c) {
        return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' || c == '_';
    });
}

/// A list or #() that calls something.
[[nodiscard]] inline bool is_call(const Form& form) {
    return (form.is(FormKind::List) || form.is(FormKind::ShortFn)) && form.size > 0;
}
/// => or ->, as other languages have them between parameters and body, or key and value.
[[nodiscard]] inline bool is_arrow(const Form& form) { return is_symbol_of(form, {"=>", "->"}); }
/// Whether a form may give a function. What cannot is an error that the function which gets it tells of, or none.
[[nodiscard]] inline bool may_be_function(const Form& form) {
    switch (form.kind) {
    case FormKind::Symbol:
    case FormKind::Keyword:
    case FormKind::List:
    case FormKind::Map:
    case FormKind::Set:
    case FormKind::ShortFn:
    case FormKind::Var: return true;
    default: return false;
    }
}
/// A call whose head is this name.
[[nodiscard]] inline bool calls(const Form& form, std::string_view name) {
    return is_call(form) && form.items()[0].is_symbol(name);
}
/// A call whose head is one of these names.
[[nodiscard]] inline bool calls_one_of(const Form& form, std::initializer_list<std::string_view> names) {
    return is_call(form) && is_symbol_of(form.items()[0], names);
}
/// The row of the special form that a list calls by its name; null for other forms.
[[nodiscard]] const SpecialForm* special_form_of(const Form& form);
/// Where the value of a form comes from; of shape None for what is no special form.
[[nodiscard]] Tails tails_of(const Form& form);
/// Whether the value of `form` may be that of its item: a branch of an if, the last form of a let.
[[nodiscard]] bool gives_value(const Form& form, const Form& item);
/// Whether its value depends on a test: if, when, cond, case and their kin.
[[nodiscard]] bool is_conditional(const Form& form);
/// Brackets of any kind, also when they are empty, and a quote.
[[nodiscard]] bool has_items(const Form& form);
/// A placeholder of #(): %, %1, %&.
[[nodiscard]] bool is_placeholder(const Form& form);
/// Whether a placeholder stands in `form` that belongs to an enclosing #(), or to none.
[[nodiscard]] bool has_placeholder(const Form& form);
/// Whether some #() or placeholder stands in it: then it cannot be put into another #().
[[nodiscard]] bool needs_named_parameter(const Form& form);
/// How often destructuring by `pattern` binds the name.
[[nodiscard]] std::size_t count_bindings(const Form& pattern, std::string_view name);
/// What stands behind the namespace of a name.
[[nodiscard]] std::string_view name_part(std::string_view name);
/// Whether the name stands in `form`, bound there or not.
[[nodiscard]] bool mentions(const Form& form, std::string_view name);
/// How often it does.
[[nodiscard]] std::size_t count_of(const Form& form, std::string_view name);

/// (defmulti name "doc"? {metadata}? dispatch option value ..), the options being :default and :hierarchy; null: none.
struct MultimethodParts {
    const Form* dispatch = nullptr;
    const Form* default_value = nullptr;
    const Form* hierarchy = nullptr;
    bool is_malformed = false;
};
[[nodiscard]] MultimethodParts multimethod_parts(const Form& definition);
/// The body of (with-precision digits :rounding? mode body ..).
[[nodiscard]] std::span<const Form> precision_body(const Form& form);

} // namespace ptc
