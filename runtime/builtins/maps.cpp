// Maps, and reading any collection by key (spec 8.2; keys are matched as in spec 7.5: a keyword finds the string of the
// same text, a vector that is no key is a path). Reading is in access.h. A write finds what a read finds: `assoc`,
// `merge` and their like replace, and `dissoc` removes, the entry whose key is the same name in the other spelling
// where there is none of exactly the key (map_assoc). What makes a map of keys that are data goes by the exact key:
// `zipmap`, `hash-map`, `group-by`, `frequencies`. Functions whose name ends in % serve the core library
// (runtime/core); programs cannot name them.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/equality.h"
#include "runtime/lent_vector.h"
#include "runtime/map.h"
#include "runtime/print.h"
#include "runtime/scratch.h"

namespace ptc {
namespace {

Value not_found(Args args, std::size_t position) {
    return args.size() >= position ? std::move(args[position - 1]) : Value();
}

Result<Value> get(Call& call, Args args) {
    Value found;
    if (PTC_TRY(lookup(call.heap, args[0], args[1], &found))) return found;
    return not_found(args, 3);
}

Result<Value> get_same(Call& call, Args args) {
    const Value* found = args[0].is_map() ? map_find(call.heap, args[0], args[1]) : nullptr;
    return found ? found->copy() : std::move(args[2]);
}

Result<Value> get_of(Call& call, Args args) {
    const LentVector key(args.subspan(2));
    const Value* found = args[0].is_map() ? map_find(call.heap, args[0], key.value()) : nullptr;
    return found ? found->copy() : std::move(args[1]);
}

// A path that is no vector is a mistake, most often a key without its brackets.
Result<void> check_path(const Call& call, Args args) {
    if (args[1].is_vector() || args[1].is_nil()) return {};
    return argument_error(call, args, 2, "a vector of keys").with_hint("Put the key into brackets: `[:key]`.");
}

Result<Value> get_in(Call& call, Args args) {
    PTC_CHECK(check_path(call, args));
    if (args[1].is_nil()) return std::move(args[0]);
    PTC_CHECK(charge(call, vector_length(args[1])));
    Value found;
    if (PTC_TRY(lookup_in(call.heap, args[0], args[1], &found))) return found;
    return not_found(args, 3);
}

Result<Value> find(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    if (!args[0].is_map() && !args[0].is_vector()) {
        return argument_error(call, args, 1, "a map or vector")
            .with_hint("To search by a test: `(first (filter pred coll))`.");
    }
    Value found;
    if (!PTC_TRY(lookup(call.heap, args[0], args[1], &found))) return Value();
    return pair_of(call.heap, std::move(args[1]), std::move(found));
}

// Where `item` is from `from` on, or `to`. Only numbers equal an integer, so of all else the kind is enough;
// `*has_numbers` becomes true where there was one.
std::size_t find_item(Heap& heap, const Value& vector, std::size_t from, std::size_t to, const Value& item,
                      bool* has_numbers) {
    const bool only_numbers = item.is_small_integer();
    const Value* const data = vector_data_or_null(vector);
    if (data && only_numbers) {
        for (; from < to; ++from) {
            if (!data[from].is_number()) continue;
            *has_numbers = true;
            if (equal(heap, data[from], item)) break;
        }
        return from;
    }
    Value temporary;
    for (; from < to; ++from) {
        const Value& element = data ? data[from] : vector_element(vector, from, temporary);
        const bool is_number = element.is_number();
        *has_numbers = *has_numbers || is_number;
        if ((is_number || !only_numbers) && equal(heap, element, item)) break;
    }
    return from;
}

// DIV-27: a vector contains its elements, not its indices. Who asks one without numbers for a number can only mean an
// index, as in Clojure.
Result<bool> has_element(Call& call, const Value& vector, const Value& item) {
    constexpr std::size_t kPiece = 64; // looked through before they are paid
    const std::size_t size = vector_length(vector);
    bool has_numbers = false;
    for (std::size_t begin = 0; begin < size; begin += kPiece) {
        const std::size_t end = std::min(begin + kPiece, size);
        const std::size_t at = find_item(call.heap, vector, begin, end, item, &has_numbers);
        PTC_CHECK(charge(call, std::min(at + 1, end) - begin));
        if (at < end) return true;
    }
    if (has_numbers || !item.is_small_integer()) return false;
    const std::int64_t index = item.small_integer();
    return index >= 0 && static_cast<std::uint64_t>(index) < size;
}

Result<Value> contains_p(Call& call, Args args) {
    const Value& coll = args[0];
    if (coll.is_nil()) return Value::boolean(false);
    if (coll.is_vector()) return Value::boolean(PTC_TRY(has_element(call, coll, args[1])));
    bool readable = coll.is_map() || coll.is_set() || (coll.is_string() && args[1].is_number());
    if (!readable) {
        if (coll.is_string())
            return argument_error(call, args, 2, "an index").with_hint("`includes?` finds text in a string.");
        return argument_error(call, args, 1, "a collection");
    }
    if (coll.is_set()) return Value::boolean(set_find(call.heap, coll, args[1]) != nullptr);
    Value ignored;
    return Value::boolean(PTC_TRY(lookup(call.heap, coll, args[1], &ignored)));
}

Error odd_pairs(const Call& call, const Value& key) {
    return Error(Reason::ArityError, quoted(call.who()) + " takes keys and values in pairs; the last key, a " +
                                         type_name(key) + ", has no value.")
        .with_hint(std::string("Usage: ") + call.self.usage);
}

Result<Value> assoc(Call& call, Args args) {
    if (args.size() % 2 == 0) return odd_pairs(call, args.back());
    PTC_CHECK(charge(call, args.size()));
    Value coll = std::move(args[0]);
    for (std::size_t i = 1; i < args.size(); i += 2) {
        coll = PTC_TRY(assoc_to(call.heap, std::move(coll), std::move(args[i]), std::move(args[i + 1]), call.who()));
    }
    return coll;
}

// Moves the child at `key` out of `coll` for the time of its update, so that a sole owner is changed in place.
// Nil where there is none; assoc_to reports what cannot have one.
Value take_child(Heap& heap, Value& coll, const Value& key) {
    bool found = false;
    if (coll.is_map()) return map_take(heap, coll, key, &found);
    if (!coll.is_vector() || !key.is_small_integer() || key.small_integer() < 0) return Value();
    auto i = static_cast<std::size_t>(key.small_integer());
    return i < vector_length(coll) ? vector_take(coll, i) : Value();
}

// Without steps the key is nil, as in Clojure (GAP-S68).
Result<Value> assoc_in(Call& call, Args args) {
    PTC_CHECK(check_path(call, args));
    struct Parent {
        Value coll;
        Value key;
    };
    std::size_t steps = args[1].is_nil() ? 0 : vector_length(args[1]);
    ScratchStack<Parent> parents(call.heap);
    Value current = std::move(args[0]);
    for (std::size_t i = 0; i + 1 < steps; ++i) {
        PTC_CHECK(charge(call, 1));
        Value key = vector_get(args[1], i);
        Value child = take_child(call.heap, current, key);
        if (!parents.push({std::move(current), std::move(key)})) return call.heap.out_of_memory();
        current = std::move(child);
    }
    Value key = steps == 0 ? Value() : vector_get(args[1], steps - 1);
    current = PTC_TRY(assoc_to(call.heap, std::move(current), std::move(key), std::move(args[2]), call.who()));
    for (; !parents.empty(); parents.pop()) {
        PTC_CHECK(charge(call, 1));
        Parent& parent = parents.back();
        current =
            PTC_TRY(assoc_to(call.heap, std::move(parent.coll), std::move(parent.key), std::move(current), call.who()));
    }
    return current;
}

Result<Value> dissoc(Call& call, Args args) {
    if (args[0].is_nil() || args.size() == 1) return std::move(args[0]);
    if (!args[0].is_map()) return argument_error(call, args, 1, "a map");
    PTC_CHECK(charge(call, args.size()));
    Value map = std::move(args[0]);
    for (const Value& key : args.subspan(1))
        map = PTC_TRY(map_dissoc(call.heap, std::move(map), key));
    return map;
}

// Clojure's definition: each argument is conjoined to the first, nil is left out, and nothing but nil gives nil.
Result<Value> merge(Call& call, Args args) {
    PTC_CHECK(charge(call, args.size()));
    Value result = args.empty() ? Value() : std::move(args[0]);
    for (std::size_t i = 1; i < args.size(); ++i) {
        if (result.is_nil()) {
            if (args[i].is_nil()) continue;
            result = empty_map();
        }
        result = PTC_TRY(conj_to(call.heap, std::move(result), std::move(args[i]), call.who()));
    }
    return result;
}

Result<const Value*> map_argument(const Call& call, Args args, std::size_t position) {
    if (args[position - 1].is_map()) return &args[position - 1];
    return argument_error(call, args, position, "a map");
}

/// The first or second part of each of some entries, as (sort-by val m) and (filter f m) give them.
Result<Value> parts_of_entries(Call& call, Args args, std::size_t part) {
    const VectorReader entries(args[0]);
    PTC_CHECK(charge(call, entries.size()));
    VectorBuilder parts(call.heap);
    if (!parts.reserve(entries.size())) return call.heap.out_of_memory();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Value entry = entries.at(i);
        if (!entry.is_vector() || vector_length(entry) != 2) return argument_error(call, args, 1, "a map");
        parts.push(vector_get(entry, part));
    }
    return parts.finish();
}

Result<Value> keys(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    if (args[0].is_vector()) return parts_of_entries(call, args, 0);
    const Value& map = *PTC_TRY(map_argument(call, args, 1));
    PTC_CHECK(charge(call, map_count(map)));
    return map_keys(call.heap, map);
}

Result<Value> vals(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    if (args[0].is_vector()) return parts_of_entries(call, args, 1);
    const Value& map = *PTC_TRY(map_argument(call, args, 1));
    PTC_CHECK(charge(call, map_count(map)));
    return map_values(call.heap, map);
}

Result<Value> entries(Call& call, Args args) {
    const Value& map = *PTC_TRY(map_argument(call, args, 1));
    PTC_CHECK(charge(call, map_count(map)));
    return map_entries(call.heap, map);
}

Result<Value> entry_part(Call& call, Args args, std::size_t part) {
    if (args[0].is_vector() && vector_length(args[0]) == 2) return vector_get(args[0], part);
    return argument_error(call, args, 1, "a [key value] pair");
}

Bits entry_part_at_once(Bits entry, std::size_t part) {
    if (!bits::is_object(entry) || bits::to_object(entry)->type != ObjectType::Vector) return bits::kHole;
    const auto* pair = static_cast<const VectorObject*>(bits::to_object(entry));
    return pair->length == 2 ? pair->data[part].raw() : bits::kHole;
}

Bits key_at_once(Bits entry) { return entry_part_at_once(entry, 0); }
Bits val_at_once(Bits entry) { return entry_part_at_once(entry, 1); }
Result<Value> key(Call& call, Args args) { return entry_part(call, args, 0); }
Result<Value> val(Call& call, Args args) { return entry_part(call, args, 1); }

// The keys of the result are those asked for (DIV-46), and none of them is a path, as in Clojure: a map of keys asks
// for its entries.
Result<Value> select_keys(Call& call, Args args) {
    bool associative = args[0].is_map() || args[0].is_vector() || args[0].is_nil();
    if (!associative) return argument_error(call, args, 1, "a map or vector");
    VectorReader wanted(args[1] = PTC_TRY(sequence_argument(call, args, 2)));
    if (std::optional<Result<Value>> known = record_select(call.heap, args[0], args[1])) {
        PTC_CHECK(charge(call, wanted.size()));
        return std::move(*known);
    }
    MapBuilder result(call.heap);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        Value key = wanted.at(i);
        Value found;
        if (!PTC_TRY(lookup_key(call.heap, args[0], key, &found))) continue;
        if (!result.put(std::move(key), std::move(found))) break;
    }
    return result.finish();
}

