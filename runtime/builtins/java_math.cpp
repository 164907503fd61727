// What only Math/ offers: logarithms, angles and their like. Doubles in, a double out, as java.lang.Math has them.
#include "frontend/try.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/number.h"
#include <cmath>
#include <numbers>

namespace ptc {
namespace {

Result<double> double_argument(Call& call, Args args, std::size_t position) {
    if (!args[position - 1].is_number()) return not_a_number(call.who(), args[position - 1]);
    return to_double(args[position - 1]);
}

template <double (*Function)(double)> Result<Value> of_one(Call& call, Args args) {
    return Value::number(Function(PTC_TRY(double_argument(call, args, 1))));
}

template <double (*Function)(double, double)> Result<Value> of_two(Call& call, Args args) {
    const double first = PTC_TRY(double_argument(call, args, 1));
    return Value::number(Function(first, PTC_TRY(double_argument(call, args, 2))));
}

/// NaN and the zeros stay what they are.
double signum(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
/// The C library's is off by one unit for some cubes: a Newton step, with the residue in twice the precision, puts it
/// right.
double cube_root(double x) {
    const double root = std::cbrt(x);
    const double square = root * root;
    if (!std::isnormal(root) || !std::isnormal(square * root)) return root;
    const double square_error = std::fma(root, root, -square);
    const double cube = square * root;
    const double cube_error = std::fma(square, root, -cube) + square_error * root;
    return root - ((cube - x) + cube_error) / (3 * square);
}
double to_radians(double degrees) { return degrees * (std::numbers::pi / 180); }
double to_degrees(double radians) { return radians * (180 / std::numbers::pi); }

/// The remainder or quotient of integers, rounded down.
Result<Value> call_floor_mod(Call& call, Args args) {
    for (std::size_t position = 1; position <= 2; ++position) {
        if (!args[position - 1].is_integer()) return argument_error(call, args, position, "an integer");
    }
    return modulo(call.heap, args[0], args[1]);
}

Result<Value> call_floor_div(Call& call, Args args) {
    const Value rest = PTC_TRY(call_floor_mod(call, args));
    return quotient(call.heap, PTC_TRY(subtract(call.heap, args[0], rest)), args[1]);
}

/// Whole doubles, halves to the even one.
double to_nearest_even(double x) {
    const double below = std::floor(x), rest = x - below;
    if (!std::isfinite(x) || rest == 0) return x;
    const bool goes_up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
    return std::copysign(goes_up ? below + 1 : below, x);
}

/// A row: the fuel is more than that of an addition.
constexpr Builtin row(const char* name, const char* usage, const char* doc, Example example, NativeFunction call) {
    Builtin result{.name = name, .usage = usage, .doc = doc, .example = example, .category = Category::Interop};
    result.cost = 8;
    result.gives = {kinds::kNumber};
    result.model = BoundModel::Unknown;
    result.call = call;
    result.traits = traits::kComputes;
    return result;
}

constexpr Builtin of_integers(Builtin result) {
    result.work = Work::Digits;
    return result;
}

constexpr Builtin kRows[] = {
    row("Math/exp", "(Math/exp x)", "e to the power of x.", {"(Math/exp 0)", "1.0"}, of_one<std::exp>),
    row("Math/log", "(Math/log x)", "The natural logarithm of x.", {"(Math/log 1)", "0.0"}, of_one<std::log>),
    row("Math/log10", "(Math/log10 x)", "The logarithm of x to base 10.", {"(Math/log10 1000)", "3.0"},
        of_one<std::log10>),
    row("Math/cbrt", "(Math/cbrt x)", "The cube root of x.", {"(Math/cbrt 27)", "3.0"}, of_one<cube_root>),
    row("Math/hypot", "(Math/hypot x y)", "The square root of x*x + y*y.", {"(Math/hypot 3 4)", "5.0"},
        of_two<std::hypot>),
    row("Math/signum", "(Math/signum x)", "-1.0, 0.0 or 1.0: the sign of x.", {"(Math/signum -5)", "-1.0"},
        of_one<signum>),
    row("Math/sin", "(Math/sin x)", "The sine of an angle in radians.", {"(Math/sin 0)", "0.0"}, of_one<std::sin>),
    row("Math/cos", "(Math/cos x)", "The cosine of an angle in radians.", {"(Math/cos 0)", "1.0"}, of_one<std::cos>),
    row("Math/tan", "(Math/tan x)", "The tangent of an angle in radians.", {"(Math/tan 0)", "0.0"}, of_one<std::tan>),
    row("Math/asin", "(Math/asin x)", "The angle whose sine is x, in radians.", {"(Math/asin 0)", "0.0"},
        of_one<std::asin>),
    row("Math/acos", "(Math/acos x)", "The angle whose cosine is x, in radians.", {"(Math/acos 1)", "0.0"},
        of_one<std::acos>),
    row("Math/atan", "(Math/atan x)", "The angle whose tangent is x, in radians.", {"(Math/atan 0)", "0.0"},
        of_one<std::atan>),
    row("Math/atan2", "(Math/atan2 y x)", "The angle of the point (x, y), in radians.", {"(Math/atan2 0 1)", "0.0"},
        of_two<std::atan2>),
    of_integers(row("Math/floorMod", "(Math/floorMod x y)",
                    "What the division of integers rounded down leaves over, as mod.", {"(Math/floorMod -7 3)", "2"},
                    call_floor_mod)),
    of_integers(row("Math/floorDiv", "(Math/floorDiv x y)", "The quotient of integers, rounded down.",
                    {"(Math/floorDiv -7 3)", "-3"}, call_floor_div)),
    row("Math/rint", "(Math/rint x)", "The nearest whole number as a double; halves to the even one.",
        {"(Math/rint 2.5)", "2.0"}, of_one<to_nearest_even>),
    row("Math/log1p", "(Math/log1p x)", "The natural logarithm of 1 + x.", {"(Math/log1p 0)", "0.0"},
        of_one<std::log1p>),
    row("Math/expm1", "(Math/expm1 x)", "e to the power of x, minus 1.", {"(Math/expm1 0)", "0.0"}, of_one<std::expm1>),
    row("Math/sinh", "(Math/sinh x)", "The hyperbolic sine of x.", {"(Math/sinh 0)", "0.0"}, of_one<std::sinh>),
    row("Math/cosh", "(Math/cosh x)", "The hyperbolic cosine of x.", {"(Math/cosh 0)", "1.0"}, of_one<std::cosh>),
    row("Math/tanh", "(Math/tanh x)", "The hyperbolic tangent of x.", {"(Math/tanh 0)", "0.0"}, of_one<std::tanh>),
    row("Math/toRadians", "(Math/toRadians x)", "An angle of x degrees in radians.",
        {"(Math/toRadians 180)", "3.141592653589793"}, of_one<to_radians>),
    row("Math/toDegrees", "(Math/toDegrees x)", "An angle of x radians in degrees.", {"(Math/toDegrees 0)", "0.0"},
        of_one<to_degrees>),
};

} // namespace

std::span<const Builtin> java_math_builtins() { return kRows; }

} // namespace ptc
