// let, loop, recur, and destructuring.
#include "compiler/analyze/analysis.h"
#include "runtime/string.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kRestName = " rest";

/// A pattern of a kind that does not exist.
Error unsupported(Span where, std::string message, std::string hint) {
    Error error = bad_shape(where, std::move(message), std::move(hint));
    error.reason = Reason::UnsupportedPattern;
    return error;
}

bool is_number(const Form& form) {
    return form.is(FormKind::Integer) || form.is(FormKind::BigInteger) || form.is(FormKind::Float);
}

} // namespace

void Analyzer::push(Binding binding) {
    binding.hash = name_hash(binding.name);
    binding.outer = site_.scope;
    site_.scope = create<Binding>(binding);
}

void Analyzer::push(std::string_view name, Local* local) {
    Binding binding;
    binding.name = name;
    binding.local = local;
    push(binding);
}

/// `form` is a vector of pairs; reports what it is instead.
bool Analyzer::check_bindings(const Form& form, const Form& list) {
    const SpecialForm* special = special_of(list);
    if (!form.is(FormKind::Vector)) {
        report(bad_form(span_of(form), *special, "bindings stand in a vector: [name value]"));
        return false;
    }
    if (form.size % 2 != 0) {
        report(bad_form(span_of(form), *special, "bindings are pairs of name and value; the last name has no value"));
        return false;
    }
    for (std::size_t i = 0; i < form.size; i += 2) {
        const Form& value = form.items()[i + 1];
        if (!form.items()[i].is(FormKind::Map) || !is_number(value)) continue;
        Error error = bad_shape(span_of(value), "A number has no keys: a map pattern takes a map apart.", {});
        error.reason = Reason::DestructureError;
        report(std::move(error));
        return false;
    }
    return true;
}

Node* Analyzer::let_form(const Form& list, Place place) {
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span_of(list), place);
    const Form& bindings = list.items()[1];
    if (!check_bindings(bindings, list)) return nil(span_of(list), place);
    const Binding* const scope = site_.scope;
    Let let(*this);
    for (std::size_t i = 0; i < bindings.size; i += 2) {
        Node* value = analyze(bindings.items()[i + 1], kValue);
        destructure(bindings.items()[i], value, let);
    }
    Node* body = analyze_body(list.items().subspan(2), span_of(list), place);
    site_.scope = scope;
    return let.finish(body, span_of(list), place);
}

Node* Analyzer::loop_form(const Form& list, Place place) {
    const Span span = span_of(list);
    if (!check_parts(list, 1, SIZE_MAX)) return nil(span, place);
    const Form& bindings = list.items()[1];
    if (!check_bindings(bindings, list)) return nil(span, place);
    bool patterns = false;
    for (std::size_t i = 0; i < bindings.size; i += 2)
        patterns = patterns || !is_binding_name(bindings.items()[i]);
    const Binding* const scope = site_.scope;
    RecurTarget* const outer = recur_;
    RecurTarget target{make(NodeKind::Loop, span, place), bindings.size / 2};
    Node* result = patterns ? pattern_loop(list, place, target) : plain_loop(list, place, target);
    recur_ = outer;
    site_.scope = scope;
    if (!target.used) target.loop->kind = NodeKind::Let;
    return result;
}

Node* Analyzer::plain_loop(const Form& list, Place place, RecurTarget& target) {
    const FormSpan bindings = list.items()[1].items();
    Let let(*this);
    for (std::size_t i = 0; i < bindings.size(); i += 2) {
        Node* value = analyze(bindings[i + 1], kValue);
        Local* local = new_local(bindings[i].text(), bindings[i].span);
        let.add(local, value);
        push(local->name, local);
    }
    recur_ = &target;
    LoopScope loop(*this);
    Node* body = analyze_body(list.items().subspan(2), span_of(list), static_cast<Place>(place | kRecurTail));
    return loop.finish(let.finish(body, span_of(list), place, target.loop), place);
}

