// Methods of java.lang.Object, java.util's collections and of map entries, as programs call them on values of any type:
// .equals .toString .compareTo, .get .size .containsKey .getKey. They are Clojure's functions with Java's manners: a
// place that a vector does not have is an error.
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/concatenate.h"
#include "runtime/builtins/tables.h"
#include "runtime/builtins/text_arguments.h"
#include "runtime/builtins/text_errors.h"
#include "runtime/builtins/time_field_values.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/ordering.h"
#include "runtime/print.h"
#include "runtime/set.h"
#include "runtime/time.h"
#include "runtime/vector.h"
#include <cmath>

namespace ptc {
namespace {

Result<Value> call_equals(Call& call, Args args) {
    const bool answer = equivalent(call.heap, args[0], args[1]);
    PTC_CHECK(charge(call, 1)); // notices what the comparison charged
    return Value::boolean(answer);
}

Result<Value> call_to_string(Call& call, Args args) {
    if (args[0].is_nil()) return argument_error(call, args, 1, "a value").with_hint("(str x) gives \"\" for nil.");
    if (args[0].is_string()) return std::move(args[0]);
    return concatenate(call.heap, args, {});
}

/// Values of one type, of those that Java orders.
bool are_comparable(const Value& a, const Value& b) {
    if (a.is_number()) return b.is_number();
    if (a.is_boolean()) return b.is_boolean();
    return (a.is_string() || a.is_keyword() || is_time(a)) && b.is(a.type());
}

Result<Value> call_compare_to(Call& call, Args args) {
    if (!are_comparable(args[0], args[0]))
        return argument_error(call, args, 1, "a number, a string, a keyword, a boolean or a time")
            .with_hint("(compare a b) orders values of any types.");
    if (!are_comparable(args[0], args[1])) {
        const std::string expected = std::string("another ") + type_name(args[0]);
        return argument_error(call, args, 2, expected.c_str()).with_hint("(compare a b) orders values of any types.");
    }
    const int order = compare_values(call.heap, args[0], args[1]);
    PTC_CHECK(charge(call, 1));
    return Value::small_integer(order < 0 ? -1 : order > 0);
}

/// Argument 1, a collection.
Result<void> check_collection(const Call& call, Args args) {
    if (args[0].is_collection()) return {};
    Error error = argument_error(call, args, 1, "a collection");
    if (!args[0].is_string()) return error;
    return std::move(error).with_hint("The methods of a string are .length, .charAt, .indexOf and their like.");
}

Result<void> check_map(const Call& call, Args args) {
    if (args[0].is_map()) return {};
    return argument_error(call, args, 1, "a map");
}

Result<Value> call_size(Call& call, Args args) {
    PTC_CHECK(check_collection(call, args));
    return Value::small_integer(static_cast<std::int64_t>(PTC_TRY(count_of(call.heap, args[0], call.who()))));
}

Result<Value> call_get(Call& call, Args args) {
    if (is_time(args[0])) return field_of_time(call, args);
    PTC_CHECK(check_collection(call, args));
    Value found;
    if (args[0].is_vector()) {
        const std::int64_t index = PTC_TRY(index_argument(call, args, 2));
        const std::size_t length = vector_length(args[0]);
        if (index < 0 || static_cast<std::uint64_t>(index) >= length)
            return Error(Reason::RuntimeError, "`.get`: there is no item " + std::to_string(index) +
                                                   " in a vector of " + std::to_string(length) + " items.")
                .with_hint("(get coll index) gives nil for a place that is not there.");
        return vector_get(args[0], static_cast<std::size_t>(index));
    }
    (void)PTC_TRY(lookup(call.heap, args[0], args[1], &found));
    return found;
}

Result<Value> call_get_or_default(Call& call, Args args) {
    PTC_CHECK(check_map(call, args));
    Value found;
    const bool is_there = PTC_TRY(lookup(call.heap, args[0], args[1], &found));
    return is_there ? std::move(found) : std::move(args[2]);
}

Result<Value> call_contains_key(Call& call, Args args) {
    PTC_CHECK(check_map(call, args));
    Value found;
    return Value::boolean(PTC_TRY(lookup(call.heap, args[0], args[1], &found)));
}

/// Where `item` is in a vector: the first place, or the last; -1 when it is not.
Result<std::int64_t> place_of(Call& call, const Value& vector, const Value& item, bool is_last) {
    VectorReader items(vector);
    std::int64_t place = -1;
    for (std::size_t i = 0; i < items.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        const std::size_t at = is_last ? items.size() - 1 - i : i;
        if (!equivalent(call.heap, items.at(at), item)) continue;
        place = static_cast<std::int64_t>(at);
        break;
    }
    PTC_CHECK(charge(call, 1));
    return place;
}

Result<Value> call_contains_value(Call& call, Args args) {
    PTC_CHECK(check_map(call, args));
    const Value values = PTC_TRY(map_values(call.heap, args[0]));
    PTC_CHECK(charge(call, vector_length(values)));
    return Value::boolean(PTC_TRY(place_of(call, values, args[1], false)) >= 0);
}

Result<Value> call_key_set(Call& call, Args args) {
    PTC_CHECK(check_map(call, args));
    const Value keys = PTC_TRY(map_keys(call.heap, args[0]));
    VectorReader reader(keys);
    Value set = empty_set();
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        set = PTC_TRY(set_conj(call.heap, std::move(set), reader.at(i)));
    }
    return set;
}

Result<Value> call_values(Call& call, Args args) {
    PTC_CHECK(check_map(call, args));
    Value values = PTC_TRY(map_values(call.heap, args[0]));
    PTC_CHECK(charge(call, vector_length(values)));
    return values;
}

Result<Value> call_entry_set(Call& call, Args args) {
    PTC_CHECK(check_map(call, args));
    return sequence_argument(call, args, 1);
}

// ---- Lists and what java.util offers for collections

Result<Value> call_sub_list(Call& call, Args args) {
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector");
    const auto length = static_cast<std::int64_t>(vector_length(args[0]));
    const std::int64_t start = PTC_TRY(index_argument(call, args, 2));
    const std::int64_t end = PTC_TRY(index_argument(call, args, 3));
    if (start < 0 || start > end || end > length) {
        return runtime_failure(call.who(), std::to_string(start) + " to " + std::to_string(end) +
                                               " is not within a vector of " + std::to_string(length) + " items.");
    }
    return slice(call, args[0], static_cast<std::size_t>(start), static_cast<std::size_t>(end));
}

Result<Value> call_to_array(Call& call, Args args) {
    PTC_CHECK(check_collection(call, args));
    return sequence_argument(call, args, 1);
}

/// The greatest (Sign 1) or least (-1) item, the first of several that are equal.
template <int Sign> Result<Value> call_extreme(Call& call, Args args) {
    PTC_CHECK(check_collection(call, args));
    const Value items = PTC_TRY(sequence_argument(call, args, 1));
    VectorReader reader(items);
    if (reader.size() == 0) return runtime_failure(call.who(), "the collection has no items.");
    Value found = reader.at(0);
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        Value item = reader.at(i);
        if (!are_comparable(found, item)) {
            return argument_error(call, args, 1, "a collection of values of one type that has an order")
                .with_hint("(apply max numbers); (last (sort coll)) orders values of any types.");
        }
        if (compare_values(call.heap, item, found) * Sign > 0) found = std::move(item);
    }
    return found;
}

