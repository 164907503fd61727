// Sorting (spec 8.1): stable, by keys that are known beforehand. Keys of one kind (integers, numbers, texts, vectors
// that begin with one of these) are turned into 64-bit words whose order is theirs, so that sorting moves words and
// touches no object; only where words tie are values looked at again.
#include "frontend/try.h"
#include "runtime/arranged.h"
#include "runtime/builtin.h"
#include "runtime/builtins/arguments.h"
#include "runtime/builtins/tables.h"
#include "runtime/number.h"
#include "runtime/ordering.h"
#include "runtime/sorted_part.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace ptc {
namespace {

/// Keys and entries are paid for before they are looked at: so many between two looks at the clock.
constexpr std::size_t kAtOnce = 32 * 1024;

/// An array of the heap's memory, so that the limit covers what sorting needs.
template <class T> class Scratch {
public:
    explicit Scratch(Heap& heap) : heap_(heap) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        if (object_) heap_.free_object(object_);
    }
    /// `n` uninitialised elements; false when the heap is full.
    [[nodiscard]] bool allocate(std::size_t n) {
        object_ = heap_.allocate_object(ObjectType::Scratch, sizeof(Object) + n * sizeof(T));
        return object_ != nullptr;
    }
    [[nodiscard]] T* data() { return reinterpret_cast<T*>(object_ + 1); }

private:
    Heap& heap_;
    Object* object_ = nullptr;
};

/// What is moved around instead of the items. `word` orders them, fully or up to ties.
struct Entry {
    std::uint64_t word;
    std::uint32_t index; ///< of key and item
};

// The order of doubles as that of unsigned words: negative ones with all bits flipped, the others with the sign
// flipped. Both zeros are one key.
std::uint64_t word_from_double(double d) {
    auto bits = std::bit_cast<std::uint64_t>(d == 0 ? 0.0 : d);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

// The first 8 bytes, first byte highest; what is not there counts as 0, below every text that goes on.
std::uint64_t word_from_text(std::string_view text) {
    unsigned char bytes[8] = {};
    std::memcpy(bytes, text.data(), std::min<std::size_t>(text.size(), 8));
    std::uint64_t word = 0;
    for (unsigned char byte : bytes)
        word = word << 8 | byte;
    return word;
}

enum class KeyKind : std::uint8_t { Integers, Numbers, Texts, Mixed };

// What the word of a key is made from: its first element when it is a vector, as from (juxt :price :name), else itself.
const Value& lead_of(const Value& key, bool vectors) { return vectors ? *vector_data_or_null(key) : key; }

/// What all keys have in common, found piece by piece.
class KeyScan {
public:
    KeyScan(const Value* keys, std::size_t n, Meter& meter) : keys_(keys), n_(n), meter_(meter) {}

    /// False when the meter ended it.
    [[nodiscard]] bool run() {
        vectors = true;
        return meter_.look() &&
               meter_.in_pieces(n_, kAtOnce, [this](std::size_t begin, std::size_t end) { see_vectors(begin, end); }) &&
               meter_.in_pieces(n_, kAtOnce, [this](std::size_t begin, std::size_t end) { see_kinds(begin, end); }) &&
               (kind() != KeyKind::Texts || find_prefix());
    }
    // Integers of the inline range are exact as doubles, so both can share one order of words.
    [[nodiscard]] KeyKind kind() const {
        if (integers_) return KeyKind::Integers;
        if (numbers_) return KeyKind::Numbers;
        return strings_ || keywords_ ? KeyKind::Texts : KeyKind::Mixed;
    }

    bool vectors = false;   ///< of one length, that is: a shorter one comes first whatever it holds
    std::size_t prefix = 0; ///< of texts: how many first bytes all of them share

private:
    void see_vectors(std::size_t begin, std::size_t end) {
        vectors = vectors && std::all_of(keys_ + begin, keys_ + end, [this](const Value& key) {
                      return key.is_vector() && vector_data_or_null(key) && vector_length(key) > 0 &&
                             vector_length(key) == vector_length(keys_[0]);
                  });
    }
    void see_kinds(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && (numbers_ || strings_ || keywords_); ++i) {
            const Value& key = lead_of(keys_[i], vectors);
            const bool integer = key.is_small_integer();
            integers_ &= integer;
            numbers_ &= integer || (key.is_double() && !std::isnan(key.as_double()));
            strings_ &= key.is_string();
            keywords_ &= key.is_keyword();
        }
    }
    // They order nothing, and names like user-1, user-2 would tie in them. Bounded, as each text is compared so far.
    bool find_prefix() {
        constexpr std::size_t kLongest = 256, kTextsAtOnce = kAtOnce / 8;
        std::string_view shared = text_of(lead_of(keys_[0], vectors)).substr(0, kLongest);
        const auto compare = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end && !shared.empty(); ++i) {
                const std::string_view text = text_of(lead_of(keys_[i], vectors));
                const auto differ = std::mismatch(shared.begin(), shared.end(), text.begin(), text.end());
                shared = shared.substr(0, static_cast<std::size_t>(differ.first - shared.begin()));
            }
        };
        if (!meter_.in_pieces(n_, kTextsAtOnce, compare)) return false;
        prefix = shared.size();
        return true;
    }

    const Value* keys_;
    std::size_t n_;
    Meter& meter_;
    bool integers_ = true, numbers_ = true, strings_ = true, keywords_ = true;
};

