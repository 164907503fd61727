// Only what a round asks first is taken out, where nothing in front of it acts or throws: so nobody can tell but by
// which of two errors of builtins ends the run. A test that is left with variables and constants may be repeated where
// the loop goes round (compiler/control_flow.cpp).
#include "compiler/analyze/loop_tests.h"
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/node_facts.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace ptc {
namespace {

/// Whether a call is arithmetic, or the count of something: it sees nothing that changes.
bool is_counted_or_reckoned(const Node& call) {
    switch (builtin_at(call.index).instruction) {
    case Instruction::Add:
    case Instruction::Subtract:
    case Instruction::Multiply:
    case Instruction::Divide:
    case Instruction::Quotient:
    case Instruction::Remainder:
    case Instruction::Modulus:
    case Instruction::Increment:
    case Instruction::Decrement:
    case Instruction::Minimum:
    case Instruction::Maximum:
    case Instruction::Count: return true;
    default: return false;
    }
}

/// Whether it is made of values, builtins and conditions alone: nothing in it throws because the program says so.
bool is_quiet(const Node& n) {
    switch (n.kind) {
    case NodeKind::Constant:
    case NodeKind::LocalRef:
    case NodeKind::Global:
    case NodeKind::DataRef:
    case NodeKind::Fn: return true;
    case NodeKind::If:
    case NodeKind::And:
    case NodeKind::Or:
    case NodeKind::Do:
    case NodeKind::Let:
    case NodeKind::CallBuiltin:
    case NodeKind::KeywordCall:
    case NodeKind::Field:
    case NodeKind::Elem:
    case NodeKind::Tail:
    case NodeKind::Vector:
    case NodeKind::Set:
    case NodeKind::Map:
        return work::charge(1) && std::ranges::all_of(n.children, [](const Node* child) { return is_quiet(*child); });
    default: return false;
    }
}

class TestOfLoop {
public:
    TestOfLoop(Analyzer& a, Node& loop, Let& around) : a_(a), loop_(loop), around_(around) {}

    void run() {
        Node* const test = first_call(*loop_.children.back());
        if (!test || !is_at_rest(*test) || !begins_quietly()) return;
        for (Node* operand : test->children)
            if (operand->kind == NodeKind::CallBuiltin && is_same_in_all_rounds(*operand)) take_out(*operand);
    }

private:
    /// The call that each round begins with, if it is a condition.
    static Node* first_call(Node& n) {
        switch (n.kind) {
        case NodeKind::If:
        case NodeKind::And:
        case NodeKind::Or: {
            Node& first = *n.children[0];
            if (first.kind != NodeKind::CallBuiltin) return first_call(first);
            const bool is_negated = builtin_at(first.index).instruction == Instruction::Not;
            Node* const test = is_negated ? first.children[0] : &first;
            return test->kind == NodeKind::CallBuiltin ? test : nullptr;
        }
        default: return nullptr;
        }
    }

    bool is_at_rest(const Node& n) { return is_quiet(n) && facts_.work(n) != NodeWork::Acts; }

    /// Whether what comes before the first round does nothing that others see.
    bool begins_quietly() {
        const auto first_values = loop_.children.first(loop_.children.size() - 1);
        return std::ranges::all_of(first_values, [&](const Node* n) { return is_at_rest(*n); });
    }

    [[nodiscard]] bool is_same_in_all_rounds(const Node& n) const {
        if (n.kind == NodeKind::Constant) return true;
        if (n.kind == NodeKind::LocalRef)
            return !n.local->varies && n.local->laziness == 0 &&
                   std::ranges::find(loop_.locals, n.local) == loop_.locals.end();
        return n.kind == NodeKind::CallBuiltin && is_counted_or_reckoned(n) &&
               std::ranges::all_of(n.children, [&](const Node* child) { return is_same_in_all_rounds(*child); });
    }

    /// The operand, and all that is the same in the loop, becomes a variable.
    void take_out(Node& operand) {
        Node* const value = a_.nodes.make(NodeKind::CallBuiltin, operand.span);
        value->index = operand.index;
        value->children = operand.children;
        variable_ = around_.temporary(value);
        become_variable(operand);
        replace(*loop_.children.back(), *value);
    }

    void become_variable(Node& n) {
        n.kind = NodeKind::LocalRef;
        n.local = variable_;
        n.children = {};
        ++variable_->uses;
    }

    static bool are_equal(const Node& x, const Node& y) {
        if (x.kind != y.kind) return false;
        if (x.kind == NodeKind::Constant) return x.constant == y.constant;
        if (x.kind == NodeKind::LocalRef) return x.local == y.local;
        return x.kind == NodeKind::CallBuiltin && x.index == y.index &&
               std::ranges::equal(x.children, y.children,
                                  [](const Node* one, const Node* other) { return are_equal(*one, *other); });
    }

    void replace(Node& n, const Node& value) {
        if (!work::charge(1)) return;
        if (n.kind == NodeKind::CallBuiltin && are_equal(n, value)) {
            a_.nodes.discard(&n);
            return become_variable(n);
        }
        for (Node* child : n.children)
            replace(*child, value);
    }

    Analyzer& a_;
    Node& loop_;
    Let& around_;
    NodeFacts facts_;
    Local* variable_ = nullptr;
};

} // namespace

void take_out_of_test(Analyzer& a, Node& loop, Let& around) {
    constexpr std::size_t kMostLocals = 64; // of a function, which has 250 registers: each takes one in the loop
    if (a.environment.fuse && !a.reports.stopped() && a.at.function->locals.size() < kMostLocals)
        TestOfLoop(a, loop, around).run();
}

} // namespace ptc
