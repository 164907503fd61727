// The .ptcb format: a compiled program as bytes.
//
//   "PTCB"  version u16  fingerprint u64 (of the instruction set)   source name, source text
//   counts and names: defined, data, tools
//   functions: header fields, code words, take masks, spans, constants
//   constants are tagged values; builtins and core functions go by name, functions of the program by index
//   checksum u64 of everything before it
//
// All numbers are little-endian; lengths are LEB128. Version history: 1, the first; 2, the parameters of functions; 3,
// constants of preludes.
#pragma once
#include "frontend/bytes.h"
#include "ptc/result.h"
#include "vm/program.h"
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ptc {

/// Finds a function of the core library by name and number of its arity in the chain; null when there is none.
using FunctionResolver = std::function<const FunctionProto*(std::string_view name, std::uint32_t arity)>;

/// Constants that are not the program's own, but those of preludes: a file refers to them. Both sides have the same
/// preludes.
struct SharedConstants {
    /// Writes where `object` is; false when it is not there.
    std::function<bool(const Object* object, ByteWriter& out)> write{};
    /// Frozen bits; a hole when there is no such place.
    std::function<Bits(ByteReader& in)> read{};
    /// Those of functions in constants, which have no name that the resolver knows.
    std::vector<const Program*> programs{};
    std::uint64_t fingerprint = 0; ///< of what the places and programs are of
};

std::string write_program(const Program& program, const SharedConstants& shared = {});

/// The program in `bytes`, verified. invalid_bytecode for anything that write_program did not make in this version,
/// however it was changed; never crashes. Memory is bounded by the size of `bytes`, that of constants by what a
/// compiled program may have. Work, which is linear, is charged to a copy of `budget`, whose end it meets with that
/// one's error.
Result<std::unique_ptr<Program>> read_program(std::string_view bytes, const FunctionResolver& resolve,
                                              const SharedConstants& shared = {}, const Meter& budget = {});

/// Makes header and checksum of `bytes` those of this version, whatever they were: for tests of what lies behind them.
void seal_program_file(std::string& bytes);

/// Changes with any instruction, its number or its operands.
std::uint64_t instruction_set_fingerprint();

/// Whether `bytes` start like a .ptcb file.
bool is_program_file(std::string_view bytes);

} // namespace ptc
