// Java's texts as numbers, and the other way round: bytes, code points, Base64, the encoding of URLs, hash codes. Bytes
// are a vector of integers from -128 to 127, as Java counts them; an encoder or decoder is the text that names it.
#include "frontend/try.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/unicode.h"
#include "runtime/vector.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace ptc {
namespace {

// ---- Bytes

/// Argument `position`, when it is there, names UTF-8 or what is a part of it.
Result<void> check_charset(const Call& call, Args args, std::size_t position) {
    if (args.size() < position) return {};
    const std::string_view name = args[position - 1].is_string() ? text_of(args[position - 1]) : std::string_view();
    for (const std::string_view known : {"UTF-8", "utf-8", "UTF8", "utf8", "US-ASCII", "ASCII"}) {
        if (name == known) return {};
    }
    return argument_error(call, args, position, "the charset \"UTF-8\"");
}

Result<Value> bytes_as_vector(Call& call, std::string_view bytes) {
    PTC_CHECK(charge(call, bytes.size()));
    VectorBuilder out(call.heap);
    if (!out.reserve(bytes.size())) return call.heap.out_of_memory();
    for (const char c : bytes) {
        if (!out.push(Value::small_integer(static_cast<signed char>(c)))) return call.heap.out_of_memory();
    }
    return out.finish();
}

/// Argument `position`, a vector of bytes; what is read as unsigned counts too. They are kept in `bytes`, whose memory
/// the heap is charged with.
Result<void> read_bytes(Call& call, Args args, std::size_t position, StringBuilder& bytes) {
    const auto refused = [&] {
        return argument_error(call, args, position, "bytes, a vector of integers")
            .with_hint("(.getBytes s) gives the bytes of a text.");
    };
    if (!args[position - 1].is_vector()) return refused();
    VectorReader items(args[position - 1]);
    PTC_CHECK(charge(call, items.size()));
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Value item = items.at(i);
        if (!item.is_small_integer() || item.small_integer() < -128 || item.small_integer() > 255) return refused();
        if (!bytes.append(static_cast<char>(item.small_integer()))) return bytes.error();
    }
    return {};
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; ///< U+FFFD

/// The length of the UTF-8 sequence at `at`, with `*is_valid` cleared for the longest start of one that is none.
std::size_t sequence_at(std::string_view bytes, std::size_t at, bool* is_valid) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned first = byte(at);
    *is_valid = true;
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
    *is_valid = first >= 0xC2 && first <= 0xF4;
    if (!*is_valid) return 1;
    for (std::size_t i = 1; i < size; ++i) {
        *is_valid = at + i < bytes.size() && byte(at + i) >= 0x80 && byte(at + i) < 0xC0;
        if (*is_valid && i == 1) { // no overlong forms, surrogates or code points above U+10FFFF
            const unsigned second = byte(at + 1);
            *is_valid = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second >= 0xA0) &&
                        !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second >= 0x90);
        }
        if (!*is_valid) return i;
    }
    return size;
}

/// As Java decodes UTF-8: what is none becomes U+FFFD.
Result<Value> text_of_bytes(Call& call, std::string_view bytes) {
    PTC_CHECK(charge_bytes_of_work(call.heap, bytes.size()));
    StringBuilder out(call.heap);
    for (std::size_t at = 0; at < bytes.size();) {
        bool is_valid = true;
        const std::size_t size = sequence_at(bytes, at, &is_valid);
        if (!out.append(is_valid ? bytes.substr(at, size) : kReplacement)) return out.error();
        at += size;
    }
    return out.finish();
}

Result<Value> call_get_bytes(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(check_charset(call, args, 2));
    return bytes_as_vector(call, text);
}

/// A text, its characters in one, or the text of bytes.
Result<Value> call_new_string(Call& call, Args args) {
    if (args.empty()) return make_string(call.heap, "");
    PTC_CHECK(check_charset(call, args, 2));
    if (args[0].is_string()) return std::move(args[0]);
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a text, or a vector of bytes or characters");
    VectorReader items(args[0]);
    StringBuilder out(call.heap);
    if (items.size() > 0 && items.at(0).is_string()) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Value item = items.at(i);
            PTC_CHECK(charge(call, 1));
            if (!item.is_string()) return argument_error(call, args, 1, "a vector of characters");
            PTC_CHECK(charge_bytes_of_work(call.heap, text_of(item).size()));
            if (!out.append(text_of(item))) return out.error();
        }
        return out.finish();
    }
    PTC_CHECK(read_bytes(call, args, 1, out));
    return text_of_bytes(call, out.view());
}

