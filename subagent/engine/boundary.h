// Values that cross a boundary whose signature is known: checked by the VM where they are, in its heap.
#pragma once
#include "compiler/signature/signature_compiler.h"
#include "ptc/signature.h"
#include "runtime/clock.h"
#include "runtime/heap.h"
#include <atomic>
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

/// What checks on behalf of somebody may take, beside the work::Scope of the thread.
struct CheckTerms {
    Meter::Clock::time_point deadline;
    const std::atomic<bool>* interrupt; ///< borrowed
    std::int64_t* fuel;                 ///< what there is, and afterwards what is left
};
/// Whether a value that only a host has fits. An Error when it takes longer than `terms` allow.
Result<bool> fits_in_time(const CompiledSignature& signature, Direction direction, const Datum& value,
                          const ValidationOptions& options, const CheckTerms& terms);

/// Checks arguments or a result. An Error only when fuel, memory or time ends. `what` begins the message: "The
/// arguments of `find` do not fit its signature".
Result<CheckedValue> check_value(const CheckRunner& run, const CompiledSignature& signature, Direction direction,
                                 Value value, const ValidationOptions& options, std::string_view what);

/// The field of a record, or of the records of a union, with this name in any spelling; or null.
const Field* declared_field(const Type& type, std::string_view name);

/// A value that was checked, for a tool with Tool::keeps_keys.
Result<Datum> with_free_keys(Heap& heap, const Value& value, const CompiledSignature& signature, Direction direction);

} // namespace ptc
