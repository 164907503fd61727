// Threading forms: steps without their brackets, with the value written where it goes in anyway, and forms that have
// other signs or no brackets. A rule changes brackets only, or takes the value that is written twice away.
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

constexpr const char* kHint = "Values are threaded by (->> coll (filter f) (map g)).";

bool is_plain_threading(const Form& form) {
    return calls(form, "->") || calls(form, "->>") || calls(form, "some->") || calls(form, "some->>");
}

bool is_value(const Form& form) {
    return form.is(FormKind::Symbol) && (form.text().starts_with("data/") || form.text().starts_with("ctx/"));
}

/// What a bare function may take: (->> xs filter even?).
bool may_be_argument(const Form& form) {
    return form.is(FormKind::Keyword) || form.is(FormKind::Symbol) || is_function_literal(form) ||
           form.is(FormKind::Integer);
}

} // namespace

Proposal bare_step(const Code& code, const Place& place) {
    const Form* thread = place.around();
    if (!place.form().is(FormKind::Symbol) || !thread || !is_plain_threading(*thread) || place.index() < 2 ||
        place.index() + 1 >= thread->size)
        return std::nullopt;
    const Form& next = thread->items()[place.index() + 1];
    const std::string_view function = code.core_function(place.form());
    if (function.empty() || !may_be_argument(next) || parameters_of(code.usage(function), 2).empty())
        return std::nullopt;
    return Repair{{insertion(place.form().span.begin, "("), insertion(next.span.end, ")")},
                  "A step with arguments stands in brackets: (->> coll (map f)).",
                  next.span};
}

Proposal written_value(const Code& code, const Place& place) {
    bool last = false;
    if (!is_step(place, &last) || !is_call(place.form()) || place.form().size < 2) return std::nullopt;
    const FormSpan items = place.form().items();
    const Form& written = last ? items.back() : items[1];
    const Form& threaded = place.around()->items()[1];
    const bool stands_for_it = written.is_symbol("%") || written.is_symbol("_");
    const bool is_it = items.size() > 2 && written.is(FormKind::Symbol) && threaded.is(FormKind::Symbol) &&
                       written.text() == threaded.text();
    if (!stands_for_it && !is_it) return std::nullopt;
    return Repair{{removal(code, written)}, "The threaded value is passed in without being written.", {}};
}

Proposal value_behind_its_steps(const Code& code, const Place& place) {
    const Form* thread = place.around();
    if (!thread || !is_plain_threading(*thread) || !is_value(place.form()) || place.index() < 2 ||
        place.index() + 1 != thread->size || !is_call(thread->items()[1]))
        return std::nullopt;
    return Repair{{insertion(thread->items()[0].span.end, " " + code.copy(place.form())), removal(code, place.form())},
                  "The value that is threaded comes first.",
                  {}};
}

Proposal pipes(const Code& code, const Place& place) {
    const FormSpan siblings = place.siblings();
    const auto is_sign = [](const Form& form) { return is_symbol_of(form, {"|>", "->>", "->"}); };
    if (!is_sign(place.form()) || place.index() != 1 || siblings.size() < 3 || is_sign(siblings[0]))
        return std::nullopt;
    if (place.around() && !place.around()->is(FormKind::List)) return std::nullopt;
    Repair repair;
    std::size_t end = 1;
    for (; end + 1 < siblings.size() && is_sign(siblings[end]); end += 2)
        repair.edits.push_back(removal(code, siblings[end]));
    const Form* around = place.around();
    const bool is_whole = around && around->is(FormKind::List) && end == siblings.size();
    if (around && !is_whole) return std::nullopt;
    repair.edits.push_back(insertion(siblings[0].span.begin, is_whole ? "->> " : "(->> "));
    if (!is_whole) repair.edits.push_back(insertion(siblings[end - 1].span.end, ")"));
    repair.edits = in_order(std::move(repair.edits));
    repair.hint = kHint;
    repair.covers = {siblings[0].span.begin, siblings[end - 1].span.end};
    return repair;
}

Proposal bare_special_form(const Code& code, const Place& place) {
    if (place.around() || !place.form().is(FormKind::Symbol)) return std::nullopt;
    if (Proposal found = pipes(code, place)) return found;
    const FormSpan siblings = place.siblings();
    const std::string_view name = place.form().text();
    if (name == "return" && place.index() > 0 && place.index() + 1 == siblings.size()) { // (def total ..) return
        const Form& before = siblings[place.index() - 1];
        if (calls(before, "def") && before.size == 3)
            return replace(place.form(), "(return " + code.copy(before.items()[1]) + ")",
                           "The answer is what return is given: (return value).");
    }
    const bool is_known = is_threading(name) || is_one_of(name, {"return", "fail", "if", "cond", "when"});
    if (!is_known || place.index() + 1 >= siblings.size()) return std::nullopt;
    std::size_t end = place.index() + 1;
    while (end + 1 < siblings.size() &&
           (is_threading(name) || code.on_one_line({place.form().span.begin, siblings[end + 1].span.end})))
        ++end;
    return Repair{{insertion(place.form().span.begin, "("), insertion(siblings[end].span.end, ")")},
                  "A form stands in round brackets.",
                  {place.form().span.begin, siblings[end].span.end}};
}

Proposal step_behind(const Code& code, const Place& place) {
    if (place.around() || !place.form().is(FormKind::List) || place.form().size != 1 || place.index() == 0)
        return std::nullopt;
    const std::string_view function = code.core_function(place.form().items()[0]);
    const Form& before = place.siblings()[place.index() - 1];
    if (function.empty() || parameters_of(code.usage(function), 1).empty() || !is_call(before) ||
        calls(before, "def") || calls(before, "defn"))
        return std::nullopt;
    const bool is_last = calls(before, "->>") || calls(before, "->");
    if (!is_last) return std::nullopt;
    return Repair{{{{before.span.end - 1, before.span.end}, ""}, insertion(place.form().span.end, ")")},
                  "The bracket of the threading form closes too early.",
                  {}};
}

} // namespace ptc::repair
