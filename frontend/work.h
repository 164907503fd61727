// What the work on a text may take: reading, analysing, checking and repairing it, and making code of it. Whoever does
// that on behalf of somebody with a deadline opens a Scope; what goes through texts and forms below it charges what it
// does, as a walk over forms has no place to carry a budget from rule to rule. Without a scope nothing is bounded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace ptc::work {

/// The budget of this thread from here on, until it is gone. One within another charges that one as well, and is over
/// when either is.
class Scope {
public:
    /// `refill` gives out the next `kSlice` units: false, from then on, when there are none.
    explicit Scope(std::function<bool()> refill);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    static constexpr std::int64_t kSlice = 4000; ///< well below a millisecond of work

private:
    friend class Outside;
    friend bool charge(std::size_t units);
    friend bool is_over();
    static inline constinit thread_local Scope* current_ = nullptr;
    [[nodiscard]] bool spend(std::size_t units);

    std::function<bool()> refill_;
    Scope* outer_;
    std::int64_t left_ = kSlice;
    bool is_over_ = false;
};

/// No budget from here on, until it is gone: for what is made once, when it is first asked for, and then kept for all.
class Outside {
public:
    Outside() : outer_(std::exchange(Scope::current_, nullptr)) {}
    ~Outside() { Scope::current_ = outer_; }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

private:
    Scope* outer_;
};

/// A unit is some ten nanoseconds: a form that is looked at, a hundred bytes that are gone through. False when the time
/// is over; what is found from then on is of no use, so the caller ends as soon as it can, in any way.
[[nodiscard]] inline bool charge(std::size_t units) { return !Scope::current_ || Scope::current_->spend(units); }
[[nodiscard]] inline bool is_over() { return Scope::current_ && Scope::current_->is_over_; }

inline bool Scope::spend(std::size_t units) {
    left_ -= static_cast<std::int64_t>(units);
    while (left_ < 0 && !is_over_) {
        left_ += kSlice;
        is_over_ = !refill_();
    }
    return !is_over_;
}

} // namespace ptc::work
