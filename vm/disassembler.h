// Bytecode as text, for people.
#pragma once
#include "vm/program.h"
#include <string>

namespace ptc {

/// Every function with its instructions, one a line: offset, mnemonic, operands, what they mean, and the source line.
std::string disassemble(const Program& program);
std::string disassemble(const FunctionProto& function);

} // namespace ptc
