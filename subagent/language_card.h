// The language in a page, for system prompts: made of the tables that the compiler works with.
#pragma once
#include "compiler/core_library.h"
#include <string>

namespace ptc {

/// The rules that Clojure does not teach, and the names of special forms and of all functions by category. About 5 KB.
std::string language_card(const CoreLibrary& core);

} // namespace ptc
