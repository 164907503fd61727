// The store of missions over a database: all of its SQL. One class over several files: sql_store.cpp opens it and keeps
// agents, data, effects and the outbox; store_claims.cpp has claims, and store_turns.cpp says whose turn it is;
// store_commits.cpp has what a worker writes under its claim; store_signals.cpp what comes from outside, and lists.
#pragma once
#include "subagent/store/connection_pool.h"
#include "subagent/store/payload.h"
#include "subagent/store/schema.h"
#include <atomic>
#include <deque>
#include <map>
#include <set>

namespace ptc {

/// What is written of a mission that any worker may claim from now on.
#define PTC_SET_DUE                                                                                                    \
    "status = 'ready', is_due = 1, ended_token = COALESCE(token, ended_token), token = NULL, worker = '', "            \
    "wake_at = deadline, not_before = NULL, waits_for = NULL, since = {now}, changed = {now}"
/// A lease from now on.
#define PTC_SET_LEASE(ms) "wake_at = {after_now} + " ms
/// Of a mission's row: whether it failed as often as it may, with so many more losses.
#define PTC_IS_WORN_OUT(more)                                                                                          \
    "(attempts + (losses + " more ") / {losses_of_an_attempt} >= max_attempts OR losses + " more " >= {most_losses})"

/// Why a worker may not write.
Error lease_lost(const std::string& id);
inline constexpr std::size_t kMostNameBytes = 200;
inline constexpr std::size_t kMostKeyBytes = 1000; ///< a key has the id of its mission in it
/// invalid_request unless `name` is UTF-8 of at most `most` bytes without control characters. `what` begins the
/// message.
Result<void> check_name(std::string_view what, std::string_view name, bool may_be_empty,
                        std::size_t most = kMostNameBytes);

class SqlStore final : public MissionStore {
public:
    SqlStore(StoreOptions options, Payloads payloads);
    /// Connects, makes or checks the tables and the key.
    Result<void> open(const std::string& url);

    Result<std::string> put_agent(const std::string& name, const std::string& content) override;
    Result<std::optional<AgentVersion>> agent(const std::string& digest) override;
    Result<std::string> put_data(const std::string& bytes) override;
    Result<std::optional<std::string>> data(const std::string& digest) override;
    Result<Submitted> submit(const NewMission& mission) override;
    Result<std::vector<ClaimedMission>> claim(const ClaimOptions& options) override;
    Result<Heartbeat> heartbeat(const std::vector<ClaimedMission>& claims, Millis64 lease) override;
    Result<void> commit(ClaimedMission& claim, const Commit& commit) override;
    Result<void> record(const ClaimedMission& claim, std::uint64_t need, std::string_view answer,
                        Durability durability) override;
    Result<bool> wait(ClaimedMission& claim, const Wait& wait) override;
    Result<void> complete(ClaimedMission& claim, const Commit& last, std::string_view result) override;
    Result<void> fail(ClaimedMission& claim, const Commit& last, std::string_view error, bool is_cancelled) override;
    Result<void> release(ClaimedMission& claim, Millis64 delay, bool failed, std::optional<Millis64> busy,
                         std::string_view why) override;
    void watch(Millis64 timeout) override;
    void wake() override { source_->wake(); }
    void settle() override { source_->settle(); }
    Result<bool> signal(const std::string& id, const Signal& signal) override;
    Result<bool> retry(const std::string& id) override;
    Result<std::vector<StoredMission>> list(const MissionFilter& filter) override;
    Result<std::optional<StoredMission>> show(const std::string& id) override;
    Result<std::vector<StoredCall>> calls(const std::string& id) override;
    Result<std::uint64_t> prune(Millis64 age, std::size_t most) override;
    Result<std::vector<Count>> counts() override;
    Result<std::uint64_t> unfinished(const std::vector<std::string>& queues, std::size_t most) override;
    Result<std::string> once(const std::string& key, SharedFunction<Result<std::string>(Transaction&)> effect) override;
    Result<std::vector<OutboxRow>> outbox(std::int64_t after, std::size_t most) override;
    Result<void> clear_outbox(std::int64_t up_to) override;

private:
    template <class Work> auto transact(Work work, std::optional<Millis64> busy = {}) {
        return in_transaction(*pool_, busy.value_or(options_.busy), std::move(work));
    }
    /// `work` makes its transactions by WholeRunner::execute_whole.
    template <class Work> auto transact_whole(Work work) { return in_whole(*pool_, options_.busy, std::move(work)); }

