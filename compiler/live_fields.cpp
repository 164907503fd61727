// Backwards through a function, in the reverse of the order of evaluation (last_use.h), as the last-use pass goes; but
// what it keeps of each local is which of its fields the code behind still needs. A use that is not understood needs
// all of them. What a loop needs of a local from outside is not worked out: it needs all of it.
#include "compiler/live_fields.h"
#include "compiler/field_keys.h"
#include "compiler/last_use.h"
#include "frontend/work.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ptc {
namespace {

constexpr std::size_t kMostKeys = 16;   ///< that are told apart, of one map
constexpr std::size_t kMostLocals = 24; ///< whose fields are told apart, at a place

/// The fields of a value that are needed: some keys, or all but some.
class Fields {
public:
    static Fields none() { return {}; }
    static Fields all() {
        Fields made;
        made.is_complement_ = true;
        return made;
    }
    static Fields only(Bits key) {
        Fields made;
        made.keys_.push_back(key);
        return made;
    }

    [[nodiscard]] bool has(Bits key) const {
        return is_complement_ ? !lists(key)
                              : std::ranges::any_of(keys_, [key](Bits k) { return may_be_one_key(k, key); });
    }
    [[nodiscard]] bool is_empty() const { return !is_complement_ && keys_.empty(); }
    void add(Bits key) {
        if (is_complement_)
            std::erase_if(keys_, [key](Bits k) { return may_be_one_key(k, key); });
        else
            list(key);
    }
    /// In no map: what another spelling means in some stays needed.
    void remove(Bits key) {
        if (is_complement_)
            list(key);
        else
            std::erase_if(keys_, [key](Bits k) { return is_one_key(k, key); });
    }
    void add(const Fields& other) {
        if (!other.is_complement_) {
            for (const Bits key : other.keys_)
                add(key);
        } else if (is_complement_) {
            std::erase_if(keys_, [&](Bits key) { return !other.lists(key); });
        } else {
            std::vector<Bits> needed = std::exchange(keys_, other.keys_);
            is_complement_ = true;
            for (const Bits key : needed)
                add(key);
        }
    }

private:
    [[nodiscard]] bool lists(Bits key) const {
        return std::ranges::any_of(keys_, [key](Bits k) { return is_one_key(k, key); });
    }
    /// One that there is no room for counts as needed.
    void list(Bits key) {
        if (lists(key)) return;
        if (keys_.size() < kMostKeys)
            keys_.push_back(key);
        else if (!is_complement_)
            *this = all();
    }

    bool is_complement_ = false;
    std::vector<Bits> keys_;
};

/// What the code behind a place needs of each local; of one that is not in it, nothing.
class Needs {
public:
    [[nodiscard]] bool has(const Local* local, Bits key) const {
        const auto found = find(local);
        return is_unknown_ || (found != needs_.end() && found->second.has(key));
    }
    void add(const Local* local, const Fields& fields) {
        if (fields.is_empty()) return;
        if (const auto found = find(local); found != needs_.end())
            found->second.add(fields);
        else if (needs_.size() < kMostLocals)
            needs_.emplace_back(local, fields);
        else
            is_unknown_ = true;
    }
    void add(const Needs& other) {
        is_unknown_ = is_unknown_ || other.is_unknown_;
        for (const auto& [local, fields] : other.needs_)
            add(local, fields);
    }
    /// What is needed of a local that is bound here: no longer in front of it.
    Fields take(const Local* local) {
        const auto found = find(local);
        if (found == needs_.end()) return is_unknown_ ? Fields::all() : Fields::none();
        Fields fields = std::move(found->second);
        needs_.erase(found);
        return is_unknown_ ? Fields::all() : fields;
    }
    [[nodiscard]] std::size_t size() const { return needs_.size(); }

private:
    using Pairs = std::vector<std::pair<const Local*, Fields>>;
    [[nodiscard]] Pairs::const_iterator find(const Local* local) const {
        return std::ranges::find(needs_, local, &Pairs::value_type::first);
    }
    [[nodiscard]] Pairs::iterator find(const Local* local) {
        return std::ranges::find(needs_, local, &Pairs::value_type::first);
    }