Result<Value> call_frequency(Call& call, Args args) {
    PTC_CHECK(check_collection(call, args));
    const Value items = PTC_TRY(sequence_argument(call, args, 1));
    VectorReader reader(items);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        if (equivalent(call.heap, reader.at(i), args[1])) ++count;
    }
    PTC_CHECK(charge(call, 1)); // notices what the comparisons charged
    return Value::small_integer(count);
}

Result<Value> call_as_list(Call& call, Args args) {
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector");
    return std::move(args[0]);
}

constexpr const char* kOnlyRead = "It cannot be changed: conj, assoc and dissoc give a new collection.";

/// An empty one is there to be filled.
Error never_filled(const Call& call) {
    return runtime_failure(call.who(), "there are no collections that change.")
        .with_hint("Make it at once: (into [] ..), (reduce conj [] ..), (into {} ..). State of a run is (atom []), "
                   "(swap! a conj x).");
}

Result<Value> call_new_list(Call& call, Args args) {
    return args.empty() ? never_filled(call) : call_to_array(call, args);
}

Result<Value> call_new_map(Call& call, Args args) {
    if (args.empty()) return never_filled(call);
    PTC_CHECK(check_map(call, args));
    return std::move(args[0]);
}

Result<Value> call_new_set(Call& call, Args args) {
    if (args.empty()) return never_filled(call);
    PTC_CHECK(check_collection(call, args));
    if (args[0].is_set()) return std::move(args[0]);
    const Value items = PTC_TRY(sequence_argument(call, args, 1));
    VectorReader reader(items);
    Value set = empty_set();
    for (std::size_t i = 0; i < reader.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        set = PTC_TRY(set_conj(call.heap, std::move(set), reader.at(i)));
    }
    return set;
}

