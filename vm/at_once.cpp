// Predicates and equality of what needs no more than a look at a word or at an object's header. The interpreter asks
// here before it takes a slow path; these are functions of their own because, inlined into the loop, they take
// registers from all other instructions.
#include "vm/at_once.h"
#include "runtime/equality.h"
#include "runtime/string.h"
#include "runtime/vector.h"

namespace ptc {
namespace {

/// What a predicate says of an object, where that takes no more than a look; -1: not of this one.
int test_object(Predicate predicate, const Object* object) {
    if (predicate != Predicate::IsReduced || object->type != ObjectType::Vector) return test_by_type(predicate, object);
    const auto* vector = static_cast<const VectorObject*>(object); // a mark and a value (is_reduced)
    return vector->length == 2 && vector->data[0].is_builtin() ? -1 : 0;
}

/// Whether two texts are equal; -1: what is none is among them, or they are long. Most that differ do so in their
/// length or their first or last byte: a `case` on keywords asks for one after the other.
int equal_texts(const Object* left, const Object* right) {
    if (!is_text(left->type) || !is_text(right->type)) return -1;
    if (left == right) return 1;
    if (left->type != right->type) return 0;
    const std::string_view x = static_cast<const StringObject*>(left)->view();
    const std::string_view y = static_cast<const StringObject*>(right)->view();
    if (x.size() != y.size()) return 0;
    if (x.size() > kFreeBytes) return -1;
    return x.empty() || (x.front() == y.front() && x.back() == y.back() && x == y);
}

/// Whether two short vectors are equal, as far as texts and words tell; -1: something else is among what decides it. A
/// multimethod asks for one vector of keywords after the other.
int equal_vectors(const VectorObject& left, const VectorObject& right) {
    constexpr std::uint32_t kShort = 4;
    if (left.length != right.length) return 0;
    if (left.length > kShort) return -1;
    for (std::uint32_t i = 0; i < left.length; ++i) {
        const Bits x = left.data[i].raw(), y = right.data[i].raw();
        if (bits::is_integer(x & y) || (x == y && !bits::is_object(x) && !bits::is_double(x))) {
            if (x != y) return 0;
            continue;
        }
        const bool is_vector = bits::is_object(x) && !is_text(bits::to_object(x)->type);
        const int is_equal = is_vector ? -1 : equal_at_once(x, y);
        if (is_equal <= 0) return is_equal;
    }
    return 1;
}

} // namespace

int test_at_once(Predicate predicate, Bits b) {
    if (bits::is_object(b)) return test_object(predicate, bits::to_object(b));
    if (bits::is_integer(b)) return test_integer(predicate, bits::to_integer(b));
    switch (predicate) {
    case Predicate::IsNil: return b == bits::kNil;
    case Predicate::IsSome: return b != bits::kNil;
    case Predicate::IsTrue: return b == bits::kTrue;
    case Predicate::IsFalse: return b == bits::kFalse;
    case Predicate::IsNumber: return bits::is_double(b);
    case Predicate::IsString:
    case Predicate::IsKeyword:
    case Predicate::IsVector:
    case Predicate::IsMap:
    case Predicate::IsSet:
    case Predicate::IsReduced: return 0;
    case Predicate::IsEmpty: return b == bits::kNil ? 1 : -1;
    case Predicate::HasItems: return b == bits::kNil ? 0 : -1;
    case Predicate::IsWhole: return bits::is_double(b) || b == bits::kNil ? 1 : -1;
    default: return -1;
    }
}

int equal_at_once(Bits b, Bits c) {
    if (bits::is_object(b) && bits::is_object(c)) {
        const Object *left = bits::to_object(b), *right = bits::to_object(c);
        if (left->type == ObjectType::Vector && right->type == ObjectType::Vector)
            return equal_vectors(static_cast<const VectorObject&>(*left), static_cast<const VectorObject&>(*right));
        return equal_texts(left, right);
    }
    const auto is_number = [](Bits x) { return bits::is_integer(x) || bits::is_double(x); };
    if (is_number(b) || is_number(c)) {
        const Bits other = is_number(b) ? c : b;
        if (is_number(other)) return -1;
        return bits::is_object(other) && !is_text(bits::to_object(other)->type) ? -1 : 0;
    }
    return b == c;
}

std::uint32_t entry_at_once(const HashTableObject& table, Bits integer) {
    const std::uint32_t width = table.width(), mask = table.mask;
    if (mask == 0) { // few entries: an integer equals its own word only, so no hash is asked for
        const Value* key = table.entries;
        for (std::uint32_t e = 0; e < table.count; ++e, key += width) {
            if (key->raw() == integer) return e;
        }
        return HashTableObject::kNone;
    }
    constexpr std::uint32_t kProbes = 8; // as many as table_find_if has for nothing
    const std::uint32_t hash = hash_integer(integer);
    std::uint32_t at = hash & mask;
    for (std::uint32_t probe = 0; probe < kProbes; ++probe, at = (at + 1) & mask) {
        const std::uint32_t slot = table.index[at];
        if (((slot ^ hash) & ~mask) == 0) {
            const std::uint32_t e = slot & mask;
            if (e == mask) return HashTableObject::kNone;
            if (table.entries[e * width].raw() == integer) return e;
        } else if (slot == HashTableObject::kEmptySlot) {
            return HashTableObject::kNone;
        }
    }
    return kNotAtOnce;
}

} // namespace ptc
