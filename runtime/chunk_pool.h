// Where heaps take their memory from.
#pragma once
#include <cstddef>
#include <mutex>
#include <vector>

namespace ptc {

/// Recycled chunks, so that a fresh VM costs no page faults. Thread-safe. Must outlive the heaps that use it.
class ChunkPool {
public:
    explicit ChunkPool(std::size_t keep = 64) : keep_(keep) {}
    ~ChunkPool();
    ChunkPool(const ChunkPool&) = delete;
    ChunkPool& operator=(const ChunkPool&) = delete;
    void* take(); ///< null when the system has no memory
    void give(void* chunk);
    /// Blocks above the size classes: what large vectors and tables live in. Null as for `take`.
    void* take_big(std::size_t bytes);
    void give_big(void* block, std::size_t bytes);

    // What it recycles, and what heaps without a pool use.
    /// Aligned as a chunk, or as a huge page where it is as large as one; null as for `take`.
    static void* take_memory(std::size_t bytes);
    static void give_memory(void* memory);

private:
    static constexpr std::size_t kKeepBigBytes = 64u << 20; ///< in blocks of at most a quarter of it
    struct Big {
        void* block;
        std::size_t bytes;
    };
    std::mutex mutex_;
    std::vector<void*> free_;
    std::vector<Big> free_big_;
    std::size_t free_big_bytes_ = 0;
    std::size_t keep_;
};

} // namespace ptc
