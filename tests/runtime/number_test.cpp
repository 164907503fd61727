// Numbers: exact integers of any size, doubles as text and back, comparison across types. Large expectations were
// computed with Python. Work on large integers must be refused before it is done.
#include "runtime/clock.h"
#include "runtime/number.h"
#include "tests/runtime/text_world.h"
#include <cmath>
#include <cstdlib>

namespace ptc::test {
namespace {

// Computed with Python: 2^521 - 1, 60!, 3^200 and what follows from them.
constexpr const char* kMersenne = "686479766013060971498190079908139321726943530014330540939446345918554318339765605212"
                                  "2559640661454554977296311391480858037121987999716643812574028291115057151";
constexpr const char* kFactorial60 =
    "8320987112741390144276341183223364380754172606361245952449277696409600000000000000";
constexpr const char* kThreeTo200 =
    "265613988875874769338781322035779626829233452653394495974574961739092490901302182994384699044001";
constexpr const char* kProduct = "1823386289333062914392189539810498341056695627969792834600964313788142154721951638337"
                                 "9586023554637299116380099390136190782191815429076203349496186014837466497046200461251"
                                 "10278246139983004965731515033472742823641320290849368797795126003780302286178701151";

std::string text_of_double(double d) {
    std::string out;
    append_double(d, out);
    return out;
}

TEST(Number, ArithmeticIsExactBeyondTheInlineRange) {
    TextWorld w;
    Value one = Value::small_integer(1);
    Value product = Value::small_integer(1);
    for (int i = 2; i <= 60; ++i)
        product = multiply(w.heap, product, Value::small_integer(i)).value();
    EXPECT_EQ(w.show(product), kFactorial60);
    for (int i = 60; i >= 2; --i)
        product = quotient(w.heap, product, Value::small_integer(i)).value();
    EXPECT_EQ(w.show(product), "1");
    EXPECT_EQ(w.show(multiply(w.heap, w.integer(kMersenne), w.integer(kThreeTo200))), kProduct);
    EXPECT_EQ(w.show(subtract(w.heap, add(w.heap, w.integer(kMersenne), one).value(), one)), kMersenne);
    Value a = w.integer("1000000000000000000000000000000000000000000000000000000000007"),
          b = w.integer("100000000000000003");
    EXPECT_EQ(w.show(quotient(w.heap, a, b)), "9999999999999999700000000000000008999999999");
    Value minus_a = negate(w.heap, a).value();
    EXPECT_EQ(w.show(modulo(w.heap, minus_a, b)), "26999999993");
    EXPECT_EQ(w.show(remainder(w.heap, minus_a, b)), "-99999973000000010");
}

TEST(Number, LeavesAndEntersTheInlineRangeAtItsEdges) {
    TextWorld w;
    for (std::int64_t edge : {bits::kMaxInteger, bits::kMinInteger}) {
        Value step = Value::small_integer(edge > 0 ? 1 : -1);
        Value beyond = add(w.heap, Value::small_integer(edge), step).value();
        EXPECT_TRUE(beyond.is(ObjectType::BigInteger));
        EXPECT_EQ(w.show(beyond), std::to_string(edge + (edge > 0 ? 1 : -1)));
        EXPECT_TRUE(subtract(w.heap, beyond, step).value().is_small_integer());
    }
    for (std::int64_t i : {INT64_MAX, INT64_MIN, std::int64_t{0}}) {
        std::int64_t back = 1;
        ASSERT_TRUE(fits_int64(make_integer(w.heap, i).value(), &back));
        EXPECT_EQ(back, i);
    }
    std::int64_t none = 0;
    EXPECT_FALSE(fits_int64(w.integer("9223372036854775808"), &none));
}

TEST(Number, ReadsAndWritesIntegersOfAnyLength) {
    TextWorld w;
    w.heap.max_digits = 40'000;
    Random random;
    for (std::size_t digits : {1u, 15u, 16u, 18u, 19u, 20u, 38u, 39u, 759u, 760u, 761u, 1520u, 1521u, 5000u, 40'000u}) {
        std::string text = random.below(2) ? "-" : "";
        text += static_cast<char>('1' + random.below(9));
        while (text.size() < digits)
            text += static_cast<char>('0' + random.below(10) * (random.below(8) > 2));
        EXPECT_EQ(number_to_text(w.integer(text)), text);
    }
    EXPECT_EQ(w.show(w.integer("+0007")), "7");
    EXPECT_EQ(w.show(w.integer("-0")), "0");
    EXPECT_EQ(w.show(w.integer("-000000000000000000000000001")), "-1");
    std::string power = "1" + std::string(20'000, '0');
    EXPECT_EQ(number_to_text(w.integer(power)), power);
}

// Whichever look is the one that ends it: the powers of ten are unfinished then. What is paid for is in one slice, so
// that no charge ends it before.
TEST(Number, LongIntegersCanBeInterruptedAnywhere) {
    constexpr std::int64_t kSlice = 1'000'000'000'000;
    std::size_t ended = 0;
    for (std::size_t digits = 15'000; digits < 400'000; digits += digits / 7) {
        TextWorld w;
        w.heap.max_digits = 1'000'000;
        const std::string text(digits, '7');
        const Value whole = w.integer(text);
        const std::atomic<bool> is_interrupted{true};
        w.heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), &is_interrupted, kSlice);
        const bool is_read = make_integer(w.heap, text).ok();
        ended += is_read ? 0 : 1;
        w.heap.meter.start(Meter::kUnlimited, Meter::Clock::time_point::max(), &is_interrupted, kSlice);
        ended += number_to_text(whole) == text ? 0 : 1; // it is cut short, and whoever wanted it finds the meter ended
    }
    EXPECT_GT(ended, 10u);
}

TEST(Number, TextsSpellIntegersUpToALimit) {
    TextWorld w;
    const std::string longest(w.heap.max_digits, '9');
    for (const std::string sign : {"", "-", "+"}) {
        EXPECT_TRUE(parse_integer(w.heap, sign + longest).ok());
        const Result<Value> beyond = parse_integer(w.heap, sign + longest + "9");
        ASSERT_FALSE(beyond.ok());
        EXPECT_EQ(beyond.error().reason, Reason::LimitExceeded);
        EXPECT_NE(beyond.error().message.find("10001 digits"), std::string::npos) << beyond.error().message;
    }
    EXPECT_TRUE(make_integer(w.heap, longest + "9").ok()); // what a program computes has no such limit
}

TEST(Number, DoublesPrintTheShortestTextInJavasLayout) {
    struct {
        double value;
        const char* text;
    } rows[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {100.0, "100.0"},
        {0.1, "0.1"},
        {0.001, "0.001"},
        {0.00123, "0.00123"},
        {9999999.0, "9999999.0"},
        {1e7, "1.0E7"},
        {1.5e7, "1.5E7"},
        {0.00099, "9.9E-4"},
        {1e-5, "1.0E-5"},
        {1e10, "1.0E10"},
        {1e100, "1.0E100"},
        {-2.5e-300, "-2.5E-300"},
        {1.7976931348623157e308, "1.7976931348623157E308"},
        {5e-324, "4.9E-324"},
        {INFINITY, "##Inf"},
        {-INFINITY, "##-Inf"},
        {NAN, "##NaN"},
        {1.0 / 3, "0.3333333333333333"},
    };
    for (auto& row : rows)
        EXPECT_EQ(text_of_double(row.value), row.text);
}

TEST(Number, DoubleTextReadsBackToTheSameBits) {
    Random random;
    for (int i = 0; i < 20'000; ++i) {
        double d = std::bit_cast<double>(random.next());
        if (!std::isfinite(d)) continue;
        std::string text = text_of_double(d);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)), std::bit_cast<std::uint64_t>(d))
            << text;
    }
}

