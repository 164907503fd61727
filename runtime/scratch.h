// A stack whose memory is charged to a heap: what replaces recursion in printers and readers.
#pragma once
#include "runtime/heap.h"
#include <algorithm>
#include <memory>

namespace ptc {

/// LIFO of T, which moves without throwing. `push` fails when the heap is full, and leaves the stack as it was.
template <class T> class ScratchStack {
public:
    explicit ScratchStack(Heap& heap) : heap_(heap) {}
    ~ScratchStack() {
        resize_down(0);
        std::allocator<T>().deallocate(items_, capacity_);
        heap_.refund_bytes(capacity_ * sizeof(T));
    }
    ScratchStack(const ScratchStack&) = delete;
    ScratchStack& operator=(const ScratchStack&) = delete;

    [[nodiscard]] bool push(T item) {
        if (size_ == capacity_ && !grow()) [[unlikely]]
            return false;
        std::construct_at(items_ + size_++, std::move(item));
        return true;
    }
    void pop() { std::destroy_at(items_ + --size_); }
    void resize_down(std::size_t size) {
        while (size_ > size)
            pop();
    }
    /// Drops what lies above `size` without destroying it: somebody else has taken it over as plain words.
    void forget(std::size_t size) { size_ = size; }
    [[nodiscard]] T& back() { return items_[size_ - 1]; }
    [[nodiscard]] const T& back() const { return items_[size_ - 1]; }
    [[nodiscard]] T* data() { return items_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

private:
    bool grow() {
        std::size_t wanted = std::max<std::size_t>(16, capacity_ * 2);
        if (!heap_.charge_bytes((wanted - capacity_) * sizeof(T))) return false;
        T* grown = std::allocator<T>().allocate(wanted);
        std::uninitialized_move_n(items_, size_, grown);
        std::destroy_n(items_, size_);
        std::allocator<T>().deallocate(items_, capacity_);
        items_ = grown;
        capacity_ = wanted;
        return true;
    }
    Heap& heap_;
    T* items_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace ptc
