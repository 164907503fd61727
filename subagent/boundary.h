// Values that cross a boundary whose signature is known: checked by the VM where they are, in its heap.
#pragma once
#include "compiler/signature_compiler.h"
#include "ptc/signature.h"
#include "vm/vm.h"

namespace ptc {

/// A value that was checked.
struct Crossing {
    Value value;
    std::vector<Fault> warnings;
    std::optional<Error> error; ///< validation_error: the value may not cross
};

/// Checks arguments or a result in `vm`. An Error only when fuel, memory or time ends. `what` begins the message:
/// "The arguments of `find`".
Result<Crossing> cross(Vm& vm, const CompiledSignature& signature, Direction direction, Value value,
                       const ValidationOptions& options, std::string_view what);

} // namespace ptc
