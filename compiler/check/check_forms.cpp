// The special forms other than conditionals: bindings, definitions, loops, threading, tools and ends. A step of a
// threading form is looked at as the call that it is, with a hidden variable for the value that is passed in: its name
// begins with a blank, which no name of a program does.
#include "compiler/check/check_warnings.h"
#include "compiler/check/checker.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/libraries.h"
#include "compiler/language/namespaces.h"
#include "compiler/language/prelude.h"

namespace ptc {

const Fact* Checker::special_form(std::size_t index, const Form& list) {
    static constexpr Handler kHandlers[] = {
#define PTC_SPECIAL_FORM(name, handler, check, ...) &Checker::check,
#include "compiler/language/special_forms.def"
    };
    const Handler handler = kHandlers[index];
    return (this->*handler)(list);
}

const Fact* Checker::names_form(const Form& list) {
    ++effects_; // prints, or is there for people
    if (!calls(list, "meta") || list.size != 2) return Facts::any();
    const Form& about = list.items()[1];
    const bool is_value = (has_items(about) && !about.is(FormKind::Quote)) ||
                          (about.is(FormKind::Symbol) && names_.meaning_of(about.text()).variable);
    if (!is_value) return Facts::any();
    check(about);
    if (!report_.is_full()) report_.warn(no_metadata(list.items()[0].span, "meta"));
    return Facts::any();
}

const Fact* Checker::other_form(const Form& list) {
    ++effects_;
    return check_all(list.items().subspan(1));
}

// ---- Bindings

const Fact* Checker::let_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector)) return check_all(parts.subspan(1));
    NamesInScope::Scope scope(names_);
    bind_let(parts[1].items(), Unused::Name);
    return check_body(parts.subspan(2));
}

namespace {

/// Whether the form may bind `name` anew, so that what is called so there is another value.
bool binds_again(const Form& form, std::string_view name) {
    const bool binds = form.size > 1 && form.items()[1].is(FormKind::Vector);
    for (std::size_t i = 0; binds && i < form.items()[1].size; i += 2) {
        if (mentions(form.items()[1].items()[i], name)) return true;
    }
    return false;
}

/// What the recurs of a loop do with one of its variables.
struct NextValues {
    bool are_rests = true; ///< all give it the rest of itself, or itself
    bool is_there = false; ///< there is one
    bool has_rest = false; ///< one gives the rest
};

void look_for_recurs(std::span<const Form> forms, std::string_view name, std::size_t index, NextValues& next_values) {
    for (const Form& form : forms) {
        if (!form.is(FormKind::List) || form.size == 0) {
            if (has_items(form)) look_for_recurs(form.items(), name, index, next_values);
            continue;
        }
        const std::span<const Form> items = form.items();
        if (is_symbol_of(items[0], {"loop", "fn", "quote"})) continue;
        const bool is_threaded =
            is_symbol_of(items[0], {"->", "->>", "as->", "cond->", "cond->>", "some->", "some->>"});
        if (binds_again(form, name) || (is_threaded && mentions(form, "recur"))) next_values.are_rests = false;
        if (!items[0].is_symbol("recur")) {
            look_for_recurs(items, name, index, next_values);
            continue;
        }
        next_values.is_there = true;
        if (items.size() <= index + 1) {
            next_values.are_rests = false;
            continue;
        }
        const Form& next = items[index + 1];
        const bool rests = next.is(FormKind::List) && next.size == 2 && next.items()[1].is_symbol(name) &&
                           is_symbol_of(next.items()[0], {"rest", "next", "butlast", "pop"});
        const bool drops = next.is(FormKind::List) && next.size == 3 && next.items()[2].is_symbol(name) &&
                           is_symbol_of(next.items()[0], {"drop", "filter", "remove"});
        next_values.has_rest |= rests || drops;
        next_values.are_rests &= next.is_symbol(name) || rests || drops;
    }
}

} // namespace

/// What the variables of a loop are in later rounds is not known, but for one that stays, and for a collection that
/// only becomes shorter.
const Fact* Checker::fact_in_rounds(const Form& variable, const Fact* first, FormSpan body, std::size_t index) {
    if (!variable.is(FormKind::Symbol)) return Facts::any();
    NextValues next;
    look_for_recurs(body, variable.text(), index, next);
    if (!next.is_there || !next.are_rests) return Facts::any();
    if (first->kind != FactKind::List && first->kind != FactKind::Record) return Facts::any();
    return next.has_rest ? facts_.or_nil(facts_.list(facts_.item_of(first))) : first;
}

