// java.text.DecimalFormat. A pattern is a text, digits and a text, perhaps followed by ; and texts for numbers below
// zero. The counting of # and 0 is Java's, oddities included: "#.##" writes 0.5 as 0.5, and ".##" as .5.
#include "runtime/builtins/decimal_format.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/builtins/decimal.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include "runtime/string.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace ptc {
namespace {

constexpr std::size_t kMostPlaces = 340; ///< Java's

struct DecimalPattern {
    std::string prefix, suffix;
    std::string negative_prefix, negative_suffix;
    std::size_t least_whole = 0; ///< digits in front of the point
    std::size_t least_places = 0, most_places = 0;
    std::size_t group = 0; ///< digits between commas; 0: there are none
    std::int64_t multiplier = 1;
};

class PatternReader {
public:
    PatternReader(const char* who, std::string_view pattern) : who_(who), pattern_(pattern) {}

    Result<DecimalPattern> read() {
        DecimalPattern result;
        PTC_CHECK(affix(result.prefix, &result.multiplier));
        PTC_CHECK(digits(&result));
        PTC_CHECK(affix(result.suffix, &result.multiplier));
        result.negative_prefix = "-" + result.prefix;
        result.negative_suffix = result.suffix;
        if (at_ == pattern_.size()) return result;
        if (pattern_[at_] != ';') return fail("the digits stand together");
        ++at_;
        std::int64_t ignored = 1;
        std::string prefix, suffix;
        PTC_CHECK(affix(prefix, &ignored));
        while (at_ < pattern_.size() && is_digit_sign(pattern_[at_])) // those of the first half count
            ++at_;
        PTC_CHECK(affix(suffix, &ignored));
        if (at_ != pattern_.size()) return fail("it has more than two halves");
        if (prefix == result.prefix && suffix == result.suffix) return result;
        result.negative_prefix = std::move(prefix);
        result.negative_suffix = std::move(suffix);
        return result;
    }

private:
    static bool is_digit_sign(char c) { return c == '#' || c == '0' || c == ',' || c == '.'; }

    Error fail(const std::string& problem) const {
        return Error(Reason::RuntimeError,
                     quoted(who_) + " cannot use the pattern " + quoted_excerpt(pattern_) + ": " + problem + ".")
            .with_hint(
                "Patterns are like \"#,##0.00\" and \"0.0%\"; other text stands around the digits, or in quotes.");
    }

    /// The text in front of the digits, or behind them.
    Result<void> affix(std::string& out, std::int64_t* multiplier) {
        bool is_quoted = false;
        for (; at_ < pattern_.size(); ++at_) {
            const char c = pattern_[at_];
            if (c == '\'') {
                const bool is_quote_itself = at_ + 1 < pattern_.size() && pattern_[at_ + 1] == '\'';
                if (is_quote_itself)
                    out += pattern_[++at_];
                else
                    is_quoted = !is_quoted;
                continue;
            }
            if (!is_quoted && (is_digit_sign(c) || c == ';')) break;
            if (!is_quoted && pattern_.substr(at_).starts_with("\xC2\xA4")) return fail("currencies are not known");
            const bool is_permille = !is_quoted && pattern_.substr(at_).starts_with("\xE2\x80\xB0");
            if (!is_quoted && (c == '%' || is_permille)) {
                if (*multiplier != 1) return fail("it has two signs of a percentage");
                *multiplier = is_permille ? 1000 : 100;
            }
            out += c;
        }
        return is_quoted ? fail("a quotation has no end") : Result<void>{};
    }

