// The language in a page, for system prompts: made of the tables that the compiler works with.
#pragma once
#include "compiler/language/core_library.h"
#include <string>

namespace ptc {

/// The rules that Clojure does not teach, and every name of the language by its section of the reference. About 6 KB.
std::string language_card(const CoreLibrary& core);

/// The same for a model that may run programs beside its answer (requirement 208): what lisp_eval is for, and the names
/// that most programs need. At most kMostCompactCard bytes, about 300 tokens.
std::string compact_card(const CoreLibrary& core);
inline constexpr std::size_t kMostCompactCard = 1200;

} // namespace ptc
