// Namespaces of preludes.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
struct PreludeMember;
struct PreludeScope;
struct Sibling;

/// A call of what a prelude exports.
Node* call_export(Analyzer& a, const PreludeMember& member, const Form& list, Tail tail);
/// A definition of the namespace that is being compiled, as a value ..
Node* sibling_value(Analyzer& a, const Sibling& sibling, Span span, Tail tail);
/// .. and called.
Node* call_sibling(Analyzer& a, const Sibling& sibling, const Form& list, Tail tail);

/// The bodies that `scope` asks for: the wanted functions, and as the top level the constant.
void analyze_definitions(Analyzer& a, PreludeScope& scope);

} // namespace ptc
