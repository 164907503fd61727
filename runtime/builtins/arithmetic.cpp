// Arithmetic on numbers and bits (spec 8.4, 8.4a). Integers are exact at any size, division gives a double, and there
// is no overflow; the operations themselves are in number.h and charge the work that grows with the digits. Bits are
// those of integers of any size. Rows with an `instruction` are functions for calls that the compiler cannot turn into
// it.
#include "frontend/try.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/integer_bits.h"
#include "runtime/number.h"
#include "runtime/ordering.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace ptc {
namespace {

using Operation = Result<Value> (*)(Heap&, const Value&, const Value&, const char*);

// Folds from the left. The work that grows with the digits is charged by the operations.
Result<Value> fold(Call& call, Args args, Operation operation) {
    if (args.size() == 1 && !args[0].is_number()) return not_a_number(call.who(), args[0]);
    PTC_CHECK(charge(call, args.size()));
    Value result = std::move(args[0]);
    for (const Value& operand : args.subspan(1))
        result = PTC_TRY(operation(call.heap, result, operand, call.who()));
    return result;
}

Result<Value> plus(Call& call, Args args) {
    if (args.empty()) return Value::small_integer(0);
    return fold(call, args, add);
}

Result<Value> times(Call& call, Args args) {
    if (args.empty()) return Value::small_integer(1);
    return fold(call, args, multiply);
}

Result<Value> minus(Call& call, Args args) {
    if (args.size() > 1) return fold(call, args, subtract);
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    return negate(call.heap, args[0]);
}

// Spec 8.4: a double always. One argument gives its reciprocal.
Result<Value> over(Call& call, Args args) {
    if (args.size() == 1) return divide(call.heap, Value::small_integer(1), args[0]);
    Value result = std::move(args[0]);
    PTC_CHECK(charge(call, args.size()));
    for (const Value& divisor : args.subspan(1))
        result = PTC_TRY(divide(call.heap, result, divisor));
    return result;
}

Result<Value> inc(Call& call, Args args) { return add(call.heap, args[0], Value::small_integer(1), call.who()); }
Result<Value> dec(Call& call, Args args) { return subtract(call.heap, args[0], Value::small_integer(1), call.who()); }
Result<Value> quot(Call& call, Args args) { return quotient(call.heap, args[0], args[1]); }
Result<Value> rem(Call& call, Args args) { return remainder(call.heap, args[0], args[1]); }
Result<Value> mod(Call& call, Args args) { return modulo(call.heap, args[0], args[1]); }

Bits abs_at_once(Bits x) {
    if (bits::is_double(x)) return bits::from_double(std::fabs(bits::to_double(x)));
    if (x >= bits::kIntegerBase) return x;
    return x > bits::kFirstInteger ? bits::from_integer(-bits::to_integer(x)) : bits::kHole;
}

Result<Value> abs(Call& call, Args args) {
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    if (args[0].is_double()) return Value::number(std::fabs(args[0].as_double()));
    if (!is_negative(args[0])) return std::move(args[0]);
    return negate(call.heap, args[0]);
}

bool is_nan(const Value& v) { return v.is_double() && std::isnan(v.as_double()); }

// DIV-30: any values, in the order of `compare`. A NaN wins; of equal ones the last does, as in Clojure.
Result<Value> extreme(Call& call, Args args, int sign) {
    std::size_t best = 0;
    PTC_CHECK(charge(call, args.size()));
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (is_nan(args[best])) break;
        if (is_nan(args[i]) || compare_values(call.heap, args[i], args[best]) * sign >= 0) best = i;
    }
    return std::move(args[best]);
}

Result<Value> max(Call& call, Args args) { return extreme(call, args, 1); }
Result<Value> min(Call& call, Args args) { return extreme(call, args, -1); }

// Bits of integers of any size (spec 8.4a).
Result<void> integer_argument(const Call& call, Args args, std::size_t position) {
    if (args[position - 1].is_integer()) return {};
    return argument_error(call, args, position, "an integer");
}

Result<Value> fold_bits(Call& call, Args args, BitOperation operation) {
    for (std::size_t position = 1; position <= args.size(); ++position)
        PTC_CHECK(integer_argument(call, args, position));
    PTC_CHECK(charge(call, args.size()));
    Value result = std::move(args[0]);
    for (std::size_t i = 1; i < args.size(); ++i)
        result = PTC_TRY(combine_bits(call.heap, result, args[i], operation));
    return result;
}

Result<Value> bit_and(Call& call, Args args) { return fold_bits(call, args, BitOperation::And); }
Result<Value> bit_or(Call& call, Args args) { return fold_bits(call, args, BitOperation::Or); }
Result<Value> bit_xor(Call& call, Args args) { return fold_bits(call, args, BitOperation::Xor); }
Result<Value> bit_and_not(Call& call, Args args) { return fold_bits(call, args, BitOperation::AndNot); }
Result<Value> bit_not(Call& call, Args args) {
    PTC_CHECK(integer_argument(call, args, 1));
    return combine_bits(call.heap, args[0], Value::small_integer(-1), BitOperation::Xor);
}

