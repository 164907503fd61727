// Loops whose accumulator is a vector that each round takes apart and makes anew.
//
//     Fold [acc [0 0]  x xs  (let [a (elem acc 0) b (elem acc 1)] (if (> x a) [x a] acc))]
//  => Let [a 0 b 0] (do Fold [_ nil  x xs  (if (> x a) (do (assign [a b] x a) nil) nil)]
//                       [a b])
//
// The vector is made once, behind the loop. It is the same to the program: a round that fails gives nothing, and nobody
// sees the variables but the loop. They get new values where a round ends, so what else a round calls the items are
// names for the variables: but for variables of a loop inside, which begin with an item and go on with other values.
#include "compiler/analyze/split_accumulators.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/fusion.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include "runtime/vector.h"
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMostItems = 8; ///< each has a register as long as the loop runs

/// How many items the vector has that `node` makes; 0 when that cannot be seen.
std::size_t item_count(const Node& node) {
    return is_vector_constant(node) ? vector_length(Value::adopt(node.constant)) : written_parts(node).size();
}

/// The item that a call reads of the vector that is its first argument; nothing for other calls.
std::optional<std::size_t> item_read(const Node& node) {
    if (node.kind == NodeKind::Elem) return node.index;
    if (node.kind != NodeKind::CallBuiltin) return std::nullopt;
    const std::string_view name = builtin_at(node.index).name;
    if (node.children.size() == 1) {
        if (name == "first") return 0;
        if (name == "second") return 1;
        return std::nullopt;
    }
    if (node.children.size() != 2 || (name != "nth" && name != "get")) return std::nullopt;
    if (node.children[1]->kind != NodeKind::Constant) return std::nullopt;
    const Value index = Value::adopt(node.children[1]->constant);
    if (!index.is_small_integer() || index.small_integer() < 0) return std::nullopt;
    return static_cast<std::size_t>(index.small_integer());
}

/// All that a Fold's body does with its accumulator.
class Rounds {
public:
    explicit Rounds(Node& fold) : fold_(fold), accumulator_(fold.locals[0]), items_(item_count(*fold.children[0])) {}

    /// Whether the vector may be left out, and is made in some round.
    bool can_split() {
        if (items_ == 0 || items_ > kMostItems || !ends_round(*fold_.children[2])) return false;
        return makes_vector_ && reads.size() + kept_ == accumulator_->uses;
    }

    std::vector<Node*> reads; ///< of an item
    std::vector<Node*> ends;  ///< what gives the next accumulator: a vector, or this one as it is

private:
    [[nodiscard]] bool is_accumulator(const Node& node) const {
        return node.kind == NodeKind::LocalRef && node.local == accumulator_;
    }

    /// Whether what is evaluated on the way is no end of a round, or one in a Break, and takes only items.
    bool goes_on(std::span<Node*> nodes) {
        return std::ranges::all_of(nodes, [&](Node* node) { return goes_on(*node); });
    }
    bool goes_on(Node& node) {
        if (!work::charge(1)) return false;
        if (node.kind == NodeKind::Break && node.target == &fold_) return ends_round(*node.children[0]);
        if (!node.children.empty() && is_accumulator(*node.children[0])) {
            if (const auto item = item_read(node); item && *item < items_) {
                reads.push_back(&node);
                return true;
            }
        }
        return goes_on(node.children); // a use of another kind is not among those that are counted
    }

    /// Whether the node gives the next accumulator.
    bool ends_round(Node& node) {
        if (!work::charge(1)) return false;
        if (is_accumulator(node)) {
            ++kept_;
            ends.push_back(&node);
            return true;
        }
        if (item_count(node) == items_) {
            makes_vector_ = true;
            ends.push_back(&node);
            return goes_on(node.children);
        }
        switch (node.kind) {
        case NodeKind::If:
            return goes_on(*node.children[0]) && ends_round(*node.children[1]) && ends_round(*node.children[2]);
        case NodeKind::Let:
        case NodeKind::Do:
        case NodeKind::Loop:
            return goes_on(node.children.first(node.children.size() - 1)) && ends_round(*node.children.back());
        case NodeKind::Break: return goes_on(node);
        case NodeKind::Recur:
        case NodeKind::Throw:
        case NodeKind::Fail:
        case NodeKind::Return: return goes_on(node.children);
        default: return false;
        }
    }

    Node& fold_;
    const Local* const accumulator_;
    const std::size_t items_;
    std::size_t kept_ = 0; ///< ends that give it as it is
    bool makes_vector_ = false;
};

