// Sets, and sets of maps as relations (clojure.set). Like Clojure's, the functions take nil and other collections where
// that has a meaning (GAP-S30): they go by conj, disj and contains?.
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/set.h"
#include <algorithm>
#include <utility>

namespace ptc {
namespace {

Result<Value> set_of(Call& call, const Value& items) {
    VectorReader reader(items);
    Value result = empty_set();
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        result = PTC_TRY(set_conj(call.heap, std::move(result), reader.at(i)));
    }
    return result;
}

Result<Value> set(Call& call, Args args) {
    if (args[0].is_set()) return std::move(args[0]);
    Value items = PTC_TRY(sequence_argument(call, args, 1));
    return set_of(call, items);
}

Result<Value> hash_set(Call& call, Args args) {
    Value result = empty_set();
    for (Value& item : args) {
        PTC_CHECK(charge(call, 1));
        result = PTC_TRY(set_conj(call.heap, std::move(result), std::move(item)));
    }
    return result;
}

// From a set only; nil has nothing to lose.
Result<Value> remove_member(Call& call, Value set, const Value& item) {
    PTC_CHECK(charge(call, 1));
    if (set.is_nil()) return set;
    if (!set.is_set()) return wrong_type(call.who(), "a set to remove members from", set);
    return set_disj(call.heap, std::move(set), item);
}

Result<Value> disj(Call& call, Args args) {
    if (args.size() == 1) return std::move(args[0]);
    Value result = std::move(args[0]);
    for (const Value& item : args.subspan(1))
        result = PTC_TRY(remove_member(call, std::move(result), item));
    return result;
}

// Clojure's `contains?`, which asks a vector or string for an index.
Result<bool> has_key(Call& call, const Value& coll, const Value& key) {
    PTC_CHECK(charge(call, 1));
    Value ignored;
    return lookup(call.heap, coll, key, &ignored);
}

Result<void> check_collections(const Call& call, Args args) {
    if (args.size() < 2) return {};
    for (std::size_t position = 1; position <= args.size(); ++position) {
        if (!is_seqable(args[position - 1])) return argument_error(call, args, position, "a set");
    }
    return {};
}

std::size_t size_of(Call& call, const Value& coll) {
    return seq_count(call.heap, coll, "count").value();
} // checked: seqable

// The smaller one goes into the larger one.
Result<Value> unite(Call& call, Value a, Value b) {
    if (size_of(call, a) < size_of(call, b)) std::swap(a, b);
    Value items = PTC_TRY(to_vector(call.heap, std::move(b), call.who()));
    VectorReader reader(items);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        a = PTC_TRY(conj_to(call.heap, std::move(a), reader.at(i), call.who()));
    }
    return a;
}

// Members of the smaller one that the larger one lacks are removed.
Result<Value> intersect(Call& call, Value a, Value b) {
    if (size_of(call, b) < size_of(call, a)) std::swap(a, b);
    Value items = PTC_TRY(to_vector(call.heap, a.copy(), call.who()));
    VectorReader reader(items);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        Value item = reader.at(i);
        if (!PTC_TRY(has_key(call, b, item))) a = PTC_TRY(remove_member(call, std::move(a), item));
    }
    return a;
}

// Walks the smaller one.
Result<Value> subtract(Call& call, Value a, Value b) {
    bool walk_a = size_of(call, a) < size_of(call, b);
    Value items = PTC_TRY(to_vector(call.heap, walk_a ? a.copy() : b.copy(), call.who()));
    VectorReader reader(items);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        Value item = reader.at(i);
        if (walk_a && !PTC_TRY(has_key(call, b, item))) continue;
        a = PTC_TRY(remove_member(call, std::move(a), item));
    }
    return a;
}

using Combine = Result<Value> (*)(Call&, Value, Value);

Result<Value> combine(Call& call, Args args, Combine operation) {
    PTC_CHECK(check_collections(call, args));
    Value result = std::move(args[0]);
    for (Value& other : args.subspan(1))
        result = PTC_TRY(operation(call, std::move(result), std::move(other)));
    return result;
}

