// The wording of everything the analyzer reports, in the order of the header. An error says what was found, which rule
// it breaks and what would be right; a name with one likely meaning gets an edit. Names from the program are cut when
// they are very long, so that no message is.
#include "compiler/analyze/analysis_errors.h"
#include "compiler/language/foreign.h"
#include "compiler/language/special_forms.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include <algorithm>

namespace ptc {
namespace {

/// Whether a foreign name's equivalent takes its place as it is.
bool is_renaming(std::string_view rewrite) {
    return !rewrite.empty() && rewrite.find_first_of("($@|") == std::string_view::npos;
}

std::string plural(std::size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

} // namespace

// ---- Names

Error unknown_name(Span where, std::string_view name, const std::vector<std::string>& nearest) {
    Error error(Reason::UnboundVar, where, quoted_name(name) + " is not defined.", did_you_mean(nearest));
    if (!nearest.empty()) error.edits.push_back({where, nearest.front()});
    return error;
}

/// Whether a suggestion is near enough to be put in: a guess is only said.
static bool is_typing_error(std::string_view name, std::string_view meant) {
    constexpr std::size_t kLong = 6;
    const std::size_t most = name.size() < kLong ? 1 : 2;
    const bool is_shortened = name.size() >= kLong && meant.starts_with(name); // set/intersect
    return is_shortened || edit_distance(name, meant, most) <= most;
}

bool is_absent_name(std::string_view name) { return repair::find_foreign(name) != nullptr; }

std::optional<Error> absent_name(Span where, std::string_view name) {
    const repair::Foreign* foreign = repair::find_foreign(name);
    const bool misspelt = !foreign && (foreign = repair::nearest_foreign(name)) != nullptr;
    if (!foreign || (misspelt && foreign->rewrite == "nil")) return std::nullopt; // (undefined-fn 1)
    Error error(Reason::UnboundVar, where,
                quoted_name(name) + (misspelt ? " is not defined." : " does not exist in PTC-Lisp."),
                std::string(foreign->advice));
    if (is_renaming(foreign->rewrite)) error.edits.push_back({where, std::string(foreign->rewrite)});
    return error;
}

Error used_in_itself(Span where, std::string_view name, bool makes_lazy) {
    return Error(Reason::UnboundVar, where, quoted_name(name) + " is used in the value that it is to have.",
                 makes_lazy ? "Of sequences only those are made of themselves that are given items and `map` over "
                              "themselves: (def fibs (lazy-cat [0 1] (map + fibs (rest fibs)))). Make others with a "
                              "function, or a loop."
                            : "It has no value yet: a definition above this form gives it one.");
}

Error used_before_definition(Span where, std::string_view name, Span definition) {
    return Error(Reason::UnboundVar, where, quoted_name(name) + " is used before it is defined.",
                 "Move the definition above this form.")
        .with_label(definition, "defined here");
}

Error special_form_as_value(Span where, std::string_view name) {
    return Error(Reason::UnboundVar, where, quoted_name(name) + " is a special form and has no value.",
                 "Wrap it in a function: #(" + std::string(name) + " ..).");
}

Error whole_context(Span where, std::string_view name) {
    return Error(Reason::UnboundVar, where, quoted_name(name) + " is not a value.",
                 "Context values are read one by one: " + std::string(name) + "/name.");
}

Error placeholder_outside(Span where, std::string_view name) {
    return Error(Reason::InvalidPlaceholder, where, quoted_name(name) + " stands outside of #().",
                 "Placeholders name the parameters of #(..); inside of (fn [x] ..) use the parameter's name.");
}

Error bad_placeholder(Span where, std::string_view name) {
    return Error(Reason::InvalidPlaceholder, where, quoted_name(name) + " is not a placeholder.",
                 "Write %, %1 to %20, or %&.");
}

Error unknown_namespace(Span where, std::string_view space, const std::vector<std::string>& nearest) {
    const std::string_view last = space.substr(space.rfind('.') + 1);
    if (nearest.empty() && !last.empty() && 'A' <= last.front() && last.front() <= 'Z') {
        return Error(Reason::InvalidForm, where, "There is no class " + quoted_name(space) + " here.",
                     "Of Java's classes there are Math, String, Character, Boolean, Integer, Long, Float, Double and "
                     "those of java.time.");
    }
    return Error(Reason::InvalidForm, where, "There is no namespace " + quoted_name(space) + ".",
                 nearest.empty() ? "Most names need no namespace: write join, not str/join." : did_you_mean(nearest));
}

Error unknown_member(Span where, std::string_view space, std::string_view member,
                     std::span<const std::string_view> members, const std::vector<std::string>& nearest) {
    Error error(Reason::InvalidForm, where, quoted_name(space) + " has no " + quoted_name(member) + ".",
                did_you_mean(nearest));
    if (!nearest.empty()) error.hint += " ";
    if (!nearest.empty() && is_typing_error(member, nearest.front()))
        error.edits.push_back({where, std::string(space) + "/" + nearest.front()});
    if (!members.empty()) error.hint += "It has " + first_of(members, 24) + ".";
    return error;
}

Error unknown_method(Span where, std::string_view name, const std::vector<std::string>& nearest) {
    const std::string message = "There is no method or constructor " + quoted_name(name) + ".";
    if (const repair::Foreign* foreign = repair::find_foreign(name)) {
        const bool renames = is_renaming(foreign->rewrite);
        const std::string instead = renames ? "Write (" + std::string(foreign->rewrite) + " x)." : std::string();
        Error error(Reason::UnsupportedMethod, where, message,
                    foreign->advice.empty() ? instead : std::string(foreign->advice));
        if (renames) error.edits.push_back({where, std::string(foreign->rewrite)});
        return error;
    }
    Error error(Reason::UnsupportedMethod, where, message, did_you_mean(nearest));
    if (nearest.empty() || !is_typing_error(name, nearest.front())) return error;
    const std::string& found = nearest.front();
    if (where.size() == name.size()) {
        error.edits.push_back({where, found});
    } else if (found.ends_with('.')) { // (new Exceptio ..), where a class stands without the dot of its constructor
        error.edits.push_back({where, found.substr(0, found.size() - 1)});
    }
    return error;
}

Error unknown_tool(Span where, std::string_view name, const std::vector<std::string>& nearest, bool any,
                   std::string_view written) {
    Error error(Reason::UnknownTool, where, "There is no tool " + quoted_name(name) + ".",
                any ? did_you_mean(nearest) : "This program has no tools.");
    if (!nearest.empty()) {
        const std::string_view end = written == "\"" ? written : std::string_view();
        error.edits.push_back({where, std::string(written).append(nearest.front()).append(end)});
    }
    return error;
}

// ---- Calls

std::string argument_count(std::size_t min, std::size_t max) {
    if (max == SIZE_MAX) return "at least " + plural(min, "argument");
    if (min == max) return min == 0 ? "no arguments" : plural(min, "argument");
    if (max == min + 1) return std::to_string(min) + " or " + plural(max, "argument");
    return std::to_string(min) + " to " + plural(max, "argument");
}

Error wrong_arity(Reason reason, Span call, std::string_view name, std::string_view takes, std::size_t got,
                  std::string usage) {
    const bool is_name = name.find(' ') == std::string_view::npos;
    std::string message = is_name ? quoted_name(name) : std::string(name);
    if (!is_name) message[0] = static_cast<char>(message[0] - ('a' <= message[0] && message[0] <= 'z' ? 'a' - 'A' : 0));
    message += " takes " + std::string(takes) + ", not " + std::to_string(got) + ".";
    return Error(reason, call, std::move(message), std::move(usage));
}

std::string describe_form(const Form& form) {
    switch (form.kind) {
    case FormKind::Nil: return "nil";
    case FormKind::True: return "true";
    case FormKind::False: return "false";
    case FormKind::Integer: return "the number " + std::to_string(form.integer);
    case FormKind::BigInteger:
    case FormKind::Float: return "a number";
    case FormKind::String: return "a string";
    case FormKind::Keyword: return "the keyword " + quoted_name(":" + std::string(form.text()));
    case FormKind::Symbol: return "the name " + quoted_name(form.text());
    case FormKind::Regex: return "a regex";
    case FormKind::List: return "a call";
    case FormKind::Vector: return "a vector";
    case FormKind::Map: return "a map";
    case FormKind::Set: return "a set";
    case FormKind::ShortFn: return "a function";
    case FormKind::Var: return "a var";
    case FormKind::Quote: return "a quoted name";
    }
    return "this";
}

Error not_a_function(Span where, std::string_view text) {
    return Error(Reason::NotCallable, where, "A call starts with a function, not with " + std::string(text) + ".",
                 "Data are written in square brackets: [1 2 3].");
}

Error not_a_function_argument(Span where, std::string_view function, std::size_t position, std::string_view text) {
    return Error(Reason::TypeError, where,
                 quoted_name(function) + " needs a function as argument " + std::to_string(position) + ", not " +
                     std::string(text) + ".");
}

Error bad_keyword_call(Span call, std::string_view keyword, std::size_t got) {
    return Error(Reason::InvalidKeywordCall, call,
                 "A keyword takes a map and perhaps a default, not " + plural(got, "argument") + ".",
                 "(:" + std::string(keyword) + " map) or (:" + std::string(keyword) + " map default)");
}

Error bad_map_call(Span call, std::size_t got) {
    return Error(Reason::InvalidMapCall, call,
                 "A map takes a key and perhaps a default, not " + plural(got, "argument") + ".",
                 "({..} key) or ({..} key default)");
}

Error bad_tool_arguments(Span where, std::string_view tool, std::string_view what) {
    const std::string name = "tool/" + std::string(tool);
    return Error(Reason::InvalidToolArgs, where,
                 quoted_name(name) + " takes named arguments, not " + std::string(what) + ".",
                 "(" + name + " {:name value}) or (" + name + " :name value)");
}

Error not_available(Span where, std::string_view name) {
    return Error(Reason::InvalidForm, where, quoted_name(name) + " is not available here.");
}

// ---- Special forms

Error wrong_parts(Span form, const SpecialForm& special, std::size_t got) {
    return Error(Reason::InvalidArity, form, quoted_name(special.name) + " cannot have " + plural(got, "part") + ".",
                 special.usage);
}

Error bad_form(Span where, const SpecialForm& special, std::string_view what) {
    return Error(Reason::InvalidForm, where, quoted_name(special.name) + ": " + std::string(what) + ".", special.usage);
}

Error bad_shape(Span where, std::string message, std::string hint) {
    return Error(Reason::InvalidForm, where, std::move(message), std::move(hint));
}

Error bad_condition(Span where, std::string message, std::string hint) {
    return Error(Reason::InvalidCondForm, where, std::move(message), std::move(hint));
}

Error bad_threading(Span where, const SpecialForm& special, std::string_view what) {
    return Error(Reason::InvalidThreadForm, where, quoted_name(special.name) + ": " + std::string(what) + ".",
                 special.usage);
}

Error threaded_literal(Span step) {
    Error error(Reason::InvalidForm, step, "A function literal is no step: the value would land among its parameters.",
                "To call it with the value write ((fn [x] ..)), with brackets of its own.");
    error.edits.push_back({{step.begin, step.begin}, "("});
    error.edits.push_back({{step.end, step.end}, ")"});
    return error;
}

Error bad_pattern(Span where, std::string_view text) {
    return Error(Reason::UnsupportedPattern, where,
                 "Only names, vectors and maps can be bound, not " + std::string(text) + ".",
                 "name, [a b & more], {:keys [a b]}");
}

Error misplaced_recur(Span where, bool in_any) {
    return Error(
        Reason::InvalidForm, where,
        in_any ? "`recur` is not the last thing that its loop or function does."
               : "`recur` stands in no loop and no function.",
        in_any ? "Its value cannot be used: call the function by its name instead, or move the work into the arguments."
               : "(loop [i 0] (if (< i 10) (recur (inc i)) i))");
}

Error recur_inside(Span where, std::string_view form) {
    const bool is_try = form == "try";
    return Error(Reason::InvalidForm, where,
                 is_try ? "`recur` cannot leave a `try`."
                        : "`recur` cannot leave a `" + std::string(form) + "`, whose body is computed later.",
                 is_try ? "Let the `try` give a value, and recur behind it; or call the function by its name."
                        : "Call the function by its name.");
}

Error wrong_recur(Span where, std::size_t expected, std::size_t got, bool loop) {
    return Error(Reason::ArityMismatch, where,
                 std::string("This ") + (loop ? "loop" : "function") + " has " + plural(expected, "variable") +
                     ", and `recur` gives " + plural(got, "value") + ".");
}

Error nested_short_fn(Span where) {
    return Error(Reason::InvalidForm, where, "`#()` cannot stand inside of another `#()`.",
                 "Write the inner one as (fn [x] ..).");
}

Error repeated_key(Span where, Span first, const char* what) {
    return Error(Reason::DuplicateKey, where, std::string("The same ") + what + " stands here twice.",
                 "Leave one of them out.")
        .with_label(first, "first here");
}

// ---- Limits

Error program_too_large(Span where, std::string_view what, std::size_t limit) {
    return Error(Reason::LimitExceeded, where,
                 "The program has more than " + std::to_string(limit) + " " + std::string(what) + ".");
}

} // namespace ptc
