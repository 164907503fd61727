// What a node may give, and what evaluating it may do besides.
//
// Loops are put together (fusion.h) where nobody can tell that they are: where what is done for one item of the first
// loop may come in front of what is done for an item before it in the second one. So it is asked whether a part can
// fail, or do anything that is seen, and as most of what can fail does so for values of the wrong kind, what kinds
// values have. Comparisons and questions never fail in this language (DIV-31), nor does a key that is read by name.
#include "compiler/analyze/node_facts.h"
#include "frontend/work.h"
#include "runtime/builtin.h"
#include "runtime/number.h"
#include "vm/program.h"
#include <string_view>

namespace ptc {
namespace {

using namespace kinds;

constexpr bool are(Kinds given, Kinds wanted) { return (given & ~wanted) == 0; }
constexpr Kinds both(Kinds x, Kinds y) { return static_cast<Kinds>(x | y); }
constexpr Kinds kWhole = kInteger | kBigInteger;

Kinds kinds_of_constant(Bits bits) {
    const Value value = Value::adopt(bits);
    if (value.is_nil()) return kNil;
    if (value.is_boolean()) return value.is_true() ? kTrue : kFalse;
    if (value.is_small_integer()) return kInteger;
    if (value.is_double()) return kDouble;
    if (value.is_integer()) return kBigInteger;
    if (value.is_string()) return kText;
    if (value.is_keyword()) return kKeyword;
    if (value.is_vector()) return kVector;
    if (value.is_map()) return kMap;
    if (value.is_set()) return kSet;
    return kAny;
}

/// Whether it is the function that computes what a sequence by need gives next, or all of it. What happens then happens
/// when it is needed: nobody can count on when that is, and so it is nothing that others see.
bool computes_by_need(const Node& callee) {
    if (callee.kind != NodeKind::Constant) return false;
    const Value function = Value::adopt(callee.constant);
    if (!function.is_static_function()) return false;
    const std::string_view name = proto_of(callee.constant)->name_text;
    return name == "uncons%" || name == "realize%";
}

/// Whether the call ends in an error where its first argument is a function.
bool fails_for_functions(const Node& call) {
    switch (builtin_at(call.index).instruction) {
    case Instruction::Count:
    case Instruction::First:
    case Instruction::Rest:
    case Instruction::Conj:
    case Instruction::Nth:
    case Instruction::Assoc: return true;
    default: return false;
    }
}

/// The variable whose value a node gives, also where that is computed to its end first (endless.h); null for others.
const Local* given_variable(const Node& node) {
    switch (node.kind) {
    case NodeKind::LocalRef: return node.local;
    case NodeKind::If: return given_variable(*node.children[1]);
    case NodeKind::Let: {
        const Local* given = given_variable(*node.children.back());
        for (std::size_t i = node.locals.size(); i-- > 0;) {
            if (given == node.locals[i]) given = given_variable(*node.children[i]);
        }
        return given;
    }
    default: return nullptr;
    }
}

/// A whole number, and not 0: as a divisor or a step.
bool is_other_than_zero(const Node& node) {
    if (node.kind != NodeKind::Constant) return false;
    const Value value = Value::adopt(node.constant);
    return value.is_small_integer() && value.small_integer() != 0;
}

/// Whether a call with whole numbers gives one.
bool keeps_whole(const Builtin& row) {
    switch (row.instruction) {
    case Instruction::Add:
    case Instruction::Subtract:
    case Instruction::Multiply:
    case Instruction::Increment:
    case Instruction::Decrement:
    case Instruction::Quotient:
    case Instruction::Remainder:
    case Instruction::Modulus: return true;
    default: return false;
    }
}

bool is_conj(const Node& call) { return builtin_at(call.index).instruction == Instruction::Conj; }

/// Whether a Break of `fold` stands in `node`; the walk ends at functions, which a Break cannot leave.
bool leaves(const Node& node, const Node* fold) {
    if (node.kind == NodeKind::Break && node.target == fold) return true;
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](const Node* child) { return child && leaves(*child, fold); });
}

} // namespace

