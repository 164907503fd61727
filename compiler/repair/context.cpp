// The context and the tools taken for values: (:orders data), (let [{:keys [orders]} data] ..), and nouns that lack
// data/.
#include "compiler/repair/foreign_rules.h"
#include "frontend/suggest.h"
#include <algorithm>

namespace ptc::repair {

bool is_data_name(const Code& code, std::string_view name) {
    const auto& names = code.surroundings().data_names;
    return names && std::find(names->begin(), names->end(), name) != names->end();
}

namespace {

/// Words of other languages: never the name of a value.
bool is_word(const Code& code, std::string_view name) {
    constexpr std::string_view kWords[] = {
        "and", "as",      "async", "await", "class",    "const", "def", "do",         "elif", "else",
        "end", "extends", "for",   "from",  "function", "if",    "in",  "instanceof", "is",   "let",
        "not", "of",      "or",    "pass",  "return",   "then",  "var", "while",      "with", "yield"};
    return code.core_name(name) || std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

/// What follows `data` or `tool`: a key that is written there. Empty when it is no plain name.
std::string_view plain_key(const Form& key) {
    const bool names = key.is(FormKind::Keyword) || key.is(FormKind::String);
    return names && is_plain_name(key.text()) ? key.text() : std::string_view();
}

/// What replaces `whole`, which reads a part of the context, or of the tools.
Proposal qualified(Span whole, std::string_view space, std::string_view name) {
    if (name.empty()) return std::nullopt;
    const bool is_tool = space == "tool";
    return Repair{{{whole, std::string(space) + "/" + std::string(name)}},
                  is_tool ? "Tools are called as tool/name." : "Values of the context are read as data/name.",
                  whole};
}

/// (get data :orders), (:orders data), data["orders"], (-> data :orders): the context is no value.
Proposal part_of_context(const Place& place, std::string_view space) {
    const Form& symbol = place.form();
    const FormSpan siblings = place.siblings();
    const std::size_t at = place.index();
    const Form* next = at + 1 < siblings.size() ? &siblings[at + 1] : nullptr;
    if (next && next->is(FormKind::Vector) && next->size == 1 && Code::touch(symbol, *next))
        return qualified({symbol.span.begin, next->span.end}, space, plain_key(next->items()[0]));
    const Form* list = place.around();
    if (!list || !list->is(FormKind::List)) return std::nullopt;
    const Form& head = siblings[0];
    const bool threads = head.is(FormKind::Symbol) && is_threading(head.text()) && !head.text().starts_with("cond");
    if (threads && at == 1 && next) {
        const bool gets = calls(*next, "get") && next->size == 2 && !head.text().ends_with("->>");
        return qualified({symbol.span.begin, next->span.end}, space, plain_key(gets ? next->items()[1] : *next));
    }
    if (list->size == 3 && at == 1 && head.is_symbol("get"))
        return qualified(list->span, space, plain_key(siblings[2]));
    if (list->size == 2) return qualified(list->span, space, plain_key(siblings[1 - at]));
    if (head.is_symbol("get-in") && at == 1 && next && next->is(FormKind::Vector) && next->size > 0) {
        const Form& key = next->items()[0];
        if (next->size == 1 && list->size == 3) return qualified(list->span, space, plain_key(key));
        const std::uint32_t end = next->size > 1 ? next->items()[1].span.begin : key.span.end;
        Proposal found = qualified({symbol.span.begin, end}, space, plain_key(key));
        if (found) found->edits[0].text += " ["; // the path goes on
        return found;
    }
    return std::nullopt;
}

/// [{:keys [orders users]} data]: a binding for each of the names.
Proposal context_taken_apart(const Code& code, const Place& place) {
    const Form* bindings = place.around();
    if (!bindings || !bindings->is(FormKind::Vector) || place.index() % 2 == 0) return std::nullopt;
    const Form& pattern = bindings->items()[place.index() - 1];
    const bool has_only_keys = pattern.is(FormKind::Map) && pattern.size == 2 &&
                               pattern.items()[1].is(FormKind::Vector) &&
                               (code.text(pattern.items()[0]) == ":keys" || code.text(pattern.items()[0]) == ":strs");
    if (!has_only_keys || pattern.items()[1].size == 0) return std::nullopt;
    std::string text;
    for (const Form& name : pattern.items()[1].items()) {
        if (!name.is(FormKind::Symbol)) return std::nullopt;
        text += (text.empty() ? "" : " ") + code.copy(name) + " data/" + code.copy(name);
    }
    return Repair{{{{pattern.span.begin, place.form().span.end}, std::move(text)}},
                  "Values of the context are read as data/name.",
                  {}};
}

} // namespace

/// The context, or all tools, taken for a map. There is no edit but for one of its parts.
Proposal whole_context(const Subject& subject) {
    const std::string_view name = subject.name();
    const bool is_data = name == "data" || name == "ctx" || name == "context";
    if (!is_data && name != "tool" && name != "tools") return std::nullopt;
    if (is_data_name(subject.code, name)) return std::nullopt;
    if (!is_data && subject.call && subject.call->whole != &subject.symbol()) return std::nullopt; // (tool "name" ..)
    Proposal found = part_of_context(subject.place, is_data ? "data" : "tool");
    if (!found && is_data) found = context_taken_apart(subject.code, subject.place);
    return found ? found
                 : Repair{{},
                          is_data ? "Values of the context are read as data/name." : "Tools are called as tool/name.",
                          {}};
}

namespace {

/// (for x xs ..), (let x 5): a name that is bound here, outside of brackets.
bool is_binder(const Place& place) {
    return place.around() && place.index() == 1 &&
           (calls(*place.around(), "fn") || calls_binding_form(*place.around()));
}

/// Whether a name without a meaning, given as a function, is likely to be a key of records.
bool reads_keys(const Subject& subject) {
    const auto& keys = subject.code.surroundings().keys;
    if (std::find(keys.begin(), keys.end(), subject.name()) != keys.end()) return true;
    return keys.empty() &&
           calls_one_of(*subject.place.around(), {"sort-by", "group-by", "max-by", "min-by", "sum-by", "avg-by", "map",
                                                  "mapv", "distinct-by", "index-by", "count-by"});
}

} // namespace

/// The last guess for a noun: a value of the context.
Proposal context_value(const Subject& subject) {
    const std::string_view name = subject.name();
    if (is_word(subject.code, name) || is_binder(subject.place)) return std::nullopt;
    if (wants_function(subject.code, subject.place)) { // (sort-by price rows)
        if (!reads_keys(subject) || name.find_first_of("/.%&'?!") != name.npos) return std::nullopt;
        return Repair{{insertion(subject.symbol().span.begin, ":")}, "A keyword is a function that reads its key.", {}};
    }
    if (subject.call && subject.call->whole != &subject.symbol()) {
        const auto& names = subject.code.surroundings().data_names;
        if (!names || subject.call->size() > 0) return std::nullopt;
    }
    if (!is_plain_name(name)) return std::nullopt;
    const auto& names = subject.code.surroundings().data_names;
    if (!names)
        return replace(subject.symbol(), "data/" + std::string(name), "Values of the context are read as data/name.");
    const std::vector<std::string_view> candidates(names->begin(), names->end());
    const std::vector<std::string> near = suggest(name, candidates, 1);
    if (near.empty()) return std::nullopt;
    return replace(subject.symbol(), "data/" + near.front(), "Values of the context are read as data/name.");
}

} // namespace ptc::repair
