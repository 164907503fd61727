// What is called although it is no function, and what is given although a function is wanted.
//
// The two are one mistake seen from its two ends: (1 2 3) is a vector in the wrong brackets, (map (+ 1) xs) a call
// where a function should be. not_callable starts from the head of a call that is a value, function_wanted from an
// argument for a parameter that takes functions (wants_function). Whether a literal can be #() is asked of
// needs_named_parameter: #() cannot stand inside of another.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

bool is_datum(const Form& form) {
    return form.kind < FormKind::Symbol || form.is(FormKind::Vector) || form.is(FormKind::Map) ||
           form.is(FormKind::Set);
}

constexpr const char* kVectorHint = "Data are written in square brackets: [1 2 3].";
constexpr const char* kBareHint = "A value is written without brackets of its own.";

Repair unwrapped(const Form& list) {
    if (list.is(FormKind::ShortFn) && list.items()[0].is(FormKind::List)) // #((:name %))
        return {unwrapping(list.items()[0]), "#() is the call itself: #(:name %).", {}};
    if (list.is(FormKind::ShortFn))
        return replace(list, "identity", "The function that gives its argument is identity.");
    return {unwrapping(list), kBareHint, {}};
}

Repair as_vector(const Place& place) {
    Repair repair{rebracketing(place.form(), "[", "]"), kVectorHint, place.form().span};
    // ((1 2 3))
    const Form* around = place.around();
    if (around && around->is(FormKind::List) && around->size == 1)
        repair.edits = join(std::move(repair.edits), unwrapping(*around));
    return repair;
}

/// (range(5)): the bracket was meant to be that of the call.
bool follows_its_function(const Place& place) {
    const Form* around = place.around();
    return around && is_call(*around) && around->size == 2 && place.index() == 1 &&
           Code::touch(around->items()[0], place.form());
}

} // namespace

bool wants_function(const Code& code, const Place& argument) {
    const Form* around = argument.around();
    if (!around || !is_call(*around) || argument.index() == 0) return false;
    const std::string_view function = code.core_function(around->items()[0]);
    if (function.empty()) return around->items()[0].is_symbol("apply") && argument.index() == 1;
    // This is asked of each argument of a call, so it does not look at all of them.
    constexpr std::size_t kNamed = 20; // no function names so many parameters: those behind are alike
    bool passes_last = false;
    const bool is_given_one = is_step(argument.outer(), &passes_last);
    const std::size_t index = std::min(argument.index() - 1 + (is_given_one && !passes_last ? 1 : 0), kNamed - 1);
    const std::size_t size = std::min<std::size_t>(around->size - 1 + (is_given_one ? 1 : 0), kNamed);
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), size);
    if (index >= parameters.size()) return false;
    const Kinds takes = kinds_of_parameter(parameters[index]);
    return takes != kAnyKind && (takes & kFunctionKind) != 0;
}

Proposal bare_function(const Code&, const Place& place) {
    const FormSpan siblings = place.siblings();
    const std::size_t at = place.index();
    if (!place.around() || at == 0 || !place.form().is_symbol("fn") || at + 2 >= siblings.size() ||
        !siblings[at + 1].is(FormKind::Vector))
        return std::nullopt;
    const Span whole{place.form().span.begin, siblings[at + 2].span.end};
    return Repair{wrapping(whole, "(", ")"), "A function is (fn [x] ..), with brackets around it.", whole};
}

Proposal bracketed_keys(const Code& code, const Place& place) {
    if (!is_call(place.form())) return std::nullopt;
    if (calls(place.form(), "juxt") && place.form().size == 2 && place.form().items()[1].is(FormKind::Vector))
        return Repair{unwrapping(place.form().items()[1]), "(juxt f g): the functions stand without brackets.", {}};
    for (const Form& argument : place.form().items().subspan(1)) {
        const Place at = place.inner(argument);
        if (calls(argument, "juxt") && argument.size == 2 && argument.items()[1].is(FormKind::Vector))
            return Repair{unwrapping(argument.items()[1]), "(juxt f g): the functions stand without brackets.", {}};
        const bool is_keys =
            argument.is(FormKind::Vector) && argument.size > 0 &&
            std::ranges::all_of(argument.items(), [](const Form& key) { return key.is(FormKind::Keyword); });
        if (!is_keys || !wants_function(code, at)) continue;
        if (argument.size == 1) return Repair{unwrapping(argument), "A keyword is a function that reads its key.", {}};
        return Repair{rebracketing(argument, "(juxt ", ")"), "(juxt :a :b) reads several keys.", {}};
    }
    return std::nullopt;
}

