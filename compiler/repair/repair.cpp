// The entry: which rules look at which error, and which of their edits fit together.
//
// propose picks the rules by the error's reason, from the surest cause to the least sure. What a rule proposes is
// dropped when it holds poison (it read something that is not written), lies outside of the text, overlaps itself or
// changes nothing.
// For an analysis with several errors the edits of all must fit together: an error inside of what an earlier repair
// covers gets none, one that an earlier edit removes goes away.
#include "compiler/repair/repair.h"
#include "compiler/repair/rules.h"
#include "frontend/reader/reader.h"
#include "frontend/work.h"
#include <algorithm>
#include <utility>

namespace ptc::repair {
namespace {

using Rule = Proposal (*)(const Code&, const Place&);

/// A rule may go through the whole text.
bool may_look(const Code& code) {
    constexpr std::size_t kBytesOfUnit = 100;
    return work::charge(code.source().size() / kBytesOfUnit + 1);
}

Proposal first_of(std::initializer_list<Rule> rules, const Code& code, const Place& place) {
    for (const Rule rule : rules) {
        if (!may_look(code)) return std::nullopt;
        if (Proposal found = rule(code, place)) return found;
    }
    return std::nullopt;
}

/// A comment of another language somewhere in the form.
Proposal comment_inside(const Code& code, const Place& place) {
    if (!has_items(place.form())) return std::nullopt;
    for (const Form& item : place.form().items()) {
        const Place inner = place.inner(item);
        if (item.is(FormKind::Symbol)) {
            if (Proposal found = foreign_comment(code, inner)) return found;
        } else if (has_items(item) && place.forms.size() < 40) {
            if (Proposal found = comment_inside(code, inner)) return found;
        }
    }
    return std::nullopt;
}

Proposal invalid_form(const Code& code, const Place& place) {
    const Form& form = place.form();
    if (form.is(FormKind::Regex)) return lone_sign(form);
    if (place.around() && place.around()->is(FormKind::Vector) && place.around()->size % 2 != 0) { // [x in data/xs]
        if (Proposal found = binding_shape(code, place)) return found;
    }
    if (form.is(FormKind::Symbol)) {
        const std::string_view name = form.text();
        const bool is_data = name.starts_with("data/") || name.starts_with("ctx/");
        if (place.around() && calls(*place.around(), "call") && place.index() == 1) return unknown_tool(code, place);
        if (Proposal found = value_behind_its_steps(code, place)) return found;
        if (place.around() && place.index() == 0 && place.around()->size > 2) { // (data/xs |> (map f))
            if (Proposal found = pipes(code, place.outer().inner(place.around()->items()[1]))) return found;
        }
        if (is_data && place.around() && place.index() == 0) {
            const std::string_view member = name.substr(name.find('/') + 1);
            if (member == "return" || member == "fail") return replace(form, std::string(member));
            const CoreName* entry = code.core_name(member);
            const auto& names = code.surroundings().data_names;
            const bool is_given = names && std::ranges::find(*names, member) != names->end();
            if (entry && entry->special < 0 && !is_given) return replace(form, std::string(member));
            if (Proposal found = dotted_name({code, place, call_of_head(place)})) return found;
            if (Proposal found = place.around()->size > 1 ? misspelt_data(code, place) : std::nullopt) return found;
            return not_callable(code, place, OperandKind::Nothing);
        }
        if (name.find('/') != name.npos && name.size() > 1) return unknown_qualified(code, place);
    }
    if (form.is(FormKind::Keyword) && place.around() && calls(*place.around(), "call") && place.index() == 1)
        return unknown_tool(code, place);
    if (form.is(FormKind::List) && form.size == 0) return not_callable(code, place, OperandKind::Nothing);
    if (calls(form, "recur")) return misplaced_recur(code, place);
    if (form.is(FormKind::ShortFn)) return nested_short_fn(code, place);
    if (form.is_symbol(".")) return unknown_name(code, place);
    return first_of({pattern_words, modifier_shape, binding_shape, definition_shape, parameter_shape, pattern_shape,
                     condition_shape},
                    code, place);
}

/// (return :total 5), (return :a 1 :b 2): a map without its brackets.
Proposal unbracketed_map(const Place& place) {
    const Form& list = place.form();
    if ((!calls(list, "return") && !calls(list, "fail")) || list.size < 3 || list.size % 2 == 0) return std::nullopt;
    for (std::size_t i = 1; i < list.size; i += 2) {
        const bool is_text = list.items()[i].is(FormKind::String) && list.size > 4;
        if (!list.items()[i].is(FormKind::Keyword) && !is_text) return std::nullopt;
    }
    return Repair{{insertion(list.items()[1].span.begin, "{"), insertion(list.items().back().span.end, "}")},
                  "Several values are given as one map.",
                  list.span};
}

/// (return a b), and (println a) (return).
Proposal returned_parts(const Code& code, const Place& place) {
    const Form& list = place.form();
    if (!calls(list, "return")) return std::nullopt;
    if (list.size > 2)
        return Repair{wrapping({list.items()[1].span.begin, list.items().back().span.end}, "[", "]"),
                      "Several values are given as one vector, or as one map.", list.span};
    if (list.size != 1 || place.index() == 0) return std::nullopt;
    const Form& before = place.siblings()[place.index() - 1];
    const std::string hint = "The answer is what return is given: (return value).";
    if (calls(before, "def") && before.size == 3)
        return Repair{{insertion(list.items()[0].span.end, " " + code.copy(before.items()[1]))}, hint, {}};
    if (before.is(FormKind::Map))
        return Repair{{insertion(before.span.begin, "(return "), {{before.span.end, list.span.end}, ")"}}, hint, {}};
    if (!calls_one_of(before, {"println", "prn", "print"}) || before.size != 2) return std::nullopt;
    return Repair{{insertion(list.items()[0].span.end, " " + code.copy(before.items()[1]))},
                  "The answer is what return is given: (return value).",
                  {}};
}

/// [x xs :when x > 4]: the error stands at the operand, the operator beside it.
Proposal infix_beside(const Code& code, const Place& place) {
    const FormSpan items = place.siblings();
    const std::size_t at = place.index();
    if (!place.around() || !place.around()->is(FormKind::Vector)) return std::nullopt;
    for (const std::size_t sign : {at + 1, at - 1}) {
        if (sign >= items.size() || !is_operator(items[sign])) continue;
        if (Proposal found = infix_in_place(code, place.outer().inner(items[sign]))) return found;
    }
    return std::nullopt;
}

Proposal invalid_arity(const Code& code, const Place& place) {
    if (Proposal found = counted_for(code, place)) return found;
    if (Proposal found = unbracketed_map(place)) return found;
    if (Proposal found = late_closer_in_recur(place)) return found;
    if (Proposal found = infix_beside(code, place)) return found;
    if (Proposal found = infix_among_arguments(code, place)) return found;
    if (Proposal found = returned_parts(code, place)) return found;
    if (is_call(place.form()) && place.form().size > 1 &&
        (binding_shape(code, place.inner(place.form().items()[1])))) // (if-let x ..)
        return binding_shape(code, place.inner(place.form().items()[1]));
    return first_of({binding_shape, infix_among_arguments, late_closer_inside, conditional_parts, definition_shape,
                     parameter_shape, wrong_arity},
                    code, place);
}

Proposal keyword_call(const Code& code, const Place& place) {
    if (Proposal found = named_tool_list(code, place)) return found;
    const Form& list = place.form();
    if (is_call(list) && list.size == 4 && is_operator(list.items()[2])) { // (:amount o > 100)
        const FormSpan items = list.items();
        Pieces pieces;
        pieces.text(list.is(FormKind::ShortFn) ? "#(" : "(").copy(items[2]).text(" (").copy(items[0]).text(" ");
        return replace(code, list, pieces.copy(items[1]).text(") ").copy(items[3]).text(")"),
                       "The function comes first: (> (:amount o) 100).");
    }
    if (Proposal found = function_wanted(code, place)) return found;
    const auto is_keyword = [&](std::size_t i) { return list.items()[i].is(FormKind::Keyword); };
    bool are_pairs = list.is(FormKind::List) && list.size >= 4 && list.size % 2 == 0;
    for (std::size_t i = 0; are_pairs && i < list.size; i += 2)
        are_pairs = is_keyword(i) && (!is_keyword(i + 1) || list.size > 4);
    if (are_pairs) // (:paid n :total t)
        return Repair{rebracketing(list, "{", "}"), "A map is written in curly brackets: {:key value}.", list.span};
    if (!is_call(list) || list.size < 4)
        return list.size == 1 ? not_callable(code, place, OperandKind::Nothing) : std::nullopt;
    Pieces pieces;
    pieces.text("(get-in ").copy(list.items().back()).text(" [");
    for (std::size_t i = 0; i + 1 < list.size; ++i)
        pieces.text(i > 0 ? " " : "").copy(list.items()[i]);
    return replace(code, list, pieces.text("])"), "A path of keys is read by (get-in m [:a :b]).");
}

Proposal arity_error(const Code& code, const Place& place, const BadCall& bad_call) {
    if (Proposal found = start_before_function(code, place)) return found;
    if (!is_call(place.form())) return wrong_arity(code, place);
    if (Proposal found = map_of_map(code, place)) return found;
    const Form& head = place.form().items()[0];
    const bool is_collection = head.is(FormKind::Vector) || head.is(FormKind::Set) || head.is(FormKind::Map);
    if (is_collection || (bad_call.function.empty() && code.core_function(head).empty()))
        return not_callable(code, place, bad_call.kind);
    if (Proposal found = wrong_arity(code, place)) return found;
    return wrong_own_arity(code, place, bad_call);
}

/// (throw "none"): what ends the program, or the exception that a try around it catches.
Proposal thrown_value(const Place& place) {
    const Form& form = place.form();
    if (!calls(form, "throw") || form.size != 2) return std::nullopt;
    const Form& value = form.items()[1];
    const bool is_caught = std::ranges::any_of(place.forms, [](const Form* around) { return calls(*around, "try"); });
    if (!is_caught) return replace(form.items()[0], "fail", "(fail reason) ends the program with a failure.");
    if (!value.is(FormKind::String)) return std::nullopt;
    return Repair{wrapping(value.span, "(ex-info ", " {})"), "An exception is made by (ex-info \"..\" {}).", {}};
}

/// A value of the wrong kind, met by a run or known beforehand.
Proposal wrong_value(const Code& code, const Place& place, const BadCall& bad_call) {
    if (bad_call.kind == OperandKind::Nothing) {
        if (Proposal found = bad_call.function.empty() ? std::nullopt : unread_atom(code, place)) return found;
        if (Proposal found = function_wanted(code, place)) return found;
        if (Proposal found = place.around() ? text_as_function(code, place.outer()) : std::nullopt) return found;
        // A value where a function should be: look at the call.
        return place.around() ? reordered(code, place.outer(), bad_call) : std::nullopt;
    }
    if (bad_call.kind == OperandKind::Function) {
        if (Proposal found = uncalled_tool(code, place)) return found;
    }
    if (Proposal found = thrown_value(place)) return found;
    if (Proposal found = reordered_recur(code, place)) return found;
    if (Proposal found = bad_call.kind == OperandKind::Nil ? forgotten_sum(code, place) : std::nullopt) return found;
    if (Proposal found = key_as_function(code, place, bad_call)) return found;
    if (Proposal found = missing_start(code, place, bad_call)) return found;
    if (bad_call.kind == OperandKind::Nil) return absent_value(code, place, bad_call);
    if (is_call(place.form()) && place.form().items()[0].is(FormKind::Vector))
        return not_callable(code, place, bad_call.kind);
    if (Proposal found = first_of({modifier_words, foreign_method_value, misplaced_arguments}, code, place))
        return found;
    if (Proposal found = reordered(code, place, bad_call)) return found;
    return converted_value(code, place, bad_call);
}

Proposal unbound(const Code& code, const Place& place, const Error& error) {
    if (!place.form().is(FormKind::Symbol)) return std::nullopt;
    if (!error.labels.empty()) return early_use(code, place);
    if (Proposal found = code_in_comment(code, place)) return found;
    if (Proposal found = bare_special_form(code, place)) return found;
    if (Proposal found = bare_form_in_body(code, place)) return found;
    if (Proposal found = conditional_expression(code, place)) return found;
    if (Proposal found = bare_function(code, place)) return found;
    return unknown_name(code, place);
}

/// Errors that calling a value by the name of a function leads to.
bool may_follow_from_shadowing(Reason reason) {
    return reason == Reason::NotCallable || reason == Reason::ArityMismatch || reason == Reason::ArityError ||
           reason == Reason::TypeError || reason == Reason::InvalidMapCall || reason == Reason::DepthExceeded;
}

/// A sequence without an end, which is an error where all of it would be read: it is well formed all the same.
bool is_endless(const Code& code, const Form& form) {
    if (!form.is(FormKind::List) || form.size == 0) return false;
    const CoreName* name = code.core_name(code.core_function(form.items()[0]));
    return name && name->endless + std::size_t{1} == form.size;
}

Proposal propose(const Code& code, const Place& place, const Error& error) {
    if ((error.reason == Reason::InvalidForm || error.reason == Reason::ArityError) && is_endless(code, place.form()))
        return std::nullopt;
    if (may_follow_from_shadowing(error.reason)) {
        const bool is_called = error.reason == Reason::NotCallable;
        if (Proposal found = hidden_function(code, place, is_called ? error.bad_call.kind : OperandKind::Nothing))
            return found;
    }
    switch (error.reason) {
    case Reason::UnboundVar: return unbound(code, place, error);
    case Reason::UnknownTool: return unknown_tool(code, place);
    case Reason::InvalidForm: return invalid_form(code, place);
    case Reason::InvalidArity: return invalid_arity(code, place);
    case Reason::InvalidCondForm: return condition_shape(code, place);
    case Reason::InvalidThreadForm: return thread_shape(code, place);
    case Reason::InvalidPlaceholder:
        if (Proposal found = place.around() ? written_value(code, place.outer()) : std::nullopt) return found;
        return stray_placeholder(code, place);
    case Reason::InvalidKeywordCall: return keyword_call(code, place);
    case Reason::InvalidMapCall:
        if (Proposal found = start_before_function(code, place)) return found;
        return not_callable(code, place, OperandKind::Map);
    case Reason::InvalidToolArgs:
        if (Proposal renamed = tool_failure(code, place))
            return renamed; // named, but by other names than the signature's
        return tool_arguments(code, place);
    case Reason::UnsupportedPattern: return first_of({pattern_words, pattern_shape}, code, place);
    case Reason::UnsupportedMethod: return unknown_method(code, place);
    case Reason::DuplicateKey:
        if (Proposal found = comprehension(code, place)) return found;
        return repeated_key(code, place);
    case Reason::NotCallable:
        if (Proposal found = bracketed_keys(code, place)) return found;
        if (Proposal found = nameless_recur(code, place)) return found;
        if (Proposal found = formatted_text(code, place)) return found;
        if (Proposal found = conditional_expression(code, place)) return found;
        return not_callable(code, place, error.bad_call.kind);
    case Reason::ArityError: return arity_error(code, place, error.bad_call);
    case Reason::ArityMismatch:
        if (calls(place.form(), "recur")) return wrong_recur(code, place);
        if (Proposal found = tool_arguments(code, place)) return found;
        return wrong_own_arity(code, place, error.bad_call);
    case Reason::TypeError: return wrong_value(code, place, error.bad_call);
    case Reason::ArithmeticError:
        if (error.bad_call.kind == OperandKind::AnyNumber) return zero_divisor(code, place);
        return wrong_value(code, place, error.bad_call);
    case Reason::DestructureError: return taken_apart(code, place, error.bad_call);
    case Reason::ValidationError:
    case Reason::ToolError: return tool_failure(code, place);
    default: return std::nullopt;
    }
}

/// What is wrong in the syntax of other languages comes first: other rules would take its words for code.
Proposal repair_of(const Code& code, const Error& error) {
    if (!error.has_span || !may_look(code)) return std::nullopt;
    const Place place = code.find(error.span);
    if (place.empty()) return std::nullopt;
    if (has_items(place.form())) {
        if (Proposal found = comment_inside(code, place)) return found;
        if (Proposal found = indexed_arguments(code, place)) return found;
    }
    return propose(code, place, error);
}

bool overlaps(const Edit& a, const Edit& b) {
    const bool same_place =
        a.span.begin == b.span.begin && (a.span.begin == a.span.end) == (b.span.begin == b.span.end);
    return same_place || (a.span.begin < b.span.end && b.span.begin < a.span.end);
}

/// Whether the edits are of this text, say only what the program says, and can be applied together.
bool is_sound(const Code& code, const std::vector<Edit>& edits) {
    std::vector<Span> spans;
    const auto changes = [&](const Edit& edit) { return code.text(edit.span) != edit.text; };
    if (!edits.empty() && std::none_of(edits.begin(), edits.end(), changes)) return false;
    for (const Edit& edit : edits) {
        if (edit.span.begin > edit.span.end || edit.span.end > code.source().size()) return false;
        if (edit.text.find(kPoison) != std::string::npos) return false;
        spans.push_back(edit.span);
    }
    std::sort(spans.begin(), spans.end(),
              [](Span a, Span b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    const auto touching = [](Span a, Span b) { return b.begin < a.end || a == b; };
    return std::adjacent_find(spans.begin(), spans.end(), touching) == spans.end();
}

/// What edits may be: of one repair, and of all that are given for a text. What changes more writes another program,
/// and nobody reads so much.
struct Bounds {
    std::size_t edits;
    std::size_t bytes; ///< that they write
};
constexpr Bounds kOfOne{100, 16'000};
constexpr Bounds kOfAll{500, 64'000};
constexpr std::size_t kMaxHint = 1'000;

std::size_t bytes_of(const std::vector<Edit>& edits) {
    std::size_t bytes = 0;
    for (const Edit& edit : edits)
        bytes += edit.text.size();
    return bytes;
}

bool is_small(const std::vector<Edit>& edits) {
    return edits.size() <= kOfOne.edits && bytes_of(edits) <= kOfOne.bytes;
}

void give(const Code& code, Error& error, Repair repair) {
    if (!is_small(repair.edits) || repair.hint.size() > kMaxHint || !is_sound(code, repair.edits)) return;
    error.edits = std::move(repair.edits);
    if (!repair.hint.empty())
        error.hint = std::move(repair.hint);
    else if (error.edits.size() == 1 && !error.edits[0].text.empty())
        error.hint = write_this(error.edits[0].text);
}

bool holds(Span outer, Span inner) { return outer.begin <= inner.begin && inner.end <= outer.end && outer.end > 0; }

/// What has been decided for the errors before.
class Accepted {
public:
    [[nodiscard]] bool has_room_for(const Error& error) const {
        for (const Span& span : covered_) {
            if (holds(span, error.span)) return false;
        }
        if (!is_small(error.edits) || edits_.size() + error.edits.size() > kOfAll.edits ||
            bytes_ + bytes_of(error.edits) > kOfAll.bytes)
            return false;
        for (const Edit& edit : error.edits) { // both are few
            for (const Edit& other : edits_) {
                if (overlaps(edit, other)) return false;
            }
        }
        return true;
    }
    /// Whether the edits of another error take the place away.
    [[nodiscard]] bool removes(Span span) const {
        return std::any_of(edits_.begin(), edits_.end(),
                           [&](const Edit& edit) { return edit.text.empty() && holds(edit.span, span); });
    }
    /// Whether the place has no meaning beside an error before.
    [[nodiscard]] bool is_moot(Span span) const {
        return std::ranges::any_of(moot_, [&](Span outer) { return holds(outer, span); });
    }
    void add(const Error& error, Span covers, bool is_moot = false) {
        edits_.insert(edits_.end(), error.edits.begin(), error.edits.end());
        bytes_ += bytes_of(error.edits);
        if (covers.end > 0) (is_moot ? moot_ : covered_).push_back(covers);
    }

private:
    std::vector<Edit> edits_;
    std::size_t bytes_ = 0;
    std::vector<Span> covered_;
    std::vector<Span> moot_;
};

} // namespace

namespace {

/// What the checker, which knows the data, has found inside of a call with a wrong number of arguments.
const Error* known_mend(const Diagnostics& diagnostics, const Error& error) {
    if (error.reason != Reason::ArityMismatch && error.reason != Reason::ArityError) return nullptr;
    for (const Diagnostic& known : diagnostics.all()) {
        if (known.severity == Severity::Warning && known.error.reason == Reason::SuspiciousForm &&
            !known.error.edits.empty() && holds(error.span, known.error.span))
            return &known.error;
    }
    return nullptr;
}

} // namespace

void repair_analysis(const Source& source, const Forms& forms, const CoreLibrary& core,
                     const Surroundings& surroundings, Diagnostics& diagnostics) {
    const Code code(source, forms.top_level(), core, surroundings);
    diagnostics.sort();
    Accepted accepted;
    diagnostics.change([&](Diagnostic& diagnostic) {
        Error& error = diagnostic.error;
        if (diagnostic.severity != Severity::Error) return true;
        if (accepted.removes(error.span) || accepted.is_moot(error.span)) return false;
        Span covers{};
        bool is_moot = false;
        if (const Error* known = known_mend(diagnostics, error)) {
            error.edits = known->edits;
            error.hint = known->message + " " + known->hint;
        } else if (Proposal found = repair_of(code, error)) {
            covers = found->covers;
            is_moot = found->is_moot;
            give(code, error, std::move(*found));
        }
        if (accepted.has_room_for(error))
            accepted.add(error, covers, is_moot);
        else
            error.edits.clear();
        return true;
    });
    diagnostics.change([&](Diagnostic& diagnostic) { // warnings give way to errors
        if (diagnostic.severity == Severity::Error) return true;
        if (accepted.removes(diagnostic.error.span) || accepted.is_moot(diagnostic.error.span)) return false;
        if (accepted.has_room_for(diagnostic.error))
            accepted.add(diagnostic.error, {});
        else
            diagnostic.error.edits.clear();
        return true;
    });
}

namespace {

/// (:amount o) * 2 - 1, in a body
Proposal infix_inside(const Code& code, Span span) {
    const Place place = code.find(span);
    if (!place.empty() && !has_items(place.form())) return infix_in_place(code, place);
    const FormSpan items = place.empty() ? code.top_level() : place.form().items();
    for (const Form& item : items) {
        if (item.span.begin < span.begin || item.span.end > span.end || !is_operator(item)) continue;
        return infix_in_place(code, code.find(item.span));
    }
    return std::nullopt;
}

Proposal repair_of_warning(const Code& code, const Error& warning) {
    if (!may_look(code)) return std::nullopt;
    switch (warning.reason) {
    case Reason::NotCallable: return hidden_function(code, code.find(warning.span), warning.bad_call.kind);
    case Reason::SuspiciousForm: return infix_inside(code, warning.span);
    case Reason::UnusedValue: {
        Place place = code.find(warning.span);
        while (!place.empty() && calls_one_of(place.form(), {"when", "when-not", "if", "do", "let"}))
            place = place.inner(place.form().items().back());
        return place.empty() ? std::nullopt : changed_local(code, place);
    }
    case Reason::UnusedBinding: return infix_inside(code, warning.span);
    default: return std::nullopt;
    }
}

} // namespace

void repair_warnings(const Source& source, const Forms& forms, const CoreLibrary& core,
                     const Surroundings& surroundings, Diagnostics& diagnostics) {
    const Code code(source, forms.top_level(), core, surroundings);
    diagnostics.change([&](Diagnostic& diagnostic) {
        Error& warning = diagnostic.error;
        if (!warning.edits.empty()) return true;
        if (Proposal found = repair_of_warning(code, warning)) give(code, warning, std::move(*found));
        return true;
    });
}

namespace {

/// Errors that a value which is not there, or is another one than the program thinks, leads to.
bool may_follow_from_values(Reason reason) {
    switch (reason) {
    case Reason::TypeError:
    case Reason::ArithmeticError:
    case Reason::DestructureError:
    case Reason::NotCallable:
    case Reason::ArityMismatch:
    case Reason::RuntimeError:
    case Reason::FuelExhausted:
    case Reason::ArityError:
    case Reason::ToolError:
    case Reason::ValidationError: return true;
    default: return false;
    }
}

/// What is known to be wrong comes before the place where a run met it: (+ 1 nil) is no reason for a default when
/// nil came of a misspelt key. Whether `error` is explained by it.
bool explain(const Code& code, std::span<const Diagnostic> warnings, Error& error) {
    if (!may_follow_from_values(error.reason)) return false;
    Accepted accepted;
    std::vector<Edit> edits;
    std::string hint;
    std::string unmended;
    for (const Diagnostic& diagnostic : warnings) {
        const Error& warning = diagnostic.error;
        if (error.reason == Reason::RuntimeError && !holds(error.span, warning.span)) continue;
        const bool is_absent = warning.reason == Reason::UnknownField || warning.reason == Reason::UnboundVar;
        if (diagnostic.severity != Severity::Warning ||
            (!is_absent && warning.reason != Reason::SuspiciousForm && warning.reason != Reason::NeverEqual &&
             warning.reason != Reason::NotCallable))
            continue;
        const std::string text = warning.message + (warning.hint.empty() ? "" : " " + warning.hint);
        if (warning.edits.empty()) {
            // A field that no row has shows that the rows are others; an absent setting may have a default.
            const bool is_other_shape =
                warning.reason == Reason::UnboundVar || warning.bad_call.kind == OperandKind::Vector;
            if (is_absent && is_other_shape && unmended.empty()) unmended = text;
        } else if (accepted.has_room_for(warning) && is_sound(code, warning.edits)) {
            accepted.add(warning, {});
            edits.insert(edits.end(), warning.edits.begin(), warning.edits.end());
            if (hint.empty()) hint = text;
        }
    }
    const bool is_nil = error.bad_call.kind == OperandKind::Nil || error.bad_call.kind == OperandKind::Nothing;
    if (edits.empty() && (unmended.empty() || !is_nil)) return false;
    error.edits = std::move(edits);
    error.hint = error.edits.empty() ? std::move(unmended) : std::move(hint);
    return true;
}

} // namespace

void repair_run(const Source& source, const CoreLibrary& core, const Surroundings& surroundings, Error& error) {
    if (!error.has_span) return;
    Diagnostics problems;
    const Forms forms = read_forms(source, {}, problems);
    if (problems.has_errors()) return;
    const Code code(source, forms.top_level(), core, surroundings);
    if (explain(code, surroundings.warnings, error)) return;
    if (Proposal found = repair_of(code, error)) give(code, error, std::move(*found));
}

} // namespace ptc::repair
