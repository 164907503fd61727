// The wording of everything that the checker warns of, with the edits that mend it.
#include "compiler/check/check_warnings.h"
#include "compiler/check/type_check.h"
#include "compiler/language/form_questions.h"
#include "frontend/json_text.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxNames = 8; ///< listed in a message
constexpr std::size_t kMaxName = 64; ///< bytes of a name in a list

bool is_collection(FactKind kind) { return kind >= FactKind::Record && kind <= FactKind::Set; }

std::string field_list(const Fact& record) {
    std::string text;
    std::size_t count = 0;
    for (const FactPart& part : record.parts) {
        if (count == kMaxNames || part.name.size() > kMaxName)
            return text + (count == 0 ? "" : " and ") + std::to_string(record.parts.size() - count) + " more";
        text += (count++ == 0 ? "" : ", ") + quoted_excerpt(part.name); // of whoever answers a tool, it may be anything
    }
    return text.empty() ? "none" : text;
}

/// `value` with the fields of a record from outside is "an item of `data/orders`".
std::string owner_of(const Fact& record) {
    if (record.origin.empty()) return "This map";
    return "What " + quoted(record.origin) + (record.origin.starts_with("tool/") ? " gives" : " holds");
}

} // namespace

std::string_view describe_kind(FactKind kind) {
    switch (kind) {
    case FactKind::Any:
    case FactKind::Never: return "a value";
    case FactKind::Nil: return "nil";
    case FactKind::Bool: return "a boolean";
    case FactKind::Numeric: return "a number";
    case FactKind::String: return "a string";
    case FactKind::Keyword: return "a keyword";
    case FactKind::Record:
    case FactKind::Dict: return "a map";
    case FactKind::List:
    case FactKind::Tuple: return "a vector";
    case FactKind::Set: return "a set";
    case FactKind::Function: return "a function";
    }
    return "a value";
}

// ---- Names

Error unused_binding(Span where, std::string_view name, bool may_be_renamed) {
    Error error(Reason::UnusedBinding, where, quoted(name) + " is never used.");
    if (is_one_of(name, {"+", "-", "*", "/", "<", ">", "<=", ">=", "=", "==", "not="}))
        return std::move(error).with_hint("The function comes first: (+ a b).");
    if (!may_be_renamed) return std::move(error).with_hint("Take it out of the pattern.");
    return std::move(error)
        .with_hint("Remove it, or call it " + quoted("_" + std::string(name)) + " if it is meant to be ignored.")
        .with_edit({where.begin, where.begin}, "_");
}

Error hidden_function(Span where, std::string_view name, FactKind kind, Span binding) {
    Error error = Error(Reason::NotCallable, where,
                        quoted(name) + " is " + std::string(describe_kind(kind)) + " here, which hides the function " +
                            quoted(name) + ".",
                        "Give the binding another name.")
                      .with_label(binding, "bound here");
    if (kind < FactKind::Keyword) error.bad_call.kind = OperandKind::Text;     // it can never be called
    if (kind == FactKind::Keyword) error.bad_call.kind = OperandKind::Keyword; // elsewhere it may be
    return error;
}

// ---- Code that is not run

Error never_run(Span where, Span end) {
    return Error(Reason::UnreachableCode, where, "This is never run: the program ends before it.")
        .with_label(end, "ends here");
}

Error never_reached(Span where, std::string_view form, Span cause) {
    return Error(Reason::UnreachableCode, where,
                 "This is never run: " + quoted(form) + " stops at what stands before it.")
        .with_label(cause, "always stops here");
}

Error constant_test(Span where, bool truth, const Fact& fact) {
    if (!truth) return {Reason::ConstantTest, where, "This test is always false."};
    std::string message = "This test is always true";
    std::string hint;
    if (is_collection(fact.kind)) {
        message += ": a collection is, even an empty one";
        hint = "Write `(seq ..)` to ask whether there is anything in it.";
    } else if (fact.kind == FactKind::Numeric) {
        message += ": a number is, even 0";
        hint = "Compare it: `(pos? ..)`, `(zero? ..)`.";
    } else if (fact.kind == FactKind::String) {
        message += ": a string is, even an empty one";
        hint = "Write `(seq ..)` to ask whether there is anything in it.";
    }
    return {Reason::ConstantTest, where, message + ".", hint};
}

