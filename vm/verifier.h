// Accepts a program only if running it is memory-safe, whatever its bytes: so bytecode from a file can be loaded.
#pragma once
#include "ptc/result.h"
#include "vm/program.h"

namespace ptc {

/// Checks every function: operands inside their tables, windows inside the frame, jumps to instructions, calls with the
/// arguments that the callee takes, every loop charged, and ownership: on each path no register is read after its value
/// moved on, none is overwritten while it owns one, and all are empty on return. Linear in the code's size.
/// invalid_bytecode, naming function and word, otherwise.
Result<void> verify(const Program& program);

} // namespace ptc
