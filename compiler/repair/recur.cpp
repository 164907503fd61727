// recur in the wrong place, or with other than one value for each variable.
//
// A recur that is not the last thing cannot go back to its loop: what stands behind it goes into the other branch of a
// test, a let becomes a loop, or the function gets a name and is called by it. The counts of a recur come from the form
// that it goes back to.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

/// `name` with what a function with `& rest` needs, whose recur gives the rest as one value.
std::string called_again(const Form& function, std::string name) {
    const Form* parameters = parameters_of_literal(function);
    const bool has_rest =
        parameters && std::ranges::any_of(parameters->items(), [](const Form& f) { return f.is_symbol("&"); });
    return has_rest ? "apply " + name : name;
}

void rename_recur(const Form& form, const std::string& name, std::vector<Edit>& edits) {
    if (calls(form, "recur")) edits.push_back({form.items()[0].span, name});
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        rename_recur(item, name, edits);
}

/// (let [i 0] (if .. (recur (inc i)) i)): a let that was meant to be a loop.
Proposal loop_for_let(const Place& place) {
    const std::size_t given = place.form().size - 1;
    for (std::size_t i = 1; i < place.forms.size() && gives_value(*place.forms[i], *place.forms[i - 1]); ++i) {
        const Form& form = *place.forms[i];
        const bool binds = calls(form, "let") && form.size > 2 && form.items()[1].is(FormKind::Vector);
        if (binds && given > 0 && form.items()[1].size == 2 * given)
            return Repair{{{form.items()[0].span, "loop"}},
                          "recur goes back to a loop: (loop [i 0] .. (recur (inc i))).",
                          form.span};
        if (calls(form, "loop")) break;
    }
    return std::nullopt;
}

/// (do (recur ..) acc): plain values behind a recur are never given.
Proposal values_behind(const Code& code, const Place& place) {
    const Form* around = place.around();
    if (!around || !calls_one_of(*around, {"do", "let", "when", "loop", "fn", "defn"})) return std::nullopt;
    const FormSpan behind = place.siblings().subspan(place.index() + 1);
    const auto is_plain = [](const Form& form) { return form.kind <= FormKind::Symbol; };
    if (behind.empty() || !std::ranges::all_of(behind, is_plain)) return std::nullopt;
    Repair repair;
    for (const Form& form : behind)
        repair.edits.push_back(removal(code, form));
    repair.hint = "Nothing stands behind recur: the value comes when the loop ends.";
    return repair;
}

/// The form with a branch for what is otherwise; "" for a form that cannot have one.
std::string_view with_else(const Form& test) {
    if (calls_one_of(test, {"if", "if-let", "if-some"})) return test.size == 3 ? test.items()[0].text() : "";
    if (calls_one_of(test, {"when", "while"})) return "if";
    if (calls(test, "when-let")) return "if-let";
    return calls(test, "when-some") ? "if-some" : "";
}

/// (loop [i 0 acc []] (when (< i 3) (recur ..)) acc): what stands behind the test is what it gives otherwise.
Proposal value_behind_test(const Place& place) {
    std::size_t level = 1;
    while (level < place.forms.size() && is_call(*place.forms[level]) &&
           place.forms[level - 1] == &place.forms[level]->items().back())
        ++level;
    if (level >= place.forms.size() || level < 2) return std::nullopt;
    const Form& body = *place.forms[level];
    const Form& test = *place.forms[level - 1];
    const std::string_view head = is_call(test) ? with_else(test) : "";
    if (head.empty() || test.size < 3 || !calls_one_of(body, {"loop", "fn", "defn", "let", "do"})) return std::nullopt;
    for (std::size_t i = 1; i + 1 < level; ++i) {
        if (!gives_value(*place.forms[i], *place.forms[i - 1])) return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(&test - body.first);
    if (at + 2 != body.size) return std::nullopt;
    const Form& value = body.items()[at + 1];
    const bool many = test.size > 3;
    Repair repair;
    if (!test.items()[0].is_symbol(head)) repair.edits.push_back({test.items()[0].span, std::string(head)});
    if (many) repair.edits.push_back(insertion(test.items()[2].span.begin, "(do "));
    repair.edits.push_back({{test.span.end - 1, test.span.end}, many ? ")" : ""});
    repair.edits.push_back(insertion(value.span.end, ")"));
    repair.hint = "A loop gives its value where it does not recur: (if test (recur ..) value).";
    repair.covers = body.span;
    return repair;
}

/// (recur i (inc i) acc (conj acc i)), (recur [i (inc i)]), (recur :i (inc i)): values with the names of variables.
Proposal named_values(const Form& recur, std::span<const Form* const> variables) {
    const FormSpan given = recur.items().subspan(1);
    const bool is_wrapped = given.size() == 1 && (given[0].is(FormKind::Vector) || given[0].is(FormKind::Map));
    const FormSpan pairs = is_wrapped ? given[0].items() : given;
    if (pairs.size() != 2 * variables.size()) return std::nullopt;
    Repair repair;
    if (is_wrapped) repair.edits = unwrapping(given[0]);
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Form& name = pairs[2 * i];
        const bool names = (name.is(FormKind::Symbol) || name.is(FormKind::Keyword)) &&
                           variables[i]->is(FormKind::Symbol) && name.text() == variables[i]->text();
        if (!names) return std::nullopt;
        repair.edits.push_back({{name.span.begin, pairs[2 * i + 1].span.begin}, ""});
    }
    repair.edits = in_order(std::move(repair.edits));
    repair.hint = "recur takes the values alone: (recur (inc i) (conj acc i)).";
    return repair;
}

