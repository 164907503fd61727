// Loops that are not written as they go here: recur with other values than the variables, break, names that are
// changed.
//
// What a recur was given is fitted to the variables by what it is made of: a function without its brackets, a variable
// that is repeated, brackets around all values. What has no certain reading is left alone: a value that is missing is
// never made up. A local that the program changes becomes an atom, with every place that reads it.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

constexpr const char* kRecurHint = "recur gives each variable its next value, in their order.";

bool is_variable(const Form& form, std::span<const Form* const> variables) {
    return form.is(FormKind::Symbol) &&
           std::ranges::any_of(variables, [&](const Form* v) { return v->is_symbol(form.text()); });
}

/// (recur (rest xs) total = (+ total 1))
Proposal without_assignments(const Code& code, FormSpan given, std::span<const Form* const> variables) {
    Repair repair;
    std::size_t left = given.size();
    for (std::size_t i = 0; i + 2 < given.size() + 1; ++i) {
        const bool assigns =
            i + 2 < given.size() && is_variable(given[i], variables) && is_symbol_of(given[i + 1], {"=", ":=", "<-"});
        if (!assigns) continue;
        repair.edits.push_back({{given[i].span.begin, given[i + 2].span.begin}, ""});
        left -= 2;
    }
    if (repair.edits.empty() || left != variables.size()) return std::nullopt;
    repair.hint = "recur takes the values alone: " + code.copy(*variables[0]) + " is not named.";
    return repair;
}

/// (recur i + 1 (conj acc i)), where each value is made of its variable
Proposal infix_values(const Code& code, FormSpan given, std::span<const Form* const> variables) {
    Repair repair;
    std::size_t count = 0;
    for (std::size_t at = 0; at < given.size(); ++count) {
        std::size_t used = 0;
        const std::string text = prefix_of_front(code, given.subspan(at), &used);
        if (text.empty()) used = 1;
        const FormSpan value = given.subspan(at, used);
        const bool fits =
            count < variables.size() && variables[count]->is(FormKind::Symbol) &&
            std::ranges::any_of(value, [&](const Form& f) { return mentions(f, variables[count]->text()); });
        if (!fits) return std::nullopt;
        if (!text.empty()) repair.edits.push_back({{value.front().span.begin, value.back().span.end}, text});
        at += used;
    }
    if (count != variables.size() || repair.edits.empty()) return std::nullopt;
    repair.hint = "The function comes first: (+ i 1).";
    return repair;
}

/// (recur (rest xs) + n (count xs)), (recur rest xs acc): a call without its brackets.
Proposal bracketed_call(const Code& code, const Place& recur, FormSpan given, std::span<const Form* const> variables) {
    const std::size_t length = given.size() - variables.size() + 1;
    const std::vector<std::string_view> locals = code.locals(recur);
    std::optional<Span> found;
    for (std::size_t i = 0; i + length <= given.size(); ++i) {
        const bool is_own = given[i].is(FormKind::Symbol) && std::ranges::find(locals, given[i].text()) != locals.end();
        const std::string_view function = is_own ? std::string_view() : code.core_function(given[i]);
        if (function.empty() || parameters_of(code.usage(function), length - 1).empty()) continue;
        if (found) return std::nullopt;
        found = Span{given[i].span.begin, given[i + length - 1].span.end};
    }
    if (!found) return std::nullopt;
    return Repair{wrapping(*found, "(", ")"), "A call stands in brackets of its own.", {}};
}

/// (recur (rest xs) bins [x] (conj bins x)): one variable too many, as it was, and its next value as well.
Proposal without_repeated(const Code& code, FormSpan given, std::span<const Form* const> variables) {
    if (given.size() != variables.size() + 1) return std::nullopt;
    const Form* repeated = nullptr;
    for (const Form& value : given) {
        if (!is_variable(value, variables)) continue;
        if (repeated) return std::nullopt;
        repeated = &value;
    }
    if (!repeated) return std::nullopt;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Form& value = given[&given[i] < repeated ? i : i + 1];
        if (variables[i]->is_symbol(repeated->text()) && has_items(value) && mentions(value, repeated->text()))
            return Repair{{removal(code, *repeated)}, kRecurHint, {}};
    }
    return std::nullopt;
}

