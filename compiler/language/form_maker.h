// Makes forms that the text does not have, in the arena of the forms that it has.
#pragma once
#include "frontend/form.h"
#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace ptc {

/// Whether it is a list with this name in front.
inline bool is_list_of(const Form& form, std::string_view head) {
    return form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol(head);
}

/// Borrows the forms. Each form that is made has the span of what it stands for.
class FormMaker {
public:
    explicit FormMaker(Forms& forms) : forms_(forms) {}

    Form text(FormKind kind, std::string_view value, Span span) {
        char* copy = static_cast<char*>(forms_.arena().allocate(value.size(), 1));
        std::ranges::copy(value, copy);
        Form form;
        form.kind = kind;
        form.span = span;
        form.chars = copy;
        form.size = static_cast<std::uint32_t>(value.size());
        return form;
    }
    std::span<const Form> kept(const std::vector<Form>& items) {
        auto* copy = static_cast<Form*>(forms_.arena().allocate(items.size() * sizeof(Form), alignof(Form)));
        std::uninitialized_copy(items.begin(), items.end(), copy);
        return {copy, items.size()};
    }
    Form of(FormKind kind, const std::vector<Form>& items, Span span) {
        Form form;
        form.kind = kind;
        form.span = span;
        form.first = kept(items).data();
        form.size = static_cast<std::uint32_t>(items.size());
        return form;
    }
    Form list(const std::vector<Form>& items, Span span) { return of(FormKind::List, items, span); }
    Form symbol(std::string_view name, Span span) { return text(FormKind::Symbol, name, span); }
    static Form integer(std::int64_t value, Span span) {
        Form form;
        form.kind = FormKind::Integer;
        form.span = span;
        form.integer = value;
        return form;
    }

private:
    Forms& forms_;
};

} // namespace ptc
