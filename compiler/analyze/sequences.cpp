// Which forms give a sequence is read off the text: calls of functions that give one, names that are bound to such
// calls, what a form's last part gives. What is not known is a vector, as nearly everything is.
#include "compiler/analyze/sequences.h"
#include "compiler/analyze/analysis.h"
#include "compiler/language/core_library.h"
#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::uint32_t kMaxDepth = 32; ///< of forms whose last part is their value

/// Whether it gives a sequence whatever it is given, or nil.
bool is_maker(const Analyzer& a, std::string_view function) {
    const CoreName* name = a.core.lookup(function, name_hash(function));
    return name && (name->traits & traits::kSequence) != 0;
}

/// `outside`: names may be bound between here and the form.
bool gives_sequence(Analyzer& a, const Form& form, bool outside, std::uint32_t depth) {
    if (form.is(FormKind::Symbol)) {
        if (outside) return false;
        const std::string_view name = form.is_symbol("%") ? "%1" : form.text();
        const Binding* found = find_binding(a.at.site.scope, name, name_hash(name));
        return found && found->kind == BindingKind::Local && found->local->is_sequence;
    }
    if (!form.is(FormKind::List) || form.size == 0 || depth == kMaxDepth) return false;
    const FormSpan parts = form.items();
    const std::string_view head = a.names.language_name(parts[0]);
    if (head == "->>" || head == "->") {
        const Form& last = parts.back();
        return parts.size() > 2 &&
               is_maker(a, a.names.language_name(last.is(FormKind::List) && last.size > 0 ? last.items()[0] : last));
    }
    if (head.empty()) return false;
    if (tails_of(form).shape == Tails::None) return head == "for" || is_maker(a, head);
    const auto given = [&](const Form& part) { return gives_value(form, part); };
    return std::ranges::any_of(parts, given) && std::ranges::all_of(parts, [&](const Form& part) {
               return !given(part) || gives_sequence(a, part, true, depth + 1);
           });
}

bool is_adding(std::string_view name) { return name == "conj" || name == "into"; }

bool threads(std::string_view name) { return name == "->" || name == "cond->" || name == "some->"; }

/// Whether one of the names of `pattern` is added to in these forms: (conj NAME x), (-> NAME (conj x)).
bool adds_to(Analyzer& a, const Form& pattern, FormSpan forms, std::uint32_t depth) {
    const auto is_name = [&](const Form& form) { return form.is(FormKind::Symbol) && mentions(pattern, form.text()); };
    return std::ranges::any_of(forms, [&](const Form& form) {
        if (!has_items(form) || depth == kMaxDepth) return false;
        const FormSpan parts = form.items();
        if (is_call(form) && parts.size() > 2) {
            const std::string_view head = a.names.language_name(parts[0]);
            const bool passes_name = is_name(parts[1]) || (parts.size() > 3 && is_name(parts[2]));
            if (is_adding(head) && is_name(parts[1])) return true;
            if ((head == "apply" || head == "reduce" || threads(head)) && passes_name) return true;
        }
        return adds_to(a, pattern, parts, depth + 1);
    });
}

/// Whether a function that is folded adds to its accumulator.
bool adds_to_accumulator(Analyzer& a, const Form& function) {
    if (function.is(FormKind::Symbol)) return is_adding(a.names.language_name(function));
    const FormSpan parts = has_items(function) ? function.items() : FormSpan{};
    if (function.is(FormKind::ShortFn)) {
        const bool adds = parts.size() > 2 && is_adding(a.names.language_name(parts[0]));
        return adds && (parts[1].is_symbol("%") || parts[1].is_symbol("%1"));
    }
    for (std::size_t i = 1; i < parts.size() && i < 3; ++i) { // (fn name? [acc x] body ..)
        if (parts[i].is(FormKind::Vector) && parts[i].size > 0 && parts[0].is_symbol("fn"))
            return adds_to(a, parts[i].items()[0], parts.subspan(i + 1), 0);
    }
    return false;
}

/// The call with what it adds to, argument `i`, as a list.
Node* call_of_list(Analyzer& a, const Form& call, std::size_t i, Tail tail) {
    Form* items = a.nodes.allocate<Form>(call.size);
    std::uninitialized_copy(call.items().begin(), call.items().end(), items);
    items[i] = as_list_form(a, items[i]);
    return a.analyze(call_of({items, call.size}, call.span), tail);
}

} // namespace

bool gives_sequence(Analyzer& a, const Form& form) { return !a.at.site.core && gives_sequence(a, form, false, 0); }

Form as_list_form(Analyzer& a, const Form& form) {
    const auto call = [&](std::string_view function, const Form& argument) {
        Form* items = a.nodes.allocate<Form>(2);
        std::construct_at(&items[0], hidden_name(function, form.span));
        std::construct_at(&items[1], argument);
        return call_of({items, 2}, form.span);
    };
    return call(" as-list%", a.names.has_lazy() ? call(" whole%", form) : form);
}

Form first_of_loop(Analyzer& a, const Form& pattern, const Form& first, FormSpan body) {
    return gives_sequence(a, first) && adds_to(a, pattern, body, 0) ? as_list_form(a, first) : first;
}

void note_sequence(Analyzer& a, const Form& name) {
    if (a.at.site.core || !name.is(FormKind::Symbol)) return;
    const Binding* found = find_binding(a.at.site.scope, name.text(), name_hash(name.text()));
    if (found && found->kind == BindingKind::Local) found->local->is_sequence = true;
}

Node* call_with_list(Analyzer& a, const CoreName& name, const Form& list, Tail tail) {
    if (a.at.site.core || list.size < 3) return nullptr;
    const FormSpan parts = list.items();
    const bool is_vector =
        name.name == "into" && is_call(parts[1]) && parts[1].size > 1 &&
        a.names.language_name(parts[1].items()[0]) == "list"; // (into (list 1) [2]): as in the reference
    if (is_adding(name.name))
        return !is_vector && gives_sequence(a, parts[1]) ? call_of_list(a, list, 1, tail) : nullptr;
    const bool is_fold = name.name == "reduce" && list.size == 4 && adds_to_accumulator(a, parts[1]);
    const bool is_applied = name.name == "apply" && list.size > 3 && is_adding(a.names.language_name(parts[1]));
    return (is_fold || is_applied) && gives_sequence(a, parts[2]) ? call_of_list(a, list, 2, tail) : nullptr;
}

} // namespace ptc
