// Vectors, maps and sets as they are written: one whose items are all constants is a constant itself, made here; any
// other is made when the program runs.
#include "compiler/analyze/collections.h"
#include "compiler/analyze/analysis.h"
#include "compiler/language/form_identity.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/vector.h"
#include <algorithm>

namespace ptc {
namespace {

bool all_constant(std::span<Node* const> nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [](const Node* node) { return node->kind == NodeKind::Constant; });
}

Result<Value> constant_map(Heap& heap, std::span<Node* const> nodes) {
    if (nodes.empty()) return empty_map();
    MapBuilder builder(heap);
    for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) {
        if (!work::charge(1)) break; // the analysis has ended
        builder.put(Value::adopt(nodes[i]->constant), Value::adopt(nodes[i + 1]->constant));
    }
    return builder.finish();
}

Result<Value> constant_set(Heap& heap, std::span<Node* const> nodes) {
    if (nodes.empty()) return empty_set();
    SetBuilder builder(heap);
    for (const Node* node : nodes) {
        if (!work::charge(1) || !builder.put(Value::adopt(node->constant))) break;
    }
    return builder.finish();
}

Result<Value> constant_vector(Heap& heap, std::span<Node* const> nodes) {
    if (nodes.empty()) return empty_vector();
    VectorBuilder builder(heap);
    if (!builder.reserve(nodes.size())) return heap.out_of_memory();
    for (const Node* node : nodes)
        builder.push(Value::adopt(node->constant));
    return builder.finish();
}

using MakeConstant = Result<Value> (*)(Heap& heap, std::span<Node* const> nodes);

Node* analyze_collection(Analyzer& a, const Form& form, NodeKind kind, MakeConstant make_constant, Tail tail) {
    NodeList items(a.nodes);
    if (a.names.lazy_escapes() && !a.at.site.core) { // what stands in a collection is all there
        for (const Form& item : form.items()) {
            if (a.reports.stopped()) break;
            Form* call = a.nodes.allocate<Form>(2);
            new (&call[0]) Form(hidden_name(" whole%", item.span));
            new (&call[1]) Form(item);
            Node* node = a.analyze(call_of({call, 2}, item.span), kValue);
            items.add(node);
        }
    } else {
        for (const Form& item : form.items()) {
            if (a.reports.stopped()) break;
            Node* node = a.analyze(item, kValue);
            items.add(node);
        }
    }
    if (all_constant(items.items()))
        return a.nodes.literal(make_constant(a.heap, items.items()), a.span_of(form), tail);
    Node* node = a.nodes.make(kind, a.span_of(form), tail);
    node->children = items.take();
    return node;
}

// GAP-S147: a key form written twice is an error of the program; keys that only turn out equal when run are not
// (DIV-06).
bool check_duplicates(Analyzer& a, FormSpan items, std::size_t step, const char* what) {
    const std::size_t count = items.size() / step;
    if (count < 2 || a.at.site.core) return true;
    SameForms keys(count);
    bool distinct = true;
    for (std::size_t i = 0; i < count && work::charge(2) && !a.reports.is_full(); ++i) {
        const Form& key = items[i * step];
        if (const Form* earlier = keys.add(key)) {
            a.report(repeated_key(key.span, earlier->span, what));
            distinct = false;
        }
    }
    return distinct;
}

} // namespace

Node* analyze_vector(Analyzer& a, const Form& form, Tail tail) {
    return analyze_collection(a, form, NodeKind::Vector, constant_vector, tail);
}

Node* analyze_set(Analyzer& a, const Form& form, Tail tail) {
    if (!check_duplicates(a, form.items(), 1, "item")) return a.nodes.nil(a.span_of(form), tail);
    return analyze_collection(a, form, NodeKind::Set, constant_set, tail);
}

Node* analyze_map(Analyzer& a, const Form& form, Tail tail) {
    if (!check_duplicates(a, form.items(), 2, "key")) return a.nodes.nil(a.span_of(form), tail);
    return analyze_collection(a, form, NodeKind::Map, constant_map, tail);
}

Node* quoted_collection(Analyzer& a, const Form& form, Tail tail) {
    const bool is_map = form.is(FormKind::Map);
    const bool has_keys = is_map || form.is(FormKind::Set);
    if (has_keys && !check_duplicates(a, form.items(), is_map ? 2 : 1, is_map ? "key" : "item"))
        return a.nodes.nil(a.span_of(form), tail);
    NodeList items(a.nodes);
    for (const Form& item : form.items()) {
        if (a.reports.stopped()) return a.nodes.unread(a.span_of(form));
        Node* node = a.quoted(item, a.span_of(item), kValue);
        items.add(node);
    }
    const MakeConstant make = is_map ? constant_map : has_keys ? constant_set : constant_vector;
    return a.nodes.literal(make(a.heap, items.items()), a.span_of(form), tail);
}

} // namespace ptc
