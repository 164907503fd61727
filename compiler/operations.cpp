#include "compiler/operations.h"
#include "runtime/builtin.h"
#include <vector>

namespace ptc {
namespace {

struct Row {
    std::string_view builtin;
    std::uint8_t arguments;
    Operation operation;
};

// A synonym (+', inc' ...) has no row: an error names what the program calls, and an operation knows one name.
constexpr Row kRows[] = {
    {"+", 2, {Operation::Kind::Binary, Op::Add, Op::AddK, {}}},
    {"-", 2, {Operation::Kind::Binary, Op::Sub, Op::SubK, {}}},
    {"*", 2, {Operation::Kind::Binary, Op::Mul, Op::MulK, {}}},
    {"/", 2, {Operation::Kind::Binary, Op::Div, Op::DivK, {}}},
    {"quot", 2, {Operation::Kind::Binary, Op::Quot, Op::QuotK, {}}},
    {"rem", 2, {Operation::Kind::Binary, Op::Rem, Op::RemK, {}}},
    {"mod", 2, {Operation::Kind::Binary, Op::Mod, Op::ModK, {}}},
    {"-", 1, {Operation::Kind::Unary, Op::Neg, Op::Nop, {}}},
    {"inc", 1, {Operation::Kind::Unary, Op::Inc, Op::Nop, {}}},
    {"dec", 1, {Operation::Kind::Unary, Op::Dec, Op::Nop, {}}},
    {"not", 1, {Operation::Kind::Unary, Op::Not, Op::Nop, {}}},
    {"count", 1, {Operation::Kind::Unary, Op::Count, Op::Nop, {}}},
    {"first", 1, {Operation::Kind::Unary, Op::First, Op::Nop, {}}},
    {"rest", 1, {Operation::Kind::UnaryTake, Op::Rest, Op::Nop, {}}},
    {"conj", 2, {Operation::Kind::Consuming, Op::Conj, Op::Nop, {}}},
    {"get", 2, {Operation::Kind::Field, Op::Get, Op::Field, {}}},
    {"nth", 2, {Operation::Kind::Binary, Op::Nth, Op::Nop, {}}},
    {"<", 2, {Operation::Kind::Comparison, Op::Lt, Op::Nop, {}}},
    {"<=", 2, {Operation::Kind::Comparison, Op::Le, Op::Nop, {}}},
    {">", 2, {Operation::Kind::Comparison, Op::Gt, Op::Nop, {}}},
    {">=", 2, {Operation::Kind::Comparison, Op::Ge, Op::Nop, {}}},
    {"=", 2, {Operation::Kind::Comparison, Op::Eq, Op::Nop, {}}},
    {"not=", 2, {Operation::Kind::Comparison, Op::Ne, Op::Nop, {}}},
#define PTC_PREDICATE(Name, builtin) {builtin, 1, {Operation::Kind::Predicate, Op::Test, Op::Nop, Predicate::Name}},
#include "vm/predicates.def"
#undef PTC_PREDICATE
};

/// Rows of a builtin, by its index: computed once.
struct Table {
    struct Entry {
        const Operation* one = nullptr;
        const Operation* two = nullptr;
        Special special = Special::None;
    };
    std::vector<Entry> entries;
    Table() : entries(all_builtins().size()) {
        for (const Row& row : kRows) {
            const int index = find_builtin(row.builtin);
            if (index < 0) continue;
            Entry& e = entries[static_cast<std::size_t>(index)];
            (row.arguments == 1 ? e.one : e.two) = &row.operation;
        }
        mark("assoc", Special::Assoc);
        mark("group-append%", Special::GroupAppend);
        mark("get", Special::Get);
        for (const char* name : {"+", "-", "*"})
            mark(name, Special::Sum);
    }
    void mark(std::string_view name, Special special) {
        const int index = find_builtin(name);
        if (index >= 0) entries[static_cast<std::size_t>(index)].special = special;
    }
};

const Table& table() {
    static const Table instance;
    return instance;
}

} // namespace

std::optional<Operation> operation_for(const Node& call) {
    const Table::Entry& e = table().entries[call.index];
    const Operation* found = call.children.size() == 1 ? e.one : call.children.size() == 2 ? e.two : nullptr;
    if (!found) return std::nullopt;
    return *found;
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

Special special_of(std::uint32_t builtin) { return table().entries[builtin].special; }

} // namespace ptc
