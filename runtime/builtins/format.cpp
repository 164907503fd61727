// `format`: the directives of java.util.Formatter (spec 8.3, GAP-S65, S89, S96, S117; nil under %s is empty, DIV-21). A
// directive is read, checked for flags that its conversion does not take, paid for by width and precision, and only
// then written. Numbers go through Decimal, so that digits are rounded as decimals, not as doubles.
#include "frontend/try.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/decimal.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_fields.h"
#include "runtime/number.h"
#include "runtime/time.h"
#include "runtime/unicode.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace ptc {
namespace {

constexpr int kMaxFieldSize = 65'536; ///< of a width or precision; more is a mistake, not a layout

enum Flag : std::uint8_t {
    kLeft = 1,         ///< -
    kAlternate = 2,    ///< #
    kPlus = 4,         ///< +
    kSpace = 8,        ///< ' '
    kZero = 16,        ///< 0
    kGroup = 32,       ///< ,
    kParentheses = 64, ///< (
    kPrevious = 128,   ///< <: the argument of the directive before
};
constexpr std::string_view kFlagSymbols = "-#+ 0,(<";

/// %[index$][flags][width][.precision]conversion
struct Directive {
    std::string_view text; ///< as written
    std::size_t index = 0; ///< of the argument, from 1; 0: the next one
    std::uint8_t flags = 0;
    int width = -1;
    int precision = -1;
    char conversion = 0; ///< in lower case; 't' with a field
    char time_field = 0;
    bool in_capitals = false;
    [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
};

class DirectiveReader {
public:
    /// `at` is the place of the percent sign.
    DirectiveReader(std::string_view format, std::size_t at) : format_(format), begin_(at), at_(at + 1) {}
    [[nodiscard]] std::size_t end() const { return at_; }

    Result<Directive> read() {
        Directive d;
        if (peek() >= '1' && peek() <= '9') {
            std::size_t start = at_;
            int number = PTC_TRY(read_number());
            if (peek() == '$') {
                ++at_;
                d.index = static_cast<std::size_t>(number);
            } else {
                at_ = start; // a width
            }
        }
        PTC_CHECK(read_flags(d));
        if (is_digit(peek())) d.width = PTC_TRY(read_number());
        if (peek() == '.') {
            ++at_;
            if (!is_digit(peek())) return fail("digits have to follow the point");
            d.precision = PTC_TRY(read_number());
        }
        PTC_CHECK(read_conversion(d));
        d.text = format_.substr(begin_, at_ - begin_);
        return d;
    }

private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    [[nodiscard]] char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
    Error fail(const std::string& problem) const {
        return malformed_directive(format_.substr(begin_, std::min(at_ + 1, format_.size()) - begin_), problem);
    }
    Result<int> read_number() {
        int number = 0;
        while (is_digit(peek())) {
            number = number * 10 + (format_[at_++] - '0');
            if (number > kMaxFieldSize) return fail("no number in it may be above " + std::to_string(kMaxFieldSize));
        }
        return number;
    }
    Result<void> read_flags(Directive& d) {
        for (std::size_t flag;
             at_ < format_.size() && (flag = kFlagSymbols.find(format_[at_])) != std::string_view::npos; ++at_) {
            auto bit = static_cast<std::uint8_t>(1u << flag);
            if (d.flags & bit) return fail("it has the same flag twice");
            d.flags = static_cast<std::uint8_t>(d.flags | bit);
        }
        return {};
    }
    Result<void> read_conversion(Directive& d) {
        constexpr std::string_view kKnown = "sdfxXSeEgGbBcCohHn%tT";
        char c = peek();
        if (c == '\0') return fail("its conversion letter is missing; a percent sign by itself is written %%");
        if (kKnown.find(c) == std::string_view::npos) {
            at_ += next_grapheme(format_.substr(at_), 0) - 1;
            return fail("there is no such conversion");
        }
        ++at_;
        d.in_capitals = c >= 'A' && c <= 'Z';
        d.conversion = d.in_capitals ? static_cast<char>(c - 'A' + 'a') : c;
        if (d.conversion == 't') {
            if (at_ == format_.size()) return fail("%t needs a letter after it, e.g. %tY");
            d.time_field = format_[at_++];
        }
        return {};
    }

