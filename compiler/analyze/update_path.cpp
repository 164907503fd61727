// update-in along a path that stands in the program. The path is known, so is the nesting: (update-in m [k1 k2] f a ..)
// is (update m k1 (fn [it] (update it k2 (fn [it] (f it a ..))))), as nested Update nodes around one inlined call of f.
// A path that a let gives a name, and longer ones made of it by conj, stand in the program as well.
#include "compiler/analyze/update_path.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/inlining.h"
#include <algorithm>
#include <string>
#include <vector>

namespace ptc {
namespace {

/// The names of (f it a ..), which no source text can contain.
constexpr std::string_view kUpdateCall[] = {" f", " it", " a", " b", " c", " d", " e"};

/// Binds f and the arguments after the old value to kUpdateCall; what must be evaluated is added to `let`.
void bind_update_call(Analyzer& a, const CoreFunction& function, FormSpan arguments, Let& let,
                      std::span<Binding> bindings) {
    ParamUse use;
    use.direct = true;
    if (arguments.size() < ParamUse::kCounted)
        use.calls[arguments.size()] = 1;
    else
        use.escapes = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::size_t at = i == 0 ? 0 : i + 1; // 1 is the old value
        Binding& binding = bindings[at];
        if (!pass_on(a, arguments[i], binding) && !(i == 0 && pass_lambda(a, arguments[i], use, binding, let))) {
            Node* value = a.analyze(arguments[i], kValue);
            if (i == 0) value = check_callable(a, function, 2, use, value);
            bind_node(value, false, binding, let);
        }
        binding.name = kUpdateCall[at];
    }
}

constexpr std::size_t kMostItems = 8;

bool is_item(const Node* node) { return node->kind == NodeKind::LocalRef || node->kind == NodeKind::Constant; }

/// Appends the items of a path that has a name; false when it is none.
bool add_items(Analyzer& a, const Form& path, std::vector<Form>& items) {
    if (path.is(FormKind::Symbol)) {
        const Binding* found = find_binding(a.at.site.scope, path.text(), name_hash(path.text()));
        if (!found || found->kind != BindingKind::Local || !found->local->items) return false;
        for (const Node* item : found->local->items->children) {
            const std::string_view name = a.nodes.keep_text(" key" + std::to_string(items.size()));
            if (item->kind == NodeKind::Constant)
                a.names.bind(name, a.nodes.literal(item->constant, path.span, kValue));
            else
                a.names.bind(name, item->local);
            items.push_back(hidden_name(name, path.span));
        }
        return true;
    }
    if (!path.is(FormKind::List) || path.size < 2 || !path.items()[0].is_symbol("conj")) return false;
    const Resolved head = a.names.resolve(path.items()[0], false);
    if (head.kind != Resolved::Builtin || !add_items(a, path.items()[1], items)) return false;
    items.insert(items.end(), path.items().begin() + 2, path.items().end());
    return true;
}

} // namespace

void note_path(Analyzer& a, const Form& name, const Node* value) {
    if (value->kind != NodeKind::Vector || value->children.size() > kMostItems || !name.is(FormKind::Symbol) ||
        !std::all_of(value->children.begin(), value->children.end(), is_item))
        return;
    const Binding* found = find_binding(a.at.site.scope, name.text(), name_hash(name.text()));
    if (found && found->kind == BindingKind::Local) found->local->items = value;
}

std::optional<Form> written_path(Analyzer& a, const Form& path) {
    std::vector<Form> items;
    if (!add_items(a, path, items) || items.empty() || items.size() > kMostItems) return std::nullopt;
    Form* copy = a.nodes.allocate<Form>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), copy);
    Form vector = call_of({copy, items.size()}, path.span);
    vector.kind = FormKind::Vector;
    return vector;
}

Node* update_path(Analyzer& a, const CoreFunction& function, const Form& list, Tail tail) {
    const Span span = a.span_of(list);
    const FormSpan arguments = list.items().subspan(1);
    const FormSpan path = arguments[1].items();
    const std::size_t count = arguments.size() - 1;
    const Binding* const scope = a.at.site.scope;
    Let let(a.nodes);
    Node* coll = a.analyze(arguments[0], kValue);
    if (count > 2 || !is_trivial(arguments[2])) coll = a.nodes.reference(let.temporary(coll), span);
    NodeList keys(a.nodes);
    for (const Form& form : path) {
        Node* key = a.analyze(form, kValue);
        if (!is_item(key)) key = a.nodes.reference(let.temporary(key), key->span);
        keys.add(key);
    }
    Binding bindings[std::size(kUpdateCall)];
    bind_update_call(a, function, arguments.subspan(2), let, bindings);

    Node* root = nullptr;
    Node** hole = &root;
    Local* old = nullptr;
    for (std::size_t i = 0; i < path.size(); ++i) {
        Node* from = i == 0 ? coll : a.nodes.reference(old, span);
        Node* node = a.nodes.make(NodeKind::Update, span, i == 0 ? tail : kValue, {from, keys[i], nullptr});
        old = a.nodes.new_local("", span);
        node->locals = a.nodes.copy(std::span<Local* const>(&old, 1));
        node->text = function.name;
        *hole = node;
        hole = &node->children[2];
    }
    bindings[1].local = old;
    bindings[1].name = kUpdateCall[1];
    auto* items = a.nodes.allocate<Form>(count);
    for (std::size_t i = 0; i < count; ++i) {
        a.names.bind(bindings[i]);
        items[i] = hidden_name(kUpdateCall[i], span);
    }
    *hole = a.analyze(call_of({items, count}, span), kValue);
    a.at.site.scope = scope;
    return let.finish(root, span, tail);
}

} // namespace ptc
