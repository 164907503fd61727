// The total order of values of different types (DIV-30, DIV-38): numbers (NaN after all others) < false < nil < true <
// keywords, symbols and vars by name < functions by name < regexes by source < times by type and value < maps (fewer
// entries first, then keys, then values) < sets (fewer members first, then members) < vectors (element by element, a
// prefix first) < strings by their bytes.
#include "runtime/equality.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include "runtime/time.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace ptc {

namespace {

constexpr std::uint64_t kMixA = 0xA076'1D64'78BD'642F;
constexpr std::uint64_t kMixB = 0xE703'7ED1'A0B4'28DB;
constexpr std::uint64_t kMixC = 0x8EBC'6AF0'9C88'C6E3;

template <class Word> std::uint64_t read(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

bool is_nan(const Value& v) { return v.is_double() && v.as_double() != v.as_double(); }
int sign(std::int64_t difference) { return difference < 0 ? -1 : difference > 0; }
template <class T> int order_of(const T& a, const T& b) { return a < b ? -1 : b < a; }

/// Compares bytes, for fuel: equal texts are compared to their end.
bool same_text(Heap& heap, std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    charge_reading(heap, a.size());
    return a == b;
}
int order_of_texts(Heap& heap, std::string_view a, std::string_view b) {
    charge_reading(heap, std::min(a.size(), b.size()));
    return sign(a.compare(b));
}

/// The entries of a map or set by number, in storage order.
class Entries {
public:
    Entries(Heap& heap, const Value& coll) : coll_(&coll) {
        if (coll.is(ObjectType::Record) || is_flat_table(coll.object()->type)) return;
        heap.meter.charge_unchecked(as_overlay_table(coll).count / 2);
        collected_.reserve(as_overlay_table(coll).count);
        for_each_entry(heap, coll, [&](const Value* entry, std::uint32_t hash) {
            collected_.push_back({entry, hash});
        });
    }
    [[nodiscard]] const Value& key(std::size_t i) const {
        return coll_->is(ObjectType::Record) ? as_record(*coll_).shape->keys()[i] : *entry(i);
    }
    [[nodiscard]] const Value& value(std::size_t i) const {
        return coll_->is(ObjectType::Record) ? as_record(*coll_).values()[i] : entry(i)[1];
    }
    [[nodiscard]] std::uint32_t hash(std::size_t i) const {
        if (!collected_.empty()) return collected_[i].hash;
        if (!coll_->is(ObjectType::Record)) return as_table(*coll_).hashes()[i];
        const Value& field = key(i);
        return key_hash_of_text(field.object()->type, text_hash(as_string(field)));
    }

private:
    struct Collected {
        const Value* entry;
        std::uint32_t hash;
    };
    [[nodiscard]] const Value* entry(std::size_t i) const {
        if (!collected_.empty()) return collected_[i].entry;
        const HashTableObject& table = as_table(*coll_);
        return table.entries + i * table.width();
    }
    const Value* coll_;
    std::vector<Collected> collected_; ///< of an overlay
};

std::uint32_t count_of(const Value& coll) {
    std::size_t n = coll.is_vector() ? vector_length(coll) : coll.is_map() ? map_count(coll) : set_count(coll);
    return static_cast<std::uint32_t>(n);
}

// ---------------------------------------------------------------- hashing

std::uint64_t hash_name(Heap& heap, std::string_view function_name) {
    charge_reading(heap, function_name.size());
    return hash_bytes(function_name);
}

std::uint64_t hash_leaf(Heap& heap, const Value& v) {
    switch (v.type()) {
    case ObjectType::Free: return hash_word(v.raw());
    case ObjectType::String:
    case ObjectType::Keyword:
    case ObjectType::Var:
    case ObjectType::Symbol: return key_hash_of_text(v.object()->type, text_hash(heap, as_string(v)));
    case ObjectType::BigInteger: charge_reading(heap, integer_bytes(v)); return hash_number(v);
    case ObjectType::Closure: return hash_name(heap, function_info(v).name);
    case ObjectType::Regex: return text_hash(as_string(static_cast<const RegexObject*>(v.object())->source)) ^ kMixA;
    default: {
        const TimeObject& time = as_time(v);
        return fold_multiply(static_cast<std::uint64_t>(time.a) ^ kMixA,
                             static_cast<std::uint64_t>(time.b) ^ kMixB ^ static_cast<std::uint64_t>(time.type));
    }
    }
}

/// Hashes containers with a stack of its own. Maps and sets add up their entries, whose order means nothing.
class Hasher {
public:
    explicit Hasher(Heap& heap) : heap_(heap) {}

    std::uint64_t run(const Value& v) {
        std::uint64_t last = 0;
        bool has_last = enter(v, last);
        while (!levels_.empty()) {
            if (!heap_.meter.charge(1)) return 0;
            if (has_last) add(levels_.back(), last);
            Level& level = levels_.back();
            if (level.next == level.end) {
                last = fold_multiply(level.sum ^ kMixC, level.end ^ kMixB);
                has_last = true;
                levels_.pop_back();
                continue;
            }
            std::size_t i = level.next++;
            Value temporary;
            const Value& part =
                level.coll->is_vector() ? vector_element(*level.coll, i, temporary) : level.entries->value(i);
            has_last = enter(part, last);
        }
        return last;
    }

private:
    struct Level {
        const Value* coll;
        std::unique_ptr<Entries> entries; ///< of a map
        std::uint32_t end;
        std::uint32_t next = 0;
        std::uint64_t sum = 0;
    };

    /// True with `*result` for a leaf; false when `v` is the new innermost level.
    bool enter(const Value& v, std::uint64_t& result) {
        if (v.is_static_function()) {
            result = hash_name(heap_, v.static_function()->name);
            return true;
        }
        if (!v.is_collection()) {
            result = hash_leaf(heap_, v);
            return true;
        }
        if (v.is_set()) {
            std::uint64_t sum = 0;
            for_each_entry(heap_, v,
                           [&](const Value*, std::uint32_t hash) { sum += fold_multiply(hash ^ kMixA, kMixB); });
            heap_.meter.charge_unchecked(static_cast<std::int64_t>(set_count(v) / 4));
            result = fold_multiply(sum ^ kMixA, kMixC);
            return true;
        }
        levels_.push_back({&v, v.is_vector() ? nullptr : std::make_unique<Entries>(heap_, v), count_of(v)});
        return false;
    }

    /// `hash` is that of the element or value before `next`.
    static void add(Level& level, std::uint64_t hash) {
        if (level.coll->is_vector())
            level.sum = fold_multiply(level.sum ^ hash ^ kMixA, kMixB);
        else
            level.sum += fold_multiply(level.entries->hash(level.next - 1) ^ kMixA, hash ^ kMixC);
    }

    Heap& heap_;
    std::vector<Level> levels_;
};

// ---------------------------------------------------------------- equality

bool equal_regexes(const Value& a, const Value& b) { return regex_source(a) == regex_source(b); }

/// Equality of two different words that are not both collections.
bool equal_leaves(Heap& heap, const Value& a, const Value& b) {
    if (!a.is_object() || !b.is_object()) return a.is_double() && b.is_double() && a.as_double() == b.as_double();
    ObjectType type = a.object()->type;
    if (type != b.object()->type) return false;
    if (is_text(type)) return same_text(heap, text_of(a), text_of(b));
    if (type == ObjectType::BigInteger) {
        charge_reading(heap, integer_bytes(a));
        return numbers_equal(a, b);
    }
    if (is_time(a)) return as_time(a).a == as_time(b).a && as_time(a).b == as_time(b).b;
    return type == ObjectType::Regex && equal_regexes(a, b);
}

/// Compares collections with a stack of its own. A level is a pair of collections; the answer for its innermost pair of
/// parts goes back to the level, which goes on, gives up, or (when it looks for a key) tries the next candidate.
class Equality {
public:
    explicit Equality(Heap& heap) : heap_(heap) {}

    bool run(const Value& a, const Value& b) {
        Answer answer = enter(a, b);
        while (!levels_.empty()) {
            if (!heap_.meter.charge(1)) return false;
            answer = proceed(answer);
            if (answer != Answer::Pending) levels_.pop_back();
        }
        return answer == Answer::Yes;
    }

private:
    enum class Answer : std::uint8_t { No, Yes, Pending };
    enum class Looking : std::uint8_t { Nothing, Key, Value };
    /// An entry of b whose key may be the one looked for.
    struct Candidate {
        const Value* key;
        const Value* value; ///< null: this key was removed
    };
    /// The search in b for the keys of a.
    struct Search {
        Entries entries; ///< of a
        Looking looking = Looking::Nothing;
        std::vector<Candidate> candidates{};
    };
    struct Level {
        const Value* a;
        const Value* b;
        std::uint32_t end;
        std::uint32_t next = 0;
        std::unique_ptr<Search> search{}; ///< of maps and sets
    };

    static Answer answer_of(bool yes) { return yes ? Answer::Yes : Answer::No; }

    /// Pending: there is a new level that will know.
    Answer enter(const Value& a, const Value& b) {
        if (a.raw() == b.raw()) return answer_of(!is_nan(a));
        if (!a.is_collection() || !b.is_collection()) return answer_of(equal_leaves(heap_, a, b));
        bool same_kind = a.is_vector() ? b.is_vector() : a.is_map() ? b.is_map() : b.is_set();
        if (!same_kind || count_of(a) != count_of(b)) return Answer::No;
        levels_.push_back({&a, &b, count_of(a)});
        if (!a.is_vector()) levels_.back().search.reset(new Search{Entries(heap_, a)});
        return Answer::Pending;
    }

    /// Goes on with the innermost level until it is decided, or waits for a new one. `answer` is that of the parts that
    /// it waited for; a new level waited for none.
    Answer proceed(Answer answer) {
        if (!levels_.back().a->is_vector()) return proceed_in_entries(levels_.size() - 1, answer);
        return answer == Answer::No ? answer : proceed_in_vectors(levels_.back());
    }

    Answer proceed_in_vectors(Level& level) {
        Value left_temporary, right_temporary;
        while (level.next < level.end) {
            std::size_t i = level.next++;
            Answer answer =
                enter(vector_element(*level.a, i, left_temporary), vector_element(*level.b, i, right_temporary));
            if (answer != Answer::Yes) return answer;      // when pending, `level` may have moved
            if (!heap_.meter.charge(1)) return Answer::No; // each time: shared parts are met again and again
        }
        return Answer::Yes;
    }

    Answer proceed_in_entries(std::size_t at, Answer answer) {
        for (;;) {
            Level& level = levels_[at];
            switch (level.search->looking) {
            case Looking::Nothing:
                if (level.next == level.end) return Answer::Yes;
                if (!heap_.meter.charge(1)) return Answer::No;
                answer = begin_entry(level);
                break;
            case Looking::Key:
                if (answer == Answer::Yes) {
                    answer = enter_values(level, level.search->candidates.back().value);
                } else {
                    level.search->candidates.pop_back();
                    answer = enter_candidate(level);
                }
                break;
            case Looking::Value:
                if (answer == Answer::No) return answer;
                level.search->looking = Looking::Nothing;
                ++level.next;
                break;
            }
            if (answer == Answer::Pending) return answer;
        }
    }

    Answer begin_entry(Level& level) {
        const Value& key = level.search->entries.key(level.next);
        std::uint32_t hash = level.search->entries.hash(level.next);
        if (!key.is_collection()) {
            const Value* value = find_leaf(*level.b, hash, key);
            level.search->looking = Looking::Value;
            return value ? enter_values(level, value) : Answer::No;
        }
        level.search->candidates.clear();
        collect_candidates(*level.b, hash, level.search->candidates);
        return enter_candidate(level);
    }

    Answer enter_candidate(Level& level) {
        if (level.search->candidates.empty()) {
            level.search->looking = Looking::Value;
            return Answer::No;
        }
        level.search->looking = Looking::Key;
        return enter(level.search->entries.key(level.next), *level.search->candidates.back().key);
    }

    /// `value` is that of the same key in b; null when it is removed there.
    Answer enter_values(Level& level, const Value* value) {
        level.search->looking = Looking::Value;
        if (!value) return Answer::No;
        return level.a->is_set() ? Answer::Yes : enter(level.search->entries.value(level.next), *value);
    }

    /// The value of a key that is no collection (for a set, the member).
    const Value* find_leaf(const Value& coll, std::uint32_t hash, const Value& key) {
        if (coll.is(ObjectType::Record)) return map_find(heap_, coll, key);
        const Value* entry = keyed_find(heap_, coll, hash, key);
        return entry && coll.is_map() ? entry + 1 : entry;
    }

    /// In reverse order of precedence: an overlay's edits hide its base.
    void collect_candidates(const Value& coll, std::uint32_t hash, std::vector<Candidate>& out) {
        if (coll.is(ObjectType::Record)) return;
        const HashTableObject* table = &as_table(coll);
        EditsNode* edits = nullptr;
        if (!is_flat_table(table->type)) {
            edits = as_overlay_table(coll).root;
            table = as_overlay_table(coll).base;
        }
        std::uint32_t width = table->width();
        (void)table_find_if(heap_, *table, width, hash, [&](const Value& key) {
            const Value* value = width == 2 ? &key + 1 : &key;
            if (key.is_collection()) out.push_back({&key, value});
            return false;
        });
        (void)edits_find_if(heap_, edits, hash, [&](const Value& key) {
            const Value* value = &key + 1;
            if (key.is_collection()) out.push_back({&key, value->is_hole() ? nullptr : value});
            return false;
        });
    }

    Heap& heap_;
    std::vector<Level> levels_;
};

// ---------------------------------------------------------------- order

enum class Rank : std::uint8_t { Number, Simple, Name, Function, Regex, Time, Map, Set, Vector, String };

Rank rank_of(const Value& v) {
    if (v.is_number()) return Rank::Number;
    if (!v.is_object()) return v.is_builtin() || v.is_static_function() ? Rank::Function : Rank::Simple;
    if (v.is_vector()) return Rank::Vector;
    if (v.is_map()) return Rank::Map;
    if (v.is_set()) return Rank::Set;
    switch (v.object()->type) {
    case ObjectType::String: return Rank::String;
    case ObjectType::Keyword:
    case ObjectType::Var:
    case ObjectType::Symbol: return Rank::Name;
    case ObjectType::Closure: return Rank::Function;
    case ObjectType::Regex: return Rank::Regex;
    default: return Rank::Time;
    }
}

int order_of_numbers(Heap& heap, const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return order_of(a.raw(), b.raw());
    if (a.is_object() && b.is_object()) charge_reading(heap, std::min(integer_bytes(a), integer_bytes(b)));
    std::partial_ordering order = compare_numbers(a, b);
    if (order < 0) return -1;
    if (order > 0) return 1;
    if (order == 0) return static_cast<int>(a.is_double()) - static_cast<int>(b.is_double());
    return static_cast<int>(is_nan(a)) - static_cast<int>(is_nan(b));
}

/// false, nil, true.
int simple_order(const Value& v) { return v.is_nil() ? 1 : v.is_true() ? 2 : 0; }

/// Builtins before functions of the program, which have names that are unique only as far as people make them so.
int order_of_functions(Heap& heap, const Value& a, const Value& b) {
    if (a.is_builtin() || b.is_builtin()) {
        if (a.is_builtin() && b.is_builtin()) return order_of(a.builtin_index(), b.builtin_index());
        return a.is_builtin() ? -1 : 1;
    }
    return order_of_texts(heap, function_info(a).name, function_info(b).name);
}

int order_of_times(const Value& a, const Value& b) {
    const TimeObject &x = as_time(a), &y = as_time(b);
    if (x.type != y.type) return order_of(x.type, y.type);
    return x.a != y.a ? order_of(x.a, y.a) : order_of(x.b, y.b);
}

/// Two values of the same rank that are no collections.
int order_of_leaves(Heap& heap, Rank rank, const Value& a, const Value& b) {
    switch (rank) {
    case Rank::Number: return order_of_numbers(heap, a, b);
    case Rank::Simple: return simple_order(a) - simple_order(b);
    case Rank::Name: {
        int names = order_of_texts(heap, text_of(a), text_of(b));
        return names ? names : order_of(a.object()->type, b.object()->type);
    }
    case Rank::Function: return order_of_functions(heap, a, b);
    case Rank::Regex: return sign(regex_source(a).compare(regex_source(b)));
    case Rank::Time: return order_of_times(a, b);
    default: return order_of_texts(heap, text_of(a), text_of(b));
    }
}

/// Compares collections with a stack of its own; the first difference decides.
class Order {
public:
    explicit Order(Heap& heap) : heap_(heap) {}

    int run(const Value& a, const Value& b) {
        if (int difference = enter(a, b)) return difference;
        while (!levels_.empty()) {
            Level& level = levels_.back();
            if (level.next == level.end) {
                int tail = level.tail;
                levels_.pop_back();
                if (tail) return tail;
                continue;
            }
            if (!heap_.meter.charge(1)) return 0;
            std::size_t i = level.next++;
            Value left_temporary, right_temporary;
            if (int difference = enter(level.left.at(i, left_temporary), level.right.at(i, right_temporary)))
                return difference;
        }
        return 0;
    }

private:
    struct Views {
        MapView map;
        SetView set;
    };
    /// The parts of a collection in the order of comparison: a map's keys, then its values.
    struct Side {
        const Value* coll;
        std::unique_ptr<Views> views{}; ///< of a map or set
        const Value& at(std::size_t i, Value& temporary) const {
            if (!views) return vector_element(*coll, i, temporary);
            if (coll->is_set()) return views->set.item(i);
            return i < views->map.size() ? views->map.key(i) : views->map.value(i - views->map.size());
        }
    };
    struct Level {
        Side left;
        Side right;
        std::size_t end;
        std::size_t next = 0;
        int tail = 0; ///< the answer when no part differs
    };

    int enter(const Value& a, const Value& b) {
        Rank rank = rank_of(a), other = rank_of(b);
        if (rank != other) return rank < other ? -1 : 1;
        if (rank < Rank::Map || rank == Rank::String) return order_of_leaves(heap_, rank, a, b);
        if (a.raw() == b.raw()) return 0;
        std::size_t n = count_of(a), m = count_of(b);
        if (rank == Rank::Vector) {
            levels_.push_back({Side{&a}, Side{&b}, std::min(n, m), 0, order_of(n, m)});
            return 0;
        }
        if (n != m) return order_of(n, m);
        Side left{&a, std::make_unique<Views>()}, right{&b, std::make_unique<Views>()};
        if (open(left) && open(right))
            levels_.push_back({std::move(left), std::move(right), rank == Rank::Map ? 2 * n : n});
        return 0;
    }

    /// False when the meter refuses to sort: the run ends, so what we answer does not matter.
    bool open(Side& side) {
        const Value& coll = *side.coll;
        prepare_views(heap_, coll);
        if (coll.is_map()) {
            auto view = MapView::of(heap_, coll);
            if (!view.ok()) return false;
            side.views->map = std::move(view).value();
        } else {
            auto view = SetView::of(heap_, coll);
            if (!view.ok()) return false;
            side.views->set = std::move(view).value();
        }
        return true;
    }

    Heap& heap_;
    std::vector<Level> levels_;
};

} // namespace

// Mixes two words into one. The factors are added to the product, or a factor of 0, which a text can be made to give,
// would forget the other one: any number of texts would have one hash.
static std::uint64_t absorb(std::uint64_t a, std::uint64_t b) { return fold_multiply(a, b) ^ a ^ b; }

std::uint32_t hash_bytes(std::string_view text) {
    const char* p = text.data();
    std::size_t n = text.size();
    std::uint64_t state = kMixA ^ n;
    for (; n > 16; p += 16, n -= 16)
        state = absorb(read<std::uint64_t>(p) ^ kMixB, read<std::uint64_t>(p + 8) ^ state);
    std::uint64_t a = 0, b = 0; // the rest; two reads may overlap
    if (n >= 8) {
        a = read<std::uint64_t>(p);
        b = read<std::uint64_t>(p + n - 8);
    } else if (n >= 4) {
        a = read<std::uint32_t>(p);
        b = read<std::uint32_t>(p + n - 4);
    } else if (n > 0) {
        a = read<std::uint8_t>(p) | read<std::uint8_t>(p + n / 2) << 8 | read<std::uint8_t>(p + n - 1) << 16;
    }
    std::uint64_t h = fold_multiply(kMixC ^ text.size(), absorb(a ^ kMixB, b ^ state));
    auto folded = static_cast<std::uint32_t>(h ^ (h >> 32));
    return folded ? folded : 1;
}

std::uint32_t text_hash_slow(const StringObject& text) {
    std::uint32_t h = hash_bytes(text.view());
    const_cast<StringObject&>(text).hash_cache.store(h, std::memory_order_relaxed);
    return h;
}

std::uint64_t hash(Heap& heap, const Value& v) {
    if (!v.is_collection() && !v.is_static_function()) return hash_leaf(heap, v);
    return Hasher(heap).run(v);
}

bool equal(Heap& heap, const Value& a, const Value& b) {
    if (a.raw() == b.raw()) return !is_nan(a);
    if (!a.is_collection() || !b.is_collection()) return equal_leaves(heap, a, b);
    return Equality(heap).run(a, b);
}

bool same_key_slow(Heap& heap, const Value& a, const Value& b) { return equal(heap, a, b); }

int total_order(Heap& heap, const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return order_of(a.raw(), b.raw());
    return Order(heap).run(a, b);
}

} // namespace ptc
