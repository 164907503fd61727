// utf8proc has the tables of Unicode; what it lacks is here: letters whose upper case is several (ß to SS), the sigma
// at the end of a word, and white space as Java defines it. ASCII is mapped byte by byte and sees no table. A text that
// does not change is given back as it is.
#include "runtime/unicode.h"
#include "frontend/try.h"
#include "runtime/string.h"
#include <algorithm>
#include <array>
#include <utf8proc.h>

namespace ptc {
namespace {

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Code points whose upper case is several code points (Unicode's SpecialCasing, unconditional part). utf8proc maps one
/// to one only. The 48 Greek letters U+1F80 to U+1FAF follow a rule instead, see upper_greek_iota.
struct UpperExpansion {
    char16_t from;
    std::array<char16_t, 3> to;
};
constexpr UpperExpansion kUpperExpansions[] = {
    {0x00DF, {0x0053, 0x0053, 0}},      {0x0149, {0x02BC, 0x004E, 0}},      {0x01F0, {0x004A, 0x030C, 0}},
    {0x0390, {0x0399, 0x0308, 0x0301}}, {0x03B0, {0x03A5, 0x0308, 0x0301}}, {0x0587, {0x0535, 0x0552, 0}},
    {0x1E96, {0x0048, 0x0331, 0}},      {0x1E97, {0x0054, 0x0308, 0}},      {0x1E98, {0x0057, 0x030A, 0}},
    {0x1E99, {0x0059, 0x030A, 0}},      {0x1E9A, {0x0041, 0x02BE, 0}},      {0x1F50, {0x03A5, 0x0313, 0}},
    {0x1F52, {0x03A5, 0x0313, 0x0300}}, {0x1F54, {0x03A5, 0x0313, 0x0301}}, {0x1F56, {0x03A5, 0x0313, 0x0342}},
    {0x1FB2, {0x1FBA, 0x0399, 0}},      {0x1FB3, {0x0391, 0x0399, 0}},      {0x1FB4, {0x0386, 0x0399, 0}},
    {0x1FB6, {0x0391, 0x0342, 0}},      {0x1FB7, {0x0391, 0x0342, 0x0399}}, {0x1FBC, {0x0391, 0x0399, 0}},
    {0x1FC2, {0x1FCA, 0x0399, 0}},      {0x1FC3, {0x0397, 0x0399, 0}},      {0x1FC4, {0x0389, 0x0399, 0}},
    {0x1FC6, {0x0397, 0x0342, 0}},      {0x1FC7, {0x0397, 0x0342, 0x0399}}, {0x1FCC, {0x0397, 0x0399, 0}},
    {0x1FD2, {0x0399, 0x0308, 0x0300}}, {0x1FD3, {0x0399, 0x0308, 0x0301}}, {0x1FD6, {0x0399, 0x0342, 0}},
    {0x1FD7, {0x0399, 0x0308, 0x0342}}, {0x1FE2, {0x03A5, 0x0308, 0x0300}}, {0x1FE3, {0x03A5, 0x0308, 0x0301}},
    {0x1FE4, {0x03A1, 0x0313, 0}},      {0x1FE6, {0x03A5, 0x0342, 0}},      {0x1FE7, {0x03A5, 0x0308, 0x0342}},
    {0x1FF2, {0x1FFA, 0x0399, 0}},      {0x1FF3, {0x03A9, 0x0399, 0}},      {0x1FF4, {0x038F, 0x0399, 0}},
    {0x1FF6, {0x03A9, 0x0342, 0}},      {0x1FF7, {0x03A9, 0x0342, 0x0399}}, {0x1FFC, {0x03A9, 0x0399, 0}},
    {0xFB00, {0x0046, 0x0046, 0}},      {0xFB01, {0x0046, 0x0049, 0}},      {0xFB02, {0x0046, 0x004C, 0}},
    {0xFB03, {0x0046, 0x0046, 0x0049}}, {0xFB04, {0x0046, 0x0046, 0x004C}}, {0xFB05, {0x0053, 0x0054, 0}},
    {0xFB06, {0x0053, 0x0054, 0}},      {0xFB13, {0x0544, 0x0546, 0}},      {0xFB14, {0x0544, 0x0535, 0}},
    {0xFB15, {0x0544, 0x053B, 0}},      {0xFB16, {0x054E, 0x0546, 0}},      {0xFB17, {0x0544, 0x053D, 0}},
};

using CodePoints = std::array<char32_t, 3>; ///< zeros fill the rest

/// Greek vowels with iota subscript: the capital of the vowel (eight of them, with breathings and accents), then iota.
CodePoints upper_greek_iota(char32_t c) {
    constexpr char32_t kCapitals[] = {0x1F08, 0x1F28, 0x1F68};
    return {kCapitals[(c - 0x1F80) / 16] + (c & 7), 0x0399, 0};
}

CodePoints upper_of(char32_t c) {
    if (c >= 0x1F80 && c <= 0x1FAF) return upper_greek_iota(c);
    if (c >= 0xDF && c <= 0xFB17) {
        auto row = std::lower_bound(std::begin(kUpperExpansions), std::end(kUpperExpansions), c,
                                    [](const UpperExpansion& e, char32_t wanted) { return e.from < wanted; });
        if (row != std::end(kUpperExpansions) && row->from == c) return {row->to[0], row->to[1], row->to[2]};
    }
    return {static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))), 0, 0};
}

