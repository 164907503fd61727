// Types to validators: programs that the VM runs on the value itself.
#pragma once
#include "ptc/signature_text.h"
#include "vm/program.h"
#include <memory>

namespace ptc {

/// The program that checks values of `type` (Vm::check runs it). Verified, immutable, to be shared among threads.
/// limit_exceeded when the type has more than 65,535 parts.
Result<std::unique_ptr<const Program>> compile_validator(Type type, Direction direction);

/// What the arguments of a call must be: a map of the parameters. Parameters without names (Malli) are arg1, arg2, ..;
/// the only one, if it is a map, is the argument map itself.
Type argument_type(const Signature& signature);

/// A signature and its two validators. Immutable, shared among threads.
struct CompiledSignature {
    Signature signature;
    std::unique_ptr<const Program> arguments;
    std::unique_ptr<const Program> result;
};
using SignaturePtr = std::shared_ptr<const CompiledSignature>;

Result<SignaturePtr> compile_signature(Signature signature);

} // namespace ptc
