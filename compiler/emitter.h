// The resolved tree to bytecode: registers, instructions, fuel, spans.
#pragma once
#include "compiler/language/tree.h"
#include "ptc/diagnostic.h"
#include "vm/program.h"

namespace ptc {

struct EmitOptions {
    bool optimize = true;   ///< false: no fused or specialised instructions (for differential tests)
    bool is_core = false;   ///< the core library itself
    bool is_sealed = false; ///< functions call each other directly: they have no names that a session could rebind
};

/// Fills `program.functions` from the tree (functions[0] is the top level). Constants must live in program.heap; they
/// are frozen. Reports limit_exceeded when a function needs more registers than there are.
void emit_program(Tree& tree, Program& program, const EmitOptions& options, Diagnostics& diagnostics);

} // namespace ptc
