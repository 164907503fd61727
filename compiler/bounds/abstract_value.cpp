// The abstract values of the search for a bound of fuel: what is known of a value that is not there yet. Joining two
// gives one that stands for whatever either stood for. Each figure is an upper bound (least items a lower one), so
// mistakes must err on the dear side: a bound that is too high is useless, one that is too low is wrong.
//
// `walk_cost` bounds the work of going through the whole value, printing and hashing included. It is kept beside the
// number of items because a value may hold more than its items show: of a value that came from outside only the walk
// cost is known. Collections share parts with older versions of themselves; copies that sharing forces are paid for as
// abstract_value.h says.
#include "compiler/bounds/abstract_value.h"
#include "frontend/work.h"

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

constexpr double kScalarWalkCost = 2;
constexpr double kTableScanned = 8;  ///< tables up to this size have no chains
constexpr double kVectorCopied = 64; ///< shared vectors up to this size are copied each time
constexpr double kTableCopied = 32;

double text_walk_cost(double bytes) { return kScalarWalkCost + bytes / 4; }
double big_walk_cost(double limbs) { return 12 + 10 * limbs + 4 * limbs * limbs; } // printing is quadratic

/// Sorting the keys of a map or set.
double view_cost(double count, const AbstractValue& key) {
    if (count <= 1) return 4;
    const double comparison = key.may_be(kCollection | kOther | kBigInteger) ? 1 + 2 * key.walk_cost : 0.5;
    return 12 + 2 * count + count * std::log2(count + 1) * comparison;
}

std::shared_ptr<const Inside> holding(AbstractValue key, AbstractValue item) {
    auto inside = std::make_shared<Inside>();
    inside->key = std::move(key);
    inside->item = std::move(item);
    inside->key.is_chained = inside->item.is_chained = false;
    return inside;
}

/// No part of a value is deeper than this; below, only what the walk costs is known.
constexpr unsigned kMaxDepth = 8;

AbstractValue join(const AbstractValue& a, const AbstractValue& b, unsigned depth);

/// Whether keys and items are the same, as a set's are.
bool has_one_part(const Inside& inside) {
    const AbstractValue &key = inside.key, &item = inside.item;
    return key.inside && key.inside == item.inside && key.kinds == item.kinds && key.most == item.most &&
           key.least == item.least && key.low == item.low && key.high == item.high && key.walk_cost == item.walk_cost &&
           key.origin == item.origin;
}

std::shared_ptr<const Inside> join_inside(const AbstractValue& a, const AbstractValue& b, unsigned depth) {
    if (a.inside == b.inside) return a.inside;
    // What has no parts adds none.
    constexpr std::uint16_t kWithParts = kCollection | kFunction;
    if (!a.may_be(kWithParts)) return b.inside;
    if (!b.may_be(kWithParts)) return a.inside;
    if (!a.inside || !b.inside || depth == kMaxDepth) return nullptr;
    if (a.may_be(kFunction) || b.may_be(kFunction)) return nullptr; // one of several functions
    if (a.most == 0 && a.must_be(static_cast<std::uint16_t>(~kFunction))) return b.inside;
    if (b.most == 0 && b.must_be(static_cast<std::uint16_t>(~kFunction))) return a.inside;
    if (has_one_part(*a.inside) && has_one_part(*b.inside)) { // sets in sets would be joined once for each path to them
        const AbstractValue part = join(a.inside->item, b.inside->item, depth + 1);
        return holding(part, part);
    }
    return holding(join(a.inside->key, b.inside->key, depth + 1), join(a.inside->item, b.inside->item, depth + 1));
}

