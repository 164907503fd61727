// Bindings that are not written as they should be.
//
// The error stands at the part of the vector of let, loop, for .. that the analyzer could not use; a rule looks from
// there at the form around it, decides which shape of another language it is (pairs in brackets of their own, signs
// between name and value, one pair without its vector), and changes only brackets and signs: names and values stay in
// place, so that edits inside of them still fit.
#include "compiler/repair/bindings.h"
#include <algorithm>

namespace ptc::repair {

// ---- Questions, and edits that several families share (bindings.h)

namespace {

bool is_pair_form(const Form& form) {
    return (form.is(FormKind::List) || form.is(FormKind::Vector)) && form.size == 2 &&
           (form.items()[0].is(FormKind::Symbol) || form.items()[0].is(FormKind::Vector) ||
            form.items()[0].is(FormKind::Map));
}

} // namespace

bool binds(const Form& list) { return calls_binding_form(list) || calls_one_of(list, {"letrec", "binding"}); }

bool are_pairs(FormSpan items) { return !items.empty() && std::all_of(items.begin(), items.end(), is_pair_form); }

bool are_names(const Form& form) {
    return (form.is(FormKind::List) || form.is(FormKind::Vector)) &&
           std::all_of(form.items().begin(), form.items().end(), [](const Form& f) { return f.is(FormKind::Symbol); });
}

bool is_noise(const Form& form) {
    if (form.is(FormKind::Keyword)) return form.text() == "=" || form.text() == "in" || form.text() == "of";
    return is_symbol_of(form, {"=", ":=", "<-", "in", "be", "->", "=>", "==", "of"});
}

std::vector<Edit> flattened(const Form& bindings) {
    std::vector<Edit> edits;
    if (!bindings.is(FormKind::Vector)) edits = rebracketing(bindings, "[", "]");
    for (const Form& pair : bindings.items())
        append(edits, unwrapping(pair));
    return in_order(std::move(edits));
}

Proposal without_signs(const Code& code, const Form& bindings) {
    Repair repair;
    std::size_t left = 0;
    for (const Form& item : bindings.items()) {
        if (is_noise(item))
            repair.edits.push_back(removal(code, item));
        else
            ++left;
    }
    if (repair.edits.empty() || left % 2 != 0) return std::nullopt;
    repair.hint = kPairs;
    return repair;
}

// ---- Bindings

namespace {

/// [x 1 avg total / 3]
Proposal with_prefix_values(const Code& code, const Form& bindings) {
    const FormSpan items = bindings.items();
    Repair repair;
    for (std::size_t at = 0; at < items.size();) {
        std::size_t end = at + 2;
        while (end + 1 < items.size() && is_operator(items[end]))
            end += 2;
        if (end > items.size()) return std::nullopt;
        if (end > at + 2) {
            const FormSpan run = items.subspan(at + 1, end - at - 1);
            const std::string text = prefix_of(code, run);
            if (text.empty()) return std::nullopt;
            repair.edits.push_back({{run.front().span.begin, run.back().span.end}, text});
        }
        at = end;
    }
    if (repair.edits.empty()) return std::nullopt;
    repair.hint = "The function comes first: (/ a b).";
    return repair;
}

/// A vector of bindings with an odd number of parts, and the form that it belongs to.
struct OddBindings {
    const Code& code;
    const Form& bindings;
    const Form& list;

