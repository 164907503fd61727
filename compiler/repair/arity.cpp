// Calls of the language's functions with too few or too many arguments.
//
// A wrong number has many causes: a bracket that closes too early or too late, a step without brackets, an operator
// between its operands, keys without the vector around them, one function where another is meant. wrong_arity tries the
// causes from the surest to the least sure; the first that explains the count wins, and leaving arguments out comes
// last. Cases that are only "this call becomes that text" are rows of call_repairs.def. Whether arguments fit is judged
// by the usage text: its shapes say how many a function takes, the names of its parameters of what kind (kinds.h).
#include "compiler/repair/arguments.h"
#include "runtime/parameters.h"
#include <algorithm>
#include <unordered_map>

namespace ptc::repair {
namespace {

bool is_scalar(Kinds kinds) { return (kinds & (kCollection | kFunctionKind | kRegex)) == 0; }

bool is_key(const Form& form) {
    return form.is(FormKind::Keyword) || form.is(FormKind::String) || form.is(FormKind::Integer);
}

bool is_predicate(const Code& code, const Form& form) {
    return is_function_literal(form) || code.core_function(form).ends_with('?');
}

/// Functions of one collection that models also give a function: (count odd? xs), (sum :price rows).
Proposal function_and_collection(const Arguments& a) {
    if (a.call.size() != 2 || !a.call.has(0) || !a.call.has(1)) return std::nullopt;
    const Form& first = *a.call.arguments[0];
    const bool callable = a.kinds(0) == kFunctionKind || first.is(FormKind::Keyword);
    if (!callable) return std::nullopt;
    const bool picks = is_one_of(a.function, {"count", "first", "last", "empty?", "not-empty", "second"});
    const char* with =
        picks && (is_predicate(a.code, first) || a.function == "first" || a.function == "last") ? "(filter " : "(map ";
    return a.around(0, 1, with, ")");
}

std::size_t taken_at_most(const std::vector<std::vector<std::string_view>>& shapes) {
    std::size_t most = 0;
    for (const auto& shape : shapes) {
        if (std::find(shape.begin(), shape.end(), "&") != shape.end()) return SIZE_MAX;
        most = std::max(most, shape.size());
    }
    return most;
}

/// A run of arguments that are functions or keys, in front of a collection: (sort-by :a :b rows).
Proposal several_functions(const Arguments& a) {
    const auto shapes = parameters_of(a.code.usage(a.function));
    if (shapes.empty() || shapes[0].empty() || (kinds_of_parameter(shapes[0][0]) & kFunctionKind) == 0 ||
        kinds_of_parameter(shapes[0][0]) == kAnyKind)
        return std::nullopt;
    std::size_t count = 0;
    while (count < a.call.size() && a.call.has(count) &&
           (a.kinds(count) == kFunctionKind || a.kinds(count) == kKeyword) &&
           !a.call.arguments[count]->is_symbol(">") && !a.call.arguments[count]->is_symbol("<") &&
           !a.call.arguments[count]->is_symbol("compare"))
        ++count;
    if (count < 2 || count >= a.call.size()) return std::nullopt;
    return a.around(0, count - 1, takes_test(a.code.usage(a.function)) ? "(every-pred " : "(juxt ", ")");
}

/// Arguments that should be the items of one collection: (count 1 2 3), (map inc 1 2 3), (zipmap ks 1 2).
Proposal loose_items(const Arguments& a, const std::vector<std::string_view>& parameters) {
    if (parameters.empty() || a.call.size() < parameters.size()) return std::nullopt;
    const std::size_t first = parameters.size() - 1;
    const Kinds wanted = kinds_of_parameter(parameters[first]);
    if ((wanted & kVectorKind) == 0 || wanted == kAnyKind || first >= a.call.size()) {
        const bool any = parameters[first] == "values" || parameters[first] == "vals" || parameters[first] == "xs";
        if (!any) return std::nullopt;
    }
    bool scalars = true;
    for (std::size_t i = first; i < a.call.size(); ++i)
        scalars = scalars && a.call.has(i) && is_scalar(a.kinds(i)) && a.kinds(i) != kAnyKind;
    if (scalars) return a.around(first, a.call.size() - 1, "[", "]");
    if (a.call.size() > parameters.size() && a.all(kCollection, first))
        return a.around(first, a.call.size() - 1, "(concat ", ")");
    return std::nullopt;
}

Proposal get_path(const Arguments& a) {
    if (a.function != "get" || a.call.size() < 4 || a.call.passes_last) return std::nullopt;
    for (std::size_t i = 1; i < a.call.size(); ++i) {
        if (!is_key(*a.call.arguments[i])) return std::nullopt;
    }
    Repair repair = a.around(1, a.call.size() - 1, "[", "]");
    repair.edits.insert(repair.edits.begin(), {a.call.head->span, "get-in"});
    return repair;
}

/// (get-in m :a :b), (update-in m :a :b f): the keys of a path without their brackets.
Proposal loose_path(const Arguments& a) {
    if (!takes_keys(a.code.usage(a.function)) || a.call.size() < 2) return std::nullopt;
    std::size_t first = a.call.has(0) ? 1 : 0;
    if (a.call.is_step() && !a.call.passes_last) first = 1;
    std::size_t end = first;
    while (end < a.call.size() && a.call.has(end) && is_key(*a.call.arguments[end]))
        ++end;
    if (a.function == "assoc-in" && end == a.call.size()) --end; // the value may look like a key
    if (end <= first) return std::nullopt;
    return a.around(first, end - 1, "[", "]");
}

using Counts = std::unordered_map<std::string_view, std::size_t>;

void count_symbols(const Form& form, Counts& counts) {
    if (form.is(FormKind::Symbol)) ++counts[form.text()];
    if (!has_items(form)) return;
    for (const Form& item : form.items())
        count_symbols(item, counts);
}

/// (assoc m k): the value is a name that is bound for it and not used, or the name of the key. What else it may be is
/// not known.
Proposal value_of_key(const Arguments& a) {
    Counts counts;
    count_symbols(*a.place.forms.back(), counts);
    std::vector<std::string_view> unused; // two are as good as many
    for (const std::string_view name : a.code.locals(a.place)) {
        const auto count = counts.find(name);
        if (count != counts.end() && count->second == 1 && unused.size() < 2 &&
            std::ranges::find(unused, name) == unused.end())
            unused.push_back(name);
    }
    const Form& key = *a.call.arguments[1];
    if (unused.size() == 1)
        return Repair{{insertion(a.end(1), " " + std::string(unused[0]))}, "A key is followed by its value.", {}};
    if (unused.empty() && (key.is(FormKind::Keyword) || key.is(FormKind::String)))
        return Repair{{insertion(a.end(1), " nil")}, {}, {}};
    return std::nullopt;
}

Proposal named_cases(const Arguments& a) {
    const std::size_t n = a.call.size();
    const std::string_view f = a.function;
    if (f == "into" && n == 3 && a.call.has(1) && a.call.has(2)) {
        const bool joins = a.all(kCollection, 1);
        return a.around(1, 2, joins ? "(concat " : "[", joins ? ")" : "]");
    }
    if ((f == "reduce" || f == "apply") && n >= 4 && a.call.has(0) && a.all(kNumber | kText, 1)) {
        Pieces pieces;
        pieces.text("(").copy(*a.call.arguments[0]);
        for (std::size_t i = 1; i < n; ++i)
            pieces.text(" ").copy(*a.call.arguments[i]);
        return replace(a.code, *a.call.whole, pieces.text(")"));
    }
    if (f == "round" && n == 2 && a.call.has(1) && a.call.arguments[1]->is(FormKind::Integer) &&
        a.call.arguments[1]->integer >= 0 && a.call.arguments[1]->integer <= 9) {
        const std::string scale = "1" + std::string(static_cast<std::size_t>(a.call.arguments[1]->integer), '0');
        return rewrite_call(a.code, a.call, "any any => (/ (round (* $1 " + scale + ")) " + scale + ".0)");
    }
    if (Proposal found = a.tabled(CallRepairGroup::WrongCount)) return found;
    if (f == "assoc" && n == 2 && a.call.has(1)) return value_of_key(a);
    if (f == "assoc" && n >= 4 && n % 2 == 0 && a.call.has(n - 1))
        return Repair{{insertion(a.end(n - 1), " nil")}, {}, {}};
    return std::nullopt;
}

Proposal missing_arguments(const Arguments& a) {
    if (a.call.size() == 1 && a.kinds(0) == kFunctionKind && a.function != "apply") return std::nullopt;
    return a.tabled(CallRepairGroup::TooFew);
}

/// `""abc""`: three quotes, as Python has them.
Proposal triple_quotes(const Arguments& a) {
    for (std::size_t i = 2; i < a.call.size(); ++i) {
        if (!a.call.has(i - 2) || !a.call.has(i - 1) || !a.call.has(i)) continue;
        const Form& before = *a.call.arguments[i - 2];
        const Form& text = *a.call.arguments[i - 1];
        const Form& after = *a.call.arguments[i];
        if (!before.is(FormKind::String) || !after.is(FormKind::String) || before.size > 0 || after.size > 0 ||
            !Code::touch(before, text) || !Code::touch(text, after))
            continue;
        return Repair{{{before.span, ""}, {after.span, ""}}, "A string stands between two quotes: \"..\".", {}};
    }
    return std::nullopt;
}

/// (filter odd?) xs, outside of all other forms and on one line.
Proposal early_closer_outside(const Code& code, const Place& place) {
    const FormSpan siblings = place.siblings();
    if (!place.form().is(FormKind::List) || place.index() + 1 >= siblings.size()) return std::nullopt;
    const Form& next = siblings[place.index() + 1];
    const std::string_view function = code.core_function(place.form().items()[0]);
    const bool is_value = next.is(FormKind::Symbol) || next.is(FormKind::Vector);
    if (function.empty() || !is_value || !code.on_one_line({place.form().span.begin, next.span.end}))
        return std::nullopt;
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), place.form().size);
    if (parameters.empty() || (kinds_of_parameter(parameters.back()) & kCollection) == 0) return std::nullopt;
    return Repair{{{{place.form().span.end - 1, place.form().span.end}, ""}, insertion(next.span.end, ")")},
                  "The bracket of `" + std::string(function) + "` closes too early.",
                  {}};
}

