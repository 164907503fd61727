// Rounding, powers and coercions of numbers (spec 8.4). `Math/floor` and its like are these. Rounding gives integers of
// any size, `int` one of 32 bits; NaN and the infinities, which are no integers, stay what they are (DIV-42, DIV-43).
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/number_text.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include "runtime/unicode.h"
#include <cmath>
#include <cstdlib>
#include <limits>

namespace ptc {
namespace {

// Spec 8.4, DIV-42, DIV-43: whole results are integers of any size; NaN and the infinities stay what they are.
Result<Value> round_by(Call& call, Args args, double (*rounding)(double)) {
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    if (!args[0].is_double() || !std::isfinite(args[0].as_double())) return std::move(args[0]);
    return integer_from_double(call.heap, rounding(args[0].as_double()));
}

Result<Value> floor(Call& call, Args args) {
    return round_by(call, args, [](double d) { return std::floor(d); });
}
Result<Value> ceil(Call& call, Args args) {
    return round_by(call, args, [](double d) { return std::ceil(d); });
}
Result<Value> round(Call& call, Args args) {
    return round_by(call, args, [](double d) { return std::round(d); });
}
Result<Value> trunc(Call& call, Args args) {
    return round_by(call, args, [](double d) { return std::trunc(d); });
}

Result<double> double_argument(Call& call, Args args, std::size_t position) {
    if (!args[position - 1].is_number()) return not_a_number(call.who(), args[position - 1]);
    return to_double(args[position - 1]);
}

Bits sqrt_at_once(Bits x) {
    return bits::is_number_at_hand(x) ? bits::from_double(std::sqrt(bits::number_at_hand(x))) : bits::kHole;
}
Result<Value> sqrt(Call& call, Args args) { return Value::number(std::sqrt(PTC_TRY(double_argument(call, args, 1)))); }

// Java's table, which differs from C's in two rows: a NaN exponent gives NaN even for base 1, and so does an infinite
// exponent for base 1 or -1 (GAP-J13).
Result<Value> pow(Call& call, Args args) {
    double base = PTC_TRY(double_argument(call, args, 1));
    double exponent = PTC_TRY(double_argument(call, args, 2));
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(exponent)) return Value::number(kNaN);
    if (std::isinf(exponent) && std::fabs(base) == 1) return Value::number(kNaN);
    return Value::number(std::pow(base, exponent));
}

Result<Value> to_float(Call& call, Args args) { return Value::number(PTC_TRY(double_argument(call, args, 1))); }

// The code point of a string that holds exactly one, else -1. The string is valid UTF-8.
std::int64_t code_point_of(std::string_view s) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    if (s.empty()) return -1;
    std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    if (s.size() != size) return -1;
    std::int64_t code = size == 1 ? byte(0) : byte(0) & (0xFF >> (size + 1));
    for (std::size_t i = 1; i < size; ++i)
        code = code << 6 | (byte(i) & 0x3F);
    return code;
}

Error no_int(const char* who, const Value& got) {
    return Error(Reason::ArithmeticError, quoted(who) + " gives integers from -2147483648 to 2147483647; " +
                                              number_for_message(got) + " is outside of them.")
        .with_hint("`trunc` has no such limit.");
}

// Spec 8.4: a Java int. NaN is 0, a character its code point (GAP-S62, GAP-S111, GAP-S121).
Result<Value> to_int(Call& call, Args args) {
    if (args[0].is_string()) {
        std::int64_t code = code_point_of(text_of(args[0]));
        if (code >= 0) return Value::small_integer(code);
        return argument_error(call, args, 1, "a number or a single character")
            .with_hint("`parse-long` reads a number from text.");
    }
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (args[0].is_double()) {
        double whole = std::trunc(args[0].as_double());
        if (std::isnan(whole)) return Value::small_integer(0);
        if (!(whole >= static_cast<double>(kLeast) && whole <= static_cast<double>(kMost)))
            return no_int(call.who(), args[0]);
        return Value::small_integer(static_cast<std::int64_t>(whole));
    }
    std::int64_t whole = 0;
    if (!fits_int64(args[0], &whole) || whole < kLeast || whole > kMost) return no_int(call.who(), args[0]);
    return std::move(args[0]);
}

/// The numbers that a coercion takes, and what to say of others.
struct WholeRange {
    std::int64_t least, most;
    const char* text;
};

Error outside_of_range(const char* who, const WholeRange& range, const Value& got) {
    return Error(Reason::ArithmeticError, quoted(who) + " gives integers " + range.text + "; " +
                                              number_for_message(got) + " is outside of them.")
        .with_hint("`bigint` has no such limit.");
}

