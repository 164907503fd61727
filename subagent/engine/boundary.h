// Values that cross a boundary whose signature is known: checked by the VM where they are, in its heap.
#pragma once
#include "compiler/signature/signature_compiler.h"
#include "ptc/signature.h"
#include "runtime/heap.h"
#include <functional>

namespace ptc {

/// Runs a validator on a value of some VM (Vm::check, Vm::check_for_call).
using CheckRunner =
    std::function<Result<Value>(const Program& validator, Value value, const CheckOptions&, CheckReport&)>;

/// A value that was checked.
struct CheckedValue {
    Value value;
    std::vector<Fault> warnings;
    std::optional<Error> error; ///< validation_error: the value may not cross
};

/// Checks a value as `options` want it: what does not fit is in `report`.
Result<Value> run_check(const CheckRunner& run, const CompiledSignature& signature, Direction direction, Value value,
                        const ValidationOptions& options, CheckReport& report);

/// Checks arguments or a result. An Error only when fuel, memory or time ends. `what` begins the message: "The
/// arguments of `find` do not fit its signature".
Result<CheckedValue> check_value(const CheckRunner& run, const CompiledSignature& signature, Direction direction,
                                 Value value, const ValidationOptions& options, std::string_view what);

} // namespace ptc
