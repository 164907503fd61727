// Forms to the resolved tree: the entry points of this room.
#pragma once
#include "compiler/analyze/environment.h"
#include "compiler/language/tree.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"

namespace ptc {

class CoreLibrary; ///< core_library.h: functions written in PTC-Lisp, inlined or called
struct PreludeScope;

/// Reports every error that it can find to `diagnostics`; the tree is only meaningful when it reported none. Constants
/// are built in `heap`. The forms must outlive the tree.
Tree analyze(const Forms& forms, const Source& source, const Environment& environment, const CoreLibrary& core,
             const CompileLimits& limits, Heap& heap, Diagnostics& diagnostics);

/// The same for a namespace of a prelude, as far as `scope` asks for it; what it uses is noted there.
Tree analyze_namespace(PreludeScope& scope, const Environment& environment, const CoreLibrary& core,
                       const CompileLimits& limits, Heap& heap, Diagnostics& diagnostics);

/// The core library as a program: one Function an arity in the order of `core.all()`, the arities of a function linked
/// by next_arity; functions[0] is an empty top level. Errors in the core source are reported to `diagnostics` (a test
/// proves that there are none).
struct CoreTree {
    Tree tree;
    std::vector<Function*> first_arity; ///< of all()[i]
};
CoreTree analyze_core(const CoreLibrary& core, Heap& heap, Diagnostics& diagnostics);

} // namespace ptc
