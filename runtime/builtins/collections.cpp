// Building, counting and growing collections of any type. The one sequence type is the vector: what Clojure gives as a
// list or a lazy sequence is one here. A collection is taken from the arguments by a move, so that its sole owner
// changes it in place.
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/number.h"
#include "runtime/set.h"

namespace ptc {
namespace {

Result<Value> count(Call& call, Args args) {
    std::size_t n = PTC_TRY(count_of(call.heap, args[0], call.who()));
    return Value::small_integer(static_cast<std::int64_t>(n));
}

Result<bool> is_empty(Call& call, Args args) {
    if (args[0].is_string()) return text_of(args[0]).empty();
    return PTC_TRY(count_of(call.heap, args[0], call.who())) == 0;
}

Result<Value> empty_p(Call& call, Args args) { return Value::boolean(PTC_TRY(is_empty(call, args))); }

Result<Value> not_empty(Call& call, Args args) {
    if (PTC_TRY(is_empty(call, args))) return Value();
    return std::move(args[0]);
}

// Strings are no collections here (GAP-S56).
Result<Value> empty(Call&, Args args) {
    if (args[0].is_vector()) return empty_with_ends(vector_ends(args[0]));
    if (args[0].is_map()) return empty_map();
    if (args[0].is_set()) return empty_set();
    return Value();
}

/// The elements of a flat vector in memory; null for any other value.
const VectorObject* flat_at_once(Bits v) {
    const bool is_flat = bits::is_object(v) && bits::to_object(v)->type == ObjectType::Vector;
    return is_flat ? static_cast<const VectorObject*>(bits::to_object(v)) : nullptr;
}

Bits seq_at_once(Bits coll) {
    const VectorObject* items = flat_at_once(coll);
    if (!items) return coll == bits::kNil ? coll : bits::kHole;
    return items->length == 0 ? bits::kNil : coll;
}

Result<Value> seq(Call& call, Args args) {
    Value items = PTC_TRY(sequence_argument(call, args, 1));
    if (vector_length(items) == 0) return Value();
    return items;
}

constexpr std::uint8_t kUnlikeVectors = VectorObject::kEnds | VectorObject::kIsEntry;

Bits vec_at_once(Bits coll) {
    const VectorObject* items = flat_at_once(coll);
    return items && (items->flags & kUnlikeVectors) == 0 ? coll : bits::kHole;
}

// A range is written out: whoever asks for a vector wants its elements in memory.
Result<Value> vec(Call& call, Args args) {
    const bool is_flat = args[0].is(ObjectType::Vector);
    if (is_flat && (args[0].object()->flags & kUnlikeVectors) == 0) return std::move(args[0]);
    if (is_flat && (args[0].object()->flags & VectorObject::kIsEntry) != 0 && vector_length(args[0]) == 2) {
        Value items[] = {vector_get(args[0], 0), vector_get(args[0], 1)};
        return make_vector(call.heap, items);
    }
    return vector_with_ends(call.heap, PTC_TRY(to_flat(call, PTC_TRY(sequence_argument(call, args, 1)))), 0);
}

Result<Value> vector(Call& call, Args args) {
    PTC_CHECK(charge(call, args.size()));
    if (args.empty()) return empty_vector();
    return make_vector(call.heap, args);
}

Result<Value> conj(Call& call, Args args) {
    if (args.empty()) return empty_vector();
    PTC_CHECK(charge(call, args.size()));
    Value coll = std::move(args[0]);
    for (Value& item : args.subspan(1))
        coll = PTC_TRY(conj_to(call.heap, std::move(coll), std::move(item), call.who()));
    return coll;
}

Result<Value> cons(Call& call, Args args) {
    Value items = PTC_TRY(sequence_argument(call, args, 2));
    return vector_cons(call.heap, std::move(args[0]), std::move(items));
}

// `from` is a vector, every element of which is added to `into`.
Result<Value> pour(Call& call, Value into, const Value& from) {
    const std::uint8_t ends = into.is_vector() ? vector_ends(into) : std::uint8_t{0};
    if (ends == VectorObject::kIsQueue)
        return vector_with_ends(call.heap, PTC_TRY(vector_concat(call.heap, std::move(into), from)), ends);
    if (into.is_vector() && ends == 0) return vector_concat(call.heap, std::move(into), from);
    VectorReader items(from);
    if (into.is_set()) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            PTC_CHECK(charge(call, 1));
            into = PTC_TRY(set_conj(call.heap, std::move(into), items.at(i)));
        }
        return into;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        PTC_CHECK(charge(call, 1));
        into = PTC_TRY(conj_to(call.heap, std::move(into), items.at(i), call.who()));
    }
    return into;
}