// ---- Where a loop goes on

/// The loop that goes on, or ends, with the form at `place`; null for none.
const Form* loop_of(const Place& place) {
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const Form& form = *place.forms[i];
        if (!is_call(form) || !gives_value(form, *place.forms[i - 1])) return nullptr;
        if (calls(form, "loop")) return form.size > 2 && form.items()[1].is(FormKind::Vector) ? &form : nullptr;
    }
    return nullptr;
}

std::vector<const Form*> variables_of(const Form& loop) {
    std::vector<const Form*> variables;
    for (std::size_t i = 0; i + 1 < loop.items()[1].size; i += 2)
        variables.push_back(loop.items()[1].first + i);
    return variables;
}

bool has_recur(const Form& form) {
    if (calls(form, "recur")) return true;
    return has_items(form) && !calls_one_of(form, {"loop", "fn"}) && std::ranges::any_of(form.items(), has_recur);
}

} // namespace

namespace {

/// (reduce (fn [acc x] (if .. (recur (+ acc x)) acc)) ..): the function gives the next value, it does not go on itself.
Proposal folded_value(const Place& recur, FormSpan given) {
    if (given.size() != 1) return std::nullopt;
    const auto at = std::ranges::find_if(recur.forms, [](const Form* f) {
        return calls_one_of(*f, {"fn", "loop", "defn"});
    });
    if (at == recur.forms.end() || !calls(**at, "fn") || at + 1 == recur.forms.end() || !calls(**(at + 1), "reduce"))
        return std::nullopt;
    const Span span = recur.form().span;
    return Repair{{{{span.begin, given[0].span.begin}, ""}, {{given[0].span.end, span.end}, ""}},
                  "What the function of reduce gives is the next value: recur would start it again.",
                  {}};
}

/// (loop [[a b] [0 1]] .. (recur b (+ a b))): the values of one variable, which is taken apart.
Proposal whole_pattern(const Code& code, FormSpan given, std::span<const Form* const> variables) {
    if (variables.size() != 1 || given.size() < 2) return std::nullopt;
    const Form& pattern = *variables[0];
    const Span all{given.front().span.begin, given.back().span.end};
    const std::string hint = "The variable is one value, which is taken apart.";
    if (pattern.is(FormKind::Vector) && pattern.size == given.size() && !mentions(pattern, "&"))
        return Repair{wrapping(all, "[", "]"), hint, {}};
    const bool has_keys = pattern.is(FormKind::Map) && pattern.size == 2 && pattern.items()[0].is(FormKind::Keyword) &&
                          pattern.items()[0].text() == "keys" && pattern.items()[1].size == given.size();
    if (!has_keys) return std::nullopt;
    Repair repair;
    for (std::size_t i = 0; i < given.size(); ++i)
        repair.edits.push_back(
            insertion(given[i].span.begin, (i == 0 ? "{:" : ":") + code.copy(pattern.items()[1].items()[i]) + " "));
    repair.edits.push_back(insertion(all.end, "}"));
    repair.hint = hint;
    return repair;
}

void find_recurs(const Form& form, std::vector<const Form*>& found) {
    if (calls(form, "recur")) found.push_back(&form);
    if (!has_items(form) || calls_one_of(form, {"loop", "fn"})) return;
    for (const Form& item : form.items())
        find_recurs(item, found);
}

bool changes(const Form& value, const Form& variable) {
    return variable.is(FormKind::Symbol) &&
           (value.is_symbol(variable.text()) || (has_items(value) && mentions(value, variable.text())));
}

/// (recur (rest xs) (inc odd)) beside a recur that changes another variable: that one stays here as it is.
Proposal with_unchanged(const Code& code, const Place& recur, FormSpan given, std::span<const Form* const> variables) {
    std::size_t missing = variables.size();
    for (std::size_t out = 0; out < variables.size(); ++out) {
        bool fits = true;
        for (std::size_t i = 0; i < given.size(); ++i)
            fits = fits && changes(given[i], *variables[i < out ? i : i + 1]);
        if (!fits) continue;
        if (missing < variables.size()) return std::nullopt;
        missing = out;
    }
    const auto at = std::ranges::find_if(recur.forms, [](const Form* f) {
        return calls_one_of(*f, {"loop", "fn", "defn"});
    });
    if (missing == variables.size() || at == recur.forms.end()) return std::nullopt;
    std::vector<const Form*> recurs;
    for (const Form& form : (*at)->items().subspan(1))
        find_recurs(form, recurs);
    const bool is_changed = std::ranges::any_of(recurs, [&](const Form* other) {
        return other != &recur.form() && std::ranges::any_of(other->items().subspan(1), [&](const Form& value) {
                   return has_items(value) && changes(value, *variables[missing]);
               });
    });
    if (!is_changed) return std::nullopt;
    const std::string name = code.copy(*variables[missing]);
    if (missing == given.size()) return Repair{{insertion(given.back().span.end, " " + name)}, kRecurHint, {}};
    return Repair{{insertion(given[missing].span.begin, name + " ")}, kRecurHint, {}};
}

/// Whether `function` is called with the variable alone somewhere in `form`.
bool has_call_of(const Form& form, std::string_view function, std::string_view variable) {
    if (calls(form, function) && form.size == 2 && form.items()[1].is_symbol(variable)) return true;
    return has_items(form) &&
           std::ranges::any_of(form.items(), [&](const Form& item) { return has_call_of(item, function, variable); });
}

/// (recur (+ acc (first xs))), in a loop that goes on until xs is empty: with the rest of xs.
Proposal with_rest(const Place& recur, FormSpan given, std::span<const Form* const> variables) {
    const Form* loop = loop_of(recur);
    if (!loop) return std::nullopt;
    std::size_t missing = variables.size();
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::string_view name = variables[i]->is(FormKind::Symbol) ? variables[i]->text() : "";
        const bool is_read = !name.empty() && has_call_of(*loop, "first", name) && !has_call_of(*loop, "rest", name) &&
                             !has_call_of(*loop, "next", name) &&
                             (has_call_of(*loop, "empty?", name) || has_call_of(*loop, "seq", name));
        if (!is_read) continue;
        if (missing < variables.size()) return std::nullopt;
        missing = i;
    }
    if (missing == variables.size()) return std::nullopt;
    std::vector<const Form*> recurs;
    find_recurs(loop->items().back(), recurs);
    for (const Form* other : recurs) { // that takes something else from it, or puts something to it
        const bool stays =
            other == &recur.form() ||
            (other->size == variables.size() + 1 && other->items()[missing + 1].is_symbol(variables[missing]->text()));
        if (!stays) return std::nullopt;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!changes(given[i], *variables[i < missing ? i : i + 1])) return std::nullopt;
    }
    const std::string value = "(rest " + std::string(variables[missing]->text()) + ")";
    if (missing == given.size()) return Repair{{insertion(recur.form().span.end - 1, " " + value)}, kRecurHint, {}};
    return Repair{{insertion(given[missing].span.begin, value + " ")}, kRecurHint, {}};
}

