// Whether what an agent gives is what a client's schema asks for.
#pragma once
#include "ptc/type.h"
#include <optional>
#include <string>

namespace ptc {

/// None when each value of `given` fits `asked`; else where it may not, in a sentence. Fields that a client does not
/// ask for are a misfit, as its schema may be closed.
std::optional<std::string> misfit(const Type& given, const Type& asked);

} // namespace ptc