    // ---- sql_store.cpp
    /// A mission that comes, as it is written; statements borrow its texts.
    struct Coming {
        NewMission mission;
        std::string id{}, digest{};
        std::string context{}; ///< sealed; of a large one "", which is kept by its digest
        std::string context_digest{};
    };
    Result<Coming> coming(const NewMission& mission) const;
    Result<Submitted> insert(Database& database, const Coming& mission, bool is_repeat);
    Result<void> check_key(Database& database);
    Result<std::optional<AgentVersion>> find_agent(Database& database, const std::string& digest);
    /// The number of a lane, kept until the transaction is over.
    struct Lane {
        std::int64_t lane = 0;
        bool is_ready = false;
    };
    /// `found` is what the select of lanes gave.
    Result<Lane> lane_of(Database& database, const NewMission& mission, Answer found);
    /// Contexts of some size are kept once, by what they are known by.
    Result<void> keep_context(Database& database, const std::string& digest, const std::string& context);
    Result<std::string> read_context(Database& database, const std::string& digest);
    Result<void> drop_contexts(Database& database, const std::set<std::string>& digests);

    // ---- How missions change their status: within a transaction that has their row

    /// A worker may claim it from now on.
    Result<void> make_due(Database& database, std::int64_t number, std::int64_t lane);
    /// It is ready until the transaction is over, whoever wants it to rest.
    Result<void> keep_lane_ready(Database& database, std::int64_t lane);
    Result<void> make_lane_ready(Database& database, std::int64_t lane);
    struct End {
        MissionStatus status;
        std::string_view result{}, error{};
    };
    /// Its parent is told; its children are cancelled, unless it is done. Whether it had any that were.
    Result<bool> end_mission(Database& database, std::int64_t number, const std::string& id, const End& end);
    /// The same without its children; whether it has any.
    Result<bool> end_alone(Database& database, std::int64_t number, const std::string& id, const End& end);
    Result<void> tell_parent(Database& database, const std::string& parent, const std::string& child, const End& end);

    // ---- store_claims.cpp
    struct CandidateLane {
        std::int64_t lane = 0;
        std::string queue{}, tenant{}, agent{};
        std::int64_t turn = 0, served = 0;
    };
    struct Due {
        std::int64_t number = 0, priority = 0;
        const CandidateLane* lane = nullptr;
        bool is_late = false, is_worn_out = false;
        std::string id{};
        bool was_committed = false;
        int losses = 0;
        std::uint64_t bytes = 0;
    };
    /// Those that may be in one hand; whether some were left.
    static bool keep_apart(std::vector<Due>& chosen, const ClaimOptions& options);
    /// Those up to the one with which the hand is full.
    static void keep_until_full(std::vector<Due>& chosen, const ClaimOptions& options);
    Result<bool> wake_missions(Database& database);
    /// Whether that cancelled children.
    Result<bool> wake_mission(Database& database, const Row& row);
    /// What one transaction of a claim came to.
    struct Look {
        std::vector<ClaimedMission> claims{};
        std::string last_queue{}; ///< whose turn it was last
        bool is_settled = true;   ///< nothing becomes ready of which nobody is told
        bool is_cut = false;      ///< there may be lanes at which it did not look
        bool has_rested = false;  ///< some lane
    };
    Result<Look> look(Database& database, const ClaimOptions& options);
    using Contexts = std::map<std::string, std::string>; ///< that this claim has read, by digest
    Result<std::vector<ClaimedMission>> take(Database& database, const std::vector<Due>& chosen,
                                             const ClaimOptions& options);
    /// False: it cannot be read, and has failed for that.
    /// `found`: its row, and of one that was committed its snapshot and its calls.
    Result<bool> read_or_fail(Database& database, const Due& due, std::span<const Answer> found, ClaimedMission& claim,
                              Contexts& contexts);
    Result<void> read_claim(Database& database, const Due& due, std::span<const Answer> found, ClaimedMission& claim,
                            Contexts& contexts);
    Result<void> read_snapshot(const Answer& parts, ClaimedMission& claim);
    Result<std::vector<StoredCall>> calls_of(const Answer& found, const std::string& id);

    // ---- store_turns.cpp
    using QueueLanes = std::vector<CandidateLane>; ///< of one queue, the one first that was served longest ago
    /// By lane: how many missions were asked for, how many were free, and how many were due (one more than wanted at
    /// most).
    struct AskedLane {
        std::size_t wanted = 0, found = 0, due = 0;
    };
    using AskedLanes = std::map<std::int64_t, AskedLane>;
    struct Turn {
        std::string last_queue{}; ///< that was served
        bool was_cut = false;
    };
    void note_turn(const Look& seen);
    Turn turn();
    /// The statements that name the queues behind `last` in which something is ready; none when queues are given.
    static std::vector<Statement> queue_statements(const ClaimOptions& options, const std::string& last);
    /// The statements that find lanes that may be served.
    static std::vector<Statement> lane_statements(const ClaimOptions& options);
    Result<std::vector<QueueLanes>> lanes_by_queue(Database& database, const ClaimOptions& options,
                                                   const std::string& last, std::vector<Answer> found,
                                                   std::vector<Answer> named, bool& is_cut);
    Result<std::vector<Due>> due_of(Database& database, std::span<const CandidateLane> lanes, std::size_t most,
                                    AskedLanes& asked);
    Result<std::vector<Due>> due_of_tenants(Database& database, std::span<const CandidateLane> lanes, std::size_t most,
                                            AskedLanes& asked);
    Result<std::vector<Due>> choose(Database& database, std::span<const QueueLanes> queues, std::size_t most,
                                    AskedLanes& asked);
    Result<void> stamp(Database& database, std::span<const QueueLanes> queues, const std::vector<Due>& chosen,
                       std::int64_t last_turn);
    static std::vector<std::int64_t> emptied_of(const AskedLanes& asked, const std::vector<Due>& chosen,
                                                bool& is_settled);
    Result<std::size_t> rest_lanes(Database& database, const std::vector<std::int64_t>& lanes);

