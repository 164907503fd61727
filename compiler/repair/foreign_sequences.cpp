// Lazy sequences, of which there are none: rules of foreign.def (@iterate, @repeat, @cycle, @repeatedly). An endless
// sequence is mended with the (take n ..) around it, which says how long it must be.
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

} // namespace ptc::repair
