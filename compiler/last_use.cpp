// Where each local's value dies: the last-use pass.
//
// Liveness, computed backwards in one walk over the tree, in the reverse of the order of evaluation. `live` holds the
// locals that code behind the present node still reads. A mention of a local that is not live is its last use: the
// emitter moves it. Where two paths part, each drops on its first step what only the other one needs (visit_if and its
// kin compare the two sets); a local that is not live where it is bound is dropped at birth. So every value is released
// exactly once on every path, and nothing is counted for it at run time.
//
// A loop is the one place where code behind a node stands in front of it. What the body reads from outside is live all
// the way round (`around`), so it is never moved inside; the loop's own variables get new values each round and may be.
// Captures live in the closure: one that is read once, outside of loops, is fetched there (by_use), others are loaded
// into registers on entry and treated as locals.
#include "compiler/last_use.h"
#include "compiler/analyze/node_facts.h"
#include "compiler/operations.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include "vm/verifier.h"
#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace ptc {
namespace {

/// Live locals of one function, by index. Most functions have no more locals than a word has bits: the first word lies
/// in the set itself, so that copying it costs nothing.
class LiveSet {
public:
    explicit LiveSet(std::size_t locals) : more_(locals > 64 ? (locals - 1) / 64 : 0, 0) {}
    /// What it costs to copy it, or to compare two.
    [[nodiscard]] std::size_t work() const { return 4 + (more_.size() + 1) / 16; }
    [[nodiscard]] bool has(const Local* l) const { return (word(l->index / 64) >> (l->index % 64)) & 1; }
    void add(const Local* l) { word(l->index / 64) |= std::uint64_t{1} << (l->index % 64); }
    void remove(const Local* l) { word(l->index / 64) &= ~(std::uint64_t{1} << (l->index % 64)); }
    LiveSet& operator|=(const LiveSet& o) {
        first_ |= o.first_;
        for (std::size_t i = 0; i < more_.size(); ++i)
            more_[i] |= o.more_[i];
        return *this;
    }
    /// In this set and not in `o`, as locals.
    void minus(const LiveSet& o, const Function& f, std::vector<Local*>& out) const {
        for (std::size_t i = 0; i <= more_.size(); ++i) {
            for (std::uint64_t w = word(i) & ~o.word(i); w != 0; w &= w - 1) {
                out.push_back(f.locals[i * 64 + static_cast<std::size_t>(__builtin_ctzll(w))]);
            }
        }
    }
    [[nodiscard]] bool includes(const LiveSet& o) const {
        for (std::size_t i = 0; i <= more_.size(); ++i) {
            if ((o.word(i) & ~word(i)) != 0) return false;
        }
        return true;
    }
    [[nodiscard]] bool equals_on(const LiveSet& o) const { return first_ == o.first_ && more_ == o.more_; }

private:
    [[nodiscard]] std::uint64_t word(std::size_t i) const { return i == 0 ? first_ : more_[i - 1]; }
    [[nodiscard]] std::uint64_t& word(std::size_t i) { return i == 0 ? first_ : more_[i - 1]; }
    std::uint64_t first_ = 0;
    std::vector<std::uint64_t> more_;
};

/// Whether what a builtin gives is no collection that is made of its arguments: a scalar, or what is in one of them.
bool gives_no_collection(const Builtin& row) {
    if (row.instruction == Instruction::Minimum || row.instruction == Instruction::Maximum) return true;
    switch (row.gives.rule) {
    case ResultRule::Gives:
    case ResultRule::Element:
    case ResultRule::AnItem:
    case ResultRule::EntryPart:
    case ResultRule::Get:
    case ResultRule::GetIn:
    case ResultRule::Member:
    case ResultRule::Equal: return true;
    default: return false;
    }
}

/// Whether a node only looks at what its variables hold, as far as is seen here: functions of the program that are
/// given collections may do anything with them. What is meant as reading and is none, or the other way round, is copied
/// once.
bool only_reads(const Node& n) {
    if (!work::charge(1)) return false;
    switch (n.kind) {
    case NodeKind::Constant:
    case NodeKind::LocalRef: return true;
    case NodeKind::CallBuiltin:
        if (!gives_no_collection(builtin_at(n.index))) return false;
        break;
    case NodeKind::CallFunction:
    case NodeKind::KeywordCall:
    case NodeKind::Field:
    case NodeKind::If:
    case NodeKind::And:
    case NodeKind::Or: break;
    default: return false;
    }
    return std::all_of(n.children.begin(), n.children.end(), [](const Node* c) { return only_reads(*c); });
}

constexpr std::size_t kMostOrdered = 16; ///< operands whose order is thought about: each pair of them is looked at

/// Which of the operands of a node may be computed before others that stand in front of it: where nobody can tell, but
/// by which of two errors a run ends.
class OperandOrder {
public:
    explicit OperandOrder(const Node& node) : node_(node), works_(node.children.size()), reads_(node.children.size()) {}
    /// Whether operand `k` only reads. Operands may be large, and are asked about again and again: each is walked once.
    bool only_reads(std::uint32_t k) {
        if (!reads_[k]) reads_[k] = ptc::only_reads(*node_.children[k]);
        return *reads_[k];
    }
    /// Whether it does not matter which of the two comes first.
    bool may_swap(std::uint32_t i, std::uint32_t k) {
        return work(k) == NodeWork::None || work(i) == NodeWork::None || std::max(work(k), work(i)) != NodeWork::Acts;
    }
    /// Whether operand `k` may come before all those of `open` that stand in front of it.
    bool may_come_first(std::uint32_t k, const std::set<std::uint32_t>& open) {
        return std::all_of(open.begin(), open.lower_bound(k), [&](std::uint32_t i) { return may_swap(i, k); });
    }

private:
    NodeWork work(std::uint32_t i) {
        if (!works_[i]) works_[i] = facts_.work(*node_.children[i]);
        return *works_[i];
    }
    const Node& node_;
    std::vector<std::optional<NodeWork>> works_;
    std::vector<std::optional<bool>> reads_;
    NodeFacts facts_;
};

/// Whether the emitter heeds is_late of the operands of `n`: it gathers them in a window, or keeps each where it is
/// until all are there.
bool heeds_order(const Node& n) {
    switch (n.kind) {
    case NodeKind::Invoke: return n.children.size() > 2;
    case NodeKind::CallFunction:
    case NodeKind::CallSelf:
    case NodeKind::Vector:
    case NodeKind::Set:
    case NodeKind::Map: return true;
    case NodeKind::CallBuiltin: {
        if (special_of(n.index) == Special::Sum || special_of(n.index) == Special::Get) return false;
        const std::optional<Operation> operation = operation_for(n);
        return !operation || operation->kind == Operation::Kind::Consuming || operation->kind == Operation::Kind::Assoc;
    }
    default: return false;
    }
}

class Pass {
public:
    Pass(Function& function, std::deque<Drops>& owner) : f_(function), owner_(owner) {}

