// Text to numbers and booleans: Clojure's parse-long and its like, which give nil for what they cannot read (spec 8.9,
// DIV-18), and Java's parseInt and its like, which fail (GAP-J01).
#include "frontend/try.h"
#include "runtime/builtins/number_text.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace ptc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
           });
}

/// Steps over the parts of a number that Java allows and std::from_chars reads.
class NumberScanner {
public:
    explicit NumberScanner(std::string_view text) : text_(text) {}
    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    bool accept(std::string_view any_of) {
        if (at_end() || any_of.find(text_[at_]) == std::string_view::npos) return false;
        ++at_;
        return true;
    }
    std::size_t digits(bool (*is_one)(char)) {
        std::size_t start = at_;
        while (!at_end() && is_one(text_[at_]))
            ++at_;
        return at_ - start;
    }
    /// Digits with a point before, among or after them; at least one digit.
    bool mantissa(bool (*is_one)(char)) {
        std::size_t count = digits(is_one);
        if (accept(".")) count += digits(is_one);
        return count > 0;
    }
    bool exponent() {
        accept("+-");
        return digits(is_digit) > 0;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

/// Whether a number too far from 1 for a double is huge rather than tiny: the sign of its exponent, counted from its
/// first digit that is not zero. `unit` is what a digit before the exponent counts: 1 in decimal, 4 (bits) in
/// hexadecimal.
bool is_huge(std::string_view number, std::string_view exponent_marks, std::int64_t unit) {
    std::size_t mark = number.find_first_of(exponent_marks);
    std::string_view mantissa = number.substr(0, mark);
    std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    std::size_t first = mantissa.find_first_not_of("0.");
    if (first == std::string_view::npos) return false;
    std::int64_t digits_before_point = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    if (mark == std::string_view::npos) return digits_before_point > 0;
    std::string_view exponent = number.substr(mark + 1);
    bool is_negative = exponent.starts_with('-');
    if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
    constexpr std::int64_t kFar = std::int64_t{1} << 40; // more than any text is long
    std::int64_t size = kFar;
    if (auto [end, failure] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), size);
        failure != std::errc{} || size > kFar) {
        size = kFar;
    }
    return digits_before_point * unit + (is_negative ? -size : size) > 0;
}

double convert(std::string_view number, std::chars_format format) {
    double value = 0;
    auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value, format);
    if (failure != std::errc::result_out_of_range) return value;
    bool huge = format == std::chars_format::hex ? is_huge(number, "pP", 4) : is_huge(number, "eE", 1);
    return huge ? std::numeric_limits<double>::infinity() : 0.0;
}

} // namespace

std::optional<std::int64_t> read_long(std::string_view text, int radix) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::nullopt;
    }
    std::int64_t value = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, radix);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> read_double(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
        text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
        text.remove_suffix(1);
    bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    double sign = is_negative ? -1.0 : 1.0;
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return sign * std::numeric_limits<double>::infinity();
    bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    NumberScanner scanner(text);
    if (!scanner.mantissa(is_hex ? is_hex_digit : is_digit)) return std::nullopt;
    if (is_hex && !scanner.accept("pP")) return std::nullopt; // Java: the exponent may not be left out
    if ((is_hex || scanner.accept("eE")) && !scanner.exponent()) return std::nullopt;
    std::string_view number = text.substr(0, scanner.at());
    scanner.accept("fFdD");
    if (!scanner.at_end()) return std::nullopt;
    return sign * convert(number, is_hex ? std::chars_format::hex : std::chars_format::general);
}

