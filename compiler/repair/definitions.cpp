// Parameters and definitions that are not written as they should be: fn, defn, def.
//
// The error stands at what should be the parameters or the name, or at the whole form. Shapes of other languages and
// Lisps are (defn (f x) ..), (fn (x y) ..), (def x = 5), (def f [x] ..); as with bindings, brackets, heads and signs
// change, and names and values stay in place.
#include "compiler/repair/bindings.h"
#include <algorithm>

namespace ptc::repair {

// ---- Parameters

namespace {

constexpr const char* kParameters = "Parameters stand in a vector: [x y].";

/// One function for several arities, which picks by the number of arguments.
std::string by_count(const Code& code, FormSpan arities) {
    std::string cases;
    std::string rest;
    for (const Form& arity : arities) {
        const Form& parameters = arity.items()[0];
        std::string body = "(let [" + code.copy(parameters) + " args]";
        for (const Form& form : arity.items().subspan(1))
            body += " " + code.copy(form);
        body += ")";
        const bool is_open = std::any_of(parameters.items().begin(), parameters.items().end(),
                                         [](const Form& p) { return p.is_symbol("&"); });
        if (is_open)
            rest = " " + body;
        else
            cases += " " + std::to_string(parameters.size) + " " + body;
    }
    return "[& args] (case (count args)" + cases + rest + ")";
}

/// (x y) in front of a body: parameters, unless it calls something.
bool are_plain_names(const Code& code, const Form& list, FormSpan body) {
    const auto is_used = [&](const Form& name) {
        return std::any_of(body.begin(), body.end(),
                           [&](const Form& form) { return name.is(FormKind::Symbol) && mentions(form, name.text()); });
    };
    const bool all_used = std::all_of(list.items().begin(), list.items().end(), is_used);
    return list.size > 0 && (all_used || code.core_function(list.items()[0]).empty()) &&
           std::all_of(list.items().begin(), list.items().end(), [](const Form& f) { return f.is(FormKind::Symbol); });
}

bool is_arity(const Form& form) { return is_call(form) && form.items()[0].is(FormKind::Vector); }

/// (f x y) as f [x y]
std::vector<Edit> separated_name(const Code& code, const Form& signature) {
    Pieces pieces;
    pieces.copy(signature.items()[0]).text(" [");
    for (std::size_t i = 1; i < signature.size; ++i)
        pieces.text(i > 1 ? " " : "").copy(signature.items()[i]);
    return pieces.text("]").edits(code.source(), signature.span);
}

/// The place of what should be the parameters: the error stands there, or at the whole form. Empty when there is none.
Place place_of_parameters(const Place& place) {
    const Form& form = place.form();
    if (!calls_one_of(form, {"fn", "defn"})) return place;
    if (form.size < 2) return {};
    const bool is_second = form.size > 2 && calls(form, "defn") && !form.items()[1].is(FormKind::List);
    return place.inner(form.items()[is_second ? 2 : 1]);
}

/// (fn (f %))
Proposal placeholders_without_sign(const Form& function) {
    const FormSpan items = function.items();
    if (!calls(function, "fn") || items.size() != 2 || !items[1].is(FormKind::List) || !has_placeholder(items[1]))
        return std::nullopt;
    const Span whole = function.span;
    return Repair{{{{whole.begin, items[1].span.begin}, "#"}, {{whole.end - 1, whole.end}, ""}},
                  "Placeholders name the parameters of #().",
                  whole};
}

/// (defn (f x) ..)
Proposal name_among_parameters(const Code& code, const Form& definition) {
    const Form& signature = definition.items()[1];
    if (!is_call(signature) || !signature.items()[0].is(FormKind::Symbol)) return std::nullopt;
    return Repair{separated_name(code, signature), kParameters, definition.span};
}

/// (fn f (x) ..), unless the list is a call.
bool is_named(const Code& code, const Form& function) {
    const FormSpan items = function.items();
    return calls(function, "fn") && items.size() > 3 && items[1].is(FormKind::Symbol) && items[2].is(FormKind::List) &&
           are_plain_names(code, items[2], items.subspan(3));
}

/// (fn ([x] ..)), (defn f ([x] ..) ([x y] ..))
Proposal bracketed_arities(const Code& code, const Form& function, FormSpan parts) {
    if (!std::all_of(parts.begin(), parts.end(), is_arity)) return std::nullopt;
    if (parts.size() == 1) return Repair{unwrapping(parts[0]), kParameters, function.span};
    return Repair{{{{parts.front().span.begin, parts.back().span.end}, by_count(code, parts)}},
                  "A function has one list of parameters; `&` takes the rest.",
                  function.span};
}

/// (fn (x y) ..), (fn {:keys [x]} ..), (fn x y body), (fn x => body): what makes a vector of the parameters, which
/// the parts begin with; nothing when they do not.
std::vector<Edit> in_vector(const Code& code, FormSpan parts) {
    if (parts[0].is(FormKind::List)) return rebracketing(parts[0], "[", "]");
    if (parts[0].is(FormKind::Map)) return wrapping(parts[0].span, "[", "]");
    std::size_t count = 0;
    while (count + 1 < parts.size() && parts[count].is(FormKind::Symbol) && !is_arrow(parts[count]))
        ++count;
    if (count == 0) return {};
    std::vector<Edit> edits = wrapping({parts[0].span.begin, parts[count - 1].span.end}, "[", "]");
    if (is_arrow(parts[count])) edits.push_back(removal(code, parts[count]));
    return edits;
}

} // namespace

Proposal parameter_shape(const Code& code, const Place& place) {
    const Place at = place_of_parameters(place);
    const Form* function = at.around();
    if (!function || !calls_one_of(*function, {"fn", "defn"})) return std::nullopt;
    if (Proposal found = placeholders_without_sign(*function)) return found;
    const FormSpan items = function->items();
    std::size_t first = at.index();
    if (calls(*function, "defn") && first == 1) return name_among_parameters(code, *function);
    const bool has_name = is_named(code, *function);
    if (calls(*function, "fn") && items.size() > 1 && items[1].is(FormKind::Symbol)) first = has_name ? 2 : 1;
    const FormSpan parts = items.subspan(first);
    if (parts.empty()) return std::nullopt;
    if (is_arity(parts[0])) return bracketed_arities(code, *function, parts);
    std::vector<Edit> edits = in_vector(code, parts);
    if (edits.empty()) return std::nullopt;
    if (has_name && !at.outer().around()) edits = join({{items[0].span, "defn"}}, std::move(edits));
    return Repair{std::move(edits), kParameters, function->span};
}

// ---- Definitions

namespace {

constexpr const char* kDefinitions = "(def name value), (defn name [params] body)";

Proposal definition_name(const Form& name) {
    const bool wrong = name.is(FormKind::Keyword) || name.is(FormKind::String) ||
                       (name.is(FormKind::Quote) && name.items()[0].is(FormKind::Symbol));
    if (!wrong) return std::nullopt;
    if (name.is(FormKind::Quote)) return replace(name, std::string(name.items()[0].text()));
    return replace(name, std::string(name.text()), "A name is written without colon and quotes.");
}

/// (defn [x] ..), (def fn f [x] ..)
Proposal other_head(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    const Form& head = list.items()[0];
    if (calls(list, "defn") && parts[0].is(FormKind::Vector) && parts.size() > 1)
        return Repair{{{head.span, "fn"}}, "A function without a name is (fn [x] ..).", list.span};
    if (!calls(list, "defn") && parts[0].is_symbol("fn") && parts.size() > 2)
        return Repair{{{{head.span.begin, parts[0].span.end}, "defn"}}, "(defn name [params] body)", list.span};
    return std::nullopt;
}

/// (def (x 5)), (def [x] 5)
Proposal bracketed_definition(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    const Form& inner = parts[0];
    const bool begins_with_name =
        has_items(inner) && !inner.is(FormKind::Map) && inner.size > 0 && inner.items()[0].is(FormKind::Symbol);
    if (!calls_one_of(list, {"def", "defonce"}) || !begins_with_name) return std::nullopt;
    const bool is_whole = parts.size() == 1 && inner.size == 2;
    const bool is_name = parts.size() == 2 && inner.size == 1 && inner.is(FormKind::Vector);
    if (!is_whole && !is_name) return std::nullopt;
    return Repair{unwrapping(inner), "(def name value)", list.span};
}

/// (def x = 5)
Proposal assigned_value(const Code& code, const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    const FormSpan run = parts.subspan(2);
    const std::string value = run.size() == 1 ? code.copy(run[0]) : prefix_of(code, run);
    if (value.empty()) return std::nullopt;
    return Repair{{{{parts[1].span.begin, run.back().span.end}, value}}, kDefinitions, list.span};
}

/// (def f [x] ..), (def f (x) ..)
Repair function_by_def(const Code& code, const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    std::vector<Edit> edits = {{list.items()[0].span, "defn"}};
    if (parts[1].is(FormKind::List)) edits = join(std::move(edits), rebracketing(parts[1], "[", "]"));
    if (parts[2].is_symbol("return")) edits.push_back(removal(code, parts[2]));
    return {std::move(edits), kDefinitions, list.span};
}

/// (def x 5 y 6)
Repair several_definitions(const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    Repair repair{{}, kDefinitions, list.span};
    for (std::size_t i = 2; i < parts.size(); i += 2)
        repair.edits.push_back({{parts[i - 1].span.end, parts[i].span.begin}, ") (def "});
    return repair;
}

/// A def whose name is none, or that has more or less than one value.
Proposal name_and_value(const Code& code, const Form& list) {
    const FormSpan parts = list.items().subspan(1);
    const Form& head = list.items()[0];
    if (is_call(parts[0]) && parts.size() >= 2) // (def (f x) ..)
        return Repair{join({{head.span, "defn"}}, separated_name(code, parts[0])), kDefinitions, list.span};
    if (parts[0].is(FormKind::Vector) && parts.size() == 1 && parts[0].size == 2) // (def [x 5])
        return Repair{unwrapping(parts[0]), kDefinitions, list.span};
    if (parts.size() == 1) return Repair{{insertion(parts[0].span.end, " nil")}, kDefinitions, list.span};
    if (parts.size() >= 3 && is_noise(parts[1])) return assigned_value(code, list);
    if (parts.size() >= 3 && are_names(parts[1])) return function_by_def(code, list);
    if (const std::string value = prefix_of(code, parts.subspan(1)); !value.empty()) // (def x a + b)
        return Repair{{{{parts[1].span.begin, parts.back().span.end}, value}}, kDefinitions, list.span};
    return parts.size() % 2 == 0 ? Proposal(several_definitions(list)) : std::nullopt;
}

} // namespace

Proposal definition_shape(const Code& code, const Place& place) {
    Place at = place;
    if (!calls_one_of(at.form(), {"def", "defn", "defonce"})) {
        if (!at.around()) return std::nullopt;
        at = at.outer();
    }
    const Form& list = at.form();
    if (!is_call(list) || list.size < 2 || !list.items()[0].is(FormKind::Symbol)) return std::nullopt;
    if (Proposal found = other_head(list)) return found;
    if (Proposal found = bracketed_definition(list)) return found;
    if (Proposal found = definition_name(list.items()[1])) {
        found->covers = list.span;
        return found;
    }
    if (calls(list, "defn")) return parameter_shape(code, at);
    return calls_one_of(list, {"def", "defonce"}) ? name_and_value(code, list) : std::nullopt;
}

} // namespace ptc::repair
