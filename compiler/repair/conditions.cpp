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

namespace {

constexpr const char* kIf = "(if test then else)";

/// (if empty? xs a b)
Proposal bare_test(const Code& code, const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    const bool is_bare = parts.size() == 4 && parts[0].is(FormKind::Symbol) && parts[0].text().ends_with('?') &&
                         !code.core_function(parts[0]).empty();
    if (!is_bare) return std::nullopt;
    return Repair{wrapping({parts[0].span.begin, parts[1].span.end}, "(", ")"), "A test is a call: (empty? xs).", {}};
}

/// The parts of an if that stay, and what takes the words of other languages away.
struct SortedParts {
    std::vector<const Form*> kept;
    std::vector<Edit> edits;
    bool is_chain = false; ///< a test follows: elif
};

/// `else if`, `elif`, `then`, `else` go; `recur` and `return` get the brackets that they lack.
SortedParts sorted(const Code& code, FormSpan parts) {
    SortedParts out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Form& part = parts[i];
        const bool has_next = i + 1 < parts.size();
        const bool is_split_else_if = part.is_symbol("else") && has_next && parts[i + 1].is_symbol("if");
        if (is_else_if(part) || is_split_else_if) {
            out.is_chain = true;
            out.edits.push_back(removal(code, part));
            if (is_split_else_if) out.edits.push_back(removal(code, parts[++i]));
        } else if (i > 0 && is_marker(part)) {
            out.edits.push_back(removal(code, part));
        } else if (i > 0 && has_next && part.is_symbol("recur")) { // (if test acc recur (inc i) acc)
            append(out.edits, wrapping({part.span.begin, parts.back().span.end}, "(", ")"));
            out.kept.push_back(&part);
            break;
        } else if (i > 0 && has_next && is_symbol_of(part, {"return", "fail", "raise"})) { // (if test fail "none")
            append(out.edits, wrapping({part.span.begin, parts[i + 1].span.end}, "(", ")"));
            out.kept.push_back(&part);
            ++i;
        } else {
            out.kept.push_back(&part);
        }
    }
    return out;
}

/// (if a 1 (b? x) 2 3), (if a 1 (f) 2): more than a test and two branches become cond, or one branch.
Repair many_branches(const Code& code, const Place& place, SortedParts parts) {
    const Form& list = place.form();
    const Form& third = *parts.kept[2];
    const Form& last = *parts.kept.back();
    const bool tests =
        kinds_of(code, place.inner(third)) == kBoolean || parts.is_chain ||
        (is_call(third) && third.items()[0].is(FormKind::Symbol) && third.items()[0].text().ends_with('?'));
    Repair repair{std::move(parts.edits), {}, list.span};
    if (calls(list, "if") && tests) {
        repair.edits.push_back({list.items()[0].span, "cond"});
        if (parts.kept.size() % 2 != 0) repair.edits.push_back(insertion(last.span.begin, ":else "));
        repair.hint = "Several tests are written (cond test result .. :else other).";
    } else {
        append(repair.edits, wrapping({third.span.begin, last.span.end}, "(do ", ")"));
        repair.hint = "Each branch is one form; (do a b) makes one of several.";
    }
    repair.edits = in_order(std::move(repair.edits));
    return repair;
}

} // namespace

Proposal conditional_parts(const Code& code, const Place& place) {
    const Form& list = place.form();
    if (!is_call(list) || !list.items()[0].is(FormKind::Symbol)) return std::nullopt;
    if (tails_of(list).shape != Tails::From) return std::nullopt;
    if (Proposal found = bare_test(code, list)) return found;
    const FormSpan parts = list.items().subspan(1);
    SortedParts found = sorted(code, parts);
    if (found.kept.size() > 3) return many_branches(code, place, std::move(found));
    if (parts.empty()) return std::nullopt;
    if (found.kept.size() < 2) found.edits.push_back(insertion(parts.back().span.end, " nil"));
    return found.edits.empty() ? std::nullopt : Proposal(Repair{std::move(found.edits), kIf, list.span});
}

} // namespace ptc::repair