/// x without its fraction within a range; NaN is 0, a character its code point, as for int.
Result<Value> to_whole(Call& call, Args args, const WholeRange& range) {
    if (args[0].is_string()) {
        const std::int64_t code = code_point_of(text_of(args[0]));
        if (code >= range.least && code <= range.most && code >= 0) return Value::small_integer(code);
        return argument_error(call, args, 1, "a number or a single character")
            .with_hint("`parse-long` reads a number from text.");
    }
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    if (args[0].is_double() && std::isnan(args[0].as_double())) return Value::small_integer(0);
    Value whole = args[0].copy();
    if (args[0].is_double()) {
        if (!std::isfinite(args[0].as_double())) return outside_of_range(call.who(), range, args[0]);
        whole = PTC_TRY(integer_from_double(call.heap, std::trunc(args[0].as_double())));
    }
    std::int64_t number = 0;
    if (!fits_int64(whole, &number) || number < range.least || number > range.most)
        return outside_of_range(call.who(), range, args[0]);
    return whole;
}

Result<Value> to_long(Call& call, Args args) {
    constexpr auto kLimits = std::numeric_limits<std::int64_t>();
    return to_whole(call, args, {kLimits.min(), kLimits.max(), "of 64 bits"});
}
Result<Value> to_short(Call& call, Args args) { return to_whole(call, args, {-32768, 32767, "from -32768 to 32767"}); }
Result<Value> to_byte(Call& call, Args args) { return to_whole(call, args, {-128, 127, "from -128 to 127"}); }

/// The string of one code point; a string of one character stands for itself.
Result<Value> to_char(Call& call, Args args) {
    if (args[0].is_string() && is_one_grapheme(call.heap, args[0])) return std::move(args[0]);
    std::int64_t code = -1;
    const bool is_whole = args[0].is_number() && (!args[0].is_double() || std::isfinite(args[0].as_double()));
    if (is_whole) code = PTC_TRY(index_argument(call, args, 1));
    char utf8[4];
    const bool is_code_point = code >= 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    if (!is_code_point)
        return argument_error(call, args, 1, "a code point or a single character")
            .with_hint("(str x) is the text of a number.");
    return make_string(call.heap, {utf8, encode_utf8(static_cast<char32_t>(code), utf8)});
}

Result<Value> to_number(Call& call, Args args) {
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    return std::move(args[0]);
}

Result<Value> to_big(Call& call, Args args) {
    if (args[0].is_string()) {
        const std::string_view text = text_of(args[0]);
        const std::string_view digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
        if (digits.size() > kFreeBytes) PTC_CHECK(charge(call, digits.size() / 8));
        const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
        if (!is_number) return unreadable_text(call.who(), "the digits of an integer", text);
        return parse_integer(call.heap, text);
    }
    if (!args[0].is_number()) return not_a_number(call.who(), args[0]);
    if (args[0].is_integer()) return std::move(args[0]);
    if (!std::isfinite(args[0].as_double())) return argument_error(call, args, 1, "a finite number");
    return integer_from_double(call.heap, std::trunc(args[0].as_double()));
}

/// Integers are exact, all else is a double: there are no decimals.
Result<Value> to_decimal(Call& call, Args args) {
    if (!args[0].is_string()) return to_number(call, args);
    PTC_CHECK(charge(call, text_of(args[0]).size() / 8));
    const auto number = read_double(text_of(args[0]));
    if (!number) return unreadable_text(call.who(), "the text of a number", text_of(args[0]));
    return Value::number(*number);
}

constexpr const char* kWhole = "Gives an integer; NaN and the infinities stay as they are.";
constexpr const char* kDouble = "There is one floating type, a double.";

