// A Fold is over two vectors when its body is (if (< position n) step (break% accumulator)), n is the count of another
// variable, and the step uses the position once more: as the index of an nth of that variable.
#include "compiler/zipped_items.h"
#include "runtime/builtin.h"
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptc {
namespace {

bool calls(const Node& n, std::string_view name, std::size_t arguments) {
    return n.kind == NodeKind::CallBuiltin && n.children.size() == arguments && name == builtin_at(n.index).name;
}

bool is(const Node& n, const Local* local) { return n.kind == NodeKind::LocalRef && n.local == local; }

/// The one place in `n` where an nth has `position` for its index; null where what runs more than once, or later, is on
/// the way to it.
Node* nth_at(Node& n, const Local* position) {
    if (n.kind == NodeKind::Loop || n.kind == NodeKind::Fold || n.kind == NodeKind::Fn || n.kind == NodeKind::Try)
        return nullptr;
    if (calls(n, "nth", 2) && is(*n.children[1], position)) return &n;
    for (Node* child : n.children) {
        if (Node* const found = child ? nth_at(*child, position) : nullptr) return found;
    }
    return nullptr;
}

class ZippedItems {
public:
    explicit ZippedItems(Arena& arena) : arena_(arena) {}

    void run(Node& body) {
        visit(body);
        for (const auto& [length, count] : unread_)
            take_out(*count.let, length);
    }

private:
    /// Of what a variable is the count, and where it is bound.
    struct Count {
        Local* vector = nullptr;
        Node* let = nullptr;
    };

    void visit(Node& n) {
        if (n.kind == NodeKind::Let) {
            for (std::size_t i = 0; i < n.locals.size(); ++i) {
                if (calls(*n.children[i], "count", 1) && n.children[i]->children[0]->kind == NodeKind::LocalRef)
                    counts_[n.locals[i]] = {n.children[i]->children[0]->local, &n};
            }
        }
        if (n.kind == NodeKind::Fold) zip(n);
        for (Node* child : n.children) {
            if (child) visit(*child);
        }
    }

    void zip(Node& fold) {
        if (fold.locals.size() != 3 || fold.locals[2]->uses != 2 || fold.target) return;
        Local* const position = fold.locals[2];
        const Node& test = *fold.children[2];
        if (test.kind != NodeKind::If || !calls(*test.children[0], "<", 2)) return;
        const std::span<Node* const> compared = test.children[0]->children;
        const Node& otherwise = *test.children[2];
        const bool ends = otherwise.kind == NodeKind::Break && otherwise.target == &fold &&
                          is(*otherwise.children[0], fold.locals[0]);
        if (!ends || !is(*compared[0], position) || compared[1]->kind != NodeKind::LocalRef) return;
        Local* const length = compared[1]->local;
        const auto count = counts_.find(length);
        Node* const nth = nth_at(*test.children[1], position);
        if (!nth || count == counts_.end() || !is(*nth->children[0], count->second.vector)) return;
        if (length->varies || count->second.vector->varies) return;
        join(fold, *nth);
        if (--length->uses == 0) unread_.emplace_back(length, count->second);
    }

    /// The position's variable becomes that of the second item.
    void join(Node& fold, Node& nth) {
        Node& test = *fold.children[2];
        Local* const item = fold.locals[2];
        --fold.locals[0]->uses;
        item->uses = 1;
        auto* children = static_cast<Node**>(arena_.allocate(4 * sizeof(Node*), alignof(Node*)));
        Node* const parts[] = {fold.children[0], fold.children[1], test.children[1], nth.children[0]};
        fold.children = {children, std::ranges::copy(parts, children).out};
        nth.kind = NodeKind::LocalRef;
        nth.local = item;
        nth.children = {};
    }

    /// The binding of a count that nobody reads.
    static void take_out(Node& let, const Local* length) {
        const auto at = static_cast<std::size_t>(std::ranges::find(let.locals, length) - let.locals.begin());
        --let.children[at]->children[0]->local->uses;
        std::ranges::copy(let.locals.subspan(at + 1), let.locals.begin() + static_cast<std::ptrdiff_t>(at));
        std::ranges::copy(let.children.subspan(at + 1), let.children.begin() + static_cast<std::ptrdiff_t>(at));
        let.locals = let.locals.first(let.locals.size() - 1);
        let.children = let.children.first(let.children.size() - 1);
    }

    Arena& arena_;
    std::unordered_map<const Local*, Count> counts_;
    std::vector<std::pair<const Local*, Count>> unread_; ///< counts that nobody asks for any longer
};

} // namespace

void find_zipped_items(Function& function, Arena& arena) { ZippedItems(arena).run(*function.body); }

} // namespace ptc
