// The total order (equality.h), in which maps and sets are seen.
//
// The total order of values of different types (DIV-30, DIV-38): numbers (NaN after all others) < false < nil < true <
// keywords, symbols and vars by name < functions by name < regexes by source < times by type and value < maps (fewer
// entries first, then keys, then values) < sets (fewer members first, then members) < vectors (the shorter first, then
// element by element) < strings by their bytes.
#include "runtime/equality.h"
#include "runtime/function.h"
#include "runtime/number.h"
#include "runtime/pair_walk.h"
#include "runtime/regex.h"
#include "runtime/sorted_view.h"
#include "runtime/time.h"
#include <algorithm>
#include <memory>

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
    if (coll.is_vector()) return vector_length(coll);
    return coll.is_map() ? map_count(coll) : set_count(coll);
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

class Order : PairWalk {
public:
    explicit Order(Heap& heap) : PairWalk(heap) {}

    int run(const Value& a, const Value& b) {
        return PairWalk::run(a, b, 0, [this](const Value& x, const Value& y) { return enter(x, y); });
    }

private:
    int enter(const Value& a, const Value& b) {
        Rank rank = rank_of(a), other = rank_of(b);
        if (rank != other) return rank < other ? -1 : 1;
        if (rank < Rank::Map || rank == Rank::String) return order_of_leaves(heap_, rank, a, b);
        if (a.raw() == b.raw()) return 0;
        std::size_t n = size_of(a), m = size_of(b);
        if (n != m) return order_of(n, m);
        if (rank == Rank::Vector) {
            push_vectors(a, b);
            return 0;
        }
        Side left{&a, std::make_unique<Views>()}, right{&b, std::make_unique<Views>()};
        if (open(left) && open(right))
            levels_.push_back({std::move(left), std::move(right), 0, rank == Rank::Map ? 2 * n : n});
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
};

/// Most vectors that are keys hold leaves, or vectors of leaves, and need no stack for `levels` of them. What is
/// charged is what the walk charges.
int order_of_vectors(Heap& heap, const Value& a, const Value& b, int levels) {
    if (a.raw() == b.raw()) return 0;
    const std::size_t length = vector_length(a);
    if (length != vector_length(b)) return order_of(length, vector_length(b));
    const Value *left_items = vector_data_or_null(a), *right_items = vector_data_or_null(b);
    for (std::size_t i = 0; i < length; ++i) {
        if (!heap.meter.charge(1)) return 0;
        if (left_items && right_items && left_items[i].is_small_integer() && right_items[i].is_small_integer()) {
            if (left_items[i].raw() != right_items[i].raw()) return order_of(left_items[i].raw(), right_items[i].raw());
            continue;
        }
        Value left, right;
        const Value& x = left_items ? left_items[i] : vector_element(a, i, left);
        const Value& y = right_items ? right_items[i] : vector_element(b, i, right);
        if (x.is(ObjectType::Vector) && y.is(ObjectType::Vector) && levels > 1) {
            if (const int difference = order_of_vectors(heap, x, y, levels - 1)) return difference;
            continue;
        }
        const Rank rank = rank_of(x), other = rank_of(y);
        if (rank != other) return rank < other ? -1 : 1;
        const bool is_leaf = rank < Rank::Map || rank == Rank::String;
        const int difference = is_leaf                              ? order_of_leaves(heap, rank, x, y)
                               : rank == Rank::Vector && levels > 1 ? order_of_vectors(heap, x, y, levels - 1)
                                                                    : Order(heap).run(x, y);
        if (difference != 0) return difference;
    }
    return 0;
}

} // namespace

int total_order(Heap& heap, const Value& a, const Value& b) {
    if (a.is_small_integer() && b.is_small_integer()) return order_of(a.raw(), b.raw());
    constexpr int kLevels = 4;
    if (a.is_vector() && b.is_vector()) return order_of_vectors(heap, a, b, kLevels);
    if ((a.is_string() && b.is_string()) || (a.is_keyword() && b.is_keyword()))
        return order_of_texts(heap, text_of(a), text_of(b));
    return Order(heap).run(a, b);
}

} // namespace ptc