Result<Value> set_union(Call& call, Args args) {
    if (args.empty()) return empty_set();
    return combine(call, args, unite);
}
Result<Value> intersection(Call& call, Args args) { return combine(call, args, intersect); }
Result<Value> difference(Call& call, Args args) { return combine(call, args, subtract); }

Result<Value> is_subset(Call& call, Args args, std::size_t part, std::size_t whole) {
    PTC_CHECK(check_collections(call, args));
    if (size_of(call, args[part]) > size_of(call, args[whole])) return Value::boolean(false);
    Value items = PTC_TRY(to_vector(call.heap, std::move(args[part]), call.who()));
    VectorReader reader(items);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        if (!PTC_TRY(has_key(call, args[whole], reader.at(i)))) return Value::boolean(false);
    }
    return Value::boolean(true);
}

Result<Value> subset_p(Call& call, Args args) { return is_subset(call, args, 0, 1); }
Result<Value> superset_p(Call& call, Args args) { return is_subset(call, args, 1, 0); }

// Relations: sets, or other collections, of maps.

Result<Value> inverted(Call& call, const Value& map) {
    MapView view = PTC_TRY(MapView::of(call.heap, map));
    MapBuilder result(call.heap);
    for (std::size_t i = 0; i < view.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        if (!result.put(view.value(i).copy(), view.key(i).copy())) break;
    }
    return result.finish();
}

Result<Value> map_invert(Call& call, Args args) {
    if (args[0].is_nil()) return empty_map();
    if (!args[0].is_map()) return argument_error(call, args, 1, "a map");
    return inverted(call, args[0]);
}

// All old keys go before any new one comes: {:a :b, :b :a} swaps.
Result<Value> renamed(Call& call, Value map, const MapView& names) {
    Value result = map.copy();
    for (std::size_t i = 0; i < names.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        result = PTC_TRY(map_dissoc(call.heap, std::move(result), names.key(i)));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Value* value = map_find_flexible(call.heap, map, names.key(i));
        if (value) result = PTC_TRY(map_assoc(call.heap, std::move(result), names.value(i).copy(), value->copy()));
    }
    return result;
}

Result<void> check_renaming(const Call& call, Args args) {
    if (!args[1].is_map()) return argument_error(call, args, 2, "a map of old keys to new keys");
    return {};
}

Result<Value> rename_keys(Call& call, Args args) {
    PTC_CHECK(check_renaming(call, args));
    if (args[0].is_nil()) return Value();
    if (!args[0].is_map()) return argument_error(call, args, 1, "a map");
    MapView names = PTC_TRY(MapView::of(call.heap, args[1]));
    return renamed(call, std::move(args[0]), names);
}

Result<Value> row_at(const Call& call, const VectorReader& rows, std::size_t i) {
    Value row = rows.at(i);
    if (!row.is_map()) return wrong_type(call.who(), "a set of maps", row);
    return row;
}

Result<Value> rename(Call& call, Args args) {
    PTC_CHECK(check_renaming(call, args));
    MapView names = PTC_TRY(MapView::of(call.heap, args[1]));
    args[0] = PTC_TRY(sequence_argument(call, args, 1));
    VectorReader rows(args[0]);
    Value result = empty_set();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Value row = PTC_TRY(renamed(call, PTC_TRY(row_at(call, rows, i)), names));
        result = PTC_TRY(set_conj(call.heap, std::move(result), std::move(row)));
    }
    return result;
}

// The entries of `row` at the keys in `wanted`.
Result<Value> projected(Call& call, const Value& row, const VectorReader& wanted) {
    MapBuilder result(call.heap);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        Value key = wanted.at(i);
        Value found;
        if (!PTC_TRY(lookup_key(call.heap, row, key, &found))) continue;
        if (!result.put(std::move(key), std::move(found))) break;
    }
    return result.finish();
}

Result<Value> project(Call& call, Args args) {
    args[1] = PTC_TRY(sequence_argument(call, args, 2));
    args[0] = PTC_TRY(sequence_argument(call, args, 1));
    VectorReader rows(args[0]), wanted(args[1]);
    Value result = empty_set();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Value row = PTC_TRY(projected(call, PTC_TRY(row_at(call, rows, i)), wanted));
        result = PTC_TRY(set_conj(call.heap, std::move(result), std::move(row)));
    }
    return result;
}