/// (count (filter odd?) xs): the collection was meant for the inner call, whose bracket closes too early.
Proposal early_closer(const Code& code, const Place& inner) {
    const Form* around = inner.around();
    if (!around) return early_closer_outside(code, inner);
    const std::optional<CallSite> call = call_at(inner);
    if (!is_call(*around) || !call || call->is_step() || !inner.form().is(FormKind::List) || inner.index() == 0)
        return std::nullopt;
    const std::string_view function = code.core_function(*call->head);
    if (function.empty() || inner.index() + 1 >= around->size) return std::nullopt;
    const std::size_t given = call->size();
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), given + 1);
    if (parameters.empty()) return std::nullopt;
    const Form& next = around->items()[inner.index() + 1];
    const Kinds takes = kinds_of_parameter(parameters.back());
    const bool fits =
        takes != kAnyKind && (takes & kinds_of(code, inner.outer().inner(next))) != 0 && !is_function_literal(next);
    if (!fits) return std::nullopt;
    if (function == "range" && (kinds_of(code, inner.outer().inner(next)) & ~takes) != 0)
        return std::nullopt; // (range) is whole; only what is surely a number was meant for it
    std::vector<Kinds> kinds;
    for (const Argument argument : call->arguments)
        kinds.push_back(kinds_of(code, inner.inner(*argument)));
    kinds.push_back(kinds_of(code, inner.outer().inner(next)));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if ((kinds[i] & kinds_of_parameter(parameters[i])) == 0) return std::nullopt;
    }
    Repair repair;
    repair.edits = {{{inner.form().span.end - 1, inner.form().span.end}, ""}, insertion(next.span.end, ")")};
    repair.hint = "The bracket of `" + std::string(function) + "` closes too early.";
    repair.covers = around->span;
    return repair;
}