/// Key or value of an entry, which is a vector of two.
template <std::size_t Place> Result<Value> call_entry_part(Call& call, Args args) {
    if (!args[0].is_vector() || vector_length(args[0]) != 2)
        return argument_error(call, args, 1, "an entry of a map, [key value]");
    return vector_get(args[0], Place);
}

/// A number as it is, or without its fraction.
template <bool IsWhole> Result<Value> call_number_value(Call& call, Args args) {
    if (!args[0].is_number()) return argument_error(call, args, 1, "a number");
    if (!IsWhole) return Value::number(to_double(args[0]));
    if (args[0].is_integer()) return std::move(args[0]);
    const double whole = std::trunc(args[0].as_double());
    if (!std::isfinite(whole)) return argument_error(call, args, 1, "a finite number");
    return integer_from_double(call.heap, whole);
}

constexpr Builtin row(const char* name, const char* usage, const char* doc, Example example, Work work, Kinds gives,
                      NativeFunction call) {
    Builtin result{.name = name, .usage = usage, .doc = doc, .example = example, .category = Category::Interop};
    result.work = work;
    result.gives = {gives};
    result.model = BoundModel::Unknown;
    result.call = call;
    return result;
}

constexpr Builtin only_read(Builtin result) {
    result.differs = kOnlyRead;
    return result;
}

