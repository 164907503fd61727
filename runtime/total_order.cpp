// The total order (equality.h), in which maps and sets are seen.
//
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
#include <memory>
#include <vector>

namespace ptc {
namespace {

bool is_nan(const Value& v) { return v.is_double() && v.as_double() != v.as_double(); }
int sign(std::int64_t difference) { return difference < 0 ? -1 : difference > 0; }
template <class T> int order_of(const T& a, const T& b) { return a < b ? -1 : b < a; }

int order_of_texts(Heap& heap, std::string_view a, std::string_view b) {
    charge_reading(heap, std::min(a.size(), b.size()));
    return sign(a.compare(b));
}

std::size_t size_of(const Value& coll) {
    return coll.is_vector() ? vector_length(coll) : coll.is_map() ? map_count(coll) : set_count(coll);
}

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
        std::size_t n = size_of(a), m = size_of(b);
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
            auto view = MapView::by_key(heap_, coll);
            if (!view.ok()) return false;
            side.views->map = std::move(view).value();
        } else {
            auto view = SetView::upwards(heap_, coll);
            if (!view.ok()) return false;
            side.views->set = std::move(view).value();
        }
        return true;
    }

    Heap& heap_;
    std::vector<Level> levels_;
};

} // namespace

int total_order(Heap& heap, const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return order_of(a.raw(), b.raw());
    return Order(heap).run(a, b);
}

} // namespace ptc