Result<Value> zipmap(Call& call, Args args) {
    VectorReader keys_in(args[0] = PTC_TRY(sequence_argument(call, args, 1)));
    VectorReader vals_in(args[1] = PTC_TRY(sequence_argument(call, args, 2)));
    MapBuilder result(call.heap);
    for (std::size_t i = 0; i < keys_in.size() && i < vals_in.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        if (!result.put(keys_in.at(i), vals_in.at(i))) break;
    }
    return result.finish();
}

Result<Value> hash_map(Call& call, Args args) {
    if (args.size() % 2 == 1) return odd_pairs(call, args.back());
    PTC_CHECK(charge(call, args.size()));
    MapBuilder result(call.heap);
    for (std::size_t i = 0; i < args.size(); i += 2) {
        if (!result.put(std::move(args[i]), std::move(args[i + 1]))) break;
    }
    return result.finish();
}

// What the core library says of itself is text; a program from a file may say anything.
std::string text_or(const Value& v, const char* otherwise) {
    return v.is_string() ? std::string(text_of(v)) : otherwise;
}

// An argument of a function that is written in PTC-Lisp: its name, the position, what is needed.
Error refused(Args args, const char* expected) {
    const int position = args[1].is_small_integer() ? static_cast<int>(args[1].small_integer()) : 0;
    return wrong_type(text_or(args[0], "a function").c_str(), expected, args[2], position);
}

