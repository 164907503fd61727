// Function literals where they do not fit: passed to a function that gives them more or fewer arguments than they take,
// or #() inside of #().
//
// The counts come from the error: how many arguments were given, how many the function takes. A literal passed to map
// or reduce is mended at its parameters (an entry is one argument, [[k v]]), or another function is meant
// (map-indexed). A placeholder function that must take more gets names (named_function).
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

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

std::string parameter_list(std::span<const std::string> names) {
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : " ") + name;
    return list;
}

/// A function literal, and the call of the function that it is passed to, which calls it with `given` arguments.
struct PassedLiteral {
    const Code& code;
    const Form& call;
    const Form& function;
    const Form* parameters; ///< null for #()
    std::size_t given;
    std::size_t taken;

    [[nodiscard]] bool is_short() const { return function.is(FormKind::ShortFn); }
    [[nodiscard]] bool gets(std::size_t arguments, std::size_t instead_of) const {
        return given == arguments && taken == instead_of;
    }
    [[nodiscard]] bool reduces() const { return calls_one_of(call, {"reduce", "reduce-kv"}); }
    [[nodiscard]] bool has_index_first() const { return calls_one_of(call, {"map-indexed", "keep-indexed"}); }
};

bool names_index(const Form& parameter) {
    return is_symbol_of(parameter, {"i", "j", "n", "idx", "index", "_i", "pos"});
}

/// (map (fn [i x] ..) xs), (map (fn [x i] ..) xs)
Proposal index_beside_item(const PassedLiteral& literal) {
    if (!literal.gets(1, 2) || literal.is_short() || !calls_one_of(literal.call, {"map", "mapv"})) return std::nullopt;
    const Form& function = literal.call.items()[0];
    const Form& first = literal.parameters->items()[0];
    const Form& second = literal.parameters->items()[1];
    constexpr const char* kIndexed = "(map-indexed f coll) gives index and item.";
    if (names_index(first)) return replace(function, "map-indexed", kIndexed);
    if (!is_symbol_of(second, {"i", "idx", "index"}) || !first.is(FormKind::Symbol)) return std::nullopt;
    return Repair{{{function.span, "map-indexed"},
                   {first.span, std::string(second.text())},
                   {second.span, std::string(first.text())}},
                  kIndexed,
                  {}};
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

/// (sort-by (fn [a b] (compare a b)) xs), (sort (fn [x] (:n x)) xs)
Proposal key_or_comparison(const PassedLiteral& literal) {
    const Form& function = literal.call.items()[0];
    if (literal.gets(1, 2) && calls(literal.call, "sort-by") && compares_items(literal.function))
        return replace(function, "sort", "A comparison of two items is for sort; sort-by takes a key.");
    if (literal.gets(2, 1) && calls(literal.call, "sort"))
        return replace(function, "sort-by", "sort takes a comparison of two items; a key is for sort-by.");
    return std::nullopt;
}

/// (update-vals m (fn [k v] (inc v))): a key that is not used.
Proposal key_beside_value(const PassedLiteral& literal) {
    const Form* parameters = literal.parameters;
    if (!parameters || !parameters->items()[0].is(FormKind::Symbol)) return std::nullopt;
    const Form& key = parameters->items()[0];
    const bool is_used = std::ranges::any_of(
        literal.function.items(), [&](const Form& part) { return &part != parameters && mentions(part, key.text()); });
    if (is_used) return std::nullopt;
    return Repair{{{{key.span.begin, parameters->items()[1].span.begin}, ""}}, "It gets the values alone.", {}};
}

/// (map-indexed (fn [[i x]] ..) xs)
Proposal index_and_item_in_vector(const PassedLiteral& literal) {
    if (!literal.gets(2, 1) || literal.is_short() || !literal.has_index_first()) return std::nullopt;
    const Form& pattern = literal.parameters->items()[0];
    if (!pattern.is(FormKind::Vector) || pattern.size != 2) return std::nullopt;
    return Repair{unwrapping(pattern), "It gets index and item as two arguments.", {}};
}

/// (map (fn [k v] ..) m): pairs, as the items of a map are.
Proposal parts_of_item(const PassedLiteral& literal) {
    if (gets_other_rows(literal.code, literal.function)) return std::nullopt;
    constexpr const char* kOneArgument = "Each item is one argument: take it apart with [[a b]].";
    if (!literal.is_short()) return Repair{rebracketing(*literal.parameters, "[[", "]]"), kOneArgument, {}};
    const std::vector<std::string> names = fresh_names(literal.code, literal.function, literal.taken);
    return replace(literal.function,
                   named_function(literal.code, literal.function, names, "[" + parameter_list(names) + "]"),
                   kOneArgument);
}

/// #(fn [x] ..)
Proposal function_in_short_function(const PassedLiteral& literal) {
    const Form& function = literal.function;
    if (!literal.is_short() || function.size == 0 || !function.items()[0].is_symbol("fn")) return std::nullopt;
    return Repair{{{{function.span.begin, function.span.begin + 1}, ""}}, "(fn [x] ..) is the function itself.", {}};
}

/// (reduce (fn [x] (+ x)) xs): what there is so far is missing as parameter and as argument.
Proposal sum_without_accumulator(const PassedLiteral& literal) {
    if (!literal.gets(2, 1) || !literal.reduces() || literal.is_short()) return std::nullopt;
    const Form& body = literal.function.items().back();
    const bool adds = calls_one_of(body, {"+", "*", "max", "min", "str"}) && body.size == 2;
    if (!adds || mentions(literal.function, "acc")) return std::nullopt;
    return Repair{{insertion(literal.parameters->span.begin + 1, "acc "), insertion(body.items()[0].span.end, " acc")},
                  "reduce gives what there is so far, and the item: (fn [acc x] ..).",
                  literal.function.span};
}

/// (map-indexed (fn [x] ..) xs), (reduce #(inc %) xs): one of two arguments is not wanted.
Proposal one_of_two(const PassedLiteral& literal) {
    if (!literal.gets(2, 1)) return std::nullopt;
    if (literal.is_short() && literal.has_index_first())
        return replace(literal.call.items()[0], calls(literal.call, "map-indexed") ? "map" : "keep");
    if (literal.is_short()) {
        const std::vector<std::string> names = fresh_names(literal.code, literal.function, 1);
        return replace(literal.function, named_function(literal.code, literal.function, names, names[0] + " _"));
    }
    const Span parameters = literal.parameters->span;
    return Repair{
        {literal.has_index_first() ? insertion(parameters.begin + 1, "_ ") : insertion(parameters.end - 1, " _")},
        {},
        {}};
}

/// (reduce (fn [acc k v] ..) {} m)
Proposal loose_entry(const PassedLiteral& literal) {
    if (!literal.reduces() || !literal.gets(2, 3) || literal.is_short()) return std::nullopt;
    const FormSpan items = literal.parameters->items();
    return Repair{
        wrapping({items[1].span.begin, items[2].span.end}, "[", "]"), "An entry is one argument: [acc [k v]].", {}};
}

/// (reduce-kv (fn [acc [k v]] ..) {} m), (reduce-kv (fn [acc v] ..) {} m)
Proposal entry_of_reduce_kv(const PassedLiteral& literal) {
    if (!literal.reduces() || !literal.gets(3, 2) || literal.is_short()) return std::nullopt;
    const Form& entry = literal.parameters->items()[1];
    const bool is_pair = entry.is(FormKind::Vector) && entry.size == 2;
    return Repair{is_pair ? unwrapping(entry) : std::vector<Edit>{insertion(entry.span.begin, "_ ")},
                  "reduce-kv gives key and value: [acc k v].",
                  {}};
}

/// (map (fn [] 1) xs)
Proposal without_parameters(const PassedLiteral& literal) {
    if (literal.taken != 0 || literal.is_short()) return std::nullopt;
    return Repair{{insertion(literal.parameters->span.begin + 1, literal.given == 1 ? "_" : "_ _")}, {}, {}};
}

} // namespace

