// Operators between operands where no list is theirs alone: forms of a body, values of a map, bindings, tests of for,
// arguments of and. And what else other languages write without brackets of its own: a if test else b, code behind a
// semicolon.
//
// From the operator a run goes as far to both sides as operands and operators take turns. It counts where it is all
// that the place can hold: the end of a body, one value of a pair. Each of these rules is asked about an error.
#include "compiler/repair/rules.h"
#include "frontend/reader/reader.h"
#include <algorithm>

namespace ptc::repair {
namespace {

constexpr const char* kHint = "The function comes first: (+ a b), (> a b).";

/// Where the forms of a body begin: behind the parameters, the bindings or the test; 0 for what has no body.
std::size_t body_begin(const Form& form) {
    if (calls(form, "do")) return 1;
    if (calls_one_of(form, {"when", "when-not"})) return 2;
    if (calls_binding_form(form) || calls_one_of(form, {"for", "doseq", "loop", "let"})) return 2;
    if (!calls_one_of(form, {"fn", "defn", "defn-"})) return 0;
    for (std::size_t i = 1; i < form.size && i < 5; ++i) {
        if (form.items()[i].is(FormKind::Vector)) return i + 1;
    }
    return 0;
}

/// The first form of the operand that ends in front of items[end].
std::size_t operand_begin(FormSpan items, std::size_t first, std::size_t end) {
    for (std::size_t begin = first; begin < end; ++begin) {
        if (begin + operand_length(items.subspan(begin, end - begin)) == end) return begin;
    }
    return end;
}

struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

/// The run around items[sign], from items[first] on.
std::optional<Run> run_around(const Code& code, FormSpan items, std::size_t first, std::size_t sign) {
    if (sign > first && items[sign].is_symbol("in") && items[sign - 1].is_symbol("not")) --sign;
    if (sign > first && items[sign].is_symbol("not") && items[sign - 1].is_symbol("is")) --sign;
    std::size_t begin = operand_begin(items, first, sign);
    if (begin == sign) return std::nullopt;
    while (begin > first + 1 && is_operator(items[begin - 1]) && operand_begin(items, first, begin - 1) < begin - 1)
        begin = operand_begin(items, first, begin - 1);
    if (begin > first && items[begin - 1].is_symbol("not")) --begin;
    std::size_t used = 0;
    std::string text = prefix_of_front(code, items.subspan(begin), &used);
    if (text.empty() || begin + used <= sign) return std::nullopt;
    return Run{begin, begin + used, std::move(text)};
}

Repair as_prefix(FormSpan items, const Run& run, const std::string& before = {}) {
    const Span span{items[run.begin].span.begin, items[run.end - 1].span.end};
    return {{{span, before + run.text}}, kHint, span};
}

/// (and a && b), (and x == 1 y > 2)
Proposal among_truths(const Code& code, const Form& list, std::size_t sign) {
    const FormSpan items = list.items();
    const std::string_view head = items[0].text();
    const std::string_view name = items[sign].text();
    const bool is_same = name == head || name == (head == "and" ? "&&" : "||") || (head == "or" && name == "??");
    if (is_same) return Repair{{removal(code, items[sign])}, "(" + std::string(head) + " a b)", {}};
    Repair repair;
    for (std::size_t at = 1; at < items.size();) {
        std::size_t used = 0;
        const std::string text = prefix_of_front(code, items.subspan(at), &used);
        if (text.empty()) {
            at += operand_length(items.subspan(at));
            continue;
        }
        repair.edits.push_back({{items[at].span.begin, items[at + used - 1].span.end}, text});
        at += used;
    }
    repair.hint = kHint;
    repair.covers = list.span;
    return repair.edits.empty() ? std::nullopt : Proposal(repair);
}

/// (for [x xs :when x > 4] x), (for [x xs, x > 4] x), (let [n 3 avg total / n] avg)
Proposal among_bindings(const Code& code, const Form& list, FormSpan items, std::size_t sign) {
    const std::optional<Run> run = run_around(code, items, 1, sign);
    if (!run || (items.size() - run->end) % 2 != 0) return std::nullopt;
    const Form& before = items[run->begin - 1];
    const auto is_sign = [](const Form& form) { return is_symbol_of(form, {"<-", "in", "=", ":="}); };
    const auto signs = std::count_if(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(run->begin), is_sign);
    if ((run->begin - static_cast<std::size_t>(signs)) % 2 == 1) return as_prefix(items, *run);
    const bool iterates = calls_one_of(list, {"for", "doseq"});
    if (!iterates || before.is(FormKind::Keyword)) return std::nullopt;
    return as_prefix(items, *run, ":when ");
}

/// (fn [x] "n is " & x), and other signs that join texts
Proposal joined_body(const Code& code, const Place& place) {
    const bool joins = is_symbol_of(place.form(), {"&", ".", "++", "<>", "..", "<<"});
    const std::size_t first = joins && place.around() ? body_begin(*place.around()) : 0;
    if (first == 0 || place.index() <= first) return std::nullopt;
    const FormSpan body = place.siblings().subspan(first);
    const std::string text = prefix_of(code, body);
    if (!text.starts_with("(str ")) return std::nullopt;
    const Span span{body.front().span.begin, body.back().span.end};
    return Repair{{{span, text}}, "Texts are put together by (str \"..\" x ..).", span};
}

/// {:size "big" if test else "small"}
Proposal conditional_value(const Code& code, const Form& map) {
    const FormSpan items = map.items();
    const auto word = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find_if(items, [&](const Form& f) { return f.is_symbol(name); }) -
                                        items.begin());
    };
    const std::size_t test = word("if");
    const std::size_t other = word("else");
    if (test < 2 || test % 2 != 0 || other < test || other + 1 >= items.size()) return std::nullopt;
    const std::size_t end = other + 1 + operand_length(items.subspan(other + 1));
    const std::string text = expression_of(code, items.subspan(test - 1, end - test + 1));
    if (text.empty() || (items.size() - end) % 2 != 0) return std::nullopt;
    const Span span{items[test - 1].span.begin, items[end - 1].span.end};
    return Repair{{{span, text}}, "(if test then else)", span};
}

} // namespace