/// (do (quot n 2) (inc steps) (recur)): the values stand before it.
Proposal values_before(const Place& recur, std::span<const Form* const> variables) {
    const Form* around = recur.around();
    if (!around || !calls(*around, "do") || around->size != variables.size() + 2 || recur.index() + 1 != around->size)
        return std::nullopt;
    const FormSpan values = around->items().subspan(1, variables.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!has_items(values[i]) || !changes(values[i], *variables[i])) return std::nullopt;
    }
    return Repair{{{around->items()[0].span, "recur"}, {{values.back().span.end, recur.form().span.end}, ""}},
                  kRecurHint,
                  around->span};
}

} // namespace

Proposal fitted_recur(const Code& code, const Place& recur, FormSpan given, std::span<const Form* const> variables) {
    const bool is_one_list = given.size() == 1 && given[0].is(FormKind::List) && variables.size() > 1;
    if (is_one_list && given[0].size == variables.size() && !given[0].items()[0].is(FormKind::Symbol) &&
        !given[0].items()[0].is(FormKind::Keyword)) // (recur ((inc i) acc))
        return Repair{unwrapping(given[0]), "recur takes the values alone: (recur (inc i) (conj acc i)).", {}};
    if (given.empty()) return values_before(recur, variables);
    if (Proposal found = folded_value(recur, given)) return found;
    if (Proposal found = whole_pattern(code, given, variables)) return found;
    if (given.size() + 1 == variables.size()) {
        if (Proposal found = with_rest(recur, given, variables)) return found;
    }
    // Of two variables the one that is missing may be a counter: then it would not stay.
    if (given.size() + 1 == variables.size() && variables.size() > 2)
        return with_unchanged(code, recur, given, variables);
    if (given.size() <= variables.size()) return std::nullopt;
    if (Proposal found = without_assignments(code, given, variables)) return found;
    if (Proposal found = infix_values(code, given, variables)) return found;
    if (Proposal found = bracketed_call(code, recur, given, variables)) return found;
    return without_repeated(code, given, variables);
}

