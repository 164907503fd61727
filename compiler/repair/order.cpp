// Arguments in the wrong order, and values that are threaded into the wrong place.
//
// Each argument has kinds (what it may be) and each parameter takes some; better_order finds the permutation that suits
// best. Of a threading form only the end at which the value enters can be changed, so a step is turned together with
// the steps that allow it, or gets a (->> ..) of its own.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

/// What each argument of the call may be; the value that is threaded in is what the step before it gives.
std::vector<Kinds> argument_kinds(const Code& code, const Place& place, const CallSite& call) {
    std::vector<Kinds> kinds;
    for (const Argument argument : call.arguments) {
        if (argument) {
            kinds.push_back(kinds_of(code, place.inner(*argument)));
            continue;
        }
        const Form* value = threaded_value(call);
        Kinds known = kAnyKind & ~kFunctionKind;
        if (value) {
            Place at = place;
            at.forms.front() = value;
            known = kinds_of(code, at);
            if (value->is(FormKind::Keyword) || (value->is(FormKind::Symbol) && !code.core_function(*value).empty()))
                known = kAnyKind & ~kFunctionKind; // a bare step
        }
        kinds.push_back(known == kFunctionKind ? kAnyKind : known);
    }
    return kinds;
}

/// What the run has met is what one of the arguments was: the one whose parameter does not take it.
void learn(std::vector<Kinds>& kinds, std::span<const std::string_view> parameters, const BadCall& bad_call) {
    const Kinds seen = kinds_of(bad_call.kind);
    if (seen == kAnyKind) return;
    if (bad_call.argument > 0 && bad_call.argument <= kinds.size()) {
        Kinds& at = kinds[bad_call.argument - 1];
        if ((at & seen) != 0) at = seen;
        return;
    }
    std::size_t place = kinds.size();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if ((kinds_of_parameter(parameters[i]) & seen) != 0 || (kinds[i] & seen) == 0) continue;
        if (place != kinds.size()) return; // two of them
        place = i;
    }
    if (place < kinds.size()) kinds[place] = seen;
}

/// `order`, but only for the threaded value: the others keep theirs.
bool only_moves_the_value(const CallSite& call, std::span<const std::size_t> order) {
    std::size_t last = 0;
    bool first = true;
    for (const std::size_t index : order) {
        if (!call.has(index)) continue;
        if (!first && index < last) return false;
        last = index;
        first = false;
    }
    return true;
}

/// Whether the step at `at` can take the value at the other end.
bool turns(const Code& code, const Place& at, bool to_last) {
    const std::optional<CallSite> call = call_at(at);
    if (!call) return false;
    if (call->size() < 2) return true; // alone, the value is first and last
    const std::string_view function = code.core_function(*call->head);
    if (function.empty()) return false;
    const std::vector<std::string_view> parameters = parameters_of(code.usage(function), call->size());
    if (parameters.empty()) return false;
    std::vector<Kinds> turned = argument_kinds(code, at, *call);
    if (to_last)
        std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    else
        std::rotate(turned.begin(), turned.end() - 1, turned.end());
    if (!better_order(parameters, turned).empty()) return false;
    for (std::size_t k = 0; k < turned.size(); ++k) {
        if ((kinds_of_parameter(parameters[k]) & turned[k]) == 0) return false;
    }
    return true;
}

bool all_steps_turn(const Code& code, const Place& thread, bool to_last) {
    const FormSpan items = thread.form().items();
    const bool is_conditional = items[0].text().starts_with("cond");
    for (std::size_t i = is_conditional ? 3 : 2; i < items.size(); i += is_conditional ? 2 : 1) {
        if (!turns(code, thread.inner(items[i]), to_last)) return false;
    }
    return true;
}

Proposal rethreaded(const Code& code, const Place& place, const CallSite& call, std::span<const std::size_t> order) {
    const std::size_t value = call.passes_last ? call.size() - 1 : 0;
    const auto target = static_cast<std::size_t>(std::find(order.begin(), order.end(), value) - order.begin());
    const bool to_other_end = only_moves_the_value(call, order) && target == (call.passes_last ? 0 : call.size() - 1);
    const Place thread = place.outer();
    const Form& head = thread.form().items()[0];
    if (to_other_end && all_steps_turn(code, thread, !call.passes_last)) {
        const std::string_view name = head.text();
        const std::string turned =
            call.passes_last ? std::string(name.substr(0, name.size() - 1)) : std::string(name) + ">";
        Repair repair = replace(head, turned, "-> passes the value as first argument, ->> as last.");
        repair.covers = thread.form().span;
        return repair;
    }
    if (to_other_end && !call.passes_last && (head.is_symbol("->") || head.is_symbol("some->"))) {
        Repair repair;
        // The steps behind it go with it, as far as they can.
        const FormSpan steps = thread.form().items();
        std::size_t end = place.index() + 1;
        while (end < steps.size() && turns(code, thread.inner(steps[end]), true))
            ++end;
        repair.edits = wrapping({call.whole->span.begin, steps[end - 1].span.end}, "(->> ", ")");
        repair.covers = thread.form().span;
        repair.hint = "-> passes the value as first argument, ->> as last.";
        return repair;
    }
    std::string text = "($f";
    for (const std::size_t index : order)
        text += " $" + std::to_string(index + 1);
    return rewrite_call(code, call, text + ")");
}

