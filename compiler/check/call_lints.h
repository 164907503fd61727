// The table of lints of calls (call_lints.def), for the checker and for tests.
#pragma once
#include <span>
#include <string_view>

namespace ptc {

struct CallLint {
    std::string_view functions; ///< with blanks between them
    std::string_view rewrite;   ///< in the notation of compiler/language/rewrite.h
    std::string_view message;
};

[[nodiscard]] std::span<const CallLint> call_lints();
/// What rows may ask of a value, between angle brackets.
[[nodiscard]] std::span<const std::string_view> call_lint_value_words();

} // namespace ptc
