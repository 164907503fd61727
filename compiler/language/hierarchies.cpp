// What the forms of hierarchies.h become. Definitions stand in front of the program, so that a derive may follow what
// asks; spans are those of the forms that they stand for.
#include "compiler/language/hierarchies.h"
#include "compiler/language/form_questions.h"

namespace ptc {
namespace {

/// #'h and (var h) as h: the name is looked up at each call.
Form without_var(FormMaker& make, const Form& hierarchy) {
    if (hierarchy.is(FormKind::Var)) return make.symbol(hierarchy.text(), hierarchy.span);
    const bool is_var = hierarchy.is(FormKind::List) && hierarchy.size == 2 && hierarchy.items()[0].is_symbol("var");
    return is_var ? hierarchy.items()[1] : hierarchy;
}

bool defines(const Form& form, std::string_view name) {
    return form.is(FormKind::List) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
           form.items()[0].text().starts_with("def") && form.items()[1].is_symbol(name);
}

} // namespace

bool Hierarchies::derives(const Form& form) { return is_list_of(form, "derive") && form.size == 3; }

Hierarchies::Hierarchies(FormMaker& make, const std::vector<Form>& top_level) : make_(make), top_level_(top_level) {
    const auto first = std::ranges::find_if(top_level_, derives);
    const auto is_own = [](const Form& form) { return defines(form, "derive"); };
    if (first != top_level_.end() && std::ranges::none_of(top_level_, is_own)) first_ = &*first;
}

bool Hierarchies::mentions_anywhere(std::string_view name) const {
    return std::ranges::any_of(top_level_, [&](const Form& form) { return mentions(form, name); });
}

void Hierarchies::begin(std::vector<Form>& out) {
    if (!first_) return;
    const Span span = first_->span;
    const Form none = make_.list({make_.symbol(" make-hierarchy", span)}, span);
    out.push_back(make_.list({make_.symbol("defonce", span), make_.symbol(kName, span), none}, span));
    constexpr std::pair<std::string_view, std::size_t> kQuestions[] = {
        {"isa?", 2}, {"parents", 1}, {"ancestors", 1}, {"descendants", 1}};
    for (const auto& [name, arguments] : kQuestions) {
        const auto is_own = [&](const Form& form) { return defines(form, name); };
        if (mentions_anywhere(name) && std::ranges::none_of(top_level_, is_own))
            out.push_back(question(name, arguments, span));
    }
}

/// (defn parents ([x] (parents global-hierarchy x)) ([hierarchy x] (parents hierarchy x))), by the language's own.
Form Hierarchies::question(std::string_view name, std::size_t arguments, Span span) {
    constexpr std::string_view kParameters[] = {"child", "parent"};
    const Form own = make_.symbol(" " + std::string(name), span);
    const Form hierarchy = make_.symbol("hierarchy", span);
    std::vector<Form> parameters;
    for (std::size_t i = 0; i < arguments; ++i)
        parameters.push_back(make_.symbol(kParameters[i], span));
    std::vector<Form> clauses = {make_.symbol("defn", span), make_.symbol(name, span)};
    for (const bool is_given : {false, true}) {
        std::vector<Form> taken = parameters, call = {own, is_given ? hierarchy : make_.symbol(kName, span)};
        call.insert(call.end(), parameters.begin(), parameters.end());
        if (is_given) taken.insert(taken.begin(), hierarchy);
        clauses.push_back(make_.list({make_.of(FormKind::Vector, taken, span), make_.list(call, span)}, span));
    }
    return make_.list(clauses, span);
}

std::optional<Form> Hierarchies::said(const Form& form) {
    if (first_ && derives(form)) {
        const Form name = make_.symbol(kName, form.span);
        const Form derived =
            make_.list({make_.symbol(" derive", form.span), name, form.items()[1], form.items()[2]}, form.span);
        return make_.list({make_.symbol("def", form.span), name, derived}, form.span);
    }
    if (!is_list_of(form, "defmulti")) return std::nullopt;
    const MultimethodParts parts = multimethod_parts(form);
    if (parts.is_malformed || (!parts.hierarchy && !first_)) return std::nullopt;
    const Form hierarchy = parts.hierarchy ? without_var(make_, *parts.hierarchy) : make_.symbol(kName, form.span);
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

} // namespace ptc
