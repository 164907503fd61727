// Columns are put into the word from its highest bits down: of integers what is above the least of them, of texts some
// bytes behind what all begin with, each in as many bits as those that occur take, of floats all bits, turned so that
// their order is that of numbers. The first that does not fit is cut, and ends the word.
#include "runtime/key_words.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <bit>
#include <boost/container/static_vector.hpp>
#include <cmath>
#include <string_view>

namespace ptc {

namespace {

constexpr unsigned kWordBits = 32, kFloatBits = 64;
constexpr std::size_t kMostBytes = 8; ///< of a text

/// The length of a flat vector; 0 for all others.
std::size_t row_length(const Value& key) {
    return key.is(ObjectType::Vector) ? static_cast<const VectorObject*>(key.object())->length : 0;
}

bool is_short_text(const Value& v) { return (v.is_string() || v.is_keyword()) && as_string(v).size <= kFreeBytes; }

/// No float that equals another one with other bits, and no NaN.
bool has_own_bits(const Value& v) { return !std::isnan(v.as_double()) && v.raw() != std::bit_cast<Bits>(-0.0); }

std::uint64_t word_of_float(const Value& v) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << (kFloatBits - 1);
    return (v.raw() & kSign) != 0 ? ~v.raw() : v.raw() | kSign;
}

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

} // namespace

/// What is seen of one part of the keys.
class KeyWords::Facts {
public:
    /// Scalars that are floats are compared for fuel.
    Facts(const Value& first, bool is_in_row) : type_(first.is_object() ? first.object()->type : ObjectType::Free) {
        if (first.is_small_integer()) {
            least_ = most_ = first.raw();
        } else if (is_in_row && first.is_double()) {
            kind_ = Kind::Float;
        } else if (is_short_text(first)) {
            kind_ = Kind::Text;
            front_ = text_of(first);
            least_ = UINT8_MAX;
        } else {
            is_usable_ = false;
        }
    }

    void look_at(const Value& part) {
        if (is_usable_) is_usable_ = is_of_kind(part);
        if (!is_usable_ || kind_ == Kind::Float) return;
        if (kind_ == Kind::Integer) return note(part.raw());
        const std::string_view text = text_of(part);
        const auto differ = std::mismatch(front_.begin(), front_.end(), text.begin(), text.end());
        front_ = front_.substr(0, static_cast<std::size_t>(differ.first - front_.begin()));
        longest_ = std::max(longest_, text.size());
    }
    /// Of texts, once all have been looked at.
    void look_behind_front(const Value& part) {
        const std::string_view text = text_of(part);
        for (std::size_t i = front_.size(); i < std::min(text.size(), front_.size() + kMostBytes); ++i)
            note(byte_at(text, i));
    }

    [[nodiscard]] bool is_usable() const { return is_usable_; }
    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] std::uint64_t least() const { return least_; }
    [[nodiscard]] std::uint64_t range() const { return least_ > most_ ? 0 : most_ - least_; }
    [[nodiscard]] std::size_t front() const { return front_.size(); }
    /// The bytes of the longest text behind the front.
    [[nodiscard]] std::size_t bytes() const { return longest_ - front_.size(); }

private:
    void note(std::uint64_t number) {
        least_ = std::min(least_, number);
        most_ = std::max(most_, number);
    }
    [[nodiscard]] bool is_of_kind(const Value& part) const {
        switch (kind_) {
        case Kind::Integer: return part.is_small_integer();
        case Kind::Float: return part.is_double() && has_own_bits(part);
        case Kind::Text: break;
        }
        return part.is_object() && part.object()->type == type_ && is_short_text(part);
    }

    Kind kind_ = Kind::Integer;
    ObjectType type_;
    bool is_usable_ = true;
    std::uint64_t least_ = 0, most_ = 0; ///< of integers; of the bytes behind the front
    std::string_view front_;             ///< what all texts begin with
    std::size_t longest_ = 0;
};

