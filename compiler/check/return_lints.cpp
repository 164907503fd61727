// `return` ends the program here, and the function in other languages. In a function whose value is used, as in
// (+ (f 1) (f 2)), it can only have been meant for the function: what stands around the call is never run.
//
// A (return x) in the last place of the function becomes x, and (when test (return a)) in front of what the function
// does otherwise becomes (if test a ..). A return in another place has no equivalent: then there is no edit.
#include "compiler/check/check_warnings.h"
#include "compiler/check/lints.h"
#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {
namespace {

using FormSpan = std::span<const Form>;

bool is_return(const Form& form) { return calls(form, "return") && form.size == 2; }

bool has_return(const Form& form) {
    if (calls(form, "return")) return true;
    return has_items(form) && std::ranges::any_of(form.items(), has_return);
}

/// Whether `name` stands where its value, or that of a call of it, goes into something else: an argument of a function
/// or a binding.
bool is_value_used(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    const FormSpan items = form.items();
    const bool is_body =
        tails_of(form).shape != Tails::None || calls_one_of(form, {"and", "or", "fn", "defn", "def", "try", "return"});
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_name = items[i].is_symbol(name);
        const bool is_use = calls(items[i], name) || (is_name && i > 0);
        if (is_use && !is_body && (is_call(form) || !form.is(FormKind::List))) return true;
        if (is_value_used(items[i], name)) return true;
    }
    return false;
}

/// Makes the edits for a body whose value is that of the function; false where a return stays that cannot go.
class Unreturned {
public:
    bool body(FormSpan forms) {
        for (std::size_t i = 0; i + 1 < forms.size(); ++i) {
            if (!has_return(forms[i])) continue;
            return early(forms[i], forms.subspan(i + 1));
        }
        return forms.empty() || last(forms.back());
    }
    std::vector<Edit> edits;

private:
    /// (when test (return a)) in front of `rest`.
    bool early(const Form& form, FormSpan rest) {
        const bool guards = (calls(form, "when") || calls(form, "if")) && form.size == 3 && is_return(form.items()[2]);
        if (!guards || has_return(form.items()[1])) return false;
        edits.push_back({form.items()[0].span, "if"});
        if (!last(form.items()[2])) return false;
        const bool many = rest.size() > 1;
        edits.push_back({{form.span.end - 1, form.span.end}, many ? " (do" : ""});
        if (!body(rest)) return false;
        edits.push_back({{rest.back().span.end, rest.back().span.end}, many ? "))" : ")"});
        return true;
    }
    bool last(const Form& form) {
        if (!has_return(form)) return true;
        if (is_return(form)) {
            const Span value = form.items()[1].span;
            edits.push_back({{form.span.begin, value.begin}, ""});
            edits.push_back({{value.end, form.span.end}, ""});
            return !has_return(form.items()[1]);
        }
        if (!is_call(form)) return false;
        const Tails tails = tails_of(form);
        const FormSpan items = form.items();
        if (tails.shape == Tails::None || items.size() <= tails.first) return false;
        if (std::ranges::any_of(items.first(tails.first), has_return)) return false;
        const FormSpan rest = items.subspan(tails.first);
        if (tails.shape <= Tails::Guarded) return body(rest);
        return std::ranges::all_of(
            rest, [&](const Form& part) { return gives_value(form, part) ? last(part) : !has_return(part); });
    }
};

/// The function literals in `form` that a function is given, and whose values it uses.
void find_passed(const Form& form, std::vector<const Form*>& found) {
    if (!has_items(form)) return;
    const bool is_special = calls_one_of(form, {"fn", "defn", "let", "do", "if", "when", "loop", "def", "return"});
    for (const Form& item : form.items()) {
        const bool is_literal = item.is(FormKind::ShortFn) || calls(item, "fn");
        const bool is_passed = is_literal && form.is(FormKind::List) && !is_special && &item != form.first;
        if (is_passed && has_return(item)) found.push_back(&item);
        find_passed(item, found);
    }
}

/// The forms that the program's value is made by.
void find_answers(const Form& form, std::vector<const Form*>& found) {
    if (tails_of(form).shape == Tails::None) {
        found.push_back(&form);
        return;
    }
    for (const Form& item : form.items()) {
        if (gives_value(form, item)) find_answers(item, found);
    }
}