TEST(Number, DivisionOfIntegersRoundsOnce) {
    TextWorld w;
    auto ratio = [&](const char* a, const char* b) { return w.show(divide(w.heap, w.integer(a), w.integer(b))); };
    EXPECT_EQ(ratio("10", "4"), "2.5");
    EXPECT_EQ(ratio("100000000000000000000", "10"), "1.0E19");
    EXPECT_EQ(ratio("36893488147419103232", "4"), "9.223372036854776E18");
    EXPECT_EQ(ratio(kProduct, kThreeTo200), text_of_double(std::ldexp(1.0, 521)));
    EXPECT_EQ(ratio("-1", kMersenne), text_of_double(-std::ldexp(1.0, -521)));
    EXPECT_EQ(ratio("9007199254740993", "1"), "9.007199254740992E15") << "a tie goes to the even neighbour";
    std::string huge = "1" + std::string(400, '0');
    EXPECT_EQ(ratio(huge.c_str(), "1"), "##Inf");
    EXPECT_EQ(ratio(huge.c_str(), huge.c_str()), "1.0");
}

TEST(Number, OnlyAnIntegerZeroCannotDivide) {
    TextWorld w;
    Value zero = Value::small_integer(0), zero_double = Value::number(0.0), seven = Value::small_integer(7);
    EXPECT_EQ(divide(w.heap, seven, zero).error().reason, Reason::ArithmeticError);
    EXPECT_EQ(divide(w.heap, Value::number(1.0), zero).error().reason, Reason::ArithmeticError);
    EXPECT_EQ(w.show(divide(w.heap, seven, zero_double)), "##Inf");
    for (auto op : {quotient, remainder, modulo}) {
        EXPECT_EQ(op(w.heap, seven, zero).error().reason, Reason::ArithmeticError);
        EXPECT_EQ(op(w.heap, Value::number(1.0), zero_double).error().reason, Reason::ArithmeticError);
        EXPECT_EQ(op(w.heap, Value::number(INFINITY), seven).error().reason, Reason::ArithmeticError);
        EXPECT_EQ(op(w.heap, w.string("9"), seven).error().reason, Reason::TypeError);
    }
}