Error unknown_library(Span where, std::string_view name, bool is_class) {
    const std::string what = is_class ? "class " : "library ";
    return Error(Reason::SuspiciousForm, where, "There is no " + what + quoted_name(name) + " here.")
        .with_hint("It does no harm as long as nothing of it is used.");
}

Error repeated_clause(Span where, Span first) {
    return Error(Reason::RepeatedClause, where, "An earlier clause is the same: this one is never taken.")
        .with_label(first, "first here");
}

Error two_spellings(Span where, Span first, std::string_view name) {
    return Error(Reason::SuspiciousForm, where,
                 "The keyword and the text of the name " + quoted(name) + " are both keys of this map.",
                 "Reading finds either by the other, and JSON has a name once: keep one of them.")
        .with_label(first, "first here");
}

Error literal_default(Span where, std::string_view form, std::string_view keyword) {
    return Error(Reason::LiteralDefault, where,
                 quoted(form) + " compares with " + quoted(":" + std::string(keyword)) + " here: this is no default.",
                 "The default of " + quoted(form) + " stands alone, as its last part.");
}

Error unused_value(Span where, std::string_view updates) {
    Error error(Reason::UnusedValue, where, "The value of this expression is not used.");
    if (updates.empty()) return std::move(error).with_hint("Only the last expression is the result.");
    return std::move(error).with_hint("Collections never change: " + quoted(updates) +
                                      " gives a new one. Bind it with `let`, or build it with `reduce`.");
}

// ---- Values

namespace {

/// The name or text of `literal` as something of the other kind; "" when that cannot be written.
std::string as_kind(const Form& literal, FactKind kind) {
    if (literal.is(FormKind::Integer) && kind == FactKind::String) return '"' + std::to_string(literal.integer) + '"';
    const std::string_view text = literal.is(FormKind::Keyword) || literal.is(FormKind::String) ? literal.text() : "";
    if (literal.is(FormKind::String) && kind == FactKind::Numeric) {
        constexpr std::size_t kMaxDigits = 18;
        const bool spells = !text.empty() && text.size() <= kMaxDigits &&
                            text.find_first_not_of("0123456789", text.front() == '-' ? 1 : 0) == text.npos &&
                            text.back() != '-';
        return spells ? std::string(text) : std::string();
    }
    const bool is_name =
        !text.empty() && text.size() <= kMaxName && std::all_of(text.begin(), text.end(), [](unsigned char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        });
    if (!is_name) return {};
    if (literal.is(FormKind::Keyword) && kind == FactKind::String) return '"' + std::string(text) + '"';
    const bool starts_a_name = text.front() < '0' || text.front() > '9';
    if (literal.is(FormKind::String) && kind == FactKind::Keyword && starts_a_name) return ":" + std::string(text);
    return {};
}

} // namespace

Error never_equal(const Form& literal, FactKind kind, FactKind other, bool negated) {
    std::string message = "This is " + std::string(describe_kind(kind)) + ", compared with " +
                          std::string(describe_kind(other)) + ": they are " +
                          (negated ? "always different." : "never equal.");
    Error error(Reason::NeverEqual, literal.span, std::move(message));
    std::string replacement = as_kind(literal, other);
    if (replacement.empty()) return error;
    error.hint = "Write " + quoted(replacement) + ".";
    error.edits.push_back({literal.span, std::move(replacement)});
    return error;
}

namespace {

/// `name` written as `key` is: a keyword, a string, or the name of a keyword in a pattern.
std::string written_as(const Form& key, std::string_view name) {
    if (key.is(FormKind::String)) return '"' + std::string(name) + '"';
    return ":" + std::string(name);
}

} // namespace

Error unknown_field(const Form& key, const Fact& record) {
    return {Reason::UnknownField, key.span,
            owner_of(record) + " has no field " + quoted(written_as(key, key.text())) + "; there " +
                (record.parts.size() == 1 ? "is " : "are ") + field_list(record) + "."};
}

Error no_fields(const Form& key, const Fact& value) {
    const bool many = value.kind == FactKind::List || value.kind == FactKind::Tuple;
    const std::string name = written_as(key, key.text());
    Error error(Reason::UnknownField, key.span,
                quoted(name) + " is looked up in " + std::string(describe_kind(value.kind)) + ", which has no fields.");
    if (!many) return error;
    error.bad_call.kind = OperandKind::Vector;
    return std::move(error).with_hint("For the field of every item write " + quoted("(map " + name + " ..)") +
                                      ", for that of one item take the item first.");
}

