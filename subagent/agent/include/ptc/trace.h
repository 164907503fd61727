// Events as lines of JSON, written as they happen: logs, and traces that survive a crash.
//
//   auto trace = ptc::TraceFile::create("mission.jsonl");
//   options.on_event = [file = trace.value()](const ptc::MissionEvent& event) { file->write(event); };
#pragma once
#include "ptc/agent.h"
#include "ptc/owned.h"
#include <memory>
#include <string>

namespace ptc {

class LineFile;

/// A compact JSON object: "event", "run", "parent" (of agents that others called), "agent", "depth", "turn" (within
/// one), and by kind of event (optional members are absent when there is nothing to say):
///
///   mission_start  signature, prompt (the template, or the message of a chat)
///   turn_start     told (since the last reply), system (in an agent's first turn; later ones have the same)
///   llm_reply      text, reasoning?, model?, tokens, duration_us
///   llm_retry      model? (that failed before another one answered), reason, message
///   program_start  program
///   tool_start     tool, arguments, exposure_layer ("native", "ptc_lisp"), handoff? (true: the agent
///                  takes over); not of calls that the cache answers
///   tool_call      the same; ok, result and result_preview_truncated, or reason, message; cached, duration_us;
///                  of a cached tool cache_key_hash, full_result_cached, retained_bytes
///   approval_request  tool, arguments, exposure_layer; line, column (of the call in the program); message (why the
///                  answer before could not be followed, or what a guard asks); point instead of a tool, of what a
///                  guard asks about that is no call
///   approval_answer  tool, point and arguments (as the call is made), exposure_layer, ok, reason?, message?,
///                  changed_arguments
///   compaction     text (what the model reads instead of the turns that were cut)
///   guard          guard, point, tool?, ok (it changed something), reason ("change", "refuse", "ask"), message?
///   turn_stop      ok, reason?, message?, program?, result?, prints, tool_calls, tokens, fuel, peak_heap_bytes,
///                  warnings?, more_warnings?, duration_us (of the program)
///   mission_stop   ok, result and result_preview_truncated, or reason and message; duration_us; usage (turns,
///                  llm_calls, tool_calls, tokens, fuel, peak_heap_bytes; the agents that it called included);
///                  warnings?, more_warnings?
///
/// warnings: [{of ("context", "result" or a tool's name), text, times}], what was coerced or let through.
/// tokens: {input, output, cache_read, cache_creation, cost_usd}. Results are previews. Arguments whose JSON is longer
/// than kMaxTracedArguments are a preview too, as a text, and arguments_bytes is their size.
std::string event_json(const MissionEvent& event);
inline constexpr std::size_t kMaxTracedArguments = std::size_t{16} << 10;

/// A JSONL file of events, each with its "time" (UTC, milliseconds) in front. A line is handed to the system in one
/// piece before `write` returns: the end of the process, however it comes, loses none. Any number of missions and
/// threads may write.
class TraceFile {
public:
    /// Makes the file empty. invalid_request when it cannot be written.
    static Result<std::shared_ptr<TraceFile>> create(const std::string& path);
    /// Goes on behind what the file has, for a mission that goes on; makes it when there is none.
    static Result<std::shared_ptr<TraceFile>> append(const std::string& path);
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    void write(const MissionEvent& event);
    /// The errno of the first write that failed, 0 when none did. Nothing is written after one.
    [[nodiscard]] int error_number() const;

private:
    explicit TraceFile(std::unique_ptr<LineFile> file);
    Owned<LineFile> file_;
};

} // namespace ptc
