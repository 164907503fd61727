// Bindings, parameters, patterns and definitions that are not written as they should be.
//
// One family for each place that binds names: the vector of let and loop, the parameters of fn and defn, def, the
// patterns of maps. The error stands at the part that the analyzer could not use; a rule looks from there at the form
// around it, decides which shape of another language it is (pairs in brackets of their own, signs between name and
// value, one pair without its vector), and changes only brackets and signs: names and values stay in place, so that
// edits inside of them still fit.
#include "compiler/check/near_key.h"
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

bool is_pair_form(const Form& form) {
    return (form.is(FormKind::List) || form.is(FormKind::Vector)) && form.size == 2 &&
           (form.items()[0].is(FormKind::Symbol) || form.items()[0].is(FormKind::Vector) ||
            form.items()[0].is(FormKind::Map));
}

bool are_pairs(FormSpan items) { return !items.empty() && std::all_of(items.begin(), items.end(), is_pair_form); }

/// ((x 1) (y 2)) as [x 1 y 2]; the outer brackets too unless they are square already.
std::vector<Edit> flattened(const Form& bindings) {
    std::vector<Edit> edits;
    if (!bindings.is(FormKind::Vector)) edits = rebracketing(bindings, "[", "]");
    for (const Form& pair : bindings.items())
        append(edits, unwrapping(pair));
    return in_order(std::move(edits));
}

bool is_noise(const Form& form) {
    if (form.is(FormKind::Keyword)) return form.text() == "=" || form.text() == "in" || form.text() == "of";
    return is_symbol_of(form, {"=", ":=", "<-", "in", "be", "->", "=>", "==", "of"});
}

constexpr const char* kPairs = "Bindings are pairs of name and value in one vector: [x 1 y 2].";

/// Takes the signs between names and values away: [x = 1 y = 2].
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

Proposal odd_bindings(const Code& code, const Place& place) {
    const FormSpan all = place.form().items();
    for (std::size_t i = 0; i < all.size(); i += 2) { // (let [x 1 (println x) y 2] ..)
        if (calls(all[i], "println") || calls(all[i], "print") || calls(all[i], "prn"))
            return Repair{{insertion(all[i].span.begin, "_ ")}, "What is only done is bound to _.", {}};
        if (i + 1 < all.size() && !all[i].is(FormKind::Symbol) && !all[i].is(FormKind::Vector) &&
            !all[i].is(FormKind::Map))
            break;
    }
    const Form& bindings = place.form();
    const Form& list = *place.around();
    const FormSpan items = bindings.items();
    const bool iterates = calls(list, "for") || calls(list, "doseq");
    if (Proposal found = without_signs(code, bindings)) return found;
    if (Proposal found = with_prefix_values(code, bindings)) return found;
    for (std::size_t i = 0; iterates && i + 2 < items.size(); ++i) { // :let y (* x 2)
        if (items[i].is(FormKind::Keyword) && items[i].text() == "let" && items[i + 1].is(FormKind::Symbol))
            return Repair{wrapping({items[i + 1].span.begin, items[i + 2].span.end}, "[", "]"),
                          ":let takes a vector: :let [name value].",
                          {}};
    }
    if (are_pairs(items)) return Repair{flattened(bindings), kPairs, {}};
    Repair repair;
    if (list.size == 2 && items.size() >= 3) { // (let [x 1 (+ x 2)])
        const std::uint32_t end = items[items.size() - 2].span.end;
        repair.edits = {insertion(end, "]"), {{bindings.span.end - 1, bindings.span.end}, ""}};
        repair.hint = "The body stands behind the vector of bindings.";
        return repair;
    }
    const Form& last = items.back();
    const bool are_two_names = items.size() == 3 && items[0].is(FormKind::Symbol) && items[1].is(FormKind::Symbol) &&
                               items[1].text() != "in" && !items[1].text().starts_with("data/");
    if (iterates && are_two_names && (last.is(FormKind::List) || last.is(FormKind::Symbol)) &&
        code.core_name(items[1].text()) == nullptr) // [k v groups]
        return Repair{wrapping({items[0].span.begin, items[1].span.end}, "[", "]"), "An entry is taken apart by [k v].",
                      list.span};
    if (iterates && items.size() >= 3 && is_call(last) && last.size == 2 && last.items()[0].is(FormKind::Keyword) &&
        is_one_of(last.items()[0].text(), {"when", "while", "let"})) // [x xs (:when test)]
        return Repair{unwrapping(last), "A condition is written :when test.", list.span};
    if (iterates && items.size() >= 3 && last.is(FormKind::List)) {
        repair.edits = {insertion(last.span.begin, ":when ")};
        repair.hint = "A condition is written :when test.";
        return repair;
    }
    if (iterates && items.size() >= 3) return Repair{{removal(code, last)}, kPairs, {}};
    const bool unpacks =
        items.size() >= 3 &&
        std::all_of(items.begin(), items.end() - 1, [](const Form& f) { return f.is(FormKind::Symbol); }) &&
        !last.is(FormKind::Symbol);
    if (unpacks) {
        repair.edits = wrapping({items.front().span.begin, items[items.size() - 2].span.end}, "[", "]");
        repair.hint = "Several names for the parts of one value stand in a vector: [[a b] value].";
        return repair;
    }
    repair.edits = {insertion(last.span.end, " nil")};
    repair.hint = kPairs;
    return repair;
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

bool binds(const Form& list) { return calls_binding_form(list) || calls_one_of(list, {"letrec", "binding"}); }

} // namespace

