// The language in a page, for system prompts: made of the tables that the compiler works with.
#pragma once
#include "compiler/core_library.h"
#include <string>

namespace ptc {

/// The rules that Clojure does not teach, and every name of the language by its section of the reference. About 6 KB.
std::string language_card(const CoreLibrary& core);

} // namespace ptc