    /// False when so much dies apart that the function's code would be too long.
    bool run() {
        mark_captures();
        LiveSet live(f_.locals.size());
        if (f_.has_recur) {
            LiveSet around = live;
            collect_outer(*f_.body, around);
            for (Local* p : f_.params)
                around.remove(p);
            targets_.push_back({nullptr, around});
        }
        visit(*f_.body, live);
        for (Local* p : f_.params)
            p->dead_at_birth = !live.has(p);
        for (Local* c : f_.captures)
            c->dead_at_birth = !c->by_use && !live.has(c);
        if (f_.self) f_.self->dead_at_birth = !f_.self->by_use && !live.has(f_.self);
        return dropped_ <= kMaxCode;
    }

private:
    struct Target {
        const Node* node; ///< a Loop or Fold; null: the function
        LiveSet around;   ///< live when it goes round (Loop, function) or is left (Fold)
    };

    // A capture used once, outside of loops, is fetched where it is used; others live in registers from the start.
    void mark_captures() {
        if (f_.captures.empty() && !f_.self) return;
        std::unordered_set<const Local*> in_loops;
        if (!f_.has_recur) collect_from_loops(*f_.body, false, in_loops);
        const auto fetched = [&](const Local* l) { return l->uses <= 1 && !f_.has_recur && !in_loops.contains(l); };
        for (Local* c : f_.captures)
            c->by_use = fetched(c);
        if (f_.self) f_.self->by_use = fetched(f_.self);
    }

