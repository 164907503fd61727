// Keys stand in the total order; tests go by `compare`, which is the same but that numbers of one value tie, and NaN
// with everything. Without NaN, and beside a bound that is no collection, keys that tie stand side by side, so that
// each test holds for the first keys or for the last ones. Rows need more care: [1 "b"] stands in front of [1.0 "a"],
// and `compare` has it the other way round. So a bound that is a row is looked for column by column, each among the
// keys that tie in the columns before, and these have to be the same there, not only to tie.
//
// A collection with few edits over a table that others see has no view of its own (sorted_view.h): the part is merged
// from that of the table's view and the edits.
#include "runtime/sorted_part.h"
#include "frontend/try.h"
#include "runtime/keyed.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include <algorithm>
#include <array>
#include <optional>

namespace ptc {
namespace {

/// The keys of a collection in the total order, by number.
struct KeyRow {
    const MapView* map = nullptr;
    const SetView* set = nullptr;
    const Value* const* entries = nullptr; ///< of neither
    std::size_t size = 0;
    [[nodiscard]] const Value& at(std::size_t i) const { return map ? map->key(i) : set ? set->item(i) : *entries[i]; }
};

bool is_nan(const Value& v) { return v.is_double() && v.as_double() != v.as_double(); }

/// Whether one of the keys may be NaN, which stands behind all other numbers, in front of all that is no number.
bool may_have_nan(const KeyRow& keys) {
    if (keys.size == 0 || !keys.at(0).is_number()) return false;
    const Value& last = keys.at(keys.size - 1);
    return !last.is_number() || is_nan(last);
}

struct Places {
    std::size_t begin;
    std::size_t end;
};

/// A part of keys that are rows: a column, a column of what is in a column ..
class Column {
public:
    static constexpr std::size_t kMostLevels = 4;
    [[nodiscard]] bool has_room() const { return size_ < kMostLevels; }
    [[nodiscard]] Column inside(std::size_t i) const {
        Column column = *this;
        column.path_[column.size_++] = i;
        return column;
    }
    /// Calls `ask` with the part of a key, which has it.
    template <class Ask> auto of(const Value& key, Ask ask) const {
        std::array<Value, kMostLevels> made;
        const Value* part = &key;
        for (std::size_t level = 0; level < size_; ++level)
            part = &vector_element(*part, path_[level], made[level]);
        return ask(*part);
    }

private:
    std::array<std::size_t, kMostLevels> path_{};
    std::size_t size_ = 0;
};

/// Where a bound belongs.
class PlaceSearch {
public:
    PlaceSearch(Heap& heap, const KeyRow& keys, const Value& bound) : heap_(heap), keys_(keys), bound_(bound) {}

    /// The keys that tie with the bound; those in front are less. Nothing where halving does not find them.
    Result<std::optional<Places>> run() {
        if (is_nan(bound_) || may_have_nan(keys_)) return std::optional<Places>();
        Places found{0, keys_.size};
        if (!PTC_TRY(narrow(found, bound_, Column()))) return std::optional<Places>();
        return std::optional<Places>(found);
    }

private:
    /// The keys among `found` that tie with the bound in a column. False where halving does not find them.
    Result<bool> narrow(Places& found, const Value& bound, Column column) {
        if (bound.is_map()) return false; // their values are a matter of ties, too
        if (bound.is_vector()) return narrow_to_row(found, bound, column);
        found = PTC_TRY(ties(found, column, [&](const Value& part) { return compare_values(heap_, part, bound); }));
        return true;
    }
    Result<bool> narrow_to_row(Places& found, const Value& bound, Column column) {
        const std::size_t length = vector_length(bound);
        found = PTC_TRY(ties(found, column, [&](const Value& part) {
            const bool is_row = part.is_vector() && vector_length(part) == length;
            return is_row ? 0 : compare_values(heap_, part, bound);
        }));
        if (!column.has_room()) return found.begin == found.end;
        for (std::size_t i = 0; i < length && found.begin != found.end; ++i) {
            Value made;
            const Column next = column.inside(i);
            if (!PTC_TRY(narrow(found, vector_element(bound, i, made), next)) || !are_same(found, next)) return false;
        }
        return true;
    }
    /// Whether the keys, which tie in this column, are the same there.
    [[nodiscard]] bool are_same(Places rows, Column column) const {
        if (rows.end - rows.begin < 2) return true;
        return column.of(keys_.at(rows.begin), [&](const Value& first) {
            return column.of(keys_.at(rows.end - 1),
                             [&](const Value& last) { return total_order(heap_, first, last) == 0; });
        });
    }
    /// The keys among `in` of whose column `order` says 0.
    template <class Order> Result<Places> ties(Places in, Column column, Order order) {
        const auto order_of_key = [&](std::size_t i) { return column.of(keys_.at(i), order); };
        const std::size_t begin = PTC_TRY(first_place(in, [&](std::size_t i) { return order_of_key(i) >= 0; }));
        if (begin == in.end || order_of_key(begin) != 0) return Places{begin, begin};
        return Places{begin, PTC_TRY(first_place({begin, in.end}, [&](std::size_t i) { return order_of_key(i) > 0; }))};
    }
    /// The first key among `in` that is behind.
    template <class IsBehind> Result<std::size_t> first_place(Places in, IsBehind is_behind) {
        while (in.begin < in.end) {
            if (!heap_.meter.charge(1)) return heap_.meter.error();
            const std::size_t middle = in.begin + (in.end - in.begin) / 2;
            if (is_behind(middle))
                in.end = middle;
            else
                in.begin = middle + 1;
        }
        return in.begin;
    }