Proposal infix_in_place(const Code& code, const Place& place) {
    if (place.index() == 0) return std::nullopt;
    if (Proposal found = joined_body(code, place)) return found;
    if (!is_operator(place.form())) return std::nullopt;
    const FormSpan items = place.siblings();
    const std::size_t sign = place.index();
    const Form* around = place.around();
    if (!around) {
        const std::optional<Run> run = run_around(code, items, 0, sign);
        const bool is_line = run && code.on_one_line({items[run->begin].span.begin, items[run->end - 1].span.end});
        return is_line ? Proposal(as_prefix(items, *run)) : std::nullopt;
    }
    if (calls_one_of(*around, {"and", "or"})) return among_truths(code, *around, sign);
    if (around->is(FormKind::Map)) {
        const std::optional<Run> run = run_around(code, items, 1, sign);
        const bool is_value = run && run->begin % 2 == 1 && (items.size() - run->end) % 2 == 0;
        return is_value ? Proposal(as_prefix(items, *run)) : std::nullopt;
    }
    if (around->is(FormKind::Vector)) {
        const Form* list = place.around(2);
        const bool binds = list && body_begin(*list) == 2 && list->items().data() + 1 == around;
        return binds ? among_bindings(code, *list, items, sign) : std::nullopt;
    }
    const std::size_t first = body_begin(*around);
    if (first == 0 || sign <= first) return std::nullopt;
    const std::optional<Run> run = run_around(code, items, first, sign);
    if (!run || run->end != items.size()) return std::nullopt;
    return as_prefix(items, *run);
}

Proposal conditional_expression(const Code& code, const Place& place) {
    for (std::size_t i = 0; i < place.forms.size() && i < 3; ++i) {
        const Form& form = *place.forms[i];
        if (form.is(FormKind::Map)) return conditional_value(code, form);
        if (!is_call(form)) continue;
        const FormSpan items = form.items();
        const auto has = [&](const char* word) {
            return std::ranges::any_of(items.subspan(1), [&](const Form& f) { return f.is_symbol(word); });
        };
        const bool has_words = (has("if") && has("else")) || has("?");
        if (!has_words) continue;
        const std::size_t first = body_begin(form);
        const bool is_special = calls_one_of(form, {"if", "cond", "case", "when"});
        if (is_special && first == 0) continue;
        const std::string text = expression_of(code, items.subspan(first));
        if (text.empty()) continue;
        const Span span = first == 0 ? form.span : Span{items[first].span.begin, items.back().span.end};
        return Repair{{{span, text}}, "(if test then else)", span};
    }
    return std::nullopt;
}