// ---- Kinds

Kinds NodeFacts::kinds_of_local(const Local* local) const {
    for (std::size_t i = known_.size(); i-- > 0;) {
        if (known_[i].first == local) return known_[i].second;
    }
    return kAny;
}

Kinds NodeFacts::kinds(const Node& node) {
    if (--left_ < 0 || !work::charge(1)) return kAny;
    switch (node.kind) {
    case NodeKind::Constant: return kinds_of_constant(node.constant);
    case NodeKind::LocalRef: return kinds_of_local(node.local);
    case NodeKind::If: {
        const Kinds yes = kinds(*node.children[1]);
        return both(yes, kinds(*node.children[2]));
    }
    case NodeKind::Do: return kinds(*node.children.back());
    case NodeKind::Let:
        for (std::size_t i = 0; i < node.locals.size(); ++i)
            note(node.locals[i], kinds(*node.children[i]));
        return kinds(*node.children.back());
    case NodeKind::Vector: return kVector;
    case NodeKind::Map: return kMap;
    case NodeKind::Set: return kSet;
    case NodeKind::Fn: return kFunction;
    case NodeKind::Break:
    case NodeKind::Recur:
    case NodeKind::Throw: return 0; // it gives nothing here
    case NodeKind::CallBuiltin: return kinds_of_call(node);
    case NodeKind::CallFunction: {
        const Function& function = *node.function;
        if (!function.body || function.has_recur || calls_ == kMostCalls) return kAny;
        ++calls_;
        const Kinds given = kinds(*function.body);
        --calls_;
        return given;
    }
    case NodeKind::Fold: return kinds_of_fold(node);
    default: return kAny;
    }
}

Kinds NodeFacts::kinds_of_call(const Node& call) {
    if (is_conj(call) && call.children.size() == 2) {
        const Kinds to = kinds(*call.children[0]);
        if (are(to, kVector) || are(to, kSet)) return to;
    }
    const Builtin& row = builtin_at(call.index);
    if (keeps_whole(row) && all_are(call, kWhole)) return kWhole;
    const bool is_internal = row.category == Category::Internal && row.instruction == Instruction::None;
    return is_internal || row.gives.kinds == 0 ? kAny : row.gives.kinds;
}

Kinds NodeFacts::kinds_of_fold(const Node& fold) {
    const Kinds first = kinds(*fold.children[0]);
    if (leaves(*fold.children[2], &fold)) return kAny;
    return kinds_of_accumulator(fold.locals[0], first, *fold.children[2]);
}

Kinds NodeFacts::kinds_of_accumulator(const Local* accumulator, Kinds first, const Node& body) {
    Kinds found = first;
    for (int round = 0; round < 2; ++round) {
        const std::size_t before = known_.size();
        note(accumulator, found);
        const Kinds next = both(found, kinds(body));
        known_.resize(before);
        if (next == found) return found;
        found = next;
    }
    return kAny;
}

bool NodeFacts::all_are(const Node& call, Kinds wanted) {
    return std::all_of(call.children.begin(), call.children.end(),
                       [&](const Node* child) { return are(kinds(*child), wanted); });
}

Kinds NodeFacts::kinds_of_range(const Node& call) {
    if (call.children.size() < 2) return kWhole; // from 0 by 1, wherever it ends
    const bool is_whole =
        are(kinds(*call.children[0]), kWhole) && (call.children.size() == 2 || are(kinds(*call.children[2]), kWhole));
    return is_whole ? kWhole : kNumber;
}

Kinds NodeFacts::kinds_of_items(const Node& coll) {
    if (coll.kind == NodeKind::CallBuiltin && builtin_at(coll.index).name == std::string_view("range"))
        return kinds_of_range(coll);
    if (coll.kind != NodeKind::Vector) return are(kinds(coll), kText | kNil) ? kText : kAny;
    Kinds all = 0;
    for (const Node* item : coll.children)
        all = both(all, kinds(*item));
    return all;
}

