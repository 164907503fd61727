#include "runtime/meter.h"
#include "frontend/work.h"
#include "runtime/clock.h"
#include <algorithm>
#include <utility>

namespace ptc {

void Meter::start_until(std::int64_t total, std::int64_t deadline, const std::atomic<bool>* interrupt,
                        std::int64_t slice) {
    slice_ = slice;
    total_ = std::clamp<std::int64_t>(total, 0, kUnlimited);
    deadline_ = deadline;
    interrupt_ = interrupt;
    cancelled_ = nullptr;
    timeout_after_ = kUnlimited;
    stopped_ = false;
    in_scope_ = false;
    fuel_ = std::min(total_, slice_);
    rest_ = total_ - fuel_;
}

void Meter::start_share(const Meter& whole, std::int64_t total, const std::atomic<bool>* cancelled) {
    start_until(total, whole.deadline_, whole.interrupt_, whole.slice_);
    cancelled_ = cancelled;
    if (whole.timeout_after_ != kUnlimited)
        timeout_after_ = std::max<std::int64_t>(0, whole.timeout_after_ - whole.used());
}

void Meter::start_in_scope(std::int64_t total) {
    start_until(total, kNever, nullptr, kSlice);
    in_scope_ = true;
}

bool Meter::is_interrupted() const {
    return (interrupt_ && interrupt_->load(std::memory_order_relaxed)) ||
           (cancelled_ && cancelled_->load(std::memory_order_relaxed));
}

bool Meter::is_late() const { return deadline_ != kNever && clock_nanoseconds(Clock::now()) >= deadline_; }

bool Meter::ends_here() {
    if (stopped_) return true;
    if (is_interrupted())
        stop_ = Reason::Interrupted;
    else if (is_late())
        stop_ = Reason::Timeout;
    else
        return false;
    stopped_ = true;
    return true;
}

bool Meter::refill() {
    if (stopped_) return false;
    if (rest_ + fuel_ < 0) {
        stop_ = Reason::FuelExhausted;
    } else if (is_interrupted()) {
        stop_ = Reason::Interrupted;
    } else if (used() >= timeout_after_ || is_late()) {
        stop_ = Reason::Timeout;
    } else if (in_scope_ && !work::charge(static_cast<std::size_t>(slice_))) {
        stop_ = Reason::Timeout;
    } else {
        std::int64_t left = rest_ + fuel_;
        fuel_ = std::min(left, slice_);
        rest_ = left - fuel_;
        return true;
    }
    stopped_ = true;
    return false;
}

bool Meter::look() {
    if (!kCharges) return true;
    if (fuel_ < 0) return refill();
    const std::int64_t rest = std::exchange(fuel_, 0); // a refusal must not change what is used
    rest_ += rest;
    if (!refill()) {
        fuel_ = -1;
        rest_ += 1;
        return false;
    }
    return true;
}

Error Meter::error() const {
    switch (stop_) {
    case Reason::Timeout: return Error(Reason::Timeout, "The program ran longer than its time limit.");
    case Reason::Interrupted: return Error(Reason::Interrupted, "The host stopped the program.");
    default:
        return Error(Reason::FuelExhausted, "The program used up its fuel of " + std::to_string(total_) + " units.")
            .with_hint("Work on less data, or leave the loop earlier.");
    }
}

} // namespace ptc