KeyWords::KeyWords(Meter& meter, const Value* const* keys, std::size_t n) {
    if (n == 0) return;
    const std::size_t length = row_length(*keys[0]);
    are_rows_ = length > 0;
    const std::size_t parts = are_rows_ ? std::min(length, kMostColumns) : 1;
    boost::container::static_vector<Facts, kMostColumns> facts;
    for (std::size_t i = 0; i < parts; ++i)
        facts.emplace_back(parts_of(*keys[0])[i], are_rows_);
    const auto for_each_key = [&](auto look) {
        constexpr std::size_t kAtOnce = 4096;
        return meter.in_pieces(
            n, kAtOnce, [&](std::size_t begin, std::size_t end) { std::for_each(keys + begin, keys + end, look); });
    };
    bool are_alike = facts[0].is_usable();
    const bool is_done = for_each_key([&](const Value* key) {
        are_alike = are_alike && row_length(*key) == length;
        for (std::size_t i = 0; are_alike && i < parts; ++i)
            facts[i].look_at(parts_of(*key)[i]);
    });
    if (!is_done || !are_alike) return;
    unsigned room = kWordBits;
    for (std::size_t i = 0; i < parts; ++i) {
        const auto look_behind = [&](const Value* key) { facts[i].look_behind_front(parts_of(*key)[i]); };
        const bool is_text = facts[i].is_usable() && facts[i].kind() == Kind::Text;
        if ((is_text && !for_each_key(look_behind)) || !add(facts[i], i, room)) return;
    }
    are_complete_ = !are_rows_ || length <= kMostColumns;
}

bool KeyWords::add(const Facts& facts, std::size_t part, unsigned& room) {
    if (!facts.is_usable()) return false;
    Column column{.kind = facts.kind(), .part = static_cast<std::uint8_t>(part), .least = facts.least()};
    unsigned bits = 0, fit = 0;
    bool is_whole = true;
    if (column.kind == Kind::Text) {
        const auto byte_bits = static_cast<unsigned>(std::bit_width(facts.range() + 1)); // 0: there is none
        const std::size_t bytes = std::min<std::size_t>({facts.bytes(), kMostBytes, room / byte_bits});
        is_whole = bytes == facts.bytes();
        bits = fit = static_cast<unsigned>(bytes) * byte_bits;
        column.bytes = static_cast<std::uint8_t>(bytes);
        column.byte_bits = static_cast<std::uint8_t>(byte_bits);
        column.skipped = static_cast<std::uint32_t>(facts.front());
    } else {
        bits = column.kind == Kind::Float ? kFloatBits : static_cast<unsigned>(std::bit_width(facts.range()));
        fit = std::min(bits, room);
        is_whole = fit == bits;
    }
    room -= fit;
    column.shift = static_cast<std::uint8_t>(room);
    column.dropped = static_cast<std::uint8_t>(bits - fit);
    if (fit > 0) columns_[count_++] = column;
    return is_whole;
}

std::uint32_t KeyWords::of(const Value& key) const {
    const Value* const parts = parts_of(key);
    std::uint64_t word = 0;
    for (std::size_t c = 0; c < count_; ++c) {
        const Column& column = columns_[c];
        const Value& part = parts[column.part];
        std::uint64_t bits = 0;
        switch (column.kind) {
        case Kind::Integer: bits = part.raw() - column.least; break;
        case Kind::Float: bits = word_of_float(part); break;
        case Kind::Text: {
            const std::string_view text = text_of(part).substr(column.skipped);
            for (std::size_t i = 0; i < column.bytes; ++i)
                bits = bits << column.byte_bits | (i < text.size() ? byte_at(text, i) - column.least + 1 : 0);
        }
        }
        word |= bits >> column.dropped << column.shift;
    }
    return static_cast<std::uint32_t>(word);
}

const Value* KeyWords::parts_of(const Value& key) const {
    return are_rows_ ? static_cast<const VectorObject*>(key.object())->data : &key;
}

} // namespace ptc