Proposal late_closer_in_recur(const Place& place) {
    const Form& test = place.form();
    const Form* recur = place.around();
    if (!recur || !calls(*recur, "recur") || !calls(test, "if") || &recur->items().back() != &test) return std::nullopt;
    std::size_t variables = 0;
    for (std::size_t i = 2; i < place.forms.size() && variables == 0; ++i) {
        if (calls(*place.forms[i], "loop")) variables = place.forms[i]->items()[1].size / 2;
        if (calls_one_of(*place.forms[i], {"fn", "defn"})) return std::nullopt;
    }
    if (test.size <= 4 || recur->size - 1 + (test.size - 4) != variables) return std::nullopt;
    return Repair{{insertion(test.items()[3].span.end, ")"), {{test.span.end - 1, test.span.end}, ""}},
                  "The bracket of the test closes too late: " + std::string(kRecurHint),
                  recur->span};
}

/// (loop [acc 0] (doseq [x xs] (recur (+ acc x))) acc): a fold.
Proposal fold_for_loop(const Code& code, const Place& recur) {
    const auto at = std::ranges::find_if(recur.forms, [](const Form* form) { return calls(*form, "loop"); });
    if (at == recur.forms.end() || (*at)->size != 4 || recur.form().size != 2) return std::nullopt;
    const Form& loop = **at;
    const Form& variables = loop.items()[1];
    const Form& each = loop.items()[2];
    const bool fits = variables.is(FormKind::Vector) && variables.size == 2 &&
                      variables.items()[0].is(FormKind::Symbol) && calls_one_of(each, {"doseq", "for"}) &&
                      each.size == 3 && each.items()[1].is(FormKind::Vector) && each.items()[1].size == 2 &&
                      loop.items()[3].is_symbol(variables.items()[0].text());
    if (!fits) return std::nullopt;
    const Form& body = each.items()[2];
    const Form& next = recur.form().items()[1];
    const std::string acc = code.copy(variables.items()[0]);
    std::string text;
    if (&body == &recur.form())
        text = code.copy(next);
    else if (calls_one_of(body, {"when", "if"}) && body.size == 3 && &body.items()[2] == &recur.form())
        text = "(if " + code.copy(body.items()[1]) + " " + code.copy(next) + " " + acc + ")";
    else
        return std::nullopt;
    return Repair{
        {{loop.span, "(reduce (fn [" + acc + " " + code.copy(each.items()[1].items()[0]) + "] " + text + ") " +
                         code.copy(variables.items()[1]) + " " + code.copy(each.items()[1].items()[1]) + ")"}},
        "Going through a collection with a value is (reduce (fn [acc x] ..) start coll).",
        loop.span};
}

namespace {

/// What a variable that is tested and changed by these forms has in turn, as a call of range; "" when they are others.
std::string counted_range(const Code& code, const Form& variable, const Form& start, const Form& test,
                          const Form& step) {
    const bool fits = variable.is(FormKind::Symbol) && calls_one_of(test, {"<", "<=", ">", ">="}) && test.size == 3 &&
                      test.items()[1].is_symbol(variable.text()) && is_call(step) && step.size > 1 &&
                      step.items()[1].is_symbol(variable.text());
    if (!fits) return "";
    const bool is_up = calls_one_of(test, {"<", "<="});
    const Form& end = test.items()[2];
    if (mentions(end, variable.text()) || (step.size > 2 && mentions(step.items()[2], variable.text()))) return "";
    std::string text = "(range " + code.copy(start) + " ";
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    if (calls_one_of(test, {"<", ">"}))
        text += code.copy(end);
    else if (end.is(FormKind::Integer) && end.integer < kMost && end.integer > -kMost)
        text += std::to_string(end.integer + (is_up ? 1 : -1));
    else
        return ""; // (inc end) goes too far where the end is no integer
    if (calls(step, "inc") && step.size == 2 && is_up) return text + ")";
    if (calls(step, "dec") && step.size == 2 && !is_up) return text + " -1)";
    if (step.size != 3 || !calls(step, is_up ? "+" : "-")) return "";
    return text + (is_up ? " " : " (- ") + code.copy(step.items()[2]) + (is_up ? ")" : "))");
}

} // namespace

