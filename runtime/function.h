// Functions that are heap objects, and references to names.
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

/// ObjectType::Var (`#'name`) and ObjectType::Symbol (a quoted name) are laid out as a StringObject that holds the
/// name; text_of reads it. A var is looked up in the namespace of the VM that uses it.
Result<Value> make_var(Heap& heap, std::string_view name);
Result<Value> make_symbol(Heap& heap, std::string_view name);

} // namespace ptc
