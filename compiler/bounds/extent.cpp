// The abstract values of the search for a bound of fuel: what is known of a value that is not there yet. Joining two
// gives one that stands for whatever either stood for. Each figure is an upper bound (least items a lower one), so
// mistakes must err on the dear side: a bound that is too high is useless, one that is too low is wrong.
//
// `weight` bounds the work of going through the whole value, printing and hashing included. It is kept beside the
// number of items because a value may hold more than its items show: of a value that came from outside only the weight
// is known. Collections share parts with older versions of themselves; copies that sharing forces are paid for as
// extent.h says.
#include "compiler/bounds/extent.h"

#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/print.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "vm/program.h"
#include <algorithm>
#include <cmath>

namespace ptc {
namespace {

using namespace kinds;

constexpr double kScalarWeight = 2;
constexpr double kTableScanned = 8;  ///< tables up to this size have no chains
constexpr double kVectorCopied = 64; ///< shared vectors up to this size are copied each time
constexpr double kTableCopied = 32;

double text_weight(double bytes) { return kScalarWeight + bytes / 4; }
double big_weight(double limbs) { return 12 + 10 * limbs + 4 * limbs * limbs; } // printing is quadratic

/// Sorting the keys of a map or set.
double view_cost(double count, const Extent& key) {
    if (count <= 1) return 4;
    const double comparison = key.may_be(kCollection | kOther | kBigInteger) ? 1 + 2 * key.weight : 0.5;
    return 12 + 2 * count + count * std::log2(count + 1) * comparison;
}

std::shared_ptr<const Inside> holding(Extent key, Extent item) {
    auto inside = std::make_shared<Inside>();
    inside->key = std::move(key);
    inside->item = std::move(item);
    inside->key.is_chained = inside->item.is_chained = false;
    return inside;
}

/// No part of a value is deeper than this; below, only weights are known.
constexpr unsigned kMaxDepth = 8;

Extent join(const Extent& a, const Extent& b, unsigned depth);

std::shared_ptr<const Inside> join_inside(const Extent& a, const Extent& b, unsigned depth) {
    if (a.inside == b.inside) return a.inside;
    // What has no parts adds none.
    constexpr std::uint16_t kWithParts = kCollection | kFunction;
    if (!a.may_be(kWithParts)) return b.inside;
    if (!b.may_be(kWithParts)) return a.inside;
    if (!a.inside || !b.inside || depth == kMaxDepth) return nullptr;
    if (a.may_be(kFunction) || b.may_be(kFunction)) return nullptr; // one of several functions
    if (a.most == 0 && a.must_be(static_cast<std::uint16_t>(~kFunction))) return b.inside;
    if (b.most == 0 && b.must_be(static_cast<std::uint16_t>(~kFunction))) return a.inside;
    return holding(join(a.inside->key, b.inside->key, depth + 1), join(a.inside->item, b.inside->item, depth + 1));
}

Extent join(const Extent& a, const Extent& b, unsigned depth) {
    Extent both;
    both.kinds = a.kinds | b.kinds;
    both.origin = a.is_known() ? b.origin : a.origin;
    const bool has_a = a.may_be(kInteger), has_b = b.may_be(kInteger);
    both.low = has_a && has_b ? std::min(a.low, b.low) : has_a ? a.low : b.low;
    both.high = has_a && has_b ? std::max(a.high, b.high) : has_a ? a.high : b.high;
    both.is_chained = a.is_chained && b.is_chained;
    both.least = std::min(a.least, b.least);
    both.most = std::max(a.most, b.most);
    both.weight = std::max(a.weight, b.weight);
    both.inside = join_inside(a, b, depth);
    return both;
}

/// Collects the extents of many items.
class Joined {
public:
    void add(Extent next) {
        extent_ = count_++ == 0 ? std::move(next) : ptc::join(extent_, next);
        total_ += extent_.weight;
    }
    [[nodiscard]] const Extent& extent() const { return extent_; }
    [[nodiscard]] double total_weight() const { return total_; }

private:
    Extent extent_;
    double total_ = 0;
    std::size_t count_ = 0;
};

Extent extent_of_function(const Value& value) {
    const auto* function = static_cast<const FunctionProto*>(&function_info(value));
    std::vector<Extent> captures;
    if (value.is(ObjectType::Closure)) {
        const auto* closure = static_cast<const ClosureObject*>(value.object());
        for (std::uint32_t i = 0; i < closure->count; ++i)
            captures.push_back(extent_of(closure->captures()[i]));
    }
    return function_extent(function, std::move(captures));
}

Extent extent_of_keyed(const Value& value) {
    Heap scratch;
    Joined keys, items;
    double count = 0;
    const auto add = [&](const Value& key, const Value* item) {
        keys.add(extent_of(key));
        if (item) items.add(extent_of(*item));
        ++count;
    };
    if (value.is(ObjectType::Record)) {
        const RecordObject& record = as_record(value);
        for (std::uint32_t i = 0; i < record.shape->count; ++i)
            add(record.shape->keys()[i], record.values() + i);
    } else {
        for_each_entry(scratch, value,
                       [&](const Value* entry, std::uint32_t) { add(entry[0], value.is_map() ? entry + 1 : nullptr); });
    }
    return value.is_map() ? map_of(keys.extent(), items.extent(), count, count) : set_of(keys.extent(), count, count);
}

} // namespace

// ---- Making them

Extent scalar(std::uint16_t k) {
    Extent extent;
    extent.kinds = k;
    extent.weight = kScalarWeight;
    return extent;
}

Extent integer(std::int64_t low, std::int64_t high) {
    Extent extent = scalar(kInteger);
    if (low < bits::kMinInteger || high > bits::kMaxInteger) {
        extent.kinds |= kBigInteger;
        extent.weight = big_weight(1);
        return extent;
    }
    extent.low = low;
    extent.high = high;
    return extent;
}

Extent text(double bytes) {
    Extent extent = scalar(kText);
    extent.most = bytes;
    extent.weight = text_weight(bytes);
    return extent;
}

Extent anything(double weight, std::uint16_t origin) {
    Extent extent = scalar(kAny);
    extent.origin = origin;
    extent.most = 4 * weight; // bytes of a text; items weigh more
    extent.weight = weight;
    return extent;
}

Extent vector_of(Extent item, double least, double most) {
    Extent extent = scalar(kVector);
    extent.origin = item.origin;
    extent.least = least;
    extent.most = most;
    extent.weight = 2 + times(most, 1 + item.weight);
    extent.inside = holding({}, std::move(item));
    return extent;
}

Extent vector_of_items(std::vector<Extent> items) {
    constexpr std::size_t kMostItems = 64; // more of them are only known as a whole
    const auto n = static_cast<double>(items.size());
    Joined all;
    for (const Extent& item : items)
        all.add(item);
    Extent vector = vector_of(all.extent(), n, n);
    vector.weight = 2 + n + all.total_weight();
    if (items.size() > kMostItems) return vector;
    auto inside = std::make_shared<Inside>(*vector.inside);
    inside->items = std::move(items);
    for (Extent& item : inside->items)
        item.is_chained = false;
    vector.inside = std::move(inside);
    return vector;
}

Extent set_of(Extent item, double least, double most) {
    Extent extent = scalar(kSet);
    extent.origin = item.origin;
    extent.least = least;
    extent.most = most;
    extent.weight = 4 + (most > 0 ? most * (1 + item.weight) + view_cost(most, item) : 0);
    extent.inside = holding(item, item);
    return extent;
}

Extent map_of(Extent key, Extent item, double least, double most) {
    Extent extent = scalar(kMap);
    extent.origin = key.is_known() ? item.origin : key.origin;
    extent.least = least;
    extent.most = most;
    extent.weight = 8 + (most > 0 ? most * (3 + key.weight + item.weight) + view_cost(most, key) : 0);
    extent.inside = holding(std::move(key), std::move(item));
    return extent;
}

Extent function_extent(const FunctionProto* function, std::vector<Extent> captures) {
    Extent extent = scalar(kFunction);
    const char* parameters = function->parameters;
    extent.weight = text_weight(16 + static_cast<double>(parameters ? std::char_traits<char>::length(parameters) : 0));
    auto inside = std::make_shared<Inside>();
    inside->function = function;
    inside->captures = std::move(captures);
    for (Extent& capture : inside->captures)
        capture.is_chained = false;
    extent.inside = std::move(inside);
    return extent;
}

Extent builtin_extent(std::uint32_t index) {
    Extent extent = scalar(kFunction);
    extent.weight = text_weight(64);
    auto inside = std::make_shared<Inside>();
    inside->builtin = index;
    extent.inside = std::move(inside);
    return extent;
}

Extent join(const Extent& a, const Extent& b) { return join(a, b, 0); }

Extent extent_of(const Value& value) {
    if (value.is_nil()) return scalar(kNil);
    if (value.is_boolean()) return scalar(value.is_true() ? kTrue : kFalse);
    if (value.is_small_integer()) return integer(value.small_integer(), value.small_integer());
    if (value.is_double()) return scalar(kDouble);
    if (value.is_builtin()) return builtin_extent(value.builtin_index());
    if (value.is_function()) return extent_of_function(value);
    if (value.is_map() || value.is_set()) return extent_of_keyed(value);
    if (value.is_vector()) {
        std::vector<Extent> items;
        for (std::size_t i = 0; i < vector_length(value); ++i) {
            const Value item = vector_get(value, i);
            items.push_back(extent_of(item));
        }
        Extent vector = vector_of_items(std::move(items));
        if (!value.is(ObjectType::Vector)) vector.kinds = kRange;
        return vector;
    }
    if (value.is(ObjectType::BigInteger)) {
        Extent big = scalar(kBigInteger);
        big.weight = big_weight(std::ceil(static_cast<double>(number_to_text(value).size()) / 19));
        return big;
    }
    if (value.is(ObjectType::Keyword) || value.is_string()) {
        Extent extent = text(static_cast<double>(text_of(value).size()));
        extent.least = extent.most;
        extent.kinds = value.is_string() ? kText : kKeyword;
        return extent;
    }
    Extent other = scalar(kOther); // a date, a regex, a var, a name
    other.weight = text_weight(static_cast<double>(scalar_to_string(value).size()));
    return other;
}

// ---- Reading them

Extent found_in(const Extent& collection) {
    if (!collection.inside) return anything(collection.weight, collection.origin);
    Extent found = collection.inside->item;
    if (collection.may_be(kText)) found = join(found, text(std::min(collection.most, 4 * collection.weight)));
    return found;
}

Extent item_of(const Extent& collection) {
    if (collection.must_be(kText | kNil)) return text(collection.most);
    if (!collection.inside) return anything(collection.weight, collection.origin);
    Extent item = found_in(collection);
    if (!collection.may_be(kMap)) return item;
    const Extent entry = vector_of(join(collection.inside->key, item), 2, 2);
    return collection.must_be(kMap | kNil) ? entry : join(item, entry);
}

Extent item_at(const Extent& collection, std::size_t i) {
    if (!collection.inside || !collection.must_be(kSequence)) return item_of(collection);
    const Inside& inside = *collection.inside;
    if (i < inside.items.size()) return inside.items[i];
    if (inside.step == 0) return item_of(collection);
    const std::int64_t item = inside.start + static_cast<std::int64_t>(i) * inside.step;
    return integer(item, item);
}

Extent as_sequence(const Extent& collection) {
    if (collection.must_be(kSequence)) return collection;
    Extent vector =
        vector_of(item_of(collection), collection.must_be(kCollection) ? collection.least : 0, collection.most);
    // Items share the weight of the whole; a string's characters are its bytes.
    const double shared = 4 + 8 * collection.most + collection.weight;
    vector.weight = std::min(vector.weight, shared);
    return vector;
}

double sequence_cost(const Extent& collection) {
    double cost = 0;
    if (collection.may_be(kText)) cost += 2 * collection.most;
    if (collection.may_be(kKeyed)) cost += 4 * collection.most + collection.weight;
    return cost;
}

double limbs_of(const Extent& number) {
    return number.may_be(kBigInteger) ? std::max(1.0, std::sqrt(number.weight / 4)) : 1;
}

double text_bytes(const Extent& value) {
    if (value.must_be(kText | kNil)) return value.most;
    if (value.must_be(kKeyword | kNil)) return value.most + 1;
    return 16 * value.weight; // each scalar within weighs 2 and has at most 32 bytes; text within may double by escapes
}

// ---- What collections cost

double lookup_cost(const Extent& collection, const Extent& key) {
    double cost = 0;
    if (collection.may_be(kText)) cost += collection.most / 8;
    if (!collection.may_be(kCollection)) return cost;
    const double hash = key.may_be(kCollection | kOther | kBigInteger) ? 2 * key.weight : 0;
    constexpr double kSpellings = 4; // :a-b, "a-b", :a_b, "a_b"
    const double chain = collection.most > kTableScanned ? collection.most * (1 + hash) : 0;
    if (collection.may_be(kKeyed)) cost += kSpellings * (hash + chain);
    const bool may_be_path = key.may_be(kSequence) && collection.may_be(kSequence | kMap);
    if (may_be_path) cost += key.weight * (2 + 2 * collection.weight);
    return cost;
}

double insert_cost(const Extent& collection, const Extent& key) {
    double cost = 4;
    if (collection.may_be(kRange)) cost += 4 * collection.most;
    if (collection.may_be(kVector) && !collection.is_chained) {
        // A large one may be copied too, which copy_share has paid for; then it is changed by edits.
        cost += collection.most > kVectorCopied ? 96 : 1.25 * collection.most;
    }
    if (!collection.may_be(kKeyed)) return cost;
    const double hash = key.may_be(kCollection | kOther | kBigInteger) ? 2 * key.weight : 0;
    const double chain = collection.most > kTableScanned ? collection.most : 0;
    // Growing fills the index anew, which chains make quadratic: paid for by the insertions since the last time.
    cost += hash + times(chain, 8 + hash);
    if (collection.is_chained) return cost;
    const double copied = std::min(collection.most, 2 * kTableCopied);
    return cost + 20 + (chain > 0 ? copied * copied / 2 : collection.most);
}

double build_cost(double count, const Extent& key) {
    if (count <= 0) return 0;
    Extent growing = map_of(key, key, 0, count);
    growing.is_chained = true;
    return times(count, insert_cost(growing, key));
}

double copy_share(const Extent& made) {
    return made.may_be(kVector) && made.most > kVectorCopied ? 1.25 * made.most : 0;
}

} // namespace ptc
