// The kinds of values, and sets of them: the words in which rows of builtins, the checker, repairs and bounds say what
// a value may be. What is finer (facts with fields, bounds of sizes, types of signatures) is built on these.
#pragma once
#include <cstdint>

namespace ptc {

/// A set of kinds, one bit each.
using Kinds = std::uint16_t;

namespace kinds {
inline constexpr Kinds kNil = 1, kFalse = 2, kTrue = 4, kInteger = 8, kBigInteger = 16, kDouble = 32, kText = 64,
                       kKeyword = 128, kVector = 256,
                       kRange = 512, ///< a vector that may hold its items as a rule only
    kMap = 1024, kSet = 2048, kFunction = 4096, kRegex = 8192,
                       kTime = 16384, ///< dates, instants, durations, periods
    kName = 32768;                    ///< symbols and vars
inline constexpr Kinds kBoolean = kFalse | kTrue, kNumber = kInteger | kBigInteger | kDouble,
                       kSequence = kVector | kRange, kKeyed = kMap | kSet, kCollection = kSequence | kKeyed,
                       kOther = kRegex | kTime | kName, kAny = 65535;
/// What a function may be given as where it is called with one argument.
inline constexpr Kinds kCallable = kFunction | kKeyword | kMap | kSet;
/// What is gone through in order; nil has no items.
inline constexpr Kinds kItems = kCollection | kText | kNil;
/// Everything but nil.
inline constexpr Kinds kNonNil = kAny & ~kNil;
} // namespace kinds

} // namespace ptc