Result<Value> into(Call& call, Args args) {
    if (args.empty()) return empty_vector();
    if (args.size() == 1) return std::move(args[0]);
    if (args[0].is_nil()) args[0] = empty_vector(); // DIV-25: what grows from nil is a vector
    if (!args[0].is_collection()) return argument_error(call, args, 1, "a vector, map, set or nil");
    if (args[0].is_map() && args[1].is_map()) {
        PTC_CHECK(charge(call, map_count(args[1])));
        return map_merge(call.heap, std::move(args[0]), args[1]);
    }
    Value from = PTC_TRY(sequence_argument(call, args, 2));
    PTC_CHECK(charge(call, vector_length(from)));
    return pour(call, std::move(args[0]), from);
}

/// What mapcat does with each result: an error is about the function that gave it.
Result<Value> join_result(Call& call, Args args) {
    const bool is_nothing = args[1].is_nil() || (args[1].is_vector() && vector_length(args[1]) == 0);
    if (is_nothing) return std::move(args[0]);
    if (!is_seqable(args[1])) {
        return wrong_type("mapcat", "a collection as each result of its function", args[1])
            .with_hint("`map` keeps the results as they are.");
    }
    return into(call, args);
}

Result<Value> concat(Call& call, Args args) {
    Value result = empty_vector();
    for (std::size_t position = 1; position <= args.size(); ++position) {
        Value items = PTC_TRY(sequence_argument(call, args, position));
        PTC_CHECK(charge(call, position == 1 ? 1 : vector_length(items)));
        result = position == 1 ? std::move(items) : PTC_TRY(vector_concat(call.heap, std::move(result), items));
    }
    return result;
}

Bits peek_at_once(Bits v) {
    const VectorObject* items = flat_at_once(v);
    if (!items || (items->flags & VectorObject::kEnds) != 0) return bits::kHole;
    return items->length == 0 ? bits::kNil : items->data[items->length - 1].raw();
}

Result<Value> peek(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector");
    std::size_t length = vector_length(args[0]);
    if (length == 0) return Value();
    return vector_get(args[0], vector_ends(args[0]) == 0 ? length - 1 : 0);
}

// DIV-26: nothing can be taken from an empty vector, which is no error.
Result<Value> pop(Call& call, Args args) {
    if (args[0].is_nil()) return Value();
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector");
    std::size_t length = vector_length(args[0]);
    if (length == 0) return Value();
    if (vector_ends(args[0]) != 0) return vector_slice(call.heap, std::move(args[0]), 1, length);
    return vector_slice(call.heap, std::move(args[0]), 0, length - 1);
}

Result<Value> as_list(Call& call, Args args) {
    if (args[0].is_nil()) return empty_with_ends(VectorObject::kIsList);
    if (!args[0].is_vector()) return argument_error(call, args, 1, "a vector");
    return vector_with_ends(call.heap, std::move(args[0]), VectorObject::kIsList);
}
Result<Value> as_queue(Call& call, Args args) {
    Value items = PTC_TRY(sequence_argument(call, args, 1));
    return vector_with_ends(call.heap, std::move(items), VectorObject::kIsQueue);
}

// DIV-26: bounds are cut back to what there is.
Result<Value> subvec(Call& call, Args args) {
    if (!args[0].is_vector() && !args[0].is_nil()) return argument_error(call, args, 1, "a vector");
    std::size_t length = args[0].is_nil() ? 0 : vector_length(args[0]);
    std::size_t start = clamp_to(PTC_TRY(index_argument(call, args, 2)), length);
    std::size_t end = args.size() == 3 ? clamp_to(PTC_TRY(index_argument(call, args, 3)), length) : length;
    if (start >= end) return empty_vector();
    return vector_slice(call.heap, std::move(args[0]), start, end);
}

