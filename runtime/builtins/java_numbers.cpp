// Java's BigDecimal and BigInteger. There are no decimals here: a number with a fraction is a double. What these
// methods do with one they do with the digits of its text, as (bigdec x) has them in Clojure, and exactly: 1.235 to two
// places is 1.24, and 0.1 and 0.2 are 0.3. Only what comes out becomes a double, so its zeros behind the last digit are
// not kept.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/builtins/decimal.h"
#include "runtime/builtins/number_text.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ptc {
namespace {

/// Java's modes, in the order of its constants BigDecimal/ROUND_UP ..
enum class Rounding : std::uint8_t { Up, Down, Ceiling, Floor, HalfUp, HalfDown, HalfEven, Unnecessary };
constexpr std::string_view kModes[] = {"UP",      "DOWN",      "CEILING",   "FLOOR",
                                       "HALF_UP", "HALF_DOWN", "HALF_EVEN", "UNNECESSARY"};

/// Doubles have 341 places at most; more than this is a mistake.
constexpr std::int64_t kMostPlaces = 1000;

/// digits * 10^-scale; the scale is not negative.
struct Scaled {
    Value digits; ///< an integer
    std::int64_t scale = 0;
};

/// Argument `position`, a number that is finite.
Result<void> check_number(const Call& call, Args args, std::size_t position) {
    const Value& number = args[position - 1];
    if (number.is_number() && (!number.is_double() || std::isfinite(number.as_double()))) return {};
    Error error = argument_error(call, args, position, "a finite number");
    if (number.is_string()) return std::move(error).with_hint("(bigdec s) reads a number from a text.");
    if (!number.is_collection()) return error;
    return std::move(error).with_hint(
        "Collections never change: (conj coll x), (assoc map key x) and (disj set x) give "
        "new ones.");
}

Result<Scaled> scaled_of(Heap& heap, const Value& number) {
    if (number.is_integer()) return Scaled{number.copy(), 0};
    const Decimal decimal = Decimal::of(number);
    if (decimal.is_zero()) return Scaled{Value::small_integer(0), 0};
    const auto size = static_cast<std::int64_t>(decimal.digits.size());
    std::string digits = (decimal.negative ? "-" : "") + decimal.digits;
    if (decimal.point > size) digits.append(static_cast<std::size_t>(decimal.point - size), '0');
    return Scaled{PTC_TRY(make_integer(heap, digits)), std::max<std::int64_t>(size - decimal.point, 0)};
}

Result<Scaled> scaled_argument(Call& call, Args args, std::size_t position) {
    PTC_CHECK(check_number(call, args, position));
    return scaled_of(call.heap, args[position - 1]);
}

/// `power` is not negative.
Result<Value> times_ten_to(Heap& heap, Value integer, std::int64_t power) {
    if (power == 0) return integer;
    const Value factor = PTC_TRY(make_integer(heap, "1" + std::string(static_cast<std::size_t>(power), '0')));
    return multiply(heap, integer, factor);
}

/// Both with the larger one of the two scales.
Result<void> align(Heap& heap, Scaled& a, Scaled& b) {
    const std::int64_t scale = std::max(a.scale, b.scale);
    for (Scaled* number : {&a, &b}) {
        number->digits = PTC_TRY(times_ten_to(heap, std::move(number->digits), scale - number->scale));
        number->scale = scale;
    }
    return {};
}

Error too_large(const Call& call) { return out_of_range(call.who(), "the result is too large for a number."); }

/// The nearest double; `power` of ten may have any sign.
Result<Value> double_of(Call& call, const Value& digits, std::int64_t power) {
    PTC_CHECK(charge(call, static_cast<std::size_t>(number_text_cost(digits))));
    const auto number = read_double(number_to_text(digits) + "e" + std::to_string(power));
    if (!number || !std::isfinite(*number)) return too_large(call);
    return Value::number(*number);
}

/// Integers stay integers.
Result<Value> result_of(Call& call, Args args, const Scaled& result) {
    const bool is_exact = std::all_of(args.begin(), args.end(), [](const Value& v) { return v.is_integer(); });
    if (is_exact) return result.digits.copy();
    return double_of(call, result.digits, -result.scale);
}

// ---- Rounding

Result<std::int64_t> scale_argument(const Call& call, Args args, std::size_t position) {
    if (!args[position - 1].is_integer())
        return argument_error(call, args, position, "an integer, the number of places");
    const std::int64_t scale = PTC_TRY(index_argument(call, args, position));
    if (std::abs(std::clamp(scale, -kMostPlaces - 1, kMostPlaces + 1)) > kMostPlaces)
        return out_of_range(call.who(), "a scale is between -1000 and 1000.");
    return scale;
}

/// A name, or the number that BigDecimal/ROUND_HALF_UP and its like are.
Result<Rounding> mode_argument(const Call& call, Args args, std::size_t position) {
    const Value& mode = args[position - 1];
    if (mode.is_small_integer() && mode.small_integer() >= 0 && mode.small_integer() < std::ssize(kModes))
        return static_cast<Rounding>(mode.small_integer());
    const auto* const found =
        mode.is_string() ? std::find(std::begin(kModes), std::end(kModes), text_of(mode)) : std::end(kModes);
    if (found == std::end(kModes)) return argument_error(call, args, position, "a mode like RoundingMode/HALF_UP");
    return static_cast<Rounding>(found - std::begin(kModes));
}

/// What is cut off, beside a half of the last place that stays: -1, 0 or 1.
bool rounds_away(Rounding mode, bool is_negative, int beside_half, bool is_odd) {
    switch (mode) {
    case Rounding::Up: return true;
    case Rounding::Ceiling: return !is_negative;
    case Rounding::Floor: return is_negative;
    case Rounding::HalfUp: return beside_half >= 0;
    case Rounding::HalfDown: return beside_half > 0;
    case Rounding::HalfEven: return beside_half > 0 || (beside_half == 0 && is_odd);
    default: return false;
    }
}

/// a / b with `scale` places.
Result<Value> divide_to_scale(Call& call, Scaled a, Scaled b, std::int64_t scale, Rounding mode) {
    Heap& heap = call.heap;
    if (is_zero(b.digits)) return division_by_zero(call.who());
    const std::int64_t power = scale + b.scale - a.scale;
    const Value above = PTC_TRY(times_ten_to(heap, std::move(a.digits), std::max<std::int64_t>(power, 0)));
    const Value below = PTC_TRY(times_ten_to(heap, std::move(b.digits), std::max<std::int64_t>(-power, 0)));
    Value whole = PTC_TRY(quotient(heap, above, below));
    const Value rest = PTC_TRY(remainder(heap, above, below));
    if (!is_zero(rest)) {
        if (mode == Rounding::Unnecessary) {
            return Error(Reason::ArithmeticError, quoted(call.who()) + ": digits would be lost.")
                .with_hint("Say how to round: (.setScale x 2 RoundingMode/HALF_UP).");
        }
        const bool is_less = is_negative(above) != is_negative(below);
        const Value twice = PTC_TRY(add(heap, rest, rest));
        const Value twice_size = is_negative(twice) ? PTC_TRY(negate(heap, twice)) : twice.copy();
        const Value below_size = is_negative(below) ? PTC_TRY(negate(heap, below)) : below.copy();
        const std::partial_ordering order = compare_numbers(twice_size, below_size);
        const int beside_half = order < 0 ? -1 : order > 0;
        if (rounds_away(mode, is_less, beside_half, !is_even(whole)))
            whole = PTC_TRY(add(heap, whole, Value::small_integer(is_less ? -1 : 1)));
    }
    return double_of(call, whole, -scale);
}

Result<Value> call_set_scale(Call& call, Args args) {
    Scaled number = PTC_TRY(scaled_argument(call, args, 1));
    const std::int64_t scale = PTC_TRY(scale_argument(call, args, 2));
    const Rounding mode = args.size() == 3 ? PTC_TRY(mode_argument(call, args, 3)) : Rounding::Unnecessary;
    if (scale >= number.scale) return double_of(call, number.digits, -number.scale);
    return divide_to_scale(call, std::move(number), {Value::small_integer(1), 0}, scale, mode);
}

// ---- Arithmetic

template <Result<Value> (*Operation)(Heap&, const Value&, const Value&, const char*)>
Result<Value> call_sum(Call& call, Args args) {
    Scaled a = PTC_TRY(scaled_argument(call, args, 1));
    Scaled b = PTC_TRY(scaled_argument(call, args, 2));
    PTC_CHECK(align(call.heap, a, b));
    return result_of(call, args, {PTC_TRY(Operation(call.heap, a.digits, b.digits, call.who())), a.scale});
}

Result<Value> call_product(Call& call, Args args) {
    const Scaled a = PTC_TRY(scaled_argument(call, args, 1));
    const Scaled b = PTC_TRY(scaled_argument(call, args, 2));
    return result_of(call, args, {PTC_TRY(multiply(call.heap, a.digits, b.digits)), a.scale + b.scale});
}

constexpr const char* kDivisionHint = "Say how many places: (.divide a b 2 RoundingMode/HALF_UP); (/ a b) is a double, "
                                      "(quot a b) a whole number.";

/// With a scale and a mode as BigDecimal has it. Without, what has no end in decimal notation is refused, as in Java,
/// and so are integers that leave a rest: of two BigIntegers that is cut off, of two BigDecimals not.
Result<Value> call_divide(Call& call, Args args) {
    Scaled a = PTC_TRY(scaled_argument(call, args, 1));
    Scaled b = PTC_TRY(scaled_argument(call, args, 2));
    if (args.size() == 4) {
        const std::int64_t scale = PTC_TRY(scale_argument(call, args, 3));
        return divide_to_scale(call, std::move(a), std::move(b), scale, PTC_TRY(mode_argument(call, args, 4)));
    }
    if (args.size() == 3) {
        return argument_error(call, args, 3, "a scale, and a mode behind it")
            .with_hint("A double has no scale of its own. Write (.divide a b 2 RoundingMode/HALF_UP).");
    }
    if (is_zero(b.digits)) return division_by_zero(call.who());
    PTC_CHECK(align(call.heap, a, b));
    const bool are_integers = args[0].is_integer() && args[1].is_integer();
    constexpr std::int64_t kPlaces = 400; // more than a double has: what leaves a rest then has no end
    const Value above = PTC_TRY(times_ten_to(call.heap, std::move(a.digits), are_integers ? 0 : kPlaces));
    if (!is_zero(PTC_TRY(remainder(call.heap, above, b.digits)))) {
        return Error(Reason::ArithmeticError, std::string("`.divide`: ") + (are_integers ? "the integers leave a rest."
                                                                                         : "the quotient has no end."))
            .with_hint(kDivisionHint);
    }
    Value whole = PTC_TRY(quotient(call.heap, above, b.digits));
    if (are_integers) return whole;
    return double_of(call, whole, -kPlaces);
}

Result<Value> call_remainder(Call& call, Args args) {
    Scaled a = PTC_TRY(scaled_argument(call, args, 1));
    Scaled b = PTC_TRY(scaled_argument(call, args, 2));
    if (is_zero(b.digits)) return division_by_zero(call.who());
    PTC_CHECK(align(call.heap, a, b));
    return result_of(call, args, {PTC_TRY(remainder(call.heap, a.digits, b.digits)), a.scale});
}

Result<void> check_integers(const Call& call, Args args) {
    for (std::size_t position = 1; position <= args.size(); ++position) {
        if (!args[position - 1].is_integer()) return argument_error(call, args, position, "an integer");
    }
    return {};
}

Result<Value> call_mod(Call& call, Args args) {
    PTC_CHECK(check_integers(call, args));
    if (is_zero(args[1]) || is_negative(args[1]))
        return Error(Reason::ArithmeticError, "`.mod` needs a modulus above zero.").with_hint("(mod a b) takes any.");
    return modulo(call.heap, args[0], args[1]);
}

Result<Value> call_gcd(Call& call, Args args) {
    PTC_CHECK(check_integers(call, args));
    Value a = std::move(args[0]), b = std::move(args[1]);
    while (!is_zero(b)) {
        PTC_CHECK(charge(call, 1));
        Value rest = PTC_TRY(remainder(call.heap, a, b));
        a = std::move(b);
        b = std::move(rest);
    }
    return is_negative(a) ? negate(call.heap, a) : Result<Value>(std::move(a));
}

/// `exponent` is at least 0; work and size are charged by the multiplications.
Result<Value> integer_power(Call& call, Value base, std::int64_t exponent) {
    Value result = Value::small_integer(1);
    for (; exponent > 0; exponent /= 2) {
        PTC_CHECK(charge(call, 1));
        if (exponent % 2 == 1) result = PTC_TRY(multiply(call.heap, result, base));
        if (exponent > 1) base = PTC_TRY(multiply(call.heap, base, base));
    }
    return result;
}

Result<Value> call_pow(Call& call, Args args) {
    Scaled base = PTC_TRY(scaled_argument(call, args, 1));
    if (!args[1].is_integer() || is_negative(args[1]))
        return argument_error(call, args, 2, "an integer that is not negative")
            .with_hint("(Math/pow x y) takes any exponent.");
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::int64_t exponent = PTC_TRY(index_argument(call, args, 2));
    if (exponent > kMost) return out_of_range(call.who(), "the exponent is too large.");
    if (args[0].is_integer()) return integer_power(call, std::move(args[0]), exponent);
    constexpr std::int64_t kMostExact = 1000; // what is left is near 1, and the digits would be many
    if (exponent > kMostExact) {
        const double power = std::pow(args[0].as_double(), static_cast<double>(exponent));
        return std::isfinite(power) ? Result<Value>(Value::number(power)) : too_large(call);
    }
    const Value digits = PTC_TRY(integer_power(call, std::move(base.digits), exponent));
    return double_of(call, digits, -base.scale * exponent);
}

Result<Value> call_negate(Call& call, Args args) {
    PTC_CHECK(check_number(call, args, 1));
    if (args[0].is_double() && args[0].as_double() == 0) return Value::number(0.0); // a decimal has one zero
    return negate(call.heap, args[0]);
}

Result<Value> call_signum(Call& call, Args args) {
    PTC_CHECK(check_number(call, args, 1));
    return Value::small_integer(is_zero(args[0]) ? 0 : is_negative(args[0]) ? -1 : 1);
}

// ---- Texts

/// As Java writes (bigdec x): without an exponent, and with the places that the double's own text has.
std::string plain_text(const Value& number) {
    const Decimal decimal = Decimal::of(number);
    const auto size = static_cast<std::int64_t>(decimal.digits.size());
    std::int64_t places = std::max<std::int64_t>(size - decimal.point, 0);
    const double magnitude = std::fabs(number.as_double());
    if (places == 0 && magnitude < 1e7) places = 1;                // 5.0
    if (magnitude != 0 && magnitude < 1e-3 && size == 1) ++places; // of 1.0E-5
    std::string text = (decimal.negative && !decimal.is_zero() ? "-" : "") + decimal.whole_part();
    if (places > 0) text += "." + decimal.fraction(places);
    return text;
}

Result<Value> call_to_plain_string(Call& call, Args args) {
    PTC_CHECK(check_number(call, args, 1));
    if (args[0].is_integer()) return number_text(call.heap, args[0]);
    return make_string(call.heap, plain_text(args[0]));
}

Result<Value> call_strip_zeros(Call& call, Args args) {
    PTC_CHECK(check_number(call, args, 1));
    const bool is_whole = args[0].is_double() && args[0].as_double() == std::trunc(args[0].as_double());
    if (!is_whole) return std::move(args[0]);
    return integer_from_double(call.heap, args[0].as_double());
}

// ---- Making

Result<Value> read_decimal(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    const bool is_plain = text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    const auto number = is_plain ? read_double(text) : std::nullopt;
    if (!number) {
        return unreadable_text(call.who(), "the text of a number", text)
            .with_hint("(parse-double s) gives nil for a text that is no number.");
    }
    if (!std::isfinite(*number)) return out_of_range(call.who(), "the number is too large.");
    return Value::number(*number);
}

Result<Value> call_new_decimal(Call& call, Args args) {
    if (args[0].is_string()) return read_decimal(call, args);
    PTC_CHECK(check_number(call, args, 1));
    return std::move(args[0]);
}

Result<Value> call_decimal_value_of(Call& call, Args args) {
    PTC_CHECK(check_number(call, args, 1));
    if (args.size() == 1) return std::move(args[0]);
    if (!args[0].is_integer()) return argument_error(call, args, 1, "an integer");
    return double_of(call, args[0], -PTC_TRY(scale_argument(call, args, 2)));
}

Result<Value> call_new_integer(Call& call, Args args) {
    if (args[0].is_integer() && args.size() == 1) return std::move(args[0]);
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    const std::int64_t radix = args.size() == 2 ? PTC_TRY(index_argument(call, args, 2)) : 10;
    if (radix < 2 || radix > 36) return argument_error(call, args, 2, "a radix from 2 to 36");
    if (radix != 10) {
        const auto number = read_long(text, static_cast<int>(radix));
        if (!number) return unreadable_text(call.who(), "the digits of an integer of 64 bits", text);
        return make_integer(call.heap, *number);
    }
    const std::string_view digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
        return unreadable_text(call.who(), "the digits of an integer", text)
            .with_hint("(parse-long s) gives nil for a text that is no integer.");
    }
    return parse_integer(call.heap, text);
}

