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

} // namespace ptc
