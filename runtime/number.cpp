// Integers are exact. Those that do not fit a value are objects of limbs, copied to and from boost::multiprecision's
// cpp_int for each operation; nothing outside of this file knows that library, whose headers are large. An operation on
// large integers first charges its work (products of limbs) and the memory that the library will take (Workspace), so
// that no program can multiply for free. Comparing an integer with a double is exact: the double is an integer plus a
// fraction.
#include "runtime/number.h"
#include "frontend/quoted.h"
#include "runtime/digits.h"
#include "runtime/integer_bits.h"
#include "runtime/runtime_errors.h"
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace ptc {
namespace {

using boost::multiprecision::limb_type;
using Big = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;
static_assert(sizeof(limb_type) == 8, "limbs are copied between objects and cpp_int");

// ---------------------------------------------------------------- objects and cpp_int

const BigIntegerObject& as_big(const Value& v) { return *static_cast<const BigIntegerObject*>(v.object()); }

std::size_t limb_count(const Value& integer) { return integer.is_small_integer() ? 1 : as_big(integer).limb_count; }

Big load(const Value& integer) {
    if (integer.is_small_integer()) return Big(integer.small_integer());
    const BigIntegerObject& object = as_big(integer);
    Big big;
    big.backend().resize(object.limb_count, object.limb_count);
    std::memcpy(big.backend().limbs(), object.limbs(), object.limb_count * sizeof(limb_type));
    big.backend().sign(object.negative != 0);
    return big;
}

Result<Value> store(Heap& heap, const Big& big) {
    std::size_t limbs = big.backend().size();
    const limb_type* from = big.backend().limbs();
    if (limbs == 1 && from[0] <= static_cast<std::uint64_t>(bits::kMaxInteger)) {
        auto magnitude = static_cast<std::int64_t>(from[0]);
        return Value::small_integer(big.backend().sign() ? -magnitude : magnitude);
    }
    if (limbs == 1 && big.backend().sign() && from[0] == static_cast<std::uint64_t>(bits::kMaxInteger) + 1)
        return Value::small_integer(bits::kMinInteger);
    auto* object =
        heap.allocate<BigIntegerObject>(ObjectType::BigInteger, sizeof(BigIntegerObject) + limbs * sizeof(limb_type));
    if (!object) return heap.out_of_memory();
    object->limb_count = static_cast<std::uint32_t>(limbs);
    object->negative = big.backend().sign() ? 1 : 0;
    std::memcpy(object->limbs(), from, limbs * sizeof(limb_type));
    return heap.value_of(object);
}

/// Holds the bytes that cpp_int takes outside of the heap while an operation runs. Nothing is computed unless `ok`.
class Workspace {
public:
    /// `limbs` of all operands and results, `work` in limb products.
    Workspace(Heap& heap, std::size_t limbs, std::uint64_t work) : heap_(heap), bytes_(limbs * sizeof(limb_type) * 2) {
        if (!heap.meter.charge(static_cast<std::int64_t>(std::min<std::uint64_t>(work / 4 + limbs, INT64_MAX / 4))))
            failure_ = Failure::Meter;
        else if (!heap.charge_bytes(bytes_))
            failure_ = Failure::Memory;
    }
    ~Workspace() {
        if (failure_ == Failure::None) heap_.refund_bytes(bytes_);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    [[nodiscard]] bool ok() const { return failure_ == Failure::None; }
    [[nodiscard]] Error error() const {
        return failure_ == Failure::Meter ? heap_.meter.error() : heap_.out_of_memory();
    }

private:
    enum class Failure : std::uint8_t { None, Meter, Memory };
    Heap& heap_;
    std::size_t bytes_;
    Failure failure_ = Failure::None;
};

/// Limb products of a multiplication: schoolbook up to Boost's Karatsuba cut-off, then three quarters a doubling.
std::uint64_t multiplication_work(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kKaratsubaLimbs = 40;
    std::uint64_t work = a * b;
    for (std::uint64_t shorter = std::min(a, b); shorter > kKaratsubaLimbs; shorter /= 2)
        work = work / 4 * 3;
    return work;
}

/// The meter is asked between parts of long work, which has been paid for. Once it refuses, what is computed means
/// nothing; the refusal stays, so that nobody sees it.
class Watch {
public:
    Watch() = default; ///< nothing ends it
    explicit Watch(Heap& heap) : meter_(&heap.meter) {}
    /// For what prints a number: a frozen one belongs to nobody's run.
    explicit Watch(const Value& number) : meter_(number.is_frozen() ? nullptr : &Heap::of(number.object()).meter) {}
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    /// About `products` of limbs are done next.
    [[nodiscard]] bool goes_on(std::uint64_t products) {
        constexpr std::uint64_t kProductsAtOnce = 1 << 18;
        products_ += products;
        if (products_ >= kProductsAtOnce && meter_ && !has_ended_) {
            products_ = 0;
            has_ended_ = !meter_->look();
        }
        return !has_ended_;
    }

private:
    Meter* meter_ = nullptr;
    std::uint64_t products_ = 0;
    bool has_ended_ = false;
};

std::size_t limbs_of(const Big& big) { return big.backend().size(); }
std::size_t bits_of_limbs(std::size_t limbs) { return limbs * sizeof(limb_type) * 8; }

/// The limbs of the magnitude from `first` on, at most `count`.
Big limbs_from(const Big& big, std::size_t first, std::size_t count) {
    Big part;
    const std::size_t size = limbs_of(big);
    if (first >= size) return part;
    count = std::min(count, size - first);
    part.backend().resize(static_cast<unsigned>(count), static_cast<unsigned>(count));
    std::memcpy(part.backend().limbs(), big.backend().limbs() + first, count * sizeof(limb_type));
    part.backend().normalize();
    return part;
}

/// a * b of magnitudes: long ones in parts (Karatsuba's three), the meter asked between them. The recursion is as deep
/// as the numbers are long in doublings.
Big magnitude_product(const Big& a, const Big& b, Watch& watch) {
    constexpr std::size_t kLimbsAtOnce = 1'024;
    const std::size_t na = limbs_of(a), nb = limbs_of(b), longer = std::max(na, nb);
    if (!watch.goes_on(multiplication_work(na, nb))) return Big();
    if (longer <= kLimbsAtOnce) return a * b;
    const std::size_t half = (longer + 1) / 2;
    const Big a_low = limbs_from(a, 0, half), b_low = limbs_from(b, 0, half);
    const Big a_high = limbs_from(a, half, longer), b_high = limbs_from(b, half, longer);
    const Big low = magnitude_product(a_low, b_low, watch);
    if (na <= half || nb <= half) { // one of them has no high part
        const Big high = na <= half ? magnitude_product(a_low, b_high, watch) : magnitude_product(a_high, b_low, watch);
        return low + (high << bits_of_limbs(half));
    }
    const Big high = magnitude_product(a_high, b_high, watch);
    Big middle = magnitude_product(a_low + a_high, b_low + b_high, watch);
    if (watch.has_ended()) return Big();
    middle -= low;
    middle -= high;
    return low + (middle << bits_of_limbs(half)) + (high << bits_of_limbs(2 * half));
}

Big product(const Big& a, const Big& b, Watch& watch) {
    constexpr std::size_t kShort = 64;
    if (limbs_of(a) <= kShort || limbs_of(b) <= kShort) {
        (void)watch.goes_on(limbs_of(a) * limbs_of(b));
        return watch.has_ended() ? Big() : a * b;
    }
    Big result = magnitude_product(abs(a), abs(b), watch);
    return a.sign() * b.sign() < 0 ? -result : result;
}

/// Quotient and rest as divide_qr: a long quotient in parts from the top.
void divide_in_parts(const Big& a, const Big& b, Big& quotient, Big& rest, Watch& watch) {
    constexpr std::size_t kProductsAtOnce = std::size_t{1} << 18;
    const std::size_t na = limbs_of(a), nb = limbs_of(b);
    // cpp_int's division looks at all of the dividend for each limb of the quotient.
    constexpr std::size_t kShortQuotient = 16;
    if (nb == 1 || na <= 2 * nb + kShortQuotient) {
        divide_qr(a, b, quotient, rest);
        return;
    }
    const Big divisor = abs(b);
    const std::size_t step = std::clamp<std::size_t>(kProductsAtOnce / nb, 1, std::max(nb, kShortQuotient));
    quotient = rest = 0;
    std::vector<limb_type> digits(na);
    for (std::size_t end = na; end > 0;) {
        const std::size_t begin = end > step ? end - step : 0;
        if (!watch.goes_on((end - begin) * nb)) return;
        Big part = (rest << bits_of_limbs(end - begin)) + limbs_from(a, begin, end - begin), some;
        divide_qr(part, divisor, some, rest);
        std::memcpy(digits.data() + begin, some.backend().limbs(),
                    std::min(end - begin, limbs_of(some)) * sizeof(limb_type));
        end = begin;
    }
    quotient.backend().resize(static_cast<unsigned>(na), static_cast<unsigned>(na));
    std::memcpy(quotient.backend().limbs(), digits.data(), na * sizeof(limb_type));
    quotient.backend().normalize();
    if (a.sign() * b.sign() < 0) quotient = -quotient;
    if (a.sign() < 0) rest = -rest; // as of machine integers
}

// ---------------------------------------------------------------- conversions between integers and doubles

constexpr double kTwo63 = 9223372036854775808.0;

/// `magnitude`, with bit 0 set when bits below it were cut off, times 2^exponent; rounded once, to nearest even. The
/// sticky bit decides correctly because the magnitude has more bits than a double's 53.
double round_to_double(std::uint64_t magnitude, long exponent, bool negative) {
    double d = std::ldexp(static_cast<double>(magnitude), static_cast<int>(std::min(exponent, 5000L)));
    return negative ? -d : d;
}

double big_to_double(const std::uint64_t* limbs, std::size_t count, bool negative) {
    constexpr std::size_t kMostLimbs = 16; // of what is finite: 2^1024 has one more
    if (count > kMostLimbs)
        return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    std::uint64_t top = limbs[count - 1];
    if (count == 1) return negative ? -static_cast<double>(top) : static_cast<double>(top);
    int shift = std::countl_zero(top);
    std::uint64_t next = limbs[count - 2];
    std::uint64_t head = shift == 0 ? top : top << shift | next >> (64 - shift);
    bool sticky = shift == 0 ? next != 0 : (next << shift) != 0;
    for (std::size_t i = 0; i + 2 < count && !sticky; ++i)
        sticky = limbs[i] != 0;
    return round_to_double(head | (sticky ? 1 : 0), static_cast<long>(count - 1) * 64 - shift, negative);
}

/// The integer that a double without fraction is.
Big big_from_double(double d) {
    int exponent = 0;
    double mantissa = std::frexp(d, &exponent); // |d| = mantissa * 2^exponent, mantissa in [0.5, 1)
    auto digits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
    Big big(digits);
    if (exponent > 53)
        big <<= exponent - 53;
    else
        big >>= 53 - exponent;
    return big;
}

/// Order of a big integer and a finite double, exact.
std::partial_ordering compare_big_to_double(const Value& big, double d) {
    if (std::isnan(d)) return std::partial_ordering::unordered;
    if (std::isinf(d)) return d > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
    double whole = std::trunc(d);
    const BigIntegerObject& object = as_big(big);
    if (object.limb_count > 17) // beyond every double
        return object.negative ? std::partial_ordering::less : std::partial_ordering::greater;
    int order = load(big).compare(big_from_double(whole));
    if (order != 0) return order <=> 0;
    return whole <=> d;
}

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

std::strong_ordering compare_bigs(const BigIntegerObject& a, const BigIntegerObject& b) {
    if (a.negative != b.negative) return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
    std::strong_ordering magnitude = a.limb_count <=> b.limb_count;
    for (std::size_t i = a.limb_count; magnitude == 0 && i-- > 0;)
        magnitude = a.limbs()[i] <=> b.limbs()[i];
    return a.negative ? 0 <=> magnitude : magnitude;
}

std::strong_ordering compare_integers(const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return a.small_integer() <=> b.small_integer();
    if (a.is_small_integer()) return as_big(b).negative ? std::strong_ordering::greater : std::strong_ordering::less;
    if (b.is_small_integer()) return as_big(a).negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return compare_bigs(as_big(a), as_big(b));
}

// ---------------------------------------------------------------- arithmetic

enum class Operands : std::uint8_t { Small, Integers, Doubles, Wrong };

Operands classify(const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return Operands::Small;
    if (!a.is_number() || !b.is_number()) return Operands::Wrong;
    return a.is_double() || b.is_double() ? Operands::Doubles : Operands::Integers;
}

Error wrong_operand(const char* who, const Value& a, const Value& b) {
    return a.is_number() ? not_a_number(who, b, 2) : not_a_number(who, a, 1);
}

/// One operation in its three forms. `Exact` tells whether it overflows, which it does not on values of the inline
/// range.
template <class Exact, class Doubles, class Bigs>
Result<Value> arithmetic(Heap& heap, const Value& a, const Value& b, const char* who, Exact overflows, Doubles doubles,
                         Bigs bigs) {
    std::int64_t x = 0, y = 0, result = 0;
    switch (classify(a, b)) {
    case Operands::Small: overflows(a.small_integer(), b.small_integer(), &result); return make_integer(heap, result);
    case Operands::Doubles: return Value::number(doubles(to_double(a), to_double(b)));
    case Operands::Integers: {
        std::size_t limbs = limb_count(a) + limb_count(b) + 1;
        Workspace space(heap, limbs, limbs);
        if (!space.ok()) return space.error();
        if (fits_int64(a, &x) && fits_int64(b, &y) && !overflows(x, y, &result)) return make_integer(heap, result);
        return store(heap, bigs(load(a), load(b)));
    }
    case Operands::Wrong: break;
    }
    return wrong_operand(who, a, b);
}

enum class Division : std::uint8_t { Quotient, Remainder, Modulo };

const char* name_of(Division kind) {
    switch (kind) {
    case Division::Quotient: return "quot";
    case Division::Remainder: return "rem";
    case Division::Modulo: return "mod";
    }
    return "";
}

Result<Value> divide_small(Heap& heap, std::int64_t a, std::int64_t b, Division kind) {
    std::int64_t rest = a % b;
    switch (kind) {
    case Division::Quotient: return make_integer(heap, a / b);
    case Division::Remainder: return make_integer(heap, rest);
    case Division::Modulo: break;
    }
    bool signs_differ = rest != 0 && (rest < 0) != (b < 0);
    return make_integer(heap, signs_differ ? rest + b : rest);
}

/// Clojure rejects what is not finite (GAP-S138), except for an infinite divisor: it goes 0 times, and 0 * Inf leaves
/// NaN.
Result<Value> divide_doubles(double a, double b, Division kind) {
    const char* who = name_of(kind);
    if (b == 0) return division_by_zero(who);
    if (!std::isfinite(a) || std::isnan(b))
        return Error(Reason::ArithmeticError, quoted(who) + " needs finite numbers.");
    if (std::isinf(b))
        return Value::number(kind == Division::Quotient ? a / b : std::numeric_limits<double>::quiet_NaN());
    switch (kind) {
    case Division::Quotient: return Value::number(std::trunc(a / b));
    case Division::Remainder: return Value::number(std::fmod(a, b));
    case Division::Modulo: break;
    }
    double rest = std::fmod(a, b);
    bool signs_differ = rest != 0 && (rest < 0) != (b < 0);
    return Value::number(signs_differ ? rest + b : rest);
}

Result<Value> divide_bigs(Heap& heap, const Value& a, const Value& b, Division kind) {
    std::size_t na = limb_count(a), nb = limb_count(b);
    std::uint64_t quotient_limbs = na > nb ? na - nb + 1 : 1;
    Workspace space(heap, 2 * (na + nb), quotient_limbs * nb * 2);
    if (!space.ok()) return space.error();
    std::int64_t x = 0, y = 0;
    const bool overflows = !fits_int64(a, &x) || !fits_int64(b, &y) || (x == INT64_MIN && y == -1);
    if (!overflows) return divide_small(heap, x, y, kind);
    Big quotient, rest;
    Big divisor = load(b);
    Watch watch(heap);
    divide_in_parts(load(a), divisor, quotient, rest, watch);
    if (watch.has_ended()) return heap.meter.error();
    if (kind == Division::Quotient) return store(heap, quotient);
    if (kind == Division::Modulo && !rest.is_zero() && rest.sign() != divisor.sign()) rest += divisor;
    return store(heap, rest);
}

Result<Value> integer_division(Heap& heap, const Value& a, const Value& b, Division kind) {
    Operands operands = classify(a, b);
    if (operands == Operands::Wrong) return wrong_operand(name_of(kind), a, b);
    if (operands == Operands::Doubles) return divide_doubles(to_double(a), to_double(b), kind);
    if (is_zero(b)) return division_by_zero(name_of(kind));
    if (operands == Operands::Small) return divide_small(heap, a.small_integer(), b.small_integer(), kind);
    return divide_bigs(heap, a, b, kind);
}

/// a / b of integers of any size as the nearest double: the quotient is computed to 65 bits or more and rounded once.
Result<Value> ratio_of_bigs(Heap& heap, const Value& a, const Value& b) {
    std::size_t na = limb_count(a), nb = limb_count(b);
    Workspace space(heap, 3 * (na + nb), (na + nb) * nb);
    if (!space.ok()) return space.error();
    Big dividend = load(a), divisor = load(b);
    bool negative = dividend.sign() * divisor.sign() < 0;
    dividend = abs(dividend);
    divisor = abs(divisor);
    if (dividend.is_zero()) return Value::number(0.0);
    long shift = static_cast<long>(msb(divisor)) - static_cast<long>(msb(dividend)) + 66;
    if (shift > 0)
        dividend <<= shift;
    else
        divisor <<= -shift;
    Big quotient, rest;
    Watch watch(heap);
    divide_in_parts(dividend, divisor, quotient, rest, watch);
    if (watch.has_ended()) return heap.meter.error();
    long drop = static_cast<long>(msb(quotient)) - 63;
    auto head = static_cast<std::uint64_t>(quotient >> drop);
    bool sticky = !rest.is_zero() || ((quotient >> drop) << drop) != quotient;
    return Value::number(round_to_double(head | (sticky ? 1 : 0), drop - shift, negative));
}

// ---------------------------------------------------------------- decimal text

constexpr std::size_t kDigitsPerLimb = 19;
constexpr std::size_t kDirectDigits = 40 * kDigitsPerLimb; ///< below, splitting does not pay

std::uint64_t parse_chunk(std::string_view digits) {
    std::uint64_t value = 0;
    for (char c : digits)
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    return value;
}

Big parse_direct(std::string_view digits) {
    Big big = 0;
    std::size_t head = digits.size() % kDigitsPerLimb;
    if (head > 0) big = parse_chunk(digits.substr(0, head));
    for (std::size_t at = head; at < digits.size(); at += kDigitsPerLimb) {
        big *= 10'000'000'000'000'000'000u;
        big += parse_chunk(digits.substr(at, kDigitsPerLimb));
    }
    return big;
}

std::size_t levels_for(std::size_t digits) {
    std::size_t levels = 0;
    while (kDirectDigits << levels < digits)
        ++levels;
    return levels;
}

/// floor(2^precision / divisor) by Newton's iteration, so that dividing costs multiplications, which are subquadratic.
Big reciprocal(const Big& divisor, std::size_t precision, Watch& watch) {
    std::size_t bits = msb(divisor) + 1;
    std::size_t known = 62; // bits of the quotient that are right
    std::size_t wanted = precision - bits + 1;
    std::size_t cut = bits > 64 ? bits - 64 : 0;
    auto head = static_cast<std::uint64_t>(divisor >> cut);
    Big guess = (Big(1) << (64 + 63)) / Big(head); // scaled by 2^(64 + 63 + cut)
    std::size_t scale = 64 + 63 + cut;
    while (true) {
        known = std::min(known * 2 - 4, wanted + 4);
        std::size_t next_scale = bits + known + 2;
        if (next_scale >= scale)
            guess <<= next_scale - scale;
        else
            guess >>= scale - next_scale;
        scale = next_scale;
        Big error = (Big(1) << scale) - product(guess, divisor, watch);
        guess += product(guess, error, watch) >> scale;
        if (watch.has_ended()) return Big();
        if (known >= wanted) break;
    }
    Big result = scale >= precision ? guess >> (scale - precision) : guess << (precision - scale);
    // The last digits may be off by a little.
    Big rest = (Big(1) << precision) - product(result, divisor, watch);
    if (watch.has_ended()) return Big();
    while (rest < 0) {
        rest += divisor;
        --result;
    }
    while (rest >= divisor) {
        rest -= divisor;
        ++result;
    }
    return result;
}

/// 10^(kDirectDigits * 2^level)
struct DecimalPower {
    Big power;
    Big inverse;           ///< floor(2^precision / power); zero of what only multiplies
    std::size_t precision; ///< enough for every dividend below power^2
};

enum class PowersFor { Multiplying, Dividing };

/// Appends `count` powers, each the square of the one before: the first of `before`, or the lowest power.
void append_powers(std::vector<DecimalPower>& powers, std::size_t count, const Big* before, PowersFor use,
                   Watch& watch) {
    for (std::size_t i = 0; i < count && !watch.has_ended(); ++i) {
        Big power = before ? product(*before, *before, watch)
                           : boost::multiprecision::pow(Big(10), static_cast<unsigned>(kDirectDigits));
        if (watch.has_ended()) return; // then the product is none
        const std::size_t precision = 2 * (msb(power) + 1) + 2;
        Big inverse = use == PowersFor::Dividing ? reciprocal(power, precision, watch) : Big();
        powers.push_back({std::move(power), std::move(inverse), precision});
        before = &powers.back().power;
    }
}

/// The powers below a number of digits. Those of usual numbers, as long as texts may spell them, are made once.
class DecimalPowers {
public:
    DecimalPowers(std::size_t levels, PowersFor use, Watch& watch) {
        if (levels <= kSharedLevels) return;
        own_.reserve(levels - kSharedLevels);
        append_powers(own_, levels - kSharedLevels, &shared().back().power, use, watch);
    }
    const DecimalPower& operator[](std::size_t level) const {
        return level < kSharedLevels ? shared()[level] : own_[level - kSharedLevels];
    }

private:
    static constexpr std::size_t kSharedLevels = 4; ///< for 12,160 digits

    static const std::vector<DecimalPower>& shared() {
        static const std::vector<DecimalPower> made = [] {
            std::vector<DecimalPower> powers;
            powers.reserve(kSharedLevels);
            Watch none;
            append_powers(powers, kSharedLevels, nullptr, PowersFor::Dividing, none);
            return powers;
        }();
        return made;
    }

    std::vector<DecimalPower> own_;
};

/// high * 10^n + low, split at the largest power that is shorter than the text. The recursion is as deep as the text is
/// long in doublings of kDirectDigits.
Big parse_split(std::string_view digits, const DecimalPowers& powers, std::size_t level, Watch& watch) {
    if (watch.has_ended()) return Big();
    if (digits.size() <= kDirectDigits) return parse_direct(digits);
    std::size_t low = kDirectDigits << (level - 1);
    if (digits.size() <= low) return parse_split(digits, powers, level - 1, watch);
    std::string_view high = digits.substr(0, digits.size() - low);
    Big value = product(parse_split(high, powers, level - 1, watch), powers[level - 1].power, watch);
    value += parse_split(digits.substr(digits.size() - low), powers, level - 1, watch);
    return value;
}

/// Quotient by multiplication with the inverse (Barrett); `value` becomes the remainder.
Big divide_by_power(Big& value, const DecimalPower& by, Watch& watch) {
    Big quotient = product(value, by.inverse, watch) >> by.precision;
    value -= product(quotient, by.power, watch);
    if (watch.has_ended()) return Big();
    while (value >= by.power) {
        value -= by.power;
        ++quotient;
    }
    return quotient;
}

/// Writes `value` (not negative) as decimal digits; with exactly `width` of them unless width is 0.
void append_digits(std::string& out, Big& value, const DecimalPowers& powers, std::size_t level, std::size_t width,
                   Watch& watch) {
    if (watch.has_ended()) return;
    while (width == 0 && level > 0 && value < powers[level - 1].power)
        --level;
    if (level == 0) {
        std::string digits = value.str();
        if (digits.size() < width) out.append(width - digits.size(), '0');
        out += digits;
        return;
    }
    std::size_t low = kDirectDigits << (level - 1);
    Big high = divide_by_power(value, powers[level - 1], watch);
    append_digits(out, high, powers, level - 1, width == 0 ? 0 : width - low, watch);
    append_digits(out, value, powers, level - 1, low, watch);
}

std::string big_to_text(const Value& number) {
    Big value = load(number);
    std::string out = as_big(number).negative ? "-" : "";
    value = abs(value);
    std::size_t digits = (msb(value) + 1) * 30103 / 100000 + 1;
    std::size_t levels = levels_for(digits);
    Watch watch(number);
    const DecimalPowers divisors(levels, PowersFor::Dividing, watch);
    append_digits(out, value, divisors, levels, 0, watch);
    return out;
}

// ---------------------------------------------------------------- hashing

constexpr std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8'FEB8'6659'FD93;
    x ^= x >> 32;
    x *= 0xD6E8'FEB8'6659'FD93;
    return x ^ x >> 32;
}

template <class Limb> std::uint64_t hash_limbs(const Limb* limbs, std::size_t count, bool negative) {
    std::uint64_t h = negative ? 0x9E37'79B9'7F4A'7C15 : 0x5851'F42D'4C95'7F2D;
    for (std::size_t i = 0; i < count; ++i)
        h = mix(h ^ limbs[i]) + i;
    return h;
}

std::uint64_t hash_small(std::int64_t i) { return mix(static_cast<std::uint64_t>(i) + 0x9E37'79B9'7F4A'7C15); }

} // namespace

Result<Value> make_integer(Heap& heap, std::int64_t i) {
    if (bits::fits_integer(i)) [[likely]]
        return Value::small_integer(i);
    auto* object =
        heap.allocate<BigIntegerObject>(ObjectType::BigInteger, sizeof(BigIntegerObject) + sizeof(std::uint64_t));
    if (!object) return heap.out_of_memory();
    object->limb_count = 1;
    object->negative = i < 0 ? 1 : 0;
    object->limbs()[0] = i < 0 ? -static_cast<std::uint64_t>(i) : static_cast<std::uint64_t>(i);
    return heap.value_of(object);
}

Result<Value> parse_integer(Heap& heap, std::string_view digits) {
    const std::size_t sign = digits.starts_with('-') || digits.starts_with('+') ? 1 : 0;
    if (digits.size() - sign > heap.max_digits) return too_many_digits(digits.size() - sign, heap.max_digits);
    return make_integer(heap, digits);
}

Result<Value> make_integer(Heap& heap, std::string_view digits) {
    bool negative = !digits.empty() && digits.front() == '-';
    if (negative || (!digits.empty() && digits.front() == '+')) digits.remove_prefix(1);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() <= 18) {
        auto magnitude = static_cast<std::int64_t>(parse_chunk(digits));
        return make_integer(heap, negative ? -magnitude : magnitude);
    }
    std::size_t limbs = digits.size() / kDigitsPerLimb + 1;
    std::size_t levels = levels_for(digits.size());
    Workspace space(heap, 3 * limbs, multiplication_work(limbs, limbs));
    if (!space.ok()) return space.error();
    Watch watch(heap);
    Big big = parse_split(digits, DecimalPowers(levels, PowersFor::Multiplying, watch), levels, watch);
    if (watch.has_ended()) return heap.meter.error();
    return store(heap, negative ? -big : big);
}

Result<Value> add(Heap& heap, const Value& a, const Value& b, const char* who) {
    return arithmetic(
        heap, a, b, who,
        [](std::int64_t x, std::int64_t y, std::int64_t* sum) { return __builtin_add_overflow(x, y, sum); },
        [](double x, double y) { return x + y; }, [](Big x, const Big& y) { return x += y; });
}

Result<Value> subtract(Heap& heap, const Value& a, const Value& b, const char* who) {
    return arithmetic(
        heap, a, b, who,
        [](std::int64_t x, std::int64_t y, std::int64_t* rest) { return __builtin_sub_overflow(x, y, rest); },
        [](double x, double y) { return x - y; }, [](Big x, const Big& y) { return x -= y; });
}

Result<Value> multiply(Heap& heap, const Value& a, const Value& b, const char* who) {
    switch (classify(a, b)) {
    case Operands::Doubles: return Value::number(to_double(a) * to_double(b));
    case Operands::Wrong: return wrong_operand(who, a, b);
    case Operands::Small: {
        std::int64_t product = 0;
        if (!__builtin_mul_overflow(a.small_integer(), b.small_integer(), &product)) return make_integer(heap, product);
        break;
    }
    case Operands::Integers: break;
    }
    std::size_t na = limb_count(a), nb = limb_count(b);
    Workspace space(heap, 2 * (na + nb), multiplication_work(na, nb));
    if (!space.ok()) return space.error();
    Watch watch(heap);
    const Big result = product(load(a), load(b), watch);
    if (watch.has_ended()) return heap.meter.error();
    return store(heap, result);
}

Result<Value> divide(Heap& heap, const Value& a, const Value& b) {
    Operands operands = classify(a, b);
    if (operands == Operands::Wrong) return wrong_operand("/", a, b);
    if (b.is_integer() && is_zero(b)) return division_by_zero("/"); // a zero double follows IEEE 754
    if (operands == Operands::Integers) return ratio_of_bigs(heap, a, b);
    return Value::number(to_double(a) / to_double(b));
}

Result<Value> quotient(Heap& heap, const Value& a, const Value& b) {
    return integer_division(heap, a, b, Division::Quotient);
}
Result<Value> remainder(Heap& heap, const Value& a, const Value& b) {
    return integer_division(heap, a, b, Division::Remainder);
}
Result<Value> modulo(Heap& heap, const Value& a, const Value& b) {
    return integer_division(heap, a, b, Division::Modulo);
}

Result<Value> negate(Heap& heap, const Value& a) {
    if (a.is_double()) return Value::number(-a.as_double());
    return subtract(heap, Value::small_integer(0), a);
}

namespace {

std::int64_t combine_small(std::int64_t a, std::int64_t b, BitOperation operation) {
    switch (operation) {
    case BitOperation::And: return a & b;
    case BitOperation::Or: return a | b;
    case BitOperation::Xor: return a ^ b;
    case BitOperation::AndNot: return a & ~b;
    }
    return 0;
}

} // namespace

// cpp_int treats negative numbers as two's complement where it combines bits, and rounds down where it shifts.
Result<Value> combine_bits(Heap& heap, const Value& a, const Value& b, BitOperation operation) {
    std::int64_t left = 0, right = 0;
    if (fits_int64(a, &left) && fits_int64(b, &right)) return make_integer(heap, combine_small(left, right, operation));
    const std::size_t limbs = limb_count(a) + limb_count(b) + 1;
    Workspace space(heap, limbs, limbs);
    if (!space.ok()) return space.error();
    const Big x = load(a), y = load(b);
    switch (operation) {
    case BitOperation::And: return store(heap, x & y);
    case BitOperation::Or: return store(heap, x | y);
    case BitOperation::Xor: return store(heap, x ^ y);
    case BitOperation::AndNot: return store(heap, x & (-y - 1));
    }
    return Value();
}

Result<Value> shift_bits(Heap& heap, const Value& a, std::int64_t places) {
    std::int64_t small = 0;
    const bool is_small = fits_int64(a, &small);
    if (places == 0 || (is_small && small == 0)) return a.copy();
    if (places < 0) {
        const auto down = static_cast<std::uint64_t>(-(places + 1)) + 1;
        if (is_small) return make_integer(heap, small >> std::min<std::uint64_t>(down, 63));
        const std::size_t limbs = limb_count(a);
        if (down >= limbs * 64) return Value::small_integer(is_negative(a) ? -1 : 0);
        Workspace space(heap, limbs + 1, limbs + 1);
        if (!space.ok()) return space.error();
        return store(heap, load(a) >> down);
    }
    std::int64_t shifted = 0;
    if (is_small && places < 63 && !__builtin_mul_overflow(small, std::int64_t{1} << places, &shifted))
        return make_integer(heap, shifted);
    const std::size_t limbs = limb_count(a) + static_cast<std::size_t>(places) / 64 + 1;
    constexpr std::size_t kMostLimbs = std::size_t{1} << 40; // far above what a heap may hold
    if (limbs > kMostLimbs) return heap.out_of_memory();
    Workspace space(heap, limbs, limbs);
    if (!space.ok()) return space.error();
    return store(heap, load(a) << static_cast<std::size_t>(places));
}

bool test_bit(const Value& a, std::int64_t place) {
    if (place < 0) return false;
    std::int64_t small = 0;
    if (fits_int64(a, &small)) return (small >> std::min<std::int64_t>(place, 63) & 1) != 0;
    const BigIntegerObject& big = as_big(a);
    if (static_cast<std::uint64_t>(place) >= std::uint64_t{big.limb_count} * 64) return big.negative != 0;
    // Of a negative number the bits are those of its magnitude less one, turned over.
    const auto limb = static_cast<std::size_t>(place / 64);
    std::uint64_t bits = big.limbs()[limb];
    if (big.negative != 0) {
        const bool borrows = std::all_of(big.limbs(), big.limbs() + limb, [](std::uint64_t l) { return l == 0; });
        bits = ~(bits - (borrows ? 1 : 0));
    }
    return (bits >> (place % 64) & 1) != 0;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
    if (!a.is_double() && !b.is_double()) return compare_integers(a, b);
    // Inline integers are exact as doubles.
    if (a.is(ObjectType::BigInteger)) return compare_big_to_double(a, b.as_double());
    if (b.is(ObjectType::BigInteger)) return reversed(compare_big_to_double(b, a.as_double()));
    return to_double(a) <=> to_double(b);
}

bool numbers_equal(const Value& a, const Value& b) {
    if (a.is_double() != b.is_double()) return false;
    return a.is_double() ? a.as_double() == b.as_double() : compare_integers(a, b) == 0;
}

bool numbers_equivalent(const Value& a, const Value& b) { return compare_numbers(a, b) == 0; }

bool is_zero(const Value& number) {
    return number.is_double() ? number.as_double() == 0 : number.raw() == bits::from_integer(0);
}

bool is_negative(const Value& number) {
    if (number.is_double()) return number.as_double() < 0;
    return number.is_small_integer() ? number.small_integer() < 0 : as_big(number).negative != 0;
}

bool is_even(const Value& integer) {
    return integer.is_small_integer() ? integer.small_integer() % 2 == 0 : as_big(integer).limbs()[0] % 2 == 0;
}

std::int64_t nearest_int64(double whole) {
    if (std::isnan(whole)) return 0;
    if (whole >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
    if (whole < -0x1p63) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(whole);
}

std::int64_t index_of_number(const Value& number) {
    if (number.is_double()) return nearest_int64(std::trunc(number.as_double()));
    std::int64_t integer = 0;
    if (fits_int64(number, &integer)) return integer;
    return is_negative(number) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

bool is_zero_number(const Value& v) { return v.is_number() && is_zero(v); }

bool is_positive_number(const Value& v) {
    if (v.is_double()) return v.as_double() > 0;
    return v.is_number() && !is_zero(v) && !is_negative(v);
}

bool is_negative_number(const Value& v) {
    if (v.is_double()) return v.as_double() < 0;
    return v.is_number() && is_negative(v);
}

bool is_even_number(const Value& v) {
    if (v.is_double()) return std::fmod(v.as_double(), 2) == 0;
    return v.is_integer() && is_even(v);
}

bool is_odd_number(const Value& v) {
    if (v.is_double()) return std::fabs(std::fmod(v.as_double(), 2)) == 1;
    return v.is_integer() && !is_even(v);
}

double to_double(const Value& number) {
    if (number.is_double()) return number.as_double();
    if (number.is_small_integer()) return static_cast<double>(number.small_integer());
    const BigIntegerObject& big = as_big(number);
    return big_to_double(big.limbs(), big.limb_count, big.negative != 0);
}

bool fits_int64(const Value& number, std::int64_t* out) {
    if (number.is_small_integer()) {
        *out = number.small_integer();
        return true;
    }
    if (number.is_double()) {
        double d = number.as_double();
        if (!(d >= -kTwo63 && d < kTwo63) || std::trunc(d) != d) return false;
        *out = static_cast<std::int64_t>(d);
        return true;
    }
    const BigIntegerObject& big = as_big(number);
    std::uint64_t magnitude = big.limbs()[0];
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
    if (big.limb_count > 1 || magnitude > kLimit || (magnitude == kLimit && !big.negative)) return false;
    *out = static_cast<std::int64_t>(big.negative ? -magnitude : magnitude);
    return true;
}

Result<Value> integer_from_double(Heap& heap, double truncated) {
    if (truncated >= -kTwo63 && truncated < kTwo63) return make_integer(heap, static_cast<std::int64_t>(truncated));
    return store(heap, big_from_double(truncated));
}

std::uint64_t hash_number(const Value& number) {
    if (number.is_small_integer()) return hash_small(number.small_integer());
    if (number.is(ObjectType::BigInteger)) {
        const BigIntegerObject& big = as_big(number);
        return hash_limbs(big.limbs(), big.limb_count, big.negative != 0);
    }
    double d = number.as_double();
    if (std::trunc(d) != d || std::isinf(d)) return mix(std::bit_cast<std::uint64_t>(d));
    // Equal numbers hash alike, whatever their type.
    if (d >= static_cast<double>(bits::kMinInteger) && d <= static_cast<double>(bits::kMaxInteger))
        return hash_small(static_cast<std::int64_t>(d));
    Big big = big_from_double(d);
    return hash_limbs(big.backend().limbs(), big.backend().size(), big.backend().sign());
}

std::string number_to_text(const Value& number) {
    std::string out;
    if (number.is_double())
        append_double(number.as_double(), out);
    else if (number.is_small_integer())
        out = std::to_string(number.small_integer());
    else
        out = big_to_text(number);
    return out;
}

std::string number_for_message(const Value& number) {
    constexpr std::size_t kShownBytes = 16;
    if (number.is_double() || integer_bytes(number) <= kShownBytes) return number_to_text(number);
    return "an integer of about " + std::to_string(integer_bytes(number) * 8 * 30103 / 100000) + " digits";
}

std::int64_t number_text_cost(const Value& number) {
    if (!number.is(ObjectType::BigInteger)) return 1;
    std::uint64_t limbs = as_big(number).limb_count;
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(multiplication_work(limbs, limbs) * 4 + 10 * limbs, INT64_MAX / 4));
}

namespace {

char* write_text(std::string_view text, char* to) {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
}

/// Most doubles that programs print have a few decimal places: the whole number nearest to `d` times a power of ten,
/// divided by it again, gives `d`. As that division rounds once, the decimal reads back to `d`; and of decimals with at
/// most 15 digits only one does, so that the first power to fit gives the shortest. Null when none fits.
char* write_short_decimal(double magnitude, char* to) {
    constexpr std::uint64_t kPowers[] = {1, 10, 100, 1'000, 10'000, 100'000};
    for (std::size_t places = 0; places < std::size(kPowers); ++places) {
        const auto power = static_cast<double>(kPowers[places]);
        const auto scaled = static_cast<std::uint64_t>(magnitude * power + 0.5);
        if (static_cast<double>(scaled) / power != magnitude) continue;
        char digits[kMostDigits];
        char* const end = digits + kMostDigits;
        const char* start = write_integer_before(end, static_cast<std::int64_t>(scaled / kPowers[places]));
        to = write_text({start, static_cast<std::size_t>(end - start)}, to);
        *to++ = '.';
        std::uint64_t fraction = scaled % kPowers[places];
        const std::size_t width = std::max<std::size_t>(places, 1);
        for (std::size_t i = width; i-- > 0; fraction /= 10)
            to[i] = static_cast<char>('0' + fraction % 10);
        return to + width;
    }
    return nullptr;
}

} // namespace

// Java's Double.toString lays digits out as d.ddd below 10^7 and from 10^-3 on, as d.dddEn otherwise; the digits are
// the shortest that read back to the same double.
char* write_double(double d, char* to) {
    if (std::isnan(d)) return write_text("##NaN", to);
    if (std::isinf(d)) return write_text(d > 0 ? "##Inf" : "##-Inf", to);
    const double magnitude = std::fabs(d);
    const bool plain = d == 0 || (magnitude >= 1e-3 && magnitude < 1e7);
    if (plain) {
        char* const unsigned_part = std::signbit(d) ? write_text("-", to) : to;
        if (char* end = write_short_decimal(magnitude, unsigned_part)) return end;
    }
    char text[kDoubleBytes];
    auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    char* end = std::to_chars(text, text + sizeof text, d, format).ptr;
    // Java writes two digits at least, and the second is not 0 where that is farther away: 4.9E-324.
    if (magnitude < std::numeric_limits<double>::min() && text[d < 0 ? 2 : 1] == 'e')
        end = std::to_chars(text, text + sizeof text, d, format, 1).ptr;
    std::string_view digits(text, static_cast<std::size_t>(end - text));
    if (plain) {
        to = write_text(digits, to);
        return digits.find('.') == std::string_view::npos ? write_text(".0", to) : to;
    }
    // std::to_chars writes 1e+10 and 1.5e-05.
    std::size_t e = digits.find('e');
    to = write_text(digits.substr(0, e), to);
    if (digits.substr(0, e).find('.') == std::string_view::npos) to = write_text(".0", to);
    *to++ = 'E';
    if (digits[e + 1] == '-') *to++ = '-';
    std::string_view exponent = digits.substr(e + 2);
    return write_text(exponent.substr(std::min(exponent.find_first_not_of('0'), exponent.size() - 1)), to);
}

void append_double(double d, std::string& out) {
    char text[kDoubleBytes];
    out.append(text, write_double(d, text));
}

} // namespace ptc
