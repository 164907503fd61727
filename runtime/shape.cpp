// A table of shapes by their key sets, so that one key set is one object and a slot that was found once can be cached
// by the shape's address. Adding a key to a shape is remembered as a transition, as programs build records of the same
// kind again and again. A shape's keys are sorted, so finding a text is a binary search; shapes hold at most 16. The
// table gives up making shapes when it is crowded: the map becomes a hash table then.
#include "runtime/shape.h"
#include "runtime/record_plans.h"
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
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

/// The slots of the keys that have the text of a key: as its own type, and as the other one.
struct TextSlots {
    std::uint32_t own = kNoSlot, other = kNoSlot;
};

/// One pass for both types: programs name by keyword what JSON gave as text. No key that is longer than fields may be
/// is hashed.
TextSlots slots_of_text(const ShapeObject& shape, const Value& key) {
    TextSlots slots;
    if (!is_field_key(key)) return slots;
    for_each_slot(shape, text_hash(as_string(key)), [&](std::uint32_t slot) {
        const Value& known = shape.keys()[slot];
        if (known.raw() == key.raw() || same_text(as_string(known), as_string(key)))
            (known.object()->type == key.object()->type ? slots.own : slots.other) = slot;
        return slots.own != kNoSlot;
    });
    return slots;
}

/// The slot of the string that spells a key's hyphens as underscores, as names of fields in JSON have them.
std::uint32_t find_with_underscores(const ShapeObject& shape, const Value& key) {
    if (!is_field_key(key) || text_of(key).find('-') == std::string_view::npos) return kNoSlot;
    char spelled[ShapeObject::kMaxKeyBytes];
    std::ranges::replace_copy(text_of(key), spelled, '-', '_');
    return shape_find_text(shape, ObjectType::String, {spelled, text_of(key).size()});
}

} // namespace

bool is_field_before(const Value& a, const Value& b) {
    return order_of_texts(a.object()->type, text_of(a), b.object()->type, text_of(b)) < 0;
}

bool is_same_field(const Value& a, const Value& b) {
    return a.raw() == b.raw() || (a.object()->type == b.object()->type && text_of(a) == text_of(b));
}

std::uint32_t shape_find_text(const ShapeObject& shape, ObjectType type, std::string_view text) {
    std::uint32_t slot = lower_bound(shape, type, text);
    if (slot == shape.count) return kNoSlot;
    const Value& key = shape.keys()[slot];
    return key.object()->type == type && text_of(key) == text ? slot : kNoSlot;
}

std::uint32_t shape_find_flexible(const ShapeObject& shape, const Value& key) {
    const TextSlots slots = slots_of_text(shape, key);
    if (slots.own != kNoSlot) return slots.own;
    return slots.other != kNoSlot ? slots.other : find_with_underscores(shape, key);
}

std::uint32_t shape_find_other_spelling(const ShapeObject& shape, const Value& key) {
    const TextSlots slots = slots_of_text(shape, key);
    return slots.other != kNoSlot || !key.is_keyword() ? slots.other : find_with_underscores(shape, key);
}

std::uint32_t shape_find_written(const ShapeObject& shape, const Value& key) {
    const TextSlots slots = slots_of_text(shape, key);
    if (slots.own != kNoSlot) return slots.own;
    return slots.other != kNoSlot || !key.is_keyword() ? slots.other : find_with_underscores(shape, key);
}

/// The keys that a shape shall have, borrowed.
struct ShapeTable::Draft {
    std::array<const Value*, ShapeObject::kMaxFields> keys;
    const Value* type = nullptr;
    std::uint32_t count = 0;
    std::uint32_t hash = 0;

    void add(const Value& key) {
        keys[count++] = &key;
        mix(hash_of_field(key));
    }
    /// Behind the keys.
    void set_type(const Value* of) {
        type = of;
        if (type) mix(~hash_of_field(*type));
    }
    void mix(std::uint32_t part) {
        hash = static_cast<std::uint32_t>(fold_multiply(hash ^ 0x2545'F491'4F6C'DD1D, part ^ 0x9E37'79B9'7F4A'7C15));
    }
    [[nodiscard]] bool matches(const ShapeObject& shape) const {
        if (shape.count != count || shape.hash != hash || shape.is_typed() != (type != nullptr)) return false;
        if (type && !is_same_field(*shape.record_type(), *type)) return false;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!is_same_field(shape.keys()[i], *keys[i])) return false;
        }
        return true;
    }
};

struct ShapeTable::Impl {
    /// `from` plus the key, or with the type, of these bits gave `to`. The key is alive, as `to` owns it, while this
    /// entry exists; `from` may be a foreign frozen shape that is gone, so a hit compares its hash too.
    struct Transition {
        const ShapeObject* from = nullptr;
        Bits key = 0;
        ShapeObject* to = nullptr;
        std::uint32_t from_hash = 0;
        std::uint32_t slot = 0;
    };
    std::array<Transition, 128> transitions{};                       ///< two by two
    std::vector<ShapeObject*> slots = std::vector<ShapeObject*>(32); ///< open addressing, at most half full

