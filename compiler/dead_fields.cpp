// Assocs that are the last use of their map, and how their arguments use it (dead_fields.h).
#include "compiler/dead_fields.h"
#include "compiler/field_keys.h"
#include "compiler/last_use.h"
#include "compiler/operations.h"
#include "frontend/work.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMostPairs = 8; ///< of an assoc that is looked at: the bits of Node::forgets
constexpr int kMostNodes = 500;       ///< in its arguments

struct FieldRead {
    const Local* map = nullptr;
    Bits key = 0;
    Node* node = nullptr;
    const Local* at = nullptr; ///< instead of a key that is written there: a variable
};

bool is_variable(const Node& n) { return n.kind == NodeKind::LocalRef && !n.local->by_use && !n.local->varies; }

/// (get coll i), (get coll i default), (nth coll i) or (coll i), of variables.
std::optional<FieldRead> item_read(Node& n) {
    const std::size_t count = n.children.size();
    const bool is_get =
        is_call_of(n, Instruction::Get) && (count == 2 || (count == 3 && n.children[2]->kind == NodeKind::Constant));
    const bool is_nth = is_call_of(n, Instruction::Nth) && count == 2;
    const bool is_call = n.kind == NodeKind::Invoke && count == 2;
    if (!is_get && !is_nth && !is_call) return std::nullopt;
    const Node &map = *n.children[0], &at = *n.children[1];
    if (map.kind != NodeKind::LocalRef || map.local->by_use || !is_variable(at)) return std::nullopt;
    return FieldRead{map.local, 0, &n, at.local};
}

/// (:key map), (get map :key), or what a pattern {:keys [key]} takes, of a variable; or as item_read.
std::optional<FieldRead> field_read(Node& n) {
    const std::optional<Bits> key = key_of_access(n);
    if (!key) return item_read(n);
    if (n.children[0]->kind != NodeKind::LocalRef || n.children[0]->local->by_use) return std::nullopt;
    return FieldRead{n.children[0]->local, *key, &n};
}

/// How the arguments of an assoc use its map.
class Uses {
public:
    explicit Uses(const Local* map) : map_(map) {}

    /// False when it is used otherwise than to read a field, once.
    bool look(Node& n, bool is_repeated = false) {
        if (--left_ < 0 || !work::charge(1)) return false;
        if (n.kind == NodeKind::LocalRef) return n.local != map_;
        if (n.kind == NodeKind::Fn) return !captures(*n.function);
        if (const std::optional<FieldRead> read = field_read(n); read && read->map == map_) {
            reads.push_back(*read);
            return !is_repeated && read->at != map_;
        }
        const bool repeats = is_repeated || n.kind == NodeKind::Loop || n.kind == NodeKind::Fold;
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            Node& child = *n.children[i];
            if (child.kind == NodeKind::LocalRef && child.last_use && may_change_operand(n, i))
                changed.push_back(child.local);
            if (!look(child, repeats)) return false;
        }
        return true;
    }

    std::vector<FieldRead> reads;
    std::vector<const Local*> changed; ///< variables that die in them, and may be changed there

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
            if (n.kind != NodeKind::Let || i >= n.locals.size() || n.locals[i]->varies) continue;
            const Node& value = *n.children[i];
            if (const std::optional<FieldRead> read = field_read(*n.children[i])) bound_[n.locals[i]] = *read;
            const bool is_name = value.kind == NodeKind::LocalRef && value.last_use && !value.local->by_use;
            if (is_name || is_last_assoc(value) || is_last_update(value)) became_[n.locals[i]] = &value;
        }
        if (is_assoc(n)) {
            if (is_last_assoc(n)) mark(n);
            if (is_last_put(n)) mark_put(n);
        }
        reads_on = reads_on || reads_what_lives_on(n);
    }

    bool reads_on = false; ///< a field of a map is read that is needed behind that