AbstractValue join(const AbstractValue& a, const AbstractValue& b, unsigned depth) {
    constexpr std::size_t kWorkOfJoin = 4;
    if (!work::charge(kWorkOfJoin)) return scalar(kOther);
    AbstractValue both;
    both.kinds = a.kinds | b.kinds;
    both.origin = a.is_known() ? b.origin : a.origin;
    const bool has_a = a.may_be(kInteger), has_b = b.may_be(kInteger);
    both.low = has_a && has_b ? std::min(a.low, b.low) : has_a ? a.low : b.low;
    both.high = has_a && has_b ? std::max(a.high, b.high) : has_a ? a.high : b.high;
    both.is_chained = a.is_chained && b.is_chained;
    both.least = std::min(a.least, b.least);
    both.most = std::max(a.most, b.most);
    both.walk_cost = std::max(a.walk_cost, b.walk_cost);
    both.inside = join_inside(a, b, depth);
    return both;
}

/// Joins the abstract values of many items.
class Joined {
public:
    void add(AbstractValue next) {
        joined_ = count_++ == 0 ? std::move(next) : ptc::join(joined_, next);
        total_ += joined_.walk_cost;
    }
    [[nodiscard]] const AbstractValue& joined() const { return joined_; }
    [[nodiscard]] double total_walk_cost() const { return total_; }

private:
    AbstractValue joined_;
    double total_ = 0;
    std::size_t count_ = 0;
};

AbstractValue abstract_function_value(const Value& value) {
    const auto* function = static_cast<const FunctionProto*>(&function_info(value));
    std::vector<AbstractValue> captures;
    if (value.is(ObjectType::Closure)) {
        const auto* closure = static_cast<const ClosureObject*>(value.object());
        for (std::uint32_t i = 0; i < closure->count; ++i)
            captures.push_back(abstract_value_of(closure->captures()[i]));
    }
    return abstract_function(function, std::move(captures));
}

AbstractValue abstract_keyed(const Value& value) {
    Heap scratch;
    Joined keys, items;
    double count = 0;
    const auto add = [&](const Value& key, const Value* item) {
        keys.add(abstract_value_of(key));
        if (item) items.add(abstract_value_of(*item));
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
    return value.is_map() ? map_of(keys.joined(), items.joined(), count, count) : set_of(keys.joined(), count, count);
}

} // namespace

// ---- Making them

AbstractValue scalar(std::uint16_t k) {
    AbstractValue result;
    result.kinds = k;
    result.walk_cost = kScalarWalkCost;
    return result;
}

AbstractValue integer(std::int64_t low, std::int64_t high) {
    AbstractValue result = scalar(kInteger);
    if (low < bits::kMinInteger || high > bits::kMaxInteger) {
        result.kinds |= kBigInteger;
        result.walk_cost = big_walk_cost(1);
        return result;
    }
    result.low = low;
    result.high = high;
    return result;
}

AbstractValue text(double bytes) {
    AbstractValue result = scalar(kText);
    result.most = bytes;
    result.walk_cost = text_walk_cost(bytes);
    return result;
}

AbstractValue anything(double walk_cost, std::uint16_t origin) {
    AbstractValue result = scalar(kAny);
    result.origin = origin;
    result.most = 4 * walk_cost; // bytes of a text; items cost more
    result.walk_cost = walk_cost;
    return result;
}

AbstractValue vector_of(AbstractValue item, double least, double most) {
    AbstractValue result = scalar(kVector);
    result.origin = item.origin;
    result.least = least;
    result.most = most;
    result.walk_cost = 2 + times(most, 1 + item.walk_cost);
    result.inside = holding({}, std::move(item));
    return result;
}

AbstractValue vector_of_items(std::vector<AbstractValue> items) {
    constexpr std::size_t kMostItems = 64; // more of them are only known as a whole
    const auto n = static_cast<double>(items.size());
    Joined all;
    for (const AbstractValue& item : items)
        all.add(item);
    AbstractValue vector = vector_of(all.joined(), n, n);
    vector.walk_cost = 2 + n + all.total_walk_cost();
    if (items.size() > kMostItems) return vector;
    auto inside = std::make_shared<Inside>(*vector.inside);
    inside->items = std::move(items);
    for (AbstractValue& item : inside->items)
        item.is_chained = false;
    vector.inside = std::move(inside);
    return vector;
}

