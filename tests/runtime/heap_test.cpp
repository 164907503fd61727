// Memory of heaps that grow large: chunks come in groups then, which are still chunks to whoever looks up an object's
// heap.
#include "runtime/chunk_pool.h"
#include "runtime/heap.h"
#include "runtime/system_memory.h"
#include <gtest/gtest.h>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kObject = 512, kLarge = std::size_t{48} << 20;

/// Objects of kObject bytes, as many as fit in `bytes` of the heap.
std::vector<Object*> fill(Heap& heap, std::size_t bytes) {
    std::vector<Object*> objects;
    for (std::size_t taken = 0; taken + kObject <= bytes; taken += kObject) {
        Object* object = heap.allocate_object(ObjectType::String, kObject);
        if (!object) break;
        objects.push_back(object);
    }
    return objects;
}

TEST(Heap, FindsItselfFromAnyOfItsObjects) {
    ChunkPool pool;
    for (ChunkPool* from : {&pool, static_cast<ChunkPool*>(nullptr)}) {
        Heap one(Heap::Mode::Counted, from), other(Heap::Mode::Counted, from);
        for (std::size_t half = 0; half < 2; ++half) {
            for (Object* object : fill(one, kLarge / 2))
                ASSERT_EQ(&Heap::of(object), &one);
            for (Object* object : fill(other, kLarge / 2))
                ASSERT_EQ(&Heap::of(object), &other);
        }
        EXPECT_EQ(one.live_bytes(), kLarge);
    }
}

TEST(Heap, HoldsLittleMoreThanItsObjectsTake) {
    Heap small, large;
    fill(small, std::size_t{1} << 20);
    EXPECT_LT(small.committed_bytes(), (std::size_t{1} << 20) + 2 * kChunkSize);
    constexpr std::size_t kInAChunk = kChunkSize / kObject - 1; // beside its header
    fill(large, kLarge);
    EXPECT_EQ(large.committed_bytes(), (kLarge / kObject + kInAChunk - 1) / kInAChunk * kChunkSize);
}

TEST(Heap, ThatIsLargeGivesTheSameAtItsCapAsASmallOne) {
    for (const std::size_t cap : {std::size_t{3} << 20, std::size_t{20} << 20, (std::size_t{20} << 20) + 100'000}) {
        Heap heap;
        heap.set_limit(cap);
        EXPECT_EQ(fill(heap, SIZE_MAX / 2).size(), cap / kObject);
        EXPECT_EQ(heap.allocate_object(ObjectType::String, kObject), nullptr);
    }
}

} // namespace
} // namespace ptc