// ---- Code points

Result<Value> call_code_points(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge(call, text.size()));
    VectorBuilder out(call.heap);
    for (std::size_t at = 0; at < text.size();) {
        if (!out.push(Value::small_integer(next_code_point(text, &at)))) return call.heap.out_of_memory();
    }
    return out.finish();
}

Result<Value> call_code_point_at(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    const std::int64_t index = PTC_TRY(index_argument(call, args, 2));
    const std::size_t length = grapheme_count(call.heap, args[0]);
    if (index < 0 || static_cast<std::uint64_t>(index) >= length) return index_out_of_range(call.who(), index, length);
    std::size_t at = grapheme_offset(call.heap, args[0], static_cast<std::size_t>(index));
    return Value::small_integer(next_code_point(text, &at));
}

// ---- Hash codes

/// Of a text's UTF-16 units.
std::uint32_t hash_of_text(std::string_view text) {
    std::uint32_t hash = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_code_point(text, &at);
        if (c > 0xFFFF) {
            hash = hash * 31 + static_cast<std::uint32_t>(0xD800 + ((c - 0x10000) >> 10));
            hash = hash * 31 + static_cast<std::uint32_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
        } else {
            hash = hash * 31 + static_cast<std::uint32_t>(c);
        }
    }
    return hash;
}

std::uint32_t folded(std::uint64_t bits) { return static_cast<std::uint32_t>(bits ^ bits >> 32); }

/// Of the 32-bit words of its magnitude, the highest first.
std::uint32_t hash_of_big(const BigIntegerObject& big) {
    std::uint32_t hash = 0;
    for (std::size_t i = std::size_t{2} * big.limb_count; i-- > 0;) {
        const auto word = static_cast<std::uint32_t>(big.limbs()[i / 2] >> (i % 2 * 32));
        hash = hash * 31 + word; // a highest word that is zero changes nothing
    }
    return big.negative != 0 ? ~hash + 1 : hash;
}

Result<std::uint32_t> hash_code(Call& call, Args args) {
    const Value& value = args[0];
    std::int64_t number = 0;
    if (value.is_boolean()) return value.is_true() ? 1231u : 1237u;
    if (value.is_double()) return folded(std::bit_cast<std::uint64_t>(value.as_double()));
    if (value.is_integer()) {
        if (fits_int64(value, &number)) return folded(static_cast<std::uint64_t>(number));
        PTC_CHECK(charge(call, integer_bytes(value)));
        return hash_of_big(*static_cast<const BigIntegerObject*>(value.object()));
    }
    if (!value.is_string())
        return argument_error(call, args, 1, "a text, a number or a boolean")
            .with_hint("Values are compared by content: (= a b), and any value can be a key of a map.");
    PTC_CHECK(charge(call, text_of(value).size()));
    return hash_of_text(text_of(value));
}

Result<Value> call_hash_code(Call& call, Args args) {
    return Value::small_integer(static_cast<std::int32_t>(PTC_TRY(hash_code(call, args))));
}

// ---- URLs

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_plain_in_url(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '*' || c == '_';
}

Result<Value> call_url_encode(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(check_charset(call, args, 2));
    PTC_CHECK(charge(call, text.size()));
    StringBuilder out(call.heap);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const char escaped[] = {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
        const bool is_written = is_plain_in_url(c) ? out.append(c)
                                : c == ' '         ? out.append('+')
                                                   : out.append({escaped, sizeof escaped});
        if (!is_written) return call.heap.out_of_memory();
    }
    return out.finish();
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

Result<Value> call_url_decode(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(check_charset(call, args, 2));
    PTC_CHECK(charge(call, text.size()));
    StringBuilder bytes(call.heap);
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%') {
            const int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return unreadable_text(call.who(), "a text in which two hexadecimal digits follow each %", text);
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        if (!bytes.append(c)) return bytes.error();
    }
    return text_of_bytes(call, bytes.view());
}

