// Memory for what is made for one text and goes with it: forms, nodes, facts. Nothing in it is destroyed or given back
// before all of it is.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace ptc {

/// Hands out memory piece by piece; most of it costs an addition. Blocks come from the system, the first when something
/// is asked for, each twice as large as the one before. What lives in it stays where it is when the arena is moved.
class Arena {
public:
    explicit Arena(std::size_t first_block) : next_size_(first_block) {}
    Arena(Arena&& other) noexcept
        : at_(std::exchange(other.at_, 0)), end_(std::exchange(other.end_, 0)),
          newest_(std::exchange(other.newest_, nullptr)), next_size_(other.next_size_) {}
    Arena& operator=(Arena&& other) noexcept {
        std::swap(at_, other.at_);
        std::swap(end_, other.end_);
        std::swap(newest_, other.newest_);
        std::swap(next_size_, other.next_size_);
        return *this;
    }
    ~Arena() {
        while (newest_)
            ::operator delete(std::exchange(newest_, newest_->before));
    }

    /// `alignment`: at most that of std::max_align_t.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        const std::uintptr_t start = (at_ + alignment - 1) & ~(alignment - 1);
        if (start + bytes > end_) [[unlikely]]
            return allocate_in_new_block(bytes);
        at_ = start + bytes;
        return reinterpret_cast<void*>(start);
    }

private:
    struct alignas(std::max_align_t) Block {
        Block* before;
    };

    void* allocate_in_new_block(std::size_t bytes) {
        const std::size_t size = std::max(next_size_, bytes + sizeof(Block));
        newest_ = new (::operator new(size)) Block{newest_};
        next_size_ = 2 * size;
        const auto start = reinterpret_cast<std::uintptr_t>(newest_ + 1);
        at_ = start + bytes;
        end_ = reinterpret_cast<std::uintptr_t>(newest_) + size;
        return newest_ + 1;
    }

    std::uintptr_t at_ = 0;
    std::uintptr_t end_ = 0;
    Block* newest_ = nullptr;
    std::size_t next_size_;
};

} // namespace ptc
