#include "compiler/analyze/loop_scope.h"
#include "compiler/analyze/analysis.h"

namespace ptc {

LoopScope::LoopScope(Analyzer& a) : a_(a), is_outermost_(a.at.hoist == nullptr) {
    if (is_outermost_) a.at.hoist = &data_;
}

Node* LoopScope::finish(Node* loop, Tail tail) {
    if (!is_outermost_) return loop;
    a_.at.hoist = nullptr;
    Let let(a_.nodes);
    for (const HoistedData::Item* item = data_.first; item; item = item->next) {
        Node* node = a_.nodes.make(NodeKind::DataRef, item->span);
        node->text = item->name;
        let.add(item->local, node);
    }
    return let.finish(loop, loop->span, tail);
}

// Context does not change while a program runs: inside of a loop it is read once, before the loop.
Node* data_reference(Analyzer& a, std::string_view name, Span span, Tail tail) {
    a.names.note_data(name);
    HoistedData* const hoisted = a.at.hoist;
    if (!hoisted) {
        Node* node = a.nodes.make(NodeKind::DataRef, span, tail);
        node->text = name;
        return node;
    }
    for (const HoistedData::Item* item = hoisted->first; item; item = item->next) {
        if (item->name == name) return a.nodes.reference(item->local, span, tail);
    }
    Local* local = a.nodes.new_local(name, span);
    hoisted->first = a.nodes.create<HoistedData::Item>(name, local, span, hoisted->first);
    return a.nodes.reference(local, span, tail);
}

} // namespace ptc
