// Destructuring: a pattern against the node of a value becomes variables.
//
// The names of a pattern are bound one by one, in the order in which they are written, as further variables of a Let
// that the caller has opened. Each part is a node of its own (Elem, Tail, Field) over the value, which is put into a
// temporary first unless it is a variable already. A value that is a constant needs no variable: its name is bound to
// the constant. After an error every name of the pattern means nil, so that its uses are no errors, too.
#include "compiler/analyze/patterns.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/laziness.h"
#include "compiler/language/form_questions.h"
#include "compiler/language/pattern_defaults.h"
#include "compiler/language/prelude.h"
#include "frontend/work.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kRestName = " rest";
constexpr std::string_view kSequenceName = " sequence";

/// A pattern of a kind that does not exist.
Error unsupported(Span where, std::string message, std::string hint) {
    Error error = bad_shape(where, std::move(message), std::move(hint));
    error.reason = Reason::UnsupportedPattern;
    return error;
}

void bind_field(Analyzer& a, const Form& pattern, Node* key, Local* map, const PatternDefaults& defaults, Let& let) {
    const Span span = a.span_of(pattern);
    const Form* otherwise = is_binding_name(pattern) ? defaults.find(pattern.text()) : nullptr;
    if (key->kind != NodeKind::Constant) {
        a.nodes.discard(key);
        return a.report(bad_shape(key->span, "The key of a map pattern is a constant.", "{name :key}"));
    }
    Node* node = a.nodes.make(NodeKind::Field, span);
    NodeList children(a.nodes);
    children.add(a.nodes.reference(map, span));
    if (otherwise) a.analyze_all({otherwise, 1}, children);
    node->children = children.take();
    node->constant = key->constant;
    destructure(a, pattern, node, let);
}

/// The namespace of a name, with its slash.
std::string_view space_part(std::string_view name) { return name.substr(0, name.rfind('/') + 1); }

bool is_qualified_name(const Form& form) {
    return form.is(FormKind::Symbol) && namespace_end(form.text()) != std::string_view::npos &&
           !name_part(form.text()).empty();
}

/// The names of `option`: "keys", "strs" or "syms", behind the namespace that all of them have, if any: :user/keys.
void bind_names(Analyzer& a, const Form& names, std::string_view written, Local* map, const PatternDefaults& defaults,
                Let& let) {
    const std::string_view option = name_part(written);
    const std::string_view space = space_part(written);
    const std::string quoted_option = "`:" + std::string(option) + "`";
    if (!names.is(FormKind::Vector)) {
        return a.report(bad_shape(a.span_of(names), quoted_option + " takes a vector of names.", "{:keys [a b]}"));
    }
    for (const Form& item : names.items()) {
        if (a.reports.stopped() || !work::charge(4)) return;
        const bool is_keyword = item.is(FormKind::Keyword) && option == "keys";
        if (!is_keyword && !is_binding_name(item) && !is_qualified_name(item)) {
            a.report(bad_shape(a.span_of(item), quoted_option + " takes names, not " + describe_form(item) + ".",
                               "{:keys [a b]}"));
            continue;
        }
        Form name = item;
        name.kind = FormKind::Symbol;
        const Span span = a.span_of(item);
        const std::string_view text =
            space.empty() ? item.text() : a.nodes.keep_text(std::string(space).append(item.text()));
        Form symbol = name;
        symbol.chars = text.data();
        symbol.size = static_cast<std::uint32_t>(text.size());
        Node* key = option == "strs"   ? a.nodes.string(text, span, kValue)
                    : option == "syms" ? a.quoted(symbol, span, kValue)
                                       : a.nodes.keyword(text, span, kValue);
        name.chars = name_part(item.text()).data(); // {:keys [user/name]} binds name
        name.size = static_cast<std::uint32_t>(name_part(item.text()).size());
        bind_field(a, name, key, map, defaults, let);
    }
}

/// The name behind `:as` where its place matters: a part has the same one, and is meant by it, or a default names it.
/// It is bound in front of all parts then. Null: it may stay where it is written.
const Form* early_whole(const Form& pattern) {
    const FormSpan items = pattern.items();
    const Form* whole = nullptr;
    const Form* defaults = nullptr;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i].is(FormKind::Keyword)) continue;
        if (items[i].text() == "as") whole = &items[i + 1];
        if (items[i].text() == "or") defaults = &items[i + 1];
    }
    if (!whole || !is_binding_name(*whole)) return nullptr;
    if (defaults && mentions(*defaults, whole->text())) return whole;
    return count_bindings(pattern, whole->text()) > 1 ? whole : nullptr;
}