Proposal key_as_function(const Code& code, const Place& place, const BadCall& bad_call) {
    const auto& keys = code.surroundings().keys;
    if (bad_call.kind != OperandKind::Map || !is_call(place.form()) ||
        std::ranges::find(keys, bad_call.function) == keys.end())
        return std::nullopt;
    for (const Form& argument : place.form().items().subspan(1)) {
        if (argument.is_symbol(bad_call.function) && wants_function(code, place.inner(argument)))
            return Repair{{insertion(argument.span.begin, ":")}, "A keyword is a function that reads its key.", {}};
    }
    return std::nullopt;
}

Proposal keys_without_colon(const Code& code, const Place& place) {
    const Form* keys = place.around();
    const Form* call = place.around(2);
    if (!keys || !keys->is(FormKind::Vector) || !call || !is_call(*call)) return std::nullopt;
    if (!takes_keys(code.usage(code.core_function(call->items()[0])))) return std::nullopt;
    const std::vector<std::string_view> locals = code.locals(place);
    Repair repair;
    for (const Form& key : keys->items()) {
        if (key.is(FormKind::Symbol) && std::ranges::find(locals, key.text()) == locals.end() &&
            key.text().find_first_of("/.%&'") == std::string_view::npos)
            repair.edits.push_back(insertion(key.span.begin, ":"));
    }
    repair.hint = "Keys are keywords: [:a :b].";
    repair.covers = keys->span;
    return repair;
}

namespace {

/// (= (:key %) value)
std::string comparison(const Code& code, const Form& test, const Form& key, const Form& value) {
    return "(" + (test.is(FormKind::Symbol) ? code.copy(test) : std::string("=")) + " (" + code.copy(key) + " %) " +
           code.copy(value) + ")";
}

} // namespace

std::string test_of_record(const Code& code, FormSpan test) {
    const auto is_plain = [](const Form& form) { return !needs_named_parameter(form); };
    if (!std::ranges::all_of(test, is_plain)) return {};
    if (test.size() == 2 && test[0].is(FormKind::Keyword)) return "#" + comparison(code, test[0], test[0], test[1]);
    if (test.size() == 3 && test[0].is(FormKind::Keyword) && is_operator(test[1]))
        return "#" + comparison(code, test[1], test[0], test[2]);
    if (test.size() != 1 || !test[0].is(FormKind::Map) || test[0].size == 0) return {};
    std::string all;
    const FormSpan items = test[0].items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i].is(FormKind::Keyword)) return {};
        all += (i > 0 ? " " : "") + comparison(code, items[i], items[i], items[i + 1]);
    }
    return items.size() == 2 ? "#" + all : "#(and " + all + ")";
}

Proposal text_as_function(const Code& code, const Place& place) {
    for (const Form& argument : place.form().items()) {
        if (!argument.is(FormKind::String) || !wants_function(code, place.inner(argument))) continue;
        const bool plain = argument.size > 0 && is_plain_name(argument.text());
        return replace(argument, plain ? ":" + std::string(argument.text()) : "#(get % " + code.copy(argument) + ")",
                       "A keyword is a function that reads its key.");
    }
    return std::nullopt;
}

