// Numbers are converted with std::from_chars, which rounds correctly; of what it reports as out of range, the place of
// the first digit says whether it is too small (then it is zero) or too large. Escapes are those of Clojure and Java; a
// wrong one is reported by the caller, so conversion always gives something to go on with.
#include "frontend/reader/literals.h"

#include "frontend/utf8.h"
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ptc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_plus(std::string_view token) { return token.starts_with('+') ? token.substr(1) : token; }

/// The value of up to `max_digits` leading digits in `base`; `count` says how many there were.
struct Digits {
    char32_t value = 0;
    std::uint32_t count = 0;
};
Digits read_digits(std::string_view text, unsigned base, std::size_t max_digits) {
    unsigned value = 0;
    const std::string_view head = text.substr(0, max_digits);
    const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), value, static_cast<int>(base));
    if (error != std::errc{}) return {};
    return {value, static_cast<std::uint32_t>(end - head.data())};
}

Escape escape_of(char32_t code_point, std::uint32_t size) { return {code_point, size, true}; }

Escape read_unicode_escape(std::string_view rest) {
    const Digits high = read_digits(rest.substr(2), 16, 4);
    if (high.count < 4) return {0xFFFD, 2 + high.count, false};
    if (!utf8::is_surrogate(high.value)) return escape_of(high.value, 6);
    // Java and JSON write what lies past U+FFFF as a surrogate pair.
    if (high.value < 0xDC00 && rest.substr(6).starts_with("\\u")) {
        const Digits low = read_digits(rest.substr(8), 16, 4);
        if (low.count == 4 && low.value >= 0xDC00 && low.value <= 0xDFFF) {
            return escape_of(0x10000 + ((high.value - 0xD800) << 10) + (low.value - 0xDC00), 12);
        }
    }
    return {0xFFFD, 6, false};
}

/// True when the number is below one, by the place of its first digit: an underflow, not an overflow.
bool is_small(std::string_view token) {
    const std::size_t e = std::min(token.find_first_of("eE"), token.size());
    const std::string_view mantissa = token.substr(0, e);
    const std::size_t first = mantissa.find_first_of("123456789");
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    std::int64_t exponent = 0;
    if (e < token.size()) {
        const std::string_view text = without_plus(token.substr(e + 1));
        const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
        if (read.ec != std::errc{}) return text.starts_with('-');
    }
    return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) <= 0;
}

struct NamedCharacter {
    std::string_view name;
    char character;
};
// Spec 3.5.
constexpr std::array<NamedCharacter, 6> kNamedCharacters{
    {{"newline", '\n'}, {"space", ' '}, {"tab", '\t'}, {"return", '\r'}, {"backspace", '\b'}, {"formfeed", '\f'}}};

bool is_one_grapheme(std::string_view text) {
    utf8proc_int32_t state = 0;
    utf8::Decoded before = utf8::decode(text, 0);
    for (std::size_t at = before.size; at < text.size();) {
        const utf8::Decoded next = utf8::decode(text, at);
        if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before.code_point),
                                             static_cast<utf8proc_int32_t>(next.code_point), &state)) {
            return false;
        }
        at += next.size;
        before = next;
    }
    return true;
}

CharacterLiteral character_of(char32_t code_point) {
    CharacterLiteral literal;
    utf8::append(literal.text, code_point);
    return literal;
}

/// \uXXXX and \oNNN: `body` is all digits after its letter.
CharacterLiteral read_character_code(std::string_view body) {
    const bool is_hex = body.front() == 'u';
    const Digits code = read_digits(body.substr(1), is_hex ? 16 : 8, is_hex ? 4 : 3);
    const bool is_whole = code.count == body.size() - 1 && (!is_hex || code.count == 4);
    if (!is_whole || utf8::is_surrogate(code.value) || (!is_hex && code.value > 0377)) {
        return {CharacterLiteral::BadCode, {}};
    }
    return character_of(code.value);
}

} // namespace

bool read_integer(std::string_view token, std::int64_t& out) {
    const std::string_view text = without_plus(token);
    return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc{};
}

bool read_real(std::string_view token, double& out) {
    const std::string_view text = without_plus(token);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec == std::errc{}) return true;
    const bool is_zero = is_small(token);
    const double size = is_zero ? 0.0 : std::numeric_limits<double>::infinity();
    out = text.starts_with('-') ? -size : size;
    return is_zero;
}

bool read_special_number(std::string_view token, double& out) {
    using Limits = std::numeric_limits<double>;
    if (token == "##Inf") return out = Limits::infinity(), true;
    if (token == "##-Inf") return out = -Limits::infinity(), true;
    if (token == "##NaN") return out = Limits::quiet_NaN(), true;
    out = 0;
    return false;
}

