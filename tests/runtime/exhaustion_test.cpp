// Fuel that runs out inside of an operation on maps and sets: comparing keys then answers anything, and the operation
// must fail cleanly or finish, whatever it is told.
#include "runtime/map.h"
#include "runtime/set.h"
#include "tests/runtime/collections_fixture.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

void give_fuel(Heap& heap, std::int64_t units) { heap.meter.start(units, Meter::Clock::time_point::max(), nullptr); }

/// [n [n]]: a key whose comparison takes several steps.
Value deep_key(Heap& heap, int n) {
    Value inner[] = {Value::small_integer(n)};
    Value items[] = {Value::small_integer(n), make_vector(heap, inner).value()};
    return make_vector(heap, items).value();
}

Value deep_map(Heap& heap, int size) {
    MapBuilder builder(heap);
    for (int i = 0; i < size; ++i)
        builder.put(deep_key(heap, i), Value::small_integer(i));
    return builder.finish().value();
}

Value deep_set(Heap& heap, int size) {
    SetBuilder builder(heap);
    for (int i = 0; i < size; ++i)
        builder.put(deep_key(heap, i));
    return builder.finish().value();
}

/// `make` builds a collection with plenty of fuel, `change` changes it with 0, 1, 2 .. units until it is done.
template <class Make, class Change> void try_all_fuels(Make make, Change change) {
    bool is_done = false;
    for (std::int64_t fuel = 0; !is_done; ++fuel) {
        ASSERT_LT(fuel, 10'000);
        Heap heap;
        {
            ShapeTable shapes(heap);
            give_fuel(heap, kPlenty);
            Value collection = make(heap);
            const Value shared = collection.copy();
            give_fuel(heap, fuel);
            is_done = change(heap, std::move(collection)).ok() && heap.meter.charge(0);
            give_fuel(heap, kPlenty);
        }
        EXPECT_EQ(heap.live_bytes(), 0u) << "fuel " << fuel;
    }
}

/// The same, once with an only owner and once shared, flat and with changes on top.
void try_all_forms(Value (*make)(Heap&, int), Result<Value> (*change)(Heap&, Value)) {
    for (int size : {5, 20, 100}) {
        SCOPED_TRACE(size);
        try_all_fuels([&](Heap& heap) { return make(heap, size); },
                      [&](Heap& heap, Value v) { return change(heap, std::move(v)); });
        try_all_fuels(
            [&](Heap& heap) {
                Value base = make(heap, size);
                const Value owner = base.copy();
                Value keep = make(heap, 1); // shared for a second time, so that no copy is paid for
                Value first = change(heap, base.copy()).value();
                return change(heap, std::move(first)).value();
            },
            [&](Heap& heap, Value v) { return change(heap, std::move(v)); });
    }
}

TEST(Exhaustion, RemovingFromAMap) {
    try_all_forms(deep_map, [](Heap& heap, Value map) { return map_dissoc(heap, std::move(map), deep_key(heap, 3)); });
}
TEST(Exhaustion, AddingToAMap) {
    try_all_forms(deep_map,
                  [](Heap& heap, Value map) { return map_assoc(heap, std::move(map), deep_key(heap, 200), Value()); });
}
TEST(Exhaustion, ReplacingInAMap) {
    try_all_forms(deep_map,
                  [](Heap& heap, Value map) { return map_assoc(heap, std::move(map), deep_key(heap, 4), Value()); });
}
TEST(Exhaustion, RemovingFromASet) {
    try_all_forms(deep_set, [](Heap& heap, Value set) { return set_disj(heap, std::move(set), deep_key(heap, 3)); });
}
TEST(Exhaustion, AddingToASet) {
    try_all_forms(deep_set, [](Heap& heap, Value set) { return set_conj(heap, std::move(set), deep_key(heap, 200)); });
}
TEST(Exhaustion, OrderingTheEntries) {
    for (int size : {5, 20, 100}) {
        const auto flat = [&](Heap& heap) { return deep_map(heap, size); };
        const auto changed = [&](Heap& heap) {
            const Value base = deep_map(heap, size);
            Value first = map_assoc(heap, base.copy(), deep_key(heap, 3), Value()).value();
            const Value keep = first.copy();
            return map_dissoc(heap, std::move(first), deep_key(heap, 2)).value();
        };
        try_all_fuels(flat, [](Heap& heap, Value map) { return map_entries(heap, map); });
        try_all_fuels(changed, [](Heap& heap, Value map) { return map_entries(heap, map); });
        try_all_fuels([&](Heap& heap) { return deep_set(heap, size); },
                      [](Heap& heap, Value set) { return set_items(heap, set); });
    }
}

} // namespace
} // namespace ptc
