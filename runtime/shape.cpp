// A table of shapes by their key sets, so that one key set is one object and a slot that was found once can be cached
// by the shape's address. Adding a key to a shape is remembered as a transition, as programs build records of the same
// kind again and again. A shape's keys are sorted, so finding a text is a binary search; shapes hold at most 16. The
// table gives up making shapes when it is crowded: the map becomes a hash table then.
#include "runtime/shape.h"
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace ptc {

namespace {

/// Keywords before strings, each by their bytes: the total order of field keys.
int order_of_texts(ObjectType a_type, std::string_view a, ObjectType b_type, std::string_view b) {
    if (a_type != b_type) return a_type == ObjectType::Keyword ? -1 : 1;
    return a.compare(b);
}

/// The first slot whose key is not before (type, text).
std::uint32_t lower_bound(const ShapeObject& shape, ObjectType type, std::string_view text) {
    const Value* keys = shape.keys();
    const Value* at = std::lower_bound(keys, keys + shape.count, text, [&](const Value& key, std::string_view t) {
        return order_of_texts(key.object()->type, text_of(key), type, t) < 0;
    });
    return static_cast<std::uint32_t>(at - keys);
}

std::uint32_t hash_of_field(const Value& key) {
    return key_hash_of_text(key.object()->type, text_hash(as_string(key)));
}

bool same_text(const Value& a, const Value& b) {
    return a.raw() == b.raw() || (a.object()->type == b.object()->type && text_of(a) == text_of(b));
}

} // namespace

std::uint32_t shape_find_text(const ShapeObject& shape, ObjectType type, std::string_view text) {
    std::uint32_t slot = lower_bound(shape, type, text);
    if (slot == shape.count) return kNoSlot;
    const Value& key = shape.keys()[slot];
    return key.object()->type == type && text_of(key) == text ? slot : kNoSlot;
}

std::uint32_t shape_find_flexible(const ShapeObject& shape, const Value& key) {
    std::uint32_t slot = shape_find_identical(shape, key);
    if (slot != kNoSlot || (!key.is_keyword() && !key.is_string())) return slot;
    // Slot + 1, so that 0 is "not found".
    return find_flexible(key,
                         [&](ObjectType type, std::string_view text) -> std::uint32_t {
                             return shape_find_text(shape, type, text) + 1;
                         }) -
           1;
}

std::uint32_t shape_find_other_spelling(const ShapeObject& shape, const Value& key) {
    if (!has_spellings(key)) return kNoSlot;
    return find_other_spelling(key,
                               [&](ObjectType type, std::string_view text) -> std::uint32_t {
                                   return shape_find_text(shape, type, text) + 1;
                               }) -
           1;
}

/// The keys that a shape shall have, borrowed.
struct ShapeTable::Draft {
    std::array<const Value*, ShapeObject::kMaxFields> keys;
    std::uint32_t count = 0;
    std::uint32_t hash = 0;

    void add(const Value& key) {
        keys[count++] = &key;
        std::uint64_t mixed = fold_multiply(hash ^ 0x2545'F491'4F6C'DD1D, hash_of_field(key) ^ 0x9E37'79B9'7F4A'7C15);
        hash = static_cast<std::uint32_t>(mixed);
    }
    [[nodiscard]] bool matches(const ShapeObject& shape) const {
        if (shape.count != count || shape.hash != hash) return false;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!same_text(shape.keys()[i], *keys[i])) return false;
        }
        return true;
    }
};

struct ShapeTable::Impl {
    /// `from` plus the key of these bits gave `to`. The key is alive, as `to` owns it, while this entry exists; `from`
    /// may be a foreign frozen shape that is gone, so a hit compares its hash too.
    struct Transition {
        const ShapeObject* from = nullptr;
        Bits key = 0;
        ShapeObject* to = nullptr;
        std::uint32_t from_hash = 0;
        std::uint32_t slot = 0;
    };
    std::array<Transition, 128> transitions{};
    std::vector<ShapeObject*> slots = std::vector<ShapeObject*>(32); ///< open addressing, at most half full

