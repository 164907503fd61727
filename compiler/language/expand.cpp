// The expansions of expand.h. They are made on the forms that the reader made, in place where only a name changes, so
// that the analyzer, the checker and the repairs all see the same program.
#include "compiler/language/expand.h"
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ptc {
namespace {

bool is_list_of(const Form& form, std::string_view head) {
    return form.is(FormKind::List) && form.size > 0 && form.items()[0].is_symbol(head);
}

bool is_record(const Form& form) { // one that implements protocols is left to the analyzer, which refuses it
    if (!is_list_of(form, "defrecord") || form.size != 3) return false;
    const Form& name = form.items()[1];
    const Form& fields = form.items()[2];
    return name.is(FormKind::Symbol) && fields.is(FormKind::Vector) &&
           std::ranges::all_of(fields.items(), [](const Form& field) { return field.is(FormKind::Symbol); });
}

/// Whether the definitions in a (do ..) count only at the top level.
bool has_top_level_part(const Form& form) {
    return std::ranges::any_of(form.items(), [](const Form& part) {
        return is_list_of(part, "defmulti") || is_list_of(part, "defmethod") || is_record(part);
    });
}

class Expansion {
public:
    explicit Expansion(Forms& forms) : forms_(forms) {}

    void run() {
        const bool has_parts = std::ranges::any_of(forms_.top_level(), [](const Form& form) {
            return is_record(form) || (is_list_of(form, "do") && has_top_level_part(form));
        });
        if (!has_parts) return;
        for (const Form& form : forms_.top_level())
            add(form);
        forms_.set_top_level(kept(top_));
        if (records_.empty()) return;
        for (const Form& form : forms_.top_level())
            rename_constructors(form);
    }

private:
    void add(const Form& form) {
        if (is_record(form)) {
            define_record(form);
        } else if (is_list_of(form, "do") && has_top_level_part(form)) {
            for (const Form& part : form.items().subspan(1))
                add(part);
        } else {
            top_.push_back(form);
        }
    }

    /// (defn ->Name [a b] {:a a :b b}) (defn map->Name [m] (merge {:a nil :b nil} m))
    void define_record(const Form& form) {
        const Span span = form.items()[1].span;
        const std::string name(form.items()[1].text());
        const Form& fields = form.items()[2];
        records_.push_back(name);
        std::vector<Form> given, empty;
        for (const Form& field : fields.items()) {
            given.push_back(text(FormKind::Keyword, field.text(), span));
            given.push_back(field);
            empty.push_back(given[given.size() - 2]);
            empty.emplace_back();
            empty.back().span = span;
        }
        const Form defn = text(FormKind::Symbol, "defn", span);
        top_.push_back(
            list({defn, text(FormKind::Symbol, "->" + name, span), fields, of(FormKind::Map, given, span)}, form.span));
        const Form map = text(FormKind::Symbol, "m", span);
        const Form merged = list({text(FormKind::Symbol, "merge", span), of(FormKind::Map, empty, span), map}, span);
        top_.push_back(
            list({defn, text(FormKind::Symbol, "map->" + name, span), of(FormKind::Vector, {map}, span), merged},
                 form.span));
    }

    /// (Name. x ..)
    void rename_constructors(const Form& form) {
        if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote)) return;
        for (const Form& item : form.items())
            rename_constructors(item);
        if ((!form.is(FormKind::List) && !form.is(FormKind::ShortFn)) || form.size == 0) return;
        auto& head = const_cast<Form&>(form.items()[0]); // the reader's, or ours
        if (!head.is(FormKind::Symbol) || !head.text().ends_with('.')) return;
        const std::string_view name = head.text().substr(0, head.size - 1);
        if (std::ranges::find(records_, name) == records_.end()) return;
        head = text(FormKind::Symbol, "->" + std::string(name), head.span);
    }

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

    Forms& forms_;
    std::vector<Form> top_;
    std::vector<std::string> records_;
};

} // namespace

void expand_forms(Forms& forms) { Expansion(forms).run(); }

} // namespace ptc
