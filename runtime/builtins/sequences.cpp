// Reading any collection in order: its parts, groups, and what becomes of all its elements (spec 8.1). Results are
// vectors.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/equality.h"
#include "runtime/number.h"
#include "runtime/scratch.h"
#include "runtime/set.h"
#include <algorithm>

namespace ptc {
namespace {

// Parts by position: of a map its entries, of a set its members, in order. Only `nth` needs what has indexes.

Result<Value> first(Call& call, Args args) { return first_of(call.heap, args[0], call.who()); }

Bits second_at_once(Bits coll) {
    if (!bits::is_object(coll) || bits::to_object(coll)->type != ObjectType::Vector) return bits::kHole;
    const auto* items = static_cast<const VectorObject*>(bits::to_object(coll));
    return items->length < 2 ? bits::kNil : items->data[1].raw();
}

Result<Value> second(Call& call, Args args) {
    if (args[0].is_map() || args[0].is_set())
        return first_of(call.heap, PTC_TRY(rest_of(call.heap, std::move(args[0]), 1, call.who())), call.who());
    Value found;
    PTC_CHECK(element_at(call.heap, args[0], 1, &found, call.who()));
    return found;
}

Bits last_at_once(Bits coll) {
    if (!bits::is_object(coll) || bits::to_object(coll)->type != ObjectType::Vector) return bits::kHole;
    const auto* items = static_cast<const VectorObject*>(bits::to_object(coll));
    return items->length == 0 ? bits::kNil : items->data[items->length - 1].raw();
}

Result<Value> last(Call& call, Args args) {
    Value items = PTC_TRY(positions_argument(call, args, 1));
    std::size_t length = vector_length(items);
    return length == 0 ? Value() : vector_get(items, length - 1);
}

Result<Value> nth(Call& call, Args args) {
    std::int64_t i = PTC_TRY(index_argument(call, args, 2));
    Value found;
    if (PTC_TRY(element_at(call.heap, args[0], i, &found, call.who()))) return found;
    return args.size() == 3 ? std::move(args[2]) : Value(); // DIV-26: outside is no error
}

Result<Value> rest_from(Call& call, Args args, std::size_t n) {
    PTC_CHECK(charge(call, args[0].is_string() ? text_of(args[0]).size() : 1));
    return rest_of(call.heap, std::move(args[0]), n, call.who());
}

Value nil_if_empty(Value vector) { return vector_length(vector) == 0 ? Value() : std::move(vector); }

Result<Value> rest(Call& call, Args args) { return rest_from(call, args, 1); }
Result<Value> next(Call& call, Args args) { return nil_if_empty(PTC_TRY(rest_from(call, args, 1))); }
Result<Value> nnext(Call& call, Args args) { return nil_if_empty(PTC_TRY(rest_from(call, args, 2))); }

Result<Value> ffirst(Call& call, Args args) {
    return first_of(call.heap, PTC_TRY(first_of(call.heap, args[0], call.who())), call.who());
}

Result<Value> nfirst(Call& call, Args args) {
    args[0] = PTC_TRY(first_of(call.heap, args[0], call.who()));
    return next(call, args);
}

Result<Value> butlast(Call& call, Args args) {
    Value items = PTC_TRY(positions_argument(call, args, 1));
    std::size_t length = vector_length(items);
    if (length < 2) return Value();
    return vector_slice(call.heap, std::move(items), 0, length - 1);
}

// Parts by number, from any collection.

Result<Value> take(Call& call, Args args) {
    std::int64_t n = PTC_TRY(count_argument(call, args, 1));
    Value items = PTC_TRY(sequence_argument(call, args, 2));
    std::size_t end = clamp_to(n, vector_length(items));
    return vector_slice(call.heap, std::move(items), 0, end);
}

Result<Value> drop_from(Call& call, Args args, std::size_t count_position, std::size_t coll_position) {
    std::int64_t n = PTC_TRY(count_argument(call, args, count_position));
    Value items = PTC_TRY(sequence_argument(call, args, coll_position));
    std::size_t length = vector_length(items);
    return vector_slice(call.heap, std::move(items), clamp_to(n, length), length);
}

Result<Value> drop(Call& call, Args args) { return drop_from(call, args, 1, 2); }
Result<Value> nthrest(Call& call, Args args) { return drop_from(call, args, 2, 1); }
Result<Value> nthnext(Call& call, Args args) { return nil_if_empty(PTC_TRY(drop_from(call, args, 2, 1))); }

Result<Value> take_last(Call& call, Args args) {
    std::int64_t n = PTC_TRY(count_argument(call, args, 1));
    Value items = PTC_TRY(sequence_argument(call, args, 2));
    std::size_t length = vector_length(items);
    return nil_if_empty(PTC_TRY(vector_slice(call.heap, std::move(items), length - clamp_to(n, length), length)));
}

Result<Value> drop_last(Call& call, Args args) {
    std::int64_t n = args.size() == 2 ? PTC_TRY(count_argument(call, args, 1)) : 1;
    Value items = PTC_TRY(sequence_argument(call, args, args.size()));
    std::size_t length = vector_length(items);
    return vector_slice(call.heap, std::move(items), 0, length - clamp_to(n, length));
}

Result<Value> split_at(Call& call, Args args) {
    std::int64_t n = PTC_TRY(count_argument(call, args, 1));
    Value items = PTC_TRY(sequence_argument(call, args, 2));
    std::size_t length = vector_length(items), at = clamp_to(n, length);
    Value head = PTC_TRY(slice(call, items, 0, at));
    Value tail = PTC_TRY(vector_slice(call.heap, std::move(items), at, length));
    return pair_of(call.heap, std::move(head), std::move(tail));
}

// Groups.

struct Grouping {
    std::int64_t size;
    std::int64_t step;
    Value items;
};

Error not_positive(const Call& call, const char* what) {
    return Error(Reason::TypeError, quoted(call.who()) + " needs a " + what + " above 0: it would never end.");
}

// The arguments of partition and partition-all: size, step unless it is the same, items at the end.
Result<Grouping> grouping_arguments(Call& call, Args args) {
    Grouping grouping{PTC_TRY(count_argument(call, args, 1)), 0, Value()};
    grouping.step = args.size() > 2 ? PTC_TRY(count_argument(call, args, 2)) : grouping.size;
    grouping.items = PTC_TRY(sequence_argument(call, args, args.size()));
    return grouping;
}

// `start` plus `n`, which is positive, cut to the length.
std::size_t advance(std::size_t start, std::int64_t n, std::size_t length) {
    return start + clamp_to(n, length - start);
}

// The rest of a group, filled up from `pad` as far as that goes.
Result<Value> padded_group(Call& call, const Grouping& grouping, std::size_t start, const Value& pad) {
    std::size_t length = vector_length(grouping.items);
    Value group = PTC_TRY(slice(call, grouping.items, start, length));
    std::size_t missing = clamp_to(grouping.size - static_cast<std::int64_t>(length - start), vector_length(pad));
    PTC_CHECK(charge(call, missing));
    Value filling = PTC_TRY(slice(call, pad, 0, missing));
    return vector_concat(call.heap, std::move(group), filling);
}

// A size written as a double equals no count, so that no group is ever full: Clojure's answer (GAP-S79).
Result<Value> partition(Call& call, Args args) {
    bool can_be_full = !args[0].is_double();
    Value pad;
    if (args.size() == 4) pad = PTC_TRY(sequence_argument(call, args, 3));
    Grouping grouping = PTC_TRY(grouping_arguments(call, args));
    if (grouping.size < 0) return empty_vector(); // GAP-S53
    if (grouping.size == 0) return not_positive(call, "size");
    if (grouping.step <= 0) return not_positive(call, "step");
    VectorBuilder groups(call.heap);
    std::size_t length = vector_length(grouping.items);
    for (std::size_t start = 0; start < length; start = advance(start, grouping.step, length)) {
        PTC_CHECK(charge(call, 2));
        bool full = can_be_full && static_cast<std::uint64_t>(grouping.size) <= length - start;
        if (!full) {
            if (args.size() == 4 && !groups.push(PTC_TRY(padded_group(call, grouping, start, pad)))) break;
            break;
        }
        std::size_t end = start + static_cast<std::size_t>(grouping.size);
        if (!groups.push(PTC_TRY(slice(call, grouping.items, start, end)))) break;
    }
    return groups.finish();
}

Result<Value> partition_all(Call& call, Args args) {
    Grouping grouping = PTC_TRY(grouping_arguments(call, args));
    if (grouping.size <= 0) return not_positive(call, "size");
    if (grouping.step <= 0) return not_positive(call, "step");
    VectorBuilder groups(call.heap);
    std::size_t length = vector_length(grouping.items);
    for (std::size_t start = 0; start < length; start = advance(start, grouping.step, length)) {
        PTC_CHECK(charge(call, 2));
        if (!groups.push(PTC_TRY(slice(call, grouping.items, start, advance(start, grouping.size, length))))) break;
    }
    return groups.finish();
}

// All elements anew.

Result<Value> reverse(Call& call, Args args) {
    Value items = PTC_TRY(positions_argument(call, args, 1));
    VectorReader reader(items);
    PTC_CHECK(charge(call, reader.size()));
    VectorBuilder result(call.heap);
    if (!result.reserve(reader.size())) return result.finish();
    for (std::size_t i = reader.size(); i-- > 0;)
        result.push(reader.at(i));
    return result.finish();
}

Result<Value> interpose(Call& call, Args args) {
    Value items = PTC_TRY(positions_argument(call, args, 2));
    VectorReader reader(items);
    VectorBuilder result(call.heap);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        if (i > 0 && !result.push(args[0].copy())) break;
        if (!result.push(reader.at(i))) break;
    }
    return result.finish();
}

Result<Value> interleave(Call& call, Args args) {
    if (args.empty()) return empty_vector();
    std::size_t shortest = SIZE_MAX;
    for (std::size_t position = 1; position <= args.size(); ++position) {
        Value& items = args[position - 1];
        items = PTC_TRY(positions_argument(call, args, position));
        shortest = std::min(shortest, vector_length(items));
    }
    VectorBuilder result(call.heap);
    if (!result.reserve(shortest * args.size()))
        return call.heap.out_of_memory(); // to move millions takes milliseconds
    for (std::size_t i = 0; i < shortest; ++i) {
        PTC_CHECK(charge(call, args.size()));
        for (const Value& items : args) {
            if (!result.push(vector_get(items, i))) return result.finish();
        }
    }
    return result.finish();
}

// A function of the language alone, over vectors: nil, strings, maps and sets are taken for a mistake.
Result<Value> zip(Call& call, Args args) {
    for (std::size_t position = 1; position <= 2; ++position) {
        if (!args[position - 1].is_vector()) return argument_error(call, args, position, "a vector");
    }
    VectorReader lefts(args[0]), rights(args[1]);
    VectorBuilder result(call.heap);
    for (std::size_t i = 0; i < lefts.size() && i < rights.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        if (!result.push(PTC_TRY(pair_of(call.heap, lefts.at(i), rights.at(i))))) break;
    }
    return result.finish();
}

// Vectors within vectors, in order, with a stack of our own. Clojure: what is no sequence has no elements (GAP-S81).
Result<Value> flatten(Call& call, Args args) {
    if (!args[0].is_vector()) return empty_vector();
    struct Level {
        Value items;
        std::size_t next;
    };
    ScratchStack<Level> levels(call.heap);
    if (!levels.push({std::move(args[0]), 0})) return call.heap.out_of_memory();
    VectorBuilder result(call.heap);
    while (!levels.empty()) {
        PTC_CHECK(charge(call, 1));
        Level& level = levels.back();
        if (level.next == vector_length(level.items)) {
            levels.pop();
            continue;
        }
        Value item = vector_get(level.items, level.next++);
        if (item.is_vector()) {
            if (!levels.push({std::move(item), 0})) return call.heap.out_of_memory();
        } else if (!result.push(std::move(item))) {
            break;
        }
    }
    return result.finish();
}

// Adds `item` to a set; whether it was new.
Result<bool> add_new(Call& call, Value& seen, Value item) {
    std::size_t before = set_count(seen);
    seen = PTC_TRY(set_conj(call.heap, std::move(seen), std::move(item)));
    return set_count(seen) > before;
}

// The result has the order of the input.
Result<Value> distinct(Call& call, Args args) {
    Value items = PTC_TRY(positions_argument(call, args, 1));
    VectorReader reader(items);
    VectorBuilder result(call.heap);
    Value seen = empty_set();
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        Value item = reader.at(i);
        if (PTC_TRY(add_new(call, seen, item.copy())) && !result.push(std::move(item))) break;
    }
    return result.finish();
}

