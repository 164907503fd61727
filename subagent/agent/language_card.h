// The language in a page, for system prompts: made of the tables that the compiler works with.
#pragma once
#include "compiler/language/core_library.h"
#include <string>

namespace ptc {

/// What a writer of Clojure has to know, and the functions beside Clojure's. At most kMostCard bytes.
std::string language_card(const CoreLibrary& core);
inline constexpr std::size_t kMostCard = 2500;

/// The same for a model that may run programs beside its answer (requirement 208): what lisp_eval is for, and
/// that programs read what calls beside them gave if tools have such (requirement 210). At most kMostCompactCard bytes,
/// about 300 tokens.
std::string compact_card(const CoreLibrary& core, bool has_cached_calls);
inline constexpr std::size_t kMostCompactCard = 1200;

} // namespace ptc
