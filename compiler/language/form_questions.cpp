// Answered by the shape of a form alone, and by the names of special forms: no scope is known here, so a name that a
// program hides looks like the one that it hides.
#include "compiler/language/form_questions.h"
#include "frontend/work.h"
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

std::string_view name_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

static std::size_t count_bindings_of_part(const Form& key, const Form& value, std::string_view name) {
    if (!key.is(FormKind::Keyword)) return count_bindings(key, name);
    if (key.text() == "or") return 0;
    if (key.text() == "as") return value.is_symbol(name) ? 1 : 0;
    if (!has_items(value)) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(value.items(), [&](const Form& item) { // keys, user/keys ..
        return (item.is(FormKind::Symbol) || item.is(FormKind::Keyword)) && name_part(item.text()) == name;
    }));
}

std::size_t count_bindings(const Form& pattern, std::string_view name) {
    if (!work::charge(1)) return 0;
    if (pattern.is_symbol(name)) return 1;
    if (!pattern.is(FormKind::Vector) && !pattern.is(FormKind::Map)) return 0;
    const std::span<const Form> items = pattern.items();
    std::size_t count = 0;
    if (pattern.is(FormKind::Vector)) {
        for (const Form& item : items)
            count += count_bindings(item, name);
    }
    for (std::size_t i = 0; pattern.is(FormKind::Map) && i + 1 < items.size(); i += 2)
        count += count_bindings_of_part(items[i], items[i + 1], name);
    return count;
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

MultimethodParts multimethod_parts(const Form& definition) {
    std::span<const Form> rest = definition.items().subspan(std::min<std::size_t>(2, definition.size));
    if (rest.size() > 1 && rest[0].is(FormKind::String)) rest = rest.subspan(1);
    if (rest.size() > 1 && rest[0].is(FormKind::Map)) rest = rest.subspan(1);
    MultimethodParts parts;
    if (rest.empty()) return {.is_malformed = true};
    parts.dispatch = &rest[0];
    parts.is_malformed = rest.size() % 2 == 0;
    for (std::size_t i = 1; i + 1 < rest.size(); i += 2) {
        if (!rest[i].is(FormKind::Keyword))
            parts.is_malformed = true;
        else if (rest[i].text() == "default")
            parts.default_value = &rest[i + 1];
        else if (rest[i].text() == "hierarchy")
            parts.hierarchy = &rest[i + 1];
        else
            parts.is_malformed = true;
    }
    return parts;
}

std::span<const Form> precision_body(const Form& form) {
    const std::span<const Form> rest = form.items().subspan(std::min<std::size_t>(2, form.size));
    const bool says_mode = !rest.empty() && rest[0].is(FormKind::Keyword) && rest[0].text() == "rounding";
    return says_mode ? rest.subspan(std::min<std::size_t>(2, rest.size())) : rest;
}

} // namespace ptc