/// With patterns the first values are taken apart twice: once because later values may use the parts, and in each
/// round.
Node* Analyzer::pattern_loop(const Form& list, Place place, RecurTarget& target) {
    const Span span = span_of(list);
    const FormSpan bindings = list.items()[1].items();
    const Binding* const scope = site_.scope;
    Let first(*this);
    std::vector<Local*> values;
    for (std::size_t i = 0; i < bindings.size(); i += 2) {
        Local* value = first.temporary(analyze(bindings[i + 1], kValue));
        values.push_back(value);
        if (is_binding_name(bindings[i]))
            push(bindings[i].text(), value);
        else
            destructure(bindings[i], reference(value, value->span), first);
    }
    site_.scope = scope;
    recur_ = &target;
    LoopScope loop(*this);
    Let variables(*this);
    for (std::size_t i = 0; i < bindings.size(); i += 2) {
        const Form& pattern = bindings[i];
        Local* variable = new_local(is_binding_name(pattern) ? pattern.text() : std::string_view(), pattern.span);
        variables.add(variable, reference(values[i / 2], values[i / 2]->span));
        values[i / 2] = variable;
    }
    Let parts(*this);
    for (std::size_t i = 0; i < bindings.size(); i += 2) {
        const Form& pattern = bindings[i];
        if (is_binding_name(pattern))
            push(pattern.text(), values[i / 2]);
        else
            destructure(pattern, reference(values[i / 2], pattern.span), parts);
    }
    Node* body = analyze_body(list.items().subspan(2), span, static_cast<Place>(place | kRecurTail));
    body = parts.finish(body, span, place);
    variables.finish(body, span, place, target.loop);
    return loop.finish(first.finish(target.loop, span, place), place);
}

Node* Analyzer::recur_form(const Form& list, Place place) {
    const Span span = span_of(list);
    const FormSpan arguments = list.items().subspan(1);
    if ((place & kRecurTail) == 0 || !recur_) {
        if (!check_dropped(arguments)) return nil(span, place);
        return failed(misplaced_recur(span, recur_ != nullptr));
    }
    if (arguments.size() != recur_->count) {
        if (!check_dropped(arguments)) return nil(span, place);
        return failed(wrong_recur(span, recur_->count, arguments.size(), recur_->loop != nullptr));
    }
    RecurTarget& target = *recur_;
    target.used = true;
    Node* node = make(NodeKind::Recur, span, place);
    analyze_arguments(node, arguments, node_stack_.size());
    node->target = target.loop;
    return node;
}

// ---- Patterns
// ----------------------------------------------------------------------------------------------------------

void Analyzer::destructure(const Form& pattern, Node* value, Let& let) {
    if (is_binding_name(pattern)) {
        Binding binding;
        binding.name = pattern.text();
        if (value->kind == NodeKind::Constant) { // known wherever it is used
            binding.kind = BindingKind::Node;
            binding.node = value;
        } else {
            binding.local = new_local(pattern.text(), span_of(pattern));
            let.add(binding.local, value);
        }
        return push(binding);
    }
    const std::size_t reports = reports_;
    if (pattern.is(FormKind::Vector))
        destructure_vector(pattern, value, let);
    else if (pattern.is(FormKind::Map))
        destructure_map(pattern, value, let);
    else
        report(bad_pattern(span_of(pattern), describe_form(pattern)));
    if (reports_ != reports) bind_to_nil(pattern);
}

void Analyzer::bind_to_nil(const Form& pattern) {
    if (is_binding_name(pattern)) {
        Binding binding;
        binding.name = pattern.text();
        binding.kind = BindingKind::Node;
        binding.node = nil(span_of(pattern));
        return push(binding);
    }
    if (!pattern.is(FormKind::Vector) && !pattern.is(FormKind::Map)) return;
    for (const Form& part : pattern.items())
        bind_to_nil(part);
}

// [a b & rest :as all]
void Analyzer::destructure_vector(const Form& pattern, Node* value, Let& let) {
    const FormSpan items = pattern.items();
    std::size_t end = items.size();
    const Form* whole = nullptr;
    const Form* rest = nullptr;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].is(FormKind::Keyword) && items[i].text() == "as") {
            if (i + 2 != items.size() || !is_binding_name(items[i + 1])) {
                return report(unsupported(span_of(items[i]),
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
                return report(bad_shape(span_of(items[i]), "`&` stands before exactly one name, which takes the rest.",
                                        "[a b & more]"));
            }
            rest = &items[i + 1];
            end = i;
            ++i;
        }
    }
    const std::size_t parts = end + (whole ? 1 : 0) + (rest ? 1 : 0);
    Local* local = value->kind == NodeKind::LocalRef && parts != 1 ? value->local : nullptr;
    if (local)
        --local->uses;
    else if (parts != 1)
        local = let.temporary(value);
    const auto source = [&](const Form& form) { return local ? reference(local, span_of(form)) : value; };
    if (whole) destructure(*whole, source(*whole), let);
    for (std::size_t i = 0; i < end; ++i) {
        Node* element = make(NodeKind::Elem, span_of(items[i]), kValue, {source(items[i])});
        element->index = static_cast<std::uint32_t>(i);
        destructure(items[i], element, let);
    }
    if (rest) {
        Node* tail = make(NodeKind::Tail, span_of(*rest), kValue, {source(*rest)});
        tail->index = static_cast<std::uint32_t>(end);
        bind_rest(*rest, tail, let);
    }
}