    Transition& transition(const ShapeObject& from, const Value& key) {
        std::uint64_t h =
            fold_multiply(reinterpret_cast<std::uintptr_t>(&from) ^ (key.raw() << 1), 0x9E37'79B9'7F4A'7C15);
        return transitions[h % transitions.size()];
    }
    void insert(ShapeObject* shape) {
        std::size_t i = shape->hash & (slots.size() - 1);
        while (slots[i])
            i = (i + 1) & (slots.size() - 1);
        slots[i] = shape;
    }
    [[nodiscard]] std::size_t bytes() const { return sizeof(Impl) + slots.size() * sizeof(ShapeObject*); }
};

ShapeTable::~ShapeTable() {
    if (!impl_) return;
    for (ShapeObject* shape : impl_->slots) {
        if (shape) bits::release(shape);
    }
    heap_.refund_bytes(impl_->bytes());
    delete impl_;
    heap_.shapes = nullptr;
}

std::vector<const ShapeObject*> ShapeTable::all() const {
    std::vector<const ShapeObject*> shapes;
    if (impl_)
        std::ranges::copy_if(impl_->slots, std::back_inserter(shapes),
                             [](const ShapeObject* s) { return s != nullptr; });
    return shapes;
}

bool ShapeTable::ensure_impl() {
    if (impl_) return true;
    auto impl = std::make_unique<Impl>();
    if (!heap_.charge_bytes(impl->bytes())) return false;
    impl_ = impl.release();
    return true;
}

bool ShapeTable::grow() {
    std::vector<ShapeObject*> old(impl_->slots.size() * 2);
    if (!heap_.charge_bytes(impl_->slots.size() * sizeof(ShapeObject*))) return false;
    old.swap(impl_->slots);
    for (ShapeObject* shape : old) {
        if (shape) impl_->insert(shape);
    }
    return true;
}

ShapeObject* ShapeTable::find(const Draft& draft) const {
    constexpr std::size_t kFreeProbes = 8;
    std::size_t mask = impl_->slots.size() - 1;
    std::size_t probes = 0;
    for (std::size_t i = draft.hash & mask; impl_->slots[i]; i = (i + 1) & mask) {
        if (draft.matches(*impl_->slots[i])) return impl_->slots[i];
        if (++probes > kFreeProbes) heap_.meter.charge_unchecked(1); // key sets that were chosen to collide
    }
    return nullptr;
}

ShapeObject* ShapeTable::make(const Draft& draft) {
    if (2 * (count_ + 1) > impl_->slots.size() && !grow()) return nullptr;
    auto* shape = heap_.allocate<ShapeObject>(ObjectType::Shape, sizeof(ShapeObject) + draft.count * sizeof(Value));
    if (!shape) return nullptr;
    shape->count = draft.count;
    shape->hash = draft.hash;
    for (std::uint32_t i = 0; i < draft.count; ++i)
        std::construct_at(shape->keys() + i, draft.keys[i]->copy());
    impl_->insert(shape);
    ++count_;
    return shape;
}

ShapeObject* ShapeTable::intern(std::span<const Value> sorted_keys) {
    if (!ensure_impl()) return nullptr;
    Draft draft;
    for (const Value& key : sorted_keys)
        draft.add(key);
    ShapeObject* shape = find(draft);
    if (!shape) shape = make(draft);
    if (shape) bits::retain(shape);
    return shape;
}

ShapeObject* ShapeTable::remembered_with(const ShapeObject& shape, const Value& key, std::uint32_t* slot) {
    if (!impl_) return nullptr;
    const Impl::Transition& known = impl_->transition(shape, key);
    if (known.from != &shape || known.key != key.raw() || known.from_hash != shape.hash ||
        known.to->count != shape.count + 1)
        return nullptr;
    *slot = known.slot;
    bits::retain(known.to);
    return known.to;
}

ShapeObject* ShapeTable::with(const ShapeObject& shape, const Value& key, std::uint32_t* slot) {
    if (ShapeObject* known = remembered_with(shape, key, slot)) return known;
    if (!ensure_impl()) return nullptr;
    *slot = lower_bound(shape, key.object()->type, text_of(key));
    Draft draft;
    for (std::uint32_t i = 0; i <= shape.count; ++i) {
        if (i == *slot) draft.add(key);
        if (i < shape.count) draft.add(shape.keys()[i]);
    }
    ShapeObject* to = find(draft);
    if (!to && is_crowded()) return nullptr;
    if (!to) to = make(draft);
    if (!to) return nullptr;
    // Kept only for a key whose address cannot be reused for another one: `to` owns it, or it is frozen (see sweep).
    const bool is_lasting = key.is_frozen() || to->keys()[*slot].raw() == key.raw();
    if (is_lasting && shape_find_other_spelling(shape, key) == kNoSlot)
        impl_->transition(shape, key) = {&shape, key.raw(), to, shape.hash, *slot};
    bits::retain(to);
    return to;
}

ShapeObject* ShapeTable::without(const ShapeObject& shape, std::uint32_t slot) {
    if (!ensure_impl()) return nullptr;
    Draft draft;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        if (i != slot) draft.add(shape.keys()[i]);
    }
    ShapeObject* to = find(draft);
    if (!to && !is_crowded()) to = make(draft);
    if (to) bits::retain(to);
    return to;
}

void ShapeTable::sweep() {
    if (!impl_) return;
    impl_->transitions.fill({});
    std::vector<ShapeObject*> old(impl_->slots.size());
    old.swap(impl_->slots);
    for (ShapeObject* shape : old) {
        if (!shape) continue;
        if (shape->refs == 1) {
            bits::release(shape);
            --count_;
        } else {
            impl_->insert(shape);
        }
    }
}

} // namespace ptc