// ---- Lints

Error single_quoted(Span where, std::string_view name) {
    const std::string text = '"' + std::string(name) + '"';
    return Error(Reason::SuspiciousForm, where, "This is a symbol, not a text: strings stand in double quotes.",
                 "Write " + quoted(text) + ".")
        .with_edit(where, text);
}

Error subscript(const Form& value, std::span<const Form> indexes) {
    const auto function = [](const Form& index) {
        return std::string(index.items()[0].is(FormKind::Integer) ? "nth" : "get");
    };
    const std::string name(value.text());
    Error error(Reason::SuspiciousForm, Span{value.span.begin, indexes.back().span.end},
                quoted(name) + " and a vector behind it: brackets do not read elements.",
                "Write `(" + function(indexes[0]) + " " + name + " ..)`.");
    std::string before;
    for (const Form& index : indexes)
        before.insert(0, "(" + function(index) + " ");
    error.edits.push_back({{value.span.begin, value.span.begin}, before});
    for (const Form& index : indexes) {
        error.edits.push_back({{index.span.begin, index.span.begin + 1}, " "});
        error.edits.push_back({{index.span.end - 1, index.span.end}, ")"});
    }
    return error;
}

Error plus_between(Span where, std::uint32_t before) {
    return Error(Reason::SuspiciousForm, where, "`+` is an argument here: its own text is added.",
                 "Leave it out: the arguments are joined as they are.")
        .with_edit({before, where.end}, "");
}

Error loose_modifier(const Form& bindings, const Form& modifier, const Form& value) {
    return Error(Reason::SuspiciousForm, modifier.span,
                 quoted(":" + std::string(modifier.text())) + " is a part of the body here and does nothing.",
                 "It stands in the vector of bindings: `[x xs :when test]`.")
        .with_edit({bindings.span.end - 1, bindings.span.end}, "")
        .with_edit({value.span.end, value.span.end}, "]");
}

Error interpolated(Span text, std::string code) {
    return Error(Reason::SuspiciousForm, text, "Nothing is put into a text: this one is taken as it is.",
                 "Texts are put together by `(str \"..\" x ..)`.")
        .with_edit(text, std::move(code));
}

Error python_places(Span text, std::string mended) {
    return Error(Reason::SuspiciousForm, text, "`format` has places that begin with %: nothing is put in here.",
                 "Write `%s` for any value, `%d` for an integer, `%.2f` for a number.")
        .with_edit(text, std::move(mended));
}

Error format_by_str(Span function) {
    return Error(Reason::SuspiciousForm, function, "`str` joins texts: the places in this one stay as they are.",
                 "Write `format`.")
        .with_edit(function, "format");
}

Error text_compared(Span text) {
    return Error(Reason::NeverEqual, text, "This is a text, compared with a number.",
                 "A text becomes a number by `parse-long` or `parse-double`.")
        .with_edit({text.begin, text.begin}, "(parse-double ")
        .with_edit({text.end, text.end}, ")");
}

Error nil_compared(Span nil, std::string_view function) {
    return Error(Reason::SuspiciousForm, nil,
                 "This nil is ordered by " + quoted(function) + ": it is greater than every number.",
                 "Write a number, or ask for a value that is not there by `nil?` or `some?`.");
}

Error date_compared(const Form& number) {
    Error error(Reason::NeverEqual, number.span, "Texts of dates are compared with a number here.",
                "Texts are compared with texts: \"2024-01-31\".");
    if (!number.is(FormKind::Integer) || number.integer < 1000'01'01 || number.integer > 9999'12'31) return error;
    const std::string digits = std::to_string(number.integer);
    const std::string month = digits.substr(4, 2), day = digits.substr(6);
    if (month < "01" || month > "12" || day < "01" || day > "31") return error;
    return std::move(error).with_edit(number.span, '"' + digits.substr(0, 4) + "-" + month + "-" + day + '"');
}

Error lost_update(Span update, std::string_view function, std::vector<Edit> edits) {
    Error error = unused_value(update, function);
    error.edits = std::move(edits);
    return error;
}

