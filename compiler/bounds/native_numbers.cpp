// Models of builtins on numbers, of comparisons and of questions. Integers are ranges while they are inline, so that
// loops over known numbers end; beyond that only a number of limbs is known, which grows with each operation. What is
// no number makes arithmetic fail, so a value that may be one is taken for one.
#include "compiler/bounds/native_models.h"
#include <cmath>

namespace ptc {

using namespace kinds;

AbstractValue native::big_result(double limbs, std::uint16_t origin) {
    AbstractValue result = scalar(kInteger | kBigInteger);
    result.origin = origin;
    result.walk_cost = 12 + 10 * limbs + 4 * limbs * limbs;
    return result;
}

namespace {

/// Of what is no number, arithmetic makes an error; so only numbers count.
bool is_inline(const AbstractValue& a) { return (a.kinds & kNumber) == kInteger; }
bool are_inline(const AbstractValue& a, const AbstractValue& b) { return is_inline(a) && is_inline(b); }

bool have_doubles_only(const AbstractValue& a, const AbstractValue& b) {
    const bool has_big = a.may_be(kBigInteger) || b.may_be(kBigInteger);
    return !has_big && ((a.kinds & kNumber) == kDouble || (b.kinds & kNumber) == kDouble);
}

bool are_no_numbers(const AbstractValue& a, const AbstractValue& b) { return !a.may_be(kNumber) || !b.may_be(kNumber); }

} // namespace

NativeBound arithmetic_bound(const AbstractValue& a, const AbstractValue& b, bool multiplies) {
    if (are_no_numbers(a, b)) return {0, scalar(kNil)}; // an error
    if (have_doubles_only(a, b)) return {0, scalar(kDouble)};
    if (multiplies && are_inline(a, b)) {
        const double reach = static_cast<double>(std::max(std::abs(a.low), std::abs(a.high))) *
                             static_cast<double>(std::max(std::abs(b.low), std::abs(b.high)));
        if (reach < static_cast<double>(bits::kMaxInteger)) {
            const std::int64_t products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
            return {0, integer(*std::min_element(products, products + 4), *std::max_element(products, products + 4))};
        }
    }
    const double x = limbs_of(a), y = limbs_of(b);
    AbstractValue result =
        native::big_result(multiplies ? x + y : std::max(x, y) + 1, a.is_known() ? b.origin : a.origin);
    if (a.may_be(kDouble) || b.may_be(kDouble)) result.kinds |= kDouble;
    return {multiplies ? x * y + 8 * (x + y) + 16 : 8 * (x + y) + 16, std::move(result)};
}

NativeBound sum_bound(const AbstractValue& a, const AbstractValue& b) {
    if (!are_inline(a, b)) return arithmetic_bound(a, b, false);
    AbstractValue result = integer(a.low + b.low, a.high + b.high);
    return {result.must_be(kInteger) ? 0.0 : 32.0, std::move(result)};
}

NativeBound difference_bound(const AbstractValue& a, const AbstractValue& b) {
    if (!are_inline(a, b)) return arithmetic_bound(a, b, false);
    AbstractValue result = integer(a.low - b.high, a.high - b.low);
    return {result.must_be(kInteger) ? 0.0 : 32.0, std::move(result)};
}

} // namespace ptc