Result<Value> call_integer_itself(Call& call, Args args) {
    PTC_CHECK(check_integers(call, args));
    return std::move(args[0]);
}

// ---- The table

constexpr const char* kNoDecimals = "A decimal is a double: its text has no zeros behind the last digit.";

constexpr Builtin row(const char* name, const char* usage, const char* doc, Example example, Work work,
                      NativeFunction call, const char* differs = nullptr) {
    Builtin result{.name = name, .usage = usage, .doc = doc, .example = example, .category = Category::Interop};
    result.cost = 20;
    result.work = work;
    result.gives = {kinds::kNumber};
    result.model = BoundModel::Unknown;
    result.traits = traits::kComputes;
    result.call = call;
    result.differs = differs;
    return result;
}

constexpr Builtin with_text(Builtin result) {
    result.gives = {kinds::kText};
    return result;
}

constexpr Builtin kRows[] = {
    row(".setScale", "(.setScale x scale) (.setScale x scale mode)",
        "x with so many decimal places, rounded by a mode: RoundingMode/HALF_UP, HALF_EVEN, HALF_DOWN, UP, DOWN, FLOOR "
        "or CEILING; without one an error when digits would be lost.",
        {"(.setScale 1.235 2 RoundingMode/HALF_UP)", "1.24"}, Work::Digits, call_set_scale, kNoDecimals),
    row(".add", "(.add x y)", "The sum of two numbers by their decimal digits.", {"(.add 0.1 0.2)", "0.3"},
        Work::Digits, call_sum<add>, kNoDecimals),
    row(".subtract", "(.subtract x y)", "The difference of two numbers by their decimal digits.",
        {"(.subtract 0.3 0.1)", "0.2"}, Work::Digits, call_sum<subtract>, kNoDecimals),
    row(".multiply", "(.multiply x y)", "The product of two numbers by their decimal digits.",
        {"(.multiply 1.1 1.1)", "1.21"}, Work::Digits, call_product, kNoDecimals),
    row(".divide", "(.divide x y) (.divide x y scale) (.divide x y scale mode)",
        "The quotient of two numbers with so many decimal places, rounded by a mode as .setScale has it; without them "
        "an error when it has no end.",
        {"(.divide 10.0 3 2 RoundingMode/HALF_UP)", "3.33"}, Work::Digits, call_divide,
        "A scale is always needed with a mode, and integers without one must leave no rest."),
    row(".remainder", "(.remainder x y)", "What a division leaves over, with the sign of x.",
        {"(.remainder 5.5 2)", "1.5"}, Work::Digits, call_remainder, kNoDecimals),
    row(".mod", "(.mod x y)", "What the division of integers leaves over, never below zero.", {"(.mod -7 3)", "2"},
        Work::Digits, call_mod),
    row(".gcd", "(.gcd x y)", "The greatest common divisor of two integers.", {"(.gcd 12 18)", "6"}, Work::Digits,
        call_gcd),
    row(".pow", "(.pow x n)", "x to the power of n, an integer of at least 0; exact for integers.",
        {"(.pow 2 70)", "1180591620717411303424"}, Work::Digits, call_pow, kNoDecimals),
    row(".negate", "(.negate x)", "The number with its sign changed.", {"(.negate 1.5)", "-1.5"}, Work::Digits,
        call_negate),
    row(".signum", "(.signum x)", "-1, 0 or 1: the sign of a number.", {"(.signum -1.5)", "-1"}, Work::Constant,
        call_signum),
    with_text(row(".toPlainString", "(.toPlainString x)", "The text of a number without an exponent.",
                  {"(.toPlainString 1.5e10)", "\"15000000000\""}, Work::Digits, call_to_plain_string, kNoDecimals)),
    row(".stripTrailingZeros", "(.stripTrailingZeros x)", "A whole number as an integer, any other as it is.",
        {"(.stripTrailingZeros 2.0)", "2"}, Work::Constant, call_strip_zeros,
        "A double has no zeros behind its last digit but that of 2.0."),
    row("BigDecimal.", "(BigDecimal. x)",
        "The number that a text spells, or a number, as bigdec; an error for any "
        "other text.",
        {"(BigDecimal. \"1.5\")", "1.5"}, Work::Text, call_new_decimal, "A decimal is a double."),
    row("BigDecimal/valueOf", "(BigDecimal/valueOf x) (BigDecimal/valueOf n scale)",
        "A number; with a scale, n with so many decimal places.", {"(BigDecimal/valueOf 12345 2)", "123.45"},
        Work::Digits, call_decimal_value_of, "A decimal is a double."),
    row("BigInteger.", "(BigInteger. x) (BigInteger. s radix)",
        "The integer of any size that a text spells; in another radix than 10 one of 64 bits.",
        {"(BigInteger. \"12345678901234567890\")", "12345678901234567890"}, Work::Text, call_new_integer),
    row("BigInteger/valueOf", "(BigInteger/valueOf n)", "An integer as it is.", {"(BigInteger/valueOf 5)", "5"},
        Work::Constant, call_integer_itself),
};

} // namespace

std::span<const Builtin> java_number_builtins() { return kRows; }

} // namespace ptc
