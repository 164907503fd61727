// Shapes: the sorted key set that records share. Records with the same keys have the same shape object, so an
// instruction that once found a field remembers shape and slot, and the next look-up is a comparison of addresses.
#pragma once
#include "runtime/equality.h"
#include "runtime/heap.h"
#include <algorithm>
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
    [[nodiscard]] Value* keys() { return reinterpret_cast<Value*>(this + 1); }
    [[nodiscard]] const Value* keys() const { return reinterpret_cast<const Value*>(this + 1); }
    [[nodiscard]] bool is_typed() const { return (flags & kTyped) != 0; }
    /// Null when it has none.
    [[nodiscard]] const Value* record_type() const { return is_typed() ? keys() + count : nullptr; }
    /// The keys and the type.
    [[nodiscard]] std::uint32_t part_count() const { return count + (is_typed() ? 1 : 0); }
};
static_assert(sizeof(ShapeObject) == 16);

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

/// Whether `key` may be a key of a shape.
inline bool is_field_key(const Value& key) {
    return (key.is_keyword() || key.is_string()) && as_string(key).size <= ShapeObject::kMaxKeyBytes;
}

/// The slot of the keyword or string (`type`) of this text.
std::uint32_t shape_find_text(const ShapeObject& shape, ObjectType type, std::string_view text);
/// The slot of this very key object; kNoSlot does not mean that an equal key is absent.
inline std::uint32_t shape_find_identical(const ShapeObject& shape, const Value& key) {
    const Value* keys = shape.keys();
    for (std::uint32_t i = 0, n = shape.count; i < n; ++i) {
        if (keys[i].raw() == key.raw()) return i;
    }
    return kNoSlot;
}
/// The slot of a keyword or string equal to `key`, or kNoSlot.
std::uint32_t shape_find_equal(const ShapeObject& shape, const Value& key);
/// The slot of exactly `key`, or kNoSlot.
inline std::uint32_t shape_find(const ShapeObject& shape, const Value& key) {
    std::uint32_t slot = shape_find_identical(shape, key);
    return slot != kNoSlot ? slot : shape_find_equal(shape, key);
}
/// The slot for a field access (spec 7.5): exact key, then the same text as the other type (keyword/string), then
/// as a string with underscores for hyphens. kNoSlot when none.
std::uint32_t shape_find_flexible(const ShapeObject& shape, const Value& key);

/// Calls `find(type, text)` for every spelling that spec 7.5 lets `key` (a keyword or string) match, in order of
/// preference, until it gives something truthy.
template <class Find> auto find_flexible(const Value& key, Find find) {
    ObjectType type = key.object()->type;
    ObjectType other = type == ObjectType::Keyword ? ObjectType::String : ObjectType::Keyword;
    std::string_view text = text_of(key);
    auto found = find(type, text);
    if (!found) found = find(other, text);
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
    ShapeObject* find(const Draft& draft) const;
    ShapeObject* make(const Draft& draft);
    Heap& heap_;
    Impl* impl_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace ptc