    Pairs needs_;
    bool is_unknown_ = false; ///< there were too many
};

/// (assoc map :key value ..) with keys that are written there.
bool is_plain_assoc(const Node& n) {
    if (!is_call_of(n, Instruction::Assoc) || n.children.size() % 2 == 0) return false;
    for (std::size_t i = 1; i < n.children.size(); i += 2) {
        if (!is_text_key(*n.children[i])) return false;
    }
    return true;
}

/// Whether there may be something to take: a field of a map that lives on, whose value is changed. Most functions have
/// none, and are not gone through backwards.
class Candidates {
public:
    bool are_in(const Node& n, bool is_changed = false) {
        if (!work::charge(1)) return false;
        if (is_read(n)) return is_changed;
        for (std::size_t i = 0; i < n.children.size(); ++i) {
            const Node& child = *n.children[i];
            if (n.kind == NodeKind::Let && i < n.locals.size()) {
                if (is_read(child) || (child.kind == NodeKind::LocalRef && is_field(child.local)))
                    fields_.push_back(n.locals[i]);
                else if (are_in(child))
                    return true;
                continue;
            }
            const bool may_change = may_edit_operand(n, i);
            if (child.kind == NodeKind::LocalRef ? may_change && child.last_use && is_field(child.local)
                                                 : are_in(child, may_change))
                return true;
        }
        return false;
    }

private:
    static bool is_read(const Node& n) {
        return key_of_access(n) && n.children[0]->kind == NodeKind::LocalRef && !n.children[0]->last_use;
    }
    [[nodiscard]] bool is_field(const Local* local) const { return std::ranges::find(fields_, local) != fields_.end(); }

    std::vector<const Local*> fields_; ///< bound to the value of one
};

class LivePass {
public:
    void run(Function& function) {
        function_ = &function;
        Needs needs;
        visit(*function.body, needs, Fields::all());
    }

private:
    struct Target {
        const Node* node; ///< a Loop or Fold
        Needs around;     ///< when it goes round (Loop), or when it is left (Fold)
    };

    // `needed`: the fields of the node's value that are needed.

    void visit(Node& n, Needs& needs, const Fields& needed) {
        if (!work::charge(3 + needs.size() / 4)) return;
        switch (n.kind) {
        case NodeKind::Constant:
        case NodeKind::Global:
        case NodeKind::DataRef:
        case NodeKind::DataAll:
        case NodeKind::History: return;
        case NodeKind::LocalRef: return needs.add(n.local, needed);
        case NodeKind::If: return visit_if(n, needs, needed);
        case NodeKind::And:
        case NodeKind::Or: return visit_short_circuit(n, needs, needed);
        case NodeKind::Do: return visit_do(n, needs, needed);
        case NodeKind::Let: return visit_let(n, needs, needed);
        case NodeKind::Loop: return visit_loop(n, needs, needed);
        case NodeKind::Recur: return visit_recur(n, needs);
        case NodeKind::Fold: return visit_fold(n, needs);
        case NodeKind::Break: needs = target(n.target).around; return visit(*n.children[0], needs, Fields::all());
        case NodeKind::Assign:
            for (const Local* local : n.locals)
                (void)needs.take(local);
            return visit_new_values(n, needs);
        case NodeKind::Fn:
            for (const Local* local : n.function->captured_from)
                needs.add(local, Fields::all());
            return;
        case NodeKind::Try: return visit_try(n, needs, needed);
        case NodeKind::DefOnce: {
            const Needs behind = needs;
            visit(*n.children[0], needs, Fields::all());
            return needs.add(behind);
        }
        case NodeKind::Update: return visit_update(n, needs, needed);
        default: break;
        }
        if (const std::optional<Bits> key = key_of_access(n)) return visit_access(n, *key, needs);
        if (is_plain_assoc(n)) return visit_assoc(n, needs, needed);
        visit_operands(n, needs, Fields::all());
    }

    /// Operands in the order of evaluation: plain locals last, in front of them those that are late. `of_first`: what
    /// is needed of the first one.
    void visit_operands(Node& n, Needs& needs, const Fields& of_first) {
        const auto is_local = [](const Node* child) { return child->kind == NodeKind::LocalRef; };
        const auto needed_of = [&](std::size_t i) { return i == 0 ? of_first : Fields::all(); };
        for (std::size_t i = n.children.size(); i-- > 0;) {
            if (!is_local(n.children[i])) continue;
            if (n.children[i]->last_use && may_change_operand(n, i)) edited_.insert(n.children[i]->local);
            needs.add(n.children[i]->local, needed_of(i));
        }
        for (const bool late : {true, false}) {
            for (std::size_t i = n.children.size(); i-- > 0;) {
                Node& child = *n.children[i];
                if (is_local(&child) || child.is_late != late) continue;
                edited_operand_ = may_change_operand(n, i);
                visit(child, needs, needed_of(i));
            }
        }
        edited_operand_ = false;
    }

    void visit_access(Node& n, Bits key, Needs& needs) {
        const bool is_changed = std::exchange(edited_operand_, false);
        Node& map = *n.children[0];
        if (map.kind != NodeKind::LocalRef) return visit(map, needs, Fields::only(key));
        if (is_changed && !map.last_use && !map.local->by_use && !needs.has(map.local, key)) n.forgets = 1;
        needs.add(map.local, Fields::only(key));
    }

    void visit_assoc(Node& n, Needs& needs, Fields needed) {
        for (std::size_t i = 1; i < n.children.size(); i += 2)
            needed.remove(n.children[i]->constant);
        visit_operands(n, needs, needed);
    }