utf8proc_category_t category_of(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_cased(char32_t c) {
    utf8proc_category_t category = category_of(c);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT;
}

/// Marks and punctuation that a word may have inside of it.
bool is_case_ignorable(char32_t c) {
    switch (c) {
    case '\'':
    case '.':
    case ':':
    case 0xB7:
    case 0x387:
    case 0x55F:
    case 0x5F4:
    case 0x2018:
    case 0x2019:
    case 0x2024:
    case 0x2027:
    case 0xFE13:
    case 0xFE52:
    case 0xFE55:
    case 0xFF07:
    case 0xFF0E:
    case 0xFF1A: return true;
    default: break;
    }
    switch (category_of(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: return false;
    }
}

/// No letter follows in the same word.
bool word_ends_at(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        char32_t c = next_code_point(text, &at);
        if (!is_case_ignorable(c)) return !is_cased(c);
    }
    return true;
}

bool append_code_point(StringBuilder& out, char32_t c) {
    char bytes[4];
    return out.append(std::string_view(bytes, encode_utf8(c, bytes)));
}

bool append_upper(StringBuilder& out, PieceMeter& pay, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (!pay.reach(at)) return false;
        CodePoints upper = upper_of(next_code_point(text, &at));
        if (!append_code_point(out, upper[0])) return false;
        if (upper[1] != 0 && !append_code_point(out, upper[1])) return false;
        if (upper[2] != 0 && !append_code_point(out, upper[2])) return false;
    }
    return true;
}

/// `in_word`: a letter comes before `text` in the same word.
bool append_lower(StringBuilder& out, PieceMeter& pay, std::string_view text, bool in_word) {
    constexpr char32_t kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130;
    for (std::size_t at = 0; at < text.size();) {
        if (!pay.reach(at)) return false;
        char32_t c = next_code_point(text, &at);
        bool done;
        if (c == kCapitalSigma && in_word && word_ends_at(text, at))
            done = append_code_point(out, kFinalSigma);
        else if (c == kDottedI)
            done = out.append("i\u0307");
        else
            done = append_code_point(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
        if (!done) return false;
        if (!is_case_ignorable(c)) in_word = is_cased(c);
    }
    return true;
}

/// ASCII text mapped byte by byte; itself when nothing changes.
template <char (*Map)(char)> Result<Value> map_ascii(Heap& heap, const Value& string) {
    std::string_view text = text_of(string);
    if (std::all_of(text.begin(), text.end(), [](char c) { return Map(c) == c; })) return string.copy();
    char* bytes = nullptr;
    Value mapped = PTC_TRY(make_string_buffer(heap, text.size(), &bytes));
    if (!heap.meter.in_pieces(text.size(), kBytesBetweenLooks, [&](std::size_t begin, std::size_t end) {
            std::transform(text.begin() + begin, text.begin() + end, bytes + begin, Map);
        }))
        return heap.meter.error();
    finish_string(mapped);
    return mapped;
}

Result<Value> finish_unless_same(Heap& heap, StringBuilder& out, PieceMeter& pay, const Value& original) {
    if (!pay.finish()) return heap.meter.error();
    if (!out.failed() && out.view() == text_of(original)) return original.copy();
    return out.finish();
}

bool is_ascii_string(const Value& v) { return as_string(v).flags & StringObject::kAscii; }

} // namespace

bool is_valid_utf8(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        if (is_ascii(bytes[at])) {
            ++at;
            continue;
        }
        utf8proc_int32_t c;
        auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()) + at,
                                  static_cast<utf8proc_ssize_t>(bytes.size() - at), &c);
        if (n <= 0) return false;
        at += static_cast<std::size_t>(n);
    }
    return true;
}