TEST(Number, ModuloFollowsTheDivisorAndRemainderTheDividend) {
    TextWorld w;
    auto run = [&](auto op, std::int64_t a, std::int64_t b) {
        return op(w.heap, Value::small_integer(a), Value::small_integer(b)).value().small_integer();
    };
    EXPECT_EQ(run(modulo, -17, 5), 3);
    EXPECT_EQ(run(modulo, 17, -5), -3);
    EXPECT_EQ(run(modulo, -17, -5), -2);
    EXPECT_EQ(run(remainder, -17, 5), -2);
    EXPECT_EQ(run(quotient, -17, 5), -3);
    EXPECT_EQ(w.show(modulo(w.heap, Value::number(-5.5), Value::small_integer(2))), "0.5");
    EXPECT_EQ(w.show(quotient(w.heap, w.integer("-1125899906842624"), Value::small_integer(-1))), "1125899906842624");
}

TEST(Number, ComparesIntegersAndDoublesExactly) {
    TextWorld w;
    Value big = w.integer("9007199254740993"), two53 = Value::number(9007199254740992.0);
    EXPECT_TRUE(compare_numbers(big, two53) > 0) << "equal when rounded to double";
    EXPECT_TRUE(compare_numbers(two53, big) < 0);
    EXPECT_TRUE(numbers_equivalent(w.integer("100000000000000000000"), Value::number(1e20)));
    EXPECT_FALSE(numbers_equal(w.integer("100000000000000000000"), Value::number(1e20)));
    EXPECT_TRUE(compare_numbers(w.integer(kMersenne), Value::number(INFINITY)) < 0);
    EXPECT_TRUE(compare_numbers(w.integer("1" + std::string(400, '0')), Value::number(1e308)) > 0);
    EXPECT_TRUE(compare_numbers(w.integer("-1" + std::string(400, '0')), Value::number(-1e308)) < 0);
    EXPECT_TRUE(compare_numbers(big, Value::number(NAN)) == std::partial_ordering::unordered);
    EXPECT_TRUE(compare_numbers(w.integer("-9223372036854775809"), w.integer("-9223372036854775808")) < 0);
}

