// Hashes (equality.h): of bytes, of leaves, and of collections. Only the last of them need to know what maps and sets
// are, and these are made of hashes: that is why the header is below them and this file above.
//
// A vector mixes the hashes of its elements in their order. A map or set adds up those of its entries, whose order
// means nothing; each is mixed before, or entries could cancel each other out. Walking has a stack of its own.
#include "runtime/entries.h"
#include "runtime/equality.h"
#include "runtime/function.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/time.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace ptc {
namespace {

template <class Word> std::uint64_t read(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

std::uint64_t hash_name(Heap& heap, std::string_view function_name) {
    charge_reading(heap, function_name.size());
    return hash_bytes(function_name);
}

std::uint64_t hash_leaf(Heap& heap, const Value& v) {
    switch (v.type()) {
    case ObjectType::Free: return hash_word(v.raw());
    case ObjectType::String:
    case ObjectType::Keyword:
    case ObjectType::Var:
    case ObjectType::Symbol: return key_hash_of_text(v.object()->type, text_hash(heap, as_string(v)));
    case ObjectType::BigInteger: charge_reading(heap, integer_bytes(v)); return hash_number(v);
    case ObjectType::Closure: return hash_name(heap, function_info(v).name);
    case ObjectType::Regex: return text_hash(as_string(static_cast<const RegexObject*>(v.object())->source)) ^ kMixA;
    default: {
        const TimeObject& time = as_time(v);
        return fold_multiply(static_cast<std::uint64_t>(time.a) ^ kMixA,
                             static_cast<std::uint64_t>(time.b) ^ kMixB ^ static_cast<std::uint64_t>(time.type));
    }
    }
}

/// Hashes containers with a stack of its own. Maps and sets add up their entries, whose order means nothing.
class Hasher {
public:
    explicit Hasher(Heap& heap) : heap_(heap) {}

    std::uint64_t run(const Value& v) {
        std::uint64_t last = 0;
        bool has_last = enter(v, last);
        while (!levels_.empty()) {
            if (!heap_.meter.charge(1)) return 0;
            if (has_last) add(levels_.back(), last);
            Level& level = levels_.back();
            if (level.next == level.end) {
                last = fold_multiply(level.sum ^ kMixC, level.end ^ kMixB);
                has_last = true;
                levels_.pop_back();
                continue;
            }
            std::size_t i = level.next++;
            Value temporary;
            const Value& part =
                level.coll->is_vector() ? vector_element(*level.coll, i, temporary) : level.entries->value(i);
            has_last = enter(part, last);
        }
        return last;
    }

private:
    struct Level {
        const Value* coll;
        std::unique_ptr<Entries> entries; ///< of a map
        std::uint32_t end;
        std::uint32_t next = 0;
        std::uint64_t sum = 0;
    };

    /// True with `*result` for a leaf; false when `v` is the new innermost level.
    bool enter(const Value& v, std::uint64_t& result) {
        if (v.is_static_function()) {
            result = hash_name(heap_, v.static_function()->name);
            return true;
        }
        if (!v.is_collection()) {
            result = hash_leaf(heap_, v);
            return true;
        }
        if (v.is_set()) {
            std::uint64_t sum = 0;
            for_each_entry(heap_, v,
                           [&](const Value*, std::uint32_t hash) { sum += fold_multiply(hash ^ kMixA, kMixB); });
            heap_.meter.charge_unchecked(static_cast<std::int64_t>(set_count(v) / 4));
            result = fold_multiply(sum ^ kMixA, kMixC);
            return true;
        }
        levels_.push_back({&v, v.is_vector() ? nullptr : std::make_unique<Entries>(heap_, v), count_of(v)});
        return false;
    }

    /// `hash` is that of the element or value before `next`.
    static void add(Level& level, std::uint64_t hash) {
        if (level.coll->is_vector())
            level.sum = fold_multiply(level.sum ^ hash ^ kMixA, kMixB);
        else
            level.sum += fold_multiply(level.entries->hash(level.next - 1) ^ kMixA, hash ^ kMixC);
    }

    Heap& heap_;
    std::vector<Level> levels_;
};

constexpr std::uint32_t kShort = 8;

/// Whether it is a leaf, or a short flat vector of leaves with `levels` of such vectors in it.
bool is_shallow(const Value& v, int levels) {
    if (!v.is_collection()) return !v.is_static_function();
    if (levels == 0 || !v.is(ObjectType::Vector) || as_flat(v).length > kShort) return false;
    const VectorObject& vector = as_flat(v);
    return std::all_of(vector.data, vector.data + vector.length,
                       [levels](const Value& item) { return is_shallow(item, levels - 1); });
}

std::uint64_t hash_shallow(Heap& heap, const Value& v) {
    if (v.is_small_integer()) return hash_integer(v.raw());
    if (!v.is_collection()) return hash_leaf(heap, v);
    const VectorObject& vector = as_flat(v);
    VectorHash all;
    for (std::uint32_t i = 0; i < vector.length; ++i)
        all.add(hash_shallow(heap, vector.data[i]));
    return heap.meter.charge(vector.length + 1) ? all.finish(vector.length) : 0;
}

/// A flat vector of leaves, or of vectors of leaves, as most keys that are collections: like Hasher, and for the same
/// fuel. False when it is none.
bool hash_flat(Heap& heap, const Value& v, std::uint64_t* result) {
    constexpr int kLevels = 2;
    const VectorObject& vector = as_flat(v);
    const Value* const begin = vector.data;
    const Value* const end = begin + vector.length;
    if (vector.length > kShort) return false;
    VectorHash all;
    const Value* item = begin;
    for (; item != end && item->is_small_integer(); ++item)
        all.add(hash_integer(item->raw()));
    if (item != end) { // hashes of other parts cost fuel: none before all are known to be shallow
        if (!std::all_of(item, end, [](const Value& part) { return is_shallow(part, kLevels); })) return false;
        for (; item != end; ++item)
            all.add(hash_shallow(heap, *item));
    }
    *result = heap.meter.charge(vector.length + 1) ? all.finish(vector.length) : 0;
    return true;
}

} // namespace

std::uint32_t hash_bytes(std::string_view text) {
    const char* p = text.data();
    std::size_t n = text.size();
    std::uint64_t state = kMixA ^ n;
    for (; n > 16; p += 16, n -= 16)
        state = absorb(read<std::uint64_t>(p) ^ kMixB, read<std::uint64_t>(p + 8) ^ state);
    std::uint64_t a = 0, b = 0; // the rest; two reads may overlap
    if (n >= 8) {
        a = read<std::uint64_t>(p);
        b = read<std::uint64_t>(p + n - 8);
    } else if (n >= 4) {
        a = read<std::uint32_t>(p);
        b = read<std::uint32_t>(p + n - 4);
    } else if (n > 0) {
        a = read<std::uint8_t>(p) | read<std::uint8_t>(p + n / 2) << 8 | read<std::uint8_t>(p + n - 1) << 16;
    }
    return finish_hash(text.size(), a, b, state);
}

std::uint32_t text_hash_slow(const StringObject& text) {
    std::uint32_t h = hash_bytes(text.view());
    const_cast<StringObject&>(text).hash_cache.store(h, std::memory_order_relaxed);
    return h;
}

std::uint64_t hash(Heap& heap, const Value& v) {
    std::uint64_t result = 0;
    if (v.is(ObjectType::Vector)) {
        if (hash_flat(heap, v, &result)) [[likely]]
            return result;
    } else if (!v.is_collection() && !v.is_static_function()) {
        return hash_leaf(heap, v);
    }
    return Hasher(heap).run(v);
}

} // namespace ptc
