// Static checks of a program that compiles: what is allowed, and can be seen not to be what its author meant.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/language/core_library.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"

namespace ptc {

/// Looks at a program that `analyze` found nothing wrong with and reports warnings: unused bindings, code that is never
/// run, repeated clauses, values that are thrown away, comparisons that are never true, fields that a value does not
/// have, arguments that do not fit a tool's signature (errors where the environment says so). Each is certain: a
/// program without a fault gets none. Where `diagnostics` has errors already, only further errors are reported. `tree`
/// is what `analyze` made of `forms`. Linear in the size of the forms; reports nothing more once `diagnostics` is full.
void check_program(const Source& source, const Forms& forms, const Tree& tree, const Environment& environment,
                   const CoreLibrary& core, Diagnostics& diagnostics);

} // namespace ptc