Result<Value> distinct_p(Call& call, Args args) {
    Value seen = empty_set();
    for (Value& item : args) {
        PTC_CHECK(charge(call, 2));
        if (!PTC_TRY(add_new(call, seen, std::move(item)))) return Value::boolean(false);
    }
    return Value::boolean(true);
}

Result<Value> dedupe(Call& call, Args args) {
    Value items = PTC_TRY(sequence_argument(call, args, 1));
    VectorReader reader(items);
    VectorBuilder result(call.heap);
    Value previous = Value::hole(); // equal to no item
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        Value item = reader.at(i);
        if (!previous.is_hole() && equal(call.heap, previous, item)) continue;
        previous = item.copy();
        if (!result.push(std::move(item))) break;
    }
    return result.finish();
}

// Numbers in a row.

Result<Value> range_by_adding(Call& call, Value start, const Value& end, const Value& step) {
    bool up = !is_negative(step);
    VectorBuilder result(call.heap);
    for (;;) {
        PTC_CHECK(charge(call, 1));
        std::partial_ordering order = compare_numbers(start, end);
        if (up ? !(order < 0) : !(order > 0)) return result.finish();
        Value following = PTC_TRY(add(call.heap, start, step, call.who()));
        if (!result.push(std::move(start))) return result.finish();
        start = std::move(following);
    }
}

