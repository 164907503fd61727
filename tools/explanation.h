// What a program can do and its most fuel: what `explain` and `mcp` report.
#pragma once
#include "compiler/bounds/effects.h"
#include "compiler/bounds/fuel_bound.h"
#include "ptc/ptc.h"
#include <memory>
#include <string>
#include <vector>

namespace ptc {

struct Explanation {
    Effects effects;
    FuelBound fuel;
    const Source& source; ///< of the program, which outlives this
};
/// From the bytecode alone; `data` is what the program is to read. To be called within a work::Scope.
Explanation explain(const Program& program, const std::vector<std::shared_ptr<const DataSet>>& data);

std::string explanation_text(const Explanation& explanation);
/// On one line, without its end.
std::string explanation_json(const Explanation& explanation);

} // namespace ptc
