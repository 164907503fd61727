// The clock of Meter, for those who set deadlines: <chrono> doubles what a file reads, and most files that charge a
// meter know no time.
#pragma once
#include "runtime/meter.h"
#include <chrono>
#include <functional>

namespace ptc {

struct Meter::Clock : std::chrono::steady_clock {};

inline std::int64_t clock_nanoseconds(Meter::Clock::time_point time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

/// What refills a work::Scope that ends at `deadline`.
inline std::function<bool()> work_until(Meter::Clock::time_point deadline) {
    return [deadline] { return Meter::Clock::now() < deadline; };
}

template <class TimePoint>
void Meter::start(std::int64_t total, TimePoint deadline, const std::atomic<bool>* interrupt, std::int64_t slice) {
    start_until(total, clock_nanoseconds(deadline), interrupt, slice);
}

template <class Duration> void Meter::extend_deadline(Duration by) {
    deadline_ += std::chrono::nanoseconds(by).count();
}

template <class TimePoint> typename TimePoint::duration Meter::time_left(TimePoint now) const {
    if (deadline_ == kNever) return TimePoint::duration::max();
    return std::chrono::nanoseconds(deadline_ - clock_nanoseconds(now));
}

} // namespace ptc
