// Whether one value, looked at alone, fits a type: everything but the fields of records and the elements of lists,
// which check instructions go through.
#pragma once
#include "runtime/heap.h"
#include "runtime/signature/checks.h"
#include <string>

namespace ptc {

/// True for types that `check_scalar` decides: no List, no Record, and no Union with one of them.
bool is_scalar(const Type& type);
/// The kinds of values that fit the scalar `type` whatever their value is. With `coerces`, a kind that fits only after
/// a silent change (an integer as a float) is left out.
KindMask accepted_kinds(const Type& type, bool coerces);

enum class ScalarFit : std::uint8_t {
    Fits,
    Changed,  ///< `value` is what fits; `warning` says so, if it is worth saying
    Mismatch, ///< describe_mismatch
    Failed,   ///< memory or fuel has ended: `error`
};

struct ScalarCheck {
    ScalarFit fit = ScalarFit::Fits;
    Value value{};
    std::string warning{};
    ErrorPtr error{};
};

struct ScalarCheckOptions {
    bool widens = false;      ///< integers become floats where a float is wanted
    bool coerces = false;     ///< texts become numbers, booleans, keywords, points in time; with warnings
    bool reads_times = false; ///< texts become points in time, without a warning
};

/// `value` may be a hole for what is absent. `type` is scalar. Charges what grows with the value's size.
ScalarCheck check_scalar(Heap& heap, const Type& type, const Value& value, const ScalarCheckOptions& options);

/// `expected int, got string "abc"`, of bounded length.
std::string describe_mismatch(const Type& type, const Value& value);

} // namespace ptc