namespace {

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
    Repair repair;
    repair.hint = kPairs;
    repair.covers = list->span;
    if (are_pairs(bindings.items())) {
        repair.edits = flattened(bindings);
        return repair;
    }
    repair.edits = rebracketing(bindings, "[", "]");
    for (const Form& item : bindings.items()) {
        if (is_noise(item)) repair.edits.push_back(removal(code, item));
    }
    repair.edits = in_order(std::move(repair.edits));
    return repair;
}

// ---- Parameters

namespace {

/// One function for several arities, which picks by the number of arguments.
std::string by_count(const Code& code, FormSpan arities) {
    std::string cases;
    std::string rest;
    for (const Form& arity : arities) {
        const Form& parameters = arity.items()[0];
        std::string body = "(let [" + code.copy(parameters) + " args]";
        for (const Form& form : arity.items().subspan(1))
            body += " " + code.copy(form);
        body += ")";
        const bool is_open = std::any_of(parameters.items().begin(), parameters.items().end(),
                                         [](const Form& p) { return p.is_symbol("&"); });
        if (is_open)
            rest = " " + body;
        else
            cases += " " + std::to_string(parameters.size) + " " + body;
    }
    return "[& args] (case (count args)" + cases + rest + ")";
}

/// (x y) in front of a body: parameters, unless it calls something.
bool are_plain_names(const Code& code, const Form& list, FormSpan body) {
    const auto is_used = [&](const Form& name) {
        return std::any_of(body.begin(), body.end(),
                           [&](const Form& form) { return name.is(FormKind::Symbol) && mentions(form, name.text()); });
    };
    const bool all_used = std::all_of(list.items().begin(), list.items().end(), is_used);
    return list.size > 0 && (all_used || code.core_function(list.items()[0]).empty()) &&
           std::all_of(list.items().begin(), list.items().end(), [](const Form& f) { return f.is(FormKind::Symbol); });
}

bool is_arity(const Form& form) { return is_call(form) && form.items()[0].is(FormKind::Vector); }

} // namespace