// ---- Base64

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr char kEncoder[] = "Base64.Encoder", kUrlEncoder[] = "Base64.UrlEncoder", kDecoder[] = "Base64.Decoder",
               kUrlDecoder[] = "Base64.UrlDecoder";
constexpr std::string_view kUnpadded = " without padding";

template <const char* Name> Result<Value> call_coder(Call& call, Args) { return make_string(call.heap, Name); }

struct Encoder {
    std::string_view digits;
    bool pads = true;
};

Result<Encoder> encoder_argument(const Call& call, Args args) {
    std::string_view name = args[0].is_string() ? text_of(args[0]) : std::string_view();
    const bool is_unpadded = name.ends_with(kUnpadded);
    if (is_unpadded) name.remove_suffix(kUnpadded.size());
    if (name == kEncoder) return Encoder{kBase64Digits, !is_unpadded};
    if (name == kUrlEncoder) return Encoder{kUrlDigits, !is_unpadded};
    return argument_error(call, args, 1, "an encoder")
        .with_hint("(.encodeToString (java.util.Base64/getEncoder) (.getBytes s)) encodes a text.");
}

Result<Value> call_without_padding(Call& call, Args args) {
    PTC_CHECK(encoder_argument(call, args));
    if (text_of(args[0]).ends_with(kUnpadded)) return std::move(args[0]);
    return make_string(call.heap, std::string(text_of(args[0])).append(kUnpadded));
}

Result<void> encode(Call& call, Args args, StringBuilder& out) {
    const Encoder encoder = PTC_TRY(encoder_argument(call, args));
    StringBuilder bytes(call.heap);
    PTC_CHECK(read_bytes(call, args, 2, bytes));
    const std::string_view from = bytes.view();
    for (std::size_t i = 0; i < from.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(from.size() - i, 3);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < count ? static_cast<unsigned char>(from[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) {
            if (k > count && !encoder.pads) continue;
            const char digit = k > count ? '=' : encoder.digits[group >> (18 - 6 * k) & 63];
            if (!out.append(digit)) return out.error();
        }
    }
    return {};
}

Result<Value> call_encode_to_string(Call& call, Args args) {
    StringBuilder out(call.heap);
    PTC_CHECK(encode(call, args, out));
    return out.finish();
}

Result<Value> call_encode(Call& call, Args args) {
    StringBuilder out(call.heap);
    PTC_CHECK(encode(call, args, out));
    return bytes_as_vector(call, out.view());
}

/// Argument 2 of a decoder, a text or bytes, decoded into `out`. Padding may be left out, but not a part of it.
Result<void> decode(Call& call, Args args, StringBuilder& out) {
    const std::string_view name = args[0].is_string() ? text_of(args[0]) : std::string_view();
    if (name != kDecoder && name != kUrlDecoder) {
        return argument_error(call, args, 1, "a decoder")
            .with_hint("(String. (.decode (java.util.Base64/getDecoder) s)) decodes a text.");
    }
    const std::string_view digits = name == kDecoder ? kBase64Digits : kUrlDigits;
    StringBuilder held(call.heap);
    if (!args[1].is_string()) PTC_CHECK(read_bytes(call, args, 2, held));
    const std::string_view whole = args[1].is_string() ? text_of(args[1]) : held.view();
    PTC_CHECK(charge(call, whole.size()));
    const auto malformed = [&] {
        if (!args[1].is_string()) return runtime_failure(call.who(), "the bytes are no Base64.");
        return unreadable_text(call.who(), "a text in Base64", whole);
    };
    std::string_view text = whole;
    std::size_t padding = 0;
    for (; padding < 2 && text.ends_with('='); ++padding)
        text.remove_suffix(1);
    const std::size_t rest = text.size() % 4;
    if (rest == 1 || (padding > 0 && rest + padding != 4)) return malformed();
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t digit = digits.find(text[i]);
        if (digit == std::string_view::npos) return malformed();
        group = group << 6 | static_cast<std::uint32_t>(digit);
        const std::size_t in_group = i % 4;
        if (in_group == 0) continue;
        const auto byte = static_cast<char>(group >> (6 - 2 * in_group) & 0xFF);
        if (!out.append(byte)) return out.error();
        if (in_group == 3) group = 0;
    }
    return {};
}

Result<Value> call_decode(Call& call, Args args) {
    StringBuilder out(call.heap);
    PTC_CHECK(decode(call, args, out));
    return bytes_as_vector(call, out.view());
}

