// What the check instructions of a validator refer to: which part of the value, and which type it must have. A
// validator is an ordinary program (compiler/signature/signature_compiler.h makes it) that also has this table; no
// other code may contain check instructions.
#pragma once
#include "ptc/check_report.h"
#include "ptc/type.h"
#include "runtime/value.h"
#include <cstdint>
#include <vector>

namespace ptc {

/// The kinds of values between which types distinguish. A set of kinds is a mask, kind_bit(k) each.
enum class ValueKind : std::uint8_t {
    Absent, ///< a field that is not there (a hole)
    Nil,
    Bool,
    Int,
    Float,
    String,
    Keyword,
    List,
    Map,
    Set,
    DateTime, ///< an instant
    Other,    ///< functions, other dates, ..
};
using KindMask = std::uint16_t;
constexpr KindMask kind_bit(ValueKind kind) { return static_cast<KindMask>(1u << static_cast<unsigned>(kind)); }

inline constexpr auto kObjectKinds = [] {
    struct Table {
        ValueKind of[32];
    } table{};
    for (ValueKind& kind : table.of)
        kind = ValueKind::Other;
    const auto set = [&](ObjectType type, ValueKind kind) { table.of[static_cast<std::size_t>(type)] = kind; };
    set(ObjectType::String, ValueKind::String);
    set(ObjectType::Keyword, ValueKind::Keyword);
    set(ObjectType::BigInteger, ValueKind::Int);
    for (ObjectType t : {ObjectType::Vector, ObjectType::Range, ObjectType::OverlayVector})
        set(t, ValueKind::List);
    for (ObjectType t : {ObjectType::Record, ObjectType::HashMap, ObjectType::OverlayMap})
        set(t, ValueKind::Map);
    for (ObjectType t : {ObjectType::HashSet, ObjectType::OverlaySet})
        set(t, ValueKind::Set);
    set(ObjectType::Instant, ValueKind::DateTime);
    return table;
}();

inline ValueKind kind_of(Bits b) {
    if (bits::is_object(b)) return kObjectKinds.of[static_cast<std::size_t>(bits::to_object(b)->type)];
    if (bits::is_integer(b)) return ValueKind::Int;
    if (bits::is_double(b)) return ValueKind::Float;
    switch (b) {
    case bits::kHole: return ValueKind::Absent;
    case bits::kNil: return ValueKind::Nil;
    case bits::kTrue:
    case bits::kFalse: return ValueKind::Bool;
    default: return ValueKind::Other;
    }
}
inline bool is_in(KindMask mask, Bits b) { return (mask >> static_cast<unsigned>(kind_of(b)) & 1) != 0; }

/// One place of the value. The places form a tree; a path is read from it only when something is wrong there.
struct Check {
    enum class Step : std::uint8_t {
        Whole,       ///< the same place as its parent: the whole value, or an alternative of a union
        WholeInCall, ///< the same, but the parent's positions are in the calling function's frame
        Field,       ///< `field` of the parent
        Item,        ///< an element of the parent; its index is one less than register `position`
    };
    static constexpr std::uint16_t kNone = UINT16_MAX;
    static constexpr std::size_t kMaxChecks = UINT16_MAX;
    Step step = Step::Whole;
    std::uint8_t position = 0;
    std::uint16_t parent = kNone;
    const Type* type = nullptr;
    const Field* field = nullptr;
};

/// The table of one validator. Checks point into `type`, so a table never moves.
struct CheckTable {
    Type type;
    bool coerces =
        false; ///< a value that does not fit becomes one that does where that is safe: arguments, not results
    std::vector<Check> checks;
};

/// A run of a validator: what its instructions share.
struct CheckRun {
    struct Trial {
        std::size_t faults, warnings, more_faults, more_warnings;
        bool coerces; ///< outside of the trial
    };
    const CheckTable& table;
    const CheckOptions& options;
    CheckReport& report;
    bool coerces;
    std::vector<Trial> trials{}; ///< of unions, innermost last
};

} // namespace ptc
