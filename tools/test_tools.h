// The tools of `--test-tools`: what conformance rows and examples call.
#pragma once
#include "ptc/tool.h"
#include <vector>

namespace ptc {

/// echo (its arguments), add ({x, y}, their sum), boom (always fails), users (two of them).
std::vector<Tool> test_tools();

} // namespace ptc