    [[nodiscard]] FormSpan items() const { return bindings.items(); }
    [[nodiscard]] const Form& last() const { return items().back(); }
    [[nodiscard]] bool iterates() const { return calls_one_of(list, {"for", "doseq"}); }
};

/// (let [x 1 (println x) y 2] ..)
Proposal unnamed_print(const OddBindings& odd) {
    const FormSpan items = odd.items();
    for (std::size_t i = 0; i < items.size(); i += 2) {
        if (calls_one_of(items[i], {"println", "print", "prn"}))
            return Repair{{insertion(items[i].span.begin, "_ ")}, "What is only done is bound to _.", {}};
        const bool is_pattern =
            items[i].is(FormKind::Symbol) || items[i].is(FormKind::Vector) || items[i].is(FormKind::Map);
        if (i + 1 < items.size() && !is_pattern) break;
    }
    return std::nullopt;
}

/// (for [x xs :let y (* x 2)] ..)
Proposal let_without_vector(const OddBindings& odd) {
    const FormSpan items = odd.items();
    for (std::size_t i = 0; odd.iterates() && i + 2 < items.size(); ++i) {
        if (items[i].is(FormKind::Keyword) && items[i].text() == "let" && items[i + 1].is(FormKind::Symbol))
            return Repair{wrapping({items[i + 1].span.begin, items[i + 2].span.end}, "[", "]"),
                          ":let takes a vector: :let [name value].",
                          {}};
    }
    return std::nullopt;
}

/// (let [(x 1) (y 2) (z 3)] ..)
Proposal bracketed_pairs(const OddBindings& odd) {
    if (!are_pairs(odd.items())) return std::nullopt;
    return Repair{flattened(odd.bindings), kPairs, {}};
}

/// (let [x 1 (+ x 2)])
Proposal body_among_bindings(const OddBindings& odd) {
    const FormSpan items = odd.items();
    if (odd.list.size != 2 || items.size() < 3) return std::nullopt;
    const Span bindings = odd.bindings.span;
    return Repair{{insertion(items[items.size() - 2].span.end, "]"), {{bindings.end - 1, bindings.end}, ""}},
                  "The body stands behind the vector of bindings.",
                  {}};
}

/// (for [k v groups] ..)
Proposal loose_entry(const OddBindings& odd) {
    const FormSpan items = odd.items();
    const Form& last = odd.last();
    const bool are_two_names = items.size() == 3 && items[0].is(FormKind::Symbol) && items[1].is(FormKind::Symbol) &&
                               items[1].text() != "in" && !items[1].text().starts_with("data/");
    if (!are_two_names || !(last.is(FormKind::List) || last.is(FormKind::Symbol)) ||
        odd.code.core_name(items[1].text()) != nullptr)
        return std::nullopt;
    return Repair{wrapping({items[0].span.begin, items[1].span.end}, "[", "]"), "An entry is taken apart by [k v].",
                  odd.list.span};
}

/// (for [x xs (:when test)] ..), (for [x xs test] ..)
Proposal condition_without_word(const OddBindings& odd) {
    const Form& last = odd.last();
    constexpr const char* kCondition = "A condition is written :when test.";
    if (is_call(last) && last.size == 2 && last.items()[0].is(FormKind::Keyword) &&
        is_one_of(last.items()[0].text(), {"when", "while", "let"}))
        return Repair{unwrapping(last), kCondition, odd.list.span};
    if (!last.is(FormKind::List)) return std::nullopt;
    return Repair{{insertion(last.span.begin, ":when ")}, kCondition, {}};
}

/// (let [a b (f x)] ..)
Proposal names_of_parts(const OddBindings& odd) {
    const FormSpan items = odd.items();
    const auto is_name = [](const Form& form) { return form.is(FormKind::Symbol); };
    const bool unpacks =
        items.size() >= 3 && std::all_of(items.begin(), items.end() - 1, is_name) && !is_name(odd.last());
    if (!unpacks) return std::nullopt;
    return Repair{wrapping({items.front().span.begin, items[items.size() - 2].span.end}, "[", "]"),
                  "Several names for the parts of one value stand in a vector: [[a b] value].",
                  {}};
}

Proposal odd_bindings(const Code& code, const Place& place) {
    const OddBindings odd{code, place.form(), *place.around()};
    if (Proposal found = unnamed_print(odd)) return found;
    if (Proposal found = without_signs(code, odd.bindings)) return found;
    if (Proposal found = with_prefix_values(code, odd.bindings)) return found;
    for (const auto rule : {let_without_vector, bracketed_pairs, body_among_bindings}) {
        if (Proposal found = rule(odd)) return found;
    }
    if (odd.iterates() && odd.items().size() >= 3) {
        if (Proposal found = loose_entry(odd)) return found;
        if (Proposal found = condition_without_word(odd)) return found;
        return Repair{{removal(code, odd.last())}, kPairs, {}};
    }
    if (Proposal found = names_of_parts(odd)) return found;
    return Repair{{insertion(odd.last().span.end, " nil")}, kPairs, {}};
}

void rename_calls(const Form& form, std::string_view from, const std::string& to, std::vector<Edit>& edits) {
    if (!has_items(form)) return;
    if (calls(form, from)) edits.push_back({form.items()[0].span, to});
    for (const Form& item : form.items())
        rename_calls(item, from, to, edits);
}

/// (let loop ((i 0)) .. (loop (+ i 1)) ..)
Proposal named_let(const Form& list) {
    if (list.size < 4 || !list.items()[1].is(FormKind::Symbol) || !has_items(list.items()[2])) return std::nullopt;
    const Form& bindings = list.items()[2];
    if (!are_pairs(bindings.items())) return std::nullopt;
    const std::string_view name = list.items()[1].text();
    Repair repair;
    repair.edits = {{{list.items()[0].span.begin, list.items()[1].span.end}, "loop"}};
    repair.edits = join(std::move(repair.edits), flattened(bindings));
    for (const Form& body : list.items().subspan(3))
        rename_calls(body, name, "recur", repair.edits);
    repair.edits = in_order(std::move(repair.edits));
    repair.covers = list.span;
    return repair;
}

/// (let x 1 body), (for x in xs body)
Proposal bare_binding(const Code& code, const Place& place) {
    const Form& list = *place.around();
    const FormSpan parts = list.items().subspan(1);
    if (parts.size() < 2) return std::nullopt;
    if (list.items()[0].is_symbol("let") && parts.size() == 2 && !place.around(2))
        return Repair{{{list.items()[0].span, "def"}}, "A name is defined by (def name value).", list.span};
    const std::size_t value = is_noise(parts[1]) ? 2 : 1;
    if (parts.size() <= value) return std::nullopt;
    Repair repair;
    repair.edits = {insertion(parts[0].span.begin, "["), insertion(parts[value].span.end, "]")};
    if (value == 2) repair.edits.insert(repair.edits.begin() + 1, removal(code, parts[1]));
    std::size_t last = value;
    while (value == 1 && last + 3 < parts.size() && parts[last + 1].is(FormKind::Symbol) &&
           !code.core_name(parts[last + 1].text())) // (loop i 0 acc [] body)
        last += 2;
    repair.edits.back().span = {parts[last].span.end, parts[last].span.end};
    repair.hint = kPairs;
    repair.covers = list.span;
    return repair;
}

/// (if-let [x a y b] ..) as one inside of the other.
Proposal several_conditional_bindings(const Code& code, const Form& list, const Form& bindings) {
    const FormSpan items = bindings.items();
    if (items.size() < 4 || items.size() % 2 != 0) return std::nullopt;
    const bool has_else = list.items()[0].text().starts_with("if");
    const FormSpan body = list.items().subspan(2);
    const std::string head = code.copy(list.items()[0]);
    if (body.empty() || (has_else && body.size() > 2)) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < items.size(); i += 2)
        text += "(" + head + " [" + code.copy(items[i]) + " " + code.copy(items[i + 1]) + "] ";
    const FormSpan inner = has_else ? body.first(1) : body;
    for (const Form& form : inner)
        text += (&form == &inner[0] ? "" : " ") + code.copy(form);
    for (std::size_t i = 0; i < items.size(); i += 2)
        text += (has_else && body.size() == 2 ? " " + code.copy(body[1]) : "") + ")";
    return Repair{{{list.span, text}}, "It binds one name; for more, one stands inside of the other.", list.span};
}

/// (loop (inc i)) at the end of a loop's body: the next round of that loop.
Proposal inner_loop(const Form& list, const Place& place) {
    if (!calls(list, "loop") || place.form().is(FormKind::Vector)) return std::nullopt;
    for (Place at = place.outer(); at.around(); at = at.outer()) {
        const Form& around = *at.around();
        const bool is_loop = calls(around, "loop") && around.size > 2 && around.items()[1].is(FormKind::Vector);
        if (is_loop && at.index() + 1 == around.size) {
            if (around.items()[1].size != (list.size - 1) * 2) return std::nullopt;
            return Repair{{{list.items()[0].span, "recur"}}, "The next round of a loop is (recur ..).", list.span};
        }
        if (!gives_value(around, at.form())) return std::nullopt;
    }
    return std::nullopt;
}

/// (x 1 y 2), (x = 1)
std::vector<Edit> in_square_brackets(const Code& code, const Form& bindings) {
    std::vector<Edit> edits = rebracketing(bindings, "[", "]");
    for (const Form& item : bindings.items()) {
        if (is_noise(item)) edits.push_back(removal(code, item));
    }
    return in_order(std::move(edits));
}

} // namespace

