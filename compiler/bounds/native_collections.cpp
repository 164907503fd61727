// Models of builtins on sequences. A model takes abstract values of the arguments and gives the most that a call
// costs beyond the row's own figure, and an abstract value of the result. Rows of builtins name their model
// (runtime/function_facts.h); the table at the end says which function it is.
//
// A collection other than a vector is first made one (`as_sequence`, at `sequence_cost`); what is made anew is charged
// the copy that its first update may need (`made`).
#include "compiler/bounds/native_models.h"
#include <cmath>

namespace ptc::native {

using namespace kinds;

AbstractValue part_of(const AbstractValue& sequence) {
    AbstractValue part = sequence;
    part.least = 0;
    if (part.inside) {
        auto inside = std::make_shared<Inside>(*part.inside);
        inside->items.clear();
        inside->step = 0;
        part.inside = std::move(inside);
    }
    return or_nil(std::move(part));
}

/// One by its place.
NativeBound element(Args args) {
    AbstractValue item = item_of(as_sequence(args[0]));
    const bool is_there = args[0].must_be(kSequence) && args[0].least > 0;
    return {4 + (args[0].may_be(kText) ? args[0].most : 0) + (args[0].may_be(kKeyed) ? sequence_cost(args[0]) : 0),
            is_there ? std::move(item) : or_nil(std::move(item))};
}

AbstractValue grown_collection(const AbstractValue& coll, const AbstractValue& key, const AbstractValue& item,
                               double added) {
    AbstractValue grown;
    grown.kinds = coll.kinds & (kVector | kKeyed);
    if (coll.may_be(kRange)) grown.kinds |= kVector;
    grown.origin = coll.is_known() ? item.origin : coll.origin;
    grown.least = coll.must_be(kCollection) ? coll.least : 0;
    grown.most = (coll.may_be(kCollection) ? coll.most : 0) + added;
    const AbstractValue entry = map_of(key, item, added, added);
    grown.inside = coll.may_be(kCollection) && coll.most > 0 ? join(coll, entry).inside : entry.inside;
    grown.walk_cost = coll.walk_cost + times(added, 8 + item.walk_cost);
    if (!coll.may_be(kKeyed | kNil)) return grown;
    // The sorted view grows by more than the entry when keys are hard to compare.
    const AbstractValue keys =
        grown.inside ? grown.inside->key : anything(coll.walk_cost + key.walk_cost, grown.origin);
    const bool is_simple = !keys.may_be(kCollection | kOther | kBigInteger);
    grown.walk_cost += times(added, 40 + key.walk_cost);
    if (!is_simple)
        grown.walk_cost = std::max(grown.walk_cost, map_of(keys, join(found_in(coll), item), 0, grown.most).walk_cost);
    return grown;
}

NativeBound conj(Args args) {
    if (args.empty()) return {0, vector_of(nothing(), 0, 0)};
    NativeBound all{static_cast<double>(args.size()), args[0]};
    for (const AbstractValue& item : args.subspan(1)) {
        const AbstractValue& coll = all.result;
        // A map takes an entry, or all entries of another map.
        const bool may_be_entries = coll.may_be(kMap);
        const double added = may_be_entries ? 1 + item.most : 1;
        const AbstractValue part = may_be_entries ? join(item, join(item_of(item), item_of(item_of(item)))) : item;
        all.cost += times(added, insert_cost(coll, part));
        AbstractValue grown = grown_collection(coll, part, part, added);
        if (coll.may_be(kNil) || grown.kinds == 0) grown.kinds |= kVector;
        grown.is_chained = true;
        all.result = std::move(grown);
    }
    return all;
}

NativeBound concat(Args args) {
    double cost = 4, most = 0, least = 0, walk_cost = 2;
    AbstractValue item;
    bool is_first = true;
    for (const AbstractValue& arg : args) {
        const AbstractValue items = as_sequence(arg);
        cost += sequence_cost(arg) + 4 * items.most + (arg.may_be(kRange) ? 4 * arg.most : 0);
        most += items.most;
        least += arg.must_be(kCollection) ? items.least : 0;
        walk_cost += items.walk_cost;
        item = is_first ? item_of(items) : join(item, item_of(items));
        is_first = false;
    }
    cost += 24 * (most > 0 ? most : 0); // items that are added one by one
    AbstractValue all = vector_of(std::move(item), least, most);
    all.kinds |= kRange;
    all.walk_cost = std::min(all.walk_cost, walk_cost);
    return made(cost, std::move(all));
}

namespace {

NativeBound same(Args args) { return {0, or_nil(args[0])}; }
NativeBound emptied(Args args) {
    AbstractValue result = args[0];
    result.kinds = (result.kinds & kCollection) | kNil;
    result.least = result.most = 0;
    return {0, std::move(result)};
}

NativeBound count(Args args) {
    const double most = std::min(args[0].most, 0x1p40), least = args[0].must_be(kCollection) ? args[0].least : 0;
    return {2 + (args[0].may_be(kText) ? args[0].most / 4 : 0),
            integer(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most))};
}

NativeBound element_of_element(Args args) {
    const AbstractValue inner = or_nil(item_of(args[0]));
    return {4 + 2 * (args[0].may_be(kText) ? args[0].most : 0) + inner.most, or_nil(item_of(inner))};
}
NativeBound nth(Args args) {
    NativeBound found = element(args.first(1));
    if (args.size() > 2) found.result = join(found.result, args[2]);
    return found;
}

/// What follows the first `n` items of a vector or string.
NativeBound tail(Args args, std::size_t n) {
    const auto skipped = static_cast<double>(n);
    AbstractValue rest = part_of(as_sequence(args[0]));
    if (args[0].must_be(kSequence)) {
        rest.kinds = args[0].kinds;
        rest.least = std::max(args[0].least - skipped, 0.0);
        rest.most = std::max(args[0].most - skipped, 0.0);
        if (args[0].inside && args[0].inside->step != 0) {
            auto inside = std::make_shared<Inside>(*rest.inside);
            inside->step = args[0].inside->step;
            inside->start = args[0].inside->start + static_cast<std::int64_t>(n) * inside->step;
            rest.inside = std::move(inside);
        }
    }
    return {4 + (args[0].may_be(kText) ? 4 * args[0].most : 0), std::move(rest)};
}
NativeBound rest(Args args) { return tail(args, 1); }
NativeBound next(Args args) {
    NativeBound result = tail(args, 1);
    if (!args[0].must_be(kSequence) || args[0].least < 2) result.result = or_nil(std::move(result.result));
    return result;
}
NativeBound nnext(Args args) {
    NativeBound result = tail(args, 2);
    result.result = or_nil(std::move(result.result));
    return result;
}
NativeBound all_but_last(Args args) {
    NativeBound result = tail(args, 0);
    result.result = part_of(result.result);
    return result;
}
NativeBound tail_of_element(Args args) {
    const AbstractValue inner = or_nil(item_of(args[0]));
    const NativeBound rest = tail({&inner, 1}, 1);
    return {8 + rest.cost + args[0].most, or_nil(rest.result)};
}
/// The first or last of any collection's items.
NativeBound so_many_items(Args args) {
    const AbstractValue items = as_sequence(args[1]);
    AbstractValue part = part_of(items);
    if (args[0].must_be(kInteger)) part.most = std::clamp(static_cast<double>(args[0].high), 0.0, items.most);
    part.walk_cost = std::min(part.walk_cost, vector_of(item_of(items), 0, part.most).walk_cost);
    return {sequence_cost(args[1]) + 4, std::move(part)};
}
/// Some of the items of any collection, the last argument.
NativeBound some_items(Args args) { return {sequence_cost(args.back()) + 4, part_of(as_sequence(args.back()))}; }
NativeBound some_items_of_first(Args args) { return some_items(args.first(1)); }

AbstractValue flat(AbstractValue sequence) {
    sequence.kinds = kVector | kNil;
    return sequence;
}
/// All items of any collection in another order.
NativeBound all_items(Args args) {
    return made(sequence_cost(args[0]) + 4 * args[0].most, flat(part_of(as_sequence(args[0]))));
}

NativeBound cons(Args args) {
    const AbstractValue items = as_sequence(args[1]);
    const AbstractValue pair[] = {items, args[0]};
    NativeBound longer = conj(pair);
    longer.cost += sequence_cost(args[1]);
    return longer;
}

/// (into to from): maps and sets take the items one by one.
NativeBound into(Args args) {
    if (args.size() < 2) return args.empty() ? conj(args) : NativeBound{0, args[0]};
    const AbstractValue& to = args[0];
    if (to.must_be(kSequence | kNil)) return concat(args);
    const AbstractValue from = as_sequence(args[1]);
    const AbstractValue item = item_of(from);
    const AbstractValue part = join(item, join(item_of(item), item_of(item_of(item))));
    const double entries = times(from.most, to.may_be(kMap) ? 1 + item.most : 1);
    AbstractValue grown = grown_collection(to, part, part, entries);
    if (to.may_be(kNil) || grown.kinds == 0) grown.kinds |= kVector;
    const double each = insert_cost(grown, part) + (item.may_be(kText | kKeyed) ? sequence_cost(item) : 0);
    return made(sequence_cost(args[1]) + 8 * from.most + times(entries, each), std::move(grown));
}

NativeBound flatten(Args args) {
    const AbstractValue& coll = args[0];
    AbstractValue all = vector_of(anything(coll.walk_cost, coll.origin), 0, coll.walk_cost);
    all.walk_cost = 2 + 2 * coll.walk_cost; // the items share the walk cost of the whole
    return made(4 * coll.walk_cost, std::move(all));
}

/// Each item is compared with the one before.
NativeBound dedupe(Args args) {
    const AbstractValue items = as_sequence(args[0]);
    const double comparison = item_of(items).may_be(kCollection) ? 8 * item_of(items).walk_cost : 0;
    return made(sequence_cost(args[0]) + times(items.most, 4 + comparison), flat(part_of(items)));
}

NativeBound split_at(Args args) {
    const AbstractValue part = part_of(as_sequence(args[1]));
    return {sequence_cost(args[1]) + 8, vector_of(part, 2, 2)};
}

NativeBound vector(Args args) {
    NativeBound result = made(2 * static_cast<double>(args.size()), vector_of_items({args.begin(), args.end()}));
    result.result.is_chained = true;
    return result;
}

NativeBound mixed(Args args) { // interpose, zip, interleave: every item, with others between
    if (args.empty()) return {0, vector_of(nothing(), 0, 0)};
    double cost = 8, most = 0;
    for (const AbstractValue& arg : args) {
        cost += sequence_cost(arg) + 4 * arg.most;
        most += arg.most;
    }
    most *= static_cast<double>(args.size());
    const AbstractValue item =
        join(joined(args), joined(std::vector<AbstractValue>{item_of(args[0]), item_of(args.back())}));
    AbstractValue all = vector_of(join(item, vector_of(item, 2, 2)), 0, most);
    return made(cost + most, std::move(all));
}

NativeBound sort(Args args) {
    const AbstractValue items = as_sequence(args[0]);
    const AbstractValue item = item_of(items);
    const double n = items.most;
    const double steps = n > 1 ? n * (std::log2(n) + 4) : 4;
    const double comparison = 2 + (item.may_be(kCollection | kOther | kBigInteger) ? 4 * item.walk_cost : 0);
    const double prefix = item.walk_cost; // common beginnings of texts are compared once
    return made(sequence_cost(args[0]) + 4 * n + steps * comparison + n * (2 + prefix), flat(part_of(items)));
}
NativeBound sort_by_keys(Args args) {
    NativeBound keys = sort(args.first(1));
    return made(keys.cost + sequence_cost(args[1]), flat(part_of(as_sequence(args[1]))));
}

NativeBound repeated(Args args) {
    if (!args[0].must_be(kInteger)) return {kUnknown, nothing()};
    const auto n = static_cast<double>(std::max<std::int64_t>(args[0].high, 0));
    return made(2 * n, vector_of(args[1], 0, n));
}

NativeBound partition(Args args) {
    const AbstractValue items = as_sequence(args.back());
    const AbstractValue padding = args.size() == 4 ? as_sequence(args[2]) : vector_of(nothing(), 0, 0);
    AbstractValue group = part_of(items);
    group.most += padding.most;
    group.walk_cost += padding.walk_cost;
    if (args.size() == 4) group = join(group, padding);
    const double cost =
        sequence_cost(args.back()) + sequence_cost(padding) + (4 + 24) * (items.most + padding.most) + 8;
    return made(cost, vector_of(group, 0, items.most));
}

} // namespace

