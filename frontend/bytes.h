// Numbers and texts as bytes, for snapshots. Lengths and numbers that are mostly small are LEB128, all else is
// little-endian.
#pragma once
#include "frontend/utf8.h"
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace ptc {

/// A 64-bit sum of bytes, a few nanoseconds a line: finds accidents, not forgeries.
std::uint64_t sum_of_bytes(std::string_view bytes, std::uint64_t seed = 0);

/// Writes numbers and texts one behind the other. Owns the bytes until they are taken. What it writes goes into room
/// that was made before, without a call for each byte; the room that is left over is cut off when the bytes are asked
/// for.
class ByteWriter {
public:
    ByteWriter() = default;
    ByteWriter(const ByteWriter&) = delete;
    ByteWriter& operator=(const ByteWriter&) = delete;

    template <class T> void fixed(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::memcpy(room(sizeof value), &value, sizeof value);
        at_ += sizeof value;
    }
    void byte(std::uint8_t b) {
        *room(1) = static_cast<char>(b);
        ++at_;
    }
    void size(std::uint64_t n) { at_ = put_size(room(kMaxSize), n); }
    /// Small numbers of either sign take few bytes.
    void integer(std::int64_t i) { size(folded(i)); }
    /// A byte and an integer, in one go.
    void tagged_integer(std::uint8_t tag, std::int64_t i) {
        char* at = room(1 + kMaxSize);
        *at = static_cast<char>(tag);
        at_ = put_size(at + 1, folded(i));
    }
    /// A byte and a value of fixed size.
    template <class T> void tagged(std::uint8_t tag, T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        char* at = room(1 + sizeof value);
        *at = static_cast<char>(tag);
        std::memcpy(at + 1, &value, sizeof value);
        at_ = at + 1 + sizeof value;
    }
    void text(std::string_view s) { at_ = put_text(room(kMaxSize + s.size()), s); }
    /// A text whose size the reader knows.
    void plain(std::string_view s) {
        char* at = room(s.size());
        if (!s.empty()) std::memcpy(at, s.data(), s.size());
        at_ = at + s.size();
    }
    /// Two bytes and a text.
    void tagged_text(std::uint8_t tag, std::uint8_t flags, std::string_view s) {
        char* at = room(2 + kMaxSize + s.size());
        at[0] = static_cast<char>(tag);
        at[1] = static_cast<char>(flags);
        at_ = put_text(at + 2, s);
    }
    [[nodiscard]] std::string& bytes() {
        if (at_) cut(written());
        return out_;
    }
    /// Makes room at once for what will be written.
    void reserve(std::size_t bytes) { (void)room(bytes); }
    /// How many bytes there are so far.
    [[nodiscard]] std::size_t written() const {
        return at_ ? static_cast<std::size_t>(at_ - out_.data()) : out_.size();
    }
    /// Takes back what was written behind the first `size` bytes.
    void take_back(std::size_t size) {
        if (at_)
            at_ = out_.data() + size;
        else
            out_.resize(size);
    }

private:
    static constexpr std::size_t kMaxSize = 10; ///< bytes of a number
    static std::uint64_t folded(std::int64_t i) {
        return (static_cast<std::uint64_t>(i) << 1) ^ static_cast<std::uint64_t>(i >> 63);
    }
    static char* put_size(char* at, std::uint64_t n) {
        for (; n >= 0x80; n >>= 7)
            *at++ = static_cast<char>(n | 0x80);
        *at++ = static_cast<char>(n);
        return at;
    }
    static char* put_text(char* at, std::string_view s) {
        at = put_size(at, s.size());
        if (s.empty()) return at; // which may be null
        std::memcpy(at, s.data(), s.size());
        return at + s.size();
    }
    char* room(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - at_) < bytes) [[unlikely]]
            grow(bytes);
        return at_;
    }
    void grow(std::size_t bytes);
    void cut(std::size_t size) {
        out_.resize(size);
        at_ = end_ = nullptr;
    }

    std::string out_;
    char* at_ = nullptr; ///< where the next byte goes; null: behind all of `out_`
    char* end_ = nullptr;
};

/// Reads what a ByteWriter wrote, or any other bytes: past the end, and after the first thing that is wrong, everything
/// reads as zero, and `ok` says so. Borrows the bytes.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    template <class T> T fixed() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        if (left() < sizeof value) {
            fail();
            return value;
        }
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::uint8_t byte() {
        if (at_ == end_) [[unlikely]] {
            fail();
            return 0;
        }
        return static_cast<std::uint8_t>(*at_++);
    }
    std::uint64_t size() {
        if (at_ != end_ && static_cast<std::uint8_t>(*at_) < 0x80) [[likely]]
            return static_cast<std::uint8_t>(*at_++);
        std::uint64_t n = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t b = byte();
            n |= std::uint64_t{b & 0x7Fu} << shift;
            if (b < 0x80) return n;
        }
        fail();
        return 0;
    }
    /// A number below `limit`.
    std::uint64_t below(std::uint64_t limit) {
        const std::uint64_t n = size();
        if (n < limit) return n;
        fail();
        return 0;
    }
    std::int64_t integer() {
        const std::uint64_t n = size();
        return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
    }
    /// A number of things that take at least `each` bytes: what is reserved for them is bounded by what is there.
    std::size_t count(std::size_t each = 1) {
        const std::uint64_t n = size();
        if (n <= left() / each) return static_cast<std::size_t>(n);
        fail();
        return 0;
    }
    /// Any bytes; borrowed.
    std::string_view raw() { return plain(count()); }
    /// `n` of them.
    std::string_view plain(std::uint64_t n) {
        if (n > left()) {
            fail();
            return {};
        }
        const std::string_view s(at_, static_cast<std::size_t>(n));
        at_ += n;
        return s;
    }
    /// Valid UTF-8; borrowed.
    std::string_view text() {
        const std::string_view s = raw();
        if (utf8::find_invalid(s) == utf8::kValid) [[likely]]
            return s;
        fail();
        return {};
    }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] bool ok() const { return ok_; }
    void fail() {
        ok_ = false;
        at_ = end_;
    }

private:
    const char* at_;
    const char* end_;
    bool ok_ = true;
};

} // namespace ptc
