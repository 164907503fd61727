// What the program defines.
#pragma once
#include "compiler/analyze/context.h"

namespace ptc {

struct Analyzer;
class CoreLibrary;
class Names;

/// Notes every name that some form of the program defines, and which functions are defined once, at the top level: a
/// call below such a definition needs no look-up.
void find_definitions(Names& names, const CoreLibrary& core, FormSpan top_level);
/// Whether the name, a symbol or the key of memory/put, lies outside of what the host has for itself.
bool check_unprotected(Analyzer& a, const Form& name);
/// A Def or DefOnce node; from here on the name is defined.
Node* definition(Analyzer& a, NodeKind kind, const Form& name, Node* value, Span span, Tail tail);

} // namespace ptc