/// (take "2" xs), (nth xs [0]): a number that is written as something else.
Proposal wrapped_number(const CallSite& call, std::span<const std::string_view> parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (kinds_of_parameter(parameters[i]) != kNumber || !call.has(i)) continue;
        const Form& form = *call.arguments[i];
        const std::string_view text = form.is(FormKind::String) ? form.text() : std::string_view();
        const bool spells = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
        if (spells) return replace(form, std::string(text), "A number stands without quotes.");
        if (form.is(FormKind::Vector) && form.size == 1 && form.items()[0].is(FormKind::Integer))
            return Repair{unwrapping(form), "An index is a number: (nth coll 0).", {}};
    }
    return std::nullopt;
}

} // namespace

Proposal start_before_function(const Code& code, const Place& place) {
    const Form* call = is_call(place.form()) && calls_one_of(place.form(), {"reduce", "reduce-kv"}) ? &place.form()
                       : place.around() && calls_one_of(*place.around(), {"reduce", "reduce-kv"})   ? place.around()
                                                                                                    : nullptr;
    if (!call || call->size != 4 || !has_items(call->items()[1]) || call->items()[1].size != 0 ||
        !is_function_literal(call->items()[2]))
        return std::nullopt;
    Repair repair = replace(code, call->items()[1], Pieces().copy(call->items()[2]));
    repair.edits =
        join(std::move(repair.edits), replace(code, call->items()[2], Pieces().copy(call->items()[1])).edits);
    repair.hint = "The function comes first, then the value to begin with.";
    return repair;
}

Proposal reordered(const Code& code, const Place& place, const BadCall& bad_call) {
    const std::optional<CallSite> call = call_at(place);
    if (!call || call->size() < 2) return std::nullopt;
    std::string_view function = code.core_function(*call->head);
    if (call->head->is_symbol("apply")) function = "apply";
    if (function.empty()) return std::nullopt;
    const bool is_scalar = bad_call.kind == OperandKind::AnyNumber || bad_call.kind == OperandKind::Boolean;
    if (function == "into" && bad_call.function == "into" && is_scalar) return std::nullopt; // it is neither
    // (assoc row :k v) is in order: what is wrong is the row.
    const bool is_in_order = function == "assoc" && call->size() == 3 && call->has(0) && call->has(1) &&
                             call->arguments[1]->is(FormKind::Keyword) && call->arguments[0]->is(FormKind::Symbol) &&
                             call->has(2) && !call->arguments[2]->is(FormKind::Symbol);
    if (is_in_order) return std::nullopt;
    std::vector<std::string_view> parameters = parameters_of(code.usage(function), call->size());
    if (function == "apply") {
        parameters.assign(call->size(), "x");
        parameters.front() = "f";
        parameters.back() = "coll";
    }
    if (parameters.size() != call->size()) return std::nullopt;
    std::vector<Kinds> kinds = argument_kinds(code, place, *call);
    if (bad_call.function == function || bad_call.function.empty() || bad_call.function == "vec")
        learn(kinds, parameters, bad_call);
    if (Proposal found = wrapped_number(*call, parameters)) return found;
    const std::vector<std::size_t> order = better_order(parameters, kinds);
    if (order.empty()) return std::nullopt;
    if (call->is_step()) return rethreaded(code, place, *call, order);
    Pieces pieces;
    pieces.text(call->whole->is(FormKind::ShortFn) ? "#(" : "(").copy(*call->head);
    for (const std::size_t index : order)
        pieces.text(" ").copy(*call->arguments[index]);
    Repair repair = replace(code, *call->whole, pieces.text(")"));
    std::string shape = "(" + std::string(function);
    for (const std::string_view parameter : parameters)
        shape += " " + std::string(parameter);
    repair.hint = "The order is " + shape + ").";
    return repair;
}

} // namespace ptc::repair