constexpr Builtin kRows[] = {
    {.name = "floor",
     .usage = "(floor x)",
     .doc = "The nearest integer that is not above x.",
     .example = {"(floor 3.7)", "3"},
     .category = Category::Math,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Whole,
     .call = floor,
     .traits = traits::kComputes,
     .differs = kWhole},
    {.name = "ceil",
     .usage = "(ceil x)",
     .doc = "The nearest integer that is not below x.",
     .example = {"(ceil 3.2)", "4"},
     .category = Category::Math,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Whole,
     .call = ceil,
     .traits = traits::kComputes,
     .differs = kWhole},
    {.name = "round",
     .usage = "(round x)",
     .doc = "The nearest integer; halves away from zero.",
     .example = {"(round 2.5)", "3"},
     .category = Category::Math,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Whole,
     .call = round,
     .traits = traits::kComputes,
     .differs = kWhole},
    {.name = "trunc",
     .usage = "(trunc x)",
     .doc = "x without its fraction, as an integer.",
     .example = {"(trunc -3.9)", "-3"},
     .category = Category::Math,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Whole,
     .call = trunc,
     .traits = traits::kComputes,
     .differs = kWhole},
    {.name = "sqrt",
     .usage = "(sqrt x)",
     .doc = "The square root, a double; NaN for negative x.",
     .example = {"(sqrt 16)", "4.0"},
     .category = Category::Math,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Real,
     .call = sqrt,
     .at_once = sqrt_at_once,
     .traits = traits::kComputes},
    {.name = "pow",
     .usage = "(pow x y)",
     .doc = "x to the power of y, a double.",
     .example = {"(pow 2 10)", "1024.0"},
     .category = Category::Math,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = pow,
     .traits = traits::kComputes},
    {.name = "int",
     .usage = "(int x)",
     .doc = "x without its fraction, as a 32-bit integer; the code point of a single character.",
     .example = {"(int 3.7)", "3"},
     .category = Category::Math,
     .gives = {kinds::kNumber},
     .model = BoundModel::Whole,
     .call = to_int,
     .traits = traits::kComputes},
    {.name = "double",
     .usage = "(double x)",
     .doc = "x as a double.",
     .example = {"(double 5)", "5.0"},
     .category = Category::Math,
     .gives = {kinds::kNumber},
     .model = BoundModel::Real,
     .call = to_float,
     .traits = traits::kComputes},
    {.name = "float",
     .usage = "(float x)",
     .doc = "x as a double.",
     .example = {"(float 5)", "5.0"},
     .category = Category::Math,
     .gives = {kinds::kNumber},
     .model = BoundModel::Real,
     .call = to_float,
     .traits = traits::kComputes,
     .differs = kDouble,
     .alias_of = "double"},
    {.name = "long",
     .usage = "(long x)",
     .doc = "x without its fraction, as a 64-bit integer; the code point of a single character.",
     .example = {"(long 3.7)", "3"},
     .category = Category::Core,
     .gives = {kinds::kNumber},
     .model = BoundModel::Whole,
     .call = to_long,
     .traits = traits::kComputes},
    {.name = "short",
     .usage = "(short x)",
     .doc = "x without its fraction, as an integer of 16 bits.",
     .example = {"(short 3.7)", "3"},
     .category = Category::Core,
     .gives = {kinds::kNumber},
     .model = BoundModel::Whole,
     .call = to_short},
    {.name = "byte",
     .usage = "(byte x)",
     .doc = "x without its fraction, as an integer of 8 bits.",
     .example = {"(byte 3.7)", "3"},
     .category = Category::Core,
     .gives = {kinds::kNumber},
     .model = BoundModel::Whole,
     .call = to_byte},
    {.name = "num",
     .usage = "(num x)",
     .doc = "The number x itself; an error for anything else.",
     .example = {"(num 5)", "5"},
     .category = Category::Core,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = to_number},
    {.name = "char",
     .usage = "(char x)",
     .doc = "The string of one character with the code point x.",
     .example = {"(char 97)", "\"a\""},
     .category = Category::Core,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = to_char,
     .differs = "A character is a string of one character."},
    {.name = "bigint",
     .usage = "(bigint x)",
     .doc = "x without its fraction, or the number that a text spells, as an integer of any size.",
     .example = {"(bigint \"12345678901234567890\")", "12345678901234567890"},
     .category = Category::Core,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = to_big,
     .differs = "All integers are of any size: it prints without N."},
    {.name = "biginteger",
     .usage = "(biginteger x)",
     .doc = "The same as bigint.",
     .example = {"(biginteger 3.7)", "3"},
     .category = Category::Core,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = to_big,
     .alias_of = "bigint"},
    {.name = "bigdec",
     .usage = "(bigdec x)",
     .doc = "The number x, or that of a text.",
     .example = {"(bigdec \"1.25\")", "1.25"},
     .category = Category::Core,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = to_decimal,
     .differs = "There are no decimals: gives a float, and an integer as it is."},
    {.name = "rationalize",
     .usage = "(rationalize x)",
     .doc = "The number x itself.",
     .example = {"(rationalize 0.5)", "0.5"},
     .category = Category::Core,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = to_number,
     .differs = "There are no ratios: a float stays one."},
};

} // namespace

std::span<const Builtin> math_builtins() { return kRows; }

} // namespace ptc
