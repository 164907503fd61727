// What several threads may share: the chunk pool, and frozen values with their caches.
#include "runtime/chunk_pool.h"
#include "runtime/heap.h"
#include "runtime/string.h"
#include "tests/support/threads.h"
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace ptc {
namespace {

using test::kThreads;
using test::on_threads;

TEST(ChunkPoolThreads, HeapsOfManyThreadsTakeTheirChunksFromOnePool) {
    ChunkPool pool(2); // Fewer than the threads hold, so that chunks are recycled and freed as well.
    on_threads([&pool](int) {
        for (int round = 0; round < 50; ++round) {
            Heap heap(Heap::Mode::Counted, &pool);
            std::vector<Value> kept;
            for (int i = 0; i < 200; ++i)
                kept.push_back(make_string(heap, std::string(900, 'x')).value());
            EXPECT_EQ(text_of(kept.back()).size(), 900u);
            EXPECT_GE(heap.live_bytes(), 200u * 900u);
        }
    });
}

TEST(FrozenThreads, OneStringIsMeasuredByAllThreadsAtOnce) {
    Heap frozen(Heap::Mode::Frozen);
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += "e\u0301";
    const Value string = make_string(frozen, text).value();
    ASSERT_TRUE(string.is_frozen());
    on_threads([&string](int) {
        Heap own;
        EXPECT_EQ(grapheme_count(own, string), 1000u);
    });
}

} // namespace
} // namespace ptc