    static void collect_from_loops(const Node& n, bool inside, std::unordered_set<const Local*>& out) {
        if (n.kind == NodeKind::LocalRef) {
            if (inside) out.insert(n.local);
            return;
        }
        if (n.kind == NodeKind::Fn) {
            if (inside) out.insert(n.function->captured_from.begin(), n.function->captured_from.end());
            return;
        }
        const bool in_body = inside || n.kind == NodeKind::Loop || n.kind == NodeKind::Fold;
        for (const Node* c : n.children)
            collect_from_loops(*c, in_body, out);
    }

    Drops& drops_of(Node& n) {
        if (!n.drops) n.drops = &owner_.emplace_back();
        return *n.drops;
    }

    // All locals that a subtree reads. Those bound inside it are not live outside of it, so the caller may ignore them.
    void collect_outer(const Node& n, LiveSet& out) const {
        if (n.kind == NodeKind::LocalRef) {
            if (!n.local->by_use) out.add(n.local);
            return;
        }
        if (n.kind == NodeKind::Fn) {
            for (Local* l : n.function->captured_from) {
                if (!l->by_use) out.add(l);
            }
            return;
        }
        if (!work::charge(2)) return;
        for (const Node* c : n.children)
            collect_outer(*c, out);
        if (!binds_locals(n)) return;
        for (const Local* l : n.locals)
            out.remove(l);
    }

    void use(Node& ref, LiveSet& live) {
        if (ref.local->by_use) return;
        ref.last_use = !live.has(ref.local);
        live.add(ref.local);
    }

    // Children in the order of evaluation: plain locals last, of them what a window is called with; in front of them
    // those that are late.
    void visit_operands(Node& n, LiveSet& live) {
        const std::span<Node*> children = n.children;
        const bool has_callee = (n.kind == NodeKind::Invoke && n.children.size() != 2) || n.kind == NodeKind::Apply;
        const auto use_local = [&](Node& child) {
            if (child.kind == NodeKind::LocalRef) use(child, live);
        };
        if (has_callee) use_local(*children[0]);
        for (std::size_t i = children.size(); i-- > (has_callee ? 1 : 0);)
            use_local(*children[i]);
        if (heeds_order(n)) mark_late(n, live);
        for (const bool late : {true, false}) {
            for (std::size_t i = children.size(); i-- > 0;) {
                if (children[i]->kind != NodeKind::LocalRef && children[i]->is_late == late) visit(*children[i], live);
            }
        }
    }

    /// An operand that edits what nothing reads behind the node but operands that only look at it comes behind them,
    /// and then edits it in place: [(conj v x) (count v)]. `live` is what is read behind them all.
    void mark_late(Node& n, const LiveSet& live) {
        const auto is_computed = [](const Node* operand) {
            return operand->kind != NodeKind::LocalRef && operand->kind != NodeKind::Constant;
        };
        const auto count = static_cast<std::uint32_t>(n.children.size());
        if (count > kMostOrdered || std::count_if(n.children.begin(), n.children.end(), is_computed) < 2) return;
        std::optional<OperandOrder> order;
        std::vector<const Local*> read; // by operands that are only there to be looked at, from the last one on
        const std::uint32_t first = n.kind == NodeKind::Invoke ? 1 : 0; // what is called is always computed first
        for (std::uint32_t i = count; i-- > first;) {
            Node& operand = *n.children[i];
            if (!is_computed(&operand)) continue;
            if (only_reads(operand)) {
                collect_dying(operand, live, read);
                continue;
            }
            int left = kMostLooks;
            const auto edits = [&](const Local* local) { return may_edit(operand, local, left); };
            if (!std::any_of(read.begin(), read.end(), edits)) continue;
            if (!order) order.emplace(n);
            operand.is_late = true;
            for (std::uint32_t k = i + 1; k < count && operand.is_late; ++k)
                operand.is_late = !is_computed(n.children[k]) || n.children[k]->is_late || order->may_swap(i, k);
        }
    }

    /// The locals that `n`, which only reads, looks at, and that nothing needs behind it.
    static void collect_dying(const Node& n, const LiveSet& live, std::vector<const Local*>& out) {
        if (n.kind == NodeKind::LocalRef) {
            if (!n.local->by_use && !live.has(n.local) && out.size() < kMostOrdered) out.push_back(n.local);
            return;
        }
        for (const Node* c : n.children)
            collect_dying(*c, live, out);
    }

    void bind(Local* l, LiveSet& live) {
        l->dead_at_birth = !live.has(l);
        live.remove(l);
    }

