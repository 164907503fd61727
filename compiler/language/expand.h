// Forms that stand for other forms: what is said in the terms of the language before anything is analysed.
#pragma once
#include "frontend/form.h"
#include "ptc/diagnostic.h"

namespace ptc {

/// Changes the top level of `forms`, which keeps its spans:
/// - (defrecord Name [field ..]) becomes the definitions of ->Name and map->Name, (Name. x ..) the call of ->Name,
///   and (instance? Name x) the question whether x is one (records.h);
/// - the one hierarchy of a program that says (derive child parent) becomes a name of it, and that of a multimethod a
///   part of its dispatch function (hierarchies.h);
/// - (def fibs (lazy-cat [0 1] (map + fibs (rest fibs)))), a sequence that is made of itself, is one by iterate;
/// - a (do ..) with definitions that have to stand at the top level becomes its parts.
///
/// A method that its protocol lacks is an error, and so are more of them than there may be: then it gives false, and
/// nothing was changed.
[[nodiscard]] bool expand_forms(Forms& forms, Diagnostics& diagnostics);

} // namespace ptc