bool gets_other_rows(const Code& code, const Form& function) {
    return std::ranges::any_of(code.surroundings().warnings, [&](const Diagnostic& known) {
        return known.error.reason == Reason::SuspiciousForm && known.error.span == function.span &&
               known.error.edits.empty();
    });
}

Proposal passed_literal(const Code& code, const Form& call, const Form& function, std::size_t given) {
    const bool is_short = function.is(FormKind::ShortFn);
    const Form* parameters = is_short ? nullptr : parameters_of_literal(function);
    if (!is_short && !parameters) return std::nullopt;
    const std::size_t taken = is_short ? placeholders_of(function) : parameters->size;
    const PassedLiteral literal{code, call, function, parameters, given, taken};
    for (const auto rule : {index_beside_item, key_or_comparison}) {
        if (Proposal found = rule(literal)) return found;
    }
    if (literal.gets(1, 2) && calls(call, "update-vals")) return key_beside_value(literal);
    if (Proposal found = index_and_item_in_vector(literal)) return found;
    if (given == 1 && taken >= 2) return parts_of_item(literal);
    for (const auto rule : {function_in_short_function, sum_without_accumulator, one_of_two, loose_entry,
                            entry_of_reduce_kv, without_parameters}) {
        if (Proposal found = rule(literal)) return found;
    }
    return std::nullopt;
}

Proposal nested_short_fn(const Code& code, const Place& place) {
    const Form& inner = place.form();
    if (!inner.is(FormKind::ShortFn)) return std::nullopt;
    const std::size_t count = std::max<std::size_t>(placeholders_of(inner), 1);
    const std::vector<std::string> names = fresh_names(code, inner, count);
    return replace(inner, named_function(code, inner, names, parameter_list(names)),
                   "The inner one is written (fn [x] ..).");
}

} // namespace ptc::repair