Error when_else(const Form& list, const Form& keyword, const Form& otherwise) {
    const Form& head = list.items()[0];
    std::string name(head.text());
    name.replace(0, std::string_view("when").size(), "if");
    return Error(Reason::SuspiciousForm, keyword.span,
                 quoted(head.text()) + " has no other branch: its value is always that of its last expression.",
                 "Write (" + name + " test then else).")
        .with_edit(head.span, name)
        .with_edit({keyword.span.begin, otherwise.span.begin}, "");
}

Error symbol_compared(const Form& quote, FactKind other, bool negated) {
    const std::string name(quote.items()[0].text());
    Error error(Reason::NeverEqual, quote.span,
                "This is a symbol, compared with " + std::string(describe_kind(other)) + ": they are " +
                    (negated ? "always different." : "never equal."));
    if (other != FactKind::String && other != FactKind::Keyword) return error;
    const std::string text = other == FactKind::String ? '"' + name + '"' : ":" + name;
    return std::move(error).with_hint("Write " + quoted(text) + ".").with_edit(quote.span, text);
}

Error text_in_keywords(Span where, std::string_view before, std::string_view behind) {
    return Error(Reason::NeverEqual, where, "The set holds keywords, and is asked for a text: that is never in it.",
                 "Sets tell :a and \"a\" apart, as maps of data do not: (keyword text) is the keyword of a text.")
        .with_edit({where.begin, where.begin}, std::string(before))
        .with_edit({where.end, where.end}, std::string(behind));
}

Error no_metadata(Span where, std::string_view function) {
    return Error(Reason::SuspiciousForm, where,
                 function == "meta" ? "Values carry no metadata: this is nil."
                                    : "Values carry no metadata: what " + quoted(function) + " adds is dropped.",
                 "What belongs to a value is kept beside it: {:value x :unit \"EUR\"}.");
}

Error unread_atom(Span where, std::string_view name) {
    return Error(Reason::SuspiciousForm, where, quoted(name) + " is the atom, not what it holds.",
                 "What an atom holds is read by `@" + std::string(name) + "`.")
        .with_edit({where.begin, where.begin}, "@");
}

Error lost_result(Span test, std::vector<Edit> edits) {
    Error error(Reason::SuspiciousForm, test, "The value of this expression is not used: the loop goes on.",
                "A loop ends where it does not recur: (if done acc (recur ..)).");
    error.edits = std::move(edits);
    return error;
}

Error returned_form(const Form& form, const Form& value, std::string_view name) {
    const std::string call = "(" + std::string(name) + " ";
    return Error(Reason::SuspiciousForm, form.span, "This is data: it does not end the program.",
                 "An answer is given by `" + call + "value)`.")
        .with_edit({form.span.begin, value.span.begin}, call)
        .with_edit({value.span.end, form.span.end}, ")");
}

Error printed_answer(Span function) {
    return Error(Reason::SuspiciousForm, function, "`printf` prints, and its value is nil: so is that of the program.",
                 "The text itself is `(format ..)`.")
        .with_edit(function, "format");
}

Error return_of_function(Span where, std::string_view function, std::vector<Edit> edits) {
    Error error(Reason::SuspiciousForm, where,
                "`return` ends the program, not the function " + quoted_name(function) + ", whose value is used.",
                "The value of a function is that of its last expression.");
    error.edits = std::move(edits);
    return error;
}

Error called_for_all(Span function) {
    return Error(Reason::SuspiciousForm, function, "This function reads the fields of one item, and gets all of them.",
                 "For each item write `(map f coll)`.")
        .with_edit({function.begin, function.begin}, "map ");
}

Error called_for_whole(Span map) {
    return Error(Reason::SuspiciousForm, map, "This function reads all the items, and gets one of them.",
                 "For the collection write `(f coll)`.")
        .with_edit(map, "");
}

Error swapped_arguments(const Form& first, const Form& second, const Source& source) {
    return Error(Reason::SuspiciousForm, {first.span.begin, second.span.end},
                 "The function takes these arguments in the other order.", "Swap them.")
        .with_edit(first.span, std::string(source.text(second.span)))
        .with_edit(second.span, std::string(source.text(first.span)));
}

Error row_for_parameters(Span function, std::size_t parameters) {
    return Error(Reason::SuspiciousForm, function,
                 "Each item is a map, and comes as one argument: the function takes " + std::to_string(parameters) +
                     ".",
                 "A map is taken apart by `(fn [{:keys [a b]}] ..)`.");
}