    Heap& heap_;
    const KeyRow& keys_;
    const Value& bound_;
};

/// The test of a key that the collection is read by, as one of a key that stands in the total order.
Relation upwards(Relation relation, bool descends) {
    if (!descends) return relation;
    switch (relation) {
    case Relation::Less: return Relation::Greater;
    case Relation::LessEqual: return Relation::GreaterEqual;
    case Relation::Greater: return Relation::Less;
    case Relation::GreaterEqual: return Relation::LessEqual;
    }
    return relation;
}

/// The keys that pass all tests.
Result<std::optional<Places>> passing(Heap& heap, const KeyRow& keys, std::span<const KeyTest> tests, bool descends) {
    Places passing{0, keys.size};
    for (const KeyTest& test : tests) {
        const std::optional<Places> ties = PTC_TRY(PlaceSearch(heap, keys, *test.bound).run());
        if (!ties) return ties;
        switch (upwards(test.relation, descends)) {
        case Relation::Less: passing.end = std::min(passing.end, ties->begin); break;
        case Relation::LessEqual: passing.end = std::min(passing.end, ties->end); break;
        case Relation::Greater: passing.begin = std::max(passing.begin, ties->end); break;
        case Relation::GreaterEqual: passing.begin = std::max(passing.begin, ties->begin); break;
        }
    }
    passing.begin = std::min(passing.begin, passing.end);
    return std::optional<Places>(passing);
}

bool passes(Heap& heap, const Value& key, std::span<const KeyTest> tests, bool descends) {
    return std::all_of(tests.begin(), tests.end(), [&](const KeyTest& test) {
        const int order = is_nan(key) ? 0 : compare_values(heap, key, *test.bound);
        switch (upwards(test.relation, descends)) {
        case Relation::Less: return order < 0;
        case Relation::LessEqual: return order <= 0;
        case Relation::Greater: return order > 0;
        case Relation::GreaterEqual: return order >= 0;
        }
        return false;
    });
}

/// Gathers members, or entries as vectors of two.
class PartBuilder {
public:
    PartBuilder(Heap& heap, bool only_first) : heap_(heap), items_(heap), limit_(only_first ? 1 : SIZE_MAX) {}
    [[nodiscard]] bool is_full() const { return items_.size() >= limit_; }
    Result<void> reserve(std::size_t n) {
        if (!items_.reserve(std::min(n, limit_))) return heap_.out_of_memory();
        return {};
    }
    /// `value`: null for a member.
    Result<void> add(const Value& key, const Value* value) {
        if (!heap_.meter.charge(value ? 2 : 1)) return heap_.meter.error();
        Value item;
        if (value) {
            Value pair[2] = {key.copy(), value->copy()};
            item = PTC_TRY(make_vector(heap_, pair));
        } else {
            item = key.copy();
        }
        if (!items_.push(std::move(item))) return heap_.out_of_memory();
        return {};
    }
    Result<Value> finish() { return items_.finish(); }

private:
    Heap& heap_;
    VectorBuilder items_;
    std::size_t limit_;
};

Result<Value> part_of_view(Heap& heap, const Value& coll, std::span<const KeyTest> tests, bool descends,
                           PartReading reading) {
    MapView map;
    SetView set;
    KeyRow keys;
    if (coll.is_map()) {
        map = PTC_TRY(MapView::by_key(heap, coll));
        keys = {.map = &map, .size = map.size()};
    } else {
        set = PTC_TRY(SetView::upwards(heap, coll));
        keys = {.set = &set, .size = set.size()};
    }
    const std::optional<Places> part = PTC_TRY(passing(heap, keys, tests, descends));
    if (!part) return Value();
    const std::size_t count = part->end - part->begin;
    PartBuilder out(heap, reading.only_first);
    PTC_CHECK(out.reserve(count));
    for (std::size_t i = 0; i < count && !out.is_full(); ++i) {
        const std::size_t at = reading.backwards == descends ? part->begin + i : part->end - 1 - i;
        PTC_CHECK(out.add(keys.at(at), coll.is_map() ? &map.value(at) : nullptr));
    }
    return out.finish();
}

/// The edits of an overlay that pass the tests, and are no removals, in the total order.
class PassingEdits {
public:
    PassingEdits(Heap& heap, const OverlayTableObject& overlay, std::span<const KeyTest> tests, bool descends) {
        for_each_edit(overlay.root, [&](const KeyEdit& edit) {
            if (!edit.value.is_hole() && passes(heap, edit.key, tests, descends)) insert(heap, edit);
        });
    }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] const KeyEdit& at(std::size_t i) const { return *edits_[i]; }

private:
    /// Stays within bounds whatever comparing answers when the fuel is gone.
    void insert(Heap& heap, const KeyEdit& edit) {
        std::size_t at = count_++;
        for (; at > 0 && total_order(heap, edit.key, edits_[at - 1]->key) < 0; --at)
            edits_[at] = edits_[at - 1];
        edits_[at] = &edit;
        heap.meter.charge_unchecked(static_cast<std::int64_t>(count_ - at));
    }

