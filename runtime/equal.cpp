// Equality (equality.h): of leaves, and of collections, whose parts are compared with an explicit stack. A map is
// compared by looking its keys up in the other one, by the hashes that both keep. A key that is a collection has to be
// compared with each candidate of the same hash, which is a comparison inside of a search; so a level of the stack may
// be in the middle of one (Search).
#include "runtime/entries.h"
#include "runtime/equality.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/time.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace ptc {
namespace {

bool is_nan(const Value& v) { return v.is_double() && v.as_double() != v.as_double(); }

bool equal_regexes(const Value& a, const Value& b) { return regex_source(a) == regex_source(b); }

/// Equality of two different words that are not both collections.
bool equal_leaves(Heap& heap, const Value& a, const Value& b) {
    if (!a.is_object() || !b.is_object()) return a.is_double() && b.is_double() && a.as_double() == b.as_double();
    ObjectType type = a.object()->type;
    if (type != b.object()->type) return false;
    if (is_text(type)) return same_text(heap, as_string(a), as_string(b));
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

    bool run(const Value& a, const Value& b) { return go_on(enter(a, b)); }

    /// Of two vectors of one length, from element `from` on, which has been paid for.
    bool run_from(const Value& a, const Value& b, std::uint32_t from) {
        levels_.push_back({&a, &b, count_of(a), from});
        const Answer answer = proceed_in_vectors(levels_.back());
        if (answer != Answer::Pending) return answer == Answer::Yes;
        return go_on(answer);
    }

private:
    enum class Answer : std::uint8_t { No, Yes, Pending };

    bool go_on(Answer answer) {
        while (!levels_.empty()) {
            if (!heap_.meter.charge(1)) return false;
            answer = proceed(answer);
            if (answer != Answer::Pending) levels_.pop_back();
        }
        return answer == Answer::Yes;
    }

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

bool equal_flat(Heap& heap, const Value& a, const Value& b, int levels);

/// Flat vectors of one length whose first `i` items are equal and paid for. No stack is needed before an item is a
/// collection that is no flat vector, for `levels` of them. Charges what Equality does.
[[gnu::noinline]] bool equal_flat_from(Heap& heap, const Value& a, const Value& b, std::uint32_t i, int levels) {
    const VectorObject &x = as_flat(a), &y = as_flat(b);
    for (; i < x.length; ++i) {
        const Value &left = x.data[i], &right = y.data[i];
        if (left.raw() == right.raw()) {
            if (is_nan(left)) return false;
        } else if (left.is_small_integer() || right.is_small_integer()) {
            return false;
        } else if (left.is(ObjectType::Vector) && right.is(ObjectType::Vector) && levels > 1) {
            if (!equal_flat(heap, left, right, levels - 1)) return false;
            continue; // which has paid for it
        } else if (left.is_collection() && right.is_collection()) {
            return Equality(heap).run_from(a, b, i);
        } else if (!equal_leaves(heap, left, right)) {
            return false;
        }
        if (!heap.meter.charge(1)) return false;
    }
    return true;
}

/// Flat vectors, as most keys that are collections: short ones of equal words are compared at once.
inline bool equal_flat(Heap& heap, const Value& a, const Value& b, int levels) {
    constexpr std::uint32_t kPaidAtOnce = 8;
    const VectorObject &x = as_flat(a), &y = as_flat(b);
    if (x.length != y.length) return false;
    std::uint32_t i = 0;
    for (const std::uint32_t n = std::min(x.length, kPaidAtOnce); i < n; ++i) {
        if (x.data[i].raw() != y.data[i].raw() || x.data[i].is_double()) break;
    }
    if (!heap.meter.charge(1 + i)) return false;
    return i == x.length || equal_flat_from(heap, a, b, i, levels);
}

} // namespace

[[gnu::noinline]] static bool equal_collections(Heap& heap, const Value& a, const Value& b) {
    return Equality(heap).run(a, b);
}

bool equal(Heap& heap, const Value& a, const Value& b) {
    if (a.raw() == b.raw()) return !is_nan(a);
    constexpr int kLevels = 4;
    if (a.is(ObjectType::Vector) && b.is(ObjectType::Vector)) return equal_flat(heap, a, b, kLevels);
    if (!a.is_collection() || !b.is_collection()) return equal_leaves(heap, a, b);
    return equal_collections(heap, a, b);
}

bool same_key_slow(Heap& heap, const Value& a, const Value& b) { return equal(heap, a, b); }

} // namespace ptc
