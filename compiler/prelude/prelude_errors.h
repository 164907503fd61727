// The wording of everything about preludes: of what their authors do wrong, and of what programs do with them.
#pragma once
#include "frontend/form.h"
#include "ptc/error.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

struct PreludeNamespace;

// ---- In programs
Error unknown_export(Span where, const PreludeNamespace& space, std::string_view member);
/// A definition of `name`, which is qualified with `space`. `is_export`: the prelude defines it.
Error protected_name(Span where, std::string_view name, std::string_view space, bool is_export);

// ---- In preludes: their shape
Error not_in_prelude(Span where);
Error before_namespace(Span where);
Error bad_namespace_form(Span where, std::string_view what);
Error reserved_namespace(Span where, std::string_view name);
Error reopened_namespace(Span where, std::string_view name);
Error bad_definition(Span where, std::string_view head, std::string_view what);
Error repeated_definition(Span where, std::string_view name, Span first);
Error special_name(Span where, std::string_view name);
/// `key` is "" when the metadata is no map of keywords at all.
Error bad_metadata(Span where, std::string_view key, std::string_view what);

// ---- In preludes: their bodies
Error qualified_sibling(Span where, std::string_view space, std::string_view member);
/// A form that needs, or changes, what a session remembers.
Error stateful_prelude(Span where, std::string_view form);
Error constant_before_definition(Span where, std::string_view name, std::string_view user, Span definition);
Error constant_from_tool(Span where, std::string_view name, std::string_view tool);
/// `what`: "the clock", "data/name".
Error changing_constant(Span where, std::string_view name, std::string_view what);
Error ended_constant(Span where, std::string_view name, std::string_view form);

// ---- Of engines
Error missing_tool(Span where, std::string_view member, std::string_view need, const std::vector<std::string>& nearest);
Error unknown_need(Span where, std::string_view member, std::string_view need);

} // namespace ptc