namespace {

constexpr ModelRow kRows[] = {
    {BoundModel::Count, count},
    {BoundModel::Element, element},
    {BoundModel::ElementOfElement, element_of_element},
    {BoundModel::Nth, nth},
    {BoundModel::Rest, rest},
    {BoundModel::Next, next},
    {BoundModel::Nnext, nnext},
    {BoundModel::AllButLast, all_but_last},
    {BoundModel::TailOfElement, tail_of_element},
    {BoundModel::SoManyItems, so_many_items},
    {BoundModel::SomeItems, some_items},
    {BoundModel::SomeItemsOfFirst, some_items_of_first},
    {BoundModel::SplitAt, split_at},
    {BoundModel::AllItems, all_items},
    {BoundModel::Vector, vector},
    {BoundModel::Concat, concat, true},
    {BoundModel::Conj, conj},
    {BoundModel::Cons, cons},
    {BoundModel::Into, into},
    {BoundModel::Flatten, flatten},
    {BoundModel::Dedupe, dedupe},
    {BoundModel::Mixed, mixed},
    {BoundModel::Sort, sort},
    {BoundModel::SortByKeys, sort_by_keys},
    {BoundModel::Repeated, repeated},
    {BoundModel::Partition, partition},
    {BoundModel::Same, same},
    {BoundModel::Emptied, emptied},
};

} // namespace

std::span<const ModelRow> collection_models() { return kRows; }

} // namespace ptc::native
