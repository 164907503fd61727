// What the end of a run means outside of it: a reason, a failure, a text to mend the program by.
#pragma once
#include "ptc/engine.h"
#include "ptc/step.h"

namespace ptc {

/// Of an outcome that is an Error.
MissionReason mission_reason_of(const Outcome& outcome);
/// Its diagnostics with the lines of `program` that they are about.
std::string rendered_error(const std::string& program, const Outcome& outcome);
/// Of what the program seems not to mean, what a model must know to trust the value: data and fields that are not
/// there, comparisons that never hold, forms that do something else. "" for nothing. Names of firewalled fields are not
/// told.
std::string rendered_warnings(const std::string& program, const std::vector<Diagnostic>& warnings);
/// What a program said with (fail ..) (requirements 123 and 124); its reason is "failed" when it gave none.
Fail fail_of(const Outcome& outcome);

} // namespace ptc
