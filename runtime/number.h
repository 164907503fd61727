// Numbers: exact integers of any size, and doubles. Everything behind the fast paths of the interpreter.
#pragma once
#include "runtime/heap.h"
#include <compare>
#include <string>
#include <string_view>

namespace ptc {

/// ObjectType::BigInteger: sign and magnitude, least limb first, `limb_count` limbs after the struct. Always outside of
/// the inline range and without leading zero limbs, so that equal integers have equal representations.
struct BigIntegerObject : Object {
    std::uint32_t limb_count;
    std::uint32_t negative; ///< 0 or 1
    [[nodiscard]] std::uint64_t* limbs() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    [[nodiscard]] const std::uint64_t* limbs() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
};
static_assert(sizeof(BigIntegerObject) == 16);

/// The bytes that an integer's digits take.
inline std::size_t integer_bytes(const Value& integer) {
    if (!integer.is_object()) return sizeof(std::uint64_t);
    return static_cast<const BigIntegerObject*>(integer.object())->limb_count * sizeof(std::uint64_t);
}

/// Any int64, boxed when it leaves the inline range.
Result<Value> make_integer(Heap& heap, std::int64_t i);
/// Decimal digits with an optional sign, any length; the work, which is not linear, is charged to the meter.
Result<Value> make_integer(Heap& heap, std::string_view digits);
/// The same for texts that come from elsewhere: limit_exceeded for more than `heap.max_digits` digits.
Result<Value> parse_integer(Heap& heap, std::string_view digits);

/// The arithmetic of the language (spec 8.4): integers are exact, a double operand makes the result a double.
/// `who` names the operation in a type_error ("`+` needs numbers, got a string."). `/` always gives a double.
Result<Value> add(Heap& heap, const Value& a, const Value& b, const char* who = "+");
Result<Value> subtract(Heap& heap, const Value& a, const Value& b, const char* who = "-");
Result<Value> multiply(Heap& heap, const Value& a, const Value& b, const char* who = "*");
Result<Value> divide(Heap& heap, const Value& a, const Value& b);
Result<Value> quotient(Heap& heap, const Value& a, const Value& b);
Result<Value> remainder(Heap& heap, const Value& a, const Value& b);
Result<Value> modulo(Heap& heap, const Value& a, const Value& b);
Result<Value> negate(Heap& heap, const Value& a);

/// Order of two numbers by value, exact between integers and doubles; unordered when one is NaN. Both must be numbers.
std::partial_ordering compare_numbers(const Value& a, const Value& b);
/// The same number of the same type (1 and 1.0 differ): what map keys and set members are compared by.
bool numbers_equal(const Value& a, const Value& b);
/// Equal by value, exactly (1 and 1.0 are): `==`, and `=` too (DIV-32).
bool numbers_equivalent(const Value& a, const Value& b);
bool is_zero(const Value& number);
bool is_negative(const Value& number);
/// The nearest of the 64-bit integers to a whole double; NaN is 0.
std::int64_t nearest_int64(double whole);
/// A number as an index: without its fraction, cut back to 64 bits, NaN as 0 (GAP-S79).
std::int64_t index_of_number(const Value& number);
bool is_even(const Value& integer);

/// zero? pos? neg? even? odd? of any value: false for what is no number (DIV-31). A double without a fraction is even
/// or odd (GAP-S08).
bool is_zero_number(const Value& v);
bool is_positive_number(const Value& v);
bool is_negative_number(const Value& v);
bool is_even_number(const Value& v);
bool is_odd_number(const Value& v);
/// As a double (nearest); `number` must be a number.
double to_double(const Value& number);
/// Exactly when it fits.
bool fits_int64(const Value& number, std::int64_t* out);
/// A double without fraction as an integer of any size; the double must be finite.
Result<Value> integer_from_double(Heap& heap, double truncated);
/// Numbers of equal value hash alike, whatever their type.
std::uint64_t hash_number(const Value& number);
/// Integers in decimal; doubles in the shortest text that reads back to the same bits, with a point or an exponent
/// (1.0, 1.0E10 as Clojure prints it, ##Inf, ##-Inf, ##NaN).
std::string number_to_text(const Value& number);
/// The same for messages: of a large integer the number of its digits only.
std::string number_for_message(const Value& number);
/// Fuel that number_to_text is worth; the caller charges it.
std::int64_t number_text_cost(const Value& number);
void append_double(double d, std::string& out);

} // namespace ptc