/// The same, seen from the outer call that has an argument too many.
Proposal early_closer_inside(const Arguments& a) {
    for (std::size_t i = 0; i + 1 < a.call.size(); ++i) {
        if (!a.call.has(i) || !is_call(*a.call.arguments[i])) continue;
        if (Proposal found = early_closer(a.code, a.place.inner(*a.call.arguments[i]))) return found;
    }
    return std::nullopt;
}

bool takes(const std::vector<std::vector<std::string_view>>& shapes, std::size_t count) {
    return std::any_of(shapes.begin(), shapes.end(), [&](const std::vector<std::string_view>& shape) {
        const auto rest = std::find(shape.begin(), shape.end(), "&");
        return rest == shape.end() ? shape.size() == count : count >= static_cast<std::size_t>(rest - shape.begin());
    });
}

/// (filter (fn [x] (> x 1) xs)): what a function literal does not use, and the call around it misses, is behind it.
Proposal swallowed_argument(const Code& code, const Place& place) {
    const Form& outer = place.form();
    if (!outer.is(FormKind::List) || outer.size < 2) return std::nullopt;
    const Form& literal = outer.items().back();
    if (!calls(literal, "fn") || literal.size < 4 || !literal.items()[1].is(FormKind::Vector)) return std::nullopt;
    const std::string_view function = code.core_function(outer.items()[0]);
    if (function.empty()) return std::nullopt;
    const auto uses_parameter = [&](const Form& form) {
        return std::ranges::any_of(literal.items()[1].items(), [&](const Form& name) {
            return !name.is(FormKind::Symbol) || mentions(form, name.text());
        });
    };
    const auto shapes = parameters_of(code.usage(function));
    std::size_t most = 0; // forms that can move: the first form of the body stays
    while (most + 3 < literal.size && !uses_parameter(literal.items()[literal.size - 1 - most]))
        ++most;
    while (most > 0 && !takes(shapes, outer.size - 1 + most))
        --most;
    if (most == 0) return std::nullopt;
    const Form& stays = literal.items()[literal.size - 1 - most];
    return Repair{{insertion(stays.span.end, ")"), {{literal.span.end - 1, literal.span.end}, ""}},
                  "The bracket of `fn` closes too late.",
                  outer.span};
}