Result<Value> range(Call& call, Args args) {
    for (std::size_t position = 1; position <= args.size(); ++position) {
        if (!args[position - 1].is_number()) return argument_error(call, args, position, "a number");
    }
    Value start = args.size() == 1 ? Value::small_integer(0) : std::move(args[0]);
    Value end = std::move(args[args.size() == 1 ? 0 : 1]);
    Value step = args.size() == 3 ? std::move(args[2]) : Value::small_integer(1);
    if (is_zero(step)) {
        return Error(Reason::TypeError, "`range`: a step of 0 would never end.")
            .with_hint("`(take n (range start end 0))` repeats start n times.");
    }
    bool small = start.is_small_integer() && end.is_small_integer() && step.is_small_integer();
    if (!small) return range_by_adding(call, std::move(start), end, step);
    std::int64_t distance = end.small_integer() - start.small_integer();
    // 32 bits count the elements of a vector: more of them never fit.
    if (distance / step.small_integer() >= UINT32_MAX) return call.heap.out_of_memory();
    return make_range(call.heap, start.small_integer(), end.small_integer(), step.small_integer());
}

// (take n (range start end 0)): the one use of a range that never ends (GAP-S45).
Result<Value> take_endless(Call& call, Args args) {
    std::size_t n = clamp_to(PTC_TRY(count_argument(call, args, 1)), UINT32_MAX);
    for (std::size_t position = 2; position <= 3; ++position) {
        if (!args[position - 1].is_number())
            return wrong_type("range", "a number", args[position - 1], static_cast<int>(position) - 1);
    }
    VectorBuilder result(call.heap);
    for (std::size_t i = 0; i < n; ++i) {
        PTC_CHECK(charge(call, 1));
        if (!result.push(args[1].copy())) break;
    }
    return result.finish();
}

