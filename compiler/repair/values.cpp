// Values of the wrong kind: nil, texts that spell numbers, collections where one item is wanted.
//
// The error says what a run met (BadCall): the function, which argument, the kind of value. wanted_by says what the
// function takes there; the two together pick a default for nil, a conversion, or another function (rows of
// call_repairs.def). The argument that failed may be a value that the call passes on, as in (reduce + xs): then the
// function is replaced by one that converts first.
#include "compiler/language/core_library.h"
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

enum class Wanted : std::uint8_t { Number, Text, Collection, Other };

/// What the function wants where it met what it could not use.
Wanted wanted_by(const Code& code, const BadCall& bad_call) {
    const CoreName* function = code.core_name(bad_call.function);
    if (function && (function->traits & traits::kComputes) != 0) return Wanted::Number;
    const auto shapes = parameters_of(code.usage(bad_call.function));
    const std::size_t index = bad_call.argument > 0 ? bad_call.argument - 1u : 0u;
    for (const auto& shape : shapes) {
        if (index >= shape.size()) continue;
        const Kinds takes = kinds_of_parameter(shape[index]);
        if (takes == kAnyKind) break;
        if ((takes & kText) != 0 && (takes & kVectorKind) == 0) return Wanted::Text;
        if ((takes & kNumber) != 0) return Wanted::Number;
        if ((takes & kVectorKind) != 0) return Wanted::Collection;
    }
    return Wanted::Other;
}

/// Whether a number is all that the function takes where it met what it could not use: never (sum 5)'s collection.
bool takes_number_only(const Code& code, const BadCall& bad_call) {
    const std::size_t index = bad_call.argument > 0 ? bad_call.argument - 1u : 0u;
    for (const auto& shape : parameters_of(code.usage(bad_call.function))) {
        if (index < shape.size() && kinds_of_parameter(shape[index]) == kNumber) return true;
    }
    return false;
}

/// Whether a vector would do where argument `i` stands, by the function's usage.
bool may_take_vector(const Code& code, std::string_view function, std::size_t arguments, std::size_t i) {
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), arguments);
    return i >= parameters.size() || (kinds_of_parameter(parameters[i]) & kVectorKind) != 0;
}

/// Whether the function that failed is one that the call passes on: (reduce + xs), (map inc xs).
const Form* passed_function(const Code& code, const Form& list, std::string_view function) {
    if (!is_call(list)) return nullptr;
    for (const Form& argument : list.items().subspan(1)) {
        if (argument.is(FormKind::Symbol) && (argument.text() == function || code.core_function(argument) == function))
            return &argument;
    }
    return nullptr;
}

bool is_literal(const Form& form) { return form.kind < FormKind::Symbol; }

/// The arguments that may have been what the run met.
std::vector<std::size_t> suspects(const Code& code, const Place& place, const CallSite& call, const BadCall& bad_call) {
    const Kinds seen = kinds_of(bad_call.kind);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < call.size(); ++i) {
        if (bad_call.argument == 1 && i > 0) continue;
        if (bad_call.argument > 1 && i == 0) continue;
        if (bad_call.argument > 2 && i + 1 != bad_call.argument) continue;
        if (!call.has(i)) {
            found.push_back(i);
            continue;
        }
        const Form& argument = *call.arguments[i];
        const Kinds kinds = kinds_of(code, place.inner(argument));
        if ((kinds & seen) == 0) continue;
        found.push_back(i);
    }
    // A text that stands there is the culprit.
    const auto stands = [&](std::size_t i) { return call.has(i) && is_literal(*call.arguments[i]); };
    if (std::any_of(found.begin(), found.end(), stands))
        std::erase_if(found, [&](std::size_t i) { return !stands(i); });
    return found;
}

