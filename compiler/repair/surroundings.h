// What repairs may know beyond the text of a program.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/language/prelude.h"
#include "ptc/diagnostic.h"
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ptc::repair {

/// Borrowed for the call.
struct Surroundings {
    std::span<const ToolInfo> tools;
    bool any_tool = false;               ///< the tools are not known
    const KnownNames* globals = nullptr; ///< of the session; null: none
    const Prelude* prelude = nullptr;
    /// Names below data/; not known when nothing is.
    std::optional<std::vector<std::string>> data_names;
    /// Keys of the maps that the run has met, in the order of names.
    std::vector<std::string> keys;
    /// What is known to be wrong with the program although it compiles, going by its data.
    std::span<const Diagnostic> warnings{};
};

} // namespace ptc::repair
