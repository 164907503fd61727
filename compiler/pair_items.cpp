// A Fold is by pairs when its item is used by Elems 0 and 1 alone, each the value of one binding of one Let, and when
// the first of them is the first that its body evaluates: an item that cannot be taken apart is an error there, and so
// it may be one where the item is fetched.
#include "compiler/pair_items.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

/// Evaluating it can neither fail nor be seen.
bool is_silent(const Node& n) {
    return n.kind == NodeKind::Constant || n.kind == NodeKind::LocalRef || n.kind == NodeKind::Fn;
}

/// The node in `n` that is evaluated first and may be seen to be: an operand, a binding's value, a test. Null: `n` is
/// evaluated as a whole.
Node* first_part(Node& n) {
    switch (n.kind) {
    case NodeKind::Loop: // its body runs again
    case NodeKind::Fold:
    case NodeKind::Try:
    case NodeKind::DefOnce: return nullptr;
    case NodeKind::If:
    case NodeKind::And:
    case NodeKind::Or: return is_silent(*n.children[0]) ? nullptr : n.children[0];
    default: break;
    }
    const auto part = std::ranges::find_if(n.children, [](const Node* child) { return child && !is_silent(*child); });
    return part == n.children.end() ? nullptr : *part;
}

class PairItems {
public:
    explicit PairItems(Arena& arena) : arena_(arena) {}

    void visit(Node& n) {
        if (n.kind == NodeKind::Fold && !is_iterated(n)) split(n);
        for (Node* child : n.children) {
            if (child) visit(*child);
        }
    }

private:
    /// Which part of `item` a binding's value is, 0 or 1; -1: something else.
    static int part_of(const Node& value, const Local* item) {
        const bool is_part = value.kind == NodeKind::Elem && value.index < 2 &&
                             value.children[0]->kind == NodeKind::LocalRef && value.children[0]->local == item;
        return is_part ? static_cast<int>(value.index) : -1;
    }

    /// The Let whose first value is a part of `item` and the first that `body` evaluates; null: there is none.
    static Node* first_let(Node& body, const Local* item) {
        for (Node* n = &body; n; n = first_part(*n)) {
            if (n->kind == NodeKind::Let && !n->locals.empty() && part_of(*n->children[0], item) >= 0) return n;
        }
        return nullptr;
    }

    void split(Node& fold) {
        Local* const item = fold.locals[1];
        if (item->uses == 0 || item->uses > 2) return;
        Node* const let = first_let(*fold.children[2], item);
        if (!let) return;
        std::array<Local*, 2> parts{};
        for (std::size_t i = 0; i < let->locals.size(); ++i) {
            const int part = part_of(*let->children[i], item);
            if (part >= 0 && !parts[static_cast<std::size_t>(part)])
                parts[static_cast<std::size_t>(part)] = let->locals[i];
        }
        if (std::ranges::count(parts, nullptr) != 2 - static_cast<std::ptrdiff_t>(item->uses)) return;
        fold.target = let->children[0];
        take_out(*let, parts);
        bind(fold, parts);
    }

    /// The bindings of `let` but those of `parts`.
    static void take_out(Node& let, const std::array<Local*, 2>& parts) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < let.locals.size(); ++i) {
            if (std::ranges::find(parts, let.locals[i]) != parts.end()) continue;
            let.locals[kept] = let.locals[i];
            let.children[kept++] = let.children[i];
        }
        let.children[kept] = let.children.back();
        let.children = let.children.first(kept + 1);
        let.locals = let.locals.first(kept);
    }

    /// The fold's variables: accumulator, key, the position if it has one, value. Nobody reads the item any longer, so
    /// it stands for a part that is not wanted.
    void bind(Node& fold, const std::array<Local*, 2>& parts) {
        const std::size_t count = fold.locals.size() + 1;
        auto* locals = static_cast<Local**>(arena_.allocate(count * sizeof(Local*), alignof(Local*)));
        std::ranges::copy(fold.locals, locals);
        Local* const item = fold.locals[1];
        item->uses = 0;
        locals[1] = parts[0] ? parts[0] : item;
        locals[count - 1] = parts[1] ? parts[1] : item;
        fold.locals = {locals, count};
    }

    Arena& arena_;
};

} // namespace

void find_pair_items(Function& function, Arena& arena) { PairItems(arena).visit(*function.body); }

} // namespace ptc
