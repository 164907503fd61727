// Words that order keys: a number for each key of a collection, so that sorting mostly compares two numbers.
#pragma once
#include "runtime/meter.h"
#include "runtime/value.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace ptc {

/// Made for the keys of one collection, and valid for these. The order of two words is that of their keys; where two
/// words are the same, who sorts compares the keys, unless `are_complete`.
///
/// There are words for keys that are all integers, all short texts of one kind, or all vectors of one length whose
/// first parts are such; those may be floats, too. Only what total_order compares for no fuel becomes part of a word.
class KeyWords {
public:
    /// Looks at all `n` keys, which is paid for. When the meter ends that, there are no words.
    KeyWords(Meter& meter, const Value* const* keys, std::size_t n);

    /// Whether there are words for these keys.
    [[nodiscard]] bool exist() const { return count_ > 0; }
    /// Whether different keys have different words.
    [[nodiscard]] bool are_complete() const { return are_complete_; }

    /// Of one of these keys.
    [[nodiscard]] std::uint32_t of(const Value& key) const;

private:
    enum class Kind : std::uint8_t { Integer, Float, Text };
    /// A part that all keys have, and where it stands in the word.
    struct Column {
        Kind kind = Kind::Integer;
        std::uint8_t part = 0;
        std::uint8_t shift = 0;     ///< places to the left, from the lowest bit
        std::uint8_t dropped = 0;   ///< its lowest bits, for which there is no place
        std::uint8_t bytes = 0;     ///< of a text
        std::uint8_t byte_bits = 0; ///< that one of them takes
        std::uint32_t skipped = 0;  ///< bytes at the front of a text, which all have
        std::uint64_t least = 0;    ///< of integers, or of bytes
    };
    class Facts;
    static constexpr std::size_t kMostColumns = 3;

    [[nodiscard]] const Value* parts_of(const Value& key) const;
    /// Gives the next part of all keys its place, where one is left. Whether all of it has one.
    bool add(const Facts& facts, std::size_t part, unsigned& room);

    std::array<Column, kMostColumns> columns_;
    std::uint8_t count_ = 0;
    bool are_rows_ = false;
    bool are_complete_ = false;
};

} // namespace ptc