class Splitting {
public:
    Splitting(Analyzer& a, Node& fold) : a_(a), fold_(fold) {}

    Node* split(const Rounds& rounds) {
        const Tail tail = fold_.tail ? kFunctionTail : kValue;
        fold_.tail = false;
        Let let(a_.nodes);
        for (Node* first : items_of(*fold_.children[0])) {
            Local* const item = let.temporary(first);
            item->varies = true;
            items_.push_back(item);
        }
        for (Node* read : rounds.reads)
            read_variable(*read);
        use_names(fold_.children[2]);
        for (Node* end : rounds.ends)
            end_round(*end);
        fold_.children[0] = a_.nodes.nil(fold_.span);
        Node* made = a_.nodes.make(NodeKind::Vector, fold_.span, tail);
        NodeList children(a_.nodes);
        for (Local* item : items_)
            children.add(a_.nodes.reference(item, fold_.span));
        made->children = children.take();
        return let.finish(a_.nodes.make(NodeKind::Do, fold_.span, tail, {&fold_, made}), fold_.span, tail);
    }

private:
    std::vector<Node*> items_of(const Node& made) {
        if (made.kind != NodeKind::Constant) return {made.children.begin(), made.children.end()};
        const Value vector = Value::adopt(made.constant);
        std::vector<Node*> items;
        for (std::size_t i = 0; i < vector_length(vector); ++i)
            items.push_back(a_.nodes.literal(vector_get(vector, i).raw(), made.span, kValue));
        return items;
    }

    void read_variable(Node& read) {
        Local* const item = items_[*item_read(read)];
        a_.nodes.discard(&read);
        read.kind = NodeKind::LocalRef;
        read.children = {};
        read.local = item;
        ++item->uses;
    }

    /// Names for items, of patterns above all, are those of the variables.
    void use_names(Node*& place) {
        Node& node = *place;
        if (!work::charge(1)) return;
        for (Node*& child : node.children)
            use_names(child);
        if (node.kind != NodeKind::Let) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < node.locals.size(); ++i) {
            Node* const value = node.children[i];
            Local* const name = node.locals[i];
            const bool is_item =
                value->kind == NodeKind::LocalRef && std::ranges::find(items_, value->local) != items_.end();
            if (is_item && !name->varies) {
                if (value->local->name.empty()) value->local->name = name->name;
                for (std::size_t later = i + 1; later < node.children.size(); ++later)
                    a_.nodes.rename(*node.children[later], name, value->local);
                a_.nodes.discard(value);
                continue;
            }
            node.locals[kept] = name;
            node.children[kept++] = value;
        }
        if (kept == 0) {
            place = node.children.back();
            return;
        }
        node.children[kept] = node.children.back();
        node.locals = node.locals.first(kept);
        node.children = node.children.first(kept + 1);
    }

    /// In place of the vector: the variables get its items, and the loop's own accumulator stays nil.
    void end_round(Node& end) {
        Node* nil = a_.nodes.nil(end.span);
        if (end.kind == NodeKind::LocalRef) {
            a_.nodes.discard(&end);
            end = *nil;
            return;
        }
        std::vector<Node*> values;
        std::vector<Local*> assigned;
        const std::vector<Node*> items = items_of(end);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i]->kind == NodeKind::LocalRef && items[i]->local == items_[i]) {
                a_.nodes.discard(items[i]);
                continue;
            }
            values.push_back(items[i]);
            assigned.push_back(items_[i]);
        }
        if (values.empty()) {
            end = *nil;
            return;
        }
        Node* assign = a_.nodes.assign(assigned, values, end.span);
        end = *a_.nodes.make(NodeKind::Do, end.span, kValue, {assign, nil});
    }

    Analyzer& a_;
    Node& fold_;
    std::vector<Local*> items_;
};

/// A Fold through one collection that begins with a value.
bool is_plain_fold(const Node& node) {
    return node.kind == NodeKind::Fold && node.children.size() == 3 && node.index == 0 && !node.target;
}

} // namespace

Node* split_accumulator(Analyzer& a, Node* whole) {
    if (!a.environment.fuse || a.reports.stopped()) return whole;
    Node** place = &whole;
    while ((*place)->kind == NodeKind::Let)
        place = &(*place)->children.back();
    Node& fold = **place;
    if (!is_plain_fold(fold)) return whole;
    Rounds rounds(fold);
    if (rounds.can_split()) *place = Splitting(a, fold).split(rounds);
    return whole;
}

} // namespace ptc
