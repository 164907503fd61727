// The rows that say which instruction does what a builtin does, and the forms of instructions for constants and jumps.
#include "compiler/operations.h"
#include "runtime/builtin.h"

namespace ptc {
namespace {

struct Row {
    Instruction instruction;
    std::uint8_t arguments;
    Operation operation;
};

constexpr Row kRows[] = {
    {Instruction::Add, 2, {Operation::Kind::Binary, Op::Add, Op::AddK, {}}},
    {Instruction::Subtract, 2, {Operation::Kind::Binary, Op::Sub, Op::SubK, {}}},
    {Instruction::Multiply, 2, {Operation::Kind::Binary, Op::Mul, Op::MulK, {}}},
    {Instruction::Divide, 2, {Operation::Kind::Binary, Op::Div, Op::DivK, {}}},
    {Instruction::Quotient, 2, {Operation::Kind::Binary, Op::Quot, Op::QuotK, {}}},
    {Instruction::Remainder, 2, {Operation::Kind::Binary, Op::Rem, Op::RemK, {}}},
    {Instruction::Modulus, 2, {Operation::Kind::Binary, Op::Mod, Op::ModK, {}}},
    {Instruction::Subtract, 1, {Operation::Kind::Unary, Op::Neg, Op::Nop, {}}},
    {Instruction::Increment, 1, {Operation::Kind::Unary, Op::Inc, Op::Nop, {}}},
    {Instruction::Decrement, 1, {Operation::Kind::Unary, Op::Dec, Op::Nop, {}}},
    {Instruction::Minimum, 2, {Operation::Kind::Binary, Op::Min, Op::Nop, {}}},
    {Instruction::Maximum, 2, {Operation::Kind::Binary, Op::Max, Op::Nop, {}}},
    {Instruction::BitAnd, 2, {Operation::Kind::Binary, Op::BitAnd, Op::BitAndK, {}}},
    {Instruction::BitOr, 2, {Operation::Kind::Binary, Op::BitOr, Op::BitOrK, {}}},
    {Instruction::BitXor, 2, {Operation::Kind::Binary, Op::BitXor, Op::BitXorK, {}}},
    {Instruction::ShiftLeft, 2, {Operation::Kind::Binary, Op::ShiftLeft, Op::ShiftLeftK, {}}},
    {Instruction::ShiftRight, 2, {Operation::Kind::Binary, Op::ShiftRight, Op::ShiftRightK, {}}},
    {Instruction::BitTest, 2, {Operation::Kind::Binary, Op::BitTest, Op::Nop, {}}},
    {Instruction::Not, 1, {Operation::Kind::Unary, Op::Not, Op::Nop, {}}},
    {Instruction::Count, 1, {Operation::Kind::Unary, Op::Count, Op::Nop, {}}},
    {Instruction::First, 1, {Operation::Kind::Unary, Op::First, Op::Nop, {}}},
    {Instruction::Rest, 1, {Operation::Kind::UnaryTake, Op::Rest, Op::Nop, {}}},
    {Instruction::Conj, 2, {Operation::Kind::Consuming, Op::Conj, Op::Nop, {}}},
    {Instruction::Get, 2, {Operation::Kind::Field, Op::Get, Op::Field, {}}},
    {Instruction::Nth, 2, {Operation::Kind::Nth, Op::Nth, Op::Nop, {}}},
    {Instruction::Contains, 2, {Operation::Kind::Binary, Op::Contains, Op::Nop, {}}},
    {Instruction::Assoc, 3, {Operation::Kind::Assoc, Op::Assoc, Op::Nop, {}}},
    {Instruction::Less, 2, {Operation::Kind::Comparison, Op::Lt, Op::Nop, {}}},
    {Instruction::LessOrEqual, 2, {Operation::Kind::Comparison, Op::Le, Op::Nop, {}}},
    {Instruction::Greater, 2, {Operation::Kind::Comparison, Op::Gt, Op::Nop, {}}},
    {Instruction::GreaterOrEqual, 2, {Operation::Kind::Comparison, Op::Ge, Op::Nop, {}}},
    {Instruction::Equal, 2, {Operation::Kind::Comparison, Op::Eq, Op::Nop, {}}},
    {Instruction::NotEqual, 2, {Operation::Kind::Comparison, Op::Ne, Op::Nop, {}}},
#define PTC_PREDICATE(Name, builtin)                                                                                   \
    {Instruction::Name, 1, {Operation::Kind::Predicate, Op::Test, Op::Nop, Predicate::Name}},
#include "vm/predicates.def"
#undef PTC_PREDICATE
};

} // namespace

std::optional<Operation> operation_for(const Node& call) {
    const Instruction instruction = builtin_at(call.index).instruction;
    if (instruction == Instruction::None || instruction == Instruction::HasItems) return std::nullopt;
    for (const Row& row : kRows) {
        if (row.instruction == instruction && row.arguments == call.children.size()) return row.operation;
    }
    return std::nullopt;
}

std::optional<Predicate> condition_for(const Node& call) {
    if (builtin_at(call.index).instruction == Instruction::HasItems && call.children.size() == 1)
        return Predicate::HasItems;
    const std::optional<Operation> operation = operation_for(call);
    if (!operation || operation->kind != Operation::Kind::Predicate) return std::nullopt;
    return operation->predicate;
}

std::optional<ComparisonJumps> jumps_of(Op comparison) {
    switch (comparison) {
    case Op::Lt: return ComparisonJumps{Op::JumpLt, Op::JumpLtK, Op::JumpNotLt, Op::JumpNotLtK};
    case Op::Le: return ComparisonJumps{Op::JumpLe, Op::JumpLeK, Op::JumpNotLe, Op::JumpNotLeK};
    case Op::Gt: return ComparisonJumps{Op::JumpGt, Op::JumpGtK, Op::JumpNotGt, Op::JumpNotGtK};
    case Op::Ge: return ComparisonJumps{Op::JumpGe, Op::JumpGeK, Op::JumpNotGe, Op::JumpNotGeK};
    case Op::Eq: return ComparisonJumps{Op::JumpEq, Op::JumpEqK, Op::JumpNotEq, Op::JumpNotEqK};
    case Op::Ne: return ComparisonJumps{Op::JumpNotEq, Op::JumpNotEqK, Op::JumpEq, Op::JumpEqK};
    default: return std::nullopt;
    }
}

Op with_left_constant(Op operation) {
    switch (operation) {
    case Op::Add: return Op::AddToK;
    case Op::Mul: return Op::MulWithK;
    case Op::BitAnd: return Op::BitAndWithK;
    case Op::BitOr: return Op::BitOrWithK;
    case Op::BitXor: return Op::BitXorWithK;
    default: return Op::Nop;
    }
}

Op mirrored(Op comparison) {
    switch (comparison) {
    case Op::Lt: return Op::Gt;
    case Op::Le: return Op::Ge;
    case Op::Gt: return Op::Lt;
    case Op::Ge: return Op::Le;
    default: return comparison;
    }
}

Special special_of(std::uint32_t builtin) {
    switch (builtin_at(builtin).instruction) {
    case Instruction::Assoc: return Special::Assoc;
    case Instruction::GroupAppend: return Special::GroupAppend;
    case Instruction::Get: return Special::Get;
    case Instruction::Add:
    case Instruction::Subtract:
    case Instruction::Multiply:
    case Instruction::Minimum:
    case Instruction::Maximum: return Special::Sum;
    default: return Special::None;
    }
}

} // namespace ptc
