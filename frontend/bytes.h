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

/// Writes numbers and texts one behind the other. Owns the bytes until they are taken.
class ByteWriter {
public:
    template <class T> void fixed(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void byte(std::uint8_t b) { out_ += static_cast<char>(b); }
    void size(std::uint64_t n) {
        char text[10];
        std::size_t length = 0;
        for (; n >= 0x80; n >>= 7)
            text[length++] = static_cast<char>(n | 0x80);
        text[length++] = static_cast<char>(n);
        out_.append(text, length);
    }
    /// Small numbers of either sign take few bytes.
    void integer(std::int64_t i) { size((static_cast<std::uint64_t>(i) << 1) ^ static_cast<std::uint64_t>(i >> 63)); }
    /// A byte and an integer, in one go.
    void tagged_integer(std::uint8_t tag, std::int64_t i) {
        auto n = (static_cast<std::uint64_t>(i) << 1) ^ static_cast<std::uint64_t>(i >> 63);
        char text[11] = {static_cast<char>(tag)};
        std::size_t length = 1;
        for (; n >= 0x80; n >>= 7)
            text[length++] = static_cast<char>(n | 0x80);
        text[length++] = static_cast<char>(n);
        out_.append(text, length);
    }
    void text(std::string_view s) {
        size(s.size());
        out_ += s;
    }
    [[nodiscard]] std::string& bytes() { return out_; }

private:
    std::string out_;
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
    std::string_view raw() {
        const std::size_t n = count();
        const std::string_view s(at_, n);
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
