// Gives errors the edits that mend the program: what a model, or a person, would have to change. Works on the error
// path only; may be wrong; never changes which programs are accepted.
#pragma once
#include "compiler/language/core_library.h"
#include "compiler/repair/surroundings.h"
#include "frontend/form.h"
#include "ptc/diagnostic.h"
#include "ptc/source.h"

namespace ptc::repair {

/// The errors of an analysis. Edits of all of them may be applied together: what follows from another error, or lies in
/// text that another one's edits replace, gets none; errors in text that is taken away are left out.
void repair_analysis(const Source& source, const Forms& forms, const CoreLibrary& core,
                     const Surroundings& surroundings, Diagnostics& diagnostics);

/// The error of a run of the program `source`, of a kind that an edit may mend. Reads the text again.
void repair_run(const Source& source, const CoreLibrary& core, const Surroundings& surroundings, Error& error);

/// The same for warnings whose edits the checker does not know, of a program that has no errors.
void repair_warnings(const Source& source, const Forms& forms, const CoreLibrary& core,
                     const Surroundings& surroundings, Diagnostics& diagnostics);

} // namespace ptc::repair
