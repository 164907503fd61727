// if, cond and case in the shapes of other languages: clauses in brackets, else and then as words, elif chains,
// branches of several forms. The parts are sorted into those that stay and signs that go; what is left decides whether
// the form stays, becomes cond, or gets a (do ..).
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

bool is_else(const Form& form) {
    if (form.is(FormKind::Keyword))
        return form.text() == "else" || form.text() == "default" || form.text() == "otherwise";
    return is_symbol_of(form, {"else", "otherwise", "default", "_", "T", "t"});
}

bool is_marker(const Form& form) {
    const bool keyword = form.is(FormKind::Keyword) && (form.text() == "then" || form.text() == "else");
    return keyword || form.is_symbol("then") || form.is_symbol("else") || form.is_symbol("=>") || form.is_symbol("->");
}

bool is_else_if(const Form& form) { return is_symbol_of(form, {"elif", "elseif", "elsif", "else-if"}); }

/// A clause of another Lisp's cond: (test result ..), [test result].
bool is_clause(const Form& form) {
    if (!(form.is(FormKind::List) || form.is(FormKind::Vector)) || form.size < 2) return false;
    const Form& test = form.items()[0];
    return is_else(test) || test.is(FormKind::True) || test.is(FormKind::List) || test.is(FormKind::Symbol);
}

bool has_clauses(FormSpan parts) {
    if (parts.empty() || !std::all_of(parts.begin(), parts.end(), is_clause)) return false;
    return std::any_of(parts.begin(), parts.end(), [](const Form& part) {
        return part.items()[0].is(FormKind::List) || is_else(part.items()[0]) || part.items()[0].is(FormKind::True);
    });
}

constexpr const char* kCond = "(cond test result .. :else other), without brackets around the pairs.";

Proposal unwrapped_clauses(const Form& cond) {
    Repair repair;
    repair.hint = kCond;
    repair.covers = cond.span;
    for (const Form& clause : cond.items().subspan(1)) {
        append(repair.edits, unwrapping(clause));
        if (is_else(clause.items()[0]) && !clause.items()[0].is(FormKind::Keyword))
            repair.edits.push_back({clause.items()[0].span, ":else"});
        if (clause.size > 2) {
            repair.edits.push_back(insertion(clause.items()[1].span.begin, "(do "));
            repair.edits.push_back(insertion(clause.items().back().span.end, ")"));
        }
    }
    repair.edits = in_order(std::move(repair.edits));
    return repair;
}

/// Edits that take signs between test and result away and write else as a keyword.
std::vector<Edit> cond_edits(const Code& code, FormSpan parts, std::size_t* left) {
    std::vector<Edit> edits;
    for (const Form& part : parts) {
        const bool is_sign = part.is_symbol("=>") || part.is_symbol("->") || part.is_symbol("then");
        if (is_sign)
            edits.push_back(removal(code, part));
        else
            ++*left;
        if (!is_sign && is_else(part) && !(part.is(FormKind::Keyword) && part.text() == "else"))
            edits.push_back({part.span, ":else"});
    }
    return edits;
}

Proposal cond_shape(const Code& code, const Form& cond) {
    const FormSpan parts = cond.items().subspan(1);
    if (parts.empty()) return std::nullopt;
    if (has_clauses(parts)) return unwrapped_clauses(cond);
    std::size_t left = 0;
    Repair repair;
    repair.edits = cond_edits(code, parts, &left);
    repair.hint = kCond;
    if (left % 2 != 0) {
        const Form& last = parts.back();
        if (is_call(last) && last.size == 2 && is_else(last.items()[0])) { // (else value)
            repair.edits.push_back({{last.span.begin, last.items()[1].span.begin}, ":else "});
            repair.edits.push_back({{last.span.end - 1, last.span.end}, ""});
            repair.covers = last.span;
            return repair;
        }
        repair.edits.push_back(is_else(last) || last.is(FormKind::True) ? insertion(last.span.end, " nil")
                                                                        : insertion(last.span.begin, ":else "));
    }
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

Proposal case_shape(const Code& code, const Place& place, const Form& list) {
    const FormSpan clauses = list.items().subspan(std::min<std::size_t>(2, list.size));
    const bool wrapped = !clauses.empty() && std::all_of(clauses.begin(), clauses.end(), [&](const Form& clause) {
        return (clause.is(FormKind::List) || clause.is(FormKind::Vector)) &&
               (clause.size == 2 || (&clause == &clauses.back() && clause.size == 1));
    });
    Repair repair;
    repair.hint = "(case value constant result .. default)";
    repair.covers = list.span;
    if (wrapped && clauses.size() > 1) {
        for (const Form& clause : clauses) {
            append(repair.edits, unwrapping(clause));
            if (is_else(clause.items()[0]) && clause.size == 2)
                repair.edits.push_back(removal(code, clause.items()[0]));
        }
        repair.edits = in_order(std::move(repair.edits));
        return repair;
    }
    const Form& at = place.form();
    if (place.around() == &list && is_else(at)) {
        repair.edits = {removal(code, at)};
        return repair;
    }
    if (place.around() == &list && (at.is(FormKind::Vector) || at.is(FormKind::Set))) {
        repair.edits = rebracketing(at, "(", ")");
        return repair;
    }
    if (place.around() == &list || (place.around(2) == &list && place.around()->is(FormKind::List))) {
        repair.edits = {{list.items()[0].span, "condp ="}};
        repair.hint = "case compares with constants only; (condp = value test result ..) computes them.";
        return repair;
    }
    return std::nullopt;
}

} // namespace

