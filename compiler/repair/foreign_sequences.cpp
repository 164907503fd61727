// Lazy sequences, transducers and early ends, of which there are none: rules of foreign.def (@iterate, @repeat, @cycle,
// @repeatedly, @transducer, @reduced). An endless sequence is mended with the (take n ..) around it, which says how
// long it must be; a transducer becomes the calls that it stands for; a reduced result becomes the end of a loop.
#include "compiler/repair/foreign_rules.h"

namespace ptc::repair {
namespace {

/// (take n CALL), or (->> CALL (take n) ..): how many, and what to replace.
struct Taken {
    const Form* count = nullptr;
    Span whole;
};

std::optional<Taken> taken(const Subject& s) {
    if (!s.call || s.call->is_step() || s.call->whole == &s.symbol()) return std::nullopt;
    const Place call = s.place.outer();
    const Form* around = call.around();
    if (!around || !is_call(*around)) return std::nullopt;
    if (calls(*around, "take") && around->size == 3 && call.index() == 2)
        return Taken{&around->items()[1], around->span};
    if (calls(*around, "->>") && call.index() == 1 && around->size > 2) {
        const Form& next = around->items()[2];
        if (calls(next, "take") && next.size == 2)
            return Taken{&next.items()[1], {call.form().span.begin, next.span.end}};
    }
    return std::nullopt;
}

Repair replaced(Span span, std::string text) { return {{{span, std::move(text)}}, {}, span}; }

/// What is written instead of a call that only so many are taken of: its arguments, then how many.
Proposal taken_as(const Subject& s, std::string_view rewrite) {
    const auto take = taken(s);
    if (!take) return std::nullopt;
    std::vector<std::string> arguments;
    for (const Argument& argument : s.call->arguments)
        arguments.push_back(s.code.copy(*argument));
    arguments.push_back(s.code.copy(*take->count));
    std::string text = code_of(rewrite, arguments);
    return text.empty() ? std::nullopt : Proposal(replaced(take->whole, std::move(text)));
}

} // namespace

Proposal iterate_rule(const Subject& s) {
    return taken_as(s, "(reduce (fn [acc _] (conj acc ($1 (peek acc)))) [$2] (range 1 $3))");
}

Proposal cycle_rule(const Subject& s) {
    return taken_as(s, "(let [xs (vec $1)] (map (fn [i] (nth xs (mod i (count xs)))) (range $2)))");
}

Proposal repeat_rule(const Subject& s) {
    if (s.call && s.call->size() == 1) return taken_as(s, "(map (constantly $1) (range $2))");
    return rewrite(s, "<!number> <number> => (map (constantly $1) (range $2)) | (map (constantly $2) (range $1))");
}

Proposal repeatedly_rule(const Subject& s) {
    if (s.call && s.call->size() == 1) return taken_as(s, "(map (fn [_] ($1)) (range $2))");
    return rewrite(s, "(map (fn [_] ($2)) (range $1))");
}

// ---- Transducers

std::string applied_transducer(const Code& code, const Form& transducer, const std::string& coll) {
    if (!is_call(transducer) || !transducer.items()[0].is(FormKind::Symbol)) {
        const std::string_view name = code.core_function(transducer);
        if (name.empty()) return {};
        return "(" + std::string(name) + " " + coll + ")"; // cat, dedupe
    }
    if (transducer.items()[0].is_symbol("comp")) {
        std::string text = coll;
        for (const Form& step : transducer.items().subspan(1)) {
            text = applied_transducer(code, step, text);
            if (text.empty()) return {};
        }
        return text;
    }
    const std::string_view all = code.text(transducer);
    return std::string(all.substr(0, all.size() - 1)) + " " + coll + ")";
}

namespace {

/// (->> coll (transduce (comp (map f) (filter p)) + 0)) as steps of their own.
Proposal transducer_steps(const Subject& s) {
    if (!s.call->passes_last || s.call->whole == &s.symbol() || s.call->size() < 2) return std::nullopt;
    const Form& transducer = *s.call->arguments[0];
    std::string text;
    if (calls(transducer, "comp")) {
        for (const Form& step : transducer.items().subspan(1))
            text += (text.empty() ? "" : " ") + s.code.copy(step);
    } else {
        text = s.code.copy(transducer);
    }
    if (s.name() == "transduce") {
        text += " (reduce";
        for (std::size_t i = 1; i + 1 < s.call->size(); ++i)
            text += " " + s.code.copy(*s.call->arguments[i]);
        text += ")";
    }
    return replaced(s.call->whole->span, text);
}

} // namespace

Proposal transducer_rule(const Subject& s) {
    if (s.call && s.call->is_step()) return transducer_steps(s);
    if (!s.call) return std::nullopt;
    const bool reduces = s.name() == "transduce";
    if (reduces ? s.call->size() < 3 || s.call->size() > 4 : s.call->size() > 2 || s.call->size() == 0)
        return std::nullopt;
    if (!reduces && s.call->size() == 1) return rewrite(s, "(vec $1)");
    const std::string applied =
        applied_transducer(s.code, *s.call->arguments[0], s.code.copy(*s.call->arguments.back()));
    if (applied.empty()) return std::nullopt;
    if (!reduces) return replaced(s.call->whole->span, applied);
    std::string text = "(reduce";
    for (std::size_t i = 1; i + 1 < s.call->size(); ++i)
        text += " " + s.code.copy(*s.call->arguments[i]);
    return replaced(s.call->whole->span, text + " " + applied + ")");
}

// ---- (reduce (fn [acc x] (if .. (reduced v) ..)) init coll) as a loop

namespace {

/// The body with each of its ends as the end, or the next round, of a loop.
std::string looped(const Code& code, const Form& body) {
    if (calls(body, "reduced") && body.size == 2) return code.copy(body.items()[1]);
    const bool is_if = (calls(body, "if") || calls(body, "if-not")) && body.size == 4;
    const bool is_cond = calls(body, "cond");
    const bool is_block = (calls(body, "let") || calls(body, "do")) && body.size >= 2;
    if (!is_if && !is_cond && !is_block) return "(recur " + code.copy(body) + " (rest items))";
    std::string text = "(";
    for (std::size_t i = 0; i < body.size; ++i) {
        const bool is_end = is_if ? i >= 2 : is_cond ? i > 0 && i % 2 == 0 : i + 1 == body.size;
        text += (i > 0 ? " " : "") + (is_end ? looped(code, body.items()[i]) : code.copy(body.items()[i]));
    }
    return text + ")";
}

} // namespace

Proposal reduced_rule(const Subject& s) {
    for (std::size_t i = 1; i + 1 < s.place.forms.size(); ++i) {
        const Form& function = *s.place.forms[i];
        const Form& reduce = *s.place.forms[i + 1];
        if (!calls(function, "fn") || !calls(reduce, "reduce") || reduce.size != 4 || &reduce.items()[1] != &function)
            continue;
        if (function.size != 3 || !function.items()[1].is(FormKind::Vector) || function.items()[1].size != 2)
            return std::nullopt;
        const FormSpan parameters = function.items()[1].items();
        const std::string parts[] = {s.code.copy(parameters[0]), s.code.copy(reduce.items()[2]),
                                     s.code.copy(reduce.items()[3]), s.code.copy(parameters[1]),
                                     looped(s.code, function.items()[2])};
        constexpr std::string_view kLoop =
            "(loop [$1 $2 items (vec $3)] (if (empty? items) $1 (let [$4 (first items)] $5)))";
        return replaced(reduce.span, code_of(kLoop, parts));
    }
    return std::nullopt;
}

} // namespace ptc::repair