char32_t next_code_point(std::string_view utf8, std::size_t* at) {
    auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(utf8[i])); };
    std::size_t i = *at;
    char32_t lead = byte(i);
    if (lead < 0x80) {
        *at = i + 1;
        return lead;
    }
    if (lead < 0xE0) {
        *at = i + 2;
        return (lead & 0x1F) << 6 | (byte(i + 1) & 0x3F);
    }
    if (lead < 0xF0) {
        *at = i + 3;
        return (lead & 0x0F) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F);
    }
    *at = i + 4;
    return (lead & 0x07) << 18 | (byte(i + 1) & 0x3F) << 12 | (byte(i + 2) & 0x3F) << 6 | (byte(i + 3) & 0x3F);
}

char32_t previous_code_point(std::string_view utf8, std::size_t* end) {
    std::size_t start = *end - 1;
    while (start > 0 && (static_cast<unsigned char>(utf8[start]) & 0xC0) == 0x80)
        --start;
    *end = start;
    std::size_t at = start;
    return next_code_point(utf8, &at);
}

std::size_t encode_utf8(char32_t code_point, char* out) {
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) return 0;
    return static_cast<std::size_t>(
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), reinterpret_cast<utf8proc_uint8_t*>(out)));
}

bool is_whitespace(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
    if (c == 0xA0 || c == 0x2007 || c == 0x202F) return false; // the non-breaking ones
    utf8proc_category_t category = category_of(c);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool is_letter(char32_t c) {
    utf8proc_category_t category = category_of(c);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) { return category_of(c) == UTF8PROC_CATEGORY_ND; }
bool is_upper_case(char32_t c) { return category_of(c) == UTF8PROC_CATEGORY_LU; }
bool is_lower_case(char32_t c) { return category_of(c) == UTF8PROC_CATEGORY_LL; }

std::string_view trim_start(std::string_view text) {
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size(); start = at)
        if (!is_whitespace(next_code_point(text, &at))) break;
    return text.substr(start);
}

std::string_view trim_end(std::string_view text) {
    std::size_t end = text.size();
    for (std::size_t at = end; at > 0; end = at)
        if (!is_whitespace(previous_code_point(text, &at))) break;
    return text.substr(0, end);
}

Result<std::string_view> trim_start(Heap& heap, std::string_view text) {
    std::size_t start = 0;
    PieceMeter pay(heap, text.size(), text.size() / 8);
    for (std::size_t at = 0; at < text.size(); start = at) {
        if (!is_whitespace(next_code_point(text, &at))) break;
        if (!pay.reach(at)) return heap.meter.error();
    }
    if (!pay.finish_at(start / 8)) return heap.meter.error();
    return text.substr(start);
}

Result<std::string_view> trim_end(Heap& heap, std::string_view text) {
    std::size_t end = text.size();
    PieceMeter pay(heap, text.size(), text.size() / 8);
    for (std::size_t at = end; at > 0; end = at) {
        if (!is_whitespace(previous_code_point(text, &at))) break;
        if (!pay.reach(text.size() - at)) return heap.meter.error();
    }
    if (!pay.finish_at((text.size() - end) / 8)) return heap.meter.error();
    return text.substr(0, end);
}

bool is_blank(std::string_view text) { return trim_start(text).empty(); }

Result<Value> to_upper(Heap& heap, const Value& string) {
    const std::string_view text = text_of(string);
    if (is_ascii_string(string)) {
        if (!heap.meter.charge(static_cast<std::int64_t>(text.size() / 8))) return heap.meter.error();
        return map_ascii<ascii_upper>(heap, string);
    }
    PieceMeter pay(heap, text.size(), text.size());
    StringBuilder out(heap);
    append_upper(out, pay, text);
    return finish_unless_same(heap, out, pay, string);
}

Result<Value> to_lower(Heap& heap, const Value& string) {
    const std::string_view text = text_of(string);
    if (is_ascii_string(string)) {
        if (!heap.meter.charge(static_cast<std::int64_t>(text.size() / 8))) return heap.meter.error();
        return map_ascii<ascii_lower>(heap, string);
    }
    PieceMeter pay(heap, text.size(), text.size());
    StringBuilder out(heap);
    append_lower(out, pay, text, false);
    return finish_unless_same(heap, out, pay, string);
}

Result<Value> to_capitalized(Heap& heap, const Value& string) {
    std::string_view text = text_of(string);
    if (text.empty()) return string.copy();
    std::size_t head = next_grapheme(heap, text, 0);
    PieceMeter pay(heap, text.size(), text.size());
    StringBuilder out(heap);
    // The tail is mapped on its own, as in Clojure: a sigma behind the first letter starts a word.
    if (append_upper(out, pay, text.substr(0, head))) append_lower(out, pay, text.substr(head), false);
    return finish_unless_same(heap, out, pay, string);
}

} // namespace ptc