void NodeFacts::note_walk(const Node& fold) {
    if (!is_iterated(fold)) note(fold.locals[1], kinds_of_items(*fold.children[1]));
    if (fold.locals.size() > 2) note(fold.locals[2], kNumber);
}

// ---- Work

NodeWork NodeFacts::work_of_parts(const Node& node) {
    NodeWork most = NodeWork::None;
    for (const Node* child : node.children) {
        if (most != NodeWork::Acts) most = std::max(most, work(*child));
    }
    return most;
}

NodeWork NodeFacts::work(const Node& node) {
    if (--left_ < 0 || !work::charge(1)) return NodeWork::Acts;
    switch (node.kind) {
    case NodeKind::Constant:
    case NodeKind::LocalRef:
    case NodeKind::DataRef:
    case NodeKind::DataAll:
    case NodeKind::History:
    case NodeKind::Fn: return NodeWork::None;
    case NodeKind::Global: return NodeWork::Fails;
    case NodeKind::Let: {
        NodeWork most = NodeWork::None;
        for (std::size_t i = 0; i < node.locals.size(); ++i) {
            most = std::max(most, work(*node.children[i]));
            note(node.locals[i], kinds(*node.children[i]));
        }
        return std::max(most, work(*node.children.back()));
    }
    case NodeKind::If:
    case NodeKind::And:
    case NodeKind::Or:
    case NodeKind::Do:
    case NodeKind::Loop:
    case NodeKind::Recur:
    case NodeKind::Break:
    case NodeKind::Assign:
    case NodeKind::Vector:
    case NodeKind::Set:
    case NodeKind::Map:
    case NodeKind::KeywordCall: return work_of_parts(node);
    case NodeKind::Elem:
    case NodeKind::Tail: {
        const NodeWork parts = work_of_parts(node);
        return std::max(parts, unless(are(kinds(*node.children[0]), kVector | kText | kNil)));
    }
    case NodeKind::Field: {
        const NodeWork parts = work_of_parts(node);
        return std::max(parts, unless(are(kinds(*node.children[0]), kMap | kNil)));
    }
    case NodeKind::Update: {
        const NodeWork parts = work_of_parts(node);
        return std::max(parts, unless(are(kinds(*node.children[0]), kMap | kNil)));
    }
    case NodeKind::Throw: return std::max(NodeWork::Fails, work_of_parts(node));
    case NodeKind::CallBuiltin: return work_of_builtin(node);
    case NodeKind::CallFunction: return work_of_function(node);
    case NodeKind::Invoke:
        return is_lookup(*node.children[0]) ? std::max(NodeWork::Fails, work_of_parts(node)) : NodeWork::Acts;
    case NodeKind::Fold: return work_of_fold(node);
    default: return NodeWork::Acts;
    }
}

bool NodeFacts::is_lookup(const Node& callee) const {
    if (callee.kind == NodeKind::LocalRef)
        return std::find(collections_.begin(), collections_.end(), callee.local) != collections_.end();
    return computes_by_need(callee);
}

/// How many children of a node are evaluated whenever it is.
static std::size_t certain_children(const Node& node) {
    switch (node.kind) {
    case NodeKind::If:
    case NodeKind::And:
    case NodeKind::Or: return 1;
    case NodeKind::Fold: return 2;
    case NodeKind::Try: return 0;
    default: return node.children.size();
    }
}

void NodeFacts::note_collections(const Node& node) {
    if (--left_ < 0) return;
    if (node.kind == NodeKind::Let) {
        for (std::size_t i = 0; i < node.locals.size(); ++i) {
            if (const Local* other = given_variable(*node.children[i])) aliases_.emplace_back(node.locals[i], other);
        }
    }
    if (node.kind == NodeKind::CallBuiltin && fails_for_functions(node)) {
        const Local* collection = given_variable(*node.children[0]);
        if (collection) collections_.push_back(collection);
        for (std::size_t i = aliases_.size(); i-- > 0;) { // an alias stands behind those that its value has
            if (aliases_[i].first == collection) collections_.push_back(collection = aliases_[i].second);
        }
    }
    for (const Node* child : node.children.first(certain_children(node)))
        note_collections(*child);
}