// {name :key, :keys [a b], :strs [c], :or {a 1}, :as all}
void destructure_map(Analyzer& a, const Form& pattern, Node* value, Let& let) {
    const FormSpan items = pattern.items();
    const Form* written = nullptr;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i].is(FormKind::Keyword) || items[i].text() != "or") continue;
        written = &items[i + 1];
        bool fits = written->is(FormKind::Map);
        for (std::size_t k = 0; fits && k < written->size; k += 2)
            fits = is_binding_name(written->items()[k]);
        if (!fits) {
            a.report(bad_shape(a.span_of(*written), "`:or` takes a map from names to defaults.", ":or {name default}"));
            written = nullptr; // the names are bound all the same: one mistake, one error
        }
    }
    const PatternDefaults defaults(written);
    Local* map = nullptr;
    if (value->kind == NodeKind::LocalRef) {
        map = value->local;
        --map->uses;
    } else {
        map = let.temporary(value);
    }
    const auto bind_whole = [&](const Form& name) {
        if (!is_binding_name(name))
            a.report(bad_shape(a.span_of(name), "`:as` takes a name for the whole map.", "{:keys [a] :as all}"));
        else
            destructure(a, name, a.nodes.reference(map, a.span_of(name)), let);
    };
    const Form* const early = early_whole(pattern);
    if (early) bind_whole(*early);
    for (std::size_t i = 0; i + 1 < items.size() && !a.reports.stopped(); i += 2) {
        const Form& part = items[i];
        const Form& what = items[i + 1];
        if (!part.is(FormKind::Keyword)) {
            bind_field(a, part, a.analyze(what, kValue), map, defaults, let);
            continue;
        }
        const std::string_view option = part.text();
        const std::string_view plain = name_part(option);
        if (option == "or") continue;
        if (option == "as") {
            if (&what != early) bind_whole(what);
        } else if (plain == "keys" || plain == "strs" || plain == "syms") {
            bind_names(a, what, option, map, defaults, let);
        } else {
            a.report(
                unsupported(a.span_of(part), "`:" + std::string(option) + "` is not a part of a map pattern.",
                            "Write {name :" + std::string(option) + "}, or {:keys [" + std::string(option) + "]}."));
        }
    }
}

struct VectorPattern {
    FormSpan items;
    const Form* whole;
    const Form* rest;
};

/// A vector of the items in front and the rest, or the items alone (opened% and taken% in runtime/core).
Node* open_sequence(Analyzer& a, Local* sequence, std::size_t count, bool wants_rest, Span span) {
    const Binding* const scope = a.at.site.scope;
    a.names.bind(kSequenceName, sequence);
    Form* items = a.nodes.allocate<Form>(3);
    new (&items[0]) Form(hidden_name(wants_rest ? " opened%" : " taken%", span));
    new (&items[1]) Form();
    items[1].kind = FormKind::Integer;
    items[1].span = span;
    items[1].integer = static_cast<std::int64_t>(count);
    new (&items[2]) Form(hidden_name(kSequenceName, span));
    Node* node = a.analyze(call_of({items, 3}, span), kValue);
    a.at.site.scope = scope;
    return node;
}

/// The name that was bound last stands for what may be computed by need.
void note_laziness(Analyzer& a, const Form& name, std::uint8_t laziness) {
    if (is_binding_name(name) && a.at.site.scope->kind == BindingKind::Local)
        a.at.site.scope->local->laziness = laziness;
}

/// Of a sequence that may be computed by need: no more of it than the pattern has names for.
void destructure_opened(Analyzer& a, const VectorPattern& pattern, Local* sequence, Span span, Let& let) {
    Local* items = let.temporary(open_sequence(a, sequence, pattern.items.size(), pattern.rest != nullptr, span));
    const auto part = [&](Local* of, std::size_t i) {
        Node* element = a.nodes.make(NodeKind::Elem, span, kValue, {a.nodes.reference(of, span)});
        element->index = static_cast<std::uint32_t>(i);
        return element;
    };
    Local* opened = items;
    if (pattern.rest) items = let.temporary(part(opened, 0));
    for (std::size_t i = 0; i < pattern.items.size(); ++i)
        destructure(a, pattern.items[i], part(items, i), let);
    if (pattern.rest) {
        bind_rest(a, *pattern.rest, part(opened, 1), let);
        note_laziness(a, *pattern.rest, static_cast<std::uint8_t>(Laziness::Maybe));
    }
    if (!pattern.whole) return;
    destructure(a, *pattern.whole, a.nodes.reference(sequence, span), let);
    note_laziness(a, *pattern.whole, sequence->laziness);
}