const Fact* Checker::loop_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector)) return check_all(parts.subspan(1));
    NamesInScope::Scope scope(names_);
    const FormSpan bindings = parts[1].items();
    for (std::size_t i = 0; i + 1 < bindings.size(); i += 2) {
        const Fact* fact = check(bindings[i + 1]);
        bind_pattern(bindings[i], fact_in_rounds(bindings[i], fact, parts.subspan(2), i / 2), Unused::Name);
    }
    ++depth_;
    const Fact* result = check_body(parts.subspan(2));
    --depth_;
    return result;
}

const Fact* Checker::fn_form(const Form& list) { return function_value(list); }

const Fact* Checker::do_form(const Form& list) { return check_body(list.items().subspan(1)); }

const Fact* Checker::precision_form(const Form& list) { return check_body(precision_body(list)); }

/// The body may end anywhere, so the value is not known.
const Fact* Checker::try_form(const Form& list) {
    ++effects_;
    ++depth_;
    for (const Form& part : list.items().subspan(1)) {
        const FormSpan clause = part.is(FormKind::List) ? part.items() : FormSpan{};
        if (clause.size() >= 3 && clause[0].is_symbol("catch")) {
            NamesInScope::Scope scope(names_);
            bind_pattern(clause[2], Facts::any(), Unused::Silent);
            check_body(clause.subspan(3));
        } else if (!clause.empty() && clause[0].is_symbol("finally")) {
            check_body(clause.subspan(1));
        } else {
            check(part);
        }
    }
    --depth_;
    return Facts::any();
}

// ---- Definitions

const Fact* Checker::define(const Form& name, const Fact* value, const Form* function) {
    ++effects_;
    if (!name.is(FormKind::Symbol) && !is_key_form(name)) return Facts::any();
    // A definition in a branch or function has perhaps not been reached where the name is read; then reading fails.
    names_.define(name.text(), depth_ == 0 ? value : Facts::never(), function);
    return Facts::any();
}

const Fact* Checker::def_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 3) return Facts::any();
    const Fact* value = check(parts.back());
    return define(parts[1], parts[0].is_symbol("defonce") ? Facts::any() : value,
                  is_function_form(parts.back()) ? &parts.back() : nullptr);
}

std::vector<DataInfo> Checker::facts_of(std::span<const Form> definitions) {
    std::vector<DataInfo> facts;
    for (const Form& definition : definitions) {
        if (!calls(definition, "def") || definition.size < 3) continue; // made into something else
        const std::string_view name = definition.items()[1].text();
        facts.push_back({name, check(definition.items().back())});
        names_.receive(name, facts.back().fact);
    }
    return facts;
}

const Fact* Checker::memory_put_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() != 3) return check_all(parts.subspan(1));
    const Fact* value = check(parts[2]);
    define(parts[1], value);
    return value;
}

Checker::FormSpan Checker::definition_parts(FormSpan parts) {
    while (parts.size() > 1 && (parts[0].is(FormKind::String) || parts[0].is(FormKind::Map)))
        parts = parts.subspan(1);
    return parts;
}

// (defn name "doc"? {metadata}? [params] body ..)
const Fact* Checker::defn_form(const Form& list) {
    FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return Facts::any();
    const Form& name = parts[0];
    const Fact* result = check_clauses(definition_parts(parts.subspan(1)), {});
    return define(name, facts_.function(result), &list);
}

const Fact* Checker::defmulti_form(const Form& list) {
    const FormSpan parts = list.items();
    const MultimethodParts multi = multimethod_parts(list);
    for (const Form* part : {multi.dispatch, multi.default_value, multi.hierarchy}) {
        if (part) check(*part);
    }
    return parts.size() > 1 ? define(parts[1], Facts::any()) : Facts::any();
}

const Fact* Checker::defmethod_form(const Form& list) {
    ++effects_;
    const FormSpan parts = list.items();
    if (parts.size() < 4) return Facts::any();
    check(parts[2]);
    return check_fn(parts.subspan(3), {});
}