Proposal binding_shape(const Code& code, const Place& place) {
    const Form* list = place.around();
    // The error may stand at the part of the vector that is too much.
    if (list && list->is(FormKind::Vector) && list->size % 2 != 0 && place.around(2) && binds(*place.around(2)) &&
        place.around(2)->items().data() + 1 == list)
        return odd_bindings(code, place.outer());
    if (!list || !binds(*list)) return std::nullopt;
    if (place.index() != 1) return std::nullopt;
    if (Proposal found = inner_loop(*list, place)) return found;
    const Form& bindings = place.form();
    const std::string_view head = list->items()[0].text();
    const bool is_conditional = head.starts_with("if-") || head.starts_with("when-");
    if (bindings.is(FormKind::Symbol)) {
        if (Proposal found = named_let(*list)) return found;
        return bare_binding(code, place);
    }
    if (bindings.is(FormKind::Map)) return Repair{rebracketing(bindings, "[", "]"), kPairs, list->span};
    if (bindings.is(FormKind::Vector)) {
        if (is_conditional && bindings.size >= 4) return several_conditional_bindings(code, *list, bindings);
        return bindings.size % 2 != 0 ? odd_bindings(code, place) : without_signs(code, bindings);
    }
    if (!bindings.is(FormKind::List)) return std::nullopt;
    const bool has_pairs = are_pairs(bindings.items());
    return Repair{has_pairs ? flattened(bindings) : in_square_brackets(code, bindings), kPairs, list->span};
}

