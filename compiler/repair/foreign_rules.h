// What the families of foreign rules share. Private to foreign_*.cpp.
#pragma once
#include "compiler/repair/rules.h"

namespace ptc::repair {

[[nodiscard]] Place argument_place(const Subject& subject, std::size_t i);
[[nodiscard]] Kinds argument_kinds(const Subject& subject, std::size_t i);
/// rewrite_call or rewrite_value, as the name is used.
[[nodiscard]] Proposal rewrite(const Subject& subject, std::string_view alternatives);

// ---- Definitions and functions (foreign_definitions.cpp)
Proposal define_rule(const Subject& subject);
Proposal function_rule(const Subject& subject);
Proposal let_rule(const Subject& subject);
Proposal defrecord_rule(const Subject& subject);

// ---- Control and state (foreign_control.cpp)
/// (handler-case body (error (e) ..)), (with-handlers (..) body)
Proposal guarded_rule(const Subject& subject);
Proposal switch_rule(const Subject& subject);
Proposal foreach_rule(const Subject& subject);
Proposal read_string_rule(const Subject& subject);

} // namespace ptc::repair