Proposal condition_shape(const Code& code, const Place& place) {
    for (std::size_t i = 0; i < place.forms.size() && i < 4; ++i) {
        const Form& form = *place.forms[i];
        if (calls(form, "cond") && i <= 2) return cond_shape(code, form);
        if (calls(form, "case")) return case_shape(code, place, form);
    }
    return std::nullopt;
}

Proposal conditional_parts(const Code& code, const Place& place) {
    const Form& list = place.form();
    if (!is_call(list) || !list.items()[0].is(FormKind::Symbol)) return std::nullopt;
    if (tails_of(list).shape != Tails::From) return std::nullopt;
    const FormSpan parts = list.items().subspan(1);
    const bool is_bare_test = parts.size() == 4 && parts[0].is(FormKind::Symbol) && parts[0].text().ends_with('?') &&
                              !code.core_function(parts[0]).empty();
    if (is_bare_test) // (if empty? xs a b)
        return Repair{
            wrapping({parts[0].span.begin, parts[1].span.end}, "(", ")"), "A test is a call: (empty? xs).", {}};
    Repair repair;
    repair.covers = list.span;
    std::vector<const Form*> kept;
    bool is_chain = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool else_if = is_else_if(parts[i]) ||
                             (parts[i].is_symbol("else") && i + 1 < parts.size() && parts[i + 1].is_symbol("if"));
        if (else_if) {
            is_chain = true;
            repair.edits.push_back(removal(code, parts[i]));
            if (parts[i].is_symbol("else")) repair.edits.push_back(removal(code, parts[++i]));
        } else if (i > 0 && is_marker(parts[i])) {
            repair.edits.push_back(removal(code, parts[i]));
        } else if (i > 0 && i + 1 < parts.size() && parts[i].is_symbol("recur")) { // (if test acc recur (inc i) acc)
            repair.edits.push_back(insertion(parts[i].span.begin, "("));
            repair.edits.push_back(insertion(parts.back().span.end, ")"));
            kept.push_back(&parts[i]);
            break;
        } else if (i > 0 && i + 1 < parts.size() &&
                   is_symbol_of(parts[i], {"return", "fail", "raise"})) { // (if test fail "none")
            repair.edits.push_back(insertion(parts[i].span.begin, "("));
            repair.edits.push_back(insertion(parts[i + 1].span.end, ")"));
            kept.push_back(&parts[i++]);
        } else {
            kept.push_back(&parts[i]);
        }
    }
    if (kept.size() < 2) {
        if (parts.empty()) return std::nullopt;
        repair.edits.push_back(insertion(parts.back().span.end, " nil"));
        repair.hint = "(if test then else)";
        return repair;
    }
    if (kept.size() <= 3) {
        repair.hint = "(if test then else)";
        return repair.edits.empty() ? std::nullopt : Proposal(repair);
    }
    const bool tests =
        kinds_of(code, place.inner(*kept[2])) == kBoolean || is_chain ||
        (is_call(*kept[2]) && kept[2]->items()[0].is(FormKind::Symbol) && kept[2]->items()[0].text().ends_with('?'));
    if (calls(list, "if") && tests) {
        repair.edits.push_back({list.items()[0].span, "cond"});
        if (kept.size() % 2 != 0) repair.edits.push_back(insertion(kept.back()->span.begin, ":else "));
        repair.hint = "Several tests are written (cond test result .. :else other).";
    } else {
        repair.edits.push_back(insertion(kept[2]->span.begin, "(do "));
        repair.edits.push_back(insertion(kept.back()->span.end, ")"));
        repair.hint = "Each branch is one form; (do a b) makes one of several.";
    }
    repair.edits = in_order(std::move(repair.edits));
    return repair;
}

} // namespace ptc::repair
