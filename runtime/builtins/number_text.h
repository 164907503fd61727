// Numbers read from text as Java reads them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptc {

/// An optional sign and at least one digit of `radix` (2 to 36), nothing else, within 64 bits.
std::optional<std::int64_t> read_long(std::string_view text, int radix = 10);

/// The grammar of Java's Double.parseDouble: blanks around it, an optional sign, then NaN, Infinity, a decimal number
/// ("1", "1.", ".5", "1e-3") or a hexadecimal one ("0x1.8p3"), with an optional suffix f, F, d or D. Correctly rounded;
/// too large gives infinity and too small zero.
std::optional<double> read_double(std::string_view text);

} // namespace ptc
