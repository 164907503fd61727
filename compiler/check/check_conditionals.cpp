// if, when, cond, case, condp, the conditional bindings, and, or: tests that have one outcome, clauses that are never
// taken. Only what is written out counts as a constant: what a variable or a field holds may be there to be changed.
#include "compiler/check/check_warnings.h"
#include "compiler/check/checker.h"
#include <utility>

namespace ptc {
namespace {

constexpr std::uint32_t kMaxRepeated =
    256; ///< bytes of a test: longer ones are not compared, so that nested ones cost little

} // namespace

// ---- Tests

/// A literal, or a call of a function of the language that never gives nil. What a variable or a field holds may be
/// there to be changed, so it is no constant.
Checker::Truth Checker::truth_of(const Form& test, const Fact* fact) {
    if (test.is(FormKind::Nil) || test.is(FormKind::False)) return Truth::False;
    if (test.is(FormKind::Symbol) || test.is(FormKind::Quote) || test.is(FormKind::Var)) return Truth::Unknown;
    if (!test.is(FormKind::List) || test.size == 0) return Truth::True;
    const Form& head = test.items()[0];
    if (!head.is(FormKind::Symbol) || head.is_symbol("get") || head.is_symbol("get-in")) return Truth::Unknown;
    if (fact->kind == FactKind::Any || fact->kind == FactKind::Bool || !fact->non_nil) return Truth::Unknown;
    return fact->kind == FactKind::Never ? Truth::Unknown : Truth::True;
}

void Checker::check_test(const Form& test, const Fact* fact) {
    lints_.check_text_as_test(test, fact);
    const Truth truth = truth_of(test, fact);
    if (truth != Truth::Unknown && !report_.is_full())
        report_.warn(constant_test(test.span, truth == Truth::True, *fact));
}

const Fact* Checker::check_asked(const Form& form) {
    const Form* const outer = std::exchange(asked_, &form);
    const Fact* fact = check(form);
    asked_ = outer;
    return fact;
}

const Fact* Checker::conditional(const Form& list, bool one_branch) {
    const FormSpan parts = list.items();
    if (parts.size() < 2) return Facts::any();
    check_test(parts[1], check_asked(parts[1]));
    ++depth_;
    const Fact* result = nullptr;
    if (one_branch || parts.size() < 4) {
        result = facts_.join(check_body(parts.subspan(2)), Facts::nil());
    } else {
        const Fact* yes = check(parts[2]);
        result = facts_.join(yes, check_body(parts.subspan(3)));
    }
    --depth_;
    return result;
}

const Fact* Checker::if_form(const Form& list) { return conditional(list, false); }
const Fact* Checker::when_form(const Form& list) {
    lints_.check_when_else(list);
    return conditional(list, true);
}

const Fact* Checker::cond_form(const Form& list) {
    const FormSpan clauses = list.items().subspan(1);
    lints_.check_bracketed_clauses(clauses);
    const Fact* result = Facts::never();
    bool otherwise = false;
    std::vector<const Form*> tests;
    ++depth_;
    for (std::size_t i = 0; i + 1 < clauses.size(); i += 2) {
        const Form& test = clauses[i];
        const std::uint32_t before = effects_;
        const Fact* fact = check_asked(test);
        if (effects_ == before && test.is(FormKind::List) && test.span.size() <= kMaxRepeated) tests.push_back(&test);
        const Truth truth = truth_of(test, fact);
        if (test.is(FormKind::List) || truth == Truth::False)
            check_test(test, fact);
        else if (truth == Truth::True && i + 2 < clauses.size() && !otherwise && !report_.is_full())
            report_.warn(never_reached(clauses[i + 2].span, "cond", test.span));
        otherwise = otherwise || truth == Truth::True;
        result = facts_.join(result, check(clauses[i + 1]));
    }
    --depth_;
    lints_.check_repeated(tests);
    return otherwise ? result : facts_.join(result, Facts::nil());
}

// ---- case and condp

const Fact* Checker::case_form(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.empty()) return Facts::any();
    const Fact* value = check(parts[0]);
    const FormSpan clauses = parts.subspan(1);
    lints_.check_literal_default(list, clauses);
    const Fact* result = Facts::never();
    std::vector<const Form*> constants;
    ++depth_;
    for (std::size_t i = 0; i + 1 < clauses.size(); i += 2) {
        const FormSpan tests = clauses[i].is(FormKind::List) ? clauses[i].items() : clauses.subspan(i, 1);
        for (const Form& constant : tests) {
            constants.push_back(&constant);
            lints_.check_equal(constant, value, false);
        }
        result = facts_.join(result, check(clauses[i + 1]));
    }
    result = facts_.join(result, clauses.size() % 2 != 0 ? check(clauses.back()) : Facts::nil());
    --depth_;
    lints_.check_repeated(constants);
    return result;
}