// ---- java.util.regex.Pattern

/// The text between \Q and \E; where it has an \E of its own that stands between two quotations.
Result<Value> call_pattern_quote(Call& call, Args args) {
    const std::string_view text = PTC_TRY(text_argument(call, args, 1));
    PTC_CHECK(charge_bytes_of_work(call.heap, text.size()));
    StringBuilder out(call.heap);
    out.append("\\Q");
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find("\\E", at);
        out.append(text.substr(at, end == std::string_view::npos ? end : end - at));
        if (end == std::string_view::npos) break;
        out.append("\\E\\\\E\\Q");
        at = end + 2;
    }
    if (!out.append("\\E")) return out.error();
    return out.finish();
}

struct PatternFlag {
    std::int64_t bit;
    char letter;
};
/// Of Pattern/CASE_INSENSITIVE and its like.
constexpr PatternFlag kPatternFlags[] = {{2, 'i'}, {4, 'x'}, {8, 'm'}, {32, 's'}, {64, 'u'}};

Result<Value> call_pattern_compile(Call& call, Args args) {
    if (args.size() == 1 && args[0].is(ObjectType::Regex)) return std::move(args[0]);
    const std::string_view written = PTC_TRY(text_argument(call, args, 1));
    if (written.size() > kMaxPatternBytes) return make_regex(call.heap, written); // which says that it is too long
    std::string pattern(written);
    std::int64_t flags = args.size() == 2 ? PTC_TRY(bits_argument(call, args, 2)) : 0;
    std::string letters;
    for (const PatternFlag& flag : kPatternFlags) {
        if ((flags & flag.bit) != 0) letters += flag.letter;
        flags &= ~flag.bit;
    }
    if (flags != 0)
        return argument_error(call, args, 2, "a flag like Pattern/CASE_INSENSITIVE, or several joined by bit-or");
    if (!letters.empty()) pattern.insert(0, "(?" + letters + ")");
    return make_regex(call.heap, pattern);
}

Result<Value> call_pattern_matches(Call& call, Args args) {
    const Value regex = PTC_TRY(make_regex(call.heap, PTC_TRY(text_argument(call, args, 1))));
    RegexSearch search(call.heap, regex, PTC_TRY(text_argument(call, args, 2)));
    return Value::boolean(PTC_TRY(search.full_match()));
}

// ---- The table

constexpr Builtin row(const char* name, const char* usage, const char* doc, Example example, Work work, Kinds gives,
                      NativeFunction call, const char* differs = nullptr) {
    Builtin result{.name = name, .usage = usage, .doc = doc, .example = example, .category = Category::Interop};
    result.work = work;
    result.gives = {gives};
    result.model = BoundModel::Unknown;
    result.call = call;
    result.differs = differs;
    return result;
}

constexpr Builtin with_pattern(Builtin result) {
    result.cost = 50;
    return result;
}

