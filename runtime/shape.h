// Shapes: the sorted key set that records share. Records with the same keys have the same shape object, so an
// instruction that once found a field remembers shape and slot, and the next look-up is a comparison of addresses.
#pragma once
#include "runtime/equality.h"
#include "runtime/heap.h"
#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace ptc {

/// A sorted set of at most kMaxFields distinct keys, all keywords or strings of at most kMaxKeyBytes. Keys follow the
/// struct, sorted by the language's total order (equality.h); behind them, in a typed shape, the type: the keyword that
/// a record of the program is told from other maps by. Only a typed shape may have no keys. A shape is frozen (program
/// constants, data sets) or counted by its records and its table.
struct ShapeObject : Object {
    static constexpr std::uint32_t kMaxFields = 16;
    static constexpr std::uint32_t kMaxKeyBytes = 64;
    static constexpr std::uint8_t kTyped = 1;        ///< in `flags`
    static constexpr std::uint32_t kTypedCount = 32; ///< added to the number of keys where a typed shape is written out
    std::uint32_t count;
    std::uint32_t hash; ///< of the key set
    /// The lowest byte of each key's text hash, eight to a word: a look-up compares eight keys at once.
    std::array<std::uint64_t, kMaxFields / 8> tags;
    [[nodiscard]] Value* keys() { return reinterpret_cast<Value*>(this + 1); }
    [[nodiscard]] const Value* keys() const { return reinterpret_cast<const Value*>(this + 1); }
    [[nodiscard]] bool is_typed() const { return (flags & kTyped) != 0; }
    /// Null when it has none.
    [[nodiscard]] const Value* record_type() const { return is_typed() ? keys() + count : nullptr; }
    /// The keys and the type.
    [[nodiscard]] std::uint32_t part_count() const { return count + (is_typed() ? 1 : 0); }
};
static_assert(sizeof(ShapeObject) == 32);

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

/// Whether `key` may be a key of a shape.
inline bool is_field_key(const Value& key) {
    return (key.is_keyword() || key.is_string()) && as_string(key).size <= ShapeObject::kMaxKeyBytes;
}

/// The order of a shape's keys: keywords before strings, each by their bytes.
bool is_field_before(const Value& a, const Value& b);
/// Whether two keys of fields are the same, be it two objects.
bool is_same_field(const Value& a, const Value& b);

/// The slot of the keyword or string (`type`) of this text.
std::uint32_t shape_find_text(const ShapeObject& shape, ObjectType type, std::string_view text);

/// The highest bit of each byte of `word` that equals `byte`; the other bits are 0.
constexpr std::uint64_t equal_bytes(std::uint64_t word, std::uint8_t byte) {
    constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101, kLow = 0x7F7F'7F7F'7F7F'7F7F;
    const std::uint64_t difference = word ^ (kOnes * byte);
    return ~(((difference & kLow) + kLow) | difference | kLow);
}
/// `visit(slot)` for the keys whose texts may have this hash, until it answers true. A call would cost as much again.
template <class Visit>
[[gnu::always_inline]] inline void for_each_slot(const ShapeObject& shape, std::uint32_t text_hash_bits, Visit visit) {
    for (std::uint32_t first = 0; first < shape.count; first += 8) {
        const std::uint64_t word = shape.tags[first / 8];
        for (std::uint64_t same = equal_bytes(word, static_cast<std::uint8_t>(text_hash_bits)); same;
             same &= same - 1) {
            const std::uint32_t slot = first + static_cast<std::uint32_t>(std::countr_zero(same)) / 8;
            if (slot >= shape.count || visit(slot)) return;
        }
    }
}
/// The slot of exactly `key`, or kNoSlot. Keys that are longer than fields may be are not hashed.
inline std::uint32_t shape_find(const ShapeObject& shape, const Value& key) {
    if (!is_field_key(key)) return kNoSlot;
    std::uint32_t found = kNoSlot;
    for_each_slot(shape, text_hash(as_string(key)), [&](std::uint32_t slot) {
        const Value& known = shape.keys()[slot];
        if (known.raw() != key.raw() &&
            (known.object()->type != key.object()->type || !same_text(as_string(known), as_string(key))))
            return false;
        found = slot;
        return true;
    });
    return found;
}
/// The slot for a field access (spec 7.5): exact key, then the same text as the other type (keyword/string), then
/// as a string with underscores for hyphens. kNoSlot when none.
std::uint32_t shape_find_flexible(const ShapeObject& shape, const Value& key);

/// Calls `find(type, text)` for every spelling beside its own that spec 7.5 lets `key` (a keyword or string) match, in
/// order of preference, until it gives something truthy.
template <class Find> auto find_unlike(const Value& key, Find find) {
    const ObjectType other = key.is_keyword() ? ObjectType::String : ObjectType::Keyword;
    std::string_view text = text_of(key);
    auto found = find(other, text);
    if (found || text.find('-') == text.npos || text.size() > ShapeObject::kMaxKeyBytes) return found;
    char spelled[ShapeObject::kMaxKeyBytes];
    std::ranges::replace_copy(text, spelled, '-', '_');
    return find(ObjectType::String, std::string_view(spelled, text.size())); // texts alone: names of fields in JSON
}