constexpr Builtin kRows[] = {
    row(".equals", "(.equals a b)", "Whether two values are equal, as = has it.", {"(.equals \"a\" \"a\")", "true"},
        Work::Inside, kinds::kBoolean, call_equals),
    row(".toString", "(.toString x)", "The text of a value, as str has it; nil has none.",
        {"(.toString 1.5)", "\"1.5\""}, Work::Inside, kinds::kText, call_to_string),
    row(".compareTo", "(.compareTo a b)", "-1, 0 or 1: the order of two values of one type.",
        {"(.compareTo \"a\" \"b\")", "-1"}, Work::Text, kinds::kNumber, call_compare_to),
    row(".size", "(.size coll)", "The number of items of a collection.", {"(.size [1 2])", "2"}, Work::Constant,
        kinds::kNumber, call_size),
    row(".get", "(.get x key)",
        "The value at a key of a map, nil when it is not there; the item of a vector at an index that it has; the "
        "value "
        "of a field of a time: ChronoField/DAY_OF_WEEK, IsoFields/WEEK_OF_WEEK_BASED_YEAR and their like.",
        {"(.get {:a 1} :a)", "1"}, Work::Steps, kinds::kAny, call_get),
    row(".getOrDefault", "(.getOrDefault map key default)", "The value at a key of a map, else default.",
        {"(.getOrDefault {:a 1} :b 0)", "0"}, Work::Steps, kinds::kAny, call_get_or_default),
    row(".containsKey", "(.containsKey map key)", "Whether a map has a key.", {"(.containsKey {:a 1} :a)", "true"},
        Work::Steps, kinds::kBoolean, call_contains_key),
    row(".containsValue", "(.containsValue map x)", "Whether a map has a value.", {"(.containsValue {:a 1} 1)", "true"},
        Work::Items, kinds::kBoolean, call_contains_value),
    row(".keySet", "(.keySet map)", "The keys of a map, as a set.", {"(.keySet {:a 1})", "#{:a}"}, Work::Items,
        kinds::kSet, call_key_set),
    row(".values", "(.values map)", "The values of a map.", {"(.values {:a 1})", "[1]"}, Work::Items, kinds::kVector,
        call_values),
    row(".entrySet", "(.entrySet map)", "The entries of a map, [key value] each.", {"(.entrySet {:a 1})", "[[:a 1]]"},
        Work::Items, kinds::kVector, call_entry_set),
    row(".getKey", "(.getKey entry)", "The key of an entry of a map.", {"(.getKey [:a 1])", ":a"}, Work::Constant,
        kinds::kAny, call_entry_part<0>),
    row(".subList", "(.subList v start end)", "The items of a vector from start up to, not including, end.",
        {"(.subList [1 2 3 4] 1 3)", "[2 3]"}, Work::Constant, kinds::kVector, call_sub_list),
    row(".toArray", "(.toArray coll)", "The items of a collection, as a vector.", {"(.toArray #{1})", "[1]"},
        Work::Conversion, kinds::kVector, call_to_array),
    row("Collections/max", "(Collections/max coll)", "The greatest item of a collection.",
        {"(Collections/max [3 9 4])", "9"}, Work::Items, kinds::kAny, call_extreme<1>),
    row("Collections/min", "(Collections/min coll)", "The least item of a collection.",
        {"(Collections/min [\"b\" \"a\"])", "\"a\""}, Work::Items, kinds::kAny, call_extreme<-1>),
    row("Collections/frequency", "(Collections/frequency coll x)", "How many items of a collection are equal to x.",
        {"(Collections/frequency [1 2 1] 1)", "2"}, Work::Items, kinds::kNumber, call_frequency),
    row("Arrays/asList", "(Arrays/asList v)", "A vector as it is.", {"(Arrays/asList [1 2])", "[1 2]"}, Work::Constant,
        kinds::kVector, call_as_list),
    only_read(row("ArrayList.", "(ArrayList.) (ArrayList. coll)",
                  "The items of a collection, as a vector; an empty one is an error.", {"(ArrayList. #{1})", "[1]"},
                  Work::Conversion, kinds::kVector, call_new_list)),
    only_read(row("HashMap.", "(HashMap.) (HashMap. map)", "A map as it is; an empty one is an error.",
                  {"(HashMap. {:a 1})", "{:a 1}"}, Work::Constant, kinds::kMap, call_new_map)),
    only_read(row("TreeMap.", "(TreeMap.) (TreeMap. map)",
                  "A map as it is, which is gone through in the order of its keys; an empty one is an error.",
                  {"(TreeMap. {:a 1})", "{:a 1}"}, Work::Constant, kinds::kMap, call_new_map)),
    only_read(row("HashSet.", "(HashSet.) (HashSet. coll)",
                  "The items of a collection, as a set; an empty one is an error.", {"(HashSet. [1 1])", "#{1}"},
                  Work::Items, kinds::kSet, call_new_set)),
    row(".intValue", "(.intValue x)", "A number without its fraction.", {"(.intValue 2.9)", "2"}, Work::Constant,
        kinds::kNumber, call_number_value<true>),
    row(".longValue", "(.longValue x)", "A number without its fraction.", {"(.longValue 2.9)", "2"}, Work::Constant,
        kinds::kNumber, call_number_value<true>),
    row(".doubleValue", "(.doubleValue x)", "A number as a double.", {"(.doubleValue 2)", "2.0"}, Work::Constant,
        kinds::kNumber, call_number_value<false>),
};

} // namespace

std::span<const Builtin> object_method_builtins() { return kRows; }

} // namespace ptc