Error accumulator_first(Span parameters, const std::string& order) {
    return Error(Reason::SuspiciousForm, parameters, "What there is so far is the first argument of a fold's function.",
                 "Write " + quoted("[" + order + "]") + ".")
        .with_edit(parameters, order);
}

Error texts_taken_for_others(Span where, const char* message, std::string before, std::string behind) {
    Error error(Reason::NeverEqual, where, message, "Write `" + before + ".." + behind + "`.");
    error.edits.push_back({{where.begin, where.begin}, std::move(before)});
    if (!behind.empty()) error.edits.push_back({{where.end, where.end}, std::move(behind)});
    return error;
}

Error word_of_list(Span inside, std::string_view word, std::string_view list) {
    std::string text = "some #{" + std::string(word) + "} " + std::string(list);
    Error error(Reason::NeverEqual, inside, "This is a string, compared with a vector: they are never equal.",
                "Write " + quoted("(" + text + ")") + ".");
    error.edits.push_back({inside, std::move(text)});
    return error;
}

Error other_word(Span where, std::string_view word, std::string_view near) {
    std::string text;
    append_json_string(text, near);
    Error error(Reason::NeverEqual, where, "The data have no " + quoted(word) + " here; there is " + quoted(near) + ".",
                "Write " + quoted(text) + ".");
    error.edits.push_back({where, std::move(text)});
    return error;
}

Error other_reading(Span where, const std::string& written, std::vector<Edit> edits) {
    Error error(Reason::SuspiciousForm, where, "The data have another shape than the program reads.",
                "Write " + quoted(written) + ".");
    error.edits = std::move(edits);
    return error;
}

Error key_of_items(const Form& key, const Fact& coll) {
    Error error = no_fields(key, coll);
    error.edits.push_back({{key.span.begin, key.span.begin}, "map "});
    return error;
}

Error infix_in_body(std::span<const Form> run, std::string_view function) {
    const std::string name(function);
    const std::string written(run[1].text());
    Error error(Reason::SuspiciousForm, {run.front().span.begin, run.back().span.end},
                quoted(written) + " between two values calls nothing: each is a form of its own.",
                "Write `(" + (name.empty() ? written : name) + " a b)`.");
    if (name.empty()) return error;
    error.edits.push_back({{run.front().span.begin, run.front().span.begin}, "(" + name + " "});
    for (std::size_t i = 0; i + 2 < run.size(); i += 2)
        error.edits.push_back({{run[i].span.end, run[i + 2].span.begin}, " "});
    error.edits.push_back({{run.back().span.end, run.back().span.end}, ")"});
    return error;
}

Error bracketed_clauses(std::span<const Form> clauses) {
    Error error(Reason::SuspiciousForm, clauses.front().span,
                "`cond` takes tests and results without brackets: a vector is always true.",
                "Write `(cond test result :else other)`.");
    for (const Form& clause : clauses) {
        error.edits.push_back({{clause.span.begin, clause.span.begin + 1}, ""});
        error.edits.push_back({{clause.span.end - 1, clause.span.end}, ""});
    }
    return error;
}

Error misused_call(Span where, std::string_view message, std::vector<Edit> edits, const Source& source) {
    Error error(Reason::SuspiciousForm, where, std::string(message));
    error.edits = std::move(edits);
    constexpr std::uint32_t kMaxHint = 100;
    if (where.size() > kMaxHint) return error;
    std::string text;
    std::uint32_t at = where.begin;
    for (const Edit& edit : error.edits) {
        text += std::string(source.text({at, edit.span.begin})) + edit.text;
        at = edit.span.end;
    }
    error.hint = "Write " + quoted(text + std::string(source.text({at, where.end}))) + ".";
    return error;
}

Error function_as_key(Span where, std::string_view name) {
    const std::string key = ":" + std::string(name);
    return Error(Reason::SuspiciousForm, where, quoted(name) + " is a function here, and no key of a map.",
                 "Write " + quoted(key) + ".")
        .with_edit(where, key);
}

namespace {

/// A constant as it is written; "" for other forms.
std::string constant_text(const Form& form) {
    std::string text;
    switch (form.kind) {
    case FormKind::Nil: return "nil";
    case FormKind::True: return "true";
    case FormKind::False: return "false";
    case FormKind::Integer: return std::to_string(form.integer);
    case FormKind::Keyword: return ":" + std::string(form.text());
    case FormKind::String: append_json_string(text, form.text()); return text;
    default: return text;
    }
}

} // namespace