Proposal parameter_shape(const Code& code, const Place& place) {
    // The error stands at what should be the parameters, or at the whole form.
    Place at = place;
    if (is_call(place.form()) && (calls(place.form(), "fn") || calls(place.form(), "defn"))) {
        if (place.form().size < 2) return std::nullopt;
        const bool is_second =
            place.form().size > 2 && calls(place.form(), "defn") && !place.form().items()[1].is(FormKind::List);
        at = place.inner(place.form().items()[is_second ? 2 : 1]);
    }
    const Form* list = at.around();
    if (!list || !(calls(*list, "fn") || calls(*list, "defn"))) return std::nullopt;
    const bool defines = calls(*list, "defn");
    const FormSpan items = list->items();
    if (!defines && items.size() == 2 && items[1].is(FormKind::List) && has_placeholder(items[1])) // (fn (f %))
        return Repair{{{{list->span.begin, items[1].span.begin}, "#"}, {{list->span.end - 1, list->span.end}, ""}},
                      "Placeholders name the parameters of #().",
                      list->span};
    Repair repair;
    repair.hint = "Parameters stand in a vector: [x y].";
    repair.covers = list->span;
    std::size_t first = at.index();
    if (defines && first == 1) { // (defn (f x) ..)
        const Form& signature = items[1];
        if (!is_call(signature) || !signature.items()[0].is(FormKind::Symbol)) return std::nullopt;
        Pieces pieces;
        pieces.copy(signature.items()[0]).text(" [");
        for (std::size_t i = 1; i < signature.size; ++i)
            pieces.text(i > 1 ? " " : "").copy(signature.items()[i]);
        repair.edits = pieces.text("]").edits(code.source(), signature.span);
        return repair;
    }
    if (!defines && items[1].is(FormKind::Symbol)) {
        // (fn f (x) ..) names the function, unless the list is a call.
        const bool is_named =
            items.size() > 3 && items[2].is(FormKind::List) && are_plain_names(code, items[2], items.subspan(3));
        if (is_named && !at.outer().around()) repair.edits = {{items[0].span, "defn"}};
        first = is_named ? 2 : 1;
    }
    const FormSpan parts = items.subspan(first);
    if (parts.empty()) return std::nullopt;
    if (is_arity(parts[0])) {
        if (!std::all_of(parts.begin(), parts.end(), is_arity)) return std::nullopt;
        if (parts.size() == 1) {
            repair.edits = unwrapping(parts[0]);
            return repair;
        }
        repair.edits = {{{parts.front().span.begin, parts.back().span.end}, by_count(code, parts)}};
        repair.hint = "A function has one list of parameters; `&` takes the rest.";
        return repair;
    }
    if (parts[0].is(FormKind::List)) {
        repair.edits = join(std::move(repair.edits), rebracketing(parts[0], "[", "]"));
        return repair;
    }
    if (parts[0].is(FormKind::Map)) {
        repair.edits = wrapping(parts[0].span, "[", "]");
        return repair;
    }
    std::size_t count = 0;
    while (count + 1 < parts.size() && parts[count].is(FormKind::Symbol) && !is_arrow(parts[count]))
        ++count;
    if (count == 0) return std::nullopt;
    repair.edits = wrapping({parts[0].span.begin, parts[count - 1].span.end}, "[", "]");
    if (is_arrow(parts[count])) repair.edits.push_back(removal(code, parts[count])); // (fn x => body)
    return repair;
}

// ---- Patterns

namespace {
bool is_call_of_core(const Code& code, const Form& form) {
    return is_call(form) && form.items()[0].is(FormKind::Symbol) && code.core_name(form.items()[0].text());
}
} // namespace