// Adds `row` to the set at `key`, which is moved out meanwhile so that it grows in place.
Result<Value> add_to_group(Call& call, Value groups, Value key, Value row) {
    bool found = false;
    Value group = map_take(call.heap, groups, key, &found);
    if (!found) group = empty_set();
    group = PTC_TRY(set_conj(call.heap, std::move(group), std::move(row)));
    return map_assoc(call.heap, std::move(groups), std::move(key), std::move(group));
}

Result<Value> indexed(Call& call, const VectorReader& rows, const VectorReader& wanted) {
    Value groups = empty_map();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Value row = PTC_TRY(row_at(call, rows, i));
        Value key = PTC_TRY(projected(call, row, wanted));
        groups = PTC_TRY(add_to_group(call, std::move(groups), std::move(key), std::move(row)));
    }
    return groups;
}

Result<Value> index(Call& call, Args args) {
    args[1] = PTC_TRY(sequence_argument(call, args, 2));
    args[0] = PTC_TRY(sequence_argument(call, args, 1));
    return indexed(call, VectorReader(args[0]), VectorReader(args[1]));
}

// The keys that two rows share, each to itself: what a natural join joins by.
Result<Value> shared_keys(Call& call, const Value& left, const Value& right) {
    MapView keys = PTC_TRY(MapView::of(call.heap, left));
    MapBuilder result(call.heap);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        if (!map_find_flexible(call.heap, right, keys.key(i))) continue;
        if (!result.put(keys.key(i).copy(), keys.key(i).copy())) break;
    }
    return result.finish();
}

// Rows of the left relation with each row of the right one that has equal values: `names` maps the left keys to the
// right.
Result<Value> joined(Call& call, const VectorReader& lefts, const VectorReader& rights, const Value& names) {
    Value right_keys = PTC_TRY(map_values(call.heap, names));
    Value groups = PTC_TRY(indexed(call, rights, VectorReader(right_keys)));
    Value left_keys = PTC_TRY(map_keys(call.heap, names));
    VectorReader wanted(left_keys);
    MapView renaming = PTC_TRY(MapView::of(call.heap, names));
    Value result = empty_set();
    for (std::size_t i = 0; i < lefts.size(); ++i) {
        Value row = PTC_TRY(row_at(call, lefts, i));
        Value key = PTC_TRY(renamed(call, PTC_TRY(projected(call, row, wanted)), renaming));
        const Value* group = map_find(call.heap, groups, key);
        if (!group) continue;
        Value partners = PTC_TRY(set_items(call.heap, *group));
        VectorReader reader(partners);
        for (std::size_t j = 0; j < reader.size(); ++j) {
            PTC_CHECK(charge(call, map_count(row) + 1));
            Value both = PTC_TRY(map_merge(call.heap, reader.at(j), row));
            result = PTC_TRY(set_conj(call.heap, std::move(result), std::move(both)));
        }
    }
    return result;
}

Result<Value> join(Call& call, Args args) {
    if (args.size() == 3 && !args[2].is_map()) return argument_error(call, args, 3, "a map of left keys to right keys");
    args[0] = PTC_TRY(sequence_argument(call, args, 1));
    args[1] = PTC_TRY(sequence_argument(call, args, 2));
    VectorReader lefts(args[0]), rights(args[1]);
    if (args.size() == 3) return joined(call, lefts, rights, args[2]);
    if (lefts.size() == 0 || rights.size() == 0) return empty_set();
    Value left = PTC_TRY(row_at(call, lefts, 0));
    Value right = PTC_TRY(row_at(call, rights, 0));
    Value names = PTC_TRY(shared_keys(call, left, right));
    return joined(call, lefts, rights, names);
}

