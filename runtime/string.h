// Strings (UTF-8, counted in graphemes), keywords, and references to names: all are a StringObject. Texts are values of
// programs, so making one may fail on a full heap, and walking one that is not ASCII costs fuel.
#pragma once
#include "runtime/heap.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>

namespace ptc {

/// Bytes follow the struct. Valid UTF-8 always. A Keyword has the same layout (text without the colon).
struct StringObject : Object {
    static constexpr std::uint8_t kAscii = 1; ///< in `flags`: one byte is one grapheme (no CR LF pair inside either)
    std::uint32_t size;                       ///< in bytes
    std::atomic<std::uint32_t> hash_cache;    ///< 0: not computed yet. Relaxed: frozen strings are read by many threads
    std::atomic<std::uint32_t> length_cache;  ///< graphemes + 1; 0: not computed yet
    char bytes[4];                            ///< `size` of them
    static std::size_t bytes_for(std::size_t n) { return sizeof(StringObject) - sizeof(bytes) + n; }
    [[nodiscard]] std::string_view view() const { return {bytes, size}; }
};

inline const StringObject& as_string(const Value& v) { return *static_cast<const StringObject*>(v.object()); }
/// The bytes of a string or keyword; valid while the value lives.
inline std::string_view text_of(const Value& v) { return as_string(v).view(); }

/// Texts and integers up to this size are read for nothing, as part of what looks at them.
inline constexpr std::size_t kFreeBytes = 256;
/// Work on a longer text is done in pieces of so many bytes, before each of which the meter is asked.
inline constexpr std::size_t kMeterPiece = 8192;
/// Charges comparing or hashing `bytes` of a text or an integer.
inline void charge_reading(Heap& heap, std::size_t bytes) {
    constexpr std::size_t kBytesPerUnit = 64;
    if (bytes > kFreeBytes) [[unlikely]]
        heap.meter.charge_unchecked(static_cast<std::int64_t>(bytes / kBytesPerUnit));
}

template <class Word> bool equal_words(const char* a, const char* b) {
    Word x, y;
    std::memcpy(&x, a, sizeof(Word));
    std::memcpy(&y, b, sizeof(Word));
    return x == y;
}
/// Short texts in a few instructions: the last word overlaps the one before it.
inline bool equal_bytes(const char* a, const char* b, std::size_t n) {
    if (n >= 8) {
        for (std::size_t i = 0; i + 8 < n; i += 8)
            if (!equal_words<std::uint64_t>(a + i, b + i)) return false;
        return equal_words<std::uint64_t>(a + n - 8, b + n - 8);
    }
    if (n >= 4) return equal_words<std::uint32_t>(a, b) && equal_words<std::uint32_t>(a + n - 4, b + n - 4);
    if (n >= 2) return equal_words<std::uint16_t>(a, b) && a[n - 1] == b[n - 1];
    return n == 0 || *a == *b;
}
inline bool same_text(const StringObject& a, const StringObject& b) {
    return a.size == b.size && equal_bytes(a.bytes, b.bytes, a.size);
}
/// Copies a text: a short one without a call.
inline void copy_bytes(char* to, const char* from, std::size_t n) {
    if (n > 16) {
        std::memcpy(to, from, n);
    } else if (n >= 8) {
        char first[8], last[8];
        std::memcpy(first, from, 8);
        std::memcpy(last, from + n - 8, 8);
        std::memcpy(to, first, 8);
        std::memcpy(to + n - 8, last, 8);
    } else if (n >= 4) {
        char first[4], last[4];
        std::memcpy(first, from, 4);
        std::memcpy(last, from + n - 4, 4);
        std::memcpy(to, first, 4);
        std::memcpy(to + n - 4, last, 4);
    } else if (n > 0) {
        const char middle = from[n / 2], last = from[n - 1];
        *to = *from;
        to[n / 2] = middle;
        to[n - 1] = last;
    }
}

/// What is copied without a look at the clock, as a millisecond does it.
inline constexpr std::size_t kBytesBetweenLooks = std::size_t{512} << 10;
/// Copies a text that is paid for; false when the meter ended it.
[[nodiscard]] inline bool copy_watched(Meter& meter, char* to, const char* from, std::size_t n) {
    if (n <= kBytesBetweenLooks) [[likely]] {
        copy_bytes(to, from, n);
        return true;
    }
    return meter.in_pieces(n, kBytesBetweenLooks, [&](std::size_t begin, std::size_t end) {
        std::memcpy(to + begin, from + begin, end - begin);
    });
}

/// "" and the texts of one ASCII character are one object each, frozen, for all heaps and threads: making one costs
/// nothing.
inline constexpr std::size_t kSharedStrings = 129;
Value shared_string(std::size_t number);
[[nodiscard]] inline bool has_shared_string(std::string_view text) {
    return text.empty() || (text.size() == 1 && static_cast<signed char>(text[0]) >= 0);
}
/// Of a text that has one.
inline Value shared_string(std::string_view text) {
    return shared_string(text.empty() ? kSharedStrings - 1 : static_cast<std::size_t>(text[0]));
}
/// The number of a shared string; kSharedStrings for any other object.
std::size_t shared_string_number(const Object* object);

/// An uninitialised string of `size` bytes; null when the heap is full.
inline StringObject* new_string_object(Heap& heap, ObjectType type, std::size_t size) {
    constexpr std::size_t kMaxBytes = UINT32_MAX - 64;
    if (size > kMaxBytes) return nullptr;
    auto* s = heap.allocate<StringObject>(type, StringObject::bytes_for(size));
    if (!s) return nullptr;
    s->size = static_cast<std::uint32_t>(size);
    s->hash_cache.store(0, std::memory_order_relaxed);
    s->length_cache.store(0, std::memory_order_relaxed);
    return s;
}
/// `text` is known to be ASCII without CR LF. Null when the heap is full.
inline StringObject* new_ascii_string(Heap& heap, std::string_view text) {
    StringObject* s = new_string_object(heap, ObjectType::String, text.size());
    if (!s) return nullptr;
    s->flags = StringObject::kAscii;
    copy_bytes(s->bytes, text.data(), text.size());
    return s;
}
/// The same as a value; fails only on a full heap.
inline Result<Value> make_ascii_string(Heap& heap, std::string_view text) {
    if (has_shared_string(text)) return shared_string(text);
    StringObject* s = new_ascii_string(heap, text);
    if (!s) [[unlikely]]
        return heap.out_of_memory();
    return heap.value_of(s);
}

/// `utf8` must be valid UTF-8 (checked when assertions are on). Fails only on a full heap.
Result<Value> make_string(Heap& heap, std::string_view utf8);
Result<Value> make_keyword(Heap& heap, std::string_view text);
/// How the names of vars begin that are atoms (vm/slow_paths.cpp): no program can write one.
inline constexpr std::string_view kAtomPrefix = "atom%";
/// ObjectType::Var (`#'name`) and ObjectType::Symbol (a quoted name) are laid out as a StringObject that holds the
/// name; text_of reads it. A var is looked up in the namespace of the VM that uses it.
Result<Value> make_var(Heap& heap, std::string_view name);
Result<Value> make_symbol(Heap& heap, std::string_view name);
/// An uninitialised string of `size` bytes for the caller to fill, then finish_string (which finds the ASCII flag).
Result<Value> make_string_buffer(Heap& heap, std::size_t size, char** bytes);
void finish_string(Value& string);

/// Number of graphemes (Unicode 15 extended grapheme clusters, as utf8proc has them). O(1) for ASCII and for long texts
/// that the heap knows (text_places.h); else as count_graphemes.
std::size_t grapheme_count(Heap& heap, const Value& string);
/// The same of what is not ASCII; charged a unit a byte, also where another run has found it before.
std::size_t count_graphemes(Heap& heap, const Value& string);
/// End offset of the grapheme that starts at byte `from`.
std::size_t next_grapheme(std::string_view text, std::size_t from);
/// The same where the text is a program's: one grapheme may be all of it. Beyond kMeterPiece bytes it is paid for, a
/// unit a byte, while it is walked; once the meter refuses, the walk ends anywhere in it, and later charges fail too.
std::size_t next_grapheme(Heap& heap, std::string_view text, std::size_t from);
/// Goes over the graphemes of a text and pays a unit for each byte that it passes.
class GraphemeWalk {
public:
    GraphemeWalk(Heap& heap, std::string_view text, std::size_t from)
        : heap_(heap), text_(text), at_(from), paid_(from) {}
    ~GraphemeWalk() { heap_.meter.charge_unchecked(static_cast<std::int64_t>(at_ - paid_)); }
    GraphemeWalk(const GraphemeWalk&) = delete;
    GraphemeWalk& operator=(const GraphemeWalk&) = delete;
    [[nodiscard]] std::size_t at() const { return at_; }
    /// Moves behind the next grapheme; false at the end of the text, and once the meter refuses.
    [[nodiscard]] bool next();

private:
    Heap& heap_;
    std::string_view text_;
    std::size_t at_;
    std::size_t paid_;
};

/// Pays for work on `bytes` bytes while it goes on, `units` in all: in pieces, so that a deadline is met inside of
/// them.
class PieceMeter {
public:
    PieceMeter(Heap& heap, std::size_t bytes, std::size_t units)
        : meter_(heap.meter), bytes_(bytes), rest_(units), units_(units), next_(kMeterPiece) {}
    /// The work is at byte `at`. False once the meter refuses.
    [[nodiscard]] bool reach(std::size_t at) { return at < next_ || pay(at); }
    /// Pays the rest.
    [[nodiscard]] bool finish() { return meter_.charge(static_cast<std::int64_t>(std::exchange(rest_, 0))); }
    /// The work ended early: pays what is missing to `units`.
    [[nodiscard]] bool finish_at(std::size_t units) {
        const std::size_t paid = units_ - std::exchange(rest_, 0);
        return meter_.charge(static_cast<std::int64_t>(units > paid ? units - paid : 0));
    }

private:
    bool pay(std::size_t at) {
        const std::size_t units =
            std::min(rest_, static_cast<std::size_t>(static_cast<double>(units_) / static_cast<double>(bytes_) *
                                                     static_cast<double>(at + kMeterPiece - next_)));
        next_ = at + kMeterPiece;
        rest_ -= units;
        return meter_.charge(static_cast<std::int64_t>(units));
    }
    Meter& meter_;
    std::size_t bytes_, rest_, units_, next_;
};

/// The grapheme that starts at byte `from`, which is before the end. O(1) for ASCII, else a unit a byte is charged.
std::string_view grapheme_at(Heap& heap, const Value& string, std::size_t from);
/// Whether `string` is one grapheme, a character (spec 3.5). Costs as grapheme_at.
bool is_one_grapheme(Heap& heap, const Value& string);
/// The same for what reads a character's code point: free for up to kFreeBytes.
bool is_character(Heap& heap, const Value& v);
/// The byte offset of grapheme `index`; the size when past the end. O(1) for ASCII, else a unit a byte is charged from
/// the nearest place that the heap knows (text_places.h).
std::size_t grapheme_offset(Heap& heap, const Value& string, std::size_t index);
/// The part of s from grapheme `start` to `end` (both already within 0..count, start <= end).
Result<Value> substring(Heap& heap, const Value& s, std::size_t start, std::size_t end);
/// a + b; appends in place when `a` has one owner and room.
Result<Value> string_append(Heap& heap, Value a, std::string_view b);

/// Grows in the heap, every byte charged; what `str`, `join`, printers and JSON write into.
class StringBuilder {
public:
    explicit StringBuilder(Heap& heap) : heap_(heap) {}
    ~StringBuilder();
    StringBuilder(const StringBuilder&) = delete;
    StringBuilder& operator=(const StringBuilder&) = delete;
    /// False when the heap is full, or the meter ended what is long; the builder then stays failed.
    bool append(std::string_view s) {
        if (s.size() <= capacity_ - size_) [[likely]] {
            copy_bytes(data_ + size_, s.data(), s.size());
            size_ += s.size();
            return true;
        }
        return append_slow(s);
    }
    bool append(char c) { return append(std::string_view(&c, 1)); }
    bool append_integer(std::int64_t i);
    [[nodiscard]] bool failed() const { return failed_; }
    /// Why an append failed: memory_exceeded, or what ended the meter.
    [[nodiscard]] Error error() const;
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::string_view view() const { return {data_, size_}; }
    /// The string, and the builder is empty again; or the error of an append that failed.
    Result<Value> finish();

private:
    bool append_slow(std::string_view s);
    void reset();
    Heap& heap_;
    StringObject* object_ = nullptr; ///< owned until finish
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    bool failed_ = false;
};

} // namespace ptc