/// (defn f ([x] (recur x 0)) ([x acc] ..)): recur starts the clause that it stands in.
Proposal other_clause(const Place& place) {
    const std::size_t given = place.form().size - 1;
    for (std::size_t i = 1; i + 1 < place.forms.size(); ++i) {
        const Form& clause = *place.forms[i];
        const Form& function = *place.forms[i + 1];
        if (calls_one_of(clause, {"loop", "fn"})) return std::nullopt;
        const bool is_clause = clause.is(FormKind::List) && clause.size > 1 && clause.items()[0].is(FormKind::Vector);
        if (!is_clause || !calls_one_of(function, {"defn", "defn-", "fn"}) || !function.items()[1].is(FormKind::Symbol))
            continue;
        const bool has_clause = std::ranges::any_of(function.items(), [&](const Form& other) {
            return other.is(FormKind::List) && other.size > 1 && other.items()[0].is(FormKind::Vector) &&
                   other.items()[0].size == given;
        });
        if (!has_clause) return std::nullopt;
        return replace(place.form().items()[0], std::string(function.items()[1].text()),
                       "Another clause of the function is called by its name.");
    }
    return std::nullopt;
}

constexpr const char* kCalledByName = "recur is only for the last thing; elsewhere the function is called by its name.";

/// (fn [n] (+ 1 (recur (dec n)))) with a name.
Repair literal_called_again(const Form& function) {
    Repair repair{{}, kCalledByName, function.span};
    const bool named = function.size > 1 && function.items()[1].is(FormKind::Symbol);
    rename_recur(function, named ? std::string(function.items()[1].text()) : "again", repair.edits);
    if (!named) repair.edits.push_back(insertion(function.items()[0].span.end, " again"));
    repair.edits = in_order(std::move(repair.edits));
    return repair;
}

/// (loop [i 0] (+ 1 (recur (inc i)))) as ((fn again [i] (+ 1 (again (inc i)))) 0).
Repair loop_called_again(const Code& code, const Form& loop) {
    const Form& bindings = loop.items()[1];
    std::string names;
    std::string values;
    for (std::size_t k = 0; k < bindings.size; k += 2) {
        names += (k > 0 ? " " : "") + code.copy(bindings.items()[k]);
        values += " " + code.copy(bindings.items()[k + 1]);
    }
    Repair repair{{}, kCalledByName, loop.span};
    repair.edits = {{{loop.span.begin, bindings.span.end}, "((fn again [" + names + "]"}};
    for (const Form& body : loop.items().subspan(2))
        rename_recur(body, "again", repair.edits);
    repair.edits.push_back({{loop.span.end - 1, loop.span.end}, ")" + values + ")"});
    return repair;
}

} // namespace