    std::string_view format_;
    std::size_t begin_;
    std::size_t at_;
};

/// The flags, width and precision that a conversion does not take.
Result<void> check_directive(const Directive& d) {
    auto fail = [&](const char* problem) { return malformed_directive(d.text, problem); };
    std::uint8_t allowed = kLeft | kPrevious;
    bool takes_precision = false;
    switch (d.conversion) {
    case 's':
    case 'b':
    case 'h': takes_precision = true; break;
    case 'd': allowed |= kPlus | kSpace | kZero | kGroup | kParentheses; break;
    case 'o':
    case 'x': allowed |= kAlternate | kZero | kPlus | kSpace | kParentheses; break;
    case 'e':
        allowed |= kAlternate | kPlus | kSpace | kZero | kParentheses;
        takes_precision = true;
        break;
    case 'f':
        allowed |= kAlternate | kPlus | kSpace | kZero | kGroup | kParentheses;
        takes_precision = true;
        break;
    case 'g':
        allowed |= kPlus | kSpace | kZero | kGroup | kParentheses;
        takes_precision = true;
        break;
    case 'n': allowed = 0; break;
    default: break; // c, t and % can be aligned only
    }
    if (d.flags & ~allowed) return fail("its conversion does not take one of the flags");
    if (d.precision >= 0 && !takes_precision) return fail("its conversion takes no precision");
    if (d.conversion == 'n' && d.width >= 0) return fail("%n takes no width");
    if (d.has(kLeft) && d.has(kZero)) return fail("the flags - and 0 exclude each other");
    if (d.has(kPlus) && d.has(kSpace)) return fail("the flags + and space exclude each other");
    if ((d.has(kLeft) || d.has(kZero)) && d.width < 0) return fail("the flags - and 0 need a width");
    return {};
}

std::string grouped(const std::string& digits) {
    std::string result;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
        result += digits[i];
    }
    return result;
}

/// The bits of an integer's magnitude, or of its 64-bit two's complement, in groups of `bits` (3 or 4).
std::string digits_of_bits(std::span<const std::uint64_t> limbs, unsigned bits) {
    std::string text;
    std::size_t bit_count = limbs.size() * 64;
    for (std::size_t bit = 0; bit < bit_count; bit += bits) {
        unsigned digit = 0;
        for (unsigned k = 0; k < bits && bit + k < bit_count; ++k) {
            digit |= static_cast<unsigned>((limbs[(bit + k) / 64] >> ((bit + k) % 64)) & 1) << k;
        }
        text += "0123456789abcdef"[digit];
    }
    while (text.size() > 1 && text.back() == '0')
        text.pop_back();
    std::reverse(text.begin(), text.end());
    return text;
}

/// Java's String.hashCode, over UTF-16 units.
std::uint32_t java_hash(std::string_view utf8) {
    std::uint32_t hash = 0;
    for (std::size_t at = 0; at < utf8.size();) {
        char32_t c = next_code_point(utf8, &at);
        if (c >= 0x10000) {
            hash = hash * 31 + static_cast<std::uint32_t>(0xD800 + ((c - 0x10000) >> 10));
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        hash = hash * 31 + static_cast<std::uint32_t>(c);
    }
    return hash;
}

class Formatter {
public:
    Formatter(Call& call, Args args) : heap_(call.heap), args_(args), out_(call.heap) {}

    Result<Value> run() {
        std::string_view format = text_of(args_[0]);
        PTC_CHECK(charge_bytes_of_work(heap_, format.size()));
        for (std::size_t at = 0; at < format.size();) {
            std::size_t percent = std::min(format.find('%', at), format.size());
            PTC_CHECK(put(format.substr(at, percent - at)));
            if (percent == format.size()) break;
            DirectiveReader reader(format, percent);
            Directive d = PTC_TRY(reader.read());
            PTC_CHECK(check_directive(d));
            if (!heap_.meter.charge(4 + (std::max(d.width, 0) + std::max(d.precision, 0)) / 8))
                return heap_.meter.error();
            PTC_CHECK(convert(d));
            at = reader.end();
        }
        return out_.finish();
    }

private:
    Result<void> put(std::string_view text) {
        if (!text.empty() && !out_.append(text)) return out_.error();
        return {};
    }
    Result<void> put_spaces(std::size_t count) { return count == 0 ? Result<void>{} : put(std::string(count, ' ')); }
    /// `text`, of `size` graphemes, in a field of the directive's width.
    Result<void> put_field(const Directive& d, std::string_view text, std::size_t size) {
        std::size_t padding =
            d.width > 0 && size < static_cast<std::size_t>(d.width) ? static_cast<std::size_t>(d.width) - size : 0;
        if (!d.has(kLeft)) PTC_CHECK(put_spaces(padding));
        PTC_CHECK(put(text));
        return d.has(kLeft) ? put_spaces(padding) : Result<void>{};
    }
    Result<void> put_ascii_field(const Directive& d, std::string text) {
        if (d.in_capitals) {
            for (char& c : text)
                c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        return put_field(d, text, text.size());
    }
    /// A field of any text: cut to the precision, in capitals if asked for.
    Result<void> put_text_field(const Directive& d, Value text) {
        if (d.precision >= 0) {
            std::size_t end = grapheme_offset(heap_, text, static_cast<std::size_t>(d.precision));
            text = PTC_TRY(part_of(heap_, text, 0, end));
        }
        if (d.in_capitals) text = PTC_TRY(to_upper(heap_, text));
        std::string_view bytes = text_of(text);
        PTC_CHECK(charge_bytes_of_work(heap_, bytes.size()));
        return put_field(d, bytes, d.width > 0 ? grapheme_count(heap_, text) : 0);
    }

    Result<const Value*> argument(const Directive& d) {
        std::size_t index = d.has(kPrevious) ? previous_ : d.index > 0 ? d.index : ++next_;
        if (index == 0 || index >= args_.size()) return missing_format_argument(d.text, index, args_.size() - 1);
        previous_ = index;
        return &args_[index];
    }

    Result<void> convert(const Directive& d) {
        if (d.conversion == 'n') return put("\n");
        if (d.conversion == '%') return put_field(d, "%", 1);
        const Value& value = *PTC_TRY(argument(d));
        switch (d.conversion) {
        case 's': return put_text_field(d, PTC_TRY(concatenate(heap_, {&value, 1}, {})));
        case 'b': return put_text_field(d, PTC_TRY(make_string(heap_, value.is_truthy() ? "true" : "false")));
        default: break;
        }
        if (value.is_nil()) return put_text_field(d, PTC_TRY(make_string(heap_, "null")));
        switch (d.conversion) {
        case 'c': return convert_character(d, value);
        case 'h': return convert_hash(d, value);
        case 't': return convert_time(d, value);
        case 'd': return convert_decimal(d, value);
        case 'o':
        case 'x': return convert_bits(d, value);
        default: return convert_float(d, value);
        }
    }

    Result<void> convert_character(const Directive& d, const Value& value) {
        const bool is_one = is_character(heap_, value);
        if (heap_.meter.has_run_out()) return heap_.meter.error();
        if (is_one) {
            return put_text_field(d, value.copy());
        }
        char utf8[4];
        std::size_t size = 0;
        if (value.is_small_integer() && value.small_integer() >= 0 && value.small_integer() <= 0x10FFFF) {
            size = encode_utf8(static_cast<char32_t>(value.small_integer()), utf8);
        }
        if (size == 0) {
            return wrong_format_argument(d.text, "a one-character string or a code point", value,
                                         "Use %s for longer text.");
        }
        return put_text_field(d, PTC_TRY(make_string(heap_, {utf8, size})));
    }

    Result<void> convert_hash(const Directive& d, const Value& value) {
        std::uint32_t hash = 0;
        std::int64_t number = 0;
        if (value.is_string()) {
            PTC_CHECK(charge_bytes_of_work(heap_, text_of(value).size()));
            hash = java_hash(text_of(value));
        } else if (value.is_boolean()) {
            hash = value.is_true() ? 1231 : 1237;
        } else if (value.is_integer() && fits_int64(value, &number)) {
            hash = static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) ^
                                              (static_cast<std::uint64_t>(number) >> 32));
        } else {
            return wrong_format_argument(d.text, "a string, boolean or integer", value,
                                         "Other values have no hash code here.");
        }
        char text[16];
        auto end = std::to_chars(text, text + sizeof text, hash, 16).ptr;
        return put_text_field(d, PTC_TRY(make_string(heap_, {text, static_cast<std::size_t>(end - text)})));
    }

    Result<void> convert_time(const Directive& d, const Value& value) {
        if (!value.is(ObjectType::LocalDate) && !value.is(ObjectType::Instant) && !value.is_small_integer()) {
            return wrong_format_argument(d.text, "a date, an instant or milliseconds since 1970", value,
                                         "Read text with (LocalDate/parse s) or (Instant/parse s) first.");
        }
        bool known = true;
        std::string text = time_field(value, d.time_field, &known);
        if (!known) return malformed_directive(d.text, "there is no such part of a time");
        if (text.empty()) return wrong_format_argument(d.text, "an instant", value, "A date has no time of day.");
        return put_ascii_field(d, std::move(text));
    }

    /// A number: sign or brackets and `prefix` around the digits, zeros between them when asked for. `digits` already
    /// has its groups.
    Result<void> put_number(const Directive& d, bool negative, std::string_view prefix, std::string digits,
                            bool zeros = true) {
        std::string text;
        if (negative)
            text = d.has(kParentheses) ? "(" : "-";
        else if (d.has(kPlus))
            text = "+";
        else if (d.has(kSpace))
            text = " ";
        text += prefix;
        bool closes = negative && d.has(kParentheses);
        if (zeros && d.has(kZero)) {
            std::size_t size = text.size() + digits.size() + (closes ? 1 : 0);
            if (size < static_cast<std::size_t>(d.width)) text.append(static_cast<std::size_t>(d.width) - size, '0');
        }
        text += digits;
        if (closes) text += ')';
        return put_ascii_field(d, std::move(text));
    }

    // A double without a fraction counts as an integer: that is what `/` gives.
    Result<void> convert_decimal(const Directive& d, const Value& value) {
        if (value.is_double() && std::isfinite(value.as_double()) && std::trunc(value.as_double()) == value.as_double())
            return convert_decimal(d, PTC_TRY(integer_from_double(heap_, value.as_double())));
        if (!value.is_integer()) {
            return wrong_format_argument(d.text, "an integer", value,
                                         value.is_double() ? "Use %.0f, or (round x) first." : "Use %s for any value.");
        }
        if (!heap_.meter.charge(number_text_cost(value))) return heap_.meter.error();
        std::string digits = number_to_text(value);
        bool negative = digits.starts_with('-');
        if (negative) digits.erase(0, 1);
        return put_number(d, negative, {}, d.has(kGroup) ? grouped(digits) : std::move(digits));
    }

    // A 64-bit integer shows its two's complement and takes no sign flags; a larger one shows sign and magnitude
    // (Java).
    Result<void> convert_bits(const Directive& d, const Value& value) {
        if (!value.is_integer()) return wrong_format_argument(d.text, "an integer", value, "Use %s for any value.");
        unsigned bits = d.conversion == 'x' ? 4 : 3;
        std::string_view prefix = !d.has(kAlternate) ? "" : bits == 4 ? "0x" : "0";
        std::int64_t number = 0;
        if (fits_int64(value, &number)) {
            if (d.flags & (kPlus | kSpace | kParentheses)) {
                return malformed_directive(d.text,
                                           "%x and %o show no sign for 64-bit integers, so they take no sign flags");
            }
            auto word = static_cast<std::uint64_t>(number);
            return put_number(d, false, prefix, digits_of_bits({&word, 1}, bits));
        }
        const auto& big = *static_cast<const BigIntegerObject*>(value.object());
        PTC_CHECK(charge_bytes_of_work(heap_, big.limb_count * std::size_t{64}));
        return put_number(d, big.negative != 0, prefix, digits_of_bits({big.limbs(), big.limb_count}, bits));
    }

    Result<void> convert_float(const Directive& d, const Value& value) {
        if (!value.is_number()) {
            return wrong_format_argument(d.text, "a number", value,
                                         value.is_string() ? "Convert text with (parse-double s) first."
                                                           : "Use %s for any value.");
        }
        if (value.is_double() && std::isnan(value.as_double())) return put_ascii_field(d, "NaN");
        if (value.is_double() && std::isinf(value.as_double())) {
            return put_number(d, value.as_double() < 0, {}, "Infinity", false);
        }
        if (!heap_.meter.charge(number_text_cost(value))) return heap_.meter.error();
        Decimal decimal = Decimal::of(value);
        std::int64_t precision = d.precision < 0 ? 6 : d.precision;
        if (d.conversion == 'f') return put_fixed(d, std::move(decimal), precision);
        if (d.conversion == 'e') return put_scientific(d, std::move(decimal), precision);
        // %g counts significant digits, and is scientific for what is then outside of 10^-4 <= x < 10^precision.
        if (precision == 0) precision = 1;
        decimal.round_to_digits(precision);
        if (decimal.is_zero()) return put_fixed(d, std::move(decimal), precision - 1);
        if (decimal.point - 1 < -4 || decimal.point > precision)
            return put_scientific(d, std::move(decimal), precision - 1);
        const std::int64_t places = precision - decimal.point;
        return put_fixed(d, std::move(decimal), places);
    }

    Result<void> put_fixed(const Directive& d, Decimal decimal, std::int64_t places) {
        decimal.round_to_places(places);
        std::string text = d.has(kGroup) ? grouped(decimal.whole_part()) : decimal.whole_part();
        if (places > 0)
            text += "." + decimal.fraction(places);
        else if (d.has(kAlternate))
            text += ".";
        return put_number(d, decimal.negative, {}, std::move(text));
    }

    Result<void> put_scientific(const Directive& d, Decimal decimal, std::int64_t places) {
        decimal.round_to_digits(places + 1);
        std::int64_t exponent = decimal.is_zero() ? 0 : decimal.point - 1;
        decimal.point = 1;
        std::string text = decimal.whole_part();
        if (places > 0)
            text += "." + decimal.fraction(places);
        else if (d.has(kAlternate))
            text += ".";
        std::string power = std::to_string(std::abs(exponent));
        text += std::string(exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
        return put_number(d, decimal.negative, {}, std::move(text));
    }

    Heap& heap_;
    Args args_;
    StringBuilder out_;
    std::size_t next_ = 0;     ///< the last argument taken in order
    std::size_t previous_ = 0; ///< the argument of the directive before
};

Result<Value> call_format(Call& call, Args args) {
    if (!args[0].is_string()) {
        Error error = argument_error(call, args, 1, "a format string");
        return std::move(error).with_hint("Write e.g. (format \"%s: %.2f\" name x).");
    }
    return Formatter(call, args).run();
}

/// Java's format takes an array: (String/format "%d" (into-array [5])).
Result<Value> call_java_format(Call& call, Args args) {
    if (args.size() != 2 || !args[1].is_vector()) return call_format(call, args);
    const VectorReader items(args[1]);
    if (!call.heap.meter.charge(static_cast<std::int64_t>(items.size()))) return call.heap.meter.error();
    constexpr std::size_t kMost = 1000;
    if (items.size() > kMost) return runtime_failure(call.who(), "more than 1000 arguments");
    std::vector<Value> all;
    all.push_back(std::move(args[0]));
    for (std::size_t i = 0; i < items.size(); ++i)
        all.push_back(items.at(i));
    return call_format(call, all);
}

constexpr Builtin kRows[] = {
    {.name = "format",
     .usage = "(format fmt & args)",
     .doc =
         "fmt with each directive replaced by an argument, as Java does it: %s any value, %d integer, %.2f fixed, %e "
         "scientific, %x hexadecimal, %b boolean, %c character, %% percent sign; %-10s and %05d set widths.",
     .example = {"(format \"%-5s|%05.1f|%,d\" \"ab\" 3.14159 1234567)", "\"ab   |003.1|1,234,567\""},
     .category = Category::String,
     .cost = 20,
     .work = Work::Text,
     .gives = {kinds::kText, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = call_format,
     .traits = traits::kComputes,
     .differs = "nil is empty under %s (DIV-21); %f, %e and %g take integers too, %d doubles without a fraction."},
    {.name = "String/format",
     .usage = "(String/format fmt & args)",
     .doc = "As format, under its Java name; the arguments may also stand in an array.",
     .example = {"(String/format \"%03d\" 7)", "\"007\""},
     .category = Category::Interop,
     .cost = 20,
     .work = Work::Text,
     .gives = {kinds::kText},
     .model = BoundModel::Unknown,
     .call = call_java_format,
     .alias_of = "format"},
};

} // namespace

std::span<const Builtin> format_builtins() { return kRows; }

} // namespace ptc