/// (filter :status "paid" rows), (filter :age > 30 rows)
Proposal loose_test(const Arguments& a) {
    const bool is_known_for_it = is_one_of(a.function, {"find", "keep"}); // tests in other languages
    if (!is_known_for_it && !takes_test(a.code.usage(a.function))) return std::nullopt;
    const Form& whole = *a.call.whole;
    const std::size_t length = a.call.is_step() ? a.call.size() - 1 : a.call.size();
    if (!is_call(whole) || length < 2 || whole.size < 3) return std::nullopt;
    const FormSpan test = whole.items().subspan(1, whole.size - (a.call.is_step() ? 1 : 2));
    const std::string function = test_of_record(a.code, test);
    if (test.size() < 2 || function.empty()) return std::nullopt;
    return Repair{{{{test.front().span.begin, test.back().span.end}, function}},
                  "A test of a key is written #(= (:k %) value).",
                  whole.span};
}

/// Whether `outer`, whose last item moves `more` items behind itself, then has what it takes.
bool takes_more(const Code& code, const Form& outer, std::size_t more) {
    const std::size_t count = outer.size - 1 + more;
    const Form& head = outer.items()[0];
    if (head.is_symbol("if") || head.is_symbol("if-not")) return outer.size == 2 && more == 2;
    if (head.is_symbol("when") || head.is_symbol("when-not")) return outer.size == 2;
    const std::string_view function = code.core_function(head);
    return !function.empty() && takes(parameters_of(code.usage(function)), count);
}

/// Only what does nothing is left out.
bool is_plain_value(const Form& form) { return form.kind < FormKind::Symbol; }

Proposal surplus(const Arguments& a, std::size_t most) {
    Repair repair;
    for (std::size_t i = most; i < a.call.size(); ++i) {
        if (!a.call.has(i) || !is_plain_value(*a.call.arguments[i])) return std::nullopt;
        repair.edits.push_back(removal(a.code, *a.call.arguments[i]));
    }
    repair.hint = "It takes fewer arguments; the last ones are left out.";
    return repair;
}

/// (subs :name user 0 1): a look-up that lost its brackets, where that makes the count right.
Proposal loose_lookup(const Arguments& a, const std::vector<std::vector<std::string_view>>& shapes) {
    if (a.call.is_step() || a.call.size() < 2 || !takes(shapes, a.call.size() - 1)) return std::nullopt;
    const std::vector<std::string_view> parameters = parameters_of(a.code.usage(a.function), a.call.size() - 1);
    Proposal found;
    for (std::size_t i = 0; i + 1 < a.call.size() && i < parameters.size(); ++i) {
        const Form& key = *a.call.arguments[i];
        const Form& map = *a.call.arguments[i + 1];
        const Kinds takes = kinds_of_parameter(parameters[i]);
        const bool is_scalar = takes != kAnyKind && (takes & (kKeyword | kFunctionKind | kCollection)) == 0;
        if (!key.is(FormKind::Keyword) || !map.is(FormKind::Symbol) || !is_scalar) continue;
        if (found) return std::nullopt;
        found = a.around(i, i + 1, "(", ")");
        found->hint = "A field is read by (:key m).";
    }
    return found;
}

