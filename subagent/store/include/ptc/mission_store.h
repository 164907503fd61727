// Missions in a database, for any number of workers on any number of machines. Not part of <ptc/ptc.h>: link
// ptc::store. PostgreSQL, or a SQLite file; the same interface, the same tables, one set of tests.
//
//   auto store = ptc::MissionStore::open("sqlite:missions.db");       // or postgres://user@host/database
//   store.value()->submit({.id = "order-17", .agent = version, .context = R"({"order": 17})"});
//   // ptc/worker.h carries them
//
// What is written, and when:
// - A mission that is submitted is there when `submit` returns. The same id with the same content is one mission.
// - A worker claims a mission for a time (a lease, by the database's clock). Each write of a worker names its claim,
//   and is refused (`lease_lost`) when another worker has taken the mission since: a worker that slept longer than its
//   lease changes nothing.
// - `commit` writes in one transaction what the mission is now, the calls that it is about to make, the answers that
//   came, and the effects that are to be told outside (the outbox).
// - Each call has a key that follows from mission, run and place. Its answer is written before anything depends on it.
//   A crash between a call and its answer repeats the call, with the same key: at least once for the outside, once for
//   whoever keeps keys. `once` keeps them here.
//
// All payloads (contexts, snapshots, answers, results) are bytes for this layer; with StoreOptions::key they are
// encrypted and authenticated before they leave this process.
#pragma once
#include "ptc/error.h"
#include "ptc/result.h"
#include "ptc/shared_function.h"
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

using Millis64 = std::chrono::milliseconds;

/// Where a mission stands. As text in the database, and in `ptcc missions`.
enum class MissionStatus : std::uint8_t {
    Ready,     ///< any worker may claim it, from its `not_before` on
    Running,   ///< a worker holds a lease on it
    Waiting,   ///< for an approval, an answer from outside, a child or a time, for any length of time
    Done,      ///< it returned
    Failed,    ///< it ended without a result
    Cancelled, ///< somebody ended it
};
std::string_view status_name(MissionStatus status); ///< "ready", ..
std::optional<MissionStatus> status_named(std::string_view name);

/// An agent as it was when missions were submitted: what a worker needs to carry them. Kept once by its digest.
struct AgentVersion {
    std::string name;    ///< for people, and for workers that choose
    std::string digest;  ///< of `content`; computed by `put_agent`
    std::string content; ///< what the layer above made of the agent's file
};

/// So many workers that were lost in a row under a mission, without a word, count as one attempt of it.
inline constexpr int kLossesOfAnAttempt = 4;
/// And so many end it, however many attempts it has.
inline constexpr int kMostLosses = 20;
/// With waits of 1, 2, 4, .. 60 s between them: a provider that is away for half an hour ends no mission.
inline constexpr int kUsualAttempts = 36;

struct NewMission {
    std::string id{}; ///< "": one is made; 1 to 200 bytes of UTF-8 without control characters otherwise
    std::string agent_digest{};
    std::string context{}; ///< bytes for the worker
    std::string queue = "default";
    std::string tenant{};
    int priority = 0;                   ///< the highest goes first within its queue and tenant
    Millis64 delay{0};                  ///< not claimed before that long from now
    std::optional<Millis64> deadline{}; ///< ends as failed (`timeout`) when it is not over that long from now
    /// How often it may fail in a row, without a commit of progress, for a reason outside of it. A claim whose worker
    /// ended without a word is a quarter of an attempt (kLossesOfAnAttempt), for that is seldom the mission's fault;
    /// kMostLosses of these in a row end it by themselves.
    int max_attempts = kUsualAttempts;
    std::string parent{}; ///< the mission that waits for it, "" for none: it is ready again when this one is over
};

/// What every store asks of a mission that is submitted: invalid_request says which name or number is out of bounds.
Result<void> check_mission(const NewMission& mission);

