#include "subagent/mcp/key_shapes.h"
#include "runtime/signature/field_names.h"
#include "subagent/mcp/field_words.h"
#include <algorithm>
#include <cctype>

namespace ptc::mcp {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80; }
/// As ids and dates have it, and no `address_2`.
bool has_long_number(std::string_view key) {
    return std::ranges::adjacent_find(key, [](char a, char b) { return is_digit(a) && is_digit(b); }) != key.end();
}

/// What stands before the names of members that formats have themselves.
std::string_view without_mark(std::string_view key) {
    if (key.starts_with('@') || key.starts_with('$')) key.remove_prefix(1);
    while (key.starts_with('_'))
        key.remove_prefix(1);
    return key;
}

/// Whether one of the words of `userId`, `user_id` or `User ID` is one of fields. Capitals begin words, but for those
/// behind capitals.
bool has_field_word(std::string_view key) {
    std::string word;
    for (std::size_t i = 0; i <= key.size(); ++i) {
        const bool begins = i < key.size() && is_upper(key[i]) && i > 0 && !is_upper(key[i - 1]);
        if (i == key.size() || begins || !is_letter(key[i])) {
            if (is_field_word(word)) return true;
            word.clear();
        }
        if (i < key.size() && is_letter(key[i]))
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(key[i])));
    }
    return false;
}

} // namespace

KeyShape shape_of_key(std::string_view key) {
    key = without_mark(key);
    const auto is_usual = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == ' '; };
    if (key.empty() || is_digit(key.front()) || !std::ranges::all_of(key, is_usual)) return KeyShape::Odd;
    if (!has_long_number(key) && has_field_word(key)) return KeyShape::Field;
    return is_upper(key.front()) || std::ranges::any_of(key, is_digit) ? KeyShape::Proper : KeyShape::Plain;
}

bool is_like_a_name(const std::string& name) {
    std::string plain = name.substr(name.starts_with('@') || name.starts_with('$') ? 1 : 0);
    std::ranges::replace(plain, ' ', '_');
    return can_be_written(plain);
}

} // namespace ptc::mcp