Proposal counted_for(const Code& code, const Place& place) {
    const Form* around = place.around();
    const bool fits = around && around->is(FormKind::Vector) && around->size == 4 && place.index() == 1 &&
                      place.around(2) && calls_one_of(*place.around(2), {"for", "doseq"});
    if (!fits) return std::nullopt;
    const FormSpan parts = around->items();
    const std::string range = counted_range(code, parts[0], parts[1], parts[2], parts[3]);
    if (range.empty()) return std::nullopt;
    return Repair{{{{parts[1].span.begin, parts[3].span.end}, range}},
                  "for goes through a collection: [i (range 10)].",
                  place.around(2)->span};
}

Proposal left_loop(const Code& code, const Place& call) {
    const Form& list = call.form();
    if (!is_call(list) || list.size != 2) return std::nullopt;
    const std::string value = code.copy(list.items()[1]);
    const std::string hint = "A loop ends where it does not recur: its value is what stands there.";
    if (loop_of(call)) {
        const Form& given = list.items()[1];
        return Repair{{{{list.span.begin, given.span.begin}, ""}, {{given.span.end, list.span.end}, ""}}, hint, {}};
    }
    for (std::size_t i = 1; i < call.forms.size(); ++i) { // (reduce (fn [acc x] .. (break acc)) ..)
        const Form& form = *call.forms[i];
        if (!calls(form, "fn")) {
            if (!is_call(form) || !gives_value(form, *call.forms[i - 1])) break;
            continue;
        }
        const bool folds = i + 1 < call.forms.size() && calls(*call.forms[i + 1], "reduce");
        if (folds) return replace(list.items()[0], "reduced", "(reduced x) ends reduce with x.");
        break;
    }
    // (when test (break acc)) (recur ..)
    const Form* guard = call.around();
    if (!guard || !calls_one_of(*guard, {"when", "if"}) || guard->size != 3 || &guard->items()[2] != &list)
        return std::nullopt;
    const Place at = call.outer();
    const FormSpan behind = at.siblings().subspan(at.index() + 1);
    if (behind.empty() || !has_recur(behind.back()) || !loop_of(at.around() ? at.outer().inner(behind.back()) : at))
        return std::nullopt;
    const bool many = behind.size() > 1;
    Repair repair;
    repair.edits = {{guard->items()[0].span, "if"},
                    {list.span, value},
                    {{guard->span.end - 1, guard->span.end}, many ? " (do" : ""},
                    insertion(behind.back().span.end, many ? "))" : ")")};
    repair.hint = hint;
    repair.covers = {guard->span.begin, behind.back().span.end};
    return repair;
}

// ---- Names that are changed

namespace {

bool is_setter(const Form& form) {
    return calls_one_of(form, {"set!", "setq", "setf", "set", ":=", "<-", "assign", "+=", "-=", "*="});
}

bool is_update(const Code& code, const Form& form) {
    return is_call(form) && code.has_trait(form.items()[0], traits::kUpdates);
}

/// The let that binds the name at items[1] of the call, as a plain name; null when another form does, or none.
const Form* let_of(const Place& call, std::string_view name, const Form** value) {
    for (std::size_t i = 1; i < call.forms.size(); ++i) {
        const Form& form = *call.forms[i];
        if (!is_call(form)) return nullptr;
        const bool binds = calls_binding_form(form) || calls_one_of(form, {"fn", "defn", "loop", "for", "doseq"});
        if (!binds) continue;
        for (const Form& part : form.items()) {
            if (!part.is(FormKind::Vector) || &part == call.forms[i - 1]) continue;
            for (std::size_t k = 0; k < part.size; k += calls_one_of(form, {"fn", "defn"}) ? 1 : 2) {
                if (!mentions(part.items()[k], name)) continue;
                const bool is_plain = calls(form, "let") && part.items()[k].is(FormKind::Symbol) && k + 1 < part.size;
                if (!is_plain) return nullptr;
                *value = &part.items()[k + 1];
                return &form;
            }
            break;
        }
    }
    return nullptr;
}

/// The edits that make an atom of a local.
class Atomized {
public:
    Atomized(const Code& code, std::string_view name) : code_(code), name_(name) {}