NodeWork NodeFacts::work_of_builtin(const Node& call) {
    const Builtin& row = builtin_at(call.index);
    if (row.effect != SideEffect::None || row.category == Category::Agent) return NodeWork::Acts;
    const NodeWork parts = work_of_parts(call);
    if (parts == NodeWork::Acts) return parts;
    const auto first = [&](Kinds wanted) { return are(kinds(*call.children[0]), wanted); };
    const auto parts_unless = [&](bool is_safe) { return std::max(parts, unless(is_safe)); };
    switch (row.instruction) {
    case Instruction::Add:
    case Instruction::Subtract:
    case Instruction::Multiply:
    case Instruction::Increment:
    case Instruction::Decrement: return parts_unless(all_are(call, kNumber));
    case Instruction::Divide:
        return parts_unless(call.children.size() == 2 && first(kNumber) && is_other_than_zero(*call.children[1]));
    case Instruction::Quotient:
    case Instruction::Remainder:
    case Instruction::Modulus: return parts_unless(first(kWhole) && is_other_than_zero(*call.children[1]));
    case Instruction::Not:
    case Instruction::Get:
    case Instruction::Less:
    case Instruction::LessOrEqual:
    case Instruction::Greater:
    case Instruction::GreaterOrEqual:
    case Instruction::Equal:
    case Instruction::NotEqual:
    case Instruction::IsNil:
    case Instruction::IsSome:
    case Instruction::IsTrue:
    case Instruction::IsFalse:
    case Instruction::IsString:
    case Instruction::IsKeyword:
    case Instruction::IsNumber:
    case Instruction::IsMap:
    case Instruction::IsVector:
    case Instruction::IsSet:
    case Instruction::IsZero:
    case Instruction::IsPositive:
    case Instruction::IsNegative:
    case Instruction::IsEven:
    case Instruction::IsOdd: return parts;
    case Instruction::Count:
    case Instruction::IsEmpty: return parts_unless(first(kItems));
    case Instruction::First:
    case Instruction::Rest: return parts_unless(first(kSequence | kText | kNil));
    case Instruction::Conj: return parts_unless(first(kVector | kSet));
    case Instruction::Assoc:
        return parts_unless(call.children.size() == 3 && first(kMap | kNil)); // an odd number of arguments fails
    case Instruction::GroupAppend: return parts_unless(first(kMap));
    default: break;
    }
    const std::string_view name = row.name;
    if (name == "range")
        return parts_unless(all_are(call, kWhole) &&
                            (call.children.size() < 3 || is_other_than_zero(*call.children[2])));
    return parts_unless(name == "str" || name == "boolean" || name == "max" || name == "min" || name == "vector");
}

NodeWork NodeFacts::work_of_function(const Node& call) {
    const Function& function = *call.function;
    const NodeWork parts = work_of_parts(call);
    if (!function.body || calls_ == kMostCalls) return NodeWork::Acts;
    if (!function.variadic) {
        for (std::size_t i = 0; i < function.params.size(); ++i)
            note(function.params[i], function.has_recur ? kAny : kinds(*call.children[i]));
    }
    ++calls_;
    note_collections(*function.body);
    const NodeWork body = work(*function.body);
    --calls_;
    return std::max(parts, body);
}

NodeWork NodeFacts::work_of_fold(const Node& fold) {
    const NodeWork around = std::max(work(*fold.children[0]), work(*fold.children[1]));
    if (around == NodeWork::Acts) return around;
    const NodeWork walk = is_iterated(fold) ? work(*fold.children[3]) : unless(are(kinds(*fold.children[1]), kItems));
    const Kinds first = kinds(*fold.children[0]);
    note_walk(fold);
    note(fold.locals[0], kinds_of_accumulator(fold.locals[0], first, *fold.children[2]));
    return std::max({around, walk, work(*fold.children[2])});
}

} // namespace ptc