    void visit(Node& n, LiveSet& live) {
        const bool parts = n.kind == NodeKind::If || n.kind == NodeKind::And || n.kind == NodeKind::Or ||
                           n.kind == NodeKind::Loop || n.kind == NodeKind::Fold || n.kind == NodeKind::Try;
        if (!work::charge(parts ? live.work() : 2)) return;
        switch (n.kind) {
        case NodeKind::Constant:
        case NodeKind::Global:
        case NodeKind::DataRef:
        case NodeKind::DataAll:
        case NodeKind::History: return;
        case NodeKind::LocalRef: return use(n, live);
        case NodeKind::If: return visit_if(n, live);
        case NodeKind::And:
        case NodeKind::Or: return visit_short_circuit(n, live);
        case NodeKind::Do:
            for (std::size_t i = n.children.size(); i-- > 0;)
                visit(*n.children[i], live);
            return;
        case NodeKind::Let:
            visit(*n.children.back(), live);
            for (std::size_t i = n.locals.size(); i-- > 0;) {
                bind(n.locals[i], live);
                visit(*n.children[i], live);
            }
            return;
        case NodeKind::DefOnce: return visit_def_once(n, live);
        case NodeKind::Try: return visit_try(n, live);
        case NodeKind::Loop: return visit_loop(n, live);
        case NodeKind::Recur: return visit_recur(n, live);
        case NodeKind::Fold: return visit_fold(n, live);
        case NodeKind::Break: {
            live = find_target(n.target).around;
            return visit(*n.children[0], live);
        }
        case NodeKind::Assign: return visit_assign(n, live);
        case NodeKind::Update:
            visit(*n.children[2], live);
            bind(n.locals[0], live);
            visit(*n.children[1], live);
            visit(*n.children[0], live);
            return;
        case NodeKind::Fn: {
            Function& g = *n.function;
            g.capture_takes.assign(g.captured_from.size(), false);
            for (std::size_t i = g.captured_from.size(); i-- > 0;) {
                Local* l = g.captured_from[i];
                if (l->by_use) continue;
                g.capture_takes[i] = !live.has(l);
                live.add(l);
            }
            return;
        }
        default: return visit_operands(n, live);
        }
    }

    /// What is in `set` and not in `other`; each will be an instruction.
    void list_difference(const LiveSet& set, const LiveSet& other, std::vector<Local*>& out) {
        if (dropped_ > kMaxCode) return;
        const std::size_t before = out.size();
        set.minus(other, f_, out);
        dropped_ += out.size() - before;
    }

    /// Two ways part behind `n`: each drops what only the other needs. `first` becomes what is live in front of them.
    void part(Node& n, LiveSet& first, const LiveSet& second) {
        if (first.equals_on(second)) return;
        Drops& d = drops_of(n);
        list_difference(second, first, d.first);
        list_difference(first, second, d.second);
        first |= second;
    }

    void visit_if(Node& n, LiveSet& live) {
        LiveSet other = live;
        visit(*n.children[1], live);
        visit(*n.children[2], other);
        part(n, live, other);
        visit(*n.children[0], live);
    }

    // What the handler reads outlives the body, whichever way that ends.
    void visit_try(Node& n, LiveSet& live) {
        LiveSet handler = live;
        visit(*n.children[1], handler);
        bind(n.locals[0], handler);
        part(n, live, handler);
        visit(*n.children[0], live);
    }

    // The value is computed, or what dies in it is dropped.
    void visit_def_once(Node& n, LiveSet& live) {
        const LiveSet after = live;
        visit(*n.children[0], live);
        std::vector<Local*> dead;
        list_difference(live, after, dead);
        if (!dead.empty()) drops_of(n).second = std::move(dead);
    }

    void visit_short_circuit(Node& n, LiveSet& live) {
        const LiveSet after = live;
        LiveSet next = after; // what is live at the exit behind
        const std::size_t last = n.children.size() - 1;
        visit(*n.children[last], live);
        for (std::size_t i = last; i-- > 0 && work::charge(2 * live.work());) {
            live |= after;
            Drops::Exit exit;
            exit.goes_on = live.includes(next); // unless a child gives a local a new value
            list_difference(live, exit.goes_on ? next : after, exit.locals);
            if (!exit.locals.empty() || !exit.goes_on) {
                Drops& d = drops_of(n);
                d.exits.resize(last);
                d.exits[i] = std::move(exit);
            }
            next = live;
            visit(*n.children[i], live);
        }
    }