    /// `is_dropped`: nothing takes the value of the form.
    void visit(const Form& form, bool is_dropped) {
        if (form.is_symbol(name_)) edits.push_back(insertion(form.span.begin, "@"));
        if (!has_items(form) || form.is(FormKind::Quote)) return;
        const bool names = is_call(form) && form.size > 2 && form.items()[1].is_symbol(name_);
        if (names && (is_setter(form) || (is_dropped && is_update(code_, form)))) {
            change(form);
            return;
        }
        const bool drops = calls_one_of(form, {"doseq", "dotimes", "while"});
        const Tails tails = calls(form, "fn") ? Tails{Tails::Last, 2} : tails_of(form);
        const bool has_body = tails.shape == Tails::Last || tails.shape == Tails::Guarded;
        for (const Form& item : form.items()) {
            const auto index = static_cast<std::size_t>(&item - form.first);
            if (index == 1 && item.is(FormKind::Vector) && is_call(form) && rebinds(item)) is_certain = false;
            const bool stands_before = has_body && index >= tails.first && index + 1 < form.size;
            visit(item, drops ? index >= 2 : stands_before || (is_dropped && is_tail(tails, index, form.size)));
        }
    }

    std::vector<Edit> edits;
    bool is_certain = true;

private:
    void change(const Form& form) {
        const Form& head = form.items()[0];
        const std::string_view sign = head.text();
        const bool adds = sign == "+=" || sign == "-=" || sign == "*=";
        const bool sets = is_setter(form) && !adds;
        edits.push_back({head.span, sets ? "reset!" : "swap!"});
        if (!sets)
            edits.push_back(insertion(form.items()[1].span.end, " " + std::string(adds ? sign.substr(0, 1) : sign)));
        if (sets && form.size != 3) is_certain = false;
        for (const Form& item : form.items().subspan(2))
            visit(item, false);
    }
    bool rebinds(const Form& vector) const {
        for (std::size_t i = 0; i < vector.size; i += 2) {
            if (mentions(vector.items()[i], name_)) return true;
        }
        return false;
    }

    const Code& code_;
    std::string_view name_;
};

} // namespace

namespace {

/// (set! total (+ total x)) (recur (inc i) total), where the loop binds total: the value of that variable.
Proposal next_value(const Code& code, const Place& call) {
    const Form& set = call.form();
    if (set.size != 3 || !calls_one_of(set, {"set!", "setq", "setf"}) || call.index() + 1 >= call.siblings().size())
        return std::nullopt;
    const Form& next = call.siblings()[call.index() + 1];
    const std::string_view name = set.items()[1].text();
    const auto at = std::ranges::find_if(call.forms, [](const Form* form) { return calls(*form, "loop"); });
    if (!calls(next, "recur") || at == call.forms.end() || (*at)->size < 3 || !(*at)->items()[1].is(FormKind::Vector))
        return std::nullopt;
    const std::vector<const Form*> variables = variables_of(**at);
    if (next.size != variables.size() + 1) return std::nullopt;
    const Form* taken = nullptr;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Form& value = next.items()[i + 1];
        if (variables[i]->is_symbol(name) && value.is_symbol(name))
            taken = &value;
        else if (value.is_symbol(name) || (has_items(value) && mentions(value, name)))
            return std::nullopt;
    }
    if (!taken) return std::nullopt;
    return Repair{{{{set.span.begin, next.span.begin}, ""}, {taken->span, code.copy(set.items()[2])}}, kRecurHint, {}};
}

