// The words by which a key is known for the name of a field, and the shapes that keys of data have.
#include "subagent/mcp/key_shapes.h"
#include "runtime/signature/field_names.h"
#include "subagent/mcp/field_words.h"
#include <algorithm>
#include <array>
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

/// The most characters in a row of which `is_one` is true.
template <class IsOne> static std::size_t longest_run(std::string_view text, IsOne is_one) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) {
        run = is_one(c) ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

static bool begins_as_a_token(std::string_view key) {
    constexpr auto kBeginnings = std::to_array<std::string_view>(
        {"sk_", "sk-", "pk_", "rk_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "eyJ"});
    constexpr std::size_t kLeastBytes = 12;
    return key.size() >= kLeastBytes &&
           std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return key.starts_with(begin); });
}

bool is_like_a_secret(std::string_view key) {
    constexpr std::size_t kMostDigits = 7, kMostHex = 15, kMostCodeChanges = 4; // dates have eight digits, years four
    const auto is_alphanumeric = [](char c) {
        return is_digit(c) || (is_letter(c) && static_cast<unsigned char>(c) < 0x80);
    };
    const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
    const auto is_separated_hex = [&](char c) { return is_hex(c) || c == '-'; };
    const auto is_separated_number = [](char c) { return is_digit(c) || c == '-' || c == ' '; };
    const std::ptrdiff_t digits = std::ranges::count_if(key, is_digit);
    if (begins_as_a_token(key)) return true;
    const std::size_t at = key.find('@');
    if (at != 0 && at != std::string_view::npos && key.find('.', at) != std::string_view::npos) return true;
    if (digits == 0) return false;
    if (longest_run(key, is_hex) > kMostHex || longest_run(key, is_separated_hex) > 2 * kMostHex) return true;
    if (longest_run(key, is_digit) > kMostDigits || (digits > 8 && longest_run(key, is_separated_number) > 8))
        return true;
    std::size_t changes = 0; // between letters and digits, as codes have many
    for (std::size_t i = 1; i < key.size(); ++i)
        changes += is_alphanumeric(key[i - 1]) && is_alphanumeric(key[i]) && is_digit(key[i - 1]) != is_digit(key[i]);
    const bool is_account =
        key.size() >= 14 && is_upper(key[0]) && is_upper(key[1]) && is_digit(key[2]) && is_digit(key[3]);
    return is_account || (longest_run(key, is_alphanumeric) > kMostHex && changes >= kMostCodeChanges);
}

} // namespace ptc::mcp
