// A mission in a worker's hands, from its claim until it is given up: what came for it, what it waits for, and what is
// written of it and when.
#pragma once
#include "ptc/mission.h"
#include "ptc/worker.h"
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

namespace ptc {

/// `first`, twice as long for each time before, at most `longest`.
Millis64 backoff(Millis64 first, Millis64 longest, unsigned times_before);

class CarriedMission;
using CarriedPtr = std::shared_ptr<CarriedMission>;

/// WorkerCounts, as threads count.
struct SharedCounts {
    std::atomic<std::uint64_t> claimed{0}, done{0}, failed{0}, cancelled{0}, waiting{0}, released{0}, lost{0}, turns{0},
        commits{0}, errors{0};
};

using SteadyClock = std::chrono::steady_clock;

/// The worker, as its missions see it. All functions may be called by several threads.
class MissionCarrier {
public:
    MissionCarrier(std::shared_ptr<MissionStore> store, MissionMaker make, WorkerOptions options)
        : store_(std::move(store)), make_(std::move(make)), options_(std::move(options)) {}
    virtual ~MissionCarrier() = default;
    MissionCarrier(const MissionCarrier&) = delete;
    MissionCarrier& operator=(const MissionCarrier&) = delete;

    /// Has a call made; its answer comes by CarriedMission::put.
    virtual void call(const CarriedPtr& mission, LlmNeed need) = 0;
    virtual void call(const CarriedPtr& mission, ToolNeed need) = 0;
    /// Has a thread call CarriedMission::work.
    virtual void wake(const CarriedPtr& mission) = 0;
    /// Nothing new is begun any more.
    [[nodiscard]] virtual bool is_draining() const = 0;
    /// After a write, with its error and when it was begun, if that is long ago.
    virtual void note_store(const Error* error, std::optional<SteadyClock::time_point> begun) = 0;
    /// The mission was begun by another agent, or another version of ptc, or this worker has no model for it: for how
    /// long it is left to others. Until one can be begun, fewer are taken.
    [[nodiscard]] virtual Millis64 leave(const std::string& mission) = 0;
    virtual void note_begun() = 0;
    [[nodiscard]] virtual bool is_store_away() const = 0; ///< the last write failed for that
    [[nodiscard]] virtual bool has_given_up() const = 0;  ///< the store was away too long (WorkerOptions::give_up)
    /// `members`: more of the line, each with a comma in front.
    virtual void log(std::string_view level, std::string_view event, std::string_view mission,
                     std::string_view members) = 0;

    [[nodiscard]] MissionStore& store() const { return *store_; }
    [[nodiscard]] const MissionMaker& maker() const { return make_; }
    [[nodiscard]] const WorkerOptions& options() const { return options_; }
    SharedCounts counts;

private:
    const std::shared_ptr<MissionStore> store_;
    const MissionMaker make_;
    const WorkerOptions options_;
};

class CarriedMission : public std::enable_shared_from_this<CarriedMission> {
public:
    /// `carrier` outlives it, but for calls that nobody waits for any more.
    CarriedMission(ClaimedMission claim, std::shared_ptr<MissionCarrier> carrier);

    // ---- On any thread

    /// An answer of a call. Wakes the mission.
    void put(std::uint64_t need, std::variant<LlmResult, ToolAnswer> result);
    void note_lost();   ///< the lease is somebody else's
    void note_cancel(); ///< somebody asked for its end
    void note_late();   ///< its deadline is over
    void stop_calls() { stop_.request_stop(); }
    [[nodiscard]] bool is_to_end() const { return is_cancelled_ || is_late_; }
    [[nodiscard]] const std::string& id() const { return id_; }
    /// What a heartbeat needs.
    [[nodiscard]] ClaimedMission lease() const;
    /// Workers in a row that were lost under it; 0 as soon as it is further than they were.
    [[nodiscard]] int losses() const { return losses_; }
    [[nodiscard]] std::uint64_t claimed_bytes() const { return claimed_bytes_; } ///< ClaimedMission::bytes

    // ---- On one thread at a time

    enum class Verdict : std::uint8_t {
        Waits, ///< for what is under way, or for `retry_in`
        Over,  ///< it is not this worker's any more
    };
    /// Takes what came, runs the mission as far as it goes, writes what it came to, and has calls made.
    [[nodiscard]] Verdict work();
    /// Whether a worker before this one may have made the call.
    [[nodiscard]] bool may_be_made(std::uint64_t need) const;
    /// When to call `work` again although nothing came: the store was away.
    [[nodiscard]] std::optional<Millis64> retry_in() const { return retry_in_; }
    /// Tells WorkerOptions::on_over.
    void note_over();
    /// Gives it back where it was written last; a store that is away is not waited for.
    void give_back();

private:
    struct Arrival {
        std::uint64_t need;
        std::variant<LlmResult, ToolAnswer> result;
    };
    /// What is to be done after a step.
    enum class Next : std::uint8_t { GoOn, Wait, End };

