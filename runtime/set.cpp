#include "runtime/set.h"
#include "frontend/try.h"
#include "runtime/sorted_view.h"
#include "runtime/vector_keys.h"
#include "runtime/view_edits.h"
#include <memory>

namespace ptc {

namespace {

constinit const HashTableObject empty_table{{kImmortal, ObjectType::HashSet, 0, 0}, 0, 0, nullptr, nullptr, 0, nullptr};

Result<Value> conj(Heap& heap, Value set, const Value& item, bool exclusive) {
    (void)PTC_TRY(keyed_open(heap, set, key_hash(heap, item), item, exclusive));
    return set;
}

} // namespace

Value empty_set() { return Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(&empty_table)); }

Result<Value> set_conj(Heap& heap, Value set, Value item) {
    const auto [hash, known] = find_with_hash(heap, set, item);
    if (known) return set;
    if (set.is_sole_owner() && set.is(ObjectType::HashSet)) {
        HashTableObject& table = as_table(set);
        if (table.flags & HashTableObject::kArranged) return no_place_for_key(set);
        Value* entry = append_entry(heap, table, 1, hash);
        if (!entry) return heap.out_of_memory();
        std::construct_at(entry, std::move(item));
        view_add(heap, table, entry);
        return set;
    }
    return conj(heap, std::move(set), item, false);
}

Result<Value> set_disj(Heap& heap, Value set, const Value& item) {
    Value rest = PTC_TRY(keyed_remove(heap, std::move(set), item));
    return set_count(rest) == 0 && order_of(rest) == 0 ? empty_set() : std::move(rest);
}

Result<SetView> SetView::of(Heap& heap, const Value& set) {
    if (order_of(set) & HashTableObject::kArranged) {
        SetView view;
        view.size_ = set_count(set);
        view.items_ = PTC_TRY(arranged_view(heap, set, view.holder_))->entries();
        return view;
    }
    SetView view = PTC_TRY(upwards(heap, set));
    if (order_of(set) != 0) view.last_ = view.size_ - 1;
    return view;
}

Result<SetView> SetView::upwards(Heap& heap, const Value& set) {
    SetView view;
    view.size_ = set_count(set);
    if (view.size_ == 0) return view;
    view.items_ = PTC_TRY(sorted_view(heap, set, view.holder_))->entries();
    if (view.holder_.is_nil()) view.holder_ = base_owner(set);
    return view;
}

Result<Value> set_items(Heap& heap, const Value& set) {
    SetView view = PTC_TRY(SetView::of(heap, set));
    if (!heap.meter.charge(static_cast<std::int64_t>(view.size()))) return heap.meter.error();
    VectorBuilder items(heap);
    if (!items.reserve(view.size())) return heap.out_of_memory();
    for (std::size_t i = 0; i < view.size(); ++i)
        items.push(view.item(i).copy());
    return items.finish();
}

SetBuilder::SetBuilder(Heap& heap) : heap_(heap), set_(empty_set()) {}

bool SetBuilder::put(Value item) {
    if (!error_ && !heap_.meter.charge(1)) error_ = ErrorPtr(heap_.meter.error());
    if (error_) return false;
    bool is_ours = set_count(set_) != 0; // what is not the shared empty set was made here
    auto next = conj(heap_, std::move(set_), item, is_ours);
    if (!next.ok()) {
        error_ = next.take_error();
        set_ = empty_set();
        return false;
    }
    set_ = std::move(next).value();
    return true;
}

Result<Value> SetBuilder::finish() {
    if (error_) return std::move(error_);
    if (set_count(set_) != 0) {
        // Frozen sets are read by several threads, so what they keep must be there from the start.
        if (heap_.is_frozen()) as_table(set_).view = PTC_TRY(make_sorted_view(heap_, set_));
        as_table(set_).flags |= HashTableObject::kCopyPaid;
    }
    return std::exchange(set_, empty_set());
}

} // namespace ptc