constexpr Builtin kRows[] = {
    row("String.", "(String.) (String. x) (String. x charset)",
        "A text; also that of bytes in UTF-8, or of the characters of a vector.",
        {"(String. (.getBytes \"abc\"))", "\"abc\""}, Work::Items, kinds::kText, call_new_string),
    row(".getBytes", "(.getBytes s) (.getBytes s charset)", "The bytes of a text in UTF-8, integers from -128 to 127.",
        {"(.getBytes \"aé\")", "[97 -61 -87]"}, Work::Text, kinds::kVector, call_get_bytes, "The bytes are a vector."),
    row(".chars", "(.chars s)", "The code points of a text.", {"(.chars \"ab\")", "[97 98]"}, Work::Text,
        kinds::kVector, call_code_points, "A vector of code points, not a stream of UTF-16 units."),
    row(".codePoints", "(.codePoints s)", "The code points of a text.", {"(.codePoints \"aé\")", "[97 233]"},
        Work::Text, kinds::kVector, call_code_points, "A vector, not a stream."),
    row(".codePointAt", "(.codePointAt s index)", "The code point at which a character of a text begins.",
        {"(.codePointAt \"abc\" 1)", "98"}, Work::Text, kinds::kNumber, call_code_point_at,
        "Counts graphemes, not UTF-16 units."),
    row(".hashCode", "(.hashCode x)", "Java's hash code of a text, a number or a boolean.",
        {"(.hashCode \"abc\")", "96354"}, Work::Text, kinds::kNumber, call_hash_code,
        "Other values have none: they are compared by content."),
    row("URLEncoder/encode", "(URLEncoder/encode s) (URLEncoder/encode s charset)",
        "A text as a form sends it: blanks as +, what is no letter or digit as the hexadecimal digits of its bytes.",
        {"(URLEncoder/encode \"a b&c\" \"UTF-8\")", "\"a+b%26c\""}, Work::Text, kinds::kText, call_url_encode),
    row("URLDecoder/decode", "(URLDecoder/decode s) (URLDecoder/decode s charset)",
        "The text that URLEncoder/encode made this one of.", {"(URLDecoder/decode \"a+b%26c\" \"UTF-8\")", "\"a b&c\""},
        Work::Text, kinds::kText, call_url_decode),
    row("Base64/getEncoder", "(Base64/getEncoder)", "An encoder for .encodeToString, as its name.",
        {"(.encodeToString (Base64/getEncoder) (.getBytes \"abc\"))", "\"YWJj\""}, Work::Constant, kinds::kText,
        call_coder<kEncoder>),
    row("Base64/getUrlEncoder", "(Base64/getUrlEncoder)",
        "An encoder for .encodeToString, with - and _ in place of + and /.",
        {"(.encodeToString (Base64/getUrlEncoder) [-1 -2])", "\"__4=\""}, Work::Constant, kinds::kText,
        call_coder<kUrlEncoder>),
    row("Base64/getDecoder", "(Base64/getDecoder)", "A decoder for .decode, as its name.",
        {"(String. (.decode (Base64/getDecoder) \"YWJj\"))", "\"abc\""}, Work::Constant, kinds::kText,
        call_coder<kDecoder>),
    row("Base64/getUrlDecoder", "(Base64/getUrlDecoder)", "A decoder for .decode, with - and _ in place of + and /.",
        {"(.decode (Base64/getUrlDecoder) \"__4=\")", "[-1 -2]"}, Work::Constant, kinds::kText,
        call_coder<kUrlDecoder>),
    row(".withoutPadding", "(.withoutPadding x)", "An encoder that writes no = at the end.",
        {"(.encodeToString (.withoutPadding (Base64/getEncoder)) [1])", "\"AQ\""}, Work::Constant, kinds::kText,
        call_without_padding),
    row(".encodeToString", "(.encodeToString x bytes)", "Bytes in Base64, as an encoder writes them.",
        {"(.encodeToString (Base64/getEncoder) (.getBytes \"hello\"))", "\"aGVsbG8=\""}, Work::Items, kinds::kText,
        call_encode_to_string),
    row(".encode", "(.encode x bytes)", "The bytes of what .encodeToString gives.",
        {"(String. (.encode (Base64/getEncoder) (.getBytes \"abc\")))", "\"YWJj\""}, Work::Items, kinds::kVector,
        call_encode),
    row(".decode", "(.decode x s)", "The bytes that a text in Base64 says, as a decoder reads it.",
        {"(.decode (Base64/getDecoder) \"YWI=\")", "[97 98]"}, Work::Text, kinds::kVector, call_decode),
    row("Pattern/quote", "(Pattern/quote s)", "The pattern that matches a text and nothing else.",
        {"(clojure.string/replace \"a.b\" (re-pattern (Pattern/quote \".\")) \"-\")", "\"a-b\""}, Work::Text,
        kinds::kText, call_pattern_quote),
    with_pattern(row("Pattern/compile", "(Pattern/compile s) (Pattern/compile s n)",
                     "The regex of a pattern; with flags like Pattern/CASE_INSENSITIVE.",
                     {"(re-find (Pattern/compile \"B+\" Pattern/CASE_INSENSITIVE) \"abbc\")", "\"bb\""}, Work::Pattern,
                     kinds::kRegex, call_pattern_compile)),
    with_pattern(row("Pattern/matches", "(Pattern/matches s text)", "Whether all of a text matches a pattern.",
                     {"(Pattern/matches \"\\\\d+\" \"12\")", "true"}, Work::Pattern, kinds::kBoolean,
                     call_pattern_matches)),
};

} // namespace

std::span<const Builtin> java_text_builtins() { return kRows; }

} // namespace ptc