/// `prefix` bytes of a text are left out.
std::uint64_t word_of(const Value& key, KeyKind kind, std::size_t prefix) {
    switch (kind) {
    case KeyKind::Integers: return key.raw();
    case KeyKind::Numbers:
        return word_from_double(key.is_double() ? key.as_double() : static_cast<double>(key.small_integer()));
    case KeyKind::Texts: return word_from_text(text_of(key).substr(prefix));
    case KeyKind::Mixed: return 0;
    }
    return 0;
}

// Radix sort, least significant digit first, skipping the digits that all words share. `from` and `to` swap roles with
// each pass; answers where the result is, null when the meter ended it.
Entry* radix_sort(Entry* from, Entry* to, std::size_t n, Meter& meter) {
    constexpr unsigned kDigitBits = 11;
    constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
    std::uint64_t all = ~std::uint64_t{0}, any = 0;
    for (std::size_t i = 0; i < n; ++i) {
        all &= from[i].word;
        any |= from[i].word;
    }
    std::uint64_t varying = all ^ any;
    std::array<std::uint32_t, kDigits> places;
    for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
        if ((varying >> shift & (kDigits - 1)) == 0) continue;
        places.fill(0);
        const auto count = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                ++places[from[i].word >> shift & (kDigits - 1)];
        };
        const auto move = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                to[places[from[i].word >> shift & (kDigits - 1)]++] = from[i];
        };
        if (!meter.in_pieces(n, kAtOnce, count)) return nullptr;
        std::uint32_t place = 0;
        for (std::uint32_t& digits : places)
            place += std::exchange(digits, place);
        if (!meter.in_pieces(n, kAtOnce, move)) return nullptr;
        std::swap(from, to);
    }
    return from;
}

/// False when the meter ended it.
bool copy_entries(const Entry* from, std::size_t n, Entry* to, Meter& meter) {
    return meter.in_pieces(
        n, kAtOnce, [&](std::size_t begin, std::size_t end) { std::copy(from + begin, from + end, to + begin); });
}