Proposal bare_form_in_body(const Code&, const Place& place) {
    const Form* around = place.around();
    if (!around) return std::nullopt;
    const bool goes_on = place.form().is_symbol("recur") && place.index() > 1 && place.index() + 1 < around->size;
    if (goes_on && calls_one_of(*around, {"cond", "loop", "let", "do", "when"})) { // :else recur (inc i) acc
        const Span span{place.form().span.begin, around->items().back().span.end};
        return Repair{wrapping(span, "(", ")"), "A form stands in round brackets.", span};
    }
    const bool heads = around->is(FormKind::Vector) && place.index() == 0 && around->size > 2;
    if (heads && place.form().is_symbol("for") && around->items()[1].is(FormKind::Vector)) // [for [x xs] x]
        return Repair{rebracketing(*around, "(", ")"), "A form stands in round brackets.", around->span};
    if (!is_symbol_of(place.form(), {"if", "if-not", "when", "cond"})) return std::nullopt;
    const std::size_t first = body_begin(*around);
    if (first == 0 || place.index() != first) return std::nullopt;
    const std::size_t parts = around->size - first - 1;
    const bool fits = place.form().is_symbol("cond")   ? parts > 0 && parts % 2 == 0
                      : place.form().is_symbol("when") ? parts >= 2
                                                       : parts == 2 || parts == 3;
    if (!fits) return std::nullopt;
    const Span span{place.form().span.begin, around->items().back().span.end};
    return Repair{wrapping(span, "(", ")"), "A form stands in round brackets.", span};
}

namespace {

/// Where the comment of the line that begins at `begin` begins; npos when code does not stand in front of it.
std::size_t comment_behind_code(std::string_view source, std::size_t begin, std::size_t end) {
    bool in_text = false;
    for (std::size_t at = begin; at < end; ++at) {
        if (source[at] == '\\')
            ++at;
        else if (source[at] == '"')
            in_text = !in_text;
        else if (source[at] == ';' && !in_text) {
            const bool is_code = source.substr(begin, at - begin).find_first_not_of(" \t") != std::string_view::npos;
            const bool is_single = at + 1 < end && source[at + 1] != ';';
            return is_code && is_single ? at : std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

/// name value .., or (def name value): code that gives `name` its value.
bool gives_name(std::string_view text, std::string_view name, bool in_bindings) {
    const Source part("", std::string(text));
    Diagnostics problems;
    const Forms forms = read_forms(part, {}, problems);
    const FormSpan items = forms.top_level();
    if (problems.has_errors() || items.empty()) return false;
    if (!in_bindings)
        return std::ranges::any_of(items, [&](const Form& form) {
            return calls_one_of(form, {"def", "defn"}) && form.size > 2 && form.items()[1].is_symbol(name);
        });
    if (items.size() % 2 != 0) return false;
    bool found = false;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        if (!items[i].is(FormKind::Symbol) && !has_items(items[i])) return false;
        found = found || items[i].is_symbol(name);
    }
    return found;
}

} // namespace

Proposal code_in_comment(const Code& code, const Place& place) {
    const std::string_view source = code.source();
    const std::string_view name = place.form().text();
    constexpr std::size_t kMaxLines = 200;
    std::size_t begin = 0;
    for (std::size_t line = 0; line < kMaxLines && begin < source.size(); ++line) {
        const std::size_t end = std::min(source.find('\n', begin), source.size());
        const std::size_t at = comment_behind_code(source, begin, end);
        begin = end + 1;
        if (at == std::string_view::npos || source.substr(at, end - at).find(name) == std::string_view::npos) continue;
        const auto where = static_cast<std::uint32_t>(at);
        const Place around = code.find({where, where + 1});
        const bool in_bindings = !around.empty() && around.form().is(FormKind::Vector) && around.around() &&
                                 body_begin(*around.around()) == 2;
        if (!in_bindings && !around.empty()) continue;
        if (!gives_name(source.substr(at + 1, end - at - 1), name, in_bindings)) continue;
        return Repair{{{{where, where + 1}, " "}}, "`;` begins a comment: what stands behind it is not read.", {}};
    }
    return std::nullopt;
}

} // namespace ptc::repair
