// The work budget of a run. Everything that does work that grows with its input charges it; a run ends at the same
// point on every machine.
#pragma once
#include "ptc/result.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ptc {

/// Fuel, deadline and interrupt in one counter: `fuel` is the rest of the current slice; when a charge takes it below
/// zero the slow path looks at the clock and the interrupt flag, and hands out the next slice of the total.
/// Not thread-safe, except that `interrupt` and `cancelled` may be set from anywhere.
class Meter {
public:
    struct Clock; ///< std::chrono::steady_clock; clock.h has it, and what takes and gives times
    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 4;
    static constexpr std::int64_t kSlice = 20'000; ///< fuel between two looks at the clock
#ifdef PTC_UNMETERED
    static constexpr bool kCharges = false; ///< a build in which nothing is charged: only to see what charging costs
#else
    static constexpr bool kCharges = true;
#endif

    template <class TimePoint>
    void start(std::int64_t total, TimePoint deadline, const std::atomic<bool>* interrupt, std::int64_t slice = kSlice);
    /// A share of the budget of `whole`, for work on its behalf: at most `total` units, under its deadline and its
    /// interrupt. Ends, as if interrupted, once `cancelled` (borrowed) is set too.
    void start_share(const Meter& whole, std::int64_t total, const std::atomic<bool>* cancelled);
    /// At most `total` units, for work on behalf of whoever opened this thread's work::Scope: it ends, with a timeout,
    /// when the budget of that is over.
    void start_in_scope(std::int64_t total);
    /// What was started is work on behalf of that scope too: it also ends when the budget of the scope is over.
    void join_scope() { in_scope_ = true; }
    /// From now on the first look at the clock after so much fuel finds that the time is over, whatever the clock says:
    /// a run that the clock ended once ends there again.
    void time_out_after(std::int64_t fuel) { timeout_after_ = fuel; }
    [[nodiscard]] bool times_out_at_once() const { return timeout_after_ <= 0; }
    /// Charges `units`; fails with fuel_exhausted, timeout or interrupted. A failure stays: later charges fail too.
    [[nodiscard]] bool charge(std::int64_t units) {
        if (!kCharges) return true;
        fuel_ -= units;
        return fuel_ >= 0 || refill();
    }
    /// Looks at clock and interrupt now, for nothing: work that is paid for by its size and takes long. A refusal
    /// stays.
    [[nodiscard]] bool look();
    /// Whether time is over or someone interrupts, seen from within a step, where nothing can fail and what is left of
    /// the slice stands elsewhere: what was started ends at its next look then.
    [[nodiscard]] bool ends_here();
    /// Does work on `n` things that is paid for already: `piece(begin, end)` on `at_once` of them at a time, and looks
    /// in between. False when it was ended.
    template <class Piece> [[nodiscard]] bool in_pieces(std::size_t n, std::size_t at_once, Piece piece) {
        for (std::size_t begin = 0; begin < n;) {
            const std::size_t end = n - begin > at_once ? begin + at_once : n;
            piece(begin, end);
            begin = end;
            if (begin < n && !look()) return false;
        }
        return true;
    }
    /// For work that cannot fail half-way (equality, hashing): the next `charge` notices.
    void charge_unchecked(std::int64_t units) {
        if (kCharges) fuel_ -= units;
    }
    /// The error behind a `charge` that returned false.
    [[nodiscard]] Error error() const;
    [[nodiscard]] std::int64_t used() const { return total_ - rest_ - fuel_; }
    /// Whether charges fail from now on.
    [[nodiscard]] bool has_run_out() const { return stopped_ || rest_ + fuel_ < 0; }
    /// What is left in all; negative when overdrawn.
    [[nodiscard]] std::int64_t remaining() const { return rest_ + fuel_; }
    /// The interpreter keeps the slice in a register and writes it back around calls.
    [[nodiscard]] std::int64_t slice() const { return kCharges ? fuel_ : kSlice; }
    void set_slice(std::int64_t fuel) {
        if (kCharges) fuel_ = fuel;
    }
    /// Gives out the next slice; false when the run must end.
    [[nodiscard]] bool refill();
    /// Time that does not count (waiting for a tool): moves the deadline.
    template <class Duration> void extend_deadline(Duration by);
    /// From `now` to the deadline; Clock::duration::max() when there is none.
    template <class TimePoint> [[nodiscard]] typename TimePoint::duration time_left(TimePoint now) const;

private:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max(); ///< Clock's latest time
    void start_until(std::int64_t total, std::int64_t deadline, const std::atomic<bool>* interrupt, std::int64_t slice);
    [[nodiscard]] bool is_interrupted() const;
    [[nodiscard]] bool is_late() const;
    std::int64_t fuel_ = kUnlimited;
    std::int64_t rest_ = 0;
    std::int64_t total_ = kUnlimited;
    std::int64_t slice_ = kSlice;
    std::int64_t timeout_after_ = kUnlimited;
    std::int64_t deadline_ = kNever; ///< nanoseconds of Clock
    const std::atomic<bool>* interrupt_ = nullptr;
    const std::atomic<bool>* cancelled_ = nullptr;
    Reason stop_ = Reason::FuelExhausted;
    bool stopped_ = false;
    bool in_scope_ = false;
};

} // namespace ptc