namespace {

// ---- Clojure's: nil for what is no such text

Result<Value> call_parse_long(Call& call, Args args) {
    if (!args[0].is_string()) return Value();
    PTC_CHECK(charge_bytes_of_work(call.heap, text_of(args[0]).size()));
    auto value = read_long(text_of(args[0]));
    if (!value) return Value();
    return make_integer(call.heap, *value);
}

// All of the text is the number: Java's own reading lets blanks stand around it (spec 8.9).
Result<Value> call_parse_double(Call& call, Args args) {
    if (!args[0].is_string()) return Value();
    PTC_CHECK(charge_bytes_of_work(call.heap, text_of(args[0]).size()));
    const std::string_view text = text_of(args[0]);
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    if (text.empty() || is_blank(text.front()) || is_blank(text.back())) return Value();
    auto value = read_double(text_of(args[0]));
    if (!value) return Value();
    return Value::number(*value);
}

Result<Value> call_parse_boolean(Call&, Args args) {
    if (!args[0].is_string()) return Value();
    std::string_view text = text_of(args[0]);
    if (text == "true" || text == "false") return Value::boolean(text == "true");
    return Value();
}

/// Digits in groups of 8, 4, 4, 4 and 12.
Result<Value> call_parse_uuid(Call& call, Args args) {
    if (!args[0].is_string()) return Value();
    const std::string_view text = text_of(args[0]);
    constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.size() != kShape.size()) return Value();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (kShape[i] == '-' ? text[i] != '-' : !is_hex_digit(text[i])) return Value();
    }
    std::string uuid(text);
    for (char& c : uuid)
        c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    return make_string(call.heap, uuid);
}

// ---- Java's: an error for what is no such text

Result<Value> read_integer_argument(Call& call, Args args, std::int64_t min, std::int64_t max) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    std::int64_t radix = args.size() == 2 ? PTC_TRY(index_argument(call, args, 2)) : 10;
    if (radix < 2 || radix > 36) return argument_error(call, args, 2, "a radix from 2 to 36");
    auto value = read_long(text, static_cast<int>(radix));
    if (!value || *value < min || *value > max) {
        const char* expected = max == std::numeric_limits<std::int32_t>::max() ? "the digits of a 32-bit integer"
                                                                               : "the digits of a 64-bit integer";
        return unreadable_text(call.who(), expected, text)
            .with_hint("(parse-long s) gives nil for a text that is no integer.");
    }
    return make_integer(call.heap, *value);
}

Result<Value> call_parse_int_java(Call& call, Args args) {
    return read_integer_argument(call, args, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max());
}

Result<Value> call_parse_long_java(Call& call, Args args) {
    return read_integer_argument(call, args, std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max());
}

Result<Value> call_parse_double_java(Call& call, Args args) {
    std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    auto value = read_double(text);
    if (!value) {
        return unreadable_text(call.who(), "the text of a number", text)
            .with_hint("(parse-double s) gives nil for a text that is no number.");
    }
    return Value::number(*value);
}

Result<Value> call_integer_value_of(Call& call, Args args) {
    if (args.size() == 1 && args[0].is_integer()) return std::move(args[0]);
    return call_parse_long_java(call, args);
}

Result<Value> call_double_value_of(Call& call, Args args) {
    if (args[0].is_number()) return Value::number(to_double(args[0]));
    return call_parse_double_java(call, args);
}

Result<Value> call_parse_boolean_java(Call& call, Args args) {
    if (args[0].is_nil()) return Value::boolean(false);
    return Value::boolean(equals_ignoring_case(PTC_TRY(text_argument(call, args, 1)), "true"));
}

Result<Value> call_boolean_value_of(Call& call, Args args) {
    if (args[0].is_boolean()) return std::move(args[0]);
    return call_parse_boolean_java(call, args);
}

Result<Value> call_is_nan(Call& call, Args args) {
    if (!args[0].is_number()) return argument_error(call, args, 1, "a number");
    return Value::boolean(args[0].is_double() && std::isnan(args[0].as_double()));
}

Result<Value> call_is_infinite(Call& call, Args args) {
    if (!args[0].is_number()) return argument_error(call, args, 1, "a number");
    return Value::boolean(args[0].is_double() && std::isinf(args[0].as_double()));
}