    void visit_loop(Node& n, LiveSet& live) {
        LiveSet around = live;
        collect_outer(*n.children.back(), around);
        for (Local* l : n.locals)
            around.remove(l);
        targets_.push_back({&n, around});
        visit(*n.children.back(), live);
        targets_.pop_back();
        for (Local* l : n.locals) {
            l->dead_at_birth = !live.has(l);
            live.add(l); // what is dead at the head is released there, behind all initial values
        }
        for (std::size_t i = n.locals.size(); i-- > 0;) {
            live.remove(n.locals[i]);
            visit(*n.children[i], live);
        }
    }

    Target& find_target(const Node* node) {
        return *std::find_if(targets_.begin(), targets_.end(), [&](const Target& t) { return t.node == node; });
    }

    void visit_fold(Node& n, LiveSet& live) {
        const LiveSet after = live;
        LiveSet around = live;
        collect_outer(*n.children[2], around);
        if (is_iterated(n)) collect_outer(*n.children[3], around);
        for (Local* l : n.locals)
            around.remove(l);
        Drops exhausted;
        if (!is_iterated(n)) list_difference(around, after, exhausted.first);
        if (!exhausted.first.empty()) drops_of(n).first = std::move(exhausted.first);
        targets_.push_back({&n, after});
        live = around;
        if (is_iterated(n)) visit(*n.children[3], live);
        visit(*n.children[2], live);
        targets_.pop_back();
        for (Local* l : n.locals)
            bind(l, live);
        // What the body assigns before it reads it is live all the way round, and dead where the body begins.
        std::vector<Local*> assigned;
        list_difference(around, live, assigned);
        if (!assigned.empty()) drops_of(n).second = std::move(assigned);
        live |= around;
        if (is_zipped(n)) visit(*n.children[3], live);
        visit(*n.children[1], live);
        visit(*n.children[0], live);
    }

    // Old values are dead in front of it, unless a new one is made of them.
    void visit_assign(Node& n, LiveSet& live) {
        plan(n, n.locals);
        n.drops->first.clear();
        for (Local* l : n.locals) {
            if (!live.has(l)) n.drops->first.push_back(l);
            live.remove(l);
        }
        visit_planned(n, live);
    }

    // New values are computed in an order in which each can go straight to its variable, as far as there is one.
    void visit_recur(Node& n, LiveSet& live) {
        const std::vector<Local*> function_params = f_.params;
        const std::span<Local* const> vars =
            n.target ? std::span<Local* const>(n.target->locals.data(), n.target->locals.size())
                     : std::span<Local* const>(function_params);
        plan(n, vars);
        live = find_target(n.target).around;
        visit_planned(n, live);
    }

    void visit_planned(Node& n, LiveSet& live) {
        for (std::size_t i = n.drops->order.size(); i-- > 0;)
            visit(*n.children[n.drops->order[i]], live);
    }

    /// The variables that a new value is made of, by their numbers.
    static void collect_reads(const Node& n, const std::unordered_map<const Local*, std::uint32_t>& numbers,
                              std::vector<std::uint32_t>& out) {
        const auto add = [&](const Local* l) {
            if (const auto found = numbers.find(l); found != numbers.end()) out.push_back(found->second);
        };
        if (n.kind == NodeKind::LocalRef) return add(n.local);
        if (n.kind == NodeKind::Fn) {
            for (const Local* l : n.function->captured_from)
                add(l);
            return;
        }
        for (const Node* c : n.children)
            collect_reads(*c, numbers, out);
    }

    /// The value to be computed next. One that edits a collection comes behind those that read it, and then edits it in
    /// place: (recur (assoc v i x) (+ sum (nth v i))).
    static std::uint32_t next_value(const std::set<std::uint32_t>& open, const std::set<std::uint32_t>& ready,
                                    std::span<const std::uint32_t> readers, OperandOrder& order) {
        const std::uint32_t first = *open.begin();
        if (readers[first] == 0 || open.size() > kMostOrdered) return first;
        for (const std::uint32_t k : ready) {
            if (order.may_come_first(k, open)) return k;
        }
        if (order.only_reads(first)) return first;
        for (const std::uint32_t k : open) {
            if (order.only_reads(k) && order.may_come_first(k, open)) return k;
        }
        return first;
    }

