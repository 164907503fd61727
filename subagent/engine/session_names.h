// The names of a session, as the compiler of its next program asks for them.
#pragma once
#include "vm/namespace.h"
#include <string_view>
#include <vector>

namespace ptc {

/// Views into the namespace: until the next definition.
struct SessionNames {
    std::vector<std::string_view> bound;
    /// Those that are sequences by need.
    std::vector<std::string_view> sequences{};
    /// These, and those that may give one: functions that make some, and functions that use one of these names. To name
    /// too many costs what asking costs when programs run.
    std::vector<std::string_view> by_need{};
    /// What earlier programs have declared (compiler/language/declarations.h), and whether that is remembered.
    std::string_view declarations{};
    bool are_of_session = false;
};

/// Of these `bound` alone.
std::vector<std::string_view> bound_names(const Namespace& names);
SessionNames names_of(const Namespace& names);
/// Of these the declarations alone.
std::string_view declarations_of(const Namespace& names);

} // namespace ptc