bool is_local_name(const Code& code, const Place& place, std::string_view name) {
    const std::vector<std::string_view> locals = code.locals(place);
    return std::ranges::find(locals, name) != locals.end();
}

/// (def seen []) (doseq [x xs] (conj seen x)): the name gets the new value.
Proposal redefined(const Code& code, const Place& call) {
    const std::string_view name = call.form().items()[1].text();
    const bool is_local = is_local_name(code, call, name);
    const bool is_global = std::ranges::any_of(code.top_level(), [&](const Form& form) {
        return calls(form, "def") && form.size == 3 && form.items()[1].is_symbol(name);
    });
    if (is_local || !is_global) return std::nullopt;
    for (std::size_t i = 1; i < call.forms.size() && !calls_one_of(*call.forms[i], {"doseq", "dotimes", "while"});
         ++i) {
        if (!gives_value(*call.forms[i], *call.forms[i - 1])) return std::nullopt;
    }
    return Repair{wrapping(call.form().span, "(def " + std::string(name) + " ", ")"),
                  "Collections never change: the name gets the new one.",
                  {}};
}

} // namespace

Proposal changed_local(const Code& code, const Place& call) {
    const Form& list = call.form();
    if (!is_call(list) || list.size < 3 || !list.items()[1].is(FormKind::Symbol)) return std::nullopt;
    const bool sets = is_setter(list);
    const bool repeats = std::ranges::any_of(call.forms, [](const Form* form) {
        return calls_one_of(*form, {"doseq", "dotimes", "while"});
    });
    if (!sets && (!is_update(code, list) || !repeats)) return std::nullopt;
    const std::string_view name = list.items()[1].text();
    const Form* value = nullptr;
    if (Proposal found = sets ? next_value(code, call) : std::nullopt) return found;
    const Form* let = let_of(call, name, &value);
    if (!let && !sets) return redefined(code, call);
    if (!let || calls(*value, "atom")) return std::nullopt;
    Atomized atom(code, name);
    const FormSpan bindings = let->items()[1].items();
    for (const Form& form : bindings.subspan(static_cast<std::size_t>(value - bindings.data()) + 1)) {
        if (form.is_symbol(name)) return std::nullopt;
        atom.visit(form, false);
    }
    for (const Form& form : let->items().subspan(2))
        atom.visit(form, &form != &let->items().back());
    if (!atom.is_certain) return std::nullopt;
    Repair repair;
    repair.edits = join(wrapping(value->span, "(atom ", ")"), std::move(atom.edits));
    repair.hint = "Names keep their values. What changes is an atom: (atom x), (swap! a f ..), (reset! a x), @a.";
    repair.covers = let->span;
    return repair;
}

// ---- recur without its name, or in another order

Proposal nameless_recur(const Code&, const Place& at) {
    for (std::size_t i = 0; i < at.forms.size() && i < 2; ++i) {
        const Place place = at.outer(i);
        const Form& list = place.form();
        if (!list.is(FormKind::List) || list.size == 0) continue;
        const Form* recur = place.around();
        if (recur && calls(*recur, "recur")) { // (recur (xs (rest xs)) (n (inc n)))
            const Form* loop = loop_of(place.outer());
            const std::vector<const Form*> variables = loop ? variables_of(*loop) : std::vector<const Form*>();
            if (variables.size() + 1 != recur->size) return std::nullopt;
            Repair repair;
            for (std::size_t k = 0; k < variables.size(); ++k) {
                const Form& value = recur->items()[k + 1];
                if (!value.is(FormKind::List) || value.size != 2 || !variables[k]->is(FormKind::Symbol) ||
                    !value.items()[0].is_symbol(variables[k]->text()))
                    return std::nullopt;
                repair.edits.push_back({{value.span.begin, value.items()[1].span.begin}, ""});
                repair.edits.push_back({{value.items()[1].span.end, value.span.end}, ""});
            }
            repair.hint = "recur takes the values alone: (recur (inc i) (conj acc i)).";
            return repair;
        }
        const Form* loop = is_call(list.items()[0]) ? loop_of(place) : nullptr;
        if (!loop || variables_of(*loop).size() != list.size) continue;
        return Repair{{insertion(list.items()[0].span.begin, "recur ")}, "A loop goes on by (recur value ..).", {}};
    }
    return std::nullopt;
}

