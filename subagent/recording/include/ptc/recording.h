// Missions that are kept exchange by exchange, and repeated from that without any model or tool.
//
//   auto step = ptc::record_mission(agent, options, "mission.rec");      // as Agent::run, and writes the file
//   auto recording = ptc::Recording::open("mission.rec");
//   auto again = recording.value()->replay(agent, options);                // the same step, for the same fuel
//
// A mission is a function of what it was given, of the answers of models and tools, and of the order in which they
// came: with agents at work side by side, who takes the last turn of a shared budget depends on it. So the file has
// each call and approval that the mission asked for, under its number, and each answer, under the same number, in the
// order in which the mission got them; a replay gives them in that order, on one thread, whatever ran in parallel
// before.
//
// What depends on time and chance does not come from the clock of a replay:
//
// - The mission's clock stands still from one answer to the next, while it is recorded, too; each answer has its time.
//   So its limits (mission_timeout, timeouts of programs with tools) are reached at the same answers.
// - What programs see as the time is the time at which the mission began and what has passed since on that clock.
// - A program that the clock ended ends after the same fuel (exactly where no branches of pmap or pcalls ran then; else
//   near it), and one that it ended while it was compiled ends there at once: when the mission's own time ends before
//   the next answer, it may then end a little later than it did. All others have no time limit of their own in a
//   replay: their fuel bounds them, and whoever replays.
// - Random numbers, and the moment when MissionOptions::is_interrupted said so, are in the file. Waits are not waited.
// - LlmRequest::time_left and ::key are no part of what is compared. Texts are not streamed in the same pieces: on_text
//   gets each reply at once.
//
// A recording holds all that models and tools were asked and said, with firewalled values, which the mission needs: it
// is a private file (mode 0600). It holds no keys of providers, which are no part of requests.
#pragma once
#include "ptc/mission.h"
#include "ptc/shared_function.h"
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace ptc {

/// Who keeps a mission as well, while it is recorded: a CheckpointFile, by its `save` and `record`. All may be empty;
/// the first error ends the mission.
struct MissionKeeper {
    /// Before calls are made, and at the end, without needs. On the thread that runs the mission.
    SharedFunction<Result<void>(const Mission& mission, const Needs& needs)> before_calls{};
    // Each answer as soon as it is there, on the thread that made the call.
    SharedFunction<Result<void>(const LlmNeed& need, const LlmResult& result)> on_reply{};
    SharedFunction<Result<void>(const ToolNeed& need, const ToolAnswer& answer)> on_answer{};
    SharedFunction<Result<void>(const ApprovalNeed& need, const ApprovalAnswer& answer)> on_approval{};
};

/// Runs a mission as Agent::run does, on this thread, and writes the recording to `path` as things happen: each call
/// before it is made, each answer before the mission gets it. What happened until a crash is there. `note` is the
/// host's, any value that has a JSON form. Fails with invalid_request when the file cannot be written, also in
/// the middle; the mission stops there.
Result<Step> record_mission(const AgentPtr& agent, MissionOptions options, const std::string& path,
                            const Datum& note = {}, const MissionKeeper& keeper = {});

/// A recording as it was read: immutable, may be replayed on several threads at once. Nothing in it is trusted.
class Recording {
public:
    static constexpr std::size_t kMaxBytes = std::size_t{512} << 20;

    /// invalid_request: no file, more than kMaxBytes, or no recording of this format; the message names the line.
    /// timeout when reading takes longer than `limits` say, of which the time alone counts.
    static Result<std::shared_ptr<const Recording>> open(const std::string& path, const ImportLimits& limits = {});
    static Result<std::shared_ptr<const Recording>> parse(std::string text, const ImportLimits& limits = {});
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    [[nodiscard]] const Datum& note() const;
    /// False when the process ended before the mission did.
    [[nodiscard]] bool is_complete() const;

    /// The mission once more. `options` are those of the recorded one; models and tools must be there as they were, but
    /// are never called. Events come as they did, with other durations of programs. Fails with invalid_request at
    /// the first request, or result, that is another one than the recorded: the message has the call, the member that
    /// differs and both sides of it, cut; and where a recording that is not complete ends. Then nothing has been done
    /// but computing.
    /// A recording may say that its programs have fuel for days. `options.stop`, which any thread may ask for, ends the
    /// replay with interrupted, also in the middle of a program; `timeout` (wall clock, from the call; 0 is none) with
    /// timeout.
    [[nodiscard]] Result<Step> replay(const AgentPtr& agent, MissionOptions options,
                                      std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const;

private:
    struct Impl;
    explicit Recording(std::unique_ptr<const Impl> impl);
    std::unique_ptr<const Impl> impl_;
};

} // namespace ptc
