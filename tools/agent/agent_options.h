// An agent's options as JSON: what `ptcc agent --agent FILE` and the rows of scenarios have in common.
#pragma once
#include "ptc/ptc.h"
#include <functional>
#include <string>

namespace ptc {

/// How the functions that a row only describes are made.
struct PartMakers {
    /// The function of a host tool, from its row.
    std::function<Result<ContextToolFunction>(const std::string& name, const Datum& row)> tool;
    /// A model that a row gives as the list of its replies.
    std::function<Llm(const Datum::List& replies)> model;
    bool one_tool_at_a_time = false; ///< Tool::one_at_a_time of host tools
};

/// The options that `row` has, the others as they are by default. invalid_request names the member that is wrong.
Result<AgentOptions> read_agent(const Datum& row, const PartMakers& makers);

/// {"max_attempts"?, "backoff"?, "base_delay"?, "retryable_errors"?: [..]}. invalid_request names what is wrong.
Result<RetryPolicy> read_retry(const Datum& row, std::chrono::milliseconds base_delay);

} // namespace ptc
