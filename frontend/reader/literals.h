// Conversion of single tokens: numbers, escapes, characters. No state, no messages.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

inline constexpr std::size_t kMaxIntegerDigits = 100; // spec 3.3

/// `[+-]?digits` as an int64; false when it does not fit.
bool read_integer(std::string_view token, std::int64_t& out);

/// A float token, correctly rounded. Below the smallest double it is zero; false when it is above the largest.
bool read_real(std::string_view token, double& out);

/// ##Inf, ##-Inf, ##NaN; false for any other name.
bool read_special_number(std::string_view token, double& out);

/// A number in a spelling that is not the usual one.
struct OtherNumber {
    enum Status : std::uint8_t {
        None,   ///< it is no number
        Ok,     ///< `integer` or `number`
        Digits, ///< an integer with these decimal digits: 12N
    } status = None;
    bool is_integer = false;
    bool is_ratio = false;
    std::int64_t integer = 0;
    double number = 0;
    std::string_view digits;
};
/// 0xFF, 2r101 to 36rZZ, 12N, 1.5M, and 1/3, which is a float unless it is whole.
OtherNumber read_other_number(std::string_view token);

/// `.5` and `-.5`, which the language's symbol syntax would take for names.
bool looks_like_a_bare_fraction(std::string_view token);

/// One backslash sequence of a string. `size` counts the backslash and is right for invalid ones too.
struct Escape {
    char32_t code_point = 0xFFFD;
    std::uint32_t size = 1;
    bool valid = false;
};
/// `rest` starts with a backslash. \t \b \n \r \f \\ \" \uXXXX (also a surrogate pair) and up to three octal digits.
Escape read_escape(std::string_view rest);

/// A character literal, backslash included: one grapheme, a name such as \newline, \uXXXX or \oNNN.
struct CharacterLiteral {
    enum Status : std::uint8_t { Ok, BadCode, TooLong } status = Ok;
    std::string text; ///< the character's UTF-8
};
CharacterLiteral read_character(std::string_view token);

} // namespace ptc