/// A call of a model or a tool, or an approval, as the journal has it.
struct StoredCall {
    enum class Kind : std::uint8_t {
        ModelCall, ///< answered by who holds the claim
        ToolCall,  ///< the same
        Approval,  ///< answered by a signal
        Outside,   ///< the same: a tool that is no worker's
        Child      ///< answered by the end of the mission that `key` names (ChildAnswer)
    };
    std::uint64_t need = 0; ///< within its mission
    Kind kind = Kind::ToolCall;
    std::string name{};
    std::string key{};                   ///< what the outside sees; of a child its id
    std::optional<std::string> answer{}; ///< bytes
    std::int64_t asked = 0;              ///< ms since 1970, the database's clock, when it was committed
    std::int64_t answered = 0;           ///< the same, when its answer came; 0: it has none
};

/// What a child came to: how the store answers its parent's call.
struct ChildAnswer {
    MissionStatus status = MissionStatus::Done;
    std::string bytes{}; ///< its result, or, of one that is not done, its error
};
std::string child_answer_bytes(const ChildAnswer& answer);
/// None of anything else.
std::optional<ChildAnswer> child_answer(std::string_view bytes);

/// Why a mission that is not over stands still.
struct Standing {
    enum class For : std::uint8_t {
        Nothing,  ///< its worker is at it, or it is over
        Worker,   ///< any worker that takes it up
        Time,     ///< its `not_before`
        Retry,    ///< the same, as it failed for a reason outside of it
        Model,    ///< an answer that its worker waits for
        Tool,     ///< the same; of one that waits: an answer from outside
        Approval, ///< of somebody
        Child     ///< a mission whose parent it is
    };
    For what = For::Nothing;
    std::int64_t since = 0, until = 0; ///< ms since 1970, the database's clock; 0: not known, no end
    std::vector<std::string> names{};  ///< of models, tools and approvals; ids of children
    std::string why{};                 ///< JSON {"reason","message"}: of a retry
};
std::string_view standing_name(Standing::For what); ///< "worker", ..; "" of nothing

/// A mission as lists show it. Payloads are read by `show` only.
struct StoredMission {
    std::string id{};
    std::string agent{};
    std::string agent_digest{};
    std::string queue{};
    std::string tenant{};
    std::string parent{};
    int priority = 0;
    MissionStatus status = MissionStatus::Ready;
    std::uint64_t revision = 0; ///< one more with each commit
    int attempts = 0;           ///< in a row, as of the last progress, with the one under way
    int losses = 0;             ///< claims in a row whose workers ended without a word
    std::string worker{};       ///< who holds the lease
    Standing standing{};        ///< by `show` only
    std::string waits_for{};    ///< of one that waits: JSON for people
    std::string result{};       ///< bytes; of one that is done
    std::string error{};        ///< JSON {"reason","message"}; of one that failed or was cancelled
    std::int64_t created = 0;   ///< ms since 1970, the database's clock; so are those that follow
    std::int64_t changed = 0;
    std::int64_t not_before = 0;
    std::int64_t input_tokens = 0; ///< as of the last commit
    std::int64_t output_tokens = 0;
    double cost_usd = 0;
    std::int64_t turns = 0;
    std::string problem{}; ///< why the row, which somebody else changed, cannot be read; by `list` only
};

/// What a worker holds: the mission as it was committed last, and what came since.
struct ClaimedMission {
    std::string id{};
    std::string token{}; ///< of the lease: new with each claim
    std::uint64_t revision = 0;
    AgentVersion agent{};
    std::string queue{}, tenant{};
    int priority = 0;
    std::int64_t now = 0; ///< ms since 1970, the database's clock, when it was claimed
    std::string context{};
    std::string snapshot{};                 ///< "" when no commit was made yet
    std::vector<StoredCall> calls{};        ///< those that no commit called `taken`, with the answers that are there
    bool is_cancelled = false;              ///< somebody asked for its end
    std::optional<std::int64_t> deadline{}; ///< ms since 1970
    int attempts = 0;                       ///< that failed in a row without progress, this one included
    int losses = 0;          ///< claims in a row, without progress or an answer, whose workers ended without a word
    int max_attempts = 0;    ///< when so many failed, the mission fails
    std::uint64_t bytes = 0; ///< of its context, its snapshot and the answers that it gets, when it was claimed

