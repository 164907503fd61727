// Equality and order as programs see them. The same walk (pair_walk.h) serves `=` and `<`: the first difference
// decides. It is not total_order (equality.h): there 1 and 1.0 are two keys, here they tie. Rows of leaves, which is
// what most sorting compares, are compared without a stack.
#include "runtime/ordering.h"
#include "runtime/number.h"
#include "runtime/pair_walk.h"
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

namespace ptc {
namespace {

int sign_of(std::size_t a, std::size_t b) { return a < b ? -1 : a > b; }
int sign_of(std::partial_ordering order) { return order < 0 ? -1 : order > 0; }

void charge_comparing(Heap& heap, const Value& a, const Value& b) {
    if (a.is_object() && b.is_object()) charge_reading(heap, std::min(integer_bytes(a), integer_bytes(b)));
}

int compare_leaves(Heap& heap, const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return a.raw() < b.raw() ? -1 : a.raw() > b.raw();
    if (a.is_number() && b.is_number()) {
        charge_comparing(heap, a, b);
        std::partial_ordering order = compare_numbers(a, b);
        if (order != std::partial_ordering::unordered) return sign_of(order);
    }
    return total_order(heap, a, b);
}

// Zero or not; the sign means nothing.
int differ_as_leaves(Heap& heap, const Value& a, const Value& b) {
    if (a.raw() == b.raw() && !a.is_double()) return 0;
    if (a.is_number() && b.is_number()) {
        charge_comparing(heap, a, b);
        return !numbers_equivalent(a, b);
    }
    return !equal(heap, a, b);
}

enum class Goal : std::uint8_t { Order, Equality };

int leaf(Heap& heap, Goal goal, const Value& a, const Value& b) {
    return goal == Goal::Order ? compare_leaves(heap, a, b) : differ_as_leaves(heap, a, b);
}

/// Answers at the first pair of leaves that differs; 0 when there is none.
class LooseWalk : PairWalk {
public:
    LooseWalk(Heap& heap, Goal goal) : PairWalk(heap), goal_(goal) {}

    int run(const Value& a, const Value& b) {
        return PairWalk::run(a, b, 1, [this](const Value& x, const Value& y) { return enter(x, y); });
    }

private:
    int enter(const Value& a, const Value& b) {
        if (a.is_vector() && b.is_vector()) return enter_vectors(a, b);
        if (a.is_map() && b.is_map()) return enter_maps(a, b);
        return leaf(heap_, goal_, a, b);
    }

    int enter_vectors(const Value& a, const Value& b) {
        if (a.raw() == b.raw()) return 0;
        if (int difference = sign_of(vector_length(a), vector_length(b))) return difference;
        push_vectors(a, b);
        return 0;
    }

    /// Keys are compared at once, by the total order; what is left are the values.
    int enter_maps(const Value& a, const Value& b) {
        if (a.raw() == b.raw()) return 0;
        if (int difference = sign_of(map_count(a), map_count(b))) return difference;
        heap_.meter.charge_unchecked(8); // views, levels: about the work of as many elements
        auto left = MapView::by_key(heap_, a);
        auto right = MapView::by_key(heap_, b);
        if (!left.ok() || !right.ok()) return total_order(heap_, a, b); // no room for the sorted views
        const std::size_t size = left.value().size();
        for (std::size_t i = 0; i < size; ++i) {
            if (!heap_.meter.charge(1)) return 1;
            if (int difference = total_order(heap_, left.value().key(i), right.value().key(i))) return difference;
        }
        levels_.push_back({side(a, std::move(left).value()), side(b, std::move(right).value()), size, 2 * size});
        return 0;
    }

    static Side side(const Value& map, MapView view) {
        return {&map, std::make_unique<Views>(Views{std::move(view), SetView()})};
    }

    Goal goal_;
};

// Most collections that are compared hold leaves in a row, like the keys of a sort by two fields, and records of one
// kind: no stack for them. False when it meets more than that before it knows the answer.
bool compare_leaves_in_a_row(Heap& heap, std::span<const Value> a, std::span<const Value> b, Goal goal, int* answer) {
    std::size_t i = 0;
    for (; i < a.size(); ++i) {
        if (a[i].is_collection() && b[i].is_collection()) return false;
        *answer = leaf(heap, goal, a[i], b[i]);
        if (*answer) break;
    }
    heap.meter.charge_unchecked(static_cast<std::int64_t>(i));
    return true;
}

bool compare_rows(Heap& heap, const Value& a, const Value& b, Goal goal, int* answer) {
    const Value* left = vector_data_or_null(a);
    const Value* right = vector_data_or_null(b);
    if (!left || !right) return false;
    const std::size_t length = vector_length(a);
    *answer = sign_of(length, vector_length(b)); // the shorter one first, as Clojure has it
    return *answer || compare_leaves_in_a_row(heap, {left, length}, {right, length}, goal, answer);
}

bool compare_records(Heap& heap, const Value& a, const Value& b, Goal goal, int* answer) {
    const RecordObject &left = as_record(a), &right = as_record(b);
    const std::size_t count = left.shape->count;
    return left.shape == right.shape &&
           compare_leaves_in_a_row(heap, {left.values(), count}, {right.values(), count}, goal, answer);
}

int walk(Heap& heap, const Value& a, const Value& b, Goal goal) {
    if (!a.is_collection() || !b.is_collection()) return leaf(heap, goal, a, b);
    if (a.raw() == b.raw()) return 0; // also with a NaN in it
    int answer = 0;
    if (a.is_vector() && b.is_vector() && compare_rows(heap, a, b, goal, &answer)) return answer;
    if (a.is(ObjectType::Record) && b.is(ObjectType::Record) && compare_records(heap, a, b, goal, &answer))
        return answer;
    return LooseWalk(heap, goal).run(a, b);
}

} // namespace

bool equivalent(Heap& heap, const Value& a, const Value& b) {
    if (are_texts(a, b)) return a.raw() == b.raw() || same_text(heap, as_string(a), as_string(b));
    return walk(heap, a, b, Goal::Equality) == 0;
}
int compare_values(Heap& heap, const Value& a, const Value& b) { return walk(heap, a, b, Goal::Order); }

bool holds(Heap& heap, Relation relation, const Value& a, const Value& b) {
    if (a.is_double() && std::isnan(a.as_double())) return false;
    if (b.is_double() && std::isnan(b.as_double())) return false;
    int order = compare_values(heap, a, b);
    switch (relation) {
    case Relation::Less: return order < 0;
    case Relation::LessEqual: return order <= 0;
    case Relation::Greater: return order > 0;
    case Relation::GreaterEqual: return order >= 0;
    }
    return false;
}

} // namespace ptc
