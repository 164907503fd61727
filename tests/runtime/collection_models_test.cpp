// Our collections against the standard ones, with random programs (see collection_machine.h). After each program all
// memory must be back; programs are also run over frozen values, and in ever larger heaps until one suffices.
#include "runtime/freeze.h"
#include "tests/runtime/collection_machine.h"
#include <gtest/gtest.h>
#include <random>

namespace ptc::test {
namespace {

std::vector<std::uint8_t> random_program(std::uint32_t seed, std::size_t length) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(length);
    for (auto& b : bytes)
        b = static_cast<std::uint8_t>(random());
    return bytes;
}

/// Runs programs; afterwards the heap must be as it was before.
template <class Kind> void expect_agreement(std::uint32_t seeds, std::size_t length) {
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        Heap heap;
        {
            ShapeTable shapes(heap);
            Machine<Kind> machine(heap);
            auto program = random_program(seed, length);
            machine.run(ByteStream(program));
            ASSERT_EQ(machine.problem, "") << "seed " << seed;
        }
        ASSERT_EQ(heap.live_bytes(), 0U) << "leak with seed " << seed;
    }
}

/// The same with a large frozen value to start from, which must be the same afterwards.
template <class Kind, class Make>
void expect_agreement_over_frozen(std::uint32_t seeds, std::size_t length, Make make) {
    Heap data;
    ShapeTable data_shapes(data);
    typename Kind::Model model;
    Value frozen = make(data, model);
    freeze_value(frozen);
    data.freeze();
    std::size_t data_bytes = data.live_bytes();
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        Heap heap;
        {
            ShapeTable shapes(heap);
            Machine<Kind> machine(heap);
            machine.preset(frozen.copy(), model);
            auto program = random_program(seed, length);
            machine.run(ByteStream(program));
            ASSERT_EQ(machine.problem, "") << "seed " << seed;
            bool full = false;
            ASSERT_TRUE(Kind::same(heap, frozen, model, true, &full)) << "changed with seed " << seed;
        }
        ASSERT_EQ(heap.live_bytes(), 0U) << "leak with seed " << seed;
    }
    EXPECT_EQ(data.live_bytes(), data_bytes);
}

/// Runs a program with ever larger heaps until it fits: each time it must stop cleanly and leave nothing behind.
template <class Kind> void expect_clean_failures(std::uint32_t seed, std::size_t length) {
    auto program = random_program(seed, length);
    bool passed = false;
    for (std::size_t limit = 0; !passed; limit += limit / 64 + 16) {
        Heap heap;
        heap.set_limit(limit);
        {
            ShapeTable shapes(heap);
            Machine<Kind> machine(heap);
            machine.run(ByteStream(program));
            ASSERT_EQ(machine.problem, "") << "limit " << limit;
            passed = !machine.heap_full;
        }
        ASSERT_EQ(heap.live_bytes(), 0U) << "leak with limit " << limit;
    }
}

template <bool text_only> Value large_map(Heap& heap, std::map<int, int>& model) {
    MapBuilder builder(heap);
    for (int k = 0; k < 250; ++k) {
        builder.put(key_of(heap, k, text_only).value(), item_of(heap, 3 * k).value());
        model[k] = 3 * k;
    }
    return builder.finish().value();
}
Value large_set(Heap& heap, std::set<int>& model) {
    SetBuilder builder(heap);
    for (int k = 0; k < 250; ++k) {
        builder.put(key_of(heap, k, false).value());
        model.insert(k);
    }
    return builder.finish().value();
}
Value large_vector(Heap& heap, std::vector<int>& model) {
    VectorBuilder builder(heap);
    for (int i = 0; i < 1500; ++i) {
        builder.push(item_of(heap, i).value());
        model.push_back(i);
    }
    return builder.finish().value();
}

TEST(VectorModel, AgreesWithTheStandardOneWhateverIsShared) { expect_agreement<VectorKind>(200, 1500); }
TEST(MapModel, WithTextKeysAgreesWithTheStandardOneWhateverIsShared) { expect_agreement<MapKind<true>>(120, 1500); }
TEST(MapModel, WithKeysOfAllKindsAgreesWithTheStandardOneWhateverIsShared) {
    expect_agreement<MapKind<false>>(120, 1500);
}
TEST(SetModel, AgreesWithTheStandardOneWhateverIsShared) { expect_agreement<SetKind>(120, 1500); }

TEST(VectorModel, OverAFrozenOneAgreesWithTheStandardOne) {
    expect_agreement_over_frozen<VectorKind>(100, 1200, large_vector);
}
TEST(MapModel, OverAFrozenOneWithTextKeysAgreesWithTheStandardOne) {
    expect_agreement_over_frozen<MapKind<true>>(60, 1200, large_map<true>);
}
TEST(MapModel, OverAFrozenOneWithKeysOfAllKindsAgreesWithTheStandardOne) {
    expect_agreement_over_frozen<MapKind<false>>(60, 1200, large_map<false>);
}
TEST(SetModel, OverAFrozenOneAgreesWithTheStandardOne) { expect_agreement_over_frozen<SetKind>(60, 1200, large_set); }

TEST(VectorModel, LeavesNothingBehindWhereverTheHeapIsFull) {
    for (std::uint32_t seed = 0; seed < 6; ++seed)
        expect_clean_failures<VectorKind>(seed, 400);
}
TEST(MapModel, LeavesNothingBehindWhereverTheHeapIsFull) {
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
        expect_clean_failures<MapKind<true>>(seed, 400);
        expect_clean_failures<MapKind<false>>(seed, 400);
    }
}
TEST(SetModel, LeavesNothingBehindWhereverTheHeapIsFull) {
    for (std::uint32_t seed = 0; seed < 6; ++seed)
        expect_clean_failures<SetKind>(seed, 400);
}

} // namespace
} // namespace ptc::test
