// What a tool that runs programs answers (requirements 229 to 231): one form for the tool lisp_eval of agents, for
// hosts that offer programs to a model by themselves, and for servers.
//
//   ptc::Outcome outcome = session.run(program, {.want_datum = true});
//   reply(ptc::eval_payload(session, outcome).to_json());
#pragma once
#include "ptc/agent.h"

namespace ptc {

struct EvalPayloadOptions {
    PromptLimit limit{}; ///< how much of values is shown
    /// The session goes on with a next program: the payload lists what is defined, and how to read on where it is cut.
    bool has_memory = true;
    std::string_view program{}; ///< its text, of which the feedback of an error shows the lines
};

/// Of a run that has ended in `session`; without EvalPayloadOptions::has_memory any session will do. `outcome` has its
/// datum (RunOptions::want_datum).
///
///   {"status": "ok", "result": "user=> VALUE", "prints": [..], "feedback": TEXT, "truncated": BOOLEAN, "more"?: [..],
///    "memory"?: {"changed": {NAME: VALUE}, "stored_keys": [..], "truncated": BOOLEAN}}
///   {"status": "error", "reason": REASON, "message": TEXT, "feedback": TEXT, "result"?: VALUE}
///
/// REASON is parse_error, runtime_error, timeout, memory_limit, validation_error, or fail, which alone has a result.
/// VALUE is a preview. `more` lists where it is cut: {"path": ["rows"], "shown": 5, "total": 1842,
/// "next"?: "(take 5 (drop 5 (get-in *1 [\"rows\"])))"}; of a text "total_bytes" instead of "total", of what lies too
/// deep neither. `next` is the program with which the session's next run reads on; a value that `return` gave is not
/// kept, and has none. Values below keys that start with `_` are hidden; printed lines and messages are as they are.
Datum eval_payload(const Session& session, const Outcome& outcome, const EvalPayloadOptions& options = {});

/// Of a call that ran nothing: args_error, multiple_tool_calls, mixed_with_lisp_eval, unknown_tool, ..
Datum eval_refusal(std::string_view reason, std::string_view message);

} // namespace ptc