// ---- Modifiers, names of threads, values that do not fit

Proposal modifier_words(const Code&, const Place& place) {
    const Form& list = place.form();
    if ((!calls(list, "for") && !calls(list, "doseq")) || list.size < 2 || !list.items()[1].is(FormKind::Vector))
        return std::nullopt;
    const FormSpan items = list.items()[1].items();
    for (std::size_t i = 2; i < items.size(); i += 2) {
        for (const char* word : {"when", "if", "where", "let", "while"}) {
            if (!items[i].is_symbol(word)) continue;
            const std::string modifier =
                std::string(":") +
                (std::string_view(word) == "let" || std::string_view(word) == "while" ? word : "when");
            return replace(items[i], modifier, "The modifiers of for are :when, :let and :while.");
        }
    }
    return std::nullopt;
}

Proposal modifier_shape(const Code&, const Place& place) {
    const Form& form = place.form();
    const bool in_for = place.around(2) && (calls(*place.around(2), "for") || calls(*place.around(2), "doseq"));
    if (!in_for || !form.is(FormKind::Keyword)) return std::nullopt;
    for (const char* name : {"if", "where", "filter", "unless", "cond"}) {
        if (form.text() == name) return replace(form, ":when", "The modifiers of for are :when, :let and :while.");
    }
    return std::nullopt;
}

Proposal thread_shape(const Code& code, const Place& place) {
    const Form* list = calls(place.form(), "as->") ? &place.form() : place.around();
    if (!list || !calls(*list, "as->") || list->size < 3) return std::nullopt;
    const FormSpan items = list->items();
    if (items[1].is(FormKind::Symbol) && !items[2].is(FormKind::Symbol) && !is_call(items[2])) { // (as-> x 5 ..)
        Repair repair;
        repair.edits = {{items[1].span, code.copy(items[2])}, {items[2].span, code.copy(items[1])}};
        repair.hint = "(as-> value name step ..)";
        repair.covers = list->span;
        return repair;
    }
    bool threads = true; // no step names the value: ->> was meant
    for (const Form& step : items.subspan(2))
        threads = threads && !mentions(step, "it") && !mentions(step, "x") && !mentions(step, "$") &&
                  !mentions(step, "v") && !mentions(step, "%");
    if (threads) return replace(items[0], "->>", "->> passes the value as last argument of each step.");
    const char* name = "it";
    for (const char* used : {"it", "x", "$", "v", "value"}) {
        if (mentions(*list, used)) {
            name = used;
            break;
        }
    }
    return Repair{{insertion(items[1].span.end, " " + std::string(name))}, "(as-> value name step ..)", list->span};
}

} // namespace ptc::repair