    /// The two places of a transition, by what it is and not by where that lies: which transitions share places is the
    /// same in each run.
    Transition* places(const ShapeObject& from, const Value& key) {
        const std::uint32_t of_key =
            key.is_keyword() || key.is_string() ? text_hash(as_string(key)) : 0; // others have none
        return &transitions[(from.hash ^ of_key) * 0x9E37'79B1U >> 26 << 1];
    }
    /// By a key that is added, or by a type.
    [[nodiscard]] const Transition* find(const ShapeObject& from, const Value& key, std::uint32_t added = 1) {
        const auto is_it = [&](const Transition& one) {
            return one.from == &from && one.key == key.raw() && one.from_hash == from.hash &&
                   one.to->count == from.count + added;
        };
        const Transition* const at = places(from, key);
        return is_it(at[0]) ? at : is_it(at[1]) ? at + 1 : nullptr;
    }
    /// In place of the older of the two that are there.
    void remember(const ShapeObject& from, const Value& key, ShapeObject* to, std::uint32_t slot) {
        Transition* const at = places(from, key);
        at[1] = at[0];
        at[0] = {&from, key.raw(), to, from.hash, slot};
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
    forget_plans(); // which may be there without a shape: where records have nothing of what was asked for
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
    const std::size_t parts = draft.count + (draft.type ? 1 : 0);
    auto* shape = heap_.allocate<ShapeObject>(ObjectType::Shape, sizeof(ShapeObject) + parts * sizeof(Value));
    if (!shape) return nullptr;
    shape->count = draft.count;
    shape->hash = draft.hash;
    shape->tags = {};
    for (std::uint32_t i = 0; i < draft.count; ++i) {
        std::construct_at(shape->keys() + i, draft.keys[i]->copy());
        const std::uint64_t tag = text_hash(as_string(*draft.keys[i])) & 0xFF;
        shape->tags[i / 8] |= tag << (i % 8 * 8);
    }
    if (draft.type) {
        shape->flags |= ShapeObject::kTyped;
        std::construct_at(shape->keys() + draft.count, draft.type->copy());
    }
    impl_->insert(shape);
    ++count_;
    return shape;
}

ShapeObject* ShapeTable::intern(std::span<const Value> sorted_keys, const Value* type) {
    if (!ensure_impl()) return nullptr;
    Draft draft;
    for (const Value& key : sorted_keys)
        draft.add(key);
    draft.set_type(type);
    ShapeObject* shape = find(draft);
    if (!shape) shape = make(draft);
    if (shape) bits::retain(shape);
    return shape;
}

ShapeObject* ShapeTable::remembered_with(const ShapeObject& shape, const Value& key, std::uint32_t* slot) {
    if (!impl_) return nullptr;
    const Impl::Transition* known = impl_->find(shape, key);
    if (!known) return nullptr;
    *slot = known->slot;
    bits::retain(known->to);
    return known->to;
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
    draft.set_type(shape.record_type());
    ShapeObject* to = find(draft);
    if (!to && is_crowded_for(shape)) return nullptr;
    if (!to) to = make(draft);
    if (!to) return nullptr;
    // Kept only for a key whose address cannot be reused for another one: `to` owns it, or it is frozen (see sweep).
    const bool is_lasting = key.is_frozen() || to->keys()[*slot].raw() == key.raw();
    if (is_lasting && shape_find_other_spelling(shape, key) == kNoSlot) impl_->remember(shape, key, to, *slot);
    bits::retain(to);
    return to;
}

ShapeObject* ShapeTable::typed(const ShapeObject& shape, const Value& type) {
    if (!ensure_impl()) return nullptr;
    if (const Impl::Transition* known = impl_->find(shape, type, 0)) {
        bits::retain(known->to);
        return known->to;
    }
    Draft draft;
    for (std::uint32_t i = 0; i < shape.count; ++i)
        draft.add(shape.keys()[i]);
    draft.set_type(&type);
    ShapeObject* to = find(draft);
    if (!to) to = make(draft);
    if (!to) return nullptr;
    if (type.is_frozen() || to->record_type()->raw() == type.raw()) impl_->remember(shape, type, to, kNoSlot);
    bits::retain(to);
    return to;
}

ShapeObject* ShapeTable::without(const ShapeObject& shape, std::uint32_t slot) {
    if (!ensure_impl()) return nullptr;
    Draft draft;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        if (i != slot) draft.add(shape.keys()[i]);
    }
    draft.set_type(shape.record_type());
    ShapeObject* to = find(draft);
    if (!to && !is_crowded_for(shape)) to = make(draft);
    if (to) bits::retain(to);
    return to;
}

RecordPlans* ShapeTable::plans() {
    if (!plans_ && heap_.charge_bytes(sizeof(RecordPlans))) plans_ = new RecordPlans(*this);
    return plans_;
}

void ShapeTable::forget_plans() {
    if (!plans_) return;
    heap_.refund_bytes(sizeof(RecordPlans));
    delete std::exchange(plans_, nullptr);
}

void ShapeTable::sweep() {
    forget_plans();
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
