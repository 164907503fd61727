// Requests of `ptcc eval --batch` and their answers.
#pragma once
#include "ptc/ptc.h"
#include "tools/batch.h"

namespace ptc {

/// The answer to a request, a JSON object on one line. Each request has a fresh session. What is no request is answered
/// too: outcome "error" with reason invalid_request or invalid_json.
std::string answer_request(const Engine& engine, const Limits& defaults, const InputLine& line);

} // namespace ptc
