// The registers of the function that is being emitted. Taken one by one, given back by scope, so that none can leak.
#pragma once
#include "frontend/assert.h"
#include <algorithm>
#include <cstdint>

namespace ptc {

/// The registers of a function, a stack: a new one is the lowest that is free. Only a RegisterScope gives any back.
class Registers {
public:
    static constexpr std::uint32_t kMost = 250;

    /// The next one, until the innermost scope ends. Too many: marks the function as failed.
    std::uint32_t fresh() {
        if (top_ >= kMost) {
            has_failed_ = true;
            return kMost;
        }
        most_ = std::max(most_, top_ + 1);
        return top_++;
    }
    /// As many as it takes until `end` is what `fresh` gives next.
    void reserve_to(std::uint32_t end) {
        while (top_ < std::min(end, kMost + 1) && !has_failed_)
            (void)fresh();
    }
    /// What `fresh` gives next.
    [[nodiscard]] std::uint32_t top() const { return top_; }
    [[nodiscard]] bool is_newest(std::uint32_t reg) const { return reg + 1 == top_; }
    /// How many a frame has: at least one.
    [[nodiscard]] std::uint32_t frame_size() const { return std::max(most_, 1u); }
    [[nodiscard]] bool has_failed() const { return has_failed_; }

private:
    friend class RegisterScope;
    std::uint32_t top_ = 0;
    std::uint32_t most_ = 0;
    bool has_failed_ = false;
};

/// Gives back, when it ends, the registers that were taken since it began. What it gives back owns nothing any more:
/// that is for the code to see to, and for the verifier to check.
class RegisterScope {
public:
    explicit RegisterScope(Registers& registers) : registers_(registers), mark_(registers.top_) {}
    ~RegisterScope() {
        PTC_ASSERT(registers_.top_ >= mark_);
        registers_.top_ = mark_;
    }
    RegisterScope(const RegisterScope&) = delete;
    RegisterScope& operator=(const RegisterScope&) = delete;

private:
    Registers& registers_;
    std::uint32_t mark_;
};

} // namespace ptc
