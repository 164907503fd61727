// Calls of what the program defines or writes out: functions and literals; keys written twice.
//
// The counts come from the error: how many arguments were given, how many the function takes. A call of an own function
// is mended at its arguments, that of a literal, ((fn [x] ..) 1), at its parameters. When the error stands at a call
// that passes a function on, the literal (literals.cpp), or the name, is mended.
#include "compiler/repair/arguments.h"
#include <algorithm>

namespace ptc::repair {

// ---- Functions of the program

namespace {

/// How many arguments the function that `list` calls gives to the one that is passed to it.
std::size_t given_by(const Form& list) {
    if (calls_one_of(list, {"map-indexed", "keep-indexed", "reduce", "sort"})) return 2;
    return calls(list, "reduce-kv") ? 3 : 1;
}

/// (map f pairs): a function of the program that is passed by its name.
Proposal passed_by_name(const Code& code, const Form& list, const BadCall& bad_call) {
    if (bad_call.given != 1 || bad_call.taken < 2) return std::nullopt;
    for (const Form& argument : list.items().subspan(1)) {
        if (!argument.is(FormKind::Symbol) || argument.text() != bad_call.function) continue;
        if (gets_other_rows(code, argument)) return std::nullopt;
        return Repair{
            wrapping(argument.span, "(partial apply ", ")"), "Each item is one argument; apply spreads it.", {}};
    }
    return std::nullopt;
}

/// The error stands at the call of a function of the language, which calls what is passed to it.
Proposal passed_on(const Code& code, const Form& list, const BadCall& bad_call) {
    for (const Form& argument : list.items().subspan(1)) {
        if (is_function_literal(argument))
            return passed_literal(code, list, argument, bad_call.given > 0 ? bad_call.given : given_by(list));
    }
    if (calls(list, "partial")) return std::nullopt; // (partial apply f) is what comes of it
    return passed_by_name(code, list, bad_call);
}

/// A call of a function that the program defines or writes out.
struct OwnCall {
    const Code& code;
    const Place& place;
    const CallSite& call;
    const Form* parameters; ///< null when they are not known
    std::size_t taken;