Error map_as_test(const Form& map) {
    std::string tests;
    bool is_constant = true;
    for (std::size_t i = 0; i < map.size; i += 2) {
        const std::string value = constant_text(map.items()[i + 1]);
        is_constant = is_constant && !value.empty();
        tests += (i > 0 ? " (= (:" : "(= (:") + std::string(map.items()[i].text()) + " %) " + value + ")";
    }
    Error error(Reason::SuspiciousForm, map.span, "A map looks its argument up: no record is a key of it.",
                "Write a test: `#(= (:key %) value)`.");
    if (is_constant) error.edits.push_back({map.span, map.size == 2 ? "#" + tests : "#(and " + tests + ")"});
    return error;
}

Error join_the_other_way(Span call, Span first, const Form& second) {
    std::string separator;
    append_json_string(separator, second.text());
    return Error(Reason::SuspiciousForm, call, "`join` takes the separator first, then the collection.",
                 "Write `(join separator coll)`.")
        .with_edit({first.begin, first.begin}, separator + " ")
        .with_edit({first.end, second.span.end}, "");
}

Error join_threaded_first(Span step) {
    return Error(Reason::SuspiciousForm, step, "`join` takes the collection last: here the separator is joined.",
                 "Write `(->> (join separator))`.")
        .with_edit({step.begin, step.begin}, "(->> ")
        .with_edit({step.end, step.end}, ")");
}

// ---- Arguments of tools

namespace {

constexpr std::size_t kMaxType = 120;      ///< bytes of a type in a message
constexpr std::size_t kMaxSignature = 240; ///< and of a signature

/// "`:int`", or only what kind of type it is when it is long.
std::string type_in_message(const Type& type) {
    std::string text = type_text(type);
    if (text.size() <= kMaxType) return quoted(text);
    switch (type.kind) {
    case TypeKind::Record: return "a map of its signature";
    case TypeKind::List: return "a list of its signature";
    default: return "a value of its signature";
    }
}

Error with_signature(Error error, std::string_view tool, const Signature& signature) {
    const std::string text = prompt_text("tool/" + std::string(tool), signature);
    if (text.size() > kMaxSignature) return error;
    error.hint += (error.hint.empty() ? "" : " ") + ("It is " + quoted(text) + ".");
    return error;
}

} // namespace

Error mismatched_argument(Span where, std::string_view tool, const Mismatch& mismatch, const Signature& signature) {
    std::string message = "The argument " + quoted(mismatch.path) + " of " + quoted("tool/" + std::string(tool));
    if (mismatch.got.empty())
        message += " is missing: it takes " + type_in_message(*mismatch.type) + ".";
    else
        message += " takes " + type_in_message(*mismatch.type) + ", not " + mismatch.got + ".";
    return with_signature({Reason::InvalidToolArgs, where, std::move(message)}, tool, signature);
}

Error missing_arguments(Span call, std::string_view tool, std::span<const Field* const> missing,
                        const Signature& signature) {
    std::string names;
    for (const Field* param : missing)
        names += (names.empty() ? "" : ", ") + quoted(param->name);
    std::string message =
        quoted("tool/" + std::string(tool)) + " needs the argument" + (missing.size() == 1 ? " " : "s ") + names + ".";
    return with_signature({Reason::InvalidToolArgs, call, std::move(message)}, tool, signature);
}

Error unknown_argument(const Form& key, std::string_view tool, std::span<const Field* const> absent,
                       const Signature& signature, const Field** meant) {
    std::vector<std::string_view> names;
    for (const Field* param : absent)
        names.push_back(param->name);
    const std::vector<std::string> near = suggest(key.text(), names, 1);
    Error error(Reason::InvalidToolArgs, key.span,
                quoted("tool/" + std::string(tool)) + " has no parameter " + quoted(key.text()) + ".");
    *meant = nullptr;
    if (!near.empty()) {
        const std::string replacement = written_as(key, near.front());
        *meant = *std::ranges::find_if(absent, [&](const Field* param) { return param->name == near.front(); });
        error.hint = did_you_mean(std::vector{replacement});
        error.edits.push_back({key.span, replacement});
    }
    return with_signature(std::move(error), tool, signature);
}

} // namespace ptc