    std::array<const KeyEdit*, kFewEdits> edits_;
    std::size_t count_ = 0;
};

/// What is left of a part of the table's view and of the edits; both are read from one end.
class PartMerge {
public:
    PartMerge(Heap& heap, const OverlayTableObject& overlay, SortedViewObject* view, Places part,
              const PassingEdits& edits, bool upwards)
        : heap_(heap), overlay_(overlay), view_(view), part_(part), edits_(edits), left_(edits.size()),
          upwards_(upwards) {}

    Result<Value> run(PartBuilder& out) {
        const bool is_map = overlay_.base->width() == 2;
        while (!out.is_full()) {
            if (!heap_.meter.charge(0)) return heap_.meter.error(); // hidden entries are paid for, too
            const Value* entry = next_entry();
            const KeyEdit* edit = left_ != 0 ? &edits_.at(upwards_ ? edits_.size() - left_ : left_ - 1) : nullptr;
            if (!entry && !edit) break;
            if (edit && (!entry || comes_first(edit->key, *entry))) {
                --left_;
                PTC_CHECK(out.add(edit->key, is_map ? &edit->value : nullptr));
            } else {
                PTC_CHECK(out.add(*entry, is_map ? entry + 1 : nullptr));
                step();
            }
        }
        return out.finish();
    }

private:
    /// Of keys in one place the edit stands in front, as sorting has it.
    [[nodiscard]] bool comes_first(const Value& edit, const Value& entry) const {
        const int order = total_order(heap_, edit, entry);
        return upwards_ ? order <= 0 : order > 0;
    }
    void step() { upwards_ ? ++part_.begin : --part_.end; }
    /// The next entry of the table that no edit hides; null at the end.
    const Value* next_entry() {
        for (; part_.begin < part_.end; step()) {
            const Value* entry = view_->entries()[upwards_ ? part_.begin : part_.end - 1];
            if (!is_edited(heap_, overlay_, entry)) return entry;
            heap_.meter.charge_unchecked(1);
        }
        return nullptr;
    }

    Heap& heap_;
    const OverlayTableObject& overlay_;
    SortedViewObject* view_;
    Places part_;
    const PassingEdits& edits_;
    std::size_t left_;
    bool upwards_;
};

Result<Value> part_of_overlay(Heap& heap, const OverlayTableObject& overlay, SortedViewObject* view,
                              std::span<const KeyTest> tests, bool descends, PartReading reading) {
    const KeyRow keys{.entries = view->entries(), .size = view->count};
    const std::optional<Places> part = PTC_TRY(passing(heap, keys, tests, descends));
    if (!part) return Value();
    const PassingEdits edits(heap, overlay, tests, descends);
    PartBuilder out(heap, reading.only_first);
    PTC_CHECK(out.reserve(part->end - part->begin + edits.size()));
    return PartMerge(heap, overlay, view, *part, edits, reading.backwards == descends).run(out);
}

} // namespace

Result<Value> sorted_part(Heap& heap, const Value& coll, std::span<const KeyTest> tests, PartReading reading) {
    const bool is_table = coll.is_set() || !coll.is(ObjectType::Record);
    const std::uint8_t order = is_table ? order_of(coll) : std::uint8_t{0};
    if (order & HashTableObject::kArranged) return Value();
    const bool descends = order != 0;
    if (is_table) {
        if (SortedViewObject* view = PTC_TRY(view_below_edits(heap, coll)))
            return part_of_overlay(heap, as_overlay_table(coll), view, tests, descends, reading);
    }
    return part_of_view(heap, coll, tests, descends, reading);
}

} // namespace ptc