// Bottom-up merge sort over insertion-sorted runs; stable, O(n) for sorted input. Pays as it goes, so that it can be
// stopped. Null when the meter says so, else where the result is.
template <class Less> Entry* merge_sort(Entry* from, Entry* to, std::size_t n, Meter& meter, Less less) {
    constexpr std::size_t kRun = 12;
    bool is_sorted = true;
    for (std::size_t start = 0; start < n; start += kRun) {
        std::size_t end = std::min(start + kRun, n);
        for (std::size_t i = start + 1; i < end; ++i) {
            Entry entry = from[i];
            std::size_t j = i;
            for (; j > start && less(entry, from[j - 1]); --j)
                from[j] = from[j - 1];
            from[j] = entry;
        }
        is_sorted = is_sorted && (start == 0 || !less(from[start], from[start - 1]));
        if (!meter.charge(static_cast<std::int64_t>(end - start))) return nullptr;
    }
    for (std::size_t width = kRun; width < n && !is_sorted; width *= 2) {
        std::size_t unlooked = 0;
        for (std::size_t start = 0; start < n; start += 2 * width) {
            std::size_t middle = std::min(start + width, n), end = std::min(middle + width, n);
            std::size_t left = start, right = middle, out = start;
            if (middle < end && less(from[middle], from[middle - 1])) {
                if (!meter.charge(static_cast<std::int64_t>(end - start))) return nullptr;
                while (left < middle && right < end) {
                    to[out++] = less(from[right], from[left]) ? from[right++] : from[left++];
                    // What `less` charged may be much: long texts, deep values.
                    if ((out & 63) == 0 && !meter.charge(0)) return nullptr;
                }
            }
            if (!copy_entries(from + left, middle - left, to + out, meter) ||
                !copy_entries(from + right, end - right, to + out + (middle - left), meter))
                return nullptr;
            unlooked += end - start;
            if (unlooked >= kAtOnce && !meter.look()) return nullptr;
            if (unlooked >= kAtOnce) unlooked = 0;
        }
        std::swap(from, to);
    }
    return from;
}

/// Sorts `n` keys, at least one; what comes out is the order of their indices.
class KeySort {
public:
    KeySort(Heap& heap, const Value* keys, std::size_t n, bool descending)
        : heap_(heap), entries_(heap), spare_(heap), keys_(keys), n_(n), descending_(descending) {}

    /// The entries in order; they live as long as this object.
    Result<const Entry*> run() {
        if (!entries_.allocate(n_) || !spare_.allocate(n_)) return heap_.out_of_memory();
        KeyScan scan(keys_, n_, heap_.meter);
        if (!scan.run()) return heap_.meter.error();
        const bool vectors = scan.vectors;
        const KeyKind kind = scan.kind();
        const std::size_t prefix = scan.prefix;
        PTC_CHECK(charge(n_ * (1 + prefix / 8)));
        Entry* entries = entries_.data();
        bool sorted = true;
        const auto make_words = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                std::uint64_t word = word_of(lead_of(keys_[i], vectors), kind, prefix);
                entries[i] = {descending_ ? ~word : word, static_cast<std::uint32_t>(i)};
                sorted &= i == 0 || entries[i - 1].word <= entries[i].word;
            }
        };
        if (!heap_.meter.in_pieces(n_, kAtOnce, make_words)) return heap_.meter.error();
        if (!sorted) entries = PTC_TRY(sort_words());
        bool words_decide = !vectors && (kind == KeyKind::Integers || kind == KeyKind::Numbers);
        if (!words_decide) PTC_CHECK(sort_ties(entries));
        return entries;
    }

private:
    Result<void> charge(std::size_t units) {
        if (!heap_.meter.charge(static_cast<std::int64_t>(units))) return heap_.meter.error();
        return {};
    }

    // Passes over 16 bytes an entry are cheap: n log n is paid for as a quarter of a unit each.
    Result<Entry*> sort_words() {
        PTC_CHECK(charge(n_ * static_cast<std::size_t>(std::bit_width(n_)) / 4));
        constexpr std::size_t kFew = 256; // counting 2048 digits costs more than comparing
        Entry* sorted = n_ > kFew ? radix_sort(entries_.data(), spare_.data(), n_, heap_.meter)
                                  : merge_sort(entries_.data(), spare_.data(), n_, heap_.meter,
                                               [](const Entry& a, const Entry& b) { return a.word < b.word; });
        if (!sorted) return heap_.meter.error();
        return sorted;
    }

    // Each run of equal words is sorted by the keys themselves; runs of one are most.
    Result<void> sort_ties(Entry* entries) {
        Entry* spare = entries == entries_.data() ? spare_.data() : entries_.data();
        auto comes_before = [this](const Entry& a, const Entry& b) {
            heap_.meter.charge_unchecked(1);
            int order = compare_values(heap_, keys_[a.index], keys_[b.index]);
            return descending_ ? order > 0 : order < 0;
        };
        for (std::size_t start = 0, end; start < n_; start = end) {
            for (end = start + 1; end < n_ && entries[end].word == entries[start].word;)
                ++end;
            if (end - start == 1) continue;
            Entry* sorted = merge_sort(entries + start, spare + start, end - start, heap_.meter, comes_before);
            if (!sorted) return heap_.meter.error();
            if (sorted != entries + start) std::copy(sorted, sorted + (end - start), entries + start);
        }
        return {};
    }

    Heap& heap_;
    Scratch<Entry> entries_;
    Scratch<Entry> spare_;
    const Value* keys_;
    std::size_t n_;
    bool descending_;
};

