// Tables and small rules, one for each way to misspell a token. A look-alike becomes what it looks like, a letter loses
// its accent, anything else is spelled by its code point, always in the same way, so that one name stays one name
// wherever it is used.
#include "frontend/reader/repairs.h"

#include "frontend/utf8.h"
#include "frontend/work.h"
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace ptc {
namespace {

bool is_key_like(const Form& form) { return form.is(FormKind::Keyword) || form.is(FormKind::String); }

bool is_keyword_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("+-*<>=?!_$").find(c) != std::string_view::npos;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return out;
}

struct LookAlike {
    char32_t code_point;
    std::string_view ascii;
};
constexpr LookAlike kLookAlikes[] = {
    {0x00A0, " "},   {0x00AB, "\""},  {0x00BB, "\""},  {0x00D7, "*"},    {0x00F7, "/"},  {0x03BB, "fn"},
    {0x2002, " "},   {0x2003, " "},   {0x2009, " "},   {0x200A, " "},    {0x200B, ""},   {0x200C, ""},
    {0x200D, ""},    {0x2010, "-"},   {0x2011, "-"},   {0x2012, "-"},    {0x2013, "-"},  {0x2014, "-"},
    {0x2018, "'"},   {0x2019, "'"},   {0x201C, "\""},  {0x201D, "\""},   {0x201E, "\""}, {0x2026, "..."},
    {0x2028, " "},   {0x2029, " "},   {0x202F, " "},   {0x2032, "'"},    {0x2192, "->"}, {0x21D2, "->"},
    {0x2208, "in"},  {0x2211, "sum"}, {0x2212, "-"},   {0x2215, "/"},    {0x2217, "*"},  {0x221E, "##Inf"},
    {0x2227, "and"}, {0x2228, "or"},  {0x00AC, "not"}, {0x2260, "not="}, {0x2264, "<="}, {0x2265, ">="},
    {0x2261, "="},   {0x22C5, "*"},   {0x3000, " "},   {0xFEFF, ""},     {0xFF08, "("},  {0xFF09, ")"},
    {0xFF0C, ","},   {0xFF1A, ":"},   {0xFF1B, ";"},   {0x3001, ","},    {0xFF3B, "["},  {0xFF3D, "]"},
    {0xFF5B, "{"},   {0xFF5D, "}"},
};

const LookAlike* look_alike(char32_t c) {
    const auto* const found = std::find_if(std::begin(kLookAlikes), std::end(kLookAlikes),
                                           [&](const LookAlike& l) { return l.code_point == c; });
    return found == std::end(kLookAlikes) ? nullptr : found;
}

/// é as e, ﬁ as fi: what Unicode's compatibility decomposition leaves in ASCII; "" when that is nothing.
std::string without_accents(char32_t c) {
    std::array<utf8proc_int32_t, 32> parts{};
    int boundary = 0;
    const auto count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c), parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_STRIPMARK), &boundary);
    std::string ascii;
    for (utf8proc_ssize_t i = 0; i < count && i < static_cast<utf8proc_ssize_t>(parts.size()); ++i) {
        const auto part = parts[static_cast<std::size_t>(i)];
        if (part > 0 && part < 0x80 && std::isalnum(part) != 0) ascii += static_cast<char>(part);
    }
    return ascii;
}

std::string by_code(char32_t c) {
    std::array<char, 8> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<std::uint32_t>(c), 16).ptr;
    return std::string("u").append(digits.data(), end);
}

} // namespace

bool is_number(std::string_view text) {
    const auto digits = [&] {
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        text.remove_prefix(end);
        return end > 0;
    };
    const auto skip = [&](std::string_view chars) {
        const bool found = !text.empty() && chars.find(text.front()) != chars.npos;
        if (found) text.remove_prefix(1);
        return found;
    };
    skip("+-");
    if (!digits()) return false;
    if (skip(".") && !digits()) return false;
    if (skip("eE")) {
        skip("+-");
        if (!digits()) return false;
    }
    return text.empty();
}

std::size_t key_without_value(std::span<const Form> items) {
    // Behind the gap keys stand at odd places, so each candidate is judged by prefix and suffix counts in one sweep.
    std::size_t keys = 0;
    for (std::size_t i = 1; i < items.size(); i += 2)
        keys += is_key_like(items[i]) ? 1 : 0;
    std::size_t best = 0;
    std::size_t best_keys = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        keys += is_key_like(items[i]) ? 1 : 0;
        if (keys >= best_keys) {
            best = i;
            best_keys = keys;
        }
        if (i + 1 < items.size()) keys -= is_key_like(items[i + 1]) ? 1 : 0;
    }
    return best;
}

std::string spell_as_keyword(std::string_view token) {
    std::string spelled = ":";
    for (const char c : token.substr(token.find_first_not_of(':')))
        spelled += is_keyword_char(c) ? c : '-';
    while (spelled.size() > 2 && spelled.back() == '-')
        spelled.pop_back();
    return spelled;
}

std::string spell_as_name(std::string_view token) {
    if (token.empty() || std::none_of(token.begin(), token.end(),
                                      [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }))
        return {};
    return replace_non_ascii(std::string("n").append(token)).text;
}

std::string special_number_like(std::string_view token) {
    const std::string name = lower(token.substr(2));
    if (name == "nan") return "##NaN";
    if (name == "inf" || name == "+inf" || name == "infinity" || name == "+infinity") return "##Inf";
    if (name == "-inf" || name == "-infinity") return "##-Inf";
    return {};
}

std::string named_character_or_string(std::string_view body) {
    const std::string name = lower(body);
    if (name == "nl" || name == "lf" || name == "newline" || name == "linefeed") return "\\newline";
    if (name == "cr" || name == "return") return "\\return";
    if (name == "space" || name == "spc" || name == "sp") return "\\space";
    if (name == "tab") return "\\tab";
    std::string text = "\"";
    for (const char c : body) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"";
}

NonAscii replace_non_ascii(std::string_view token) {
    constexpr std::size_t kWorkPerCharacter = 5;
    NonAscii result;
    for (std::size_t at = 0; at < token.size() && work::charge(kWorkPerCharacter);) {
        const utf8::Decoded c = utf8::decode(token, at);
        at += std::max<std::size_t>(c.size, 1);
        if (c.code_point < 0x80) {
            result.text += static_cast<char>(c.code_point);
        } else if (const LookAlike* same = look_alike(c.code_point)) {
            result.text += same->ascii;
            if (result.hint.empty()) {
                std::string character;
                utf8::append(character, c.code_point);
                result.hint =
                    same->ascii == " " || same->ascii.empty()
                        ? "It holds an invisible Unicode character (" + by_code(c.code_point) + "); use plain spaces."
                        : "For `" + character + "` write `" + std::string(same->ascii) + "`.";
            }
        } else {
            const std::string plain = without_accents(c.code_point);
            result.text += plain.empty() ? by_code(c.code_point) : plain;
        }
    }
    return result;
}

const Form* conditional_branch(const Form& list) {
    if (!list.is(FormKind::List)) return nullptr;
    const Form* branch = nullptr;
    for (std::size_t i = 0; i + 1 < list.items().size(); i += 2) {
        const Form& key = list.items()[i];
        if (key.is(FormKind::Keyword) && key.text() == "clj") return &list.items()[i + 1];
        if (branch == nullptr || (key.is(FormKind::Keyword) && key.text() == "default")) branch = &list.items()[i + 1];
    }
    return branch;
}

} // namespace ptc
