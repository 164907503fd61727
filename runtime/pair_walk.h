// Two values side by side: the walk that total_order.cpp and ordering.cpp have in common. They differ in what they make
// of leaves, and in how they begin with two maps.
#pragma once
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/vector.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace ptc {

/// Goes into collections with a stack of its own, one pair of parts after the other; the first pair that differs
/// decides. Borrows the values: their parts live as long as they do, but for the integers of a range.
class PairWalk {
protected:
    explicit PairWalk(Heap& heap) : heap_(heap) {}

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
        std::size_t next = 0;
        std::size_t end = 0;
        int tail = 0; ///< the answer when no part differs
    };

    void push_vectors(const Value& a, const Value& b) {
        const std::size_t n = vector_length(a), m = vector_length(b);
        levels_.push_back({Side{&a}, Side{&b}, 0, std::min(n, m), n < m ? -1 : n > m});
    }

    /// `enter(x, y)` compares two leaves, or pushes a level for two collections and gives 0. Gives `refused` when the
    /// meter does not allow another step: parts may be shared so often that only fuel ends this.
    template <class Enter> int run(const Value& a, const Value& b, int refused, Enter enter) {
        if (int difference = enter(a, b)) return difference;
        while (!levels_.empty()) {
            Level& level = levels_.back();
            if (level.next == level.end) {
                const int tail = level.tail;
                levels_.pop_back();
                if (tail) return tail;
                continue;
            }
            const std::size_t i = level.next++;
            if (!heap_.meter.charge(1)) return refused;
            Value left, right;
            if (int difference = enter(level.left.at(i, left), level.right.at(i, right))) return difference;
        }
        return 0;
    }

    Heap& heap_;
    std::vector<Level> levels_;
};

} // namespace ptc