const Fact* Checker::letfn_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector)) return check_all(parts.subspan(1));
    NamesInScope::Scope scope(names_);
    for (const Form& function : parts[1].items()) {
        if (function.is(FormKind::List) && function.size > 0)
            bind_pattern(function.items()[0], Facts::any(), Unused::Silent);
    }
    for (const Form& function : parts[1].items()) {
        if (function.is(FormKind::List) && function.size > 0) check_clauses(function.items().subspan(1), {});
    }
    return check_body(parts.subspan(2));
}

/// A library or class that is not here.
const Fact* Checker::library_form(const Form& list) {
    ++effects_;
    if (list.size < 2) return Facts::nil();
    for (const LibraryUse& use : library_uses(list).uses) {
        if (!work::charge(10)) break;
        const bool is_prelude = environment_.prelude && environment_.prelude->find_namespace(use.name);
        const bool is_failure = use.is_class && (use.name.ends_with("Exception") || use.name.ends_with("Error"));
        const bool is_made = use.is_class && names_.core_name(use.name + ".");
        if (find_namespace(use.name) || is_prelude || is_failure || is_made || report_.is_full()) continue;
        report_.warn(unknown_library(use.span, use.name, use.is_class));
    }
    return Facts::nil();
}

// ---- Loops

const Fact* Checker::dotimes_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector) || parts[1].size != 2) return check_all(parts.subspan(1));
    NamesInScope::Scope scope(names_);
    check(parts[1].items()[1]);
    bind_pattern(parts[1].items()[0], Facts::of(FactKind::Numeric, false), Unused::Silent);
    ++depth_;
    check_body(parts.subspan(2), false);
    --depth_;
    return Facts::nil();
}

/// Binds the names of [name coll :when test :let [name value] ..].
void Checker::bind_comprehension(const Form& list) {
    lints_.check_loose_modifier(list);
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector)) return;
    const FormSpan clauses = parts[1].items();
    for (std::size_t i = 0; i + 1 < clauses.size(); i += 2) {
        if (!clauses[i].is(FormKind::Keyword)) {
            const Fact* coll = check(clauses[i + 1]);
            lints_.check_text_as_items(clauses[i + 1], coll);
            bind_pattern(clauses[i], facts_.item_of(coll), Unused::Silent);
        } else if (clauses[i].text() == "let" && clauses[i + 1].is(FormKind::Vector)) {
            bind_let(clauses[i + 1].items(), Unused::Name);
        } else {
            check_test(clauses[i + 1], check(clauses[i + 1]));
        }
    }
}

const Fact* Checker::for_form(const Form& list) {
    NamesInScope::Scope scope(names_);
    bind_comprehension(list);
    if (list.size < 3) return Facts::any();
    ++depth_;
    const Fact* item = check_body(list.items().subspan(2));
    --depth_;
    return facts_.list(item->kind == FactKind::Never ? Facts::any() : item);
}

const Fact* Checker::doseq_form(const Form& list) {
    NamesInScope::Scope scope(names_);
    bind_comprehension(list);
    if (list.size < 3) return Facts::nil();
    ++depth_;
    check_body(list.items().subspan(2), false);
    --depth_;
    return Facts::nil();
}

// ---- Threading

namespace {

constexpr std::string_view kThreaded = " it";

} // namespace

/// `step` with a hidden variable, which is `value`, as its first or last argument.
const Fact* Checker::thread_step(const Form& step, const Fact* value, bool last) {
    if (work::is_over()) return Facts::any();
    const bool is_list = step.is(FormKind::List) && step.size > 0;
    const FormSpan old = is_list ? step.items() : FormSpan(&step, 1);
    Form it;
    it.kind = FormKind::Symbol;
    it.span = step.span;
    it.chars = kThreaded.data();
    it.size = static_cast<std::uint32_t>(kThreaded.size());
    auto* items = static_cast<Form*>(arena_.allocate((old.size() + 1) * sizeof(Form), alignof(Form)));
    const std::size_t at = last ? old.size() : 1;
    for (std::size_t i = 0, from = 0; i <= old.size(); ++i)
        new (&items[i]) Form(i == at ? it : old[from++]);
    Form call;
    call.kind = FormKind::List;
    call.span = step.span;
    call.first = items;
    call.size = static_cast<std::uint32_t>(old.size() + 1);
    NamesInScope::Scope scope(names_);
    names_.bind(it, value, Unused::Silent);
    return check_list(call);
}