AbstractValue set_of(AbstractValue item, double least, double most) {
    AbstractValue result = scalar(kSet);
    result.origin = item.origin;
    result.least = least;
    result.most = most;
    result.walk_cost = 4 + (most > 0 ? most * (1 + item.walk_cost) + view_cost(most, item) : 0);
    result.inside = holding(item, item);
    return result;
}

AbstractValue map_of(AbstractValue key, AbstractValue item, double least, double most) {
    AbstractValue result = scalar(kMap);
    result.origin = key.is_known() ? item.origin : key.origin;
    result.least = least;
    result.most = most;
    result.walk_cost = 8 + (most > 0 ? most * (3 + key.walk_cost + item.walk_cost) + view_cost(most, key) : 0);
    result.inside = holding(std::move(key), std::move(item));
    return result;
}

AbstractValue abstract_function(const FunctionProto* function, std::vector<AbstractValue> captures) {
    AbstractValue result = scalar(kFunction);
    const char* parameters = function->parameters;
    result.walk_cost =
        text_walk_cost(16 + static_cast<double>(parameters ? std::char_traits<char>::length(parameters) : 0));
    auto inside = std::make_shared<Inside>();
    inside->function = function;
    inside->captures = std::move(captures);
    for (AbstractValue& capture : inside->captures)
        capture.is_chained = false;
    result.inside = std::move(inside);
    return result;
}

AbstractValue abstract_builtin(std::uint32_t index) {
    AbstractValue result = scalar(kFunction);
    result.walk_cost = text_walk_cost(64);
    auto inside = std::make_shared<Inside>();
    inside->builtin = index;
    result.inside = std::move(inside);
    return result;
}

AbstractValue join(const AbstractValue& a, const AbstractValue& b) { return join(a, b, 0); }

AbstractValue abstract_value_of(const Value& value) {
    if (value.is_nil()) return scalar(kNil);
    if (value.is_boolean()) return scalar(value.is_true() ? kTrue : kFalse);
    if (value.is_small_integer()) return integer(value.small_integer(), value.small_integer());
    if (value.is_double()) return scalar(kDouble);
    if (value.is_builtin()) return abstract_builtin(value.builtin_index());
    if (value.is_function()) return abstract_function_value(value);
    constexpr std::size_t kWorkOfKeyed = 25, kWorkOfItem = 5;
    if (value.is_map() || value.is_set()) return work::charge(kWorkOfKeyed) ? abstract_keyed(value) : scalar(kOther);
    if (value.is_vector()) {
        std::vector<AbstractValue> items;
        for (std::size_t i = 0; i < vector_length(value) && work::charge(kWorkOfItem); ++i) {
            const Value item = vector_get(value, i);
            items.push_back(abstract_value_of(item));
        }
        AbstractValue vector = vector_of_items(std::move(items));
        if (!value.is(ObjectType::Vector)) vector.kinds = kRange;
        return vector;
    }
    if (value.is(ObjectType::BigInteger)) {
        AbstractValue big = scalar(kBigInteger);
        big.walk_cost = big_walk_cost(std::ceil(static_cast<double>(number_to_text(value).size()) / 19));
        return big;
    }
    if (value.is(ObjectType::Keyword) || value.is_string()) {
        AbstractValue result = text(static_cast<double>(text_of(value).size()));
        result.least = result.most;
        result.kinds = value.is_string() ? kText : kKeyword;
        return result;
    }
    AbstractValue other = scalar(kOther); // a date, a regex, a var, a name
    other.walk_cost = text_walk_cost(static_cast<double>(scalar_to_string(value).size()));
    return other;
}

// ---- Reading them

AbstractValue found_in(const AbstractValue& collection) {
    if (!collection.inside) return anything(collection.walk_cost, collection.origin);
    AbstractValue found = collection.inside->item;
    if (collection.may_be(kText)) found = join(found, text(std::min(collection.most, 4 * collection.walk_cost)));
    return found;
}

AbstractValue item_of(const AbstractValue& collection) {
    if (collection.must_be(kText | kNil)) return text(collection.most);
    if (!collection.inside) return anything(collection.walk_cost, collection.origin);
    AbstractValue item = found_in(collection);
    if (!collection.may_be(kMap)) return item;
    const AbstractValue entry = vector_of(join(collection.inside->key, item), 2, 2);
    return collection.must_be(kMap | kNil) ? entry : join(item, entry);
}