    Result<void> digits(DecimalPattern* result) {
        std::size_t left = 0, zeros = 0, right = 0, point = std::string_view::npos, group = std::string_view::npos;
        constexpr std::size_t kNone = std::string_view::npos;
        for (; at_ < pattern_.size() && is_digit_sign(pattern_[at_]); ++at_) {
            const char c = pattern_[at_];
            if (c == ',') {
                group = 0;
            } else if (c == '.') {
                if (point != kNone) return fail("it has two points");
                point = left + zeros + right;
            } else {
                if (c == '0' && right > 0) return fail("a 0 stands behind a #");
                ++(c == '0' ? zeros : zeros > 0 ? right : left);
                if (group != kNone && point == kNone) ++group;
            }
        }
        if (at_ < pattern_.size() && pattern_[at_] == 'E')
            return fail("exponents are not known, (format \"%.2e\" x) writes one");
        if (zeros == 0 && left > 0 && point != kNone) {
            const std::size_t whole = std::max<std::size_t>(point, 1);
            right = left - whole;
            left = whole - 1;
            zeros = 1;
        }
        const std::size_t total = left + zeros + right;
        if (total == 0) return fail("it has no digits");
        if (point == kNone ? right > 0 : point < left || point > left + zeros) return fail("a # stands behind a 0");
        if (group == 0) return fail("no digit follows the last comma");
        result->least_whole = (point == kNone ? total : point) - left;
        result->most_places = point == kNone ? 0 : std::min(total - point, kMostPlaces);
        result->least_places = point == kNone ? 0 : std::min(left + zeros - point, kMostPlaces);
        result->group = group == kNone ? 0 : group;
        return {};
    }

    const char* who_;
    std::string_view pattern_;
    std::size_t at_ = 0;
};

/// The digits of a number without its sign.
struct Digits {
    std::string whole, fraction;
};

/// Java goes by the shortest digits of a double where they are few enough, and rounds its exact value otherwise.
Digits digits_of(const Value& number, std::size_t most_places) {
    const Decimal decimal = Decimal::of(number);
    const std::int64_t places = static_cast<std::int64_t>(decimal.digits.size()) - decimal.point;
    if (places <= static_cast<std::int64_t>(most_places))
        return {decimal.whole_part(), decimal.fraction(std::max<std::int64_t>(places, 0))};
    char text[700]; // 309 digits, a point and 340 more
    const char* const end = std::to_chars(text, text + sizeof text, std::fabs(number.as_double()),
                                          std::chars_format::fixed, static_cast<int>(most_places))
                                .ptr;
    const std::string_view digits(text, static_cast<std::size_t>(end - text));
    const std::size_t point = std::min(digits.find('.'), digits.size());
    return {std::string(digits.substr(0, point)), std::string(digits.substr(std::min(point + 1, digits.size())))};
}

std::string grouped(const std::string& digits, std::size_t group) {
    if (group == 0) return digits;
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % group == 0) out += ',';
        out += digits[i];
    }
    return out;
}

} // namespace

Result<void> check_decimal_pattern(const char* who, std::string_view pattern) {
    PTC_CHECK(PatternReader(who, pattern).read());
    return {};
}

Result<Value> format_decimal(Call& call, std::string_view pattern, const Value& number) {
    PTC_CHECK(charge(call, 8 * pattern.size() + static_cast<std::size_t>(number_text_cost(number))));
    const DecimalPattern p = PTC_TRY(PatternReader(call.who(), pattern).read());
    if (number.is_double() && std::isnan(number.as_double())) return make_string(call.heap, "NaN");
    Value scaled = number.copy();
    if (p.multiplier != 1) scaled = PTC_TRY(multiply(call.heap, number, Value::small_integer(p.multiplier)));
    const bool is_below = scaled.is_double() ? std::signbit(scaled.as_double()) : is_negative(scaled);
    std::string text = is_below ? p.negative_prefix : p.prefix;
    if (scaled.is_double() && std::isinf(scaled.as_double())) {
        text += "\xE2\x88\x9E";
    } else {
        Digits digits = digits_of(scaled, p.most_places);
        std::string& fraction = digits.fraction;
        while (fraction.size() > p.least_places && fraction.back() == '0')
            fraction.pop_back();
        if (fraction.size() < p.least_places) fraction.append(p.least_places - fraction.size(), '0');
        if (digits.whole == "0") digits.whole.clear();
        if (digits.whole.size() < p.least_whole) digits.whole.insert(0, p.least_whole - digits.whole.size(), '0');
        if (digits.whole.empty() && fraction.empty()) digits.whole = "0";
        text += grouped(digits.whole, p.group);
        if (!fraction.empty()) text += "." + fraction;
    }
    return make_string(call.heap, text + (is_below ? p.negative_suffix : p.suffix));
}

} // namespace ptc