    // ---- store_commits.cpp
    /// The row of the mission, when the claim is still that of its mission.
    Result<std::int64_t> own(Database& database, const ClaimedMission& claim);
    /// Statements of one transaction, with the texts that they have made for them.
    struct Writes {
        std::vector<Statement> statements{};
        std::deque<std::string> texts{};
    };
    /// Whether an earlier attempt of the same call was committed although nobody heard of it.
    Result<bool> has_ended_with(Database& database, const ClaimedMission& claim);
    Result<bool> was_committed(Database& database, const ClaimedMission& claim);
    Result<std::vector<Coming>> coming_children(const ClaimedMission& claim, const Commit& commit) const;
    Result<void> submit_children(Database& database, std::int64_t number, std::span<const Coming> children);
    /// A commit with children. False: it was made by an attempt that nobody heard of.
    Result<bool> commit_family(const ClaimedMission& claim, const Writes& writes, std::span<const Coming> children);
    /// Adds what a commit has besides the mission's row, which the first of the statements changes.
    Result<void> add_commit(Writes& writes, const ClaimedMission& claim, const Commit& commit,
                            ClaimedMission::Kept& kept);
    Result<void> add_snapshot(Writes& writes, const ClaimedMission& claim, std::string_view snapshot,
                              ClaimedMission::Kept& kept);
    Result<void> finish(ClaimedMission& claim, const Commit& last, const End& end);
    /// The same in a transaction that tells parents and children as well.
    Result<void> finish_family(ClaimedMission& claim, const Writes& writes, std::span<const Coming> children,
                               const End& end, bool was_tried);

    // ---- store_signals.cpp
    Result<bool> cancel(Database& database, const std::string& id);
    /// Of a mission that ended without a result: its children, and theirs.
    Result<void> cancel_children(Database& database, const std::string& parent);
    Result<void> cancel_one(Database& database, std::int64_t number, const std::string& id, std::string_view status);
    Result<bool> answer(Database& database, const std::string& id, const Signal& signal);
    /// One that failed or was cancelled is as if it had not; the ids of children whose calls have no answer.
    Result<std::vector<std::string>> revive(Database& database, const Row& mission, const std::string& id);
    /// Those that ended with their parent go on with it.
    Result<void> retry_children(Database& database, std::vector<std::string> open);
    Result<void> prune_lanes(Database& database);
    /// One row for each status, in place of its shards.
    Result<void> fold_tally(Database& database, const std::string& queue);
    Result<void> read_standing(Database& database, const Row& row, StoredMission& mission);
    Result<StoredMission> mission_of(const Row& row, bool with_payloads);

    std::string seal(std::string_view bytes, std::string_view table, std::string_view row, std::string_view column,
                     std::string_view part = {}) const {
        return payloads_.seal(bytes, {table, row, column, part});
    }
    Result<std::string> unseal(const std::string& bytes, std::string_view table, std::string_view row,
                               std::string_view column, std::string_view part = {}) const {
        if (bytes == kTooLarge) return too_large(table);
        return payloads_.open(bytes, {table, row, column, part});
    }

    static Error too_large(std::string_view table) {
        return {Reason::InvalidRequest, "A row of the table `" + std::string(table) + "` is larger than " +
                                            std::to_string(kMostCellBytes >> 20) + " MiB."};
    }

    StoreOptions options_;
    Payloads payloads_;
    std::atomic<std::uint64_t> statements_ = 0;
    std::atomic<int> unsettled_claims_ = 0; ///< in a row, that left a lane ready in which they found nothing more
    std::mutex turn_mutex_;
    std::string last_queue_{}; ///< that was served
    bool was_cut_ = false;     ///< there were more lanes than the last claim looked at
    std::unique_ptr<DatabaseSource> source_;
    std::unique_ptr<ConnectionPool> pool_;
    std::mutex agents_mutex_;
    std::map<std::string, AgentVersion> agents_; ///< read before: they never change
};

std::string_view kind_name(StoredCall::Kind kind);
/// $2: 1 with those that were taken, too.
inline constexpr const char* kSelectCalls = "SELECT need, kind, " PTC_NAME("name") ", " PTC_NAME(
    "key") ", " PTC_PAYLOAD_OF("(SELECT sum(length(answer)) FROM {s}call WHERE mission = $1 AND is_taken <= $2)",
                               "answer") ", asked, answered FROM {s}call WHERE mission = $1 "
                                         "AND is_taken <= $2 ORDER BY need";
/// {"reason", "message"}
std::string error_json(Reason reason, std::string_view message);

} // namespace ptc
