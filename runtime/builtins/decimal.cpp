#include "runtime/builtins/decimal.h"
#include "runtime/number.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace ptc {

Decimal Decimal::of(const Value& number) {
    Decimal result;
    if (!number.is_double()) {
        result.digits = number_to_text(number);
        result.negative = result.digits.starts_with('-');
        if (result.negative) result.digits.erase(0, 1);
        result.point = static_cast<std::int64_t>(result.digits.size());
        if (result.digits == "0") result = Decimal{};
        return result;
    }
    double d = number.as_double();
    result.negative = std::signbit(d);
    if (d == 0) return result;
    char text[64]; // d.ddde[+-]xx, at most 17 digits
    auto end = std::to_chars(text, text + sizeof text, std::fabs(d), std::chars_format::scientific).ptr;
    const char* mark = std::find(text, end, 'e');
    for (const char* c = text; c != mark; ++c) {
        if (*c != '.') result.digits += *c;
    }
    while (result.digits.ends_with('0'))
        result.digits.pop_back();
    const char* exponent = mark + 1;
    if (*exponent == '+') ++exponent;
    int power = 0;
    std::from_chars(exponent, end, power);
    result.point = power + 1;
    return result;
}

void Decimal::round_to_digits(std::int64_t count) {
    if (count >= static_cast<std::int64_t>(digits.size())) return;
    if (count < 0) {
        digits.clear();
        return;
    }
    auto kept = static_cast<std::size_t>(count);
    bool up = digits[kept] >= '5';
    digits.resize(kept);
    if (up) {
        while (digits.ends_with('9'))
            digits.pop_back();
        if (digits.empty()) {
            digits = "1";
            ++point;
        } else {
            ++digits.back();
        }
    }
    while (digits.ends_with('0'))
        digits.pop_back();
}

std::string Decimal::whole_part() const {
    if (is_zero() || point <= 0) return "0";
    auto size = static_cast<std::size_t>(point);
    if (size <= digits.size()) return digits.substr(0, size);
    return digits + std::string(size - digits.size(), '0');
}

std::string Decimal::fraction(std::int64_t places) const {
    std::string text(static_cast<std::size_t>(places), '0');
    for (std::int64_t i = 0; i < places && !is_zero(); ++i) {
        std::int64_t digit = point + i;
        if (digit >= static_cast<std::int64_t>(digits.size())) break;
        if (digit >= 0) text[static_cast<std::size_t>(i)] = digits[static_cast<std::size_t>(digit)];
    }
    return text;
}

} // namespace ptc
