// The pool keeps what heaps give back, chunks and a few big blocks, because fresh memory costs page faults: a thousand
// VMs a second must not ask the system for memory a thousand times.
#include "runtime/chunk_pool.h"
#include "runtime/heap.h"
#include "runtime/system_memory.h"

namespace ptc {

void* ChunkPool::take_memory(std::size_t bytes) {
    if (bytes < kHugePage) return system_memory().take(bytes, kChunkSize);
    void* const memory = system_memory().take(bytes, kHugePage);
    if (memory) want_huge_pages(memory, bytes);
    return memory;
}
void ChunkPool::give_memory(void* memory) { system_memory().give(memory); }

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
    return take_memory(kChunkSize);
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
