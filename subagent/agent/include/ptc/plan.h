// Plans: results that are kept as text, read by somebody, and carried out later by another agent.
//
//   std::string text = ptc::plan_json(planner->run(options)).value();  // for a file, for people to read and to change
//   execution.previous = ptc::read_plan(text).value();                 // its result is the executor's context
#pragma once
#include "ptc/step.h"
#include <string>
#include <string_view>

namespace ptc {

/// {"ptc_plan": 1, "signature": its agent's, "value": what it gave}, firewalled values included. invalid_request for a
/// step that failed.
Result<std::string> plan_json(const Step& step);
/// A step with the value, for MissionOptions::previous. invalid_request for a text that is no plan; validation_error
/// when the value does not fit the signature, as somebody may have changed it. Nothing in it is trusted.
Result<Step> read_plan(std::string_view json);

} // namespace ptc
