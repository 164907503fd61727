// Values of the wrong kind: texts that spell numbers, collections where one item is wanted, and the other way round.
//
// What a run met (BadCall) and what the function takes there (wanted_by) together pick a conversion, or another
// function (rows of call_repairs.def). The argument that failed may be a value that the call passes on, as in (reduce +
// xs): then the function is replaced by one that converts first.
#include "compiler/repair/wanted.h"
#include <algorithm>

namespace ptc::repair {
namespace {

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

/// @x and (deref x), where x is no atom: x.
Proposal read_value(const CallSite& call) {
    if (call.size() != 1 || !call.has(0) || call.is_step()) return std::nullopt;
    const Span whole = call.whole->span;
    const Span value = call.arguments[0]->span;
    Repair repair{{{{whole.begin, value.begin}, ""}}, "Only what (atom x) makes is read by @.", {}};
    if (value.end < whole.end) repair.edits.push_back({{value.end, whole.end}, ""});
    return repair;
}

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

/// A call that met a value of the wrong kind.
struct WrongKind {
    const Code& code;
    const Place& place;
    const CallSite& call;
    const BadCall& bad_call;
    Wanted wanted;
    bool is_inside;     ///< what the function does first met it
    bool own;           ///< the function that is called met it, not one that it passes on
    const Form* passed; ///< the one that it passes on; null for its own