private:
    static bool reads_what_lives_on(const Node& n) {
        const bool is_access =
            n.kind == NodeKind::Field || n.kind == NodeKind::KeywordCall || is_call_of(n, Instruction::Get);
        return is_access && n.children[0]->kind == NodeKind::LocalRef && !n.children[0]->last_use;
    }
    static bool is_assoc(const Node& n) { return is_call_of(n, Instruction::Assoc); }

    /// (assoc map :key value ..), the last use of the map.
    static bool is_last_assoc(const Node& n) {
        if (!is_assoc(n) || n.children.size() < 3 || n.children.size() > 2 * kMostPairs + 1) return false;
        const Node& map = *n.children[0];
        if (map.kind != NodeKind::LocalRef || !map.last_use || map.local->by_use) return false;
        for (std::size_t i = 1; i < n.children.size(); i += 2) {
            if (!is_text_key(*n.children[i])) return false;
        }
        return true;
    }

    /// (assoc coll i value) of variables, the last use of the collection.
    static bool is_last_put(const Node& n) {
        if (!is_assoc(n) || n.children.size() != 3) return false;
        const Node& coll = *n.children[0];
        return coll.kind == NodeKind::LocalRef && coll.last_use && !coll.local->by_use && is_variable(*n.children[1]) &&
               coll.local != n.children[1]->local;
    }

    /// Other reads may be at the same place: there is only the one, or none behind what was read before.
    void mark_put(Node& n) {
        const Local *const coll = n.children[0]->local, *const at = n.children[1]->local;
        Uses uses(coll);
        if (!uses.look(*n.children[2]) || uses.reads.size() > 1) return;
        if (uses.reads.size() == 1) {
            if (uses.reads.front().at == at) uses.reads.front().node->forgets = 1;
            return;
        }
        const bool is_held = std::ranges::any_of(uses.changed, [&](const Local* local) {
            const auto bound = bound_.find(local);
            return bound != bound_.end() && bound->second.map == coll && bound->second.at == at;
        });
        if (is_held) n.forgets = 1;
    }

    /// (update map :key f ..), the last use of the map.
    static bool is_last_update(const Node& n) {
        if (n.kind != NodeKind::Update || !is_text_key(*n.children[1])) return false;
        const Node& map = *n.children[0];
        return map.kind == NodeKind::LocalRef && map.last_use && !map.local->by_use;
    }

    /// Whether the local was read at this key of `map`, or of what `map` was before other keys were changed.
    [[nodiscard]] bool holds(const Local* map, Bits key, const Local* local) const {
        const auto bound = bound_.find(local);
        if (bound == bound_.end() || bound->second.at || !is_one_key(bound->second.key, key)) return false;
        for (int left = kMostChanges; left > 0 && map != bound->second.map; --left) {
            const auto before = became_.find(map);
            if (before == became_.end() || changes(*before->second, key)) return false;
            const Node& value = *before->second;
            map = value.kind == NodeKind::LocalRef ? value.local : value.children[0]->local;
        }
        return map == bound->second.map;
    }
    static bool changes(const Node& n, Bits key) {
        const std::size_t end = n.kind == NodeKind::Update ? 2 : n.children.size();
        for (std::size_t i = 1; i < end; i += 2) {
            if (may_be_one_key(n.children[i]->constant, key)) return true;
        }
        return false;
    }

    void mark(Node& n) {
        const Local* const map = n.children[0]->local;
        Uses uses(map);
        for (std::size_t i = 2; i < n.children.size(); i += 2) {
            if (!uses.look(*n.children[i])) return;
        }
        if (std::ranges::any_of(uses.reads, [](const FieldRead& read) { return read.at != nullptr; })) return;
        for (std::size_t i = 1; i < n.children.size(); i += 2) {
            const Bits key = n.children[i]->constant;
            const auto is_of_key = [&](const FieldRead& read) { return may_be_one_key(read.key, key); };
            const auto count = std::ranges::count_if(uses.reads, is_of_key);
            if (const auto read = std::ranges::find_if(uses.reads, is_of_key); count == 1 && is_one_key(read->key, key))
                read->node->forgets = 1;
            const bool is_held =
                std::ranges::any_of(uses.changed, [&](const Local* local) { return holds(map, key, local); });
            if (count == 0 && is_held) n.forgets |= static_cast<std::uint8_t>(1u << (i / 2));
        }
    }

    static constexpr int kMostChanges = 8; ///< of a map, one after the other, that are looked through
    std::unordered_map<const Local*, FieldRead> bound_;
    std::unordered_map<const Local*, const Node*> became_; ///< what maps were made of: an assoc, an update, a name
};

} // namespace

bool find_dead_fields(Function& function) {
    Pass pass;
    pass.visit(*function.body);
    return pass.reads_on;
}

} // namespace ptc
