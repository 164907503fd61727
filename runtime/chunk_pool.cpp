// The pool keeps what heaps give back, chunks and a few big blocks, because fresh memory costs page faults: a thousand
// VMs a second must not ask the system for memory a thousand times. Under a sanitizer memory comes from the C library,
// the only allocator that sanitizers know.
#include "runtime/chunk_pool.h"
#include "runtime/heap.h"
#include <cstdlib>
#include <mimalloc.h>
#include <new>

namespace ptc {
namespace {

// The sanitizers must see when memory goes from one thread to another or is used after it was given back.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

} // namespace

void* ChunkPool::take_memory(std::size_t bytes) {
    if (!kSanitized) return mi_malloc_aligned(bytes, kChunkSize);
    void* memory = nullptr;
    return posix_memalign(&memory, kChunkSize, bytes) == 0 ? memory : nullptr;
}
void ChunkPool::give_memory(void* memory) {
    if (kSanitized)
        std::free(memory);
    else
        mi_free(memory);
}

void* ChunkPool::new_chunk() {
    void* chunk = take_memory(kChunkSize);
    if (!chunk) throw std::bad_alloc();
    return chunk;
}

ChunkPool::~ChunkPool() {
    for (void* chunk : free_)
        give_memory(chunk);
    for (const Big& big : free_big_)
        give_memory(big.block);
}

void* ChunkPool::take_big(std::size_t bytes) {
    {
        std::lock_guard lock(mutex_);
        for (std::size_t i = free_big_.size(); i-- > 0;) {
            if (free_big_[i].bytes != bytes) continue;
            void* block = free_big_[i].block;
            free_big_[i] = free_big_.back();
            free_big_.pop_back();
            free_big_bytes_ -= bytes;
            return block;
        }
    }
    return take_memory(bytes);
}

void ChunkPool::give_big(void* block, std::size_t bytes) {
    {
        std::lock_guard lock(mutex_);
        if (bytes <= kKeepBigBytes / 4 && free_big_bytes_ + bytes <= kKeepBigBytes) {
            free_big_.push_back({block, bytes});
            free_big_bytes_ += bytes;
            return;
        }
    }
    give_memory(block);
}

void* ChunkPool::take() {
    {
        std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            void* chunk = free_.back();
            free_.pop_back();
            return chunk;
        }
    }
    return new_chunk();
}

void ChunkPool::give(void* chunk) {
    {
        std::lock_guard lock(mutex_);
        if (free_.size() < keep_) {
            free_.push_back(chunk);
            return;
        }
    }
    give_memory(chunk);
}

} // namespace ptc
