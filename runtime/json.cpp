// Reading: a scanner for well-formed text, which is nearly all text. Whatever it does not expect, malformed text
// included, makes it give up; Boost.JSON's parser then reads the text from the start and decides. The scanner must
// therefore accept only what Boost.JSON accepts, with the same value (tests/runtime/json_test.cpp and
// tests/fuzz/fuzz_json.cpp compare them).
#include "runtime/json.h"
#include "runtime/clock.h"
#include "runtime/json_builder.h"
#include "runtime/unicode.h"
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ptc {
namespace {

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

enum class Verdict : std::uint8_t { Done, Unusual, Failed };

std::size_t reading_units(std::string_view text) { return text.size() / 8; }

class Scanner {
public:
    Scanner(JsonBuilder& builder, std::string_view text, std::size_t max_depth)
        : builder_(builder), start_(text.data()), at_(start_), end_(start_ + text.size()), max_depth_(max_depth),
          pay_(builder.heap(), text.size(), reading_units(text)) {}

    /// The whole text. It is paid for while it is read, and what is left when the reading ends early is paid then.
    Verdict run() {
        Verdict verdict = read();
        return pay_.finish() ? verdict : Verdict::Failed;
    }

private:
    Verdict read() {
        Verdict verdict = values();
        if (verdict != Verdict::Done) return verdict;
        skip_space();
        return at_ == end_ ? Verdict::Done : Verdict::Unusual;
    }

    [[nodiscard]] bool pay() { return pay_.reach(static_cast<std::size_t>(at_ - start_)); }
    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] char peek() const { return at_ < end_ ? *at_ : '\0'; }

    void skip_space() {
        if (at_<end_&& * at_> ' ') [[likely]]
            return;
        while (at_ < end_ && is_space(*at_))
            ++at_;
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    Verdict built(bool ok) { return ok ? Verdict::Done : Verdict::Failed; }

    /// A value and all that is inside of it, without recursion: containers are opened and closed on the builder's
    /// stack.
    Verdict values() {
        while (true) {
            if (at_value_) {
                skip_space();
                if (!pay()) return Verdict::Failed;
                const Verdict verdict = value();
                if (verdict != Verdict::Done) return verdict;
                if (opened_) continue; // to its first value, or what is behind it
            }
            at_value_ = true;
            const Verdict verdict = close();
            if (verdict != Verdict::Done || builder_.depth() == 0) return verdict;
        }
    }
    /// A value, but of a container only what is before its first one, or before the first container in it.
    Verdict value() {
        opened_ = false;
        switch (peek()) {
        case '"': return string();
        case '{': return open(true);
        case '[': return open(false);
        case 't': return literal("true", Value::boolean(true));
        case 'f': return literal("false", Value::boolean(false));
        case 'n': return literal("null", Value());
        case '\0':
            if (at_ == end_) return Verdict::Unusual;
            [[fallthrough]];
        default: return number();
        }
    }

    /// Opens an object or array and moves to its first value, or closes it when it is empty.
    Verdict open(bool object) {
        ++at_;
        if (builder_.depth() >= max_depth_) return Verdict::Unusual;
        if (!(object ? builder_.begin_object() : builder_.begin_array())) return Verdict::Failed;
        skip_space();
        if (accept(object ? '}' : ']')) return built(object ? builder_.end_object() : builder_.end_array());
        const Verdict verdict = object ? fields() : Verdict::Done;
        opened_ = true;
        return verdict;
    }

    /// After a value: moves to the next value, closing what ends.
    Verdict close() {
        while (builder_.depth() > 0) {
            skip_space();
            bool object = builder_.in_object();
            if (accept(',')) {
                if (!object) return Verdict::Done;
                skip_space();
                return fields();
            }
            if (!accept(object ? '}' : ']')) return Verdict::Unusual;
            if (!(object ? builder_.end_object() : builder_.end_array())) return Verdict::Failed;
        }
        return Verdict::Done;
    }

    /// At a key: as many fields as have the predicted keys, and no container for a value. Then it is at a value, or
    /// behind one (`at_value_` says which).
    Verdict fields() {
        const JsonLayout* const layout = builder_.predicted();
        std::uint32_t i = builder_.key_count();
        for (; layout && i < layout->count && is_spelled(layout->spelled[i]); skip_space()) {
            at_ += 1 + layout->spelled[i++].size;
            skip_space();
            if (!pay()) return Verdict::Failed;
            at_value_ = peek() == '{' || peek() == '[';
            if (!at_value_) {
                const Verdict verdict = is_digit(peek()) ? number() : value();
                if (verdict != Verdict::Done) return verdict;
                skip_space();
            }
            if (at_value_ || !accept(',')) {
                builder_.accept_predicted_keys(i);
                return Verdict::Done;
            }
        }
        builder_.accept_predicted_keys(i);
        at_value_ = true;
        return key();
    }
    [[nodiscard]] bool is_spelled(const JsonLayout::Spelling& key) const {
        return key.size > 0 && left() > ShortText::kMostBytes && *at_ == '"' &&
               ShortText::at(at_ + 1, key.size) == key.text;
    }

    /// A key and its colon.
    Verdict key() {
        if (!accept('"')) return Verdict::Unusual;
        std::string_view text;
        if (!text_of_string(&text)) return Verdict::Unusual;
        const JsonLayout* const layout = builder_.predicted();
        const std::uint32_t i = builder_.key_count();
        if (layout && i < layout->count && layout->keys[i]->view() == text)
            builder_.accept_predicted_keys(i + 1);
        else if (!builder_.key(text))
            return Verdict::Failed;
        skip_space();
        return accept(':') ? Verdict::Done : Verdict::Unusual;
    }

    Verdict string() {
        const char* start = at_ + 1;
        const char* stop = plain_end(start);
        if (stop < end_ && *stop == '"') [[likely]] {
            at_ = stop + 1;
            const auto size = static_cast<std::size_t>(stop - start);
            const bool is_short =
                size <= ShortText::kMostBytes && static_cast<std::size_t>(end_ - start) >= ShortText::kMostBytes;
            return built(is_short ? builder_.short_ascii_string(start, size) : builder_.ascii_string({start, size}));
        }
        at_ = start;
        std::string_view text;
        if (!text_of_string(&text)) return Verdict::Unusual;
        return built(builder_.string(text));
    }

    /// The first byte from `p` on that is not printable ASCII, or is a quote or a backslash.
    [[nodiscard]] const char* plain_end(const char* p) const {
        const char* end = end_;
#ifdef __SSE2__
        const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
        for (; end - p >= 16; p += 16) {
            __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            // Signed: bytes from 0x80 on are less than a space, too.
            __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                        _mm_cmplt_epi8(bytes, space));
            if (int mask = _mm_movemask_epi8(stop); mask != 0) return p + std::countr_zero(static_cast<unsigned>(mask));
        }
#endif
        while (p < end && *p != '"' && *p != '\\' && static_cast<signed char>(*p) >= ' ')
            ++p;
        return p;
    }

    /// The text up to the closing quote, unescaped and valid UTF-8; behind the opening quote. False for what is
    /// unusual.
    bool text_of_string(std::string_view* text) {
        const char* start = at_;
        bool ascii = true;
        unescaped_.clear();
        while (true) {
            at_ = plain_end(at_);
            if (at_ == end_) return false;
            if (*at_ == '"') break;
            if (*at_ == '\\') {
                unescaped_.append(start, at_);
                if (!escape() || !pay()) return false;
                start = at_;
            } else if (static_cast<signed char>(*at_) < 0) {
                ascii = false;
                while (at_ < end_ && static_cast<signed char>(*at_) < 0)
                    ++at_;
            } else {
                return false; // a control character
            }
        }
        std::string_view rest(start, static_cast<std::size_t>(at_ - start));
        ++at_;
        if (unescaped_.empty()) {
            *text = rest;
        } else {
            unescaped_.append(rest);
            *text = unescaped_;
        }
        return ascii || is_valid_utf8(*text);
    }

    bool escape() {
        if (left() < 2) return false;
        char c = at_[1];
        at_ += 2;
        switch (c) {
        case '"':
        case '\\':
        case '/': unescaped_ += c; return true;
        case 'b': unescaped_ += '\b'; return true;
        case 'f': unescaped_ += '\f'; return true;
        case 'n': unescaped_ += '\n'; return true;
        case 'r': unescaped_ += '\r'; return true;
        case 't': unescaped_ += '\t'; return true;
        case 'u': return unicode_escape();
        default: return false;
        }
    }

    bool unicode_escape() {
        std::uint32_t unit = 0;
        if (!hex4(&unit)) return false;
        char32_t code_point = unit;
        if (unit >= 0xD800 && unit < 0xDC00) { // a pair of surrogates
            std::uint32_t low = 0;
            if (left() < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
            at_ += 2;
            if (!hex4(&low) || low < 0xDC00 || low > 0xDFFF) return false;
            code_point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
        char bytes[4];
        std::size_t size = encode_utf8(code_point, bytes);
        unescaped_.append(bytes, size);
        return size > 0;
    }

    bool hex4(std::uint32_t* unit) {
        if (left() < 4) return false;
        for (int i = 0; i < 4; ++i) {
            char c = *at_++;
            std::uint32_t digit;
            if (is_digit(c))
                digit = static_cast<std::uint32_t>(c - '0');
            else if (c >= 'a' && c <= 'f')
                digit = static_cast<std::uint32_t>(c - 'a' + 10);
            else if (c >= 'A' && c <= 'F')
                digit = static_cast<std::uint32_t>(c - 'A' + 10);
            else
                return false;
            *unit = *unit << 4 | digit;
        }
        return true;
    }

    Verdict literal(std::string_view word, Value value) {
        if (left() < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) return Verdict::Unusual;
        at_ += word.size();
        return built(builder_.value(std::move(value)));
    }

    /// Up to 15 digits, a point among them or not, are converted here: such an integer is inline, and such a fraction
    /// is an exact integer divided by an exact power of ten, which rounds once. All others take the long way.
    Verdict number() {
        constexpr std::ptrdiff_t kMaxDigits = 15;
        const char* start = at_;
        const char* end = end_;
        bool negative = *start == '-';
        const char* digits = start + (negative ? 1 : 0);
        const char* p = digits;
        std::int64_t mantissa = 0;
        for (; p < end && is_digit(*p) && p - digits <= kMaxDigits; ++p)
            mantissa = mantissa * 10 + (*p - '0');
        auto whole = p - digits;
        if (whole == 0 || whole > kMaxDigits || p == end || (*digits == '0' && whole > 1)) return long_number(start);
        if (*p != '.') {
            if (*p == 'e' || *p == 'E') return long_number(start);
            at_ = p;
            return built(builder_.value(Value::small_integer(negative ? -mantissa : mantissa)));
        }
        const char* fraction = ++p;
        // One digit more than fits shows that the number is long; further ones would overflow.
        for (; p < end && is_digit(*p) && p - fraction <= kMaxDigits - whole; ++p)
            mantissa = mantissa * 10 + (*p - '0');
        auto places = p - fraction;
        if (places == 0 || whole + places > kMaxDigits || p == end || *p == 'e' || *p == 'E') return long_number(start);
        at_ = p;
        double d = static_cast<double>(mantissa) / kPowersOfTen[places];
        return built(builder_.value(Value::number(negative ? -d : d)));
    }

    /// Checks the grammar and leaves the conversion to the builder.
    Verdict long_number(const char* start) {
        constexpr std::ptrdiff_t kUsualExponent = 4;
        at_ = start;
        accept('-');
        if (!accept('0') && skip_digits() == 0) return Verdict::Unusual;
        if (accept('.') && skip_digits() == 0) return Verdict::Unusual;
        if (accept('e') || accept('E')) {
            if (!accept('+')) accept('-');
            auto digits = skip_digits();
            if (digits == 0 || digits > kUsualExponent) return Verdict::Unusual;
        }
        bool in_range = true;
        if (!builder_.number({start, static_cast<std::size_t>(at_ - start)}, &in_range)) return Verdict::Failed;
        return in_range ? Verdict::Done : Verdict::Unusual;
    }

    std::ptrdiff_t skip_digits() {
        const char* start = at_;
        while (at_ < end_ && is_digit(*at_))
            ++at_;
        return at_ - start;
    }

    JsonBuilder& builder_;
    const char* start_;
    const char* at_;
    const char* end_;
    std::size_t max_depth_;
    PieceMeter pay_;
    bool at_value_ = true;  ///< and not behind one
    bool opened_ = false;   ///< the last value is a container that is not closed yet
    std::string unescaped_; ///< of the current string
};

// ---------------------------------------------------------------- entry

} // namespace

Error invalid_json(std::string_view text, std::size_t at, const std::string& why) {
    at = std::min(at, text.size());
    auto begin = static_cast<std::uint32_t>(at);
    return Error(Reason::InvalidJson, Span{begin, begin + (at < text.size() ? 1u : 0u)},
                 "Malformed JSON at byte " + std::to_string(at) + ": " + why + ".");
}

Result<Value> parse_json(Heap& heap, ShapeTable& shapes, std::string_view text, const JsonLimits& limits) {
    if (text.size() > UINT32_MAX) return invalid_json(text, 0, "the text is longer than 4 GiB");
    {
        JsonBuilder builder(heap, shapes, text.size());
        switch (Scanner(builder, text, limits.max_depth).run()) {
        case Verdict::Done: return builder.finish();
        case Verdict::Failed: return builder.failure();
        case Verdict::Unusual: break;
        }
    }
    return parse_json_strictly(heap, shapes, text, limits);
}

Result<Value> import_json(Heap& heap, ShapeTable& shapes, std::string_view text) {
    constexpr std::int64_t kUnitsPerByte = 64, kUnits = 1'000'000;
    const Meter before = std::exchange(heap.meter, Meter());
    heap.meter.start_in_scope(kUnits + kUnitsPerByte * static_cast<std::int64_t>(text.size()));
    Result<Value> value = parse_json(heap, shapes, text);
    heap.meter = before;
    if (value.ok()) return value;
    return import_error(value.error());
}

Error import_error(Error why) {
    switch (why.reason) {
    case Reason::FuelExhausted:
        return Error(Reason::LimitExceeded, "This JSON text takes too much work to read: it has keys that are made to "
                                            "collide, or numbers of too many digits.");
    case Reason::Timeout: return Error(Reason::Timeout, "Reading the JSON text took longer than its time limit.");
    case Reason::MemoryExceeded:
        return Error(Reason::MemoryExceeded, "The values of the JSON text need more memory than its limit allows.");
    default: return why;
    }
}

} // namespace ptc