Result<Value> sorted_by(Call& call, const Value& keys, const Value& items, bool descending) {
    std::size_t n = vector_length(items);
    KeySort sort(call.heap, vector_data_or_null(keys), n, descending);
    const Entry* entries = PTC_TRY(sort.run());
    VectorReader reader(items);
    VectorBuilder result(call.heap);
    if (!result.reserve(n)) return result.finish();
    const auto take = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            (void)result.push(reader.at(entries[i].index)); // there is room
    };
    if (!call.heap.meter.in_pieces(n, kAtOnce, take)) return call.heap.meter.error();
    return result.finish();
}

// Sets too, although spec 3.9 leaves them out: the result does not depend on an order that they lack.
Result<Value> sorted_items(Call& call, Args args, bool descending) {
    Value items = PTC_TRY(sequence_argument(call, args, 1));
    if (vector_length(items) < 2) return items;
    items = PTC_TRY(to_flat(call, std::move(items)));
    return sorted_by(call, items, items, descending);
}

Result<Value> sort(Call& call, Args args) { return sorted_items(call, args, false); }
Result<Value> sort_either_way(Call& call, Args args) { return sorted_items(call, args, args[1].is_truthy()); }

Result<Value> sort_by_keys(Call& call, Args args) {
    Value items = PTC_TRY(sequence_argument(call, args, 2));
    if (!args[0].is_vector() || vector_length(args[0]) != vector_length(items)) {
        return argument_error(call, args, 1, "a vector of one key an item");
    }
    if (vector_length(items) < 2) return items;
    args[0] = PTC_TRY(to_flat(call, std::move(args[0])));
    return sorted_by(call, args[0], items, args[2].is_truthy());
}

// `sort` and `sort-by` with one of these comparators need no calls: false for ascending, true for descending.
Result<Value> comparator_order(Call&, Args args) {
    const Value& comparator = args[0];
    if (comparator.is_nil()) return Value::boolean(false); // GAP-S46
    std::string_view name;
    if (comparator.is_builtin())
        name = builtin_at(comparator.builtin_index()).name;
    else if (comparator.is_keyword())
        name = text_of(comparator);
    bool keyword = comparator.is_keyword();
    if (keyword ? name == "asc" : name == "<" || name == "<=" || name == "compare") return Value::boolean(false);
    if (keyword ? name == "desc" : name == ">" || name == ">=") return Value::boolean(true);
    return Value();
}

Result<Value> downwards(Call& call, Args args) {
    if (!args[0].is_map() && !args[0].is_set()) return argument_error(call, args, 1, "a map or a set");
    return read_downwards(call.heap, args[0]);
}

// How a map or set is read: 0 upwards, 1 downwards, 2 in an order that a function of the program gave it.
Result<Value> reading_order(Call&, Args args) {
    const Value& coll = args[0];
    const bool has_order = coll.is_set() || (coll.is_map() && !coll.is(ObjectType::Record));
    const std::uint8_t order = has_order ? order_of(coll) : std::uint8_t{0};
    return Value::small_integer(order == 0 ? 0 : order == HashTableObject::kDescends ? 1 : 2);
}

/// The test that `<`, `<=`, `>` or `>=` is; nothing for any other value.
std::optional<Relation> relation_of(const Value& test) {
    if (!test.is_builtin()) return std::nullopt;
    const std::string_view name = builtin_at(test.builtin_index()).name;
    if (name == "<") return Relation::Less;
    if (name == "<=") return Relation::LessEqual;
    if (name == ">") return Relation::Greater;
    if (name == ">=") return Relation::GreaterEqual;
    return std::nullopt;
}