    void visit_update(Node& n, Needs& needs, Fields needed) {
        visit(*n.children[2], needs, Fields::all());
        (void)needs.take(n.locals[0]);
        if (is_text_key(*n.children[1]))
            needed.add(n.children[1]->constant);
        else
            needed = Fields::all();
        visit(*n.children[1], needs, Fields::all());
        visit(*n.children[0], needs, needed);
    }

    void visit_if(Node& n, Needs& needs, const Fields& needed) {
        Needs other = needs;
        visit(*n.children[1], needs, needed);
        visit(*n.children[2], other, needed);
        needs.add(other);
        visit(*n.children[0], needs, Fields::all());
    }

    void visit_short_circuit(Node& n, Needs& needs, const Fields& needed) {
        const Needs behind = needs;
        for (std::size_t i = n.children.size(); i-- > 0;) {
            if (i + 1 < n.children.size()) needs.add(behind);
            visit(*n.children[i], needs, needed);
        }
    }

    void visit_do(Node& n, Needs& needs, const Fields& needed) {
        for (std::size_t i = n.children.size(); i-- > 0;)
            visit(*n.children[i], needs, i + 1 == n.children.size() ? needed : Fields::none());
    }

    void visit_let(Node& n, Needs& needs, const Fields& needed) {
        visit(*n.children.back(), needs, needed);
        for (std::size_t i = n.locals.size(); i-- > 0;) {
            Node& value = *n.children[i];
            const Fields of_value = needs.take(n.locals[i]);
            const bool is_changed = edited_.contains(n.locals[i]);
            if (is_changed && value.kind == NodeKind::LocalRef) edited_.insert(value.local);
            edited_operand_ = is_changed;
            visit(value, needs, of_value);
            edited_operand_ = false;
        }
    }

    void visit_try(Node& n, Needs& needs, const Fields& needed) {
        Needs handler = needs;
        visit(*n.children[1], handler, needed);
        (void)handler.take(n.locals[0]);
        needs.add(handler);
        visit(*n.children[0], needs, Fields::all());
    }

    /// All of what a loop mentions, but its own variables, which are taken where they are bound.
    void add_mentioned(const Node& n, Needs& needs) const {
        if (!work::charge(1)) return;
        if (n.kind == NodeKind::LocalRef) return needs.add(n.local, Fields::all());
        if (n.kind == NodeKind::Fn) {
            for (const Local* local : n.function->captured_from)
                needs.add(local, Fields::all());
        }
        for (const Node* child : n.children)
            add_mentioned(*child, needs);
        if (!binds_locals(n)) return;
        for (const Local* local : n.locals)
            (void)needs.take(local);
    }

    void visit_loop(Node& n, Needs& needs, const Fields& needed) {
        Needs around = needs;
        add_mentioned(*n.children.back(), around);
        for (const Local* local : n.locals)
            (void)around.take(local);
        targets_.push_back({&n, around});
        visit(*n.children.back(), needs, needed);
        targets_.pop_back();
        needs.add(around);
        for (std::size_t i = n.locals.size(); i-- > 0;) {
            (void)needs.take(n.locals[i]);
            visit(*n.children[i], needs, Fields::all());
        }
    }

    void visit_recur(Node& n, Needs& needs) {
        needs = n.target ? target(n.target).around : Needs();
        if (!n.target) { // the function starts again: with other parameters
            for (const Local* capture : function_->captures)
                needs.add(capture, Fields::all());
        }
        visit_new_values(n, needs);
    }

    /// In the order in which the last-use pass has them computed, which need not be that of writing.
    void visit_new_values(Node& n, Needs& needs) {
        for (std::size_t i = n.children.size(); i-- > 0;)
            visit(*n.children[n.drops ? n.drops->order[i] : i], needs, Fields::all());
    }

    void visit_fold(Node& n, Needs& needs) {
        Needs around = needs;
        add_mentioned(*n.children[2], around);
        if (is_iterated(n)) add_mentioned(*n.children[3], around);
        for (const Local* local : n.locals)
            (void)around.take(local);
        targets_.push_back({&n, needs});
        needs = around;
        if (is_iterated(n)) visit(*n.children[3], needs, Fields::all());
        visit(*n.children[2], needs, Fields::all());
        targets_.pop_back();
        for (const Local* local : n.locals)
            (void)needs.take(local);
        needs.add(around);
        if (is_zipped(n)) visit(*n.children[3], needs, Fields::all());
        visit(*n.children[1], needs, Fields::all());
        visit(*n.children[0], needs, Fields::all());
    }

    const Target& target(const Node* node) const { return *std::ranges::find(targets_, node, &Target::node); }

    const Function* function_ = nullptr;
    std::vector<Target> targets_;
    std::unordered_set<const Local*> edited_; ///< those that may be changed where they die
    bool edited_operand_ = false;             ///< whether the value of the node that is visited next may be changed
};

} // namespace

void find_taken_fields(Function& function) {
    if (Candidates().are_in(*function.body)) LivePass().run(function);
}

} // namespace ptc
