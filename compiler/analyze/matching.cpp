// Comparing a value with constants: as a whole, or item by item where it is a vector that is written out.
#include "compiler/analyze/matching.h"
#include "compiler/analyze/analysis.h"
#include <algorithm>

namespace ptc {
namespace {

/// A longer vector is made once and compared as a whole: its tests would take more room than they save.
constexpr std::size_t kMostItems = 4;

/// What a Let gives, the variables of which are added to `let`.
Node* without_lets(Node* value, Let& let) {
    for (; value->kind == NodeKind::Let; value = value->children.back()) {
        for (std::size_t i = 0; i < value->locals.size(); ++i)
            let.add(value->locals[i], value->children[i]);
    }
    return value;
}

/// A variable that keeps the value of `item`: itself, if it is one that stays as it is.
Local* variable_of(Analyzer& a, Node* item, Let& let) {
    const bool stays = item->kind == NodeKind::LocalRef && !item->local->varies;
    if (!stays) return let.temporary(item);
    Local* local = item->local;
    a.nodes.discard(item);
    return local;
}

} // namespace

bool is_constant_literal(const Form& form) {
    if (form.kind < FormKind::Symbol) return true;
    if (!form.is(FormKind::Vector) && !form.is(FormKind::Map) && !form.is(FormKind::Set)) return false;
    return std::all_of(form.items().begin(), form.items().end(), is_constant_literal);
}

Matched::Matched(Analyzer& a, Node* value, bool in_parts, Let& let) : a_(a) {
    if (in_parts) value = without_lets(value, let);
    if (!in_parts || value->kind != NodeKind::Vector || value->children.size() > kMostItems) {
        whole_ = variable_of(a, value, let);
        return;
    }
    for (Node* item : value->children)
        items_.push_back(variable_of(a, item, let));
}

Node* Matched::equals(const Form& constant) const {
    if (!whole_) return items_equal(constant);
    const Span span = a_.span_of(constant);
    return a_.nodes.native_call("=", span, kValue, {a_.analyze(constant, kValue), a_.nodes.reference(whole_, span)});
}

Node* Matched::items_equal(const Form& constant) const {
    const Span span = a_.span_of(constant);
    const FormSpan wanted = constant.items();
    if (!constant.is(FormKind::Vector) || wanted.size() != items_.size())
        return a_.nodes.literal(bits::kFalse, span, kValue);
    NodeList tests(a_.nodes);
    for (std::size_t i = 0; i < items_.size(); ++i) {
        Node* item = a_.analyze(wanted[i], kValue);
        tests.add(a_.nodes.native_call("=", span, kValue, {item, a_.nodes.reference(items_[i], span)}));
    }
    if (items_.size() == 1) return tests[0];
    Node* all = a_.nodes.make(NodeKind::And, span);
    all->children = tests.take();
    return all;
}

Node* Matched::whole(Span span) const {
    if (whole_) return a_.nodes.reference(whole_, span);
    NodeList items(a_.nodes);
    for (Local* item : items_)
        items.add(a_.nodes.reference(item, span));
    Node* vector = a_.nodes.make(NodeKind::Vector, span);
    vector->children = items.take();
    return vector;
}

} // namespace ptc