// Steps `chosen`, increasing indices below `length`, to the next choice in order; false after the last.
bool next_choice(std::span<std::size_t> chosen, std::size_t length) {
    std::size_t k = chosen.size();
    for (std::size_t i = k; i-- > 0;) {
        if (chosen[i] == length - k + i) continue; // at its last place
        ++chosen[i];
        for (std::size_t j = i + 1; j < k; ++j)
            chosen[j] = chosen[j - 1] + 1;
        return true;
    }
    return false;
}

Result<Value> combinations(Call& call, Args args) {
    Value items = PTC_TRY(sequence_argument(call, args, 1));
    if (!args[1].is_integer()) return empty_vector(); // of no size at all
    std::int64_t n = PTC_TRY(count_argument(call, args, 2));
    std::size_t length = vector_length(items);
    if (n < 0 || static_cast<std::uint64_t>(n) > length) return empty_vector();
    auto k = static_cast<std::size_t>(n);
    PTC_CHECK(charge(call, k));
    ScratchStack<std::size_t> chosen(call.heap);
    for (std::size_t i = 0; i < k; ++i) {
        if (!chosen.push(i)) return call.heap.out_of_memory();
    }
    std::span<std::size_t> choice(chosen.data(), k);
    VectorBuilder result(call.heap);
    do {
        PTC_CHECK(charge(call, k + 1));
        VectorBuilder group(call.heap);
        for (std::size_t i : choice) {
            if (!group.push(vector_get(items, i))) break;
        }
        if (!result.push(PTC_TRY(group.finish()))) break;
    } while (next_choice(choice, length));
    return result.finish();
}