    Next begin();
    Next take_arrivals();
    Next take(Arrival& arrival);
    Next write_and_call();
    Next finish();
    Next finish_early();
    Next rest();
    Next ask_approvals();
    Next end_times();
    Next wait_in_store();
    Next read_answers();
    void answer_known();
    void add_needs(Needs needs);
    bool add_call(std::uint64_t need, StoredCall::Kind kind, std::string name, std::string key);
    void add_tool(ToolNeed need);
    [[nodiscard]] Result<std::optional<Elsewhere>> where_answered(const ToolNeed& need) const;
    void note_committed();
    void call_here(ToolNeed need);
    [[nodiscard]] std::optional<Millis64> time_left() const;
    [[nodiscard]] std::optional<ToolAnswer> read_tool(std::uint64_t need, const std::string& bytes) const;
    template <class Answer> void give(std::uint64_t need, Answer answer);
    void call_all();
    void on_event(const MissionEvent& event);
    [[nodiscard]] Result<Commit> commit_of(bool with_snapshot) const;
    [[nodiscard]] std::string waits_for() const;
    /// After a write: lost and foreign leases end it, a store that is away is tried again.
    Next after(const Result<void>& written, std::string_view what, std::optional<SteadyClock::time_point> begun = {});
    /// Writes the answer of a call.
    Next record(std::uint64_t need, std::string_view answer, Durability durability = Durability::AtOnce);
    Next try_again();
    Next lose();
    Next try_later(std::string_view reason, const std::string& message);
    Next leave_to_others(const Error& why);
    Next fail(std::string_view reason, const std::string& message);
    template <class Event> void log(std::string_view level, const Event& event, std::string members = {});

    using SteadyTime = std::chrono::steady_clock::time_point;

    const std::string id_;
    const std::string token_;
    ClaimedMission claim_;
    std::atomic<int> losses_;
    const std::uint64_t claimed_bytes_;
    int fruitless_reads_ = 0; ///< of the store in a row: nothing that it waits for was there
    const SteadyTime claimed_at_ = std::chrono::steady_clock::now(); ///< ClaimedMission::now on this machine's clock
    const std::shared_ptr<MissionCarrier> carrier_;
    std::stop_source stop_;
    std::atomic<bool> is_lost_{false};
    std::atomic<bool> is_cancelled_{false}; ///< it is to be ended, or
    std::atomic<bool> is_late_{false};      ///< its deadline is over

    mutable std::mutex mutex_; ///< of `came_`
    std::deque<Arrival> came_;

    Runnable runnable_;
    std::unique_ptr<Mission> mission_;
    std::deque<Arrival> arrived_;                ///< to be recorded and given to the mission
    Needs needs_;                                ///< that nobody is asked for yet
    std::map<std::uint64_t, ApprovalNeed> open_; ///< approvals that nobody gave yet
    /// Calls of tools that are answered elsewhere, and when nil is their answer.
    std::map<std::uint64_t, std::optional<SteadyTime>> elsewhere_;
    std::map<std::uint64_t, Millis64> times_;      ///< of those that were not committed yet
    std::map<std::uint64_t, ToolNeed> open_tools_; ///< the committed ones that have no answer yet
    std::map<std::uint64_t, Error> refused_;       ///< calls of tools, by the host
    std::vector<NewMission> children_;             ///< to begin with the next commit
    std::map<std::uint64_t, StoredCall> pending_;  ///< all that the mission waits for
    std::vector<std::uint64_t> taken_{};           ///< calls whose answers the mission has, since its last commit
    std::vector<std::uint64_t> forgotten_{};       ///< calls to be made again: what was recorded cannot be read
    std::map<std::uint64_t, std::string> known_;   ///< answers that were recorded before the claim
    std::size_t under_way_ = 0;                    ///< calls whose answers come by `put`
    MissionUsage began_with_{};   ///< as the claim found it: calls of a model that fail are no progress
    bool is_uncommitted_ = false; ///< it needs what the store does not know of
    bool is_failing_ = false;     ///< its last attempt could not be written: only its failure is
    std::optional<Millis64> retry_in_{};
    unsigned failures_in_row_ = 0; ///< of writes
};

} // namespace ptc
