#include "compiler/language/hierarchies.h"
#include "compiler/language/form_questions.h"

namespace ptc {
namespace {

/// #'h and (var h) as h: the name is looked up at each call.
const Form& without_var(const Form& hierarchy) {
    if (hierarchy.is(FormKind::List) && hierarchy.size == 2 && hierarchy.items()[0].is_symbol("var"))
        return hierarchy.items()[1];
    return hierarchy;
}

} // namespace

bool Hierarchies::derives(const Form& form) { return is_list_of(form, "derive") && form.size == 3; }

Hierarchies::Hierarchies(FormMaker& make, const std::vector<Form>& top_level) : make_(make), top_level_(top_level) {
    has_global_ = std::ranges::any_of(top_level_, derives);
}

std::optional<Form> Hierarchies::said(const Form& form) {
    if (derives(form)) {
        const Form name = make_.symbol(kName, form.span);
        const Form before = is_made_ ? name : make_.list({make_.symbol(" make-hierarchy", form.span)}, form.span);
        is_made_ = true;
        const Form derived =
            make_.list({make_.symbol(" derive", form.span), before, form.items()[1], form.items()[2]}, form.span);
        return make_.list({make_.symbol("def", form.span), name, derived}, form.span);
    }
    if (!is_list_of(form, "defmulti")) return std::nullopt;
    const MultimethodParts parts = multimethod_parts(form);
    if (parts.is_malformed || (!parts.hierarchy && !has_global_)) return std::nullopt;
    Form hierarchy = parts.hierarchy ? without_var(*parts.hierarchy) : make_.symbol(kName, form.span);
    if (hierarchy.is(FormKind::Var)) hierarchy = make_.symbol(hierarchy.text(), hierarchy.span);
    std::vector<Form> said = {form.items()[0], form.items()[1], dispatch_by(hierarchy, form, *parts.dispatch)};
    if (parts.default_value) {
        said.push_back(make_.text(FormKind::Keyword, "default", form.span));
        said.push_back(*parts.default_value);
    }
    return make_.list(said, form.span);
}

/// (comp (fn [kind] (nearest-kind% hierarchy kind [value ..])) dispatch)
Form Hierarchies::dispatch_by(const Form& hierarchy, const Form& definition, const Form& dispatch) {
    const Span span = dispatch.span;
    std::vector<Form> values;
    for (const Form& form : top_level_) {
        const bool is_method = is_list_of(form, "defmethod") && form.size > 3 &&
                               definition.items()[1].is(FormKind::Symbol) &&
                               form.items()[1].is_symbol(definition.items()[1].text());
        if (is_method) values.push_back(form.items()[2]);
    }
    const Form kind = make_.symbol(" kind", span);
    const Form nearest = make_.list(
        {make_.symbol(" nearest-kind%", span), hierarchy, kind, make_.of(FormKind::Vector, values, span)}, span);
    const Form chosen = make_.list({make_.symbol("fn", span), make_.of(FormKind::Vector, {kind}, span), nearest}, span);
    return make_.list({make_.symbol(" comp", span), chosen, dispatch}, span);
}

void Hierarchies::say(std::span<const Form> forms) {
    if (!has_global_) return;
    for (const Form& form : forms)
        say(form);
}

void Hierarchies::say(const Form& form) {
    if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote) || is_list_of(form, "quote"))
        return;
    for (const Form& item : form.items())
        say(item);
    const bool asks_two = calls(form, "isa?") && form.size == 3;
    if (!asks_two && !(calls_one_of(form, {"parents", "ancestors", "descendants"}) && form.size == 2)) return;
    std::vector<Form> items(form.items().begin(), form.items().end());
    items.insert(items.begin() + 1, make_.symbol(kName, form.span));
    const FormKind kind = form.kind;                            // (..) or #(..)
    const_cast<Form&>(form) = make_.of(kind, items, form.span); // the reader's, or ours
}

} // namespace ptc
