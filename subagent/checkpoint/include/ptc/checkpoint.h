// Missions in a SQLite file, so that they survive the end of their process. Not part of <ptc/ptc.h>: link
// ptc::checkpoint.
//
//   auto file = ptc::CheckpointFile::open("missions.db");
//   ptc::Result<ptc::Step> step = file.value()->run(agent, "order-17", options);   // begins, or goes on
//
// What is written, and when:
//
// - Before models or tools are called: the whole mission (Mission::save), and of each call that it is about to be made.
// - Images and files of the mission (ptc/attachment.h), each once by its digest, as long as the mission has them.
// - Each answer, as soon as it is there, before the mission gets it.
// - The finished mission. But one that failed for a reason outside of it (its model could not be called: `llm_error`,
//   `llm_required`, `model_not_found`; the host stopped it: `interrupted`) stays as it was before that, so that `run`
//   goes on with it when the key is right or the network is back: only what failed is called again.
// - A mission that waits for approvals which MissionOptions::approve does not give now, or when there is nobody to ask:
//   `run` ends with `approval_pending`, and the next `run`, after days perhaps, asks again and goes on where the
//   program stands. An approval that was given is asked for once.
//
// So a call whose answer was written is never made again. One that was about to be made when the process ended may have
// been made or not: it is made again, with the same key (Tool::keyed_function, LlmRequest::key), by which a tool
// recognises it and so does everything once.
#pragma once
#include "ptc/mission.h"
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptc {

/// A mission as the file knows it.
struct CheckpointedMission {
    std::string id;
    std::string note; ///< the host's, as it was given when the mission began
    bool is_done = false;
    std::uint64_t answers = 0; ///< calls that were answered
};

/// A call, as the journal has it.
struct CheckpointedCall {
    enum class Kind : std::uint8_t { ModelCall, ToolCall, Approval };
    std::uint64_t need = 0; ///< LlmNeed::id or ToolNeed::id
    Kind kind = Kind::ToolCall;
    std::string
        name{}; ///< of the tool, also of an approval; of a model its name in the registry, "" for the mission's own
    bool is_answered = false;
};

/// A SQLite file in WAL mode with synchronous=FULL: what was written is there after a crash of the machine, too. Any
/// number of missions, any number of processes. One mission is run by one process at a time, which holds a lease in the
/// file; others are refused (invalid_request). The lease of a process that has ended counts for nothing on the same
/// machine; elsewhere it ends thirty seconds after it was renewed, and whoever wakes up later than that can write no
/// more. May be used by several threads. It is its owner's alone (0600) and not reached through a symbolic link.
/// Whoever can write the rows decides what missions do: they are as trusted as the program's own files. Its tables are
/// not: a file with other ones is refused.
class CheckpointFile {
public:
    /// Opens the file, or makes one. invalid_request when it cannot be opened, or is something else.
    static Result<std::shared_ptr<CheckpointFile>> open(const std::string& path);
    ~CheckpointFile();
    CheckpointFile(const CheckpointFile&) = delete;
    CheckpointFile& operator=(const CheckpointFile&) = delete;

    /// Runs the mission `id` to its end, as Agent::run does: from the start when the file does not know it; from where
    /// it was otherwise, then `options` give the callables again (Agent::restore); of a finished one the step. Fails
    /// when the file cannot be written, when its mission is another agent's, or run by somebody else.
    Result<Step> run(const AgentPtr& agent, const std::string& id, MissionOptions options, std::string_view note = {});

    [[nodiscard]] Result<std::vector<CheckpointedMission>> missions() const;
    [[nodiscard]] Result<std::vector<CheckpointedCall>> calls(const std::string& id) const;
    /// Forgets a mission and its journal.
    Result<void> remove(const std::string& id);

    // For hosts that answer missions by themselves: `run` is made of these.

    /// The mission as it was written last; null when the file does not know it. What it needs may have been answered
    /// since.
    Result<std::unique_ptr<Mission>> load(const AgentPtr& agent, const std::string& id, MissionOptions options);
    /// Writes the mission, and that `needs` are about to be called; in one transaction. Of a mission that is done: no
    /// needs.
    Result<void> save(const std::string& id, const Mission& mission, const Needs& needs, std::string_view note = {});
    /// Writes an answer, before Mission::answer.
    Result<void> record(const std::string& id, const LlmNeed& need, const LlmResult& result);
    Result<void> record(const std::string& id, const ToolNeed& need, const ToolAnswer& answer);
    Result<void> record(const std::string& id, const ApprovalNeed& need, const ApprovalAnswer& answer);
    /// An answer that was written; none when there is none.
    [[nodiscard]] Result<std::optional<LlmResult>> reply_to(const std::string& id, const LlmNeed& need) const;
    [[nodiscard]] Result<std::optional<ToolAnswer>> answer_to(const std::string& id, const ToolNeed& need) const;
    [[nodiscard]] Result<std::optional<ApprovalAnswer>> approval_of(const std::string& id,
                                                                    const ApprovalNeed& need) const;

private:
    Result<Step> run_leased(const AgentPtr& agent, const std::string& id, MissionOptions options,
                            std::string_view note);
    /// The mission stays as it was written last, without the answers of the calls that failed.
    Result<void> halt(const std::string& id, const std::set<std::uint64_t>& failed);
    struct Impl;
    explicit CheckpointFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