template <int Sign> Result<Value> bit_shift(Call& call, Args args) {
    PTC_CHECK(integer_argument(call, args, 1));
    const std::int64_t places = PTC_TRY(bits_argument(call, args, 2));
    return shift_bits(call.heap, args[0], Sign * std::max(places, -std::numeric_limits<std::int64_t>::max()));
}

/// x combined with the bit at a place; there are no bits below the first.
template <BitOperation Operation> Result<Value> change_bit(Call& call, Args args) {
    PTC_CHECK(integer_argument(call, args, 1));
    const std::int64_t place = PTC_TRY(bits_argument(call, args, 2));
    if (place < 0) return std::move(args[0]);
    const Value bit = PTC_TRY(shift_bits(call.heap, Value::small_integer(1), place));
    return combine_bits(call.heap, args[0], bit, Operation);
}

Result<Value> bit_test(Call& call, Args args) {
    PTC_CHECK(integer_argument(call, args, 1));
    const std::int64_t place = PTC_TRY(bits_argument(call, args, 2));
    charge_reading(call.heap, integer_bytes(args[0]));
    return Value::boolean(test_bit(args[0], place));
}

constexpr const char* kAnySize = "Integers are of any size: nothing is cut to 64 bits.";
constexpr const char* kDivision = "The result is always a double: there are no ratios.";
constexpr const char* kAnyOrder = "Takes values of any types, in the order of `compare`.";
constexpr const char* kExact = "Integers grow as needed, so this is the same as the name without the prime.";