    [[nodiscard]] std::string_view function() const { return bad_call.function; }
    [[nodiscard]] bool met(OperandKind kind) const { return bad_call.kind == kind; }
};

WrongKind wrong_kind(const Code& code, const Place& place, const CallSite& call, const BadCall& bad_call) {
    const std::string_view function = bad_call.function;
    const bool is_inside = function == "vec" || function == "seq";
    const bool own = code.core_function(*call.head) == function || call.head->is_symbol(function) || is_inside;
    return {code,
            place,
            call,
            bad_call,
            wanted_by(code, bad_call),
            is_inside,
            own,
            own ? nullptr : passed_function(code, place.form(), function)};
}

/// (map + pairs), (reduce + texts)
Proposal other_passed_function(const WrongKind& wrong) {
    if (!wrong.passed || wrong.wanted != Wanted::Number) return std::nullopt;
    const bool is_variadic = parameters_of(wrong.code.usage(wrong.function()), 5).size() == 5;
    if (wrong.met(OperandKind::Vector) && is_variadic && wrong.call.size() == 2 &&
        is_symbol_of(*wrong.call.head, {"map", "mapv", "pmap"}))
        return Repair{
            wrapping(wrong.passed->span, "(partial apply ", ")"), "Each item is one argument; apply spreads it.", {}};
    if (wrong.met(OperandKind::Text) && wrong.function() == "+" && !works_on_parameter(wrong.place, wrong.call))
        return replace(*wrong.passed, "str", "(str a b) joins texts.");
    return std::nullopt;
}

/// (sum texts), (avg texts)
Proposal parsed_items(const WrongKind& wrong, const Conversion& to) {
    const CallSite& call = wrong.call;
    const std::string_view head = wrong.code.core_function(*call.head);
    if (head != "sum" && head != "avg") return std::nullopt; // (sum-by :price rows)
    // These leave nil out: a text that parse-long does not read must not vanish.
    const std::string parser = wrong.place.in_short_fn() ? "(map (fn [s] (or (parse-long s) (parse-double s)))"
                                                         : "(map #(or (parse-long %) (parse-double %))";
    if (call.has(0)) return Repair{wrapping(call.arguments[0]->span, parser + " ", ")"), to.hint, {}};
    return Repair{{insertion(call.whole->span.begin, parser + ") ")}, to.hint, {}};
}

/// (+ "1" 2), (map inc ["1"]): the conversion where the value comes in.
Proposal with_conversion(const WrongKind& wrong, const Conversion& to) {
    if (wrong.passed) return passed_conversion(wrong.code, wrong.place, wrong.call, *wrong.passed, to);
    if (wrong.function() == "sum" || wrong.function() == "avg") return parsed_items(wrong, to);
    if (!wrong.own) return std::nullopt;
    return wrapped(wrong.call, suspects(wrong.code, wrong.place, wrong.call, wrong.bad_call),
                   "(" + std::string(to.before) + " ", ")", to.hint);
}

/// (map cost rows 2)
bool maps_with_same_value(const CallSite& call) {
    return is_symbol_of(*call.head, {"map", "mapv"}) && call.size() == 3 && call.has(0) &&
           call.arguments[0]->is(FormKind::Symbol) && call.has(1) && call.has(2);
}

/// (concat xs 5), (map cost rows 2): one scalar where a collection is wanted.
Proposal scalar_for_collection(const WrongKind& wrong) {
    const CallSite& call = wrong.call;
    const BadCall& bad_call = wrong.bad_call;
    if (maps_with_same_value(call)) {
        Proposal found = rewrite_call(wrong.code, call, "($f (fn [x] ($1 x $3)) $2)");
        if (found) found->hint = "What is the same for each item is given inside of the function.";
        return found;
    }
    const bool is_known = !wrong.is_inside && bad_call.argument > 0 && bad_call.argument <= call.size();
    const std::size_t at = is_known ? bad_call.argument - 1u : call.size() - 1;
    const bool is_atom = wrong.function().ends_with('!');
    const bool is_looked_into = at == 0 && is_one_of(wrong.function(), {"contains?", "select-keys"});
    if (is_looked_into || !call.has(at) || wrong.wanted == Wanted::Text || wrong.function() == "format" || is_atom ||
        takes_number_only(wrong.code, bad_call) || !may_take_vector(wrong.code, wrong.function(), call.size(), at) ||
        (kinds_of(wrong.code, wrong.place.inner(*call.arguments[at])) & kinds_of(bad_call.kind)) == 0)
        return std::nullopt;
    return Repair{wrapping(call.arguments[at]->span, "[", "]"), "A collection of one is written [x].", {}};
}

/// (inc [1 2])
Proposal collection_for_scalar(const WrongKind& wrong) {
    const bool wants_scalar = wrong.wanted == Wanted::Number || wrong.wanted == Wanted::Text;
    if (!wrong.met(OperandKind::Vector) || wrong.call.size() != 1 || !wants_scalar || !wrong.call.has(0))
        return std::nullopt;
    return Repair{{insertion(wrong.call.head->span.begin, "map ")}, "(map f coll) calls it for each item.", {}};
}

} // namespace

Proposal converted_value(const Code& code, const Place& place, const BadCall& bad_call) {
    const std::optional<CallSite> call = call_at(place);
    if (!call) return std::nullopt;
    if (bad_call.function == "deref") return read_value(*call);
    if (Proposal found = regex_literal(code, *call, bad_call)) return found;
    if (Proposal found = swapped_values(code, *call, bad_call)) return found;
    if (Proposal found = pairs(code, place, *call, bad_call)) return found;
    const WrongKind wrong = wrong_kind(code, place, *call, bad_call);
    if (Proposal found = wrong.own ? tabled_conversion(code, *call, bad_call) : std::nullopt) return found;
    if (wrong.own && wrong.wanted == Wanted::Number) {
        if (Proposal found = other_addition(code, place, *call, bad_call)) return found;
    }
    if (Proposal found = other_passed_function(wrong)) return found;
    if (const std::optional<Conversion> to = conversion(wrong.wanted, bad_call.kind))
        return with_conversion(wrong, *to);
    if (!wrong.own) return std::nullopt;
    const bool is_scalar =
        wrong.met(OperandKind::AnyNumber) || wrong.met(OperandKind::Keyword) || wrong.met(OperandKind::Boolean);
    return is_scalar ? scalar_for_collection(wrong) : collection_for_scalar(wrong);
}

} // namespace ptc::repair