/// (count) in a function of one parameter.
Proposal parameter_left_out(const Arguments& a) {
    if (a.call.size() != 0 || !a.call.whole->is(FormKind::List)) return std::nullopt;
    for (std::size_t i = 1; i < a.place.forms.size(); ++i) {
        const Form& function = *a.place.forms[i];
        if (!calls_one_of(function, {"fn", "defn"})) continue;
        for (const Form& part : function.items()) {
            if (!part.is(FormKind::Vector)) continue;
            if (part.size != 1 || !part.items()[0].is(FormKind::Symbol)) return std::nullopt;
            return Repair{{insertion(a.call.whole->span.end - 1, " " + a.code.copy(part.items()[0]))}, {}, {}};
        }
    }
    return std::nullopt;
}

/// (count xs > 3): the operator between a call without its brackets and a value.
Proposal call_before_operator(const Code& code, const CallSite& call) {
    const std::size_t size = call.size();
    if (call.is_step() || size < 3 || !call.whole->is(FormKind::List) || !is_operator(*call.arguments[size - 2]))
        return std::nullopt;
    const auto shapes = parameters_of(code.usage(code.core_function(*call.head)));
    if (!takes(shapes, size - 2)) return std::nullopt;
    Pieces pieces;
    pieces.text("(").copy(*call.arguments[size - 2]).text(" (").copy(*call.head);
    for (std::size_t i = 0; i + 2 < size; ++i)
        pieces.text(" ").copy(*call.arguments[i]);
    return replace(code, *call.whole, pieces.text(") ").copy(*call.arguments[size - 1]).text(")"),
                   "The function comes first: (> (count xs) 3).");
}

} // namespace

Proposal late_closer(const Code& code, const Place& inner) {
    const Form* outer = inner.around();
    if (!outer || !is_call(*outer) || !inner.form().is(FormKind::List) || inner.form().size < 3 || inner.index() == 0 ||
        inner.index() + 1 != outer->size)
        return std::nullopt;
    const FormSpan items = inner.form().items();
    const std::string_view function = code.core_function(items[0]);
    bool last = false;
    if (function.empty() || is_step(inner, &last) || is_step(inner.outer(), &last)) return std::nullopt;
    const auto shapes = parameters_of(code.usage(function));
    const std::size_t most = taken_at_most(shapes);
    const std::size_t given = items.size() - 1;
    if (given <= most || most == 0 || !takes_more(code, *outer, given - most)) return std::nullopt;
    Repair repair;
    repair.edits = {insertion(items[most].span.end, ")"), {{inner.form().span.end - 1, inner.form().span.end}, ""}};
    repair.hint = "The bracket of `" + std::string(function) + "` closes too late.";
    repair.covers = outer->span;
    return repair;
}

Proposal late_closer_inside(const Code& code, const Place& outer) {
    if (!is_call(outer.form()) || outer.form().size < 2) return std::nullopt;
    return late_closer(code, outer.inner(outer.form().items().back()));
}

namespace {

using Shapes = std::vector<std::vector<std::string_view>>;

/// (get(m, :k))
Proposal bracket_behind_function(const Arguments& a, const Shapes& shapes) {
    if (a.call.size() != 1 || !a.call.has(0) || !a.call.whole->is(FormKind::List)) return std::nullopt;
    const Form& inner = *a.call.arguments[0];
    if (!inner.is(FormKind::List) || !Code::touch(*a.call.head, inner) || !takes(shapes, inner.size))
        return std::nullopt;
    return Repair{{{{inner.span.begin, inner.span.begin + 1}, " "}, {{inner.span.end - 1, inner.span.end}, ""}},
                  "A call is written (f x y), with the bracket before the function.",
                  a.call.whole->span};
}

/// (->> (map :qty) (reduce +) data/orders), at one of the steps, or what stands where the value should be.
Proposal data_behind_steps(const Arguments& a) {
    const Form* around = a.place.around();
    const bool is_threaded = around && calls_one_of(*around, {"->", "->>"}) && a.place.index() == 1;
    if (!a.call.is_step() && !is_threaded) return std::nullopt;
    const Form& last = around->items().back();
    if (!last.is(FormKind::Symbol) || !last.text().starts_with("data/")) return std::nullopt;
    return value_behind_its_steps(a.code, a.place.outer().inner(last));
}

/// (count odd? xs), (trim a b), (count xs ys): several arguments for a function of one.
Proposal several_for_one(const Arguments& a, const std::vector<std::string_view>& parameters) {
    if (Proposal found = function_and_collection(a)) return found;
    const Kinds takes = kinds_of_parameter(parameters[0]);
    if (takes == (kText | kNilKind)) return a.around(0, a.call.size() - 1, "(str ", ")");
    if ((takes & kVectorKind) != 0 && takes != kAnyKind && a.all(kCollection))
        return a.around(0, a.call.size() - 1, "(concat ", ")");
    return std::nullopt;
}

Proposal too_few_arguments(const Arguments& a) {
    if (Proposal found = data_behind_steps(a)) return found;
    if (Proposal found = early_closer(a.code, a.place)) return found;
    if (Proposal found = swallowed_argument(a.code, a.place)) return found;
    if (Proposal found = parameter_left_out(a)) return found;
    return missing_arguments(a);
}

Proposal too_many_arguments(const Arguments& a, const Shapes& shapes) {
    if (Proposal found = loose_test(a)) return found;
    if (Proposal found = loose_lookup(a, shapes)) return found;
    if (Proposal found = early_closer_inside(a)) return found;
    if (Proposal found = several_functions(a)) return found;
    for (std::size_t i = shapes.size(); i-- > 0;) {
        if (Proposal found = loose_items(a, shapes[i])) return found;
    }
    if (Proposal found = late_closer(a.code, a.place)) return found;
    const std::size_t most = taken_at_most(shapes);
    if (most == 1) {
        if (Proposal found = several_for_one(a, shapes.back())) return found;
    }
    return surplus(a, most);
}

} // namespace