Result<Value> part_of_sorted(Call& call, Args args, bool only_first) {
    if (!is_seqable(args[0])) return wrong_type(args[1].is_truthy() ? "rsubseq" : "subseq", "a collection", args[0]);
    if (!args[0].is_map() && !args[0].is_set()) return Value();
    std::array<KeyTest, 2> tests;
    const std::size_t count = (args.size() - 2) / 2;
    for (std::size_t i = 0; i < count; ++i) {
        const std::optional<Relation> relation = relation_of(args[2 + 2 * i]);
        if (!relation) return Value();
        tests[i] = {*relation, &args[3 + 2 * i]};
    }
    return sorted_part(call.heap, args[0], std::span(tests).first(count), {args[1].is_truthy(), only_first});
}
Result<Value> sorted_part_of(Call& call, Args args) { return part_of_sorted(call, args, false); }
Result<Value> first_part_of(Call& call, Args args) { return part_of_sorted(call, args, true); }

Result<Value> arrange_map(Call& call, Args args) {
    if (!args[1].is_vector()) return argument_error(call, args, 2, "a vector of entries");
    return arranged_map(call.heap, args[0], args[1]);
}
Result<Value> arrange_set(Call& call, Args args) {
    if (!args[1].is_vector()) return argument_error(call, args, 2, "a vector");
    return arranged_set(call.heap, args[0], args[1]);
}

/// The table of what a function of the program sorts; null for all else.
const HashTableObject* arranged_table(const Value& coll) {
    const bool is_table = coll.is(ObjectType::HashMap) || coll.is(ObjectType::HashSet);
    return is_table && as_table(coll).is_arranged() ? &as_table(coll) : nullptr;
}

Result<Value> comparator_of(Call&, Args args) {
    const HashTableObject* table = arranged_table(args[0]);
    return table ? table->comparator().copy() : Value();
}

Result<Value> key_at(Call& call, Args args) {
    const HashTableObject* table = arranged_table(args[0]);
    if (!table) return argument_error(call, args, 1, "a collection that a function sorts");
    const std::int64_t i = args[1].is_small_integer() ? args[1].small_integer() : -1;
    if (i < 0 || i >= table->count) return argument_error(call, args, 2, "the number of a key");
    return table->entries[static_cast<std::uint32_t>(i) * table->width()].copy();
}

Result<Value> insert_at(Call& call, Args args) {
    const HashTableObject* table = arranged_table(args[0]);
    if (!table) return argument_error(call, args, 1, "a collection that a function sorts");
    const std::int64_t place = args[1].is_small_integer() ? args[1].small_integer() : -1;
    if (place < 0 || place > table->count) return argument_error(call, args, 2, "a place among the keys");
    return keyed_insert(call.heap, std::move(args[0]), static_cast<std::uint32_t>(place), std::move(args[2]),
                        std::move(args[3]));
}