AbstractValue item_at(const AbstractValue& collection, std::size_t i) {
    if (!collection.inside || !collection.must_be(kSequence)) return item_of(collection);
    const Inside& inside = *collection.inside;
    if (i < inside.items.size()) return inside.items[i];
    if (inside.step == 0) return item_of(collection);
    const std::int64_t item = inside.start + static_cast<std::int64_t>(i) * inside.step;
    return integer(item, item);
}

AbstractValue as_sequence(const AbstractValue& collection) {
    if (collection.must_be(kSequence)) return collection;
    AbstractValue vector =
        vector_of(item_of(collection), collection.must_be(kCollection) ? collection.least : 0, collection.most);
    // Items share the walk cost of the whole; a string's characters are its bytes.
    const double shared = 4 + 8 * collection.most + collection.walk_cost;
    vector.walk_cost = std::min(vector.walk_cost, shared);
    return vector;
}

double sequence_cost(const AbstractValue& collection) {
    double cost = 0;
    if (collection.may_be(kText)) cost += 2 * collection.most;
    if (collection.may_be(kKeyed)) cost += 4 * collection.most + collection.walk_cost;
    return cost;
}

double limbs_of(const AbstractValue& number) {
    return number.may_be(kBigInteger) ? std::max(1.0, std::sqrt(number.walk_cost / 4)) : 1;
}

double text_bytes(const AbstractValue& value) {
    if (value.must_be(kText | kNil)) return value.most;
    if (value.must_be(kKeyword | kNil)) return value.most + 1;
    return 16 * value.walk_cost; // the walk to each scalar within costs 2 and has at most 32 bytes; text within may
                                 // double by escapes
}

// ---- What collections cost

double lookup_cost(const AbstractValue& collection, const AbstractValue& key) {
    double cost = 0;
    if (collection.may_be(kText)) cost += collection.most / 8;
    if (!collection.may_be(kCollection)) return cost;
    const double hash = key.may_be(kCollection | kOther | kBigInteger) ? 2 * key.walk_cost : 0;
    constexpr double kSpellings = 4; // :a-b, "a-b", :a_b, "a_b"
    const double chain = collection.most > kTableScanned ? collection.most * (1 + hash) : 0;
    if (collection.may_be(kKeyed)) cost += kSpellings * (hash + chain);
    const bool may_be_path = key.may_be(kSequence) && collection.may_be(kSequence | kMap);
    if (may_be_path) cost += key.walk_cost * (2 + 2 * collection.walk_cost);
    return cost;
}

double insert_cost(const AbstractValue& collection, const AbstractValue& key) {
    double cost = 4;
    if (collection.may_be(kRange)) cost += 4 * collection.most;
    if (collection.may_be(kVector) && !collection.is_chained) {
        // A large one may be copied too, which copy_share has paid for; then it is changed by edits.
        cost += collection.most > kVectorCopied ? 96 : 1.25 * collection.most;
    }
    if (!collection.may_be(kKeyed)) return cost;
    const double hash = key.may_be(kCollection | kOther | kBigInteger) ? 2 * key.walk_cost : 0;
    const double chain = collection.most > kTableScanned ? collection.most : 0;
    // Growing fills the index anew, which chains make quadratic: paid for by the insertions since the last time.
    cost += hash + times(chain, 8 + hash);
    if (collection.is_chained) return cost;
    const double copied = std::min(collection.most, 2 * kTableCopied);
    return cost + 20 + (chain > 0 ? copied * copied / 2 : collection.most);
}

double build_cost(double count, const AbstractValue& key) {
    if (count <= 0) return 0;
    AbstractValue growing = map_of(key, key, 0, count);
    growing.is_chained = true;
    return times(count, insert_cost(growing, key));
}

double copy_share(const AbstractValue& made) {
    return made.may_be(kVector) && made.most > kVectorCopied ? 1.25 * made.most : 0;
}

} // namespace ptc