const Fact* Checker::thread(const Form& list, bool last) {
    const FormSpan parts = list.items().subspan(1);
    const Fact* value = parts.empty() ? Facts::any() : check(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].is(FormKind::Keyword)) note_point(parts[i], value);
        value = is_supposed_away(parts[i]) ? value : thread_step(parts[i], value, last);
    }
    return value;
}

const Fact* Checker::thread_first_form(const Form& list) { return thread(list, false); }
const Fact* Checker::thread_last_form(const Form& list) { return thread(list, true); }

const Fact* Checker::cond_thread(const Form& list, bool last) {
    const FormSpan parts = list.items().subspan(1);
    const Fact* value = parts.empty() ? Facts::any() : check(parts[0]);
    ++depth_;
    for (std::size_t i = 1; i + 1 < parts.size(); i += 2) {
        const Fact* test = check(parts[i]);
        if (parts[i].is(FormKind::List)) check_test(parts[i], test);
        value = facts_.join(value, thread_step(parts[i + 1], value, last));
    }
    --depth_;
    return value;
}

const Fact* Checker::cond_thread_first_form(const Form& list) { return cond_thread(list, false); }
const Fact* Checker::cond_thread_last_form(const Form& list) { return cond_thread(list, true); }

const Fact* Checker::doto_form(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    const Fact* value = parts.empty() ? Facts::any() : check(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i)
        thread_step(parts[i], value, false);
    ++effects_;
    return value;
}

const Fact* Checker::some_thread(const Form& list, bool last) {
    const FormSpan parts = list.items().subspan(1);
    const Fact* value = parts.empty() ? Facts::any() : check(parts[0]);
    ++depth_;
    for (std::size_t i = 1; i < parts.size(); ++i)
        value = facts_.or_nil(thread_step(parts[i], facts_.not_nil(value), last));
    --depth_;
    return value;
}

const Fact* Checker::some_thread_first_form(const Form& list) { return some_thread(list, false); }
const Fact* Checker::some_thread_last_form(const Form& list) { return some_thread(list, true); }

// (as-> value name step ..)
const Fact* Checker::as_thread_form(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 2 || !parts[1].is(FormKind::Symbol)) return check_all(parts);
    NamesInScope::Scope scope(names_);
    const Fact* value = check(parts[0]);
    for (std::size_t i = 2; i < parts.size(); ++i) {
        names_.bind(parts[1], value, Unused::Silent);
        value = check(parts[i]);
    }
    return value;
}

// ---- Calls and ends

const Fact* Checker::apply_form(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return Facts::any();
    std::vector<CallArgument> given(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        given[i] = {&parts[i], i > 0 ? check(parts[i]) : nullptr};
    const CoreName* function = core_function(parts[0]);
    if (function && (function->name == "max-key" || function->name == "min-key") && parts.size() == 3) {
        const Fact* item = facts_.item_of(given[2].fact);
        if (given[1].form->is(FormKind::Keyword))
            lints_.check_texts_of_keys(*function, *given[1].form, apply(*given[1].form, {&item, 1}));
        return facts_.or_nil(item);
    }
    const Fact* result = apply(parts[0], {});
    if (function && given.size() == 2 && given[1].fact)
        lints_.check_texts_compared(parts[0], parts[1], *facts_.item_of(given[1].fact));
    if (function && given.back().fact) lints_.check_computed_items(*function, *given.back().fact);
    lints_.check_call("apply", list, given);
    return result->kind == FactKind::Never ? Facts::any() : result;
}

/// recur, return, fail: no value comes of them.
const Fact* Checker::end_form(const Form& list) {
    check_all(list.items().subspan(1));
    ++effects_;
    return Facts::never();
}

// (call "tool" {..}), (call "return" value)
const Fact* Checker::call_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::String)) return check_all(parts.subspan(1));
    if (parts[1].text() == "return" || parts[1].text() == "fail") return end_form(list);
    return call_tool(parts[1].text(), list, parts.subspan(2));
}

} // namespace ptc