constexpr Builtin kRows[] = {
    {.name = "sort",
     .usage = "(sort coll)",
     .doc = "The elements in the order of compare; equal ones stay in place.",
     .example = {"(sort [3 1 2])", "[1 2 3]"},
     .work = Work::Sorting,
     .gives = {kinds::kVector, ResultRule::LastItems},
     .model = BoundModel::Sort,
     .call = sort,
     .differs = "Values of any types have an order, that of compare: :a/b comes before :b."},
    {.name = "sort%",
     .usage = "(sort% coll descending?)",
     .doc = "sort, in either direction.",
     .example = {"(sort > [3 1 2])", "[3 2 1]"},
     .category = Category::Internal,
     .gives = {kinds::kVector},
     .model = BoundModel::Sort,
     .call = sort_either_way},
    {.name = "sort-by-keys%",
     .usage = "(sort-by-keys% keys items descending?)",
     .doc = "The items in the order of the keys beside them; what sort-by does once it has the keys.",
     .example = {"(sort-by :n [{:n 2} {:n 1}])", "[{:n 1} {:n 2}]"},
     .category = Category::Internal,
     .gives = {kinds::kVector},
     .model = BoundModel::SortByKeys,
     .call = sort_by_keys},
    {.name = "comparator-order%",
     .usage = "(comparator-order% comparator)",
     .doc = "Whether a comparator of sort is the plain order (false), its reverse (true), or something that must be "
            "called (nil).",
     .example = {"(sort :desc [1 3 2])", "[3 2 1]"},
     .category = Category::Internal,
     .gives = {kinds::kBoolean | kinds::kNil},
     .model = BoundModel::Direction,
     .call = comparator_order},
    {.name = "downwards%",
     .usage = "(downwards% coll)",
     .doc = "A map or set that is read from the last key to the first.",
     .example = {"(into (sorted-map-by >) {1 :a 2 :b})", "{2 :b 1 :a}"},
     .category = Category::Internal,
     .work = Work::Items,
     .gives = {kinds::kMap | kinds::kSet},
     .model = BoundModel::Unknown,
     .call = downwards},
    {.name = "reading-order%",
     .usage = "(reading-order% coll)",
     .doc = "How a map or set is read: 0 upwards, 1 downwards, 2 in the order that a function gave it.",
     .example = {"(subseq (sorted-set-by > 1 2 3) > 2)", "[1]"},
     .category = Category::Internal,
     .gives = {kinds::kNumber},
     .model = BoundModel::Unknown,
     .call = reading_order},
    {.name = "sorted-part%",
     .usage = "(sorted-part% coll descending? test k) (sorted-part% coll descending? test1 k1 test2 k2)",
     .doc = "What subseq or rsubseq gives, as a vector; nil where each key has to be asked.",
     .example = {"(subseq (sorted-set 1 2 3 4) > 1 <= 3)", "[2 3]"},
     .category = Category::Internal,
     .work = Work::Items,
     .gives = {kinds::kVector | kinds::kNil},
     .model = BoundModel::Unknown,
     .call = sorted_part_of},
    {.name = "first-part%",
     .usage = "(first-part% coll descending? test k) (first-part% coll descending? test1 k1 test2 k2)",
     .doc = "The first of what subseq or rsubseq gives, in a vector; nil where each key has to be asked.",
     .example = {"(first (subseq (sorted-set 1 2 3 4) > 1 <= 3))", "2"},
     .category = Category::Internal,
     .gives = {kinds::kVector | kinds::kNil},
     .model = BoundModel::Unknown,
     .call = first_part_of},
    {.name = "arranged-map%",
     .usage = "(arranged-map% comparator coll)",
     .doc = "A map of entries, read in their order, which is the comparator's.",
     .example = {"(keys (into (sorted-map-by (fn [a b] (> (count a) (count b)))) {\"a\" 1 \"bc\" 2}))",
                 "[\"bc\" \"a\"]"},
     .category = Category::Internal,
     .work = Work::Items,
     .gives = {kinds::kMap},
     .model = BoundModel::Unknown,
     .call = arrange_map},
    {.name = "arranged-set%",
     .usage = "(arranged-set% comparator coll)",
     .doc = "A set of items, read in their order, which is the comparator's.",
     .example = {"(first (sorted-set-by (fn [a b] (> (mod a 5) (mod b 5))) 5 9 6))", "9"},
     .category = Category::Internal,
     .work = Work::Items,
     .gives = {kinds::kSet},
     .model = BoundModel::Unknown,
     .call = arrange_set},
    {.name = "comparator-of%",
     .usage = "(comparator-of% coll)",
     .doc = "The function that sorts a map or set; nil of all that none sorts.",
     .example = {"(conj (sorted-set-by (fn [a b] (> (mod a 5) (mod b 5))) 5 9) 7)", "#{9 7 5}"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = comparator_of},
    {.name = "key-at%",
     .usage = "(key-at% coll i)",
     .doc = "The key at a place of what a function sorts.",
     .example = {"(conj (sorted-set-by (fn [a b] (> (mod a 5) (mod b 5))) 5 9) 7)", "#{9 7 5}"},
     .category = Category::Internal,
     .gives = {kinds::kAny},
     .model = BoundModel::Unknown,
     .call = key_at},
    {.name = "insert-at%",
     .usage = "(insert-at% coll i key value)",
     .doc = "What a function sorts, with a key that is put at a place.",
     .example = {"(conj (sorted-set-by (fn [a b] (> (mod a 5) (mod b 5))) 5 9) 7)", "#{9 7 5}"},
     .category = Category::Internal,
     .work = Work::Items,
     .gives = {kinds::kMap | kinds::kSet},
     .model = BoundModel::Unknown,
     .call = insert_at},
};

} // namespace

std::span<const Builtin> sorting_builtins() { return kRows; }

} // namespace ptc
