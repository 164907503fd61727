// Values that a run cannot use: nil, atoms that are not read, a divisor of zero, a fold that begins with the first
// item.
//
// The error says what a run met (BadCall): the function, which argument, the kind of value. wanted_by says what the
// function takes there; the two together pick a default for nil. The argument that failed may be a value that the call
// passes on, as in (reduce + xs): then nil is left out of the collection. Values of other kinds: conversions.cpp.
#include "compiler/repair/wanted.h"
#include <algorithm>

namespace ptc::repair {

// ---- Nil

namespace {

std::string default_for(Wanted wanted, const BadCall& bad_call) {
    switch (wanted) {
    case Wanted::Number: return bad_call.function == "/" && bad_call.argument == 2 ? "1" : "0";
    case Wanted::Text: return "\"\"";
    case Wanted::Collection: return "[]";
    case Wanted::Other: return "";
    }
    return "";
}

Proposal passed_absent(const Code& code, const Place& place, const CallSite& call, const Form& function, Wanted wanted,
                       const BadCall& bad_call) {
    const std::string_view head = code.core_function(*call.head);
    const std::string otherwise = default_for(wanted, bad_call);
    if (head.starts_with("update"))
        return Repair{wrapping(function.span, "(fnil ", " " + otherwise + ")"), "fnil gives a default for nil.", {}};
    const bool reduces = head == "reduce" || head == "apply" || call.head->is_symbol("apply") || head == "reductions";
    if (!reduces) {
        if (head == "merge-with") return std::nullopt;
        return replace(function, function_of_one(place, function.text(), "(or ", " " + otherwise + ")"),
                       "Nil gets a default: (or x 0).");
    }
    const Form* coll = worked_on(call);
    if (coll && calls(*coll, "map")) return replace(coll->items()[0], "keep", "keep leaves nil out.");
    if (!call.has(call.size() - 1))
        return Repair{{insertion(call.whole->span.begin, "(remove nil?) ")}, "(remove nil? coll) leaves nil out.", {}};
    return Repair{wrapping(coll->span, "(remove nil? ", ")"), "(remove nil? coll) leaves nil out.", {}};
}

/// Calls inside of `form` whose arguments can never be right: (get :k m).
Proposal impossible_call(const Code& code, const Place& place) {
    if (!has_items(place.form())) return std::nullopt;
    for (const Form& item : place.form().items()) {
        const Place inner = place.inner(item);
        if (is_call(item) && (calls(item, "get") || calls(item, "get-in") || calls(item, "select-keys"))) {
            if (Proposal found = reordered(code, inner, {})) return found;
        }
        if (Proposal found = impossible_call(code, inner)) return found;
    }
    return std::nullopt;
}

/// The same for a step that comes earlier in a threading form.
Proposal impossible_step(const Code& code, const Place& place, const CallSite& call) {
    for (const Form& step : call.thread->items().subspan(2)) {
        if (&step == call.whole) return std::nullopt;
        if (!calls(step, "get") && !calls(step, "get-in") && !calls(step, "select-keys")) continue;
        if (Proposal found = reordered(code, place.outer().inner(step), {})) return found;
    }
    return std::nullopt;
}

/// (update data/config :limit inc), where the data have text keys: update takes keys as they are.
Proposal key_of_other_type(const Code& code, const CallSite& call, const BadCall& bad_call) {
    const std::string_view function = code.core_function(*call.head);
    if (function != "update" || bad_call.function == "update") return std::nullopt;
    const std::size_t at = call.is_step() && call.passes_last ? 0 : 1;
    if (!call.has(at) || !call.arguments[at]->is(FormKind::Keyword)) return std::nullopt;
    const std::string key(call.arguments[at]->text());
    const auto& keys = code.surroundings().keys;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) return std::nullopt;
    return replace(*call.arguments[at], "\"" + key + "\"",
                   "Keys of JSON data are texts; only look-ups take keywords for them.");
}

/// (parse-long "2.5") is nil.
Proposal wider_parser(const Form& form) {
    if (form.is_symbol("parse-long") || form.is_symbol("parse-int"))
        return replace(form, "parse-double", "A text with a fraction is read by parse-double.");
    if (!has_items(form)) return std::nullopt;
    for (const Form& item : form.items()) {
        if (Proposal found = wider_parser(item)) return found;
    }
    return std::nullopt;
}

} // namespace