constexpr Builtin kRows[] = {
    {.name = "+",
     .usage = "(+ & numbers)",
     .doc = "The sum; 0 without arguments. Exact for integers of any size. nil is a type_error: (or x 0) gives it a "
            "value.",
     .example = {"(+ 1 2 3)", "6"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Plus,
     .instruction = Instruction::Add,
     .written = {2, 255},
     .call = plus,
     .traits = traits::kComputes},
    {.name = "+'",
     .usage = "(+' & numbers)",
     .doc = "The same as +.",
     .example = {"(+' 1 2)", "3"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Plus,
     .call = plus,
     .traits = traits::kComputes,
     .differs = kExact,
     .alias_of = "+"},
    {.name = "-",
     .usage = "(- x & numbers)",
     .doc = "x minus the others; the negative of a single x.",
     .example = {"(- 10 3 2)", "5"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Minus,
     .instruction = Instruction::Subtract,
     .call = minus,
     .traits = traits::kComputes},
    {.name = "-'",
     .usage = "(-' x & numbers)",
     .doc = "The same as -.",
     .example = {"(-' 10 3)", "7"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Minus,
     .call = minus,
     .traits = traits::kComputes,
     .differs = kExact,
     .alias_of = "-"},
    {.name = "*",
     .usage = "(* & numbers)",
     .doc = "The product; 1 without arguments. Exact for integers of any size.",
     .example = {"(* 2 3 4)", "24"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Product,
     .instruction = Instruction::Multiply,
     .written = {2, 255},
     .call = times,
     .traits = traits::kComputes},
    {.name = "*'",
     .usage = "(*' & numbers)",
     .doc = "The same as *.",
     .example = {"(*' 2 3)", "6"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Product,
     .call = times,
     .traits = traits::kComputes,
     .differs = kExact,
     .alias_of = "*"},
    {.name = "/",
     .usage = "(/ x & numbers)",
     .doc = "x divided by the others, as a double; 1/x for a single x. An integer 0 as divisor is an arithmetic_error.",
     .example = {"(/ 10 4)", "2.5"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Divide,
     .instruction = Instruction::Divide,
     .call = over,
     .traits = traits::kComputes,
     .differs = kDivision},
    {.name = "inc",
     .usage = "(inc x)",
     .doc = "One more than x.",
     .example = {"(inc 5)", "6"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Increment,
     .instruction = Instruction::Increment,
     .call = inc,
     .traits = traits::kComputes},
    {.name = "inc'",
     .usage = "(inc' x)",
     .doc = "The same as inc.",
     .example = {"(inc' 5)", "6"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Increment,
     .call = inc,
     .traits = traits::kComputes,
     .differs = kExact,
     .alias_of = "inc"},
    {.name = "dec",
     .usage = "(dec x)",
     .doc = "One less than x.",
     .example = {"(dec 5)", "4"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Decrement,
     .instruction = Instruction::Decrement,
     .call = dec,
     .traits = traits::kComputes},
    {.name = "dec'",
     .usage = "(dec' x)",
     .doc = "The same as dec.",
     .example = {"(dec' 5)", "4"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Decrement,
     .call = dec,
     .traits = traits::kComputes,
     .differs = kExact,
     .alias_of = "dec"},
    {.name = "quot",
     .usage = "(quot x y)",
     .doc = "x divided by y, cut to a whole number toward zero.",
     .example = {"(quot -7 2)", "-3"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Quotient,
     .instruction = Instruction::Quotient,
     .call = quot,
     .traits = traits::kComputes},
    {.name = "rem",
     .usage = "(rem x y)",
     .doc = "What quot leaves over; it has the sign of x.",
     .example = {"(rem -10 3)", "-1"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Remainder,
     .instruction = Instruction::Remainder,
     .call = rem,
     .traits = traits::kComputes},
    {.name = "mod",
     .usage = "(mod x y)",
     .doc = "What division rounded down leaves over; it has the sign of y.",
     .example = {"(mod -10 3)", "2"},
     .category = Category::Core,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Modulus,
     .instruction = Instruction::Modulus,
     .call = mod,
     .traits = traits::kComputes},
    {.name = "abs",
     .usage = "(abs x)",
     .doc = "x without its sign.",
     .example = {"(abs -5)", "5"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Absolute,
     .call = abs,
     .at_once = abs_at_once,
     .traits = traits::kComputes},
    {.name = "max",
     .usage = "(max x & more)",
     .doc = "The greatest argument. For a collection: (apply max coll). nil is greater than every number: (remove nil? "
            "coll) "
            "leaves it out.",
     .example = {"(max 1 5 3)", "5"},
     .category = Category::Math,
     .work = Work::Arguments,
     .gives = {kinds::kAny},
     .model = BoundModel::OneOf,
     .instruction = Instruction::Maximum,
     .call = max,
     .traits = traits::kComputes,
     .differs = kAnyOrder},
    {.name = "min",
     .usage = "(min x & more)",
     .doc =
         "The least argument. For a collection: (apply min coll). nil is greater than every number: (remove nil? coll) "
         "leaves it out.",
     .example = {"(min 4 1 3)", "1"},
     .category = Category::Math,
     .work = Work::Arguments,
     .gives = {kinds::kAny},
     .model = BoundModel::OneOf,
     .instruction = Instruction::Minimum,
     .call = min,
     .traits = traits::kComputes,
     .differs = kAnyOrder},
    {.name = "bit-and",
     .usage = "(bit-and x y & more)",
     .doc = "The bits that are set in all arguments, integers of any size.",
     .example = {"(bit-and 12 10)", "8"},
     .category = Category::Math,
     .work = Work::Arguments,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Bits64,
     .instruction = Instruction::BitAnd,
     .call = bit_and},
    {.name = "bit-or",
     .usage = "(bit-or x y & more)",
     .doc = "The bits that are set in any argument.",
     .example = {"(bit-or 12 10)", "14"},
     .category = Category::Math,
     .work = Work::Arguments,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Bits64,
     .instruction = Instruction::BitOr,
     .call = bit_or},
    {.name = "bit-xor",
     .usage = "(bit-xor x y & more)",
     .doc = "The bits that are set in an odd number of arguments.",
     .example = {"(bit-xor 12 10)", "6"},
     .category = Category::Math,
     .work = Work::Arguments,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Bits64,
     .instruction = Instruction::BitXor,
     .call = bit_xor},
    {.name = "bit-and-not",
     .usage = "(bit-and-not x y & more)",
     .doc = "The bits of x that none of the others has.",
     .example = {"(bit-and-not 15 9)", "6"},
     .category = Category::Math,
     .work = Work::Arguments,
     .gives = {kinds::kNumber},
     .model = BoundModel::Bits64,
     .call = bit_and_not},
    {.name = "bit-not",
     .usage = "(bit-not x)",
     .doc = "Every bit of x flipped: -x - 1.",
     .example = {"(bit-not 41)", "-42"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Bits64,
     .call = bit_not},
    {.name = "bit-shift-left",
     .usage = "(bit-shift-left x n)",
     .doc = "x with its bits n places up; down when n is negative.",
     .example = {"(bit-shift-left 1 4)", "16"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .instruction = Instruction::ShiftLeft,
     .call = bit_shift<1>,
     .differs = kAnySize},
    {.name = "bit-shift-right",
     .usage = "(bit-shift-right x n)",
     .doc = "x with its bits n places down; the sign stays.",
     .example = {"(bit-shift-right 256 4)", "16"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Bits64,
     .instruction = Instruction::ShiftRight,
     .call = bit_shift<-1>,
     .differs = kAnySize},
    {.name = "bit-set",
     .usage = "(bit-set x n)",
     .doc = "x with bit n set.",
     .example = {"(bit-set 0 3)", "8"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = change_bit<BitOperation::Or>,
     .differs = kAnySize},
    {.name = "bit-clear",
     .usage = "(bit-clear x n)",
     .doc = "x with bit n cleared.",
     .example = {"(bit-clear 15 1)", "13"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = change_bit<BitOperation::AndNot>},
    {.name = "bit-flip",
     .usage = "(bit-flip x n)",
     .doc = "x with bit n flipped.",
     .example = {"(bit-flip 0 2)", "4"},
     .category = Category::Math,
     .work = Work::Digits,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = change_bit<BitOperation::Xor>,
     .differs = kAnySize},
    {.name = "bit-test",
     .usage = "(bit-test x n)",
     .doc = "Whether bit n of x is set.",
     .example = {"(bit-test 5 0)", "true"},
     .category = Category::Math,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Bits64,
     .instruction = Instruction::BitTest,
     .call = bit_test},
};

} // namespace

std::span<const Builtin> arithmetic_builtins() { return kRows; }

} // namespace ptc