Result<Value> call_number_to_string(Call& call, Args args) {
    if (!args[0].is_integer()) return argument_error(call, args, 1, "an integer");
    if (args.size() == 1) return number_text(call.heap, args[0]);
    const std::int64_t number = PTC_TRY(bits_argument(call, args, 1));
    std::int64_t radix = PTC_TRY(index_argument(call, args, 2));
    if (radix < 2 || radix > 36) radix = 10; // as Java has it
    char text[65];
    const char* end = std::to_chars(text, text + sizeof text, number, static_cast<int>(radix)).ptr;
    return make_string(call.heap, {text, static_cast<std::size_t>(end - text)});
}

/// The digits of the two's complement of an integer that `Signed` holds.
template <typename Signed, int Radix> Result<Value> call_bits_to_string(Call& call, Args args) {
    const std::int64_t number = PTC_TRY(bits_argument(call, args, 1));
    if (number < std::numeric_limits<Signed>::min() || number > std::numeric_limits<Signed>::max())
        return argument_error(call, args, 1, "an integer of at most 32 bits");
    char text[65];
    const auto bits = static_cast<std::make_unsigned_t<Signed>>(number);
    const char* end = std::to_chars(text, text + sizeof text, bits, Radix).ptr;
    return make_string(call.heap, {text, static_cast<std::size_t>(end - text)});
}

Result<Value> call_bit_count(Call& call, Args args) {
    return Value::small_integer(std::popcount(static_cast<std::uint64_t>(PTC_TRY(bits_argument(call, args, 1)))));
}

Result<Value> call_double_to_string(Call& call, Args args) {
    if (!args[0].is_number()) return argument_error(call, args, 1, "a number");
    return number_text(call.heap, Value::number(to_double(args[0])));
}

Result<Value> call_boolean_to_string(Call& call, Args args) {
    if (!args[0].is_boolean()) return argument_error(call, args, 1, "a boolean");
    return make_string(call.heap, args[0].is_true() ? "true" : "false");
}

constexpr const char* kNilForOthers = "Gives nil for what is no string, too (DIV-18); Clojure throws.";

