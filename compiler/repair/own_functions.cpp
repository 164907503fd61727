// Calls of what the program defines or writes out: functions, literals, recur; #() inside of #(); keys written twice.
//
// The counts come from the error: how many arguments were given, how many the function takes. A literal passed to map
// or reduce is mended at its parameters (an entry is one argument, [[k v]]), a call of an own function at its
// arguments. A placeholder function that must take more gets names (named_function).
#include "compiler/repair/arguments.h"
#include <algorithm>

namespace ptc::repair {

// ---- Functions of the program

namespace {

const Form* parameters_of_literal(const Form& function) {
    for (const Form& part : function.items()) {
        if (part.is(FormKind::Vector)) return &part;
    }
    return nullptr;
}

std::string with_names(const Code& code, const Form& form, std::span<const std::string> names) {
    // The text with its placeholders replaced.
    struct Walk {
        const Code& code;
        std::span<const std::string> names;
        std::uint32_t at;
        std::string out;
        void visit(const Form& form) {
            if (is_placeholder(form)) {
                const std::string_view name = form.text();
                const std::size_t index = name.size() == 1 ? 0
                                          : name[1] == '&' ? names.size()
                                                           : static_cast<std::size_t>(name[1] - '1');
                out += code.text({at, form.span.begin});
                out += index < names.size() ? names[index] : std::string(name);
                at = form.span.end;
                return;
            }
            if (!has_items(form)) return;
            for (const Form& item : form.items())
                visit(item);
        }
    };
    Walk walk{code, names, form.span.begin, {}};
    for (const Form& item : form.items())
        walk.visit(item);
    walk.out += code.text({walk.at, form.span.end});
    return walk.out;
}

/// #(+ % 1) as (fn [PARAMETERS] (+ x 1)).
std::string named_function(const Code& code, const Form& short_fn, std::span<const std::string> names,
                           const std::string& parameters) {
    return "(fn [" + parameters + "] " + with_names(code, short_fn, names).substr(1) + ")";
}

std::vector<std::string> fresh_names(const Code& code, const Form& form, std::size_t count) {
    std::vector<std::string> names;
    for (const char* name : {"x", "y", "z", "a", "b", "c", "v", "w", "u"}) {
        const bool taken = std::any_of(code.top_level().begin(), code.top_level().end(), [&](const Form& f) {
            return f.span.begin <= form.span.begin && form.span.end <= f.span.end && mentions(f, name);
        });
        if (!taken && names.size() < count) names.emplace_back(name);
    }
    while (names.size() < count)
        names.push_back("x" + std::to_string(names.size()));
    return names;
}

std::size_t placeholders_of(const Form& form) {
    if (is_placeholder(form)) return form.size == 1 ? 1 : static_cast<std::size_t>(std::max(1, form.text()[1] - '0'));
    std::size_t highest = 0;
    if (has_items(form)) {
        for (const Form& item : form.items())
            highest = std::max(highest, placeholders_of(item));
    }
    return highest;
}

bool names_index(const Form& parameter) {
    return is_symbol_of(parameter, {"i", "j", "n", "idx", "index", "_i", "pos"});
}

/// Whether the values that come are known to be maps without fields of the parameters' names.
bool gets_other_rows(const Code& code, const Form& function) {
    return std::ranges::any_of(code.surroundings().warnings, [&](const Diagnostic& known) {
        return known.error.reason == Reason::SuspiciousForm && known.error.span == function.span &&
               known.error.edits.empty();
    });
}

/// (fn [a b] (compare (:n b) (:n a))): a comparison of two items.
bool compares_items(const Form& function) {
    const bool is_short = function.is(FormKind::ShortFn);
    const Form* parameters = is_short ? nullptr : parameters_of_literal(function);
    if (!is_short && (!parameters || parameters->size != 2)) return false;
    const FormSpan call = is_short ? function.items() : function.items().back().items();
    if (!is_short && !is_call(function.items().back())) return false;
    if (call.size() != 3 || !is_symbol_of(call[0], {"compare", "<", ">", "<=", ">=", "-"})) return false;
    const std::string_view first = is_short ? "%1" : parameters->items()[0].text();
    const std::string_view second = is_short ? "%2" : parameters->items()[1].text();
    const auto only = [&](const Form& side, std::string_view own, std::string_view other) {
        return mentions(side, own) && !mentions(side, other);
    };
    return (only(call[1], first, second) && only(call[2], second, first)) ||
           (only(call[1], second, first) && only(call[2], first, second));
}

/// A function literal that is called with `given` arguments by the function that it is passed to.
Proposal passed_literal(const Code& code, const Form& call, const Form& function, std::size_t given) {
    const bool is_short = function.is(FormKind::ShortFn);
    const Form* parameters = is_short ? nullptr : parameters_of_literal(function);
    if (!is_short && !parameters) return std::nullopt;
    const std::size_t taken = is_short ? placeholders_of(function) : parameters->size;
    const bool reduces = calls(call, "reduce") || calls(call, "reduce-kv");
    if (given == 1 && taken == 2 && !is_short && (calls(call, "map") || calls(call, "mapv")) &&
        names_index(parameters->items()[0]))
        return replace(call.items()[0], "map-indexed", "(map-indexed f coll) gives index and item.");
    if (given == 1 && taken == 2 && !is_short && calls_one_of(call, {"map", "mapv"}) &&
        is_symbol_of(parameters->items()[1], {"i", "idx", "index"}) && parameters->items()[0].is(FormKind::Symbol))
        return Repair{{{call.items()[0].span, "map-indexed"},
                       {parameters->items()[0].span, std::string(parameters->items()[1].text())},
                       {parameters->items()[1].span, std::string(parameters->items()[0].text())}},
                      "(map-indexed f coll) gives index and item.",
                      {}};
    if (given == 1 && taken == 2 && calls(call, "sort-by") && compares_items(function))
        return replace(call.items()[0], "sort", "A comparison of two items is for sort; sort-by takes a key.");
    if (given == 2 && taken == 1 && calls(call, "sort"))
        return replace(call.items()[0], "sort-by", "sort takes a comparison of two items; a key is for sort-by.");
    if (given == 1 && taken == 2 && calls(call, "update-vals")) {
        const Form* key = parameters && parameters->items()[0].is(FormKind::Symbol) ? &parameters->items()[0] : nullptr;
        const bool is_used = !key || std::ranges::any_of(function.items(), [&](const Form& part) {
            return &part != parameters && mentions(part, key->text());
        });
        if (is_used) return std::nullopt;
        return Repair{{{{key->span.begin, parameters->items()[1].span.begin}, ""}}, "It gets the values alone.", {}};
    }
    if (given == 2 && taken == 1 && !is_short && (calls(call, "map-indexed") || calls(call, "keep-indexed")) &&
        parameters->items()[0].is(FormKind::Vector) && parameters->items()[0].size == 2)
        return Repair{unwrapping(parameters->items()[0]), "It gets index and item as two arguments.", {}};
    if (given == 1 && taken >= 2 && gets_other_rows(code, function)) return std::nullopt;
    if (given == 1 && taken >= 2) { // pairs: (fn [k v] ..) over a map
        if (!is_short)
            return Repair{
                rebracketing(*parameters, "[[", "]]"), "Each item is one argument: take it apart with [[a b]].", {}};
        const std::vector<std::string> names = fresh_names(code, function, taken);
        std::string list;
        for (const std::string& name : names)
            list += (list.empty() ? "" : " ") + name;
        return replace(function, named_function(code, function, names, "[" + list + "]"),
                       "Each item is one argument: take it apart with [[a b]].");
    }
    if (is_short && function.size > 0 && function.items()[0].is_symbol("fn")) // #(fn [x] ..)
        return Repair{
            {{{function.span.begin, function.span.begin + 1}, ""}}, "(fn [x] ..) is the function itself.", {}};
    if (given == 2 && taken == 1 && reduces && !is_short) {
        const Form& body = function.items().back();
        const bool adds =
            is_call(body) && body.size == 2 &&
            (calls(body, "+") || calls(body, "*") || calls(body, "max") || calls(body, "min") || calls(body, "str")) &&
            !mentions(function, "acc");
        if (adds)
            return Repair{{insertion(parameters->span.begin + 1, "acc "), insertion(body.items()[0].span.end, " acc")},
                          "reduce gives what there is so far, and the item: (fn [acc x] ..).",
                          function.span};
    }
    if (given == 2 && taken == 1) {
        const bool index_first = calls(call, "map-indexed") || calls(call, "keep-indexed");
        if (is_short && index_first) return replace(call.items()[0], calls(call, "map-indexed") ? "map" : "keep");
        if (is_short) {
            const std::vector<std::string> names = fresh_names(code, function, 1);
            return replace(function, named_function(code, function, names, names[0] + " _"));
        }
        return Repair{
            {index_first ? insertion(parameters->span.begin + 1, "_ ") : insertion(parameters->span.end - 1, " _")},
            {},
            {}};
    }
    if (reduces && given == 2 && taken == 3 && !is_short) { // [acc k v] over a map
        const FormSpan items = parameters->items();
        return Repair{
            wrapping({items[1].span.begin, items[2].span.end}, "[", "]"), "An entry is one argument: [acc [k v]].", {}};
    }
    if (reduces && given == 3 && taken == 2 && !is_short) {
        const Form& entry = parameters->items()[1];
        if (entry.is(FormKind::Vector) && entry.size == 2)
            return Repair{unwrapping(entry), "reduce-kv gives key and value: [acc k v].", {}};
        return Repair{{insertion(entry.span.begin, "_ ")}, "reduce-kv gives key and value: [acc k v].", {}};
    }
    if (taken == 0 && !is_short) {
        std::string names = given == 1 ? "_" : "_ _";
        return Repair{{insertion(parameters->span.begin + 1, names)}, {}, {}};
    }
    return std::nullopt;
}

/// Arguments that are missing at the end, given by what has the names of their parameters: a variable, a definition, or
/// data.
Proposal missing_by_name(const Code& code, const Place& call, const Form& parameters, std::size_t given) {
    const std::vector<std::string_view> locals = code.locals(call);
    const std::vector<std::string_view> definitions = code.definitions();
    std::string text;
    for (const Form& parameter : parameters.items().subspan(given)) {
        if (!parameter.is(FormKind::Symbol) || parameter.text() == "&") return std::nullopt;
        const std::string name(parameter.text());
        const auto& data = code.surroundings().data_names;
        if (std::ranges::find(locals, name) != locals.end() ||
            std::ranges::find(definitions, name) != definitions.end())
            text += " " + name;
        else if (data && std::ranges::find(*data, name) != data->end())
            text += " data/" + name;
        else
            return std::nullopt;
    }
    return Repair{{insertion(call.form().span.end - 1, text)}, "Every parameter gets its argument.", {}};
}

/// (f d es), where f takes [[d es]] or [{:keys [d es]}]: the parts as the one value that it takes apart.
Proposal parts_of_pattern(const Form& pattern, const CallSite& call) {
    const bool has_keys = pattern.is(FormKind::Map) && pattern.size == 2 && pattern.items()[0].is(FormKind::Keyword) &&
                          pattern.items()[0].text() == "keys" && pattern.items()[1].is(FormKind::Vector);
    const Form& names = has_keys ? pattern.items()[1] : pattern;
    if (!names.is(FormKind::Vector) || names.size != call.size()) return std::nullopt;
    Repair repair;
    for (std::size_t i = 0; i < call.size(); ++i) {
        if (!call.has(i) || !names.items()[i].is(FormKind::Symbol) || names.items()[i].text() == "&")
            return std::nullopt;
        const std::string opening = i > 0 ? "" : has_keys ? "{" : "[";
        const std::string key = has_keys ? ":" + std::string(names.items()[i].text()) + " " : "";
        if (!(opening + key).empty()) repair.edits.push_back(insertion(call.arguments[i]->span.begin, opening + key));
    }
    repair.edits.push_back(insertion(call.arguments[call.size() - 1]->span.end, has_keys ? "}" : "]"));
    repair.hint = "It takes one value, which it takes apart.";
    return repair;
}

/// (:name row), where `name` is a parameter.
bool is_read_as_row(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    if (is_call(form) && form.size > 1 && form.items()[0].is(FormKind::Keyword) && form.items()[1].is_symbol(name))
        return true;
    return std::ranges::any_of(form.items(), [&](const Form& item) { return is_read_as_row(item, name); });
}

/// (map (cost 2) rows): a call in the place of a function, with all arguments but the item.
Proposal partly_applied(const Code& code, const Form& list, const Form& parameters) {
    const Form& first = parameters.items()[0];
    const bool row_first = first.is(FormKind::Symbol) && std::ranges::any_of(code.top_level(), [&](const Form& form) {
                               return form.span.begin <= parameters.span.begin &&
                                      parameters.span.end <= form.span.end && is_read_as_row(form, first.text());
                           });
    if (!row_first)
        return Repair{{insertion(list.items()[0].span.begin, "partial ")},
                      "A function with some arguments given is (partial f x).",
                      {}};
    if (mentions(list, "x")) return std::nullopt;
    return Repair{{insertion(list.span.begin, "(fn [x] "), insertion(list.items()[0].span.end, " x"),
                   insertion(list.span.end, ")")},
                  "The item is the first argument: (fn [x] (f x 2)).",
                  {}};
}

} // namespace

Proposal wrong_own_arity(const Code& code, const Place& place, const BadCall& bad_call) {
    if (place.empty() || !is_call(place.form())) return std::nullopt;
    const Form& list = place.form();
    const FormSpan arguments = list.items().subspan(1);
    const bool core = !code.core_function(list.items()[0]).empty();
    if (core) {
        for (const Form& argument : arguments) {
            if (!is_function_literal(argument)) continue;
            std::size_t given = bad_call.given;
            if (given == 0)
                given = calls(list, "map-indexed") || calls(list, "keep-indexed") || calls(list, "reduce") ||
                                calls(list, "sort")
                            ? 2
                        : calls(list, "reduce-kv") ? 3
                                                   : 1;
            return passed_literal(code, list, argument, given);
        }
        if (calls(list, "partial")) return std::nullopt; // (partial apply f) is what comes of it
        for (const Form& argument : arguments) {         // (map f pairs)
            if (!argument.is(FormKind::Symbol) || argument.text() != bad_call.function || bad_call.given != 1 ||
                bad_call.taken < 2)
                continue;
            if (gets_other_rows(code, argument)) return std::nullopt;
            return Repair{
                wrapping(argument.span, "(partial apply ", ")"), "Each item is one argument; apply spreads it.", {}};
        }
        return std::nullopt;
    }
    const std::optional<CallSite> call = call_at(place);
    if (!call) return std::nullopt;
    if (list.is(FormKind::List) && list.size == 1 && is_function_literal(list.items()[0]) &&
        wants_function(code, place))
        return Repair{unwrapping(list), "A function is given without brackets of its own.", {}};
    // A call of the program's own function, known or literal.
    const Form* parameters = nullptr;
    if (is_function_literal(list.items()[0]) && !list.items()[0].is(FormKind::ShortFn)) {
        parameters = parameters_of_literal(list.items()[0]);
    } else {
        for (const Form& form : code.top_level()) {
            if (calls(form, "defn") && form.size > 2 && list.items()[0].is(FormKind::Symbol) &&
                form.items()[1].is_symbol(list.items()[0].text()))
                parameters = parameters_of_literal(form);
        }
    }
    const std::size_t given = call->size();
    const std::size_t taken = parameters ? parameters->size : bad_call.taken;
    if (given == 1 && taken >= 2 && call->has(0) &&
        (kinds_of(code, place.inner(*call->arguments[0])) & kVectorKind) != 0 &&
        kinds_of(code, place.inner(*call->arguments[0])) != kAnyKind) {
        if (is_function_literal(list.items()[0]) && parameters)
            return Repair{rebracketing(*parameters, "[[", "]]"), {}, {}};
        return Repair{
            {insertion(list.items()[0].span.begin, "apply ")}, "(apply f coll) gives the items as arguments.", {}};
    }
    Repair repair;
    if (given > 0 && given + 1 == taken && parameters && place.around() && wants_function(code, place)) {
        if (Proposal found = partly_applied(code, list, *parameters)) return found;
    }
    if (given < taken) return parameters ? missing_by_name(code, place, *parameters, given) : std::nullopt;
    if (taken == 1 && given > 1 && parameters) { // (f 1 2 3) where f takes a collection
        Arguments a{code, place, *call, {}};
        const Form& parameter = parameters->items()[0];
        const bool plural =
            parameter.is(FormKind::Symbol) && parameter.text().ends_with('s') && a.all(kNumber | kText | kKeyword);
        if (plural) return a.around(0, given - 1, "[", "]");
    }
    if (taken == 1 && parameters) {
        if (Proposal found = parts_of_pattern(parameters->items()[0], *call)) return found;
    }
    for (std::size_t i = taken; i < given; ++i) {
        if (!call->has(i)) return std::nullopt;
        repair.edits.push_back(removal(code, *call->arguments[i]));
    }
    repair.hint = "It takes fewer arguments; the last ones are left out.";
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

// ---- recur

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

} // namespace

Proposal misplaced_recur(const Code& code, const Place& place) {
    if (Proposal found = fold_for_loop(code, place)) return found;
    if (Proposal found = values_behind(code, place)) return found;
    if (Proposal found = value_behind_test(place)) return found;
    if (Proposal found = loop_for_let(place)) return found;
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const Form& form = *place.forms[i];
        Repair repair;
        repair.hint = "recur is only for the last thing; elsewhere the function is called by its name.";
        repair.covers = form.span;
        if (calls(form, "defn") && form.size > 2) {
            rename_recur(form, called_again(form, std::string(form.items()[1].text())), repair.edits);
            return repair;
        }
        if (calls(form, "fn")) {
            const bool named = form.size > 1 && form.items()[1].is(FormKind::Symbol);
            rename_recur(form, named ? std::string(form.items()[1].text()) : "again", repair.edits);
            if (!named) repair.edits.push_back(insertion(form.items()[0].span.end, " again"));
            repair.edits = in_order(std::move(repair.edits));
            return repair;
        }
        if (calls(form, "loop") && form.size > 2 && form.items()[1].is(FormKind::Vector) &&
            form.items()[1].size % 2 == 0) {
            const Form& bindings = form.items()[1];
            std::string names;
            std::string values;
            for (std::size_t k = 0; k < bindings.size; k += 2) {
                names += (k > 0 ? " " : "") + code.copy(bindings.items()[k]);
                values += " " + code.copy(bindings.items()[k + 1]);
            }
            repair.edits = {{{form.span.begin, bindings.span.end}, "((fn again [" + names + "]"}};
            for (const Form& body : form.items().subspan(2))
                rename_recur(body, "again", repair.edits);
            repair.edits.push_back({{form.span.end - 1, form.span.end}, ")" + values + ")"});
            return repair;
        }
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

} // namespace

Proposal wrong_recur(const Code& code, const Place& place) {
    if (!calls(place.form(), "recur")) return std::nullopt;
    if (Proposal found = other_clause(place)) return found;
    if (Proposal found = loop_for_let(place)) return found;
    const FormSpan given = place.form().items().subspan(1);
    std::vector<const Form*> variables;
    const Form* target = nullptr;
    for (std::size_t i = 1; i < place.forms.size() && variables.empty(); ++i) {
        const Form& form = *place.forms[i];
        const bool loops = calls(form, "loop");
        if (!loops && !calls(form, "fn") && !calls(form, "defn")) continue;
        const Form* vector = parameters_of_literal(form);
        if (!vector || vector->size == 0) return std::nullopt;
        target = &form;
        for (std::size_t k = 0; k < vector->size; k += loops ? 2 : 1)
            variables.push_back(vector->first + k);
    }
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
    if (given.size() > variables.size()) {
        const FormSpan extra = given.subspan(variables.size());
        if (!std::ranges::all_of(extra, [](const Form& form) { return form.kind < FormKind::Symbol; })) return repair;
        for (const Form& form : extra)
            repair.edits.push_back(removal(code, form));
        return repair;
    }
    std::string more;
    for (std::size_t i = given.size(); i < variables.size(); ++i) {
        const Form& variable = *variables[i];
        const bool is_limit = variable.is(FormKind::Symbol) && !may_give(target->items().back(), variable.text());
        if (!is_limit) return repair; // what is to become of it is not known
        more += " " + code.copy(variable);
    }
    repair.edits = {insertion(place.form().span.end - 1, more)};
    return repair;
}

// ---- #() inside of #()

Proposal nested_short_fn(const Code& code, const Place& place) {
    const Form& inner = place.form();
    if (!inner.is(FormKind::ShortFn)) return std::nullopt;
    const std::size_t count = std::max<std::size_t>(placeholders_of(inner), 1);
    const std::vector<std::string> names = fresh_names(code, inner, count);
    std::string parameters;
    for (const std::string& name : names)
        parameters += (parameters.empty() ? "" : " ") + name;
    return replace(inner, named_function(code, inner, names, parameters), "The inner one is written (fn [x] ..).");
}

// ---- A key written twice

Proposal repeated_key(const Code& code, const Place& place) {
    const Form* around = place.around();
    if (!around) return std::nullopt;
    if (around->is(FormKind::Set)) return Repair{{removal(code, place.form())}, "Leave one of them out.", {}};
    const std::size_t index = place.index();
    const FormSpan items = around->items();
    if (!around->is(FormKind::Map) || index + 1 >= items.size()) return std::nullopt;
    // The later value counts, as it would elsewhere.
    const std::string_view key = code.text(place.form());
    for (std::size_t i = 0; i < index; i += 2) {
        if (code.text(items[i]) != key) continue;
        const std::uint32_t end = i + 2 < items.size() ? items[i + 2].span.begin : items[i + 1].span.end;
        return Repair{{{{items[i].span.begin, end}, ""}}, "Leave one of them out.", {}};
    }
    return std::nullopt;
}

} // namespace ptc::repair