/// {:return x} [:return x] ["return" x] (:return x) (list :return x) '(return x): the value in it, and what it says.
const Form* answered(const Form& form, std::string_view* name) {
    if (form.is(FormKind::Quote) && form.size == 1 && calls_one_of(form.items()[0], {"return", "fail"}) &&
        form.items()[0].size == 2) {
        *name = form.items()[0].items()[0].text();
        return &form.items()[0].items()[1];
    }
    const bool is_shape = form.is(FormKind::Map) || form.is(FormKind::Vector) || form.is(FormKind::List);
    if (!is_shape) return nullptr;
    const FormSpan items = form.items().subspan(calls_one_of(form, {"list", "vector"}) ? 1 : 0);
    if (items.size() != 2) return nullptr;
    const bool is_word = items[0].is(FormKind::Keyword) || (items[0].is(FormKind::String) && !form.is(FormKind::List));
    if (!is_word || !is_one_of(items[0].text(), {"return", "fail"})) return nullptr;
    *name = items[0].text();
    return &items[1];
}

/// (let [out (atom [])] .. out): the name of an atom as the program's value.
bool is_atom_of(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    if (calls(form, "let") && form.size > 2 && form.items()[1].is(FormKind::Vector)) {
        const FormSpan bindings = form.items()[1].items();
        for (std::size_t i = 0; i + 1 < bindings.size(); i += 2) {
            if (bindings[i].is_symbol(name)) return calls(bindings[i + 1], "atom");
        }
    }
    return calls_one_of(form, {"let", "do"}) && is_atom_of(form.items().back(), name);
}

} // namespace

void Lints::check_answers() {
    std::vector<const Form*> answers;
    find_answers(program_.back(), answers);
    std::string_view name;
    const bool returns = std::ranges::any_of(answers, [&](const Form* form) {
        return calls(*form, "return") || (answered(*form, &name) && name == "return");
    });
    for (const Form* form : answers) {
        if (report_.is_full()) return;
        const Form* value = answered(*form, &name);
        // {:fail 3} alone may be a count.
        if (value && (name == "return" || returns)) report_.warn(returned_form(*form, *value, name));
        if (calls(*form, "printf") && form->size > 1 && !names_.meaning_of("printf").global)
            report_.warn(printed_answer(form->items()[0].span));
        if (form->is(FormKind::Map)) {
            for (std::size_t i = 1; i < form->size && !report_.is_full(); i += 2) {
                const Form& part = form->items()[i];
                if (part.is(FormKind::Symbol) && is_atom_of(program_.back(), part.text()))
                    report_.warn(unread_atom(part.span, part.text()));
            }
        }
        if (form->is(FormKind::Symbol) && is_atom_of(program_.back(), form->text()))
            report_.warn(unread_atom(form->span, form->text()));
    }
}

void Lints::check_returns() {
    if (program_.empty() || work::is_over()) return;
    check_answers();
    if (!mentions_return_() || std::ranges::none_of(program_, has_return)) return; // as in most programs
    std::vector<const Form*> passed;
    for (const Form& form : program_)
        find_passed(form, passed);
    for (const Form* literal : passed) {
        if (report_.is_full()) break;
        Unreturned mended;
        if (literal->is(FormKind::ShortFn)) {
            if (calls(*literal, "return")) mended.edits = {{literal->items()[0].span, "identity"}};
        } else {
            const auto at =
                std::ranges::find_if(literal->items(), [](const Form& f) { return f.is(FormKind::Vector); });
            const auto behind = static_cast<std::size_t>(at - literal->items().begin()) + 1;
            if (behind > literal->size || !mended.body(literal->items().subspan(behind))) mended.edits.clear();
        }
        report_.warn(return_of_function({literal->span.begin, literal->items()[0].span.end}, "fn", mended.edits));
    }
    for (const Form& form : program_) {
        if (!calls_one_of(form, {"defn", "defn-"}) || form.size < 4 || !form.items()[1].is(FormKind::Symbol)) continue;
        const auto params = std::ranges::find_if(form.items(), [](const Form& f) { return f.is(FormKind::Vector); });
        if (params == form.items().end() || !has_return(form) || report_.is_full()) continue;
        const std::string_view name = form.items()[1].text();
        const bool is_used = std::ranges::any_of(
            program_, [&](const Form& other) { return &other != &form && is_value_used(other, name); });
        if (!is_used) continue;
        Unreturned mended;
        const FormSpan body = form.items().subspan(static_cast<std::size_t>(params - form.items().begin()) + 1);
        if (!mended.body(body)) mended.edits.clear();
        report_.warn(return_of_function(form.items()[1].span, name, std::move(mended.edits)));
    }
}

} // namespace ptc