Proposal pattern_shape(const Code& code, const Place& place) {
    const Form& form = place.form();
    const Form* around = place.around();
    if (!around) return std::nullopt;
    const auto name_like = [](std::string_view text) {
        return !text.empty() && text.find_first_of(" /.\"'%") == text.npos &&
               std::isdigit(static_cast<unsigned char>(text[0])) == 0;
    };
    if (around->is(FormKind::Vector) && place.around(2) && binds(*place.around(2))) { // [x = 1 y = 2]
        if (Proposal found = without_signs(code, *around)) {
            found->covers = place.around(2)->span;
            return found;
        }
    }
    // [[x 1] [y 2]]: what should be one vector of pairs.
    if (place.around(2) && place.around(3) && around->is(FormKind::Vector) && place.around(2)->is(FormKind::Vector) &&
        binds(*place.around(3)) && are_pairs(place.around(2)->items()))
        return Repair{flattened(*place.around(2)), kPairs, place.around(3)->span};
    if (place.around(2) && around->is(FormKind::Vector) && binds(*place.around(2)) && are_pairs(around->items()))
        return Repair{flattened(*around), kPairs, place.around(2)->span};
    const bool names_something =
        around->is(FormKind::Map) || (around->is(FormKind::Vector) && place.around(2) && is_call(*place.around(2)));
    if ((form.is(FormKind::Keyword) || form.is(FormKind::String)) && name_like(form.text()) && names_something) {
        if (around->is(FormKind::Map)) { // {:a a}
            const FormSpan items = around->items();
            const std::size_t index = place.index();
            if (index % 2 == 0 && (form.text() == "key" || form.text() == "strings"))
                return replace(form, form.text() == "key" ? ":keys" : ":strs", "{:keys [a b]}");
            Repair repair;
            for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
                if (!items[i].is(FormKind::Keyword) || !items[i + 1].is(FormKind::Symbol)) continue;
                repair.edits.push_back({items[i].span, code.copy(items[i + 1])});
                repair.edits.push_back({items[i + 1].span, code.copy(items[i])});
            }
            if (repair.edits.empty()) return std::nullopt;
            repair.hint = "In a map pattern the name comes first: {name :key}.";
            repair.covers = around->span;
            return repair;
        }
        return replace(form, std::string(form.text()), "A name is written without colon and quotes.");
    }
    const bool binds_here = (around->is(FormKind::Vector) && place.around(2) && is_call(*place.around(2)) &&
                             (!binds(*place.around(2)) || place.index() % 2 == 0)) ||
                            around->is(FormKind::Map);
    if (form.is(FormKind::List) && binds_here && !is_call_of_core(code, form))
        return Repair{rebracketing(form, "[", "]"), "A vector is taken apart by a vector: [a b].", {}};
    if (form.is(FormKind::Set) && binds_here) return Repair{rebracketing(form, "{:keys [", "]}"), "{:keys [a b]}", {}};
    // {keys [a b]}, {:keys (a b)}, {:keys a}, {:or {:a 1}}
    if (around->is(FormKind::Map) && place.index() % 2 == 1) {
        const Form& option = around->items()[place.index() - 1];
        if (option.is_symbol("keys") || option.is_symbol("strs"))
            return Repair{{insertion(option.span.begin, ":")}, "{:keys [a b]}", {}};
        const bool names = option.is(FormKind::Keyword) && (option.text() == "keys" || option.text() == "strs");
        if (names && form.is(FormKind::Symbol)) return Repair{wrapping(form.span, "[", "]"), "{:keys [a b]}", {}};
        if (names && has_items(form)) return Repair{rebracketing(form, "[", "]"), "{:keys [a b]}", {}};
        if (option.is(FormKind::Keyword) && option.text() == "or" && form.is(FormKind::Map)) {
            Repair repair;
            for (std::size_t i = 0; i < form.size; i += 2) {
                const Form& key = form.items()[i];
                if (key.is(FormKind::Keyword)) repair.edits.push_back({key.span, std::string(key.text())});
                if (key.is(FormKind::String)) repair.edits.push_back({key.span, std::string(key.text())});
            }
            repair.hint = ":or {name default}";
            return repair.edits.empty() ? std::nullopt : Proposal(repair);
        }
    }
    // [a & b c]
    if (form.is_symbol("&") && around->is(FormKind::Vector)) {
        const FormSpan items = around->items();
        Repair repair;
        for (std::size_t i = place.index() + 2; i < items.size(); ++i)
            repair.edits.push_back(removal(code, items[i]));
        if (place.index() + 1 == items.size()) repair.edits.push_back(insertion(form.span.end, " more"));
        repair.hint = "[a b & more]";
        return repair.edits.empty() ? std::nullopt : Proposal(repair);
    }
    return std::nullopt;
}

// ---- Definitions

