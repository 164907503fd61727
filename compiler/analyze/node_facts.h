// What a node may give, and what evaluating it may do besides: as far as it is seen in the tree, by one short walk.
#pragma once
#include "compiler/language/tree.h"
#include "runtime/kinds.h"
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptc {

/// What evaluating a node may do besides giving a value, the least first. Running out of fuel or memory is not counted:
/// that depends on how much work is done, and not on its order.
enum class NodeWork : std::uint8_t {
    None,
    Fails, ///< it may end in an error
    Acts,  ///< it may do or see what others see or do: prints, tools, atoms, calls of what is not known
};

/// One question about a part of the tree. What is found of variables is kept while it lives, so that parts may be asked
/// about in their order. Looks at a bounded number of nodes; what is behind them may be and do anything.
class NodeFacts {
public:
    /// What the variable is bound to, where the node that binds it is not part of what is asked about. Of one that an
    /// Assign gives other values nothing is known by that.
    void note(const Local* local, Kinds kinds) { known_.emplace_back(local, local->varies ? kinds::kAny : kinds); }
    /// What is known of the item of a Fold, and of its position where it counts.
    void note_walk(const Node& fold);
    /// The kinds of what the node gives, if it gives anything.
    Kinds kinds(const Node& node);
    NodeWork work(const Node& node);
    /// The kinds of the variable that a loop begins with `first`, and that `body` gives its next value.
    Kinds kinds_of_accumulator(const Local* accumulator, Kinds first, const Node& body);

private:
    Kinds kinds_of_local(const Local* local) const;
    /// Whether a call of it looks into a collection: (v i) in a function that counts v, too.
    bool is_lookup(const Node& callee) const;
    /// Notes those that evaluating the node tells, whichever way it goes.
    void note_collections(const Node& node);
    /// Of the items of what the node gives, where something goes through them.
    Kinds kinds_of_items(const Node& coll);
    Kinds kinds_of_range(const Node& call);
    bool all_are(const Node& call, Kinds wanted);
    Kinds kinds_of_call(const Node& call);
    Kinds kinds_of_fold(const Node& fold);
    NodeWork work_of_parts(const Node& node);
    NodeWork work_of_builtin(const Node& call);
    NodeWork work_of_function(const Node& call);
    NodeWork work_of_fold(const Node& fold);
    NodeWork unless(bool is_safe) { return is_safe ? NodeWork::None : NodeWork::Fails; }

    static constexpr int kMostNodes = 400;
    static constexpr int kMostCalls = 4; ///< of functions within functions
    std::vector<std::pair<const Local*, Kinds>> known_;
    std::vector<const Local*> collections_; ///< variables that would be errors elsewhere, were they functions
    std::vector<std::pair<const Local*, const Local*>> aliases_; ///< and the names of a Let that have their values
    int left_ = kMostNodes;
    int calls_ = 0;
};

} // namespace ptc