// [a b & rest :as all]
void destructure_vector(Analyzer& a, const Form& pattern, Node* value, Let& let) {
    const FormSpan items = pattern.items();
    std::size_t end = items.size();
    const Form* whole = nullptr;
    const Form* rest = nullptr;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].is(FormKind::Keyword) && items[i].text() == "as") {
            if (i + 2 != items.size() || !is_binding_name(items[i + 1])) {
                return a.report(unsupported(a.span_of(items[i]),
                                            "`:as` stands before exactly one name, at the end of the pattern.",
                                            "[a b :as all]"));
            }
            whole = &items[i + 1];
            end = std::min(end, i);
            break;
        }
        if (items[i].is_symbol("&")) {
            const bool last = i + 2 == items.size() || (i + 4 == items.size() && items[i + 2].is(FormKind::Keyword));
            if (!last || items[i + 1].is_symbol("&")) {
                return a.report(bad_shape(a.span_of(items[i]),
                                          "`&` stands before exactly one name, which takes the rest.", "[a b & more]"));
            }
            rest = &items[i + 1];
            end = i;
            ++i;
        }
    }
    if (value->kind == NodeKind::LocalRef && value->local->laziness != 0 && !a.at.site.core) {
        --value->local->uses;
        return destructure_opened(a, {items.first(end), whole, rest}, value->local, a.span_of(pattern), let);
    }
    const std::size_t parts = end + (whole ? 1 : 0) + (rest ? 1 : 0);
    Local* local = value->kind == NodeKind::LocalRef && parts != 1 ? value->local : nullptr;
    if (local)
        --local->uses;
    else if (parts != 1)
        local = let.temporary(value);
    const auto source = [&](const Form& form) { return local ? a.nodes.reference(local, a.span_of(form)) : value; };
    for (std::size_t i = 0; i < end && !a.reports.stopped(); ++i) {
        Node* element = a.nodes.make(NodeKind::Elem, a.span_of(items[i]), kValue, {source(items[i])});
        element->index = static_cast<std::uint32_t>(i);
        destructure(a, items[i], element, let);
    }
    if (rest) {
        Node* tail = a.nodes.make(NodeKind::Tail, a.span_of(*rest), kValue, {source(*rest)});
        tail->index = static_cast<std::uint32_t>(end);
        bind_rest(a, *rest, tail, let);
    }
    if (whole) destructure(a, *whole, source(*whole), let);
}

void bind_to_nil(Analyzer& a, const Form& pattern) {
    if (is_binding_name(pattern)) {
        return a.names.bind(pattern.text(), a.nodes.nil(a.span_of(pattern)));
    }
    if (!pattern.is(FormKind::Vector) && !pattern.is(FormKind::Map)) return;
    for (const Form& part : pattern.items()) {
        if (a.reports.stopped() || !work::charge(2)) return;
        bind_to_nil(a, part);
    }
}

} // namespace

void destructure(Analyzer& a, const Form& pattern, Node* value, Let& let) {
    if (is_binding_name(pattern)) {
        if (value->kind == NodeKind::Constant) return a.names.bind(pattern.text(), value);
        Local* local = a.nodes.new_local(pattern.text(), a.span_of(pattern));
        let.add(local, value);
        return a.names.bind(pattern.text(), local);
    }
    const std::size_t reports = a.reports.count();
    if (pattern.is(FormKind::Vector))
        destructure_vector(a, pattern, value, let);
    else if (pattern.is(FormKind::Map))
        destructure_map(a, pattern, value, let);
    else
        a.report(bad_pattern(a.span_of(pattern), describe_form(pattern)));
    if (a.reports.count() != reports) bind_to_nil(a, pattern);
}

void bind_rest(Analyzer& a, const Form& pattern, Node* rest, Let& let) {
    if (!pattern.is(FormKind::Map)) {
        destructure(a, pattern, rest, let);
        if (is_binding_name(pattern) && !a.at.site.core && a.at.site.scope->kind == BindingKind::Local)
            a.at.site.scope->local->is_sequence = true;
        return;
    }
    Local* local = let.temporary(rest);
    const Binding* const scope = a.at.site.scope;
    a.names.bind(kRestName, local);
    static constexpr std::string_view kConvert = "keyword-arguments%";
    const CoreFunction* convert = a.core.find(kConvert);
    const Form items[2] = {hidden_name(kConvert, a.span_of(pattern)), hidden_name(kRestName, a.span_of(pattern))};
    const Form call = call_of(items, a.span_of(pattern));
    Node* map = convert && convert->arity(1) ? a.inline_core(*convert, *convert->arity(1), call, kValue)
                                             : a.nodes.reference(local, call.span);
    a.at.site.scope = scope;
    destructure_map(a, pattern, map, let);
}

} // namespace ptc