/// Calls `find` as find_flexible does for the spellings beside its own of a name: the same text as the other type, and
/// for a keyword the text with underscores for hyphens. A write that does not find its key replaces what this finds. A
/// text never stands for another text: texts may be data (names, ids) and not fields.
template <class Find> auto find_other_spelling(const Value& key, Find find) {
    const std::string_view text = text_of(key);
    if (!key.is_keyword()) return find(ObjectType::Keyword, text);
    auto found = find(ObjectType::String, text);
    if (found || text.find('-') == text.npos || text.size() > ShapeObject::kMaxKeyBytes) return found;
    char spelled[ShapeObject::kMaxKeyBytes];
    std::ranges::replace_copy(text, spelled, '-', '_');
    return find(ObjectType::String, std::string_view(spelled, text.size()));
}
/// Whether a key has spellings at all.
inline bool has_spellings(const Value& key) { return key.is_keyword() || key.is_string(); }
/// The slot of `key` in another spelling; kNoSlot when none. Not for a key that is there itself.
std::uint32_t shape_find_other_spelling(const ShapeObject& shape, const Value& key);
/// The slot that a write of `key` replaces: of the key itself, or else of another spelling; kNoSlot when none.
std::uint32_t shape_find_written(const ShapeObject& shape, const Value& key);

class RecordPlans;

/// The shapes of one heap, one object a key set. Lives beside the Heap (VM, program constants, data set), becomes its
/// `Heap::shapes` and must die before it. Shapes share their keys with whoever made them: frozen keys must outlive the
/// table, or `sweep` must run before they go.
class ShapeTable {
public:
    explicit ShapeTable(Heap& heap) : heap_(heap) { heap.shapes = this; }
    ~ShapeTable();
    ShapeTable(const ShapeTable&) = delete;
    ShapeTable& operator=(const ShapeTable&) = delete;
    /// The shape of these keys, which are sorted and distinct (shared, or copied as needed), and of this type. Null
    /// when the heap is full. The caller gets one owner of it (counted heaps).
    ShapeObject* intern(std::span<const Value> sorted_keys, const Value* type = nullptr);
    /// The shape with the keys of `shape` and this type, a keyword. Null when the heap is full: a record's type must
    /// not depend on how many shapes there are.
    ShapeObject* typed(const ShapeObject& shape, const Value& type);
    /// What `with` answered before for this shape and this key object; null when it is not remembered. Then `key` is
    /// absent from the shape, in every spelling. The caller gets one owner.
    ShapeObject* remembered_with(const ShapeObject& shape, const Value& key, std::uint32_t* slot);
    /// The shape of `shape` plus `key` (absent from it, and count < kMaxFields); `*slot` is where it goes. Remembered
    /// when no other spelling of `key` is in `shape` either, so that what is remembered holds for every write.
    /// Null as well when it would be a new shape and there are too many already (see is_crowded).
    ShapeObject* with(const ShapeObject& shape, const Value& key, std::uint32_t* slot);
    /// The shape without slot `slot`. Null as for `with`.
    ShapeObject* without(const ShapeObject& shape, std::uint32_t slot);
    /// A program that uses keys as data (one map a word, say) must not fill the heap with shapes that are never used
    /// again: from here on maps with new key sets are hash tables.
    [[nodiscard]] bool is_crowded() const { return count_ >= kMaxShapes; }
    [[nodiscard]] std::size_t size() const { return count_; }
    /// In no particular order; borrowed.
    [[nodiscard]] std::vector<const ShapeObject*> all() const;
    /// What is remembered of records that are made of others. Null when the heap is full.
    RecordPlans* plans();
    /// Forgets shapes that no record uses any more. Not during a run: inline caches hold shapes by address.
    void sweep();

private:
    static constexpr std::size_t kMaxShapes = 4096;
    static constexpr std::size_t kMoreTyped = 1024; ///< shapes that records with a type may have beyond these
    /// As is_crowded for what is made from `shape`.
    [[nodiscard]] bool is_crowded_for(const ShapeObject& shape) const {
        return count_ >= kMaxShapes + (shape.is_typed() ? kMoreTyped : 0);
    }
    struct Impl;
    struct Draft;
    bool ensure_impl();
    bool grow();
    void forget_plans();
    ShapeObject* find(const Draft& draft) const;
    ShapeObject* make(const Draft& draft);
    Heap& heap_;
    Impl* impl_ = nullptr;
    RecordPlans* plans_ = nullptr; ///< made when it is first asked for
    std::size_t count_ = 0;
};

} // namespace ptc