// Sums. Nil is left out (spec 11.4); what is no number either is an arithmetic_error (spec 11.5).

struct Total {
    Value sum = Value::small_integer(0);
    std::size_t count = 0;
};

Error not_summable(const Call& call, const Value& got) {
    Error error = not_a_number(call.who(), got);
    error.reason = Reason::ArithmeticError;
    return error;
}

// Rows of numbers: a string, a map or a set in place of a vector is a mistake, not something to add up.
Result<Total> total_of(Call& call, Args args) {
    if (args[0].is_nil()) return Total();
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector of numbers");
    VectorReader reader(args[0]);
    Total total;
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        Value item = reader.at(i);
        if (item.is_nil()) continue;
        if (!item.is_number()) return not_summable(call, item);
        total.sum = PTC_TRY(add(call.heap, total.sum, item, call.who()));
        ++total.count;
    }
    return total;
}

Result<Value> sum(Call& call, Args args) { return PTC_TRY(total_of(call, args)).sum; }

Result<Value> avg(Call& call, Args args) {
    Total total = PTC_TRY(total_of(call, args));
    if (total.count == 0) return Value();
    return divide(call.heap, total.sum, Value::small_integer(static_cast<std::int64_t>(total.count)));
}

// reduced. What it gives is a vector that begins with a builtin that no program can name, so that it is kept, copied
// and stored like any value; and so is the accumulator of a transducer that remembers something, [stage% state
// accumulator], while that is a function (runtime/core).

bool begins_with(const Value& value, const char* mark, std::size_t length) {
    if (!value.is_vector() || vector_length(value) != length) return false;
    Value first = vector_get(value, 0);
    return first.is_builtin() && first.builtin_index() == static_cast<std::uint32_t>(find_builtin(mark));
}

Value mark_of(const char* name) { return Value::builtin(static_cast<std::uint32_t>(find_builtin(name))); }

} // namespace

bool is_reduced(const Value& value) { return begins_with(value, "unreduced%", 2); }