/// `& pattern`; a map pattern takes the rest as keys and values (GAP-S07).
void Analyzer::bind_rest(const Form& pattern, Node* rest, Let& let) {
    if (!pattern.is(FormKind::Map)) return destructure(pattern, rest, let);
    Local* local = let.temporary(rest);
    const Binding* const scope = site_.scope;
    push(kRestName, local);
    static constexpr std::string_view kConvert = "keyword-arguments%";
    const CoreFunction* convert = core_.find(kConvert);
    const Form items[2] = {hidden_name(kConvert, span_of(pattern)), hidden_name(kRestName, span_of(pattern))};
    const Form call = call_of(items, span_of(pattern));
    Node* map = convert && convert->arity(1) ? inline_core(*convert, *convert->arity(1), call, kValue)
                                             : reference(local, call.span);
    site_.scope = scope;
    destructure_map(pattern, map, let);
}

// {name :key, :keys [a b], :strs [c], :or {a 1}, :as all}
void Analyzer::destructure_map(const Form& pattern, Node* value, Let& let) {
    const FormSpan items = pattern.items();
    const Form* defaults = nullptr;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i].is(FormKind::Keyword) || items[i].text() != "or") continue;
        defaults = &items[i + 1];
        bool fits = defaults->is(FormKind::Map);
        for (std::size_t k = 0; fits && k < defaults->size; k += 2)
            fits = is_binding_name(defaults->items()[k]);
        if (!fits) {
            report(bad_shape(span_of(*defaults), "`:or` takes a map from names to defaults.", ":or {name default}"));
            defaults = nullptr; // the names are bound all the same: one mistake, one error
        }
    }
    Local* map = nullptr;
    if (value->kind == NodeKind::LocalRef) {
        map = value->local;
        --map->uses;
    } else {
        map = let.temporary(value);
    }
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const Form& part = items[i];
        const Form& what = items[i + 1];
        if (!part.is(FormKind::Keyword)) {
            bind_field(part, analyze(what, kValue), map, defaults, let);
            continue;
        }
        const std::string_view option = part.text();
        if (option == "or") continue;
        if (option == "as") {
            if (!is_binding_name(what))
                report(bad_shape(span_of(what), "`:as` takes a name for the whole map.", "{:keys [a] :as all}"));
            else
                destructure(what, reference(map, span_of(what)), let);
        } else if (option == "keys" || option == "strs" || option == "syms") {
            bind_names(what, option, map, defaults, let);
        } else {
            report(unsupported(span_of(part), "`:" + std::string(option) + "` is not a part of a map pattern.",
                               "Write {name :" + std::string(option) + "}, or {:keys [" + std::string(option) + "]}."));
        }
    }
}

/// The names of `option`: "keys", "strs" or "syms".
void Analyzer::bind_names(const Form& names, std::string_view option, Local* map, const Form* defaults, Let& let) {
    const std::string quoted_option = "`:" + std::string(option) + "`";
    if (!names.is(FormKind::Vector)) {
        return report(bad_shape(span_of(names), quoted_option + " takes a vector of names.", "{:keys [a b]}"));
    }
    for (const Form& item : names.items()) {
        const bool is_keyword = item.is(FormKind::Keyword) && option == "keys";
        if (!is_keyword && !is_binding_name(item)) {
            report(bad_shape(span_of(item), quoted_option + " takes names, not " + describe_form(item) + ".",
                             "{:keys [a b]}"));
            continue;
        }
        Form name = item;
        name.kind = FormKind::Symbol;
        const Span span = span_of(item);
        Node* key = option == "strs"   ? string(item.text(), span, kValue)
                    : option == "syms" ? quoted(name, kValue, span)
                                       : keyword(item.text(), span, kValue);
        bind_field(name, key, map, defaults, let);
    }
}

const Form* Analyzer::find_default(const Form* defaults, std::string_view name) const {
    for (std::size_t i = 0; defaults && i + 1 < defaults->size; i += 2) {
        if (defaults->items()[i].text() == name) return &defaults->items()[i + 1];
    }
    return nullptr;
}

void Analyzer::bind_field(const Form& pattern, Node* key, Local* map, const Form* defaults, Let& let) {
    const Span span = span_of(pattern);
    const Form* otherwise = is_binding_name(pattern) ? find_default(defaults, pattern.text()) : nullptr;
    if (key->kind != NodeKind::Constant) {
        discard(key);
        return report(bad_shape(key->span, "The key of a map pattern is a constant.", "{name :key}"));
    }
    Node* node = make(NodeKind::Field, span);
    const std::size_t first = node_stack_.size();
    node_stack_.push_back(reference(map, span));
    if (otherwise) {
        Node* value = analyze(*otherwise, kValue);
        node_stack_.push_back(value);
    }
    node->children = take_nodes(first);
    node->constant = key->constant;
    destructure(pattern, node, let);
}

} // namespace ptc