TEST(Number, EqualNumbersHashAlike) {
    TextWorld w;
    EXPECT_EQ(hash_number(Value::small_integer(7)), hash_number(Value::number(7.0)));
    EXPECT_EQ(hash_number(Value::number(0.0)), hash_number(Value::number(-0.0)));
    EXPECT_EQ(hash_number(w.integer("100000000000000000000")), hash_number(Value::number(1e20)));
    EXPECT_EQ(hash_number(w.integer("-1125899906842624")), hash_number(Value::number(-1125899906842624.0)));
    EXPECT_NE(hash_number(Value::small_integer(7)), hash_number(Value::small_integer(-7)));
}

TEST(Number, WholeDoublesBecomeIntegersOfAnySize) {
    TextWorld w;
    EXPECT_EQ(w.show(integer_from_double(w.heap, -3.0)), "-3");
    EXPECT_EQ(w.show(integer_from_double(w.heap, 1e23)), "99999999999999991611392");
    EXPECT_EQ(w.show(integer_from_double(w.heap, 9223372036854775808.0)), "9223372036854775808");
}

TEST(Number, LargeWorkIsRefusedBeforeItIsDone) {
    TextWorld w;
    w.heap.max_digits = 1'000'000;
    Value big = w.integer("1" + std::string(100'000, '0'));
    w.fuel(1000);
    EXPECT_EQ(multiply(w.heap, big, big).error().reason, Reason::FuelExhausted);
    w.fuel(1'000'000'000);
    w.heap.set_limit(w.heap.live_bytes() + 60'000);
    EXPECT_EQ(multiply(w.heap, big, big).error().reason, Reason::MemoryExceeded);
    w.heap.set_limit(SIZE_MAX / 4);
    EXPECT_TRUE(multiply(w.heap, big, big).ok());
}

// Long products and quotients are computed in parts: a = (a / b) * b + a % b for all sizes and signs.
TEST(Number, LongOnesAreMultipliedAndDividedInParts) {
    TextWorld w;
    const auto power = [&](std::int64_t base, int doublings) {
        Value result = Value::small_integer(base);
        for (int i = 0; i < doublings; ++i)
            result = multiply(w.heap, result, result).value();
        return result;
    };
    std::vector<Value> numbers;
    for (const int doublings : {3, 8, 11, 13, 15}) {
        numbers.push_back(add(w.heap, power(7, doublings), power(-3, doublings)).value());
        numbers.push_back(negate(w.heap, power(2, doublings)).value());
    }
    for (const Value& a : numbers) {
        for (const Value& b : numbers) {
            const Value whole = quotient(w.heap, a, b).value(), rest = remainder(w.heap, a, b).value();
            const Value product = multiply(w.heap, whole, b).value();
            EXPECT_TRUE(numbers_equal(add(w.heap, product, rest).value(), a));
            EXPECT_TRUE(is_zero(rest) || is_negative(rest) == is_negative(a));
            const Value size = is_negative(b) ? negate(w.heap, b).value() : b.copy();
            const Value left = is_negative(rest) ? negate(w.heap, rest).value() : rest.copy();
            EXPECT_TRUE(compare_numbers(left, size) < 0);
        }
    }
    w.heap.max_digits = 100'000;
    const std::string text = number_to_text(numbers.back());
    EXPECT_TRUE(numbers_equal(parse_integer(w.heap, text).value(), numbers.back()));
}

TEST(Number, AnErrorNamesTheOperandThatIsNone) {
    TextWorld w;
    Result<Value> sum = add(w.heap, Value::small_integer(1), w.string("2"));
    ASSERT_FALSE(sum.ok());
    EXPECT_EQ(sum.error().reason, Reason::TypeError);
    EXPECT_EQ(sum.error().message, "`+` needs numbers, got \"2\" (a string).");
    EXPECT_EQ(subtract(w.heap, Value(), w.string("2")).error().message, "`-` needs numbers, got nil.");
}

} // namespace
} // namespace ptc::test
