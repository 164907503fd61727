// Models of builtins on maps and sets. What they cost hangs on their keys: `lookup_cost`, `insert_cost` and
// `build_cost` assume that keys were chosen to collide, as a program's data may be anybody's. Where a key may be a
// vector it may be a path, and what is found may be anything inside.
#include "compiler/bounds/native_models.h"

namespace ptc::native {
namespace {

using namespace kinds;

NativeBound contains(Args args) {
    const double searched = args[0].may_be(kSequence) ? times(args[0].most, 2 + 2 * args[1].walk_cost) : 0;
    return {4 + searched + lookup_cost(args[0], args[1]), flag()};
}

NativeBound distinct(Args args) {
    const AbstractValue items = as_sequence(args[0]);
    const AbstractValue item = item_of(items);
    return made(sequence_cost(args[0]) + 4 * items.most + build_cost(items.most, item), part_of(items));
}

NativeBound as_set(Args args) {
    const AbstractValue items = as_sequence(args[0]);
    const AbstractValue item = item_of(items);
    return {sequence_cost(args[0]) + 2 * items.most + build_cost(items.most, item), set_of(item, 0, items.most)};
}

NativeBound hash_set(Args args) {
    const auto n = static_cast<double>(args.size());
    return {n + build_cost(n, joined(args)), set_of(joined(args), 0, n)};
}

NativeBound get(Args args) {
    AbstractValue found = or_nil(found_in(args[0]));
    if (args[1].may_be(kSequence)) found = join(found, anything(args[0].walk_cost, args[0].origin));
    if (args.size() > 2) found = join(found, args[2]);
    return {lookup_cost(args[0], args[1]), std::move(found)};
}

/// Step by step where the path is known.
NativeBound get_in(Args args) {
    const AbstractValue &coll = args[0], &path = args[1];
    AbstractValue found = or_nil(anything(coll.walk_cost, coll.origin));
    double cost = path.most + (path.most > 0 ? path.walk_cost * (4 + 2 * coll.walk_cost) : 0);
    const bool is_known =
        path.must_be(kVector) && path.inside && static_cast<double>(path.inside->items.size()) == path.most;
    if (is_known) {
        found = coll;
        cost = path.most;
        for (const AbstractValue& key : path.inside->items) {
            cost += lookup_cost(found, key);
            found = key.may_be(kSequence) ? anything(coll.walk_cost, coll.origin) : found_in(found);
            found = or_nil(std::move(found));
        }
    }
    if (path.may_be(kNil)) found = join(found, coll);
    if (args.size() > 2) found = join(found, args[2]);
    return {cost, or_nil(std::move(found))};
}

/// One new map or vector for each step.
NativeBound assoc_in(Args args) {
    const AbstractValue &coll = args[0], &path = args[1], &value = args[2];
    const AbstractValue key = path.may_be(kNil) ? join(item_of(path), nothing()) : item_of(path);
    const double steps = std::max(path.most, 1.0);
    const bool is_simple = !key.may_be(kCollection | kOther | kBigInteger);
    const AbstractValue any = anything(coll.walk_cost, coll.origin);
    const double grows = is_simple ? steps * (64 + 2 * key.walk_cost) : kUnknown;
    AbstractValue result =
        anything(coll.walk_cost + grows + value.walk_cost, coll.is_known() ? value.origin : coll.origin);
    return {steps * (4 + insert_cost(any, key) + lookup_cost(any, key)), std::move(result)};
}

NativeBound find(Args args) {
    const AbstractValue found = or_nil(join(found_in(args[0]), anything(args[0].walk_cost, args[0].origin)));
    return {lookup_cost(args[0], args[1]), or_nil(vector_of(join(args[1], found), 2, 2))};
}

NativeBound entries(Args args) { return made(sequence_cost(args[0]) + 4 * args[0].most, or_nil(as_sequence(args[0]))); }

/// union, intersection, difference, disj: members of the arguments. The latter's further arguments are members.
NativeBound set_work(Args args) {
    double most = 0, cost = 8;
    AbstractValue member = nothing();
    for (const AbstractValue& arg : args) {
        cost += sequence_cost(arg) + 8 * arg.most + 8;
        most += 1 + arg.most;
        member = join(member, join(arg, item_of(arg)));
    }
    cost += 2 * build_cost(most, member);
    const bool are_sets = joined(args).must_be(kSet | kNil);
    AbstractValue result = set_of(member, 0, most);
    if (!are_sets) result = join(result, anything(64 + result.walk_cost + 2 * total_walk_cost(args), result.origin));
    return {cost, or_nil(std::move(result))};
}
NativeBound are_distinct(Args args) { return {build_cost(static_cast<double>(args.size()), joined(args)), flag()}; }

NativeBound assoc(Args args) {
    NativeBound all{static_cast<double>(args.size()), args[0]};
    for (std::size_t i = 1; i + 1 < args.size(); i += 2) {
        const AbstractValue& coll = all.result;
        all.cost += insert_cost(coll, args[i]);
        AbstractValue grown = grown_collection(coll, args[i], args[i + 1], 1);
        if (coll.may_be(kNil) || grown.kinds == 0) grown.kinds |= kMap;
        grown.is_chained = true;
        all.result = std::move(grown);
    }
    return all;
}

/// (group-append% groups key item): the item goes to the end of the group at key.
NativeBound group_append(Args args) {
    const AbstractValue &groups = args[0], &key = args[1], &item = args[2];
    const AbstractValue pair[] = {or_nil(found_in(groups)), item};
    NativeBound longer = conj(pair);
    AbstractValue grown = grown_collection(groups, key, vector_of(item, 1, 1), 1);
    if (groups.may_be(kNil) || grown.kinds == 0) grown.kinds |= kMap;
    if (grown.inside) {
        auto inside = std::make_shared<Inside>(*grown.inside);
        inside->item = join(inside->item, longer.result);
        grown.inside = std::move(inside);
    }
    grown.is_chained = true;
    return {insert_cost(groups, key) + lookup_cost(groups, key) + longer.cost, std::move(grown)};
}

NativeBound dissoc(Args args) {
    double cost = static_cast<double>(args.size());
    for (const AbstractValue& key : args.subspan(1))
        cost += insert_cost(args[0], key) + lookup_cost(args[0], key);
    return {cost, part_of(args[0])};
}

NativeBound merge(Args args) {
    double most = 0;
    AbstractValue key = nothing(), item = nothing();
    for (const AbstractValue& arg : args) {
        most += arg.most;
        key = join(key, arg.inside ? arg.inside->key : anything(arg.walk_cost, arg.origin));
        item = join(item, found_in(arg));
    }
    const double cost = 8 * static_cast<double>(args.size()) + 2 * most + build_cost(most, key);
    const bool are_maps = joined(args).must_be(kMap | kNil);
    AbstractValue merged = map_of(std::move(key), std::move(item), 0, most);
    return {cost, or_nil(are_maps ? merged : join(merged, anything(64 + 2 * total_walk_cost(args), merged.origin)))};
}

/// Of a sequence of entries nothing is known of their parts.
AbstractValue part_of_entries(const AbstractValue& coll, const AbstractValue& of_map) {
    return (coll.kinds & kVector) != 0 ? anything(coll.walk_cost, coll.origin) : of_map;
}

NativeBound keys(Args args) {
    const AbstractValue key = args[0].inside ? args[0].inside->key : anything(args[0].walk_cost, args[0].origin);
    return made(sequence_cost(args[0]) + 4 * args[0].most,
                or_nil(vector_of(part_of_entries(args[0], key), 0, args[0].most)));
}
NativeBound vals(Args args) {
    return made(sequence_cost(args[0]) + 4 * args[0].most,
                or_nil(vector_of(part_of_entries(args[0], found_in(args[0])), 0, args[0].most)));
}

NativeBound zipmap(Args args) {
    const AbstractValue names = as_sequence(args[0]), values = as_sequence(args[1]);
    const double n = std::min(names.most, values.most);
    return {sequence_cost(args[0]) + sequence_cost(args[1]) + 2 * n + build_cost(n, item_of(names)),
            map_of(item_of(names), item_of(values), 0, n)};
}

NativeBound hash_map(Args args) {
    const auto n = static_cast<double>(args.size());
    return {n + build_cost(n, joined(args)), map_of(joined(args), joined(args), 0, n)};
}

NativeBound select_keys(Args args) {
    const AbstractValue wanted = as_sequence(args[1]);
    const AbstractValue key = item_of(wanted);
    const double each = 2 + lookup_cost(args[0], key);
    return {sequence_cost(args[1]) + times(wanted.most, each) + build_cost(wanted.most, key),
            map_of(key, join(found_in(args[0]), args[0]), 0, wanted.most)};
}

NativeBound frequencies(Args args) {
    const AbstractValue items = as_sequence(args[0]);
    const double reach = std::min(items.most, 0x1p40);
    return {sequence_cost(args[0]) + 2 * items.most + build_cost(items.most, item_of(items)),
            map_of(item_of(items), integer(1, static_cast<std::int64_t>(std::max(reach, 1.0))), 0, items.most)};
}

} // namespace

namespace {

constexpr ModelRow kMapRows[] = {
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

std::span<const ModelRow> map_models() { return kMapRows; }

} // namespace ptc::native