    void plan(Node& n, std::span<Local* const> vars) {
        Drops& d = drops_of(n);
        const auto count = static_cast<std::uint32_t>(n.children.size());
        d.order.clear();
        d.writes.assign(count, Drops::Write::Late);
        const auto three_address = [](const Node* c) {
            return is_simple_operation(*c) || c->kind == NodeKind::LocalRef || c->kind == NodeKind::Constant;
        };
        const bool all_simple = std::all_of(n.children.begin(), n.children.end(), three_address);
        OperandOrder order(n);
        std::unordered_map<const Local*, std::uint32_t> numbers;
        for (std::uint32_t i = 0; i < count; ++i)
            numbers[vars[i]] = i;
        // A variable may be written once no other new value that is still to be computed reads it.
        std::vector<std::vector<std::uint32_t>> reads(count);
        std::vector<std::uint32_t> readers(count, 0);
        for (std::uint32_t k = 0; k < count; ++k) {
            collect_reads(*n.children[k], numbers, reads[k]);
            std::ranges::sort(reads[k]);
            reads[k].erase(std::unique(reads[k].begin(), reads[k].end()), reads[k].end());
            std::erase(reads[k], k);
            for (const std::uint32_t j : reads[k])
                ++readers[j];
        }
        std::set<std::uint32_t> open, ready; // what is to be computed, and what of it may be written
        for (std::uint32_t j = 0; j < count; ++j) {
            open.insert(open.end(), j);
            if (readers[j] == 0) ready.insert(ready.end(), j);
        }
        while (!open.empty()) {
            const std::uint32_t pick =
                all_simple && !ready.empty() ? *ready.begin() : next_value(open, ready, readers, order);
            if (readers[pick] == 0)
                d.writes[pick] = three_address(n.children[pick]) ? Drops::Write::Direct : Drops::Write::AtOnce;
            open.erase(pick);
            ready.erase(pick);
            for (const std::uint32_t j : reads[pick]) {
                if (--readers[j] == 0 && open.contains(j)) ready.insert(j);
            }
            d.order.push_back(pick);
        }
        // A variable that is written late (through a temporary) must not be read by one that was written at once
        // before: that cannot happen, since what is looked at is only what is still to be computed.
    }

    static constexpr int kMostLooks = 400; ///< nodes of an operand that are looked at for what it may edit

    Function& f_;
    std::deque<Drops>& owner_;
    std::vector<Target> targets_;
    std::size_t dropped_ = 0; ///< values that die where two ways part
};

} // namespace

bool is_simple_operation(const Node& n) {
    if (n.kind != NodeKind::CallBuiltin || !operation_for(n)) return false;
    return std::all_of(n.children.begin(), n.children.end(),
                       [](const Node* c) { return c->kind == NodeKind::LocalRef || c->kind == NodeKind::Constant; });
}

bool may_edit_operand(const Node& n, std::size_t i) {
    switch (n.kind) {
    case NodeKind::CallBuiltin: return i == 0 && (builtin_at(n.index).traits & traits::kUpdates) != 0;
    case NodeKind::Fold: return i == 0 || (i == 1 && is_iterated(n));
    case NodeKind::Update: return i == 0;
    case NodeKind::Elem:
    case NodeKind::Tail:
    case NodeKind::Field:
    case NodeKind::KeywordCall:
    case NodeKind::Vector:
    case NodeKind::Set:
    case NodeKind::Map: return false;
    default: return true;
    }
}

bool may_edit(const Node& n, const Local* local, int& left) {
    if (--left < 0 || !work::charge(1)) return true;
    for (std::size_t i = 0; i < n.children.size(); ++i) {
        const Node& child = *n.children[i];
        if (child.kind == NodeKind::LocalRef ? child.local == local && may_edit_operand(n, i)
                                             : may_edit(child, local, left))
            return true;
    }
    return false;
}

bool may_change_operand(const Node& n, std::size_t i) {
    if (n.kind != NodeKind::CallFunction || i >= n.function->fixed) return may_edit_operand(n, i);
    constexpr int kMostLooks = 200;
    int left = kMostLooks;
    return may_edit(*n.function->body, n.function->params[i], left);
}

bool find_last_uses(Function& function, std::deque<Drops>& owner) { return Pass(function, owner).run(); }

} // namespace ptc