namespace {

Result<Value> reduced(Call& call, Args args) { return pair_of(call.heap, mark_of("unreduced%"), std::move(args[0])); }

Result<Value> reduced_p(Call&, Args args) { return Value::boolean(is_reduced(args[0])); }

Result<Value> unreduced(Call&, Args args) { return is_reduced(args[0]) ? vector_get(args[0], 1) : std::move(args[0]); }

Result<Value> stage(Call& call, Args args) {
    Value items[] = {mark_of("stage%"), std::move(args[0]), std::move(args[1])};
    return make_vector(call.heap, items);
}

Result<Value> stage_p(Call&, Args args) { return Value::boolean(begins_with(args[0], "stage%", 3)); }

// (lift% stage done): a stage whose accumulator is reduced is reduced itself; so is one that is done.
Result<Value> lift(Call& call, Args args) {
    if (!begins_with(args[0], "stage%", 3)) return std::move(args[0]);
    Value inner = vector_get(args[0], 2);
    const bool is_done = is_reduced(inner) || args[1].is_truthy();
    if (is_reduced(inner)) {
        inner = vector_get(inner, 1);
        args[0] = PTC_TRY(vector_assoc(call.heap, std::move(args[0]), 2, std::move(inner)));
    }
    if (!is_done) return std::move(args[0]);
    return pair_of(call.heap, mark_of("unreduced%"), std::move(args[0]));
}

constexpr const char* kEager = "Not lazy: the result is a vector.";
constexpr const char* kExtension = "Not in Clojure.";

constexpr Builtin kRows[] = {
    {.name = "first",
     .usage = "(first coll)",
     .doc = "The first element; nil when there is none.",
     .example = {"(first [1 2 3])", "1"},
     .work = Work::Conversion,
     .gives = {kinds::kAny, ResultRule::Element},
     .model = BoundModel::Element,
     .instruction = Instruction::First,
     .call = first},
    {.name = "second",
     .usage = "(second coll)",
     .doc = "The second element; nil when there is none.",
     .example = {"(second [1 2 3])", "2"},
     .work = Work::Conversion,
     .gives = {kinds::kAny, ResultRule::Element},
     .model = BoundModel::Element,
     .call = second,
     .at_once = second_at_once},
    {.name = "last",
     .usage = "(last coll)",
     .doc = "The last element; nil when there is none.",
     .example = {"(last [1 2 3])", "3"},
     .work = Work::Conversion,
     .gives = {kinds::kAny, ResultRule::AnItem},
     .model = BoundModel::Element,
     .call = last,
     .at_once = last_at_once},
    {.name = "nth",
     .usage = "(nth coll index) (nth coll index default)",
     .doc = "The element at index of a vector or string. Else default, or nil.",
     .example = {"(nth [1 2 3] 1)", "2"},
     .work = Work::Text,
     .gives = {kinds::kAny, ResultRule::Element},
     .model = BoundModel::Nth,
     .instruction = Instruction::Nth,
     .call = nth,
     .differs = "An index outside gives default or nil, not an error."},
    {.name = "rest",
     .usage = "(rest coll)",
     .doc = "All elements but the first; empty when there are none.",
     .example = {"(rest [1 2 3])", "[2 3]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::Rest,
     .instruction = Instruction::Rest,
     .call = rest,
     .traits = traits::kSequence},
    {.name = "next",
     .usage = "(next coll)",
     .doc = "All elements but the first; nil when there are none.",
     .example = {"(next [1])", "nil"},
     .work = Work::Conversion,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::LastItems},
     .model = BoundModel::Next,
     .call = next,
     .traits = traits::kSequence},
    {.name = "butlast",
     .usage = "(butlast coll)",
     .doc = "All elements but the last; nil when there are none.",
     .example = {"(butlast [1 2 3])", "[1 2]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::LastItems},
     .model = BoundModel::AllButLast,
     .call = butlast,
     .traits = traits::kSequence},
    {.name = "ffirst",
     .usage = "(ffirst coll)",
     .doc = "(first (first coll)).",
     .example = {"(ffirst [[1 2] [3]])", "1"},
     .work = Work::Conversion,
     .gives = {kinds::kAny},
     .model = BoundModel::ElementOfElement,
     .call = ffirst},
    {.name = "fnext",
     .usage = "(fnext coll)",
     .doc = "(first (next coll)).",
     .example = {"(fnext [1 2 3])", "2"},
     .work = Work::Conversion,
     .gives = {kinds::kAny},
     .model = BoundModel::Element,
     .call = second,
     .at_once = second_at_once,
     .alias_of = "second"},
    {.name = "nfirst",
     .usage = "(nfirst coll)",
     .doc = "(next (first coll)).",
     .example = {"(nfirst [[1 2] [3]])", "[2]"},
     .work = Work::Conversion,
     .gives = {kinds::kAny},
     .model = BoundModel::TailOfElement,
     .call = nfirst,
     .traits = traits::kSequence},
    {.name = "nnext",
     .usage = "(nnext coll)",
     .doc = "(next (next coll)).",
     .example = {"(nnext [1 2 3])", "[3]"},
     .work = Work::Conversion,
     .gives = {kinds::kAny},
     .model = BoundModel::Nnext,
     .call = nnext,
     .traits = traits::kSequence},
    {.name = "take",
     .usage = "(take n coll)",
     .doc = "The first n elements, or as many as there are.",
     .example = {"(take 2 [1 2 3])", "[1 2]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::SoManyItems,
     .call = take,
     .differs = kEager},
    {.name = "drop",
     .usage = "(drop n coll)",
     .doc = "All but the first n elements.",
     .example = {"(drop 2 [1 2 3])", "[3]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::SomeItems,
     .call = drop,
     .differs = kEager},
    {.name = "take-last",
     .usage = "(take-last n coll)",
     .doc = "The last n elements; nil when there are none.",
     .example = {"(take-last 2 [1 2 3])", "[2 3]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::LastItems},
     .model = BoundModel::SoManyItems,
     .call = take_last,
     .traits = traits::kSequence},
    {.name = "drop-last",
     .usage = "(drop-last coll) (drop-last n coll)",
     .doc = "All but the last n elements; n is 1 if left out.",
     .example = {"(drop-last 2 [1 2 3])", "[1]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::SomeItems,
     .call = drop_last,
     .traits = traits::kSequence,
     .differs = kEager},
    {.name = "nthrest",
     .usage = "(nthrest coll n)",
     .doc = "All but the first n elements.",
     .example = {"(nthrest [1 2 3] 2)", "[3]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::FirstItems},
     .model = BoundModel::SomeItemsOfFirst,
     .call = nthrest,
     .traits = traits::kSequence},
    {.name = "nthnext",
     .usage = "(nthnext coll n)",
     .doc = "All but the first n elements; nil when there are none.",
     .example = {"(nthnext [1 2 3] 3)", "nil"},
     .work = Work::Conversion,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::FirstItems},
     .model = BoundModel::SomeItemsOfFirst,
     .call = nthnext,
     .traits = traits::kSequence},
    {.name = "split-at",
     .usage = "(split-at n coll)",
     .doc = "[(take n coll) (drop n coll)].",
     .example = {"(split-at 2 [1 2 3])", "[[1 2] [3]]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector},
     .model = BoundModel::SplitAt,
     .call = split_at},
    {.name = "partition",
     .usage = "(partition n coll) (partition n step coll) (partition n step pad coll)",
     .doc = "Groups of n elements, one every step; a last one that is short is left out, or filled up from pad.",
     .example = {"(partition 2 1 [1 2 3])", "[[1 2] [2 3]]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::Runs},
     .model = BoundModel::Partition,
     .call = partition,
     .traits = traits::kSequence,
     .differs = kEager},
    {.name = "partition-all",
     .usage = "(partition-all n coll) (partition-all n step coll)",
     .doc = "Groups of n elements, one every step; the last ones may be short.",
     .example = {"(partition-all 2 [1 2 3])", "[[1 2] [3]]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::Runs},
     .model = BoundModel::Partition,
     .call = partition_all,
     .differs = kEager},
    {.name = "reverse",
     .usage = "(reverse coll)",
     .doc = "The elements from last to first.",
     .example = {"(reverse [1 2 3])", "[3 2 1]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::AllItems,
     .call = reverse,
     .traits = traits::kSequence},
    {.name = "interpose",
     .usage = "(interpose separator coll)",
     .doc = "The elements with the separator between them.",
     .example = {"(interpose 0 [1 2 3])", "[1 0 2 0 3]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::GivesList},
     .model = BoundModel::Mixed,
     .call = interpose},
    {.name = "interleave",
     .usage = "(interleave & colls)",
     .doc = "The first elements of all collections, then the second ones, up to the end of the shortest.",
     .example = {"(interleave [1 2] [:a :b])", "[1 :a 2 :b]"},
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Mixed,
     .call = interleave,
     .traits = traits::kSequence},
    {.name = "zip",
     .usage = "(zip v1 v2)",
     .doc = "Pairs of the elements of two vectors, up to the end of the shorter one.",
     .example = {"(zip [1 2] [:a :b])", "[[1 :a] [2 :b]]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::Rows},
     .model = BoundModel::Mixed,
     .call = zip,
     .differs = kExtension},
    {.name = "flatten",
     .usage = "(flatten coll)",
     .doc = "The elements of vectors within vectors, as one vector.",
     .example = {"(flatten [1 [2 [3]]])", "[1 2 3]"},
     .work = Work::Inside,
     .gives = {kinds::kVector, ResultRule::GivesList},
     .model = BoundModel::Flatten,
     .call = flatten,
     .traits = traits::kSequence},
    {.name = "distinct",
     .usage = "(distinct coll)",
     .doc = "Each element once, where it first occurs.",
     .example = {"(distinct [1 2 1 3])", "[1 2 3]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::Distinct,
     .call = distinct},
    {.name = "distinct?",
     .usage = "(distinct? x & more)",
     .doc = "Whether no two arguments are equal.",
     .example = {"(distinct? 1 2 1)", "false"},
     .work = Work::Arguments,
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::AreDistinct,
     .call = distinct_p},
    {.name = "dedupe",
     .usage = "(dedupe coll)",
     .doc = "The elements without those that equal the one before.",
     .example = {"(dedupe [1 1 2 1])", "[1 2 1]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::Dedupe,
     .call = dedupe},
    {.name = "range",
     .usage = "(range end) (range start end) (range start end step)",
     .doc = "The numbers from start, or 0, up to end, which is left out, step (or 1) apart.",
     .example = {"(range 0 10 3)", "[0 3 6 9]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::GivesList, kinds::kNumber},
     .model = BoundModel::Range,
     .call = range,
     .traits = traits::kSequence,
     .endless = 0,
     .differs = "The end is required: nothing is infinite."},
    {.name = "combinations",
     .usage = "(combinations coll n)",
     .doc = "Every choice of n elements, in order.",
     .example = {"(combinations [1 2 3] 2)", "[[1 2] [1 3] [2 3]]"},
     .work = Work::Items,
     .gives = {kinds::kVector},
     .model = BoundModel::Unknown,
     .call = combinations,
     .differs = kExtension},
    {.name = "sum",
     .usage = "(sum numbers)",
     .doc = "The sum of the numbers of a vector; nil elements are left out.",
     .example = {"(sum [1 2 3])", "6"},
     .work = Work::Items,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Sum,
     .call = sum,
     .traits = traits::kComputes,
     .differs = kExtension},
    {.name = "avg",
     .usage = "(avg numbers)",
     .doc = "The mean of the numbers of a vector, a double; nil elements are left out, nil without any.",
     .example = {"(avg [1 2 3])", "2.0"},
     .work = Work::Items,
     .gives = {kinds::kNumber | kinds::kNil, ResultRule::Gives},
     .model = BoundModel::Sum,
     .call = avg,
     .traits = traits::kComputes,
     .differs = kExtension},
    {.name = "reduced",
     .usage = "(reduced x)",
     .doc = "Ends the reduce (reduce-kv, reductions, transduce) whose function gives it, with x as the result.",
     .example = {"(reduced? (reduced 3))", "true"},
     .gives = {kinds::kAny},
     .model = BoundModel::Vector,
     .call = reduced,
     .traits = traits::kEndsEarly,
     .differs = "Elsewhere it is a value that holds x: (unreduced r) gives it back."},
    {.name = "reduced?",
     .usage = "(reduced? x)",
     .doc = "Whether x is what (reduced y) gives.",
     .example = {"(reduced? (reduced 1))", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsReduced,
     .call = reduced_p},
    {.name = "unreduced%",
     .usage = "(unreduced% x)",
     .doc = "What a reduced value holds.",
     .example = {"(unreduced (reduced 1))", "1"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Element,
     .call = unreduced},
    {.name = "stage%",
     .usage = "(stage% x y)",
     .doc = "The accumulator of a transducer that remembers state, with that of the next one.",
     .example = {"(into [] (apply comp [(take 1)]) [1 2])", "[1]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = stage},
    {.name = "is-stage%",
     .usage = "(is-stage% x)",
     .doc = "Whether x is what (stage% ..) gives.",
     .example = {"(into [] (apply comp [(drop 1)]) [1 2])", "[2]"},
     .category = Category::Internal,
     .gives = {kinds::kBoolean},
     .model = BoundModel::Question,
     .call = stage_p},
    {.name = "lift%",
     .usage = "(lift% x y)",
     .doc = "The stage, reduced when its accumulator is or when it is done.",
     .example = {"(into [] (apply comp [(take 2)]) [1 2 3])", "[1 2]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = lift},
    {.name = "take-endless%",
     .usage = "(take-endless% n start end)",
     .doc = "What (take n (range start end 0)) becomes: n times start.",
     .example = {"(take 2 (range 1 5 0))", "[1 1]"},
     .category = Category::Internal,
     .gives = {kinds::kVector},
     .model = BoundModel::Unknown,
     .call = take_endless},
};

} // namespace

std::span<const Builtin> sequence_builtins() { return kRows; }

} // namespace ptc