constexpr Builtin kRows[] = {
    {.name = "parse-long",
     .usage = "(parse-long s)",
     .doc = "The integer that s spells, all of it; nil otherwise, and beyond 64 bits.",
     .example = {"(parse-long \"-17\")", "-17"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::NumberInText,
     .call = call_parse_long,
     .differs = kNilForOthers},
    {.name = "parse-int",
     .usage = "(parse-int s)",
     .doc = "The integer that s spells, all of it; nil otherwise.",
     .example = {"(parse-int \"42\")", "42"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::NumberInText,
     .call = call_parse_long,
     .differs = "Not in Clojure.",
     .alias_of = "parse-long"},
    {.name = "parse-double",
     .usage = "(parse-double s)",
     .doc = "The number that s spells, as a double; nil otherwise.",
     .example = {"(parse-double \"1e3\")", "1000.0"},
     .category = Category::String,
     .work = Work::Text,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::NumberInText,
     .call = call_parse_double,
     .differs = kNilForOthers},
    {.name = "parse-boolean",
     .usage = "(parse-boolean s)",
     .doc = "true for \"true\", false for \"false\", nil for anything else.",
     .example = {"(parse-boolean \"true\")", "true"},
     .category = Category::String,
     .gives = {kinds::kBoolean | kinds::kNil},
     .model = BoundModel::NumberInText,
     .call = call_parse_boolean,
     .differs = kNilForOthers},
    {.name = "parse-uuid",
     .usage = "(parse-uuid s)",
     .doc = "The UUID that s spells, as a text in small letters; nil otherwise.",
     .example = {"(parse-uuid \"B6883C0A-0342-4007-9966-BC2DFA6B109E\")", "\"b6883c0a-0342-4007-9966-bc2dfa6b109e\""},
     .category = Category::String,
     .gives = {kinds::kText | kinds::kNil},
     .model = BoundModel::Unknown,
     .call = call_parse_uuid,
     .differs = "A UUID is its text here."},
    {.name = "Integer/parseInt",
     .usage = "(Integer/parseInt s) (Integer/parseInt s radix)",
     .doc = "The 32-bit integer that s spells; an error for any other text.",
     .example = {"(Integer/parseInt \"ff\" 16)", "255"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::NumberInText,
     .call = call_parse_int_java},
    {.name = "Integer/valueOf",
     .usage = "(Integer/valueOf x) (Integer/valueOf s radix)",
     .doc = "The integer that s spells, or x itself when it is one.",
     .example = {"(Integer/valueOf \"12\")", "12"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_integer_value_of},
    {.name = "Integer/toString",
     .usage = "(Integer/toString n) (Integer/toString n radix)",
     .doc = "The text of an integer, decimal or in a radix from 2 to 36.",
     .example = {"(Integer/toString 255 16)", "\"ff\""},
     .category = Category::Interop,
     .work = Work::Digits,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_number_to_string},
    {.name = "Integer/toBinaryString",
     .usage = "(Integer/toBinaryString n)",
     .doc = "The bits of an integer; of its 32-bit two's complement when it is negative.",
     .example = {"(Integer/toBinaryString 5)", "\"101\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_bits_to_string<std::int32_t, 2>},
    {.name = "Integer/toHexString",
     .usage = "(Integer/toHexString n)",
     .doc = "An integer in hexadecimal; its 32-bit two's complement when it is negative.",
     .example = {"(Integer/toHexString 255)", "\"ff\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_bits_to_string<std::int32_t, 16>},
    {.name = "Integer/toOctalString",
     .usage = "(Integer/toOctalString n)",
     .doc = "An integer in octal; its 32-bit two's complement when it is negative.",
     .example = {"(Integer/toOctalString 8)", "\"10\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_bits_to_string<std::int32_t, 8>},
    {.name = "Integer/bitCount",
     .usage = "(Integer/bitCount n)",
     .doc = "How many bits are set in an integer of 64 bits.",
     .example = {"(Integer/bitCount 7)", "3"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_bit_count},
    {.name = "Long/parseLong",
     .usage = "(Long/parseLong s) (Long/parseLong s radix)",
     .doc = "The 64-bit integer that s spells; an error for any other text.",
     .example = {"(Long/parseLong \"-12\")", "-12"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::NumberInText,
     .call = call_parse_long_java},
    {.name = "Long/valueOf",
     .usage = "(Long/valueOf x) (Long/valueOf s radix)",
     .doc = "The integer that s spells, or x itself when it is one.",
     .example = {"(Long/valueOf \"12\")", "12"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_integer_value_of},
    {.name = "Long/toString",
     .usage = "(Long/toString n) (Long/toString n radix)",
     .doc = "The text of an integer, decimal or in a radix from 2 to 36.",
     .example = {"(Long/toString 12)", "\"12\""},
     .category = Category::Interop,
     .work = Work::Digits,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_number_to_string},
    {.name = "Long/toBinaryString",
     .usage = "(Long/toBinaryString n)",
     .doc = "The bits of an integer; of its 64-bit two's complement when it is negative.",
     .example = {"(Long/toBinaryString 5)", "\"101\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_bits_to_string<std::int64_t, 2>},
    {.name = "Long/toHexString",
     .usage = "(Long/toHexString n)",
     .doc = "An integer in hexadecimal; its 64-bit two's complement when it is negative.",
     .example = {"(Long/toHexString 255)", "\"ff\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_bits_to_string<std::int64_t, 16>},
    {.name = "Long/bitCount",
     .usage = "(Long/bitCount n)",
     .doc = "How many bits are set in an integer of 64 bits.",
     .example = {"(Long/bitCount 7)", "3"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_bit_count},
    {.name = "Long/toOctalString",
     .usage = "(Long/toOctalString n)",
     .doc = "An integer in octal; its 64-bit two's complement when it is negative.",
     .example = {"(Long/toOctalString 8)", "\"10\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_bits_to_string<std::int64_t, 8>},
    {.name = "Double/toString",
     .usage = "(Double/toString x)",
     .doc = "The text of a number, as a double.",
     .example = {"(Double/toString 2)", "\"2.0\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_double_to_string},
    {.name = "Boolean/toString",
     .usage = "(Boolean/toString x)",
     .doc = "\"true\" or \"false\".",
     .example = {"(Boolean/toString true)", "\"true\""},
     .category = Category::Interop,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_boolean_to_string},
    {.name = "Double/parseDouble",
     .usage = "(Double/parseDouble s)",
     .doc = "The number that s spells; an error for any other text.",
     .example = {"(Double/parseDouble \"2.50\")", "2.5"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::NumberInText,
     .call = call_parse_double_java},
    {.name = "Double/valueOf",
     .usage = "(Double/valueOf x)",
     .doc = "The number that a string spells, or a number, as a double.",
     .example = {"(Double/valueOf \"2\")", "2.0"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_double_value_of},
    {.name = "Double/isNaN",
     .usage = "(Double/isNaN x)",
     .doc = "True if x is not a number (##NaN).",
     .example = {"(Double/isNaN ##NaN)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_nan},
    {.name = "Double/isInfinite",
     .usage = "(Double/isInfinite x)",
     .doc = "True if x is ##Inf or ##-Inf.",
     .example = {"(Double/isInfinite ##-Inf)", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_infinite},
    {.name = "Float/parseFloat",
     .usage = "(Float/parseFloat s)",
     .doc = "The number that s spells; an error for any other text.",
     .example = {"(Float/parseFloat \"2.5\")", "2.5"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::NumberInText,
     .call = call_parse_double_java,
     .differs = "Keeps the precision of a double."},
    {.name = "Float/valueOf",
     .usage = "(Float/valueOf x)",
     .doc = "The number that a string spells, or a number, as a double.",
     .example = {"(Float/valueOf \"2\")", "2.0"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_double_value_of,
     .differs = "Keeps the precision of a double."},
    {.name = "Float/isNaN",
     .usage = "(Float/isNaN x)",
     .doc = "True if x is not a number (##NaN).",
     .example = {"(Float/isNaN 1.5)", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_nan},
    {.name = "Float/isInfinite",
     .usage = "(Float/isInfinite x)",
     .doc = "True if x is ##Inf or ##-Inf.",
     .example = {"(Float/isInfinite 1.5)", "false"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_is_infinite},
    {.name = "Boolean/parseBoolean",
     .usage = "(Boolean/parseBoolean s)",
     .doc = "True if s is \"true\" in whatever case; false for any other string and for nil.",
     .example = {"(Boolean/parseBoolean \"TRUE\")", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::NumberInText,
     .call = call_parse_boolean_java},
    {.name = "Integer.",
     .usage = "(Integer. x)",
     .doc = "As Integer/valueOf.",
     .example = {"(Integer. \"5\")", "5"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_integer_value_of},
    {.name = "Long.",
     .usage = "(Long. x)",
     .doc = "As Long/valueOf.",
     .example = {"(Long. \"5\")", "5"},
     .category = Category::Interop,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_integer_value_of},
    {.name = "Double.",
     .usage = "(Double. x)",
     .doc = "As Double/valueOf.",
     .example = {"(Double. \"1.5\")", "1.5"},
     .category = Category::Interop,
     .work = Work::Text,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = call_double_value_of},
    {.name = "Boolean.",
     .usage = "(Boolean. x)",
     .doc = "As Boolean/valueOf.",
     .example = {"(Boolean. \"true\")", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_boolean_value_of},
    {.name = "Boolean/valueOf",
     .usage = "(Boolean/valueOf x)",
     .doc = "As Boolean/parseBoolean; a boolean stands for itself.",
     .example = {"(Boolean/valueOf \"true\")", "true"},
     .category = Category::Interop,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Unknown,
     .call = call_boolean_value_of},
};

} // namespace

std::span<const Builtin> parsing_builtins() { return kRows; }

} // namespace ptc
