// Carries missions of a store: claims them, runs their agents, commits what they come to. Link ptc::store.
#pragma once
#include "ptc/agent.h"
#include "ptc/mission_store.h"
#include "ptc/needs.h"
#include <atomic>
#include <stop_token>

namespace ptc {

/// How a call of a tool is answered that the worker does not make: the mission waits for it in the store, for any
/// length of time, and holds no worker. With neither member a signal answers it (`tool_signal`).
struct Elsewhere {
    /// A mission that begins with the commit of the call: its result is the answer, and the call fails as it does. Its
    /// id may be "": one is made of the mission's and the call's. Queue, tenant and priority are not the parent's by
    /// themselves (ClaimedMission has those).
    std::optional<NewMission> child{};
    /// That long after the call was committed it is answered by nil, unless another answer came before: alone, a time
    /// that the program waits for.
    std::optional<Millis64> at_most{};
};

/// What the store keeps of a mission's agent and context, made into what runs.
struct Runnable {
    AgentPtr agent{};
    MissionOptions options{}; ///< context, data, models, tools; the worker adds id, stop, approvals
    /// A mission that failed for a reason outside of it (its model could not be called) is given back to the store, and
    /// tried again after that long, then twice as long, up to `longest_backoff`; after NewMission::max_attempts it
    /// fails.
    Millis64 backoff{1'000};
    Millis64 longest_backoff{60'000};
    /// Of calls of tools: nothing for those that the worker makes. Called once for each call under each claim, on the
    /// thread that carries the mission, and to say the same each time; what it tells others (of a call to be answered)
    /// it may tell twice, before the call is in the store. An Error is what the call fails with.
    SharedFunction<Result<std::optional<Elsewhere>>(const ToolNeed& need)> elsewhere{};
    /// Why this worker cannot carry it, though others may: it has no key for its model, or lacks its program. It is
    /// left to them: no attempt, and the worker takes less for a while. Nothing else is looked at then.
    std::optional<Error> not_here{};
};
/// Called on the worker's threads, several at once. An error counts as a reason outside of the mission.
using MissionMaker = SharedFunction<Result<Runnable>(const ClaimedMission& mission)>;

struct WorkerOptions {
    std::string name{};                ///< "": host and process
    std::vector<std::string> queues{}; ///< none: all
    std::vector<std::string> agents{}; ///< digests; none: all
    std::size_t concurrency = 100;     ///< missions at once
    /// Of contexts, snapshots and answers of missions at once, as they are claimed: when they have so many nothing more
    /// is claimed (ClaimOptions::most_bytes). One that many missions share counts for each. In memory a large context
    /// takes up to six times as much while its mission begins.
    std::uint64_t most_bytes = std::uint64_t{128} << 20;
    /// That run programs and write to the store. Of those that wait for the disk, what they write goes there together
    /// (StoreOptions::connections), so more threads are more turns a second where syncing takes its time.
    std::size_t threads = 16;
    /// Tools, and models without an event loop of their own, called at once. Those beyond wait in line; one whose time
    /// is over when its turn comes is not made, and fails.
    std::size_t calls = 64;
    Millis64 lease{30'000};
    Millis64 poll{500};       ///< how often it looks for missions when nobody tells it of them
    bool until_empty = false; ///< ends when nothing that it can carry is ready, running, or ready later
    Millis64 give_up{
        15'000};        ///< with until_empty it ends when the store has failed all that time, e.g. its disk is full
    Approver approve{}; ///< asked first; without an answer the mission waits in the store
    /// On the worker's threads, several at once, but one event of a mission after the other.
    SharedFunction<void(const ClaimedMission& mission, const MissionEvent& event)> on_event{};
    /// After the last event of a mission here: it is over, waits, or is given back, lost or left.
    SharedFunction<void(const ClaimedMission& mission)> on_over{};
    SharedFunction<void(std::string_view json)> on_log{}; ///< one JSON object a line; one call after the other
};

/// WorkerOptions::name of a worker that has none: host and process.
std::string usual_worker_name();
/// A line of a worker's log (WorkerOptions::on_log), with the time of now: of what a host says beside it. `members` is
/// "", or further ones as JSON, each behind a comma.
std::string worker_log_line(std::string_view level, std::string_view event, std::string_view worker,
                            std::string_view mission = {}, std::string_view members = {});

/// What a person said to an approval that a mission waits for (StoredCall::need), for MissionStore::signal.
Signal approval_signal(std::uint64_t need, const ApprovalAnswer& answer);
/// What a tool that is answered from outside gave (StoredCall::Kind::Outside), for the same.
Signal tool_signal(std::uint64_t need, const ToolAnswer& answer);
/// What was said; none of another kind of call, of one without an answer, and of bytes that are none.
std::optional<ApprovalAnswer> approval_answer(const StoredCall& call);

struct WorkerCounts {
    std::uint64_t claimed = 0, done = 0, failed = 0, cancelled = 0, waiting = 0, released = 0, lost = 0, turns = 0,
                  commits = 0, errors = 0;
};

/// An event loop over any number of missions: a mission that waits for a model or a tool holds no thread. Belongs to
/// the thread that calls `run`; `counts` may be called by others.
class Worker {
public:
    Worker(std::shared_ptr<MissionStore> store, MissionMaker maker, WorkerOptions options);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    /// Until `stop`: then nothing is claimed any more, calls under way are waited for up to `drain`, and missions are
    /// given back where they stand. Or until everything is done (WorkerOptions::until_empty). The error is the store's
    /// when it cannot be used at all; one that is away for a while is waited for (WorkerOptions::give_up). Calls that
    /// still have not ended then go on by themselves; nobody takes their answers, and whoever goes on with the mission
    /// makes them again, with the same keys.
    Result<void> run(std::stop_token stop, Millis64 drain = Millis64(10'000));
    [[nodiscard]] WorkerCounts counts() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
