// Assocs that are the last use of their map, and how their arguments use it (dead_fields.h).
#include "compiler/dead_fields.h"
#include "compiler/operations.h"
#include "frontend/work.h"
#include "runtime/builtin.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMostPairs = 8; ///< of an assoc that is looked at: the bits of Node::forgets
constexpr int kMostNodes = 500;       ///< in its arguments

bool is_keyword(const Node& n) {
    return n.kind == NodeKind::Constant && reinterpret_cast<const Value&>(n.constant).is_keyword();
}

struct FieldRead {
    const Local* map = nullptr;
    Bits key = 0;
    Node* node = nullptr;
};

/// (:key map), (get map :key), or what a pattern {:keys [key]} takes, of a variable.
std::optional<FieldRead> field_read(Node& n) {
    const bool is_get = n.kind == NodeKind::CallBuiltin && n.children.size() == 2 && is_keyword(*n.children[1]) &&
                        builtin_at(n.index).instruction == Instruction::Get;
    const bool is_access = (n.kind == NodeKind::KeywordCall || n.kind == NodeKind::Field) && n.children.size() == 1 &&
                           reinterpret_cast<const Value&>(n.constant).is_keyword();
    if ((!is_get && !is_access) || n.children[0]->kind != NodeKind::LocalRef || n.children[0]->local->by_use)
        return std::nullopt;
    return FieldRead{n.children[0]->local, is_get ? n.children[1]->constant : n.constant, &n};
}

bool same_key(Bits a, Bits b) {
    return a == b || text_of(reinterpret_cast<const Value&>(a)) == text_of(reinterpret_cast<const Value&>(b));
}

/// How the arguments of an assoc use its map.
class Uses {
public:
    explicit Uses(const Local* map) : map_(map) {}

    /// False when it is used otherwise than to read a field, once.
    bool look(Node& n, bool is_repeated = false) {
        if (--left_ < 0 || !work::charge(1)) return false;
        if (n.kind == NodeKind::LocalRef) {
            if (n.last_use) dying.push_back(n.local);
            return n.local != map_;
        }
        if (n.kind == NodeKind::Fn) return !captures(*n.function);
        if (const std::optional<FieldRead> read = field_read(n); read && read->map == map_) {
            reads.push_back(*read);
            return !is_repeated;
        }
        const bool repeats = is_repeated || n.kind == NodeKind::Loop || n.kind == NodeKind::Fold;
        return std::ranges::all_of(n.children, [&](Node* child) { return look(*child, repeats); });
    }

    std::vector<FieldRead> reads;
    std::vector<const Local*> dying; ///< variables that are used for the last time in them

private:
    [[nodiscard]] bool captures(const Function& function) const {
        for (const Function* f : {&function, static_cast<const Function*>(function.family)}) {
            if (f && std::ranges::find(f->captured_from, map_) != f->captured_from.end()) return true;
        }
        return false;
    }

    const Local* map_;
    int left_ = kMostNodes;
};

class Pass {
public:
    void visit(Node& n) {
        if (!work::charge(1)) return;
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            visit(*n.children[i]);
            if (n.kind != NodeKind::Let || i >= n.locals.size()) continue;
            if (const std::optional<FieldRead> read = field_read(*n.children[i])) bound_[n.locals[i]] = *read;
        }
        if (is_last_assoc(n)) mark(n);
    }

private:
    /// (assoc map :key value ..), the last use of the map.
    static bool is_last_assoc(const Node& n) {
        if (n.kind != NodeKind::CallBuiltin || builtin_at(n.index).instruction != Instruction::Assoc ||
            n.children.size() < 3 || n.children.size() > 2 * kMostPairs + 1)
            return false;
        const Node& map = *n.children[0];
        if (map.kind != NodeKind::LocalRef || !map.last_use || map.local->by_use) return false;
        for (std::size_t i = 1; i < n.children.size(); i += 2) {
            if (!is_keyword(*n.children[i])) return false;
        }
        return true;
    }

    void mark(Node& n) {
        const Local* const map = n.children[0]->local;
        Uses uses(map);
        for (std::size_t i = 2; i < n.children.size(); i += 2) {
            if (!uses.look(*n.children[i])) return;
        }
        for (std::size_t i = 1; i < n.children.size(); i += 2) {
            const Bits key = n.children[i]->constant;
            const auto is_of_key = [&](const FieldRead& read) { return same_key(read.key, key); };
            const auto count = std::ranges::count_if(uses.reads, is_of_key);
            if (count == 1) std::ranges::find_if(uses.reads, is_of_key)->node->forgets = 1;
            const bool is_held = std::ranges::any_of(uses.dying, [&](const Local* local) {
                const auto bound = bound_.find(local);
                return bound != bound_.end() && bound->second.map == map && is_of_key(bound->second);
            });
            if (count == 0 && is_held) n.forgets |= static_cast<std::uint8_t>(1u << (i / 2));
        }
    }

    std::unordered_map<const Local*, FieldRead> bound_;
};

} // namespace

void find_dead_fields(Function& function) { Pass().visit(*function.body); }

} // namespace ptc