namespace {

bool are_names(const Form& form) {
    return (form.is(FormKind::List) || form.is(FormKind::Vector)) &&
           std::all_of(form.items().begin(), form.items().end(), [](const Form& f) { return f.is(FormKind::Symbol); });
}

Proposal definition_name(const Form& name) {
    const bool wrong = name.is(FormKind::Keyword) || name.is(FormKind::String) ||
                       (name.is(FormKind::Quote) && name.items()[0].is(FormKind::Symbol));
    if (!wrong) return std::nullopt;
    if (name.is(FormKind::Quote)) return replace(name, std::string(name.items()[0].text()));
    return replace(name, std::string(name.text()), "A name is written without colon and quotes.");
}

} // namespace

Proposal definition_shape(const Code& code, const Place& place) {
    Place at = place;
    if (!calls(at.form(), "def") && !calls(at.form(), "defn") && !calls(at.form(), "defonce")) {
        if (!at.around()) return std::nullopt;
        at = at.outer();
    }
    const Form& list = at.form();
    if (!is_call(list) || list.size < 2 || !list.items()[0].is(FormKind::Symbol)) return std::nullopt;
    const FormSpan parts = list.items().subspan(1);
    const Form& head = list.items()[0];
    Repair repair;
    repair.covers = list.span;
    if (calls(list, "defn") && parts[0].is(FormKind::Vector) && parts.size() > 1) // (defn [x] ..)
        return Repair{{{head.span, "fn"}}, "A function without a name is (fn [x] ..).", list.span};
    if (!calls(list, "defn") && parts[0].is_symbol("fn") && parts.size() > 2) // (def fn f [x] ..)
        return Repair{{{{head.span.begin, parts[0].span.end}, "defn"}}, "(defn name [params] body)", list.span};
    const bool is_bracketed =
        calls_one_of(list, {"def", "defonce"}) && has_items(parts[0]) && !parts[0].is(FormKind::Map) &&
        parts[0].size > 0 && parts[0].items()[0].is(FormKind::Symbol) &&
        (parts.size() == 1 ? parts[0].size == 2
                           : parts.size() == 2 && parts[0].size == 1 && parts[0].is(FormKind::Vector));
    if (is_bracketed) // (def (x 5)), (def [x] 5)
        return Repair{unwrapping(parts[0]), "(def name value)", list.span};
    if (Proposal found = definition_name(parts[0])) {
        found->covers = list.span;
        return found;
    }
    if (calls(list, "defn")) return parameter_shape(code, at);
    if (!calls(list, "def") && !calls(list, "defonce")) return std::nullopt;
    repair.hint = "(def name value), (defn name [params] body)";
    if (is_call(parts[0]) && parts.size() >= 2) { // (def (f x) ..)
        repair.edits = {{head.span, "defn"}};
        Pieces pieces;
        pieces.copy(parts[0].items()[0]).text(" [");
        for (std::size_t i = 1; i < parts[0].size; ++i)
            pieces.text(i > 1 ? " " : "").copy(parts[0].items()[i]);
        repair.edits = join(std::move(repair.edits), pieces.text("]").edits(code.source(), parts[0].span));
        return repair;
    }
    if (parts[0].is(FormKind::Vector) && parts.size() == 1 && parts[0].size == 2) { // (def [x 5])
        repair.edits = unwrapping(parts[0]);
        return repair;
    }
    if (parts.size() == 1) {
        repair.edits = {insertion(parts[0].span.end, " nil")};
        return repair;
    }
    if (parts.size() >= 3 && is_noise(parts[1])) { // (def x = 5)
        const FormSpan run = parts.subspan(2);
        const std::string value = run.size() == 1 ? code.copy(run[0]) : prefix_of(code, run);
        if (value.empty()) return std::nullopt;
        repair.edits = {{{parts[1].span.begin, run.back().span.end}, value}};
        return repair;
    }
    if (parts.size() >= 3 && are_names(parts[1])) { // (def f [x] ..), (def f (x) ..)
        repair.edits = {{head.span, "defn"}};
        if (parts[1].is(FormKind::List)) repair.edits = join(std::move(repair.edits), rebracketing(parts[1], "[", "]"));
        if (parts[2].is_symbol("return")) repair.edits.push_back(removal(code, parts[2]));
        return repair;
    }
    if (const std::string value = prefix_of(code, parts.subspan(1)); !value.empty()) { // (def x a + b)
        repair.edits = {{{parts[1].span.begin, parts.back().span.end}, value}};
        return repair;
    }
    if (parts.size() % 2 == 0) { // (def x 5 y 6)
        for (std::size_t i = 2; i < parts.size(); i += 2)
            repair.edits.push_back({{parts[i - 1].span.end, parts[i].span.begin}, ") (def "});
        return repair;
    }
    return std::nullopt;
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

namespace {

const Form* vector_pattern(const Form& form) {
    if (!is_call(form)) return nullptr;
    for (const Form& part : form.items()) {
        if (!part.is(FormKind::Vector)) continue;
        for (const Form& item : part.items()) {
            if (item.is(FormKind::Vector) && are_names(item)) return &item;
        }
        return nullptr;
    }
    return nullptr;
}

} // namespace

namespace {

/// Whether the run has met maps with all the names of the pattern as keys.
bool are_keys(const Code& code, const Form& pattern) {
    const auto& keys = code.surroundings().keys;
    return keys.empty() || std::ranges::all_of(pattern.items(), [&](const Form& name) {
               return !name.is(FormKind::Symbol) || name.text() == "&" ||
                      std::ranges::find_if(keys, [&](const std::string& key) {
                          return normal_key(key) == normal_key(name.text());
                      }) != keys.end();
           });
}

} // namespace

namespace {

bool has_field_read(const Form& form, std::string_view name) {
    if (!has_items(form)) return false;
    const bool reads = is_call(form) && form.size > 1 &&
                       ((form.items()[0].is(FormKind::Keyword) && form.items()[1].is_symbol(name)) ||
                        (calls_one_of(form, {"get", "get-in"}) && form.items()[1].is_symbol(name)));
    return reads || std::ranges::any_of(form.items(), [&](const Form& item) { return has_field_read(item, name); });
}

/// (for [[i row] rows] (:name row)): of the names of the pattern the last alone is used, and its fields are read: it is
/// the item.
Proposal whole_item(const Place& place, const Form& pattern) {
    const FormSpan names = pattern.items();
    if (names.size() != 2 || !names[0].is(FormKind::Symbol) || !names[1].is(FormKind::Symbol)) return std::nullopt;
    const Form& around = *place.forms.back();
    if (count_of(around, names[0].text()) != 1 || !has_field_read(around, names[1].text())) return std::nullopt;
    return replace(pattern, std::string(names[1].text()), "These items are maps: one name is bound to each.");
}

} // namespace

Proposal taken_apart(const Code& code, const Place& place, const BadCall& bad_call) {
    const Form* pattern = nullptr;
    for (std::size_t i = 0; i < place.forms.size() && !pattern; ++i) {
        const Form& form = *place.forms[i];
        if (form.is(FormKind::Vector) && are_names(form) && i + 1 < place.forms.size() &&
            place.forms[i + 1]->is(FormKind::Vector))
            pattern = &form;
        if (is_call(form)) {
            pattern = vector_pattern(form);
            for (const Form& item : form.items()) {
                if (!pattern && is_function_literal(item)) pattern = vector_pattern(item);
            }
        }
    }
    if (!pattern) return std::nullopt;
    if (Proposal found = bad_call.kind == OperandKind::Map ? whole_item(place, *pattern) : std::nullopt) return found;
    if (bad_call.kind == OperandKind::Map && !are_keys(code, *pattern)) return std::nullopt;
    if (bad_call.kind == OperandKind::Map)
        return Repair{wrapping(pattern->span, "{:keys ", "}"), "Maps are taken apart by {:keys [a b]}.", {}};
    if (pattern->size == 1) return Repair{unwrapping(*pattern), "This value has no parts: bind it to a name.", {}};
    return std::nullopt;
}

} // namespace ptc::repair