namespace {

/// (swap! total (+ 1)), (swap! seen (conj x)): the function and its arguments in brackets of their own, which are
/// called before.
Proposal bracketed_step(const Code& code, const Place& place) {
    const FormSpan items = place.form().items();
    if (!is_one_of(code.core_function(items[0]), {"swap!", "vswap!", "swap-vals!", "alter", "commute"}) ||
        items.size() != 3)
        return std::nullopt;
    const Form& step = items[2];
    if (!step.is(FormKind::List) || step.size < 2 || code.core_function(step.items()[0]).empty()) return std::nullopt;
    return Repair{unwrapping(step), "(swap! x f a): the function and its arguments stand without brackets.", {}};
}

/// (map #'inc xs), (#'f x)
Proposal quoted_function(const Code& code, const Place& place) {
    for (const Form& item : place.form().items()) {
        if (!item.is(FormKind::Var) || code.core_function(item).empty()) continue;
        return Repair{{{{item.span.begin, item.span.begin + 2}, ""}}, "A function is given by its name alone.", {}};
    }
    return std::nullopt;
}

/// f(1), outside of the head of a call: the name that the list touches is called.
Proposal touched_name(const Code& code, const Place& place) {
    if (place.index() == 0) return std::nullopt;
    const Form& name = place.siblings()[place.index() - 1];
    const bool is_head = place.around() && is_call(*place.around()) && place.index() == 1;
    if (!Code::touch(name, place.form()) || !name.is(FormKind::Symbol) || is_head) return std::nullopt;
    return bracketed_arguments(code, place.around() ? place.outer().inner(name) : code.find(name.span));
}

/// (range(5))
Proposal bracket_behind_function(const Code& code, const Place& place) {
    if (!follows_its_function(place)) return std::nullopt;
    const Form& list = place.form();
    const Form& callee = place.around()->items()[0];
    Repair repair;
    repair.edits = {{{list.span.begin, list.span.begin + 1}, " "}, {{list.span.end - 1, list.span.end}, ""}};
    repair.hint = "A call is written (f x y), with the bracket before the function.";
    // (max([1 5])): a function of numbers gets the items.
    const bool takes_items = is_one_of(code.core_function(callee), {"max", "min", "+"});
    if (list.size == 1 && list.items()[0].is(FormKind::Vector) && takes_items)
        repair.edits.insert(repair.edits.begin(), insertion(callee.span.begin, "apply "));
    return repair;
}

/// (% a b), (nil x)
Proposal other_function(const Code&, const Place& place) {
    const Form& list = place.form();
    const Form& head = list.items()[0];
    if (head.is_symbol("%") && list.size == 3) return replace(head, "mod", "The remainder is (mod a b).");
    if (head.is(FormKind::Nil) && list.size == 2) return replace(head, "nil?");
    return std::nullopt;
}

/// ("price" row), ("price" row 0)
Proposal text_as_lookup(const Code& code, const Form& list) {
    const Form& head = list.items()[0];
    const FormSpan arguments = list.items().subspan(1);
    const bool reads =
        arguments.size() <= 2 && head.is(FormKind::String) &&
        (arguments[0].is(FormKind::List) || arguments[0].is(FormKind::Symbol) || arguments[0].is(FormKind::Map));
    if (!reads) return std::nullopt;
    Pieces pieces;
    pieces.text(list.is(FormKind::ShortFn) ? "#(get " : "(get ").copy(arguments[0]).text(" ").copy(head);
    if (arguments.size() == 2) pieces.text(" ").copy(arguments[1]);
    return replace(code, list, pieces.text(")"), "A string is no function: (get m \"key\").");
}

/// The head is a value of the program or of the run: data in round brackets, a text that is read.
Proposal called_value(const Code& code, const Place& place, OperandKind kind) {
    const Form& list = place.form();
    const Form& head = list.items()[0];
    if (list.size == 1) return unwrapped(list);
    if (Proposal found = text_as_lookup(code, list)) return found;
    const bool all_data = std::all_of(list.items().begin(), list.items().end(), is_datum);
    if (list.is(FormKind::List) && (all_data || head.kind < FormKind::Keyword)) return as_vector(place);
    const bool is_text =
        kind == OperandKind::Text || kind == OperandKind::IntegerText || kind == OperandKind::NumberText;
    if (!head.is(FormKind::Symbol) || list.size != 2 || !is_text) return std::nullopt;
    return Repair{{insertion(head.span.begin, "get ")}, "A character is read by (get s index).", {}};
}

} // namespace

