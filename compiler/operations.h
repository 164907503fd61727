// Builtins that have instructions of their own.
#pragma once
#include "compiler/language/tree.h"
#include "vm/opcode.h"
#include <optional>

namespace ptc {

/// How a call of a builtin becomes one instruction A := op B [C].
struct Operation {
    enum class Kind : std::uint8_t {
        Unary,      ///< op
        Binary,     ///< op; op_k when the right operand is a constant
        Comparison, ///< as Binary; also jumps
        Predicate,  ///< Test with `predicate`
        Consuming,  ///< both operands are taken: conj
        Field,      ///< get with a constant key
        Nth,        ///< as Binary; another instruction for the last use of the collection
        Assoc,      ///< the collection is changed where it is
        UnaryTake,  ///< the operand is taken: rest
    };
    Kind kind = Kind::Unary;
    Op op = Op::Nop;
    Op op_k = Op::Nop; ///< Nop: none
    Predicate predicate{};
};

/// The operation for this CallBuiltin (by builtin and number of arguments), or nothing.
std::optional<Operation> operation_for(const Node& call);
/// The predicate that this CallBuiltin is where it is a condition, or nothing.
std::optional<Predicate> condition_for(const Node& call);

/// The jumps of a comparison.
struct ComparisonJumps {
    Op jump, jump_k, jump_not, jump_not_k;
};
std::optional<ComparisonJumps> jumps_of(Op comparison);
/// A sum or product with a constant on the left; Nop for all else.
Op with_left_constant(Op operation);
/// The comparison that says the same of its operands the other way round.
Op mirrored(Op comparison);

/// Builtins whose calls the emitter treats apart.
enum class Special : std::uint8_t { None, Assoc, GroupAppend, Sum, Get };
Special special_of(std::uint32_t builtin);

} // namespace ptc