Proposal absent_value(const Code& code, const Place& place, const BadCall& bad_call) {
    if (Proposal found = impossible_call(code, place)) return found;
    const std::optional<CallSite> call = call_at(place);
    if (Proposal found = call && call->is_step() ? impossible_step(code, place, *call) : std::nullopt) return found;
    if (Proposal found = call ? key_of_other_type(code, *call, bad_call) : std::nullopt) return found;
    if (Proposal found = misspelt_key(code, place)) return found;
    if (!call) return std::nullopt;
    if (Proposal found = wider_parser(place.form())) return found;
    if (call->is_step()) {
        const Form* value = threaded_value(*call);
        if (Proposal found = value ? wider_parser(*value) : std::nullopt) return found;
    }
    const Wanted wanted = wanted_by(code, bad_call);
    const std::string otherwise = default_for(wanted, bad_call);
    if (otherwise.empty()) return std::nullopt;
    if (const Form* function = passed_function(code, place.form(), bad_call.function))
        return passed_absent(code, place, *call, *function, wanted, bad_call);
    std::vector<std::size_t> which = suspects(code, place, *call, bad_call);
    std::erase_if(which, [&](std::size_t i) { // has it already: the nil is another one
        if (!call->has(i) || !calls(*call->arguments[i], "or")) return false;
        return code.text(call->arguments[i]->items().back()) == otherwise;
    });
    return wrapped(*call, which, "(or ", " " + otherwise + ")", "Nil gets a default: (or x " + otherwise + ").");
}

// ---- Atoms, divisors

namespace {

/// Whether a form of the program binds `name` to an atom, and none binds it to anything else.
bool is_atom_name(const Form& form, std::string_view name, bool& found) {
    if (!has_items(form)) return true;
    const FormSpan items = form.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool binds = items[i].is_symbol(name) && i + 1 < items.size() &&
                           ((form.is(FormKind::Vector) && i % 2 == 0) || (i == 1 && calls(form, "def")));
        const bool is_atom = binds && calls_one_of(items[i + 1], {"atom", "volatile!"});
        found = found || is_atom;
        if (binds && !is_atom) return false;
        if (!is_atom_name(items[i], name, found)) return false;
    }
    return true;
}

} // namespace

Proposal unread_atom(const Code& code, const Place& place) {
    if (!is_call(place.form())) return std::nullopt;
    Repair repair;
    repair.hint = "What an atom holds is read by @.";
    for (const Form& argument : place.form().items().subspan(1)) {
        bool is_atom = false;
        const auto binds = [&](const Form& form) { return is_atom_name(form, argument.text(), is_atom); };
        if (argument.is(FormKind::Symbol) && std::ranges::all_of(code.top_level(), binds) && is_atom)
            repair.edits.push_back(insertion(argument.span.begin, "@"));
    }
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

Proposal zero_divisor(const Code& code, const Place& place) {
    const std::optional<CallSite> call = call_at(place);
    if (!call || call->size() < 2 || call->size() > 3) return std::nullopt;
    Proposal found =
        rewrite_call(code, *call, "(if (zero? $2) 0 ($f $1 $2)) | (if (or (zero? $2) (zero? $3)) 0 ($f $1 $2 $3))");
    if (found) found->hint = "Test the divisor beforehand: (if (zero? b) 0 (/ a b)).";
    return found;
}

// ---- Folds without a beginning

namespace {

/// What a fold begins with whose step calls `function`; "" when that is not known.
std::string_view beginning_of(std::string_view function) {
    if (function == "+" || function == "-" || function == "inc") return "0";
    if (function == "*") return "1";
    if (function == "conj") return "[]";
    return {};
}

/// Whether the accumulator of `literal` is an argument of `call`.
bool takes_accumulator(const Form& literal, const Form& call) {
    std::string_view name = "%1";
    if (!literal.is(FormKind::ShortFn)) {
        const Form& parameters = literal.items()[1];
        if (!parameters.is(FormKind::Vector) || parameters.size != 2 || !parameters.items()[0].is(FormKind::Symbol))
            return false;
        name = parameters.items()[0].text();
    }
    return std::ranges::any_of(call.items().subspan(1), [&](const Form& argument) {
        return argument.is_symbol(name) || (literal.is(FormKind::ShortFn) && argument.is_symbol("%"));
    });
}

} // namespace

Proposal missing_start(const Code& code, const Place& place, const BadCall& bad_call) {
    if (bad_call.kind != OperandKind::Map && bad_call.kind != OperandKind::AnyNumber &&
        bad_call.kind != OperandKind::Keyword)
        return std::nullopt;
    if (!is_call(place.form())) return std::nullopt;
    const std::string_view start = beginning_of(code.core_function(place.form().items()[0]));
    if (start.empty()) return std::nullopt;
    for (std::size_t i = 0; i + 1 < place.forms.size(); ++i) {
        const Form& literal = *place.forms[i];
        const Form& fold = *place.forms[i + 1];
        if (!is_function_literal(literal)) continue;
        bool last = false;
        const std::size_t whole = is_step(place.outer(i + 1), &last) ? 2 : 3;
        const bool folds =
            calls(fold, "reduce") && fold.size == whole && &literal == &fold.items()[1] && literal.size > 1;
        if (!folds || !takes_accumulator(literal, place.form())) return std::nullopt;
        return Repair{{insertion(literal.span.end, " " + std::string(start))},
                      "Without a value to begin with, reduce begins with the first item.",
                      {}};
    }
    return std::nullopt;
}

} // namespace ptc::repair