    /// The store's own: how the snapshot is kept. A commit writes only what is new as long as `snapshot` is still that
    /// of the last commit (which `commit` puts there); whoever drops it, to save memory, pays for a whole one.
    struct Kept {
        std::uint64_t digest = 0, base_bytes = 0, delta_bytes = 0;
        std::uint32_t parts = 0;
    } kept{};
};

/// How many missions a worker may have in hand beside each other when one of them has lost so many workers in a row. A
/// mission that kills its workers takes those with it that are there together with it, so after the second loss they
/// are kept apart, and after the fourth each is carried alone: what is at fault is found soon, and the others go on.
constexpr std::size_t most_in_hand(int losses) {
    return losses < 2 ? SIZE_MAX : losses == 2 ? 16 : losses == 3 ? 4 : 1;
}

constexpr bool is_kept_apart(int losses) { return most_in_hand(losses) != SIZE_MAX; }

struct ClaimOptions {
    std::string worker;                ///< for people: host, process
    std::vector<std::string> queues{}; ///< none: all
    std::vector<std::string> agents{}; ///< digests that this worker can run; none: all
    std::size_t most = 1;
    Millis64 lease{30'000};
    /// What the worker has in hand already, and the most losses of one of these (most_in_hand). Missions that have lost
    /// workers are claimed by an empty hand, before others, or into a hand that has such ones; others by a hand
    /// without.
    std::size_t in_hand = 0;
    int losses_in_hand = 0;
    bool* has_left_apart = nullptr; ///< gets whether there are missions that were left for that
    /// Missions are claimed in their turn until those in hand have so many bytes together (ClaimedMission::bytes): the
    /// last one may go beyond, so that none is too large for a worker that has others.
    std::uint64_t most_bytes = UINT64_MAX;
    std::uint64_t bytes_in_hand = 0;
};

struct Commit {
    std::string snapshot{}; ///< "": as it was committed last
    /// About to be made; those of earlier commits stay, too. One that an earlier commit called `taken` is asked anew:
    /// its mission goes on from a snapshot before that, after a retry.
    std::vector<StoredCall> calls{};
    /// Calls whose answers the snapshot has: they stay for people (`calls`), and claims get them no more.
    std::vector<std::uint64_t> taken{};
    /// Calls that failed for a reason outside of the mission: their answers are dropped, so that they are made anew.
    std::vector<std::uint64_t> forgotten{};
    std::vector<std::string> outbox{}; ///< JSON texts, for whoever reads the outbox
    /// Missions that begin with this commit. Their parent is the mission that is committed; the transaction that ends
    /// it without a result cancels them. Their ids are given, and new; one that has its call (Kind::Child) in the
    /// store already is left as it is. When such a child is over, the same transaction answers the call and wakes the
    /// parent.
    std::vector<NewMission> children{};
    std::int64_t input_tokens = 0, output_tokens = 0, turns = 0;
    double cost_usd = 0;
    bool keeps_usage = false; ///< instead of these four, what was committed last
    bool is_progress = true;  ///< attempts are counted anew: what failed before is behind the mission
};

/// Why a mission stands still, and until when at most.
struct Wait {
    std::string for_whom{};            ///< JSON: the approvals and answers that it waits for
    std::optional<Millis64> at_most{}; ///< then it is ready again by itself; 0: at once
};

struct Signal {
    enum class Kind : std::uint8_t { Answer, Cancel };
    Kind kind = Kind::Cancel;
    std::uint64_t need = 0; ///< of an answer: an approval, or a tool that is answered from outside
    std::string bytes{};    ///< the answer, as StoredCall::answer
};

struct MissionFilter {
    std::optional<MissionStatus> status{};
    std::string queue{}, tenant{}, agent{}; ///< "" for any
    std::string parent{};                   ///< the same
    std::string after{};                    ///< id behind which the page begins, as a list has it
    std::size_t most = 1000;
};

/// What the end of the database's machine may take along. Whatever this says, others see what is written at once, and
/// the end of a worker takes nothing.
enum class Durability : std::uint8_t {
    AtOnce,  ///< nothing: it is on the disk before the call returns
    WithNext ///< it is on the disk with the next write that is there at once, or before; never without those before it
};

struct StoreOptions {
    std::string key{}; ///< 32 bytes: payloads are encrypted (AES-256-GCM); "": in clear
    /// To PostgreSQL, made when needed. While all of them are in use, commits and answers that come are sent together
    /// by the next one that is free, and wait for the disk once.
    std::size_t connections = 4;
    Millis64 busy{10'000};    ///< how long a write waits for others
    bool makes_tables = true; ///< in an empty database, which is refused otherwise
    /// Before each statement, with its number since the store was opened; tests end the process in it. On a thread
    /// that calls the store, also for others that call it at the same time.
    SharedFunction<void(std::uint64_t statement, std::string_view sql)> on_statement{};
};

/// All functions may be called by several threads. Errors: `invalid_request` (a wrong argument, a foreign database,
/// another version of the schema), `lease_lost` (a claim that is no more), `store_unavailable` (no connection, a full
/// disk, a right that is missing: to be tried again). Deadlocks, serialisation failures and lost connections are tried
/// again in here as long as `busy` allows, where nothing can happen twice by that.
class MissionStore {
public:
    /// `sqlite:FILE` (made 0600 when it is not there) or `postgres://..`, `postgresql://..` (libpq's URIs). Makes the
    /// tables in an empty database; an older schema is refused with the command that migrates it.
    static Result<std::shared_ptr<MissionStore>> open(const std::string& url, StoreOptions options = {});
    /// Brings an older schema to today's; how many steps that took.
    static Result<int> migrate(const std::string& url);
    virtual ~MissionStore() = default;

