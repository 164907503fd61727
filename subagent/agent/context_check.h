// What a mission was given, checked before a model is called (requirement 242).
#pragma once
#include "subagent/agent/agent_core.h"
#include <optional>

namespace ptc {

/// What a context's signature declares: the fields of its result; none for "".
[[nodiscard]] Result<std::vector<Field>> context_fields(const std::string& signature);

/// Makes `given` the context of the agent's state, coerced as the signature's parameters and the context's own
/// signature say, and learns what of it is firewalled. What was let through becomes warnings of the Step. Else why it
/// cannot be: it is no map, a name is a tool's as well, or a value does not fit.
[[nodiscard]] std::optional<Fail> take_context(const AgentCore& core, Datum given);

/// Makes the data sets of the options those of the mission: checked and coerced like `context`, which was taken before
/// and whose names hide them, and what of them is firewalled learnt. Of the root alone.
[[nodiscard]] std::optional<Fail> take_shared_data(const AgentCore& core);

/// Requirement 46: with strict validation every tool needs a signature.
[[nodiscard]] std::optional<Fail> check_strictness(const AgentCore& core);

} // namespace ptc