/// Puts `before` and `after` around the arguments; the threaded value gets a step of its own.
Proposal wrapped(const Code&, const CallSite& call, const std::vector<std::size_t>& which, const std::string& before,
                 const std::string& after, std::string hint) {
    Repair repair;
    repair.hint = std::move(hint);
    for (const std::size_t i : which) {
        if (call.has(i)) {
            append(repair.edits, wrapping(call.arguments[i]->span, before, after));
        } else {
            // (-> m :n inc) as (-> m :n (or 0) inc)
            const bool is_or = before == "(or ";
            const std::string step =
                is_or && !call.passes_last ? "(or" + after + " " : "(#" + before + "%" + after + ") ";
            repair.edits.insert(repair.edits.begin(), insertion(call.whole->span.begin, step));
        }
    }
    repair.edits = in_order(std::move(repair.edits));
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

std::string default_for(Wanted wanted, const BadCall& bad_call) {
    switch (wanted) {
    case Wanted::Number: return bad_call.function == "/" && bad_call.argument == 2 ? "1" : "0";
    case Wanted::Text: return "\"\"";
    case Wanted::Collection: return "[]";
    case Wanted::Other: return "";
    }
    return "";
}

/// The collection that a call like (reduce f coll) works on, or the step that gives it.
const Form* worked_on(const CallSite& call) {
    return call.has(call.size() - 1) ? &*call.arguments.back() : threaded_value(call);
}

/// A function literal in place of the name of a function of one argument.
std::string function_of_one(const Place& place, std::string_view function, const std::string& before,
                            const std::string& after) {
    if (place.in_short_fn()) return "(fn [x] (" + std::string(function) + " " + before + "x" + after + "))";
    return "#(" + std::string(function) + " " + before + "%" + after + ")";
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
    return wrapped(code, *call, which, "(or ", " " + otherwise + ")", "Nil gets a default: (or x " + otherwise + ").");
}

// ---- Texts, numbers and collections

namespace {

struct Conversion {
    const char* before;
    const char* hint;
};

std::optional<Conversion> conversion(Wanted wanted, OperandKind kind) {
    switch (kind) {
    case OperandKind::IntegerText:
        if (wanted == Wanted::Number)
            return Conversion{"parse-long", "A text becomes a number by parse-long or parse-double."};
        break;
    case OperandKind::NumberText:
        if (wanted == Wanted::Number)
            return Conversion{"parse-double", "A text becomes a number by parse-long or parse-double."};
        break;
    case OperandKind::AnyNumber:
    case OperandKind::Boolean:
        if (wanted == Wanted::Text) return Conversion{"str", "(str x) makes a text."};
        break;
    case OperandKind::Keyword:
        if (wanted == Wanted::Text) return Conversion{"name", "(name k) is the text of a keyword."};
        break;
    default: break;
    }
    return std::nullopt;
}

Proposal passed_conversion(const Code& code, const Place& place, const CallSite& call, const Form& function,
                           const Conversion& to) {
    const std::string_view head = code.core_function(*call.head);
    const bool reduces = head == "reduce" || head == "apply" || call.head->is_symbol("apply");
    if (!reduces)
        return replace(function, function_of_one(place, function.text(), "(" + std::string(to.before) + " ", ")"),
                       to.hint);
    if (!call.has(call.size() - 1))
        return Repair{{insertion(call.whole->span.begin, "(map " + std::string(to.before) + ") ")}, to.hint, {}};
    return Repair{wrapping(call.arguments.back()->span, "(map " + std::string(to.before) + " ", ")"), to.hint, {}};
}

/// + and its like on what are no numbers: texts, vectors, maps and sets.
Proposal other_addition(const Code& code, const Place& place, const CallSite& call, const BadCall& bad_call) {
    const bool adds = call.head->is_symbol("+");
    const Kinds first = call.has(0) ? kinds_of(code, place.inner(*call.arguments[0])) : kAnyKind;
    if (bad_call.kind == OperandKind::Text && adds) return replace(*call.head, "str", "(str a b) joins texts.");
    if (bad_call.kind == OperandKind::Text && call.head->is_symbol("*") && call.size() == 2) {
        const bool text_first = (first & kNumber) == 0 || (call.has(0) && call.arguments[0]->is(FormKind::String));
        return rewrite_call(code, call,
                            text_first ? "(join (map (constantly $1) (range $2)))"
                                       : "(join (map (constantly $2) (range $1)))");
    }
    const bool is_variadic = parameters_of(code.usage(bad_call.function), 5).size() == 5;
    if (bad_call.kind == OperandKind::Vector && call.size() == 1 && is_variadic)
        return Repair{{insertion(call.head->span.begin, "apply ")}, "(apply f coll) gives the items as arguments.", {}};
    if (bad_call.kind == OperandKind::Vector && bad_call.argument == 2 && (first & kNumber) != 0 && is_variadic)
        return Repair{{insertion(call.head->span.begin, "apply ")}, "(apply f coll) gives the items as arguments.", {}};
    if (bad_call.kind == OperandKind::Vector && adds && call.has(1)) {
        const Kinds second = kinds_of(code, place.inner(*call.arguments[1]));
        return replace(*call.head, (second & kVectorKind) != 0 ? "concat" : "conj",
                       "(concat a b) joins sequences, (conj coll x) adds an item.");
    }
    const bool measures = is_symbol_of(*call.head, {"/", "<", ">", "<=", ">="});
    if (bad_call.kind == OperandKind::Vector && measures && call.size() == 2 && call.has(0) &&
        call.has(1)) { // (/ (filter ..) n)
        const auto is_collection = [&](std::size_t i) {
            const Kinds kinds = kinds_of(code, place.inner(*call.arguments[i]));
            return (kinds & ~(kVectorKind | kNilKind)) == 0;
        };
        if (bad_call.argument == 0 && is_collection(0) == is_collection(1)) return std::nullopt;
        const std::size_t at = bad_call.argument > 0 ? bad_call.argument - 1u : is_collection(0) ? 0 : 1;
        return Repair{wrapping(call.arguments[at]->span, "(count ", ")"), "How many there are is (count coll).", {}};
    }
    if (bad_call.kind == OperandKind::Map && adds) return replace(*call.head, "merge", "(merge a b) joins maps.");
    if (bad_call.kind == OperandKind::Set)
        return replace(*call.head, call.head->is_symbol("-") ? "difference" : "union",
                       "Sets have union and difference.");
    return std::nullopt;
}

/// A text that is a regex as it would be written between quotes of its own: with single backslashes, and without the
/// slashes that other languages have around it.
std::string as_regex(std::string_view text) {
    std::string pattern = "#\"";
    if (text.size() > 2 && text.front() == '/') {
        const std::size_t end = text.rfind('/');
        const std::string_view flags = text.substr(end + 1);
        if (end > 1 && flags.find_first_not_of("gimsuy") == flags.npos) {
            if (flags.find('i') != flags.npos) pattern += "(?i)";
            text = text.substr(1, end - 1);
        }
    }
    for (const char c : text) {
        if (c == '"') pattern += '\\';
        pattern += c;
    }
    return pattern + "\"";
}

/// \s, \d, [a-z], .*: what hardly stands in a text that is no regex.
bool looks_like_regex(std::string_view text) {
    constexpr std::string_view kMarks[] = {"\\s",  "\\d",  "\\w", "\\b", "\\.", "\\|", "[a-z",
                                           "[A-Z", "[0-9", "[^",  ".*",  ".+",  "]+"};
    return std::ranges::any_of(kMarks, [&](std::string_view mark) { return text.find(mark) != text.npos; });
}

Proposal regex_literal(const Code& code, const CallSite& call, const BadCall& bad_call) {
    const bool searches = bad_call.function.starts_with("re-") && bad_call.argument == 1 && call.size() == 2;
    if (searches && call.has(0) && call.arguments[0]->is(FormKind::String) &&
        code.text(*call.arguments[0]).front() == '"')
        return replace(*call.arguments[0], as_regex(call.arguments[0]->text()), "A pattern is a regex: #\"..\".");
    if (bad_call.function != "split" || bad_call.argument != 2 || call.size() != 2) return std::nullopt;
    const auto is_text = [&](std::size_t i) { return call.has(i) && call.arguments[i]->is(FormKind::String); };
    const bool swapped = is_text(0) && call.arguments[0]->size <= 3 &&
                         (!is_text(1) || call.arguments[1]->size > 3 || call.arguments[0]->size == 1);
    if (swapped) return rewrite_call(code, call, "($f $2 $1)");
    if (!is_text(1)) return std::nullopt;
    const Form& text = *call.arguments[1];
    if (code.text(text).front() != '"') return std::nullopt;
    if (looks_like_regex(text.text())) return replace(text, as_regex(text.text()), "A pattern is a regex: #\"..\".");
    std::string pattern = "#\"";
    for (const char c : code.text(text).substr(1, code.text(text).size() - 2)) {
        if (std::string_view(".*+?|()[]{}^$").find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return replace(text, pattern + "\"", "A separator of several characters is a regex: #\"..\".");
}

/// (into {} (for [o xs] (:k o) (:v o))): two values where a pair is wanted.
Proposal pairs_of_two_values(const Form& form) {
    if (!has_items(form)) return std::nullopt;
    const bool makes =
        (calls(form, "for") || calls(form, "fn")) && form.size == 4 && form.items()[1].is(FormKind::Vector);
    if (makes)
        return Repair{wrapping({form.items()[2].span.begin, form.items()[3].span.end}, "[", "]"),
                      "An entry is a pair: [key value].",
                      {}};
    for (const Form& item : form.items()) {
        if (Proposal found = pairs_of_two_values(item)) return found;
    }
    return std::nullopt;
}

Proposal pairs(const Code& code, const Place& place, const CallSite& call, const BadCall& bad_call) {
    if (bad_call.function != "into" || call.size() < 2) return std::nullopt;
    if (bad_call.argument == 2 && (bad_call.kind == OperandKind::AnyNumber || bad_call.kind == OperandKind::Boolean))
        return std::nullopt;
    if (Proposal found = pairs_of_two_values(place.form())) return found;
    if (!call.has(1)) return std::nullopt;
    const Form& from = *call.arguments[1];
    if (from.is(FormKind::Vector) && from.size % 2 == 0) {
        Repair repair;
        for (std::size_t i = 0; i + 1 < from.size; i += 2)
            append(repair.edits, wrapping({from.items()[i].span.begin, from.items()[i + 1].span.end}, "[", "]"));
        repair.hint = "An entry is a pair: [key value].";
        return repair;
    }
    if ((kinds_of(code, place.inner(from)) & kVectorKind) == 0) return std::nullopt;
    return replace(code, *call.whole, Pieces().text("(apply hash-map ").copy(from).text(")"),
                   "Keys and values in turn make a map by (apply hash-map ..).");
}

} // namespace

namespace {

/// @x and (deref x), where x is no atom: x.
Proposal read_value(const CallSite& call) {
    if (call.size() != 1 || !call.has(0) || call.is_step()) return std::nullopt;
    const Span whole = call.whole->span;
    const Span value = call.arguments[0]->span;
    Repair repair{{{{whole.begin, value.begin}, ""}}, "Only what (atom x) makes is read by @.", {}};
    if (value.end < whole.end) repair.edits.push_back({{value.end, whole.end}, ""});
    return repair;
}

} // namespace

namespace {

/// (fn [row] (reduce + row)): the items are what the function is given, and may be others than its author thinks.
bool works_on_parameter(const Place& place, const CallSite& call) {
    const Form* coll = worked_on(call);
    if (!coll || !coll->is(FormKind::Symbol)) return false;
    if (coll->text().starts_with('%')) return true;
    for (const Form* form : place.forms) {
        if (!is_function_literal(*form) || form->is(FormKind::ShortFn)) continue;
        for (const Form& part : form->items())
            if (part.is(FormKind::Vector) && mentions(part, coll->text())) return true;
    }
    return false;
}

/// (format "%d items at %.2f" price n): two values whose directives want one of each kind, in the other order.
Proposal swapped_values(const Code& code, const CallSite& call, const BadCall& bad_call) {
    if (bad_call.function != "format" || bad_call.kind != OperandKind::AnyNumber || call.size() != 3 || !call.has(0) ||
        !call.has(1) || !call.has(2) || !call.arguments[0]->is(FormKind::String))
        return std::nullopt;
    std::string directives;
    const std::string_view text = call.arguments[0]->text();
    for (std::size_t at = text.find('%'); at < text.size(); at = text.find('%', at + 1)) {
        at = std::min(text.find_first_not_of("0123456789.,+- ", at + 1), text.size());
        if (at < text.size() && text[at] != '%') directives += text[at];
    }
    if (directives != "df") return std::nullopt;
    Proposal found = rewrite_call(code, call, "($f $1 $3 $2)");
    if (found) found->hint = "%d takes an integer, %f any number.";
    return found;
}

} // namespace

Proposal converted_value(const Code& code, const Place& place, const BadCall& bad_call) {
    const std::optional<CallSite> call = call_at(place);
    if (!call) return std::nullopt;
    if (bad_call.function == "deref") return read_value(*call);
    const Wanted wanted = wanted_by(code, bad_call);
    if (Proposal found = regex_literal(code, *call, bad_call)) return found;
    if (Proposal found = swapped_values(code, *call, bad_call)) return found;
    if (Proposal found = pairs(code, place, *call, bad_call)) return found;
    const bool is_inside = bad_call.function == "vec" || bad_call.function == "seq"; // what the function does first
    const bool own =
        code.core_function(*call->head) == bad_call.function || call->head->is_symbol(bad_call.function) || is_inside;
    if (Proposal found = own ? tabled_conversion(code, *call, bad_call) : std::nullopt) return found;
    const Form* function = own ? nullptr : passed_function(code, place.form(), bad_call.function);
    if (wanted == Wanted::Number && own) {
        if (Proposal found = other_addition(code, place, *call, bad_call)) return found;
    }
    const bool is_variadic = parameters_of(code.usage(bad_call.function), 5).size() == 5;
    if (function && wanted == Wanted::Number && bad_call.kind == OperandKind::Vector && is_variadic &&
        call->size() == 2 && is_symbol_of(*call->head, {"map", "mapv", "pmap"}))
        return Repair{
            wrapping(function->span, "(partial apply ", ")"), "Each item is one argument; apply spreads it.", {}};
    if (function && wanted == Wanted::Number && bad_call.kind == OperandKind::Text && bad_call.function == "+" &&
        !works_on_parameter(place, *call))
        return replace(*function, "str", "(str a b) joins texts.");
    const std::optional<Conversion> to = conversion(wanted, bad_call.kind);
    if (to && function) return passed_conversion(code, place, *call, *function, *to);
    if (to && (bad_call.function == "sum" || bad_call.function == "avg")) {
        const std::string_view head = code.core_function(*call->head);
        if (head != "sum" && head != "avg") return std::nullopt; // (sum-by :price rows)
        // These leave nil out: a text that parse-long does not read must not vanish.
        const std::string parser = place.in_short_fn() ? "(map (fn [s] (or (parse-long s) (parse-double s)))"
                                                       : "(map #(or (parse-long %) (parse-double %))";
        if (call->has(0)) return Repair{wrapping(call->arguments[0]->span, parser + " ", ")"), to->hint, {}};
        return Repair{{insertion(call->whole->span.begin, parser + ") ")}, to->hint, {}};
    }
    if (to && own)
        return wrapped(code, *call, suspects(code, place, *call, bad_call), "(" + std::string(to->before) + " ", ")",
                       to->hint);
    // One scalar where a collection is wanted, and the other way round.
    const bool scalar = bad_call.kind == OperandKind::AnyNumber || bad_call.kind == OperandKind::Keyword ||
                        bad_call.kind == OperandKind::Boolean;
    if (scalar && own && is_symbol_of(*call->head, {"map", "mapv"}) && call->size() == 3 && call->has(0) &&
        call->arguments[0]->is(FormKind::Symbol) && call->has(1) && call->has(2)) { // (map cost rows 2)
        Proposal found = rewrite_call(code, *call, "($f (fn [x] ($1 x $3)) $2)");
        if (found) found->hint = "What is the same for each item is given inside of the function.";
        return found;
    }
    if (scalar && own) {
        const std::size_t last = !is_inside && bad_call.argument > 0 && bad_call.argument <= call->size()
                                     ? bad_call.argument - 1u
                                     : call->size() - 1;
        if (call->has(last) && (kinds_of(code, place.inner(*call->arguments[last])) & kinds_of(bad_call.kind)) != 0 &&
            wanted != Wanted::Text && bad_call.function != "format" && !takes_number_only(code, bad_call) &&
            may_take_vector(code, bad_call.function, call->size(), last) &&
            !bad_call.function.ends_with('!')) // an atom
            return Repair{wrapping(call->arguments[last]->span, "[", "]"), "A collection of one is written [x].", {}};
    }
    if (bad_call.kind == OperandKind::Vector && own && call->size() == 1 &&
        (wanted == Wanted::Number || wanted == Wanted::Text) && call->has(0))
        return Repair{{insertion(call->head->span.begin, "map ")}, "(map f coll) calls it for each item.", {}};
    return std::nullopt;
}

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
