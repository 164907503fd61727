// Source text to a Program: the entry of the compiler.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/emitter.h"
#include "compiler/language/core_library.h"
#include "ptc/diagnostic.h"
#include "vm/program.h"
#include <memory>

namespace ptc {

struct CompileOptions {
    Environment environment;
    CompileLimits limits;
    EmitOptions emit;
    bool behind_syntax = true; ///< after syntax errors that have edits, look at the text as mended
    bool warnings = true;      ///< look for what is allowed and not meant (check.h)
    bool only_check = false;   ///< no code is made, and `compile` gives null
    Meter budget{};            ///< deadline and interrupt of all this; its end is an error of the program
};

/// Compiles the core library itself and binds the program to it. Once, before its values are used.
void compile_core(const CoreLibrary& core, Diagnostics& diagnostics);

/// Reads, analyses and compiles. Null when `diagnostics` got errors (warnings may be there either way). The result is
/// immutable and may be shared among threads. `core` must outlive it.
std::unique_ptr<Program> compile(Source source, const CompileOptions& options, const CoreLibrary& core,
                                 Diagnostics& diagnostics);

} // namespace ptc