    [[nodiscard]] const Form& list() const { return place.form(); }
    [[nodiscard]] const Form& head() const { return list().items()[0]; }
    [[nodiscard]] std::size_t given() const { return call.size(); }
};

/// The parameters of the function that `head` is, or names; null when they are not known.
const Form* own_parameters(const Code& code, const Form& head) {
    if (is_function_literal(head) && !head.is(FormKind::ShortFn)) return parameters_of_literal(head);
    const Form* parameters = nullptr;
    for (const Form& form : code.top_level()) { // the last definition counts
        if (calls(form, "defn") && form.size > 2 && head.is(FormKind::Symbol) && form.items()[1].is_symbol(head.text()))
            parameters = parameters_of_literal(form);
    }
    return parameters;
}

/// Whether the definition with these parameters ends in a call of the language that makes no function.
bool gives_no_function(const Code& code, const Form& parameters) {
    for (const Form& form : code.top_level()) {
        const bool is_here = form.span.begin <= parameters.span.begin && parameters.span.end <= form.span.end;
        if (!is_here || !is_call(form) || !is_call(form.items().back())) continue;
        const std::string_view function = code.core_function(form.items().back().items()[0]);
        return !function.empty() &&
               !is_one_of(function, {"partial", "comp", "complement", "constantly", "fnil", "juxt", "memoize",
                                     "every-pred", "some-fn", "apply", "get", "get-in"});
    }
    return false;
}

/// (map ((fn [x] ..)) xs), (filter (senior?) xs)
Proposal bracketed_function(const OwnCall& own) {
    const Form& list = own.list();
    const bool is_known =
        is_function_literal(own.head()) || (own.parameters && gives_no_function(own.code, *own.parameters));
    if (!list.is(FormKind::List) || list.size != 1 || !is_known || !wants_function(own.code, own.place))
        return std::nullopt;
    return Repair{unwrapping(list), "A function is given without brackets of its own.", {}};
}

/// (add [1 2]), ((fn [a b] ..) [1 2]): the arguments in one collection.
Proposal arguments_in_collection(const OwnCall& own) {
    if (own.given() != 1 || own.taken < 2 || !own.call.has(0)) return std::nullopt;
    const Kinds kinds = kinds_of(own.code, own.place.inner(*own.call.arguments[0]));
    if ((kinds & kVectorKind) == 0 || kinds == kAnyKind) return std::nullopt;
    if (is_function_literal(own.head()) && own.parameters)
        return Repair{rebracketing(*own.parameters, "[[", "]]"), {}, {}};
    return Repair{{insertion(own.head().span.begin, "apply ")}, "(apply f coll) gives the items as arguments.", {}};
}

/// (:name row), where `name` is a parameter.
bool is_read_as_row(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    if (is_call(form) && form.size > 1 && form.items()[0].is(FormKind::Keyword) && form.items()[1].is_symbol(name))
        return true;
    return std::ranges::any_of(form.items(), [&](const Form& item) { return is_read_as_row(item, name); });
}

/// Whether the function with these parameters reads fields of the first one.
bool gets_row_first(const Code& code, const Form& parameters) {
    const Form& first = parameters.items()[0];
    return first.is(FormKind::Symbol) && std::ranges::any_of(code.top_level(), [&](const Form& form) {
               return form.span.begin <= parameters.span.begin && parameters.span.end <= form.span.end &&
                      is_read_as_row(form, first.text());
           });
}

/// (map (cost 2) rows): a call in the place of a function, with all arguments but the item.
Proposal partly_applied(const OwnCall& own) {
    if (own.given() == 0 || own.given() + 1 != own.taken || !own.parameters || !own.place.around() ||
        !wants_function(own.code, own.place))
        return std::nullopt;
    const Form& list = own.list();
    if (!gets_row_first(own.code, *own.parameters))
        return Repair{{insertion(list.items()[0].span.begin, "partial ")},
                      "A function with some arguments given is (partial f x).",
                      {}};
    if (mentions(list, "x")) return std::nullopt;
    return Repair{{insertion(list.span.begin, "(fn [x] "), insertion(list.items()[0].span.end, " x"),
                   insertion(list.span.end, ")")},
                  "The item is the first argument: (fn [x] (f x 2)).",
                  {}};
}

/// Arguments that are missing at the end, given by what has the names of their parameters: a variable, a definition, or
/// data.
Proposal missing_by_name(const OwnCall& own) {
    if (!own.parameters) return std::nullopt;
    const std::vector<std::string_view> locals = own.code.locals(own.place);
    const std::vector<std::string_view> definitions = own.code.definitions();
    std::string text;
    for (const Form& parameter : own.parameters->items().subspan(own.given())) {
        if (!parameter.is(FormKind::Symbol) || parameter.text() == "&") return std::nullopt;
        const std::string name(parameter.text());
        const auto& data = own.code.surroundings().data_names;
        if (std::ranges::find(locals, name) != locals.end() ||
            std::ranges::find(definitions, name) != definitions.end())
            text += " " + name;
        else if (data && std::ranges::find(*data, name) != data->end())
            text += " data/" + name;
        else
            return std::nullopt;
    }
    return Repair{{insertion(own.list().span.end - 1, text)}, "Every parameter gets its argument.", {}};
}

/// (discount price), where the second parameter is `percent`, as a variable is: so no collection of both is meant.
Proposal missing_locals(const OwnCall& own) {
    if (own.given() == 0 || own.given() >= own.taken || !own.parameters || !own.call.has(0) || own.call.is_step() ||
        kinds_of(own.code, own.place.inner(*own.call.arguments[0])) == kVectorKind)
        return std::nullopt;
    if (own.list().is(FormKind::List) && wants_function(own.code, own.place)) return std::nullopt; // partly applied
    const std::vector<std::string_view> locals = own.code.locals(own.place);
    const bool are_bound = std::ranges::all_of(own.parameters->items().subspan(own.given()), [&](const Form& name) {
        return name.is(FormKind::Symbol) && std::ranges::find(locals, name.text()) != locals.end();
    });
    return are_bound ? missing_by_name(own) : std::nullopt;
}

/// (total 1 2 3), where total takes [prices]
Proposal items_of_collection(const OwnCall& own) {
    if (own.taken != 1 || own.given() < 2 || !own.parameters) return std::nullopt;
    const Arguments a{own.code, own.place, own.call, {}};
    const Form& parameter = own.parameters->items()[0];
    const bool is_plural = parameter.is(FormKind::Symbol) && parameter.text().ends_with('s');
    if (!is_plural || !a.all(kNumber | kText | kKeyword)) return std::nullopt;
    return a.around(0, own.given() - 1, "[", "]");
}

/// (f d es), where f takes [[d es]] or [{:keys [d es]}]: the parts as the one value that it takes apart.
Proposal parts_of_pattern(const OwnCall& own) {
    if (own.taken != 1 || !own.parameters) return std::nullopt;
    const Form& pattern = own.parameters->items()[0];
    const CallSite& call = own.call;
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

Proposal left_out(const OwnCall& own) {
    Repair repair;
    for (std::size_t i = own.taken; i < own.given(); ++i) {
        if (!own.call.has(i)) return std::nullopt;
        repair.edits.push_back(removal(own.code, *own.call.arguments[i]));
    }
    repair.hint = "It takes fewer arguments; the last ones are left out.";
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

} // namespace

Proposal wrong_own_arity(const Code& code, const Place& place, const BadCall& bad_call) {
    constexpr std::size_t kMostForms = 1'000; // an edit for each of more would be no help, and outlast the deadline
    if (place.empty() || !is_call(place.form()) || place.form().size > kMostForms) return std::nullopt;
    const Form& head = place.form().items()[0];
    // The call is in what a definition of records or protocols became, and nothing of it stands there.
    if (head.is(FormKind::Symbol) && (head.text().starts_with("def") || head.text().starts_with("extend-")))
        return std::nullopt;
    if (!code.core_function(head).empty()) return passed_on(code, place.form(), bad_call);
    const std::optional<CallSite> call = call_at(place);
    if (!call) return std::nullopt;
    const Form* parameters = own_parameters(code, head);
    const OwnCall own{code, place, *call, parameters, parameters ? parameters->size : bad_call.taken};
    for (const auto rule : {bracketed_function, missing_locals, arguments_in_collection, partly_applied}) {
        if (Proposal found = rule(own)) return found;
    }
    if (own.given() < own.taken) return missing_by_name(own);
    for (const auto rule : {items_of_collection, parts_of_pattern}) {
        if (Proposal found = rule(own)) return found;
    }
    return left_out(own);
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