// What goes through key by key: a map as it is, a vector as [index element] pairs, nothing for nil.
Result<Value> associations(Call& call, Args args) {
    if (args[2].is_map() || args[2].is_nil()) return std::move(args[2]);
    if (!args[2].is_vector()) return refused(args, "a map or vector");
    VectorReader items(args[2]);
    VectorBuilder pairs(call.heap);
    for (std::size_t i = 0; i < items.size(); ++i) {
        PTC_CHECK(charge(call, 2));
        Value index = Value::small_integer(static_cast<std::int64_t>(i));
        if (!pairs.push(PTC_TRY(pair_of(call.heap, std::move(index), items.at(i))))) break;
    }
    return pairs.finish();
}

Result<Value> refuse(Call&, Args args) {
    std::swap(args[2], args[3]);
    return refused(args, text_or(args[3], "something else").c_str());
}

// One part of a form for postwalk-replace: exactly a key of the map, or the same text as the other type; never a path.
Result<Value> replaced(Call& call, Args args) {
    if (args[0].is_nil()) return std::move(args[1]);
    if (!args[0].is_map()) return wrong_type("walk/postwalk-replace", "a map", args[0], 1);
    const Value* found = map_find_flexible(call.heap, args[0], args[1]);
    return found ? found->copy() : std::move(args[1]);
}

