// Models of builtins on maps and sets. What they cost hangs on their keys: `lookup_cost`, `insert_cost` and
// `build_cost` assume that keys were chosen to collide, as a program's data may be anybody's. Where a key may be a
// vector it may be a path, and what is found may be anything inside.
#include "compiler/bounds/native_models.h"

namespace ptc::native {
namespace {

using namespace kinds;

NativeExtent contains(Args args) {
    const double searched = args[0].may_be(kSequence) ? times(args[0].most, 2 + 2 * args[1].weight) : 0;
    return {4 + searched + lookup_cost(args[0], args[1]), flag()};
}

NativeExtent distinct(Args args) {
    const Extent items = as_sequence(args[0]);
    const Extent item = item_of(items);
    return made(sequence_cost(args[0]) + 4 * items.most + build_cost(items.most, item), part_of(items));
}

NativeExtent as_set(Args args) {
    const Extent items = as_sequence(args[0]);
    const Extent item = item_of(items);
    return {sequence_cost(args[0]) + 2 * items.most + build_cost(items.most, item), set_of(item, 0, items.most)};
}

NativeExtent hash_set(Args args) {
    const auto n = static_cast<double>(args.size());
    return {n + build_cost(n, joined(args)), set_of(joined(args), 0, n)};
}

NativeExtent get(Args args) {
    Extent found = or_nil(found_in(args[0]));
    if (args[1].may_be(kSequence)) found = join(found, anything(args[0].weight, args[0].origin));
    if (args.size() > 2) found = join(found, args[2]);
    return {lookup_cost(args[0], args[1]), std::move(found)};
}

/// Step by step where the path is known.
NativeExtent get_in(Args args) {
    const Extent &coll = args[0], &path = args[1];
    Extent found = or_nil(anything(coll.weight, coll.origin));
    double cost = path.most + (path.most > 0 ? path.weight * (4 + 2 * coll.weight) : 0);
    const bool is_known =
        path.must_be(kVector) && path.inside && static_cast<double>(path.inside->items.size()) == path.most;
    if (is_known) {
        found = coll;
        cost = path.most;
        for (const Extent& key : path.inside->items) {
            cost += lookup_cost(found, key);
            found = key.may_be(kSequence) ? anything(coll.weight, coll.origin) : found_in(found);
            found = or_nil(std::move(found));
        }
    }
    if (path.may_be(kNil)) found = join(found, coll);
    if (args.size() > 2) found = join(found, args[2]);
    return {cost, or_nil(std::move(found))};
}

/// One new map or vector for each step.
NativeExtent assoc_in(Args args) {
    const Extent &coll = args[0], &path = args[1], &value = args[2];
    const Extent key = path.may_be(kNil) ? join(item_of(path), nothing()) : item_of(path);
    const double steps = std::max(path.most, 1.0);
    const bool is_simple = !key.may_be(kCollection | kOther | kBigInteger);
    const Extent any = anything(coll.weight, coll.origin);
    const double grows = is_simple ? steps * (64 + 2 * key.weight) : kUnknown;
    Extent result = anything(coll.weight + grows + value.weight, coll.is_known() ? value.origin : coll.origin);
    return {steps * (4 + insert_cost(any, key) + lookup_cost(any, key)), std::move(result)};
}

NativeExtent find(Args args) {
    const Extent found = or_nil(join(found_in(args[0]), anything(args[0].weight, args[0].origin)));
    return {lookup_cost(args[0], args[1]), or_nil(vector_of(join(args[1], found), 2, 2))};
}

NativeExtent entries(Args args) {
    return made(sequence_cost(args[0]) + 4 * args[0].most, or_nil(as_sequence(args[0])));
}

/// union, intersection, difference, disj: members of the arguments. The latter's further arguments are members.
NativeExtent set_work(Args args) {
    double most = 0, cost = 8;
    Extent member = nothing();
    for (const Extent& arg : args) {
        cost += sequence_cost(arg) + 8 * arg.most + 8;
        most += 1 + arg.most;
        member = join(member, join(arg, item_of(arg)));
    }
    cost += 2 * build_cost(most, member);
    const bool are_sets = joined(args).must_be(kSet | kNil);
    Extent result = set_of(member, 0, most);
    if (!are_sets) result = join(result, anything(64 + result.weight + 2 * total_weight(args), result.origin));
    return {cost, or_nil(std::move(result))};
}
NativeExtent are_distinct(Args args) { return {build_cost(static_cast<double>(args.size()), joined(args)), flag()}; }

NativeExtent assoc(Args args) {
    NativeExtent all{static_cast<double>(args.size()), args[0]};
    for (std::size_t i = 1; i + 1 < args.size(); i += 2) {
        const Extent& coll = all.result;
        all.cost += insert_cost(coll, args[i]);
        Extent grown = grown_extent(coll, args[i], args[i + 1], 1);
        if (coll.may_be(kNil) || grown.kinds == 0) grown.kinds |= kMap;
        grown.is_chained = true;
        all.result = std::move(grown);
    }
    return all;
}

/// (group-append% groups key item): the item goes to the end of the group at key.
NativeExtent group_append(Args args) {
    const Extent &groups = args[0], &key = args[1], &item = args[2];
    const Extent pair[] = {or_nil(found_in(groups)), item};
    NativeExtent longer = conj(pair);
    Extent grown = grown_extent(groups, key, vector_of(item, 1, 1), 1);
    if (groups.may_be(kNil) || grown.kinds == 0) grown.kinds |= kMap;
    if (grown.inside) {
        auto inside = std::make_shared<Inside>(*grown.inside);
        inside->item = join(inside->item, longer.result);
        grown.inside = std::move(inside);
    }
    grown.is_chained = true;
    return {insert_cost(groups, key) + lookup_cost(groups, key) + longer.cost, std::move(grown)};
}

NativeExtent dissoc(Args args) {
    double cost = static_cast<double>(args.size());
    for (const Extent& key : args.subspan(1))
        cost += insert_cost(args[0], key) + lookup_cost(args[0], key);
    return {cost, part_of(args[0])};
}

NativeExtent merge(Args args) {
    double most = 0;
    Extent key = nothing(), item = nothing();
    for (const Extent& arg : args) {
        most += arg.most;
        key = join(key, arg.inside ? arg.inside->key : anything(arg.weight, arg.origin));
        item = join(item, found_in(arg));
    }
    const double cost = 8 * static_cast<double>(args.size()) + 2 * most + build_cost(most, key);
    const bool are_maps = joined(args).must_be(kMap | kNil);
    Extent merged = map_of(std::move(key), std::move(item), 0, most);
    return {cost, or_nil(are_maps ? merged : join(merged, anything(64 + 2 * total_weight(args), merged.origin)))};
}

NativeExtent keys(Args args) {
    const Extent key = args[0].inside ? args[0].inside->key : anything(args[0].weight, args[0].origin);
    return made(sequence_cost(args[0]) + 4 * args[0].most, or_nil(vector_of(key, 0, args[0].most)));
}
NativeExtent vals(Args args) {
    return made(sequence_cost(args[0]) + 4 * args[0].most, or_nil(vector_of(found_in(args[0]), 0, args[0].most)));
}

NativeExtent zipmap(Args args) {
    const Extent names = as_sequence(args[0]), values = as_sequence(args[1]);
    const double n = std::min(names.most, values.most);
    return {sequence_cost(args[0]) + sequence_cost(args[1]) + 2 * n + build_cost(n, item_of(names)),
            map_of(item_of(names), item_of(values), 0, n)};
}

NativeExtent hash_map(Args args) {
    const auto n = static_cast<double>(args.size());
    return {n + build_cost(n, joined(args)), map_of(joined(args), joined(args), 0, n)};
}

NativeExtent select_keys(Args args) {
    const Extent wanted = as_sequence(args[1]);
    const Extent key = item_of(wanted);
    const double each = 2 + lookup_cost(args[0], key);
    return {sequence_cost(args[1]) + times(wanted.most, each) + build_cost(wanted.most, key),
            map_of(key, join(found_in(args[0]), args[0]), 0, wanted.most)};
}

NativeExtent frequencies(Args args) {
    const Extent items = as_sequence(args[0]);
    const double reach = std::min(items.most, 0x1p40);
    return {sequence_cost(args[0]) + 2 * items.most + build_cost(items.most, item_of(items)),
            map_of(item_of(items), integer(1, static_cast<std::int64_t>(std::max(reach, 1.0))), 0, items.most)};
}

} // namespace

namespace {

constexpr ModelRow kRows[] = {
    {BoundModel::Contains, contains},
    {BoundModel::Distinct, distinct},
    {BoundModel::AsSet, as_set},
    {BoundModel::HashSet, hash_set, true},
    {BoundModel::Get, get},
    {BoundModel::GetIn, get_in},
    {BoundModel::AssocIn, assoc_in},
    {BoundModel::Find, find},
    {BoundModel::Entries, entries},
    {BoundModel::SetWork, set_work},
    {BoundModel::AreDistinct, are_distinct},
    {BoundModel::Assoc, assoc},
    {BoundModel::GroupAppend, group_append},
    {BoundModel::Dissoc, dissoc},
    {BoundModel::Merge, merge, true},
    {BoundModel::Keys, keys},
    {BoundModel::Vals, vals},
    {BoundModel::Zipmap, zipmap},
    {BoundModel::HashMap, hash_map},
    {BoundModel::SelectKeys, select_keys},
    {BoundModel::Frequencies, frequencies},
};

} // namespace

std::span<const ModelRow> map_models() { return kRows; }

} // namespace ptc::native