constexpr Builtin kRows[] = {
    {.name = "set",
     .usage = "(set coll)",
     .doc = "The distinct elements of any collection as a set.",
     .example = {"(set [1 2 2])", "#{1 2}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kSet, ResultRule::SetOf},
     .model = BoundModel::AsSet,
     .call = set},
    {.name = "hash-set",
     .usage = "(hash-set & items)",
     .doc = "A set of the arguments.",
     .example = {"(hash-set 1 1 2)", "#{1 2}"},
     .category = Category::Set,
     .work = Work::Arguments,
     .gives = {kinds::kSet},
     .model = BoundModel::HashSet,
     .call = hash_set},
    {.name = "disj",
     .usage = "(disj s & items)",
     .doc = "The set without the items.",
     .example = {"(disj #{1 2 3} 2)", "#{1 3}"},
     .category = Category::Set,
     .work = Work::Arguments,
     .gives = {kinds::kAny},
     .model = BoundModel::SetWork,
     .call = disj,
     .traits = traits::kUpdates},
    {.name = "union",
     .usage = "(clojure.set/union & sets)",
     .doc = "The members of any of the sets.",
     .example = {"(clojure.set/union #{1 2} #{2 3})", "#{1 2 3}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::SetWork,
     .call = set_union},
    {.name = "intersection",
     .usage = "(clojure.set/intersection s & sets)",
     .doc = "The members that all of the sets have.",
     .example = {"(clojure.set/intersection #{1 2} #{2 3})", "#{2}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::SetWork,
     .call = intersection},
    {.name = "difference",
     .usage = "(clojure.set/difference s & sets)",
     .doc = "The members of s that none of the others has.",
     .example = {"(clojure.set/difference #{1 2 3} #{2})", "#{1 3}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::SetWork,
     .call = difference},
    {.name = "set/subset?",
     .usage = "(clojure.set/subset? s1 s2)",
     .doc = "Whether s2 has every member of s1.",
     .example = {"(clojure.set/subset? #{1} #{1 2})", "true"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = subset_p},
    {.name = "set/superset?",
     .usage = "(clojure.set/superset? s1 s2)",
     .doc = "Whether s1 has every member of s2.",
     .example = {"(clojure.set/superset? #{1} #{1 2})", "false"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Unknown,
     .call = superset_p},
    {.name = "set/map-invert",
     .usage = "(clojure.set/map-invert m)",
     .doc = "A map of the values to their keys.",
     .example = {"(clojure.set/map-invert {:a 1})", "{1 :a}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kMap},
     .model = BoundModel::Unknown,
     .call = map_invert},
    {.name = "set/rename-keys",
     .usage = "(clojure.set/rename-keys m names)",
     .doc = "The map with keys renamed as a map of old to new keys says.",
     .example = {"(clojure.set/rename-keys {:a 1 :b 2} {:a :z})", "{:b 2 :z 1}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = rename_keys},
    {.name = "set/rename",
     .usage = "(clojure.set/rename rows names)",
     .doc = "A set of the maps with their keys renamed.",
     .example = {"(clojure.set/rename #{{:a 1}} {:a :b})", "#{{:b 1}}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = rename},
    {.name = "set/project",
     .usage = "(clojure.set/project rows keys)",
     .doc = "A set of the maps cut down to these keys.",
     .example = {"(clojure.set/project #{{:a 1 :b 2}} [:a])", "#{{:a 1}}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = project},
    {.name = "set/index",
     .usage = "(clojure.set/index rows keys)",
     .doc = "A map of the values at these keys to the set of the maps that have them.",
     .example = {"(clojure.set/index #{{:a 1 :b 2}} [:a])", "{{:a 1} #{{:a 1 :b 2}}}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = index},
    {.name = "set/join",
     .usage = "(clojure.set/join rows1 rows2) (clojure.set/join rows1 rows2 names)",
     .doc = "The maps of two sets merged where they agree: at the keys they share, or as a map of left to right keys "
            "says.",
     .example = {"(clojure.set/join #{{:a 1 :b 2}} #{{:a 1 :c 3}})", "#{{:a 1 :b 2 :c 3}}"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = join},
};

} // namespace

std::span<const Builtin> set_builtins() { return kRows; }

} // namespace ptc
