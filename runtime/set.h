// Sets: the same storage as large maps, without values. Views are sorted.
#pragma once
#include "runtime/vector.h"
#include "runtime/vector_keys.h"

namespace ptc {

Value empty_set();
inline std::size_t set_count(const Value& set) { return as_table(set).count; }
/// The member that equals `item`, borrowed; null when there is none.
inline const Value* set_find(Heap& heap, const Value& set, const Value& item) { return find_key(heap, set, item); }
Result<Value> set_conj(Heap& heap, Value set, Value item);
Result<Value> set_disj(Heap& heap, Value set, const Value& item);

/// The members in the total order, or that of a comparator; as MapView.
class SetView {
public:
    /// `set` must outlive the view and not change.
    static Result<SetView> of(Heap& heap, const Value& set);
    /// In the total order, whatever a comparator says: for comparing sets.
    static Result<SetView> upwards(Heap& heap, const Value& set);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const Value& item(std::size_t i) const { return *items_[last_ == kUpwards ? i : last_ - i]; }
    SetView() = default;

private:
    static constexpr std::size_t kUpwards = SIZE_MAX;
    std::size_t size_ = 0;
    std::size_t last_ = kUpwards;
    const Value* const* items_ = nullptr;
    Value holder_;
};

/// The members as a vector, in the total order.
Result<Value> set_items(Heap& heap, const Value& set);

/// Builds a set from members in any order.
class SetBuilder {
public:
    explicit SetBuilder(Heap& heap);
    /// False when it failed; finish reports why.
    bool put(Value item);
    Result<Value> finish();

private:
    Heap& heap_;
    Value set_;
    ErrorPtr error_;
};

} // namespace ptc
