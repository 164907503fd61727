// The last-use pass: decides where each value's ownership ends, so that the emitter can move instead of copy and
// release exactly once. Nothing is counted at run time that is known here.
#pragma once
#include "compiler/language/tree.h"

namespace ptc {

/// Locals to release at the places that a node has.
struct Drops {
    /// If: at the start of `then`. Fold: when the collection is exhausted. Assign: behind it.
    std::vector<Local*> first;
    std::vector<Local*> second; ///< If: at the start of `else`. DefOnce: when the name is bound
    /// And, Or: when child i decides. What dies there beyond what dies at the next exit, which drops the rest: all of
    /// them together are as many as there are locals. Else all that dies there.
    struct Exit {
        std::vector<Local*> locals;
        bool goes_on = true; ///< to the next exit; behind the last one nothing is dropped
    };
    std::vector<Exit> exits;
    // Recur, Assign: in which order the new values are computed, and how each gets to its variable: by the instruction
    // that computes it, as soon as it is there, or when all are there.
    enum class Write : std::uint8_t { Direct, AtOnce, Late };
    std::vector<std::uint32_t> order;
    std::vector<Write> writes;
};

/// Children that are plain locals are read when the node itself runs, after its other children were evaluated, of which
/// those that are late come last; the emitter does the same. `owner` keeps the Drops. False when there are so many of
/// them that the function is too long.
bool find_last_uses(Function& function, std::deque<Drops>& owner);

/// Whether the emitter makes one instruction of `node` that reads its operands before it writes its result, and whose
/// operands are locals and constants only.
bool is_simple_operation(const Node& node);

/// Whether operand `i` of `n` may be edited in place by it, or go by another name from there on.
bool may_edit_operand(const Node& n, std::size_t i);
/// The same of a known function, which is looked into.
bool may_change_operand(const Node& n, std::size_t i);
/// Whether a part of the tree may edit what the local holds. Looks at `left` nodes at most; what is behind them may.
bool may_edit(const Node& n, const Local* local, int& left);

} // namespace ptc
