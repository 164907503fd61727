// Accepts a program only if running it is memory-safe, whatever its bytes: so bytecode from a file can be loaded.
#pragma once
#include "ptc/result.h"
#include "vm/program.h"

namespace ptc {

inline constexpr std::size_t kMaxCode = 4u << 20; ///< words of a function

/// Checks every function: operands inside their tables, windows inside the frame, jumps to instructions, calls with the
/// arguments that the callee takes, every loop charged, and ownership: on each path no register is read after its value
/// moved on, none is overwritten while it owns one, and all are empty on return. Linear in the code's size, a unit of
/// `meter` for a few words. invalid_bytecode, naming function and word, otherwise.
Result<void> verify(const Program& program, Meter& meter);
Result<void> verify(const Program& program); ///< code of our own

} // namespace ptc