const Fact* Checker::condp_form(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 2) return check_all(parts);
    const Fact* value = check(parts[1]);
    const FormSpan clauses = parts.subspan(2);
    const Fact* result = Facts::never();
    std::vector<const Form*> constants;
    const bool equal = parts[0].is_symbol("=") && names_.meaning_of("=").core;
    if (equal) lints_.check_literal_default(list, clauses);
    if (clauses.size() < 2) apply(parts[0], {});
    ++depth_;
    for (std::size_t i = 0; i + 1 < clauses.size(); i += 2) {
        const Fact* facts[2] = {check(clauses[i]), value};
        if (i == 0) apply(parts[0], facts);
        if (clauses[i].kind < FormKind::Symbol) constants.push_back(&clauses[i]);
        if (equal) lints_.check_equal(clauses[i], value, false);
        result = facts_.join(result, check(clauses[i + 1]));
    }
    result = facts_.join(result, clauses.size() % 2 != 0 ? check(clauses.back()) : Facts::nil());
    --depth_;
    lints_.check_repeated(constants);
    return result;
}

// ---- Conditional bindings

/// `only_nil`: false is a value like any other.
const Fact* Checker::conditional_binding(const Form& list, bool one_branch, bool only_nil) {
    if (one_branch) lints_.check_when_else(list);
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector) || parts[1].size != 2) return check_all(parts.subspan(1));
    const FormSpan binding = parts[1].items();
    const Fact* value = check_asked(binding[1]);
    if (!only_nil || !binding[1].is(FormKind::False)) check_test(binding[1], value);
    ++depth_;
    const Fact* yes = nullptr;
    {
        NamesInScope::Scope scope(names_);
        bind_pattern(binding[0], value, Unused::Name);
        yes = one_branch ? check_body(parts.subspan(2)) : check_body(parts.subspan(2, parts.size() > 2 ? 1 : 0));
    }
    const Fact* no = one_branch || parts.size() < 4 ? Facts::nil() : check(parts[3]);
    --depth_;
    return facts_.join(yes, no);
}

const Fact* Checker::if_let_form(const Form& list) { return conditional_binding(list, false, false); }
const Fact* Checker::if_some_form(const Form& list) { return conditional_binding(list, false, true); }
const Fact* Checker::when_let_form(const Form& list) { return conditional_binding(list, true, false); }
const Fact* Checker::when_some_form(const Form& list) { return conditional_binding(list, true, true); }

const Fact* Checker::when_first_form(const Form& list) {
    const FormSpan parts = list.items();
    if (parts.size() < 2 || !parts[1].is(FormKind::Vector) || parts[1].size != 2) return check_all(parts.subspan(1));
    const Fact* coll = check(parts[1].items()[1]);
    NamesInScope::Scope scope(names_);
    bind_pattern(parts[1].items()[0], facts_.item_of(coll), Unused::Name);
    ++depth_;
    const Fact* body = check_body(parts.subspan(2));
    --depth_;
    return facts_.join(body, Facts::nil());
}

// ---- and, or

/// `stops`: the truth of the part after which no other is looked at.
const Fact* Checker::and_or(const Form& list, Truth stops) {
    const FormSpan parts = list.items().subspan(1);
    const Fact* result = Facts::never();
    const Form* end = nullptr;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i == 1) ++depth_;
        if (end && !report_.is_full()) report_.warn(never_reached(parts[i].span, list.items()[0].text(), end->span));
        const Fact* fact = i + 1 < parts.size() ? check_asked(parts[i]) : check(parts[i]);
        if (!end && truth_of(parts[i], fact) == stops) end = &parts[i];
        const bool last = i + 1 == parts.size();
        result = stops == Truth::True ? facts_.join(result, last ? fact : facts_.not_nil(fact)) : fact;
    }
    if (parts.size() > 1) --depth_;
    return result;
}

/// The last part, or what is falsy before it.
const Fact* Checker::and_form(const Form& list) {
    lints_.check_infix_tests(list.items().subspan(1));
    if (list.size == 1) return Facts::of(FactKind::Bool, true);
    const Fact* last = and_or(list, Truth::False);
    if (list.size == 2) return last;
    return last->kind == FactKind::Bool ? Facts::any() : facts_.or_nil(last);
}

const Fact* Checker::or_form(const Form& list) {
    lints_.check_infix_tests(list.items().subspan(1));
    if (list.size == 1) return Facts::nil();
    return and_or(list, Truth::True);
}

} // namespace ptc
