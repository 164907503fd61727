// Programs from files: source text, or bytecode that `ptcc build` wrote.
#pragma once
#include "ptc/ptc.h"
#include <string>

namespace ptc {

struct LoadOptions {
    bool any_tool = false;
    const std::vector<std::string>* data_names = nullptr; ///< of the runs to come, for suggestions; null: not known ///< every tool name is accepted: where the program will run is not known yet
};

/// The program in the file ("-" is standard input): compiled, or read and verified when it is bytecode. A program that
/// does not compile is no error of this function: its diagnostics are in the result. Fails when the file cannot be
/// read, and on bytecode that is damaged or was made by another version. `engine` must outlive the program.
Result<Compiled> load_program(const Engine& engine, const std::string& path, const LoadOptions& options = {});

} // namespace ptc