Proposal not_callable(const Code& code, const Place& at, OperandKind kind) {
    if (at.empty()) return std::nullopt;
    // The error stands at the head that is no function, or at the whole call.
    const bool at_head = at.around() && is_call(*at.around()) && at.index() == 0 && !is_call(at.form());
    const Place place = at_head ? at.outer() : at;
    const Form& list = place.form();
    if (list.is(FormKind::List) && list.size == 0) return replace(list, "[]", "An empty sequence is written [].");
    if (!is_call(list)) return std::nullopt;
    if (Proposal found = condition_shape(code, place.outer())) return found;
    for (const auto rule :
         {infix, quoted_function, touched_name, bracket_behind_function, other_function, bracketed_step}) {
        if (Proposal found = rule(code, place)) return found;
    }
    if (code.core_function(list.items()[0]).empty()) return called_value(code, place, kind);
    return kind == OperandKind::Text ? text_as_function(code, place) : std::nullopt;
}

namespace {

/// (filter (= :status "paid") rows), (filter (not nil?) xs)
Proposal test_of_key(const Code& code, const Place& place) {
    const FormSpan items = place.form().items();
    if (items[0].is_symbol("not") && items.size() == 2) {
        const bool is_function =
            !code.core_function(items[1]).empty() || is_function_literal(items[1]) || items[1].is(FormKind::Keyword);
        if (!is_function) return std::nullopt;
        return replace(items[0], "complement", "(complement f) is the opposite of a test.");
    }
    const bool tests = is_symbol_of(items[0], {"=", "==", "not=", "<", "<=", ">", ">="});
    if (!tests || items.size() != 3) return std::nullopt;
    const std::size_t key = items[1].is(FormKind::Keyword) ? 1 : 2;
    if (!items[key].is(FormKind::Keyword)) return std::nullopt;
    if (items[3 - key].is(FormKind::Keyword) && !items[0].is_symbol("=") && !items[0].is_symbol("not="))
        return std::nullopt;
    const bool named = place.in_short_fn() || needs_named_parameter(items[3 - key]);
    Repair repair;
    repair.edits = {insertion(place.form().span.begin, named ? "(fn [x] " : "#"), insertion(items[key].span.begin, "("),
                    insertion(items[key].span.end, named ? " x)" : " %)")};
    if (named) repair.edits.push_back(insertion(place.form().span.end, ")"));
    repair.hint = "A function of one argument is written #(f % ..).";
    repair.covers = place.form().span;
    return repair;
}

} // namespace

Proposal function_wanted(const Code& code, const Place& place) {
    if (place.empty() || !place.form().is(FormKind::List) || place.form().size == 0 || !wants_function(code, place))
        return std::nullopt;
    const Form& list = place.form();
    if (list.size == 1) return Repair{unwrapping(list), "A function is given by its name, without brackets.", {}};
    const std::string_view function = code.core_function(list.items()[0]);
    if (function.empty() && !list.items()[0].is(FormKind::Keyword)) return std::nullopt;
    if (Proposal found = test_of_key(code, place)) return found;
    const bool named =
        place.in_short_fn() || std::any_of(list.items().begin(), list.items().end(), needs_named_parameter);
    const std::string parameter = named ? "x" : "%";
    // Where the one argument that is missing goes.
    const FormSpan given = list.items().subspan(1);
    std::size_t at = 0;
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), given.size() + 1);
    if (function == "str" || function == "join") at = given.size();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string_view name = parameters[i];
        if (name.starts_with("coll") || name == "s" || name == "m") at = i;
    }
    const std::uint32_t where = at == 0 ? list.items()[0].span.end : given[at - 1].span.end;
    Repair repair;
    repair.edits = {insertion(list.span.begin, named ? "(fn [x] " : "#"), insertion(where, " " + parameter)};
    if (named) repair.edits.push_back(insertion(list.span.end, ")"));
    repair.hint = "A function of one argument is written #(f % ..).";
    return repair;
}

} // namespace ptc::repair
