// Functions that are heap objects.
#pragma once
#include "runtime/string.h"

namespace ptc {

/// ObjectType::Closure: a program's function with what it captured. `count` captured values follow the struct.
struct ClosureObject : Object {
    std::uint32_t count;
    const FunctionInfo* function; ///< owned by the program
    [[nodiscard]] Value* captures() { return reinterpret_cast<Value*>(this + 1); }
    [[nodiscard]] const Value* captures() const { return reinterpret_cast<const Value*>(this + 1); }
};
static_assert(sizeof(ClosureObject) == 24);

/// What is known of a static function or closure.
inline const FunctionInfo& function_info(const Value& function) {
    return function.is_static_function() ? *function.static_function()
                                         : *static_cast<const ClosureObject*>(function.object())->function;
}

/// What functions of runtime/core make that computes something when it is looked at, and atoms.
enum class NeedKind : std::uint8_t {
    None,    ///< all there
    Cell,    ///< gives an item and the rest
    LazySeq, ///< gives a sequence
    Delay,
    Atom,
};
/// The names of the functions that are cells, and of those that are the bodies of lazy-seq.
inline constexpr std::string_view kCellName = "lazy%";
inline constexpr std::string_view kLazySeqName = "lazy-seq%";
inline NeedKind need_kind(const Value& v) {
    if (v.is(ObjectType::Var)) return text_of(v).starts_with(kAtomPrefix) ? NeedKind::Atom : NeedKind::None;
    if (!v.is_static_function() && !v.is(ObjectType::Closure)) return NeedKind::None;
    const std::string_view name = function_info(v).name;
    if (name == kCellName) return NeedKind::Cell;
    if (name == kLazySeqName) return NeedKind::LazySeq;
    return name == "delay%" ? NeedKind::Delay : NeedKind::None;
}

} // namespace ptc
