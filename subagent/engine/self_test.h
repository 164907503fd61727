// That limits bite in this build: for programs that run for long on behalf of others, before they begin.
#pragma once
#include "ptc/limits.h"
#include "ptc/result.h"
#include <functional>

namespace ptc {

/// Runs a small program beyond each limit, and looks whether it ends with the limit's own reason; some hundred
/// microseconds in all. The error names the first limit that did not bite. `change` is for tests of this one: it
/// gets the limits of each program, and may switch them off.
Result<void> self_test(const std::function<void(Limits&)>& change = {});

} // namespace ptc
