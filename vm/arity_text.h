// How messages say what a function takes.
#pragma once
#include "runtime/builtin.h"
#include <span>
#include <string>

namespace ptc {

/// "2", "1 or 2", "at least 1": how many arguments an arity allows.
std::string arity_text(Arity arity);
/// "2 arguments", "1 or 3 arguments", "1, 2 or at least 4 arguments": what a function with these arities takes.
std::string arguments_text(std::span<const Arity> arities);

} // namespace ptc