    /// Keeps an agent by its digest, which it returns.
    virtual Result<std::string> put_agent(const std::string& name, const std::string& content) = 0;
    virtual Result<std::optional<AgentVersion>> agent(const std::string& digest) = 0;
    /// Data sets, once by digest.
    virtual Result<std::string> put_data(const std::string& bytes) = 0;
    virtual Result<std::optional<std::string>> data(const std::string& digest) = 0;

    /// Its id, and whether it is new: one with the same id and content is there already otherwise. The same id with
    /// other content is invalid_request.
    struct Submitted {
        std::string id;
        bool is_new = true;
    };
    virtual Result<Submitted> submit(const NewMission& mission) = 0;

    // ---- For workers

    /// Missions whose turn it is: ready, or running under a lease that is over. Queues have equal shares, whatever
    /// they have, and within a queue its tenants: the one that was served longest ago goes first. Missions beyond
    /// max_attempts or their deadline fail in here.
    virtual Result<std::vector<ClaimedMission>> claim(const ClaimOptions& options) = 0;
    /// Renews leases by `lease`; ids of those that are lost, whose missions are to be cancelled, whose deadline is
    /// over.
    struct Heartbeat {
        std::vector<std::string> lost{}, cancelled{}, late{};
    };
    virtual Result<Heartbeat> heartbeat(const std::vector<ClaimedMission>& claims, Millis64 lease) = 0;
    /// Raises `claim.revision`.
    virtual Result<void> commit(ClaimedMission& claim, const Commit& commit) = 0;
    /// An answer, before the mission gets it.
    virtual Result<void> record(const ClaimedMission& claim, std::uint64_t need, std::string_view answer,
                                Durability durability = Durability::AtOnce) = 0;
    /// These four end the claim. `wait` does so only while no signal came since the claim was made: false, and the
    /// claim stays, when one did. Then `calls` has the answers, `heartbeat` what is cancelled, and the next `wait`
    /// waits for newer signals.
    virtual Result<bool> wait(ClaimedMission& claim, const Wait& wait) = 0;
    virtual Result<void> complete(ClaimedMission& claim, const Commit& last, std::string_view result) = 0;
    virtual Result<void> fail(ClaimedMission& claim, const Commit& last, std::string_view error,
                              bool is_cancelled = false) = 0;
    /// Gives it back, to be claimed again after `delay`; `failed`: it counts as an attempt, and `why` (JSON {"reason",
    /// "message"}) tells people of it. Tried for `busy` at most (none: StoreOptions::busy): a lease that nobody gives
    /// back ends by itself.
    virtual Result<void> release(ClaimedMission& claim, Millis64 delay, bool failed, std::optional<Millis64> busy = {},
                                 std::string_view why = {}) = 0;
    /// Until something may have become ready, at most so long. A hint: what counts is `claim`.
    virtual void watch(Millis64 timeout) = 0;
    virtual void wake() = 0; ///< ends a `watch` of this store, from any thread
    /// For a process that ends without closing it: SQLite's FILE has all that was written then, and a copy of it is
    /// the store, unless others are at work. What cannot be done stays in FILE-wal, whence the next one takes it.
    virtual void settle() = 0;

