// A number as decimal digits, rounded as Java's Formatter rounds.
#pragma once
#include "runtime/value.h"
#include <cstdint>
#include <string>

namespace ptc {

/// 0.d1d2d3.. * 10^point. `digits` has no zeros in front; zero is no digits at all.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t point = 0;

    /// The digits of an integer, or the fewest digits that read back to the double. `number` must be finite.
    static Decimal of(const Value& number);
    [[nodiscard]] bool is_zero() const { return digits.empty(); }
    /// Keeps at most `count` digits (none when it is negative); a half rounds away from zero.
    void round_to_digits(std::int64_t count);
    /// Keeps at most `places` digits behind the point.
    void round_to_places(std::int64_t places) { round_to_digits(point + places); }
    /// The digits before the point, "0" when there are none.
    [[nodiscard]] std::string whole_part() const;
    /// `places` digits behind the point.
    [[nodiscard]] std::string fraction(std::int64_t places) const;
};

} // namespace ptc