// What merge-with joins with: the entry that a write to exactly this key replaces, never one at the end of a path.
Result<Value> held(Call& call, Args args) {
    if (args[0].is_vector()) return find(call, args);
    if (!args[0].is_map()) return Value(); // the write says what is wrong
    const Value* value = map_find_written(call.heap, args[0], args[1]);
    if (!value) return Value();
    Value copy = value->copy();
    return pair_of(call.heap, std::move(args[1]), std::move(copy));
}

Result<Value> record_of(Call& call, Args args) {
    if (!args[0].is_map()) return argument_error(call, args, 1, "a map");
    if (!args[1].is_keyword() || !is_field_key(args[1])) return argument_error(call, args, 2, "a short keyword");
    return map_of_type(call.heap, std::move(args[0]), args[1]);
}

Result<Value> record_type(Call&, Args args) {
    const Value* type = args[0].is_map() ? map_record_type(args[0]) : nullptr;
    return type ? type->copy() : Value();
}

Result<Value> group_append(Call& call, Args args) {
    return map_append_at(call.heap, std::move(args[0]), std::move(args[1]), std::move(args[2]));
}

Result<Value> frequencies(Call& call, Args args) {
    VectorReader items(args[0] = PTC_TRY(sequence_argument(call, args, 1)));
    Value counts = empty_map();
    for (std::size_t i = 0; i < items.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        counts = PTC_TRY(map_count_at(call.heap, std::move(counts), items.at(i)));
    }
    return counts;
}