Proposal misplaced_recur(const Code& code, const Place& place) {
    if (Proposal found = fold_for_loop(code, place)) return found;
    if (Proposal found = values_behind(code, place)) return found;
    if (Proposal found = value_behind_test(place)) return found;
    if (Proposal found = loop_for_let(place)) return found;
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const Form& form = *place.forms[i];
        if (calls(form, "defn") && form.size > 2) {
            Repair repair{{}, kCalledByName, form.span};
            rename_recur(form, called_again(form, std::string(form.items()[1].text())), repair.edits);
            return repair;
        }
        if (calls(form, "fn")) return literal_called_again(form);
        if (calls(form, "loop") && form.size > 2 && form.items()[1].is(FormKind::Vector) &&
            form.items()[1].size % 2 == 0)
            return loop_called_again(code, form);
        if (form.is(FormKind::ShortFn) || calls(form, "for") || calls(form, "doseq")) return std::nullopt;
    }
    return std::nullopt;
}

namespace {

/// Whether the value of `form` is that of the variable somewhere: then each round has to change it.
bool may_give(const Form& form, std::string_view variable) {
    if (form.is_symbol(variable)) return true;
    if (form.is(FormKind::Map) || form.is(FormKind::Vector)) return mentions(form, variable);
    if (!is_call(form) || calls(form, "recur")) return false;
    const FormSpan items = form.items();
    if (calls_one_of(form, {"if", "if-not", "cond"})) {
        for (std::size_t i = 2; i < items.size(); ++i) {
            if ((calls(form, "cond") ? i % 2 == 0 : true) && may_give(items[i], variable)) return true;
        }
        return false;
    }
    if (calls_one_of(form, {"do", "let", "when", "loop"})) return may_give(items.back(), variable);
    return mentions(form, variable) && std::ranges::none_of(items, [](const Form& f) { return calls(f, "recur"); });
}

/// What a recur goes back to, and the variables that it gives values.
struct RecurTarget {
    const Form* form = nullptr;
    std::vector<const Form*> variables;
};

/// Without variables when there is none that has some.
RecurTarget target_of(const Place& recur) {
    for (std::size_t i = 1; i < recur.forms.size(); ++i) {
        const Form& form = *recur.forms[i];
        if (!calls_one_of(form, {"loop", "fn", "defn"})) continue;
        RecurTarget target{&form, {}};
        const Form* vector = parameters_of_literal(form);
        for (std::size_t k = 0; vector && k < vector->size; k += calls(form, "loop") ? 2 : 1)
            target.variables.push_back(vector->first + k);
        return target;
    }
    return {};
}

/// (recur 1 2 3), (recur 1): plain values too many are left out; variables that never change give their own values.
std::vector<Edit> counted_values(const Code& code, const Form& recur, const RecurTarget& target) {
    const FormSpan given = recur.items().subspan(1);
    std::vector<Edit> edits;
    if (given.size() > target.variables.size()) {
        const FormSpan extra = given.subspan(target.variables.size());
        if (!std::ranges::all_of(extra, [](const Form& form) { return form.kind < FormKind::Symbol; })) return {};
        for (const Form& form : extra)
            edits.push_back(removal(code, form));
        return edits;
    }
    std::string more;
    for (std::size_t i = given.size(); i < target.variables.size(); ++i) {
        const Form& variable = *target.variables[i];
        const bool is_limit = variable.is(FormKind::Symbol) && !may_give(target.form->items().back(), variable.text());
        if (!is_limit) return {}; // what is to become of it is not known
        more += " " + code.copy(variable);
    }
    return {insertion(recur.span.end - 1, more)};
}

} // namespace

Proposal wrong_recur(const Code& code, const Place& place) {
    if (!calls(place.form(), "recur")) return std::nullopt;
    if (Proposal found = other_clause(place)) return found;
    if (Proposal found = loop_for_let(place)) return found;
    const FormSpan given = place.form().items().subspan(1);
    const RecurTarget target = target_of(place);
    const std::vector<const Form*>& variables = target.variables;
    if (variables.empty()) return std::nullopt;
    Repair repair;
    repair.hint = "recur gives each variable its next value:";
    for (const Form* variable : variables)
        repair.hint += " " + code.copy(*variable);
    repair.hint += ".";
    if (given.size() == 1 && given[0].is(FormKind::Vector) && given[0].size == variables.size()) {
        repair.edits = unwrapping(given[0]);
        return repair;
    }
    if (Proposal found = named_values(place.form(), variables)) return found;
    if (Proposal found = fitted_recur(code, place, given, variables)) return found;
    repair.edits = counted_values(code, place.form(), target);
    return repair;
}

} // namespace ptc::repair
