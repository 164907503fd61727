#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {

const SpecialForm* special_form_of(const Form& form) {
    const bool is_named = form.is(FormKind::List) && form.size > 0 && form.items()[0].is(FormKind::Symbol);
    return is_named ? special_form_of(form.items()[0].text()) : nullptr;
}

Tails tails_of(const Form& form) {
    const SpecialForm* special = special_form_of(form);
    return special ? special->tails : Tails();
}

bool gives_value(const Form& form, const Form& item) {
    return is_tail(tails_of(form), static_cast<std::size_t>(&item - form.first), form.size);
}

bool is_conditional(const Form& form) { return tails_of(form).shape > Tails::Last; }

bool has_items(const Form& form) {
    switch (form.kind) {
    case FormKind::List:
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set:
    case FormKind::ShortFn:
    case FormKind::Quote: return true;
    default: return false;
    }
}

bool is_placeholder(const Form& form) {
    if (!form.is(FormKind::Symbol) || form.text().front() != '%') return false;
    const std::string_view rest = form.text().substr(1);
    return rest == "&" || rest.find_first_not_of("0123456789") == rest.npos;
}

bool has_placeholder(const Form& form) {
    if (is_placeholder(form)) return true;
    if (!has_items(form) || form.is(FormKind::ShortFn)) return false;
    return std::ranges::any_of(form.items(), has_placeholder);
}

bool needs_named_parameter(const Form& form) {
    if (is_placeholder(form) || form.is(FormKind::ShortFn)) return true;
    return has_items(form) && std::ranges::any_of(form.items(), needs_named_parameter);
}

bool mentions(const Form& form, std::string_view name) {
    if (form.is_symbol(name)) return true;
    return has_items(form) && std::ranges::any_of(form.items(), [&](const Form& f) { return mentions(f, name); });
}

std::size_t count_of(const Form& form, std::string_view name) {
    if (!has_items(form)) return form.is_symbol(name) ? 1 : 0;
    std::size_t count = 0;
    for (const Form& item : form.items())
        count += count_of(item, name);
    return count;
}

} // namespace ptc