constexpr const char* kFlexible =
    "A keyword also finds the string key of the same text, and the other way round; a vector that is no key is a path.";
constexpr const char* kWrites =
    "Where a map has the same name as a text and not as a keyword, or the other way round, that entry is meant; it "
    "keeps its key.";
constexpr const char* kPairs = "An entry is a vector of two.";

constexpr Builtin kRows[] = {
    {.name = "get",
     .usage = "(get coll key) (get coll key default)",
     .doc = "The value at key: of a map, by index of a vector or string, a member of a set. Else default, or nil.",
     .example = {"(get {:a 1} :b 0)", "0"},
     .work = Work::Steps,
     .gives = {kinds::kAny, ResultRule::Get},
     .model = BoundModel::Get,
     .instruction = Instruction::Get,
     .call = get,
     .differs = kFlexible},
    {.name = "get-in",
     .usage = "(get-in coll path) (get-in coll path default)",
     .doc = "The value that a vector of keys leads to, level by level. Else default, or nil.",
     .example = {"(get-in {:user {:name \"A\"}} [:user :name])", "\"A\""},
     .work = Work::Steps,
     .gives = {kinds::kAny, ResultRule::GetIn},
     .model = BoundModel::GetIn,
     .call = get_in,
     .differs = kFlexible},
    {.name = "find",
     .usage = "(find coll key)",
     .doc = "The entry [key value] of a map, or [index value] of a vector; nil if absent.",
     .example = {"(find {:a 1 :b 2} :b)", "[:b 2]"},
     .work = Work::Steps,
     .gives = {kinds::kVector | kinds::kNil},
     .model = BoundModel::Find,
     .call = find,
     .differs = kFlexible},
    {.name = "contains?",
     .usage = "(contains? coll key)",
     .doc = "Whether a map has the key, a set the member, a vector the element, a string the index.",
     .example = {"(contains? {:a nil} :a)", "true"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kBoolean, ResultRule::Member},
     .model = BoundModel::Contains,
     .instruction = Instruction::Contains,
     .call = contains_p,
     .differs = "A vector is searched for an element; only one without numbers is asked for an index, by an integer. "
                "Keyword and string keys of a map match each other."},
    {.name = "assoc",
     .usage = "(assoc coll key value & more)",
     .doc = "coll with value at key, and so on for more pairs: a map, or a vector from index 0 to its length.",
     .example = {"(assoc {:a 1} :b 2)", "{:a 1 :b 2}"},
     .work = Work::Arguments,
     .gives = {kinds::kMap | kinds::kVector, ResultRule::Assoc},
     .model = BoundModel::Assoc,
     .instruction = Instruction::Assoc,
     .layout = {FormStyle::CallPairs, 1},
     .call = assoc,
     .traits = traits::kUpdates,
     .differs = kWrites},
    {.name = "assoc-in",
     .usage = "(assoc-in coll path value)",
     .doc = "coll with value where the vector of keys leads; missing levels become maps.",
     .example = {"(assoc-in {} [:user :name] \"Bob\")", "{:user {:name \"Bob\"}}"},
     .work = Work::Steps,
     .gives = {kinds::kAny},
     .model = BoundModel::AssocIn,
     .call = assoc_in,
     .traits = traits::kUpdates,
     .differs = kWrites},
    {.name = "dissoc",
     .usage = "(dissoc m & keys)",
     .doc = "The map without the keys.",
     .example = {"(dissoc {:a 1 :b 2} :b)", "{:a 1}"},
     .work = Work::Arguments,
     .gives = {kinds::kMap | kinds::kNil, ResultRule::Dissoc},
     .model = BoundModel::Dissoc,
     .written = {2, 255},
     .call = dissoc,
     .traits = traits::kUpdates,
     .differs = kWrites},
    {.name = "merge",
     .usage = "(merge & maps)",
     .doc = "All entries of the maps; of equal keys the last wins.",
     .example = {"(merge {:a 1} {:b 2} {:a 3})", "{:a 3 :b 2}"},
     .work = Work::Items,
     .gives = {kinds::kMap | kinds::kVector | kinds::kSet | kinds::kNil, ResultRule::Merge},
     .model = BoundModel::Merge,
     .written = {1, 255},
     .call = merge,
     .traits = traits::kUpdates,
     .differs = kWrites},
    {.name = "keys",
     .usage = "(keys m)",
     .doc = "The keys in order; nil for nil. Of a sequence of entries their keys.",
     .example = {"(keys {:b 2 :a 1})", "[:a :b]"},
     .work = Work::Items,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::GivesList},
     .model = BoundModel::Keys,
     .call = keys,
     .traits = traits::kSequence,
     .differs = "Sorted by key; those of an empty map are an empty vector."},
    {.name = "vals",
     .usage = "(vals m)",
     .doc = "The values in the order of their keys; nil for nil. Of a sequence of entries their values.",
     .example = {"(vals {:b 2 :a 1})", "[1 2]"},
     .work = Work::Items,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::Values},
     .model = BoundModel::Vals,
     .call = vals,
     .traits = traits::kSequence,
     .differs = "Sorted by key; those of an empty map are an empty vector."},
    {.name = "entries",
     .usage = "(entries m)",
     .doc = "The [key value] pairs in the order of their keys.",
     .example = {"(entries {:b 2 :a 1})", "[[:a 1] [:b 2]]"},
     .work = Work::Items,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::Entries},
     .model = BoundModel::Entries,
     .call = entries,
     .differs = "Not in Clojure."},
    {.name = "key",
     .usage = "(key entry)",
     .doc = "The key of a [key value] pair.",
     .example = {"(key [:a 1])", ":a"},
     .gives = {kinds::kAny, ResultRule::EntryPart},
     .model = BoundModel::Element,
     .call = key,
     .at_once = key_at_once,
     .differs = kPairs},
    {.name = "val",
     .usage = "(val entry)",
     .doc = "The value of a [key value] pair.",
     .example = {"(val [:a 1])", "1"},
     .gives = {kinds::kAny, ResultRule::EntryPart},
     .model = BoundModel::Element,
     .call = val,
     .at_once = val_at_once,
     .differs = kPairs},
    {.name = "select-keys",
     .usage = "(select-keys coll keys)",
     .doc = "A map of only these keys, as far as coll has them.",
     .example = {"(select-keys {:a 1 :b 2 :c 3} [:a :c])", "{:a 1 :c 3}"},
     .work = Work::Items,
     .gives = {kinds::kMap, ResultRule::SelectKeys},
     .model = BoundModel::SelectKeys,
     .call = select_keys,
     .traits = traits::kUpdates,
     .differs = "A keyword also finds the string key of the same text, and the other way round; the keys of the result "
                "are those "
                "asked for."},
    {.name = "zipmap",
     .usage = "(zipmap keys vals)",
     .doc = "A map of the keys to the values beside them.",
     .example = {"(zipmap [:a :b] [1 2])", "{:a 1 :b 2}"},
     .work = Work::Items,
     .gives = {kinds::kMap, ResultRule::ZipMap},
     .model = BoundModel::Zipmap,
     .call = zipmap},
    {.name = "hash-map",
     .usage = "(hash-map & kvs)",
     .doc = "A map of alternating keys and values.",
     .example = {"(hash-map :a 1 :b 2)", "{:a 1 :b 2}"},
     .work = Work::Arguments,
     .gives = {kinds::kMap},
     .model = BoundModel::HashMap,
     .layout = {FormStyle::CallPairs, 0},
     .call = hash_map},
    {.name = "array-map",
     .usage = "(array-map & kvs)",
     .doc = "A map of alternating keys and values.",
     .example = {"(array-map :a 1)", "{:a 1}"},
     .work = Work::Arguments,
     .gives = {kinds::kMap},
     .model = BoundModel::HashMap,
     .call = hash_map,
     .differs = "Does not keep the order of insertion.",
     .alias_of = "hash-map"},
    {.name = "associations%",
     .usage = "(associations% who position coll)",
     .doc = "What a function of the core library goes through key by key; anything but a map, a vector or nil is an "
            "error.",
     .example = {"(reduce-kv (fn [out i x] (conj out [i x])) [] [:a])", "[[0 :a]]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = associations},
    {.name = "replaced%",
     .usage = "(replaced% smap x)",
     .doc = "What smap has for x, else x itself.",
     .example = {"(clojure.walk/postwalk-replace {:a 1} [:a])", "[1]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = replaced},
    {.name = "held%",
     .usage = "(held% coll key)",
     .doc = "The entry [key value] that a write to key replaces; nil when it adds one.",
     .example = {"(merge-with + {:a 1} {:a 2})", "{:a 3}"},
     .category = Category::Internal,
     .gives = {kinds::kVector | kinds::kNil},
     .model = BoundModel::Find,
     .call = held},
    {.name = "get-same%",
     .usage = "(get-same% m key default)",
     .doc =
         "The value at a key of a map that equals this one: neither another spelling of it nor a path. Else default.",
     .example = {"((memoize (fn [x y] [x y])) 1 2)", "[1 2]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Get,
     .call = get_same},
    {.name = "get-of%",
     .usage = "(get-of% m default & items)",
     .doc = "The value at the key of a map that equals the vector of the items. Else default.",
     .example = {"((memoize (fn [x y] [x y])) 1 2)", "[1 2]"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = get_of},
    {.name = "record-of%",
     .usage = "(record-of% map key)",
     .doc = "The map as a record of a type, a keyword.",
     .example = {"(defrecord P [x]) (->P 1)", "{:x 1}"},
     .category = Category::Internal,
     .gives = {kinds::kMap},
     .model = BoundModel::Same,
     .call = record_of},
    {.name = "record-type%",
     .usage = "(record-type% x)",
     .doc = "The type of a record, a keyword; nil for anything else.",
     .example = {"(defrecord P [x]) (instance? P (->P 1))", "true"},
     .category = Category::Internal,
     .gives = {kinds::kKeyword | kinds::kNil},
     .model = BoundModel::SmallValue,
     .call = record_type},
    {.name = "refuse%",
     .usage = "(refuse% who position expected value)",
     .doc = "The type_error of a function of the core library for an argument.",
     .example = {"(sum-by count [[1] [2]])", "2"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = refuse,
     .effect = SideEffect::Fails},
    {.name = "group-append%",
     .usage = "(group-append% groups key item)",
     .doc = "groups with one more item in the vector at key; what group-by does for each element.",
     .example = {"(group-by odd? [1 2 3])", "{false [2] true [1 3]}"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::GroupAppend,
     .instruction = Instruction::GroupAppend,
     .call = group_append},
    {.name = "frequencies",
     .usage = "(frequencies coll)",
     .doc = "A map of each distinct element to how often it occurs.",
     .example = {"(frequencies [:a :b :a])", "{:a 2 :b 1}"},
     .work = Work::Items,
     .gives = {kinds::kMap, ResultRule::Counts},
     .model = BoundModel::Frequencies,
     .call = frequencies},
};

} // namespace

std::span<const Builtin> map_builtins() { return kRows; }

} // namespace ptc