    // ---- For everybody

    /// A mission that no worker holds is cancelled at once, others by their worker; with it those whose `parent` it is,
    /// and theirs.
    /// False: it was over or cancelled, or has this answer already. invalid_request: there is no such mission, or no
    /// such call that is answered from outside.
    virtual Result<bool> signal(const std::string& id, const Signal& signal) = 0;
    /// A failed or cancelled mission goes on where it was committed last, without a deadline. False: it is neither.
    /// So do those of its children whose calls have no answer: they ended with it. Answers that it has stay.
    virtual Result<bool> retry(const std::string& id) = 0;
    virtual Result<std::vector<StoredMission>> list(const MissionFilter& filter) = 0; ///< by id
    virtual Result<std::optional<StoredMission>> show(const std::string& id) = 0;
    virtual Result<std::vector<StoredCall>> calls(const std::string& id) = 0;
    /// Forgets missions that are over for at least `age`, and contexts that no other mission has; how many missions.
    virtual Result<std::uint64_t> prune(Millis64 age, std::size_t most = 10'000) = 0;
    /// How many missions there are, by queue and status: sums that are kept, whatever number there is.
    struct Count {
        std::string queue;
        MissionStatus status = MissionStatus::Ready;
        std::uint64_t missions = 0;
        std::int64_t oldest = 0; ///< ms since it became ready
    };
    virtual Result<std::vector<Count>> counts() = 0;
    /// Missions that are ready, running or ready later, counted up to `most`; 1 asks whether there are any, at once.
    virtual Result<std::uint64_t> unfinished(const std::vector<std::string>& queues,
                                             std::size_t most = std::numeric_limits<std::size_t>::max()) = 0;

    /// A transaction of the store, in which a tool writes what it does beside its key.
    class Transaction {
    public:
        virtual ~Transaction() = default;
        /// One statement, with `$1`, `$2`, .. as texts; rows as texts, none for NULL.
        virtual Result<std::vector<std::vector<std::optional<std::string>>>>
        execute(const std::string& sql, const std::vector<std::string>& arguments) = 0;
    };
    /// What `effect` returned when its transaction was committed, which happens once for a key: what it wrote and what
    /// it returned are one transaction. An effect that fails, or throws (tool_error), leaves nothing, not even its key.
    /// It is called again when its transaction was rolled back for a deadlock or a lost connection, so whatever else
    /// it does may happen twice. It must not call the store, which may wait for this transaction. Called on
    /// the thread that calls `once`, before that returns.
    virtual Result<std::string> once(const std::string& key,
                                     SharedFunction<Result<std::string>(Transaction&)> effect) = 0;
    /// Texts of the outbox behind `after`, in order, with their numbers.
    struct OutboxRow {
        std::int64_t number = 0;
        std::string mission, text;
    };
    virtual Result<std::vector<OutboxRow>> outbox(std::int64_t after, std::size_t most) = 0;
    virtual Result<void> clear_outbox(std::int64_t up_to) = 0;
};

} // namespace ptc