Proposal wrong_arity(const Code& code, const Place& place) {
    const std::optional<CallSite> call = call_at(place);
    if (!call) return std::nullopt;
    if (Proposal found = infix_among_arguments(code, place)) return found;
    const std::string_view function = code.core_function(*call->head);
    if (function.empty()) return std::nullopt;
    for (const auto rule : {bare_step, written_value, step_behind, function_wanted}) {
        if (Proposal found = rule(code, place)) return found;
    }
    if (Proposal found = call_before_operator(code, *call)) return found;
    if (Proposal found = wrong_aggregate(code, place)) return found;
    const Arguments a{code, place, *call, function};
    using Rule = Proposal (*)(const Arguments&);
    for (const Rule rule : {triple_quotes, named_cases, get_path, loose_path}) {
        if (Proposal found = rule(a)) return found;
    }
    const Shapes shapes = parameters_of(code.usage(function));
    if (Proposal found = bracket_behind_function(a, shapes)) return found;
    return call->size() <= taken_at_most(shapes) ? too_few_arguments(a) : too_many_arguments(a, shapes);
}

namespace {

/// (sort-by :price rows :desc), (sort xs >): the direction stands before the collection.
Proposal late_direction(const Arguments& a) {
    const std::size_t at = a.function == "sort" ? 1 : a.function == "sort-by" ? 2 : 0;
    if (at == 0 || a.call.size() != at + 1 || !a.call.has(at) || !a.call.has(at - 1)) return std::nullopt;
    const Form& direction = *a.call.arguments[at];
    const std::string_view word = a.code.text(direction);
    const bool descends = word == ":desc" || word == ":descending" || word == ":reverse" || word == ">";
    if (!descends && word != ":asc" && word != ":ascending" && word != "<") return std::nullopt;
    return Repair{{insertion(a.begin(at - 1), descends ? "> " : "< "), removal(a.code, direction)},
                  "The comparator stands before the collection: (sort-by f > coll).",
                  {}};
}

} // namespace

Proposal misplaced_arguments(const Code& code, const Place& place) {
    const std::optional<CallSite> call = call_at(place);
    if (!call) return std::nullopt;
    const std::string_view function = code.core_function(*call->head);
    const Arguments a{code, place, *call, function};
    if (call->head->is_symbol("apply") && call->size() >= 2 && call->has(0) &&
        a.all(kNumber | kText, 1)) { // (apply + 1 2)
        return Repair{{{{call->head->span.begin, call->arguments[0]->span.begin}, ""}},
                      "apply takes the arguments from a collection; these stand there already.",
                      {}};
    }
    if (function.empty()) return std::nullopt;
    if (Proposal found = late_direction(a)) return found;
    if (Proposal found = a.tabled(CallRepairGroup::Misplaced)) return found;
    if (Proposal found = loose_path(a)) return found;
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), call->size());
    const bool many = call->size() >= 3 && parameters.size() == call->size();
    if (many && parameters[0] == "f" && parameters[1] == "c1") {
        if (Proposal found = several_functions(a)) return found;
        if (call->has(1)) return loose_items(a, {"f", "coll"});
    }
    return std::nullopt;
}

} // namespace ptc::repair