Result<Value> entry_of(Call& call, Args args) {
    Value entry = PTC_TRY(make_vector(call.heap, args));
    entry.object()->flags |= VectorObject::kIsEntry;
    return entry;
}

constexpr const char* kOneSequence = "There is one sequence type, the vector.";

constexpr Builtin kRows[] = {
    {.name = "count",
     .usage = "(count coll)",
     .doc = "The number of elements, entries or characters; 0 for nil.",
     .example = {"(count [1 2 3])", "3"},
     .work = Work::Text,
     .gives = {kinds::kNumber, ResultRule::Gives},
     .model = BoundModel::Count,
     .instruction = Instruction::Count,
     .call = count},
    {.name = "empty?",
     .usage = "(empty? coll)",
     .doc = "Whether a collection or string holds nothing; nil does not.",
     .example = {"(empty? [])", "true"},
     .gives = {kinds::kBoolean, ResultRule::Gives},
     .model = BoundModel::Question,
     .instruction = Instruction::IsEmpty,
     .call = empty_p},
    {.name = "not-empty",
     .usage = "(not-empty coll)",
     .doc = "coll, or nil when it holds nothing.",
     .example = {"(not-empty [])", "nil"},
     .gives = {kinds::kAny, ResultRule::SameOrNil},
     .model = BoundModel::Same,
     .call = not_empty},
    {.name = "as-list%",
     .usage = "(as-list% coll)",
     .doc = "The items of a vector as a list: conj, peek and pop work at its front.",
     .example = {"(conj '(1 2) 0)", "[0 1 2]"},
     .category = Category::Internal,
     .work = Work::Conversion,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::SomeItemsOfFirst,
     .call = as_list},
    {.name = "entry%",
     .usage = "(entry% k v)",
     .doc = "A vector of two that map-entry? knows.",
     .example = {"(map-entry? [:a 1])", "false"},
     .category = Category::Internal,
     .gives = {kinds::kVector},
     .model = BoundModel::Unknown,
     .call = entry_of},
    {.name = "as-queue%",
     .usage = "(as-queue% coll)",
     .doc = "The items as a queue: conj works at its back, peek and pop at its front.",
     .example = {"(peek (conj clojure.lang.PersistentQueue/EMPTY 1 2))", "1"},
     .category = Category::Internal,
     .work = Work::Conversion,
     .gives = {kinds::kVector},
     .model = BoundModel::Unknown,
     .call = as_queue},
    {.name = "empty",
     .usage = "(empty coll)",
     .doc = "An empty collection of the same type; nil for what is no collection.",
     .example = {"(empty [1 2])", "[]"},
     .gives = {kinds::kAny},
     .model = BoundModel::Emptied,
     .call = empty},
    {.name = "seq",
     .usage = "(seq coll)",
     .doc = "The elements as a vector, or nil when there are none: entries of a map, characters of a string.",
     .example = {"(seq {:a 1})", "[[:a 1]]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector | kinds::kNil, ResultRule::LastItems},
     .model = BoundModel::SomeItemsOfFirst,
     .instruction = Instruction::HasItems,
     .call = seq,
     .at_once = seq_at_once,
     .traits = traits::kSequence,
     .differs = kOneSequence},
    {.name = "vec",
     .usage = "(vec coll)",
     .doc = "The elements of any collection as a vector.",
     .example = {"(vec \"ab\")", "[\"a\" \"b\"]"},
     .category = Category::Set,
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::AllItems,
     .call = vec,
     .at_once = vec_at_once},
    {.name = "vector",
     .usage = "(vector & items)",
     .doc = "A vector of the arguments.",
     .example = {"(vector 1 2)", "[1 2]"},
     .category = Category::Set,
     .work = Work::Arguments,
     .gives = {kinds::kVector, ResultRule::Elements},
     .model = BoundModel::Vector,
     .call = vector},
    {.name = "list",
     .usage = "(list & items)",
     .doc = "A vector of the arguments, to whose front conj adds.",
     .example = {"(list 1 2)", "[1 2]"},
     .work = Work::Arguments,
     .gives = {kinds::kVector, ResultRule::Elements},
     .model = BoundModel::Vector,
     .call = vector,
     .traits = traits::kSequence,
     .differs =
         "A vector: peek and pop read its end, (into (list 1) xs) adds there, and conj does where the text does not "
         "show that it is given a list."},
    {.name = "conj",
     .usage = "(conj) (conj coll & items)",
     .doc = "coll with the items added: at the end of a vector, at the front of a list or sequence, as members of a "
            "set, as [key value] pairs or maps into a map.",
     .example = {"(conj [1 2] 3)", "[1 2 3]"},
     .work = Work::Arguments,
     .gives = {kinds::kVector | kinds::kMap | kinds::kSet, ResultRule::Conj},
     .model = BoundModel::Conj,
     .instruction = Instruction::Conj,
     .written = {2, 255},
     .call = conj,
     .traits = traits::kUpdates,
     .differs =
         "nil becomes a vector, which grows at its end; so does a sequence (what rest, map, filter .. give) that comes "
         "from a function of the program or lies in data: only where the text shows that it is one, items go to its "
         "front. A map has one entry for the keyword and the text of a name."},
    {.name = "cons",
     .usage = "(cons x coll)",
     .doc = "A vector of x and then the elements of coll.",
     .example = {"(cons 0 [1 2])", "[0 1 2]"},
     .work = Work::Conversion,
     .gives = {kinds::kVector, ResultRule::Cons},
     .model = BoundModel::Cons,
     .call = cons,
     .traits = traits::kUpdates | traits::kSequence,
     .differs = kOneSequence},
    {.name = "into",
     .usage = "(into) (into to) (into to from)",
     .doc = "to with every element of from added, as by conj.",
     .example = {"(into {} [[:a 1] [:b 2]])", "{:a 1 :b 2}"},
     .work = Work::Items,
     .gives = {kinds::kVector | kinds::kMap | kinds::kSet, ResultRule::Into},
     .model = BoundModel::Into,
     .written = {2, 3},
     .call = into,
     .traits = traits::kUpdates},
    {.name = "join-result%",
     .usage = "(join-result% out result)",
     .doc = "The vector out with the items of a result of mapcat's function added.",
     .example = {"(mapcat reverse [[1 2] [3]])", "[2 1 3]"},
     .category = Category::Internal,
     .work = Work::Items,
     .gives = {kinds::kAny},
     .model = BoundModel::Into,
     .call = join_result},
    {.name = "concat",
     .usage = "(concat & colls)",
     .doc = "The elements of all collections, in order, as one vector.",
     .example = {"(concat [1 2] [3])", "[1 2 3]"},
     .work = Work::Items,
     .gives = {kinds::kVector, ResultRule::Joined},
     .model = BoundModel::Concat,
     .written = {1, 255},
     .call = concat,
     .traits = traits::kUpdates | traits::kSequence,
     .differs = kOneSequence},
    {.name = "peek",
     .usage = "(peek v)",
     .doc = "The last element of a vector; nil when it is empty.",
     .example = {"(peek [1 2 3])", "3"},
     .gives = {kinds::kAny, ResultRule::AnItem},
     .model = BoundModel::Element,
     .call = peek,
     .at_once = peek_at_once},
    {.name = "pop",
     .usage = "(pop v)",
     .doc = "A vector without its last element; nil when it is empty.",
     .example = {"(pop [1 2 3])", "[1 2]"},
     .gives = {kinds::kVector | kinds::kNil, ResultRule::FirstItems},
     .model = BoundModel::SomeItemsOfFirst,
     .call = pop,
     .traits = traits::kUpdates,
     .differs = "An empty vector gives nil, not an error."},
    {.name = "subvec",
     .usage = "(subvec v start) (subvec v start end)",
     .doc = "The elements from index start up to end, which is left out.",
     .example = {"(subvec [0 1 2 3 4] 1 3)", "[1 2]"},
     .gives = {kinds::kVector, ResultRule::FirstItems},
     .model = BoundModel::SomeItemsOfFirst,
     .call = subvec,
     .differs = "Bounds outside of the vector are cut back to it."},
};

} // namespace

std::span<const Builtin> collection_builtins() { return kRows; }

} // namespace ptc