namespace {

/// The variable whose next value this looks like: (rest xs), (conj acc x), or the variable itself.
std::size_t next_of(const Code& code, const Form& value, std::span<const Form* const> variables) {
    const Form* subject = value.is(FormKind::Symbol) ? &value : nullptr;
    const bool goes_on =
        is_update(code, value) || calls_one_of(value, {"rest", "next", "inc", "dec", "butlast", "pop"});
    if (goes_on && value.size > 1) subject = &value.items()[1];
    if (calls_one_of(value, {"drop"}) && value.size == 3) subject = &value.items()[2];
    for (std::size_t i = 0; subject && i < variables.size(); ++i) {
        if (subject->is(FormKind::Symbol) && variables[i]->is_symbol(subject->text())) return i;
    }
    return variables.size();
}

} // namespace

Proposal reordered_recur(const Code& code, const Place& place) {
    const auto at = std::ranges::find_if(place.forms, [](const Form* form) { return calls(*form, "loop"); });
    if (at == place.forms.end() || (*at)->size < 3 || !(*at)->items()[1].is(FormKind::Vector)) return std::nullopt;
    const std::vector<const Form*> variables = variables_of(**at);
    std::vector<const Form*> recurs;
    for (const Form& form : (*at)->items().subspan(2))
        find_recurs(form, recurs);
    for (const Form* recur : recurs) {
        if (recur->size != variables.size() + 1) continue;
        std::vector<const Form*> values(variables.size(), nullptr);
        bool is_other = false;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const Form& value = recur->items()[i + 1];
            const std::size_t index = next_of(code, value, variables);
            if (index == variables.size() || values[index]) break;
            values[index] = &value;
            is_other = is_other || (index != i && !value.is(FormKind::Symbol));
        }
        if (!is_other || std::ranges::find(values, nullptr) != values.end()) continue;
        Repair repair;
        for (std::size_t i = 0; i < variables.size(); ++i)
            repair.edits.push_back({recur->items()[i + 1].span, code.copy(*values[i])});
        repair.hint = kRecurHint;
        return repair;
    }
    return std::nullopt;
}

// ---- reduce

/// (reduce (fn [acc x] (if test (+ acc x))) 0 xs): what was so far is forgotten where the test fails.
Proposal forgotten_sum(const Code& code, const Place& place) {
    for (std::size_t i = 0; i + 1 < place.forms.size(); ++i) {
        const Form& function = *place.forms[i];
        if (!calls(function, "fn") || !calls(*place.forms[i + 1], "reduce") || function.size < 3) continue;
        const Form& parameters = function.items()[1];
        const Form& body = function.items().back();
        const bool fits = parameters.is(FormKind::Vector) && parameters.size == 2 &&
                          parameters.items()[0].is(FormKind::Symbol) && calls_one_of(body, {"if", "when"}) &&
                          body.size == 3;
        if (!fits || !mentions(body.items()[2], parameters.items()[0].text())) return std::nullopt;
        return Repair{
            {{body.items()[0].span, "if"}, insertion(body.items()[2].span.end, " " + code.copy(parameters.items()[0]))},
            "Where the test fails, what there is so far is the next value.",
            {}};
    }
    return std::nullopt;
}

/// (continue ..): the next round of a loop, or of reduce without a change.
Proposal continued(const Code& code, const Place& call) {
    const Form& list = call.form();
    if (list.size > 1) return loop_of(call) ? Proposal(replace(list.items()[0], "recur")) : std::nullopt;
    for (std::size_t i = 1; i + 1 < call.forms.size(); ++i) {
        const Form& form = *call.forms[i];
        if (!calls(form, "fn")) {
            if (!gives_value(form, *call.forms[i - 1])) return std::nullopt;
            continue;
        }
        const bool folds = calls(*call.forms[i + 1], "reduce") && form.items()[1].is(FormKind::Vector) &&
                           form.items()[1].size == 2 && &form.items().back() == call.forms[i - 1];
        return folds ? Proposal(replace(list, code.copy(form.items()[1].items()[0]))) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace ptc::repair