namespace ptc::native {
namespace {

using namespace kinds;

// ---- Questions

NativeBound question(Args) { return {0, flag()}; }
/// Nil where the comparator has to be called.
NativeBound direction(Args) { return {0, scalar(kNil | kBoolean)}; }
NativeBound comparison(Args args) { return {4 * total_walk_cost(args) + 4 * static_cast<double>(args.size()), flag()}; }
NativeBound ordering(Args args) { return {4 * total_walk_cost(args), integer(-1, 1)}; }
NativeBound small_value(Args) { return {0, join(scalar(kNil | kBoolean | kDouble | kKeyword), text(64))}; }

// ---- Numbers

template <class Two> NativeBound fold(Args args, Two two) {
    if (args.empty()) return {0, integer(0, 1)};
    NativeBound all{static_cast<double>(args.size()), args[0]};
    for (const AbstractValue& arg : args.subspan(1)) {
        NativeBound next = two(all.result, arg);
        all.cost += next.cost;
        all.result = std::move(next.result);
    }
    return all;
}

NativeBound plus(Args args) { return fold(args, sum_bound); }
NativeBound minus(Args args) {
    if (args.size() == 1) return difference_bound(integer(0, 0), args[0]);
    return fold(args, difference_bound);
}
NativeBound product(Args args) {
    return fold(args, [](const AbstractValue& a, const AbstractValue& b) { return arithmetic_bound(a, b, true); });
}
NativeBound divide(Args args) {
    NativeBound all = product(args);
    all.result = scalar(kDouble);
    return all;
}
NativeBound increment(Args args) { return sum_bound(args[0], integer(1, 1)); }
NativeBound decrement(Args args) { return difference_bound(args[0], integer(1, 1)); }

/// What division by `b` can give.
AbstractValue quotients(const AbstractValue& a, const AbstractValue& b) {
    if (b.low <= 0 && b.high >= 0) {
        const std::int64_t reach = std::max(std::abs(a.low), std::abs(a.high));
        return integer(-reach, reach);
    }
    const std::int64_t corners[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
    const bool has_zero = a.low <= 0 && a.high >= 0;
    const std::int64_t low = *std::min_element(corners, corners + 4), high = *std::max_element(corners, corners + 4);
    return integer(has_zero ? std::min<std::int64_t>(low, 0) : low, has_zero ? std::max<std::int64_t>(high, 0) : high);
}

NativeBound divided(Args args, AbstractValue inline_result) {
    if (args[0].must_be(kInteger) && args[1].must_be(kInteger)) return {0, std::move(inline_result)};
    NativeBound result = arithmetic_bound(args[0], args[1], true);
    result.result = join(big_result(limbs_of(args[0]) + limbs_of(args[1]) + 1, args[0].origin), scalar(kDouble));
    return result;
}
NativeBound quotient(Args args) { return divided(args, quotients(args[0], args[1])); }

/// One less than the divisor at most.
std::int64_t most_left(const AbstractValue& divisor) {
    return std::max<std::int64_t>(std::max(std::abs(divisor.low), std::abs(divisor.high)) - 1, 0);
}
NativeBound remainder(Args args) {
    const std::int64_t reach = most_left(args[1]);
    return divided(args, integer(args[0].low >= 0 ? 0 : -reach, args[0].high <= 0 ? 0 : reach));
}
NativeBound modulus(Args args) {
    const std::int64_t reach = most_left(args[1]);
    return divided(args, integer(args[1].low >= 0 ? 0 : -reach, args[1].high <= 0 ? 0 : reach));
}

/// One of the arguments, or its opposite.
NativeBound one_of(Args args) { return {4 * total_walk_cost(args) + static_cast<double>(args.size()), joined(args)}; }
NativeBound absolute(Args args) {
    NativeBound result = difference_bound(integer(0, 0), args[0]);
    result.result = join(result.result, args[0]);
    return result;
}
NativeBound bits_of(Args args) {
    double limbs = 1;
    for (const AbstractValue& arg : args)
        limbs += limbs_of(arg);
    return {(8 + 4 * limbs) * static_cast<double>(args.size()) + 64, big_result(limbs, 0)};
}
/// A number without its fraction; the largest doubles have 17 limbs.
NativeBound whole(Args args) {
    if (!args[0].may_be(kBigInteger | kDouble)) return {4, args[0]};
    return {4 * limbs_of(args[0]) + 64, big_result(17 + limbs_of(args[0]), args[0].origin)};
}
NativeBound real(Args args) { return {4 * total_walk_cost(args), scalar(kDouble)}; }

NativeBound range(Args args) {
    for (const AbstractValue& arg : args) {
        if (!arg.must_be(kInteger)) return {kUnknown, nothing()};
    }
    const AbstractValue zero = integer(0, 0), one = integer(1, 1);
    const AbstractValue& start = args.size() == 1 ? zero : args[0];
    const AbstractValue& end = args[args.size() == 1 ? 0 : 1];
    const AbstractValue& step = args.size() == 3 ? args[2] : one;
    const std::int64_t low = std::min(start.low, end.low), high = std::max(start.high, end.high);
    const bool is_up = step.low > 0, is_down = step.high < 0;
    const double stride = is_up ? static_cast<double>(step.low) : is_down ? static_cast<double>(-step.high) : 1;
    const auto distance = static_cast<double>(is_down ? start.high - end.low : end.high - start.low);
    const auto shortest = static_cast<double>(is_down ? start.low - end.high : end.low - start.high);
    const double widest = is_up ? static_cast<double>(step.high) : static_cast<double>(-step.low);
    const double most =
        is_up || is_down ? std::ceil(std::max(distance, 0.0) / stride) : std::max(static_cast<double>(high - low), 0.0);
    const double least = is_up || is_down ? std::ceil(std::max(shortest, 0.0) / widest) : 0;
    AbstractValue made = vector_of(integer(low, high), least, most);
    made.kinds = kVector | kRange;
    if (start.low == start.high && step.low == step.high && step.low != 0) {
        auto inside = std::make_shared<Inside>(*made.inside);
        inside->start = start.low;
        inside->step = step.low;
        made.inside = std::move(inside);
    }
    return {8, std::move(made)};
}

NativeBound sum(Args args) {
    const AbstractValue item = item_of(args[0]);
    const double limbs = limbs_of(item) + 1; // a vector has fewer than 2^32 items
    const bool is_small = item.must_be(kInteger | kNil | kDouble);
    const double reach = times(args[0].most, static_cast<double>(std::max(std::abs(item.low), std::abs(item.high))));
    AbstractValue total = is_small && reach < static_cast<double>(bits::kMaxInteger)
                              ? integer(static_cast<std::int64_t>(-reach), static_cast<std::int64_t>(reach))
                              : big_result(limbs, args[0].origin);
    const double each = total.must_be(kInteger) ? 1 : 8 + 8 * limbs;
    return {sequence_cost(args[0]) + times(args[0].most, each), join(total, scalar(kDouble | kNil))};
}

} // namespace

namespace {

constexpr ModelRow kNumberRows[] = {
    {BoundModel::Question, question},
    {BoundModel::Direction, direction},
    {BoundModel::Comparison, comparison, true},
    {BoundModel::Ordering, ordering},
    {BoundModel::SmallValue, small_value},
    {BoundModel::Plus, plus, true},
    {BoundModel::Minus, minus},
    {BoundModel::Product, product, true},
    {BoundModel::Divide, divide},
    {BoundModel::Increment, increment},
    {BoundModel::Decrement, decrement},
    {BoundModel::Quotient, quotient},
    {BoundModel::Remainder, remainder},
    {BoundModel::Modulus, modulus},
    {BoundModel::OneOf, one_of, true},
    {BoundModel::Absolute, absolute},
    {BoundModel::Bits64, bits_of},
    {BoundModel::Whole, whole},
    {BoundModel::Real, real},
    {BoundModel::Range, range},
    {BoundModel::Sum, sum},
};

} // namespace

std::span<const ModelRow> number_models() { return kNumberRows; }

} // namespace ptc::native
