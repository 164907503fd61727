// Forms that stand for other forms: what is said in the terms of the language before anything is analysed.
#pragma once
#include "frontend/form.h"

namespace ptc {

/// Changes the top level of `forms`, which keeps its spans:
/// - (defrecord Name [field ..]) becomes the definitions of ->Name and map->Name, and (Name. x ..) the call of ->Name;
/// - a (do ..) with definitions that have to stand at the top level becomes its parts.
void expand_forms(Forms& forms);

} // namespace ptc