namespace {

OtherNumber whole_number(std::int64_t value) {
    OtherNumber read;
    read.status = OtherNumber::Ok;
    read.is_integer = true;
    read.integer = value;
    return read;
}

OtherNumber real_number(double value) {
    OtherNumber read;
    read.status = OtherNumber::Ok;
    read.number = value;
    return read;
}

bool are_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

/// `digits` in `base`, all of them.
OtherNumber read_in_base(std::string_view digits, int base, bool is_negative) {
    std::int64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    const bool is_whole = !digits.empty() && digits.front() != '-' && read.ptr == digits.data() + digits.size();
    if (!is_whole || read.ec != std::errc{}) return {};
    return whole_number(is_negative ? -value : value);
}

OtherNumber read_ratio(std::string_view above, std::string_view below, bool is_negative) {
    std::int64_t n = 0, d = 0;
    if (!are_digits(above) || !are_digits(below) || !read_integer(above, n) || !read_integer(below, d) || d == 0)
        return {};
    if (is_negative) n = -n;
    OtherNumber read = n % d == 0 ? whole_number(n / d) : real_number(static_cast<double>(n) / static_cast<double>(d));
    read.is_ratio = true;
    return read;
}

} // namespace

OtherNumber read_other_number(std::string_view token) {
    const bool is_negative = token.front() == '-';
    const std::string_view body = token.substr(is_negative || token.front() == '+');
    if (body.starts_with("0x") || body.starts_with("0X")) return read_in_base(body.substr(2), 16, is_negative);
    if (const std::size_t slash = body.find('/'); slash != body.npos)
        return read_ratio(body.substr(0, slash), body.substr(slash + 1), is_negative);
    if (const std::size_t r = body.find_first_of("rR"); r == 1 || r == 2) {
        int base = 0;
        std::from_chars(body.data(), body.data() + r, base);
        if (are_digits(body.substr(0, r)) && base >= 2 && base <= 36)
            return read_in_base(body.substr(r + 1), base, is_negative);
    }
    const std::string_view head = token.substr(0, token.size() - 1);
    const bool is_integer = are_digits(body.substr(0, body.size() - 1));
    if ((token.back() == 'N' || token.back() == 'M') && is_integer) {
        OtherNumber read;
        read.status = OtherNumber::Digits;
        read.digits = head;
        return read;
    }
    double number = 0;
    if (token.back() == 'M' && body.size() > 1) {
        const std::string_view text = without_plus(head);
        const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
        if (read.ec == std::errc{} && read.ptr == text.data() + text.size() && is_digit(text.back()))
            return real_number(number);
    }
    return {};
}

bool looks_like_a_bare_fraction(std::string_view token) {
    const std::size_t point = token.front() == '-' || token.front() == '+' ? 1 : 0;
    return token.size() > point + 1 && token[point] == '.' && is_digit(token[point + 1]);
}

Escape read_escape(std::string_view rest) {
    if (rest.size() < 2) return {};
    switch (rest[1]) {
    case 'n': return escape_of('\n', 2);
    case 't': return escape_of('\t', 2);
    case 'r': return escape_of('\r', 2);
    case 'b': return escape_of('\b', 2);
    case 'f': return escape_of('\f', 2);
    case '\\': return escape_of('\\', 2);
    case '"': return escape_of('"', 2);
    case 'u': return read_unicode_escape(rest);
    }
    if (rest[1] >= '0' && rest[1] <= '7') {
        const Digits octal = read_digits(rest.substr(1), 8, 3);
        return {octal.value, 1 + octal.count, octal.value <= 0377};
    }
    return {0xFFFD, 1 + std::max<std::uint32_t>(1, utf8::decode(rest, 1).size), false};
}

CharacterLiteral read_character(std::string_view token) {
    const std::string_view body = token.substr(1);
    if (body.size() == 1 || is_one_grapheme(body)) return {CharacterLiteral::Ok, std::string(body)};
    for (const NamedCharacter& named : kNamedCharacters) {
        if (body == named.name) return character_of(static_cast<char32_t>(named.character));
    }
    if ((body.front() == 'u' || body.front() == 'o') && is_digit(body[1])) return read_character_code(body);
    if (body.front() == 'u' && body.find_first_not_of("0123456789abcdefABCDEF", 1) == body.npos) {
        return read_character_code(body);
    }
    return {CharacterLiteral::TooLong, {}};
}

} // namespace ptc
