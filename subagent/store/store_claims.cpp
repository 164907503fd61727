// A claim first wakes what is to be looked at by now: missions whose time came, leases, waits and deadlines that are
// over (mission.wake_at). Then it takes what is due, as store_turns.cpp says whose turn it is. Every step searches an
// index that has only what it looks for, so nothing depends on how many missions there are.
#include "subagent/engine/random_id.h"
#include "subagent/store/snapshot_codec.h"
#include "subagent/store/sql_store.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

constexpr std::int64_t kMostWoken = 100; ///< by one claim, and of these
constexpr std::int64_t kMostEnded = 16;  ///< because they are late, worn out or cancelled
constexpr std::size_t kMostClaimed = 1000;
constexpr int kMostLooks = 50; ///< of one claim, at lanes in which nothing is

constexpr std::pair<StoredCall::Kind, std::string_view> kKinds[] = {{StoredCall::Kind::ModelCall, "model"},
                                                                    {StoredCall::Kind::ToolCall, "tool"},
                                                                    {StoredCall::Kind::Approval, "approval"},
                                                                    {StoredCall::Kind::Outside, "outside"},
                                                                    {StoredCall::Kind::Child, "child"}};

} // namespace

std::string_view kind_name(StoredCall::Kind kind) { return kKinds[static_cast<std::size_t>(kind)].second; }

// ---- What happens by itself

namespace {

/// Seldom: each claim asks for that with its first statements, and does the rest only then.
constexpr const char* kIsAnyLate = "SELECT 1 FROM {s}mission WHERE wake_at <= {now} ORDER BY wake_at LIMIT 1";
/// Most are due, and nothing else: these in one statement, the others one by one.
constexpr const char* kWake =
    "WITH first AS MATERIALIZED (SELECT number FROM {s}mission WHERE wake_at <= {now} ORDER BY wake_at LIMIT $1 "
    "{skip}) UPDATE {s}mission SET losses = losses + CASE WHEN status = 'running' THEN 1 ELSE 0 END, " PTC_SET_DUE
    " WHERE number IN (SELECT number FROM first) AND "
    "NOT (status = 'running' AND (is_cancelled = 1 OR " PTC_IS_WORN_OUT(
        "1") ")) AND "
             "(deadline IS NULL OR deadline > {now}) RETURNING lane";
#define PTC_LATE_COLUMNS                                                                                               \
    "SELECT number, lane, id, status, is_cancelled, CASE WHEN deadline <= {now} THEN 1 ELSE 0 END, CASE "              \
    "WHEN " PTC_IS_WORN_OUT("1") " THEN 1 ELSE 0 END FROM {s}mission WHERE wake_at <= {now} "
constexpr const char* kEndByItself = PTC_LATE_COLUMNS "ORDER BY wake_at LIMIT $1 {skip}";
/// The same once more of one that this transaction has: it may have ended with another one, whose child it is.
constexpr const char* kIsStillLate = PTC_LATE_COLUMNS "AND number = $1";

} // namespace

/// False: there may be more.
Result<bool> SqlStore::wake_missions(Database& database) {
    const Statement both[] = {{kWake, {kMostWoken}}, {kEndByItself, {kMostEnded}}};
    const std::vector<Answer> answers = PTC_TRY(database.execute_all(both));
    const Answer &woken = answers[0], &ended = answers[1];
    std::set<std::int64_t> lanes; // everybody takes lanes in the same order, so that nobody waits in a circle
    for (const Row& row : woken.rows)
        lanes.insert(row[0].integer());
    for (const std::int64_t lane : lanes)
        PTC_CHECK(keep_lane_ready(database, lane));
    bool has_cancelled = false; // children of those before
    for (const Row& row : ended.rows) {
        if (!has_cancelled) {
            has_cancelled = PTC_TRY(wake_mission(database, row));
            continue;
        }
        const Answer now = PTC_TRY(database.execute(kIsStillLate, {row[0].integer()}));
        if (!now.rows.empty()) PTC_CHECK(wake_mission(database, now.rows[0]));
    }
    return woken.rows.size() + ended.rows.size() == 0;
}

Result<bool> SqlStore::wake_mission(Database& database, const Row& row) {
    const std::int64_t number = row[0].integer();
    const std::string& id = row[2].text();
    const bool was_running = row[3].text() == status_name(MissionStatus::Running);
    if (was_running && row[4].integer() != 0) {
        const std::string error = error_json(Reason::Interrupted, "It was cancelled.");
        return end_mission(database, number, id, {.status = MissionStatus::Cancelled, .error = error});
    }
    if (row[5].integer() != 0) {
        const std::string error = error_json(Reason::Timeout, "Its deadline came.");
        return end_mission(database, number, id, {.status = MissionStatus::Failed, .error = error});
    }
    if (was_running && row[6].integer() != 0) {
        const std::string error = error_json(Reason::AttemptsExceeded, reason_doc(Reason::AttemptsExceeded));
        return end_mission(database, number, id, {.status = MissionStatus::Failed, .error = error});
    }
    PTC_CHECK(make_due(database, number, row[1].integer()));
    return false;
}

// ---- Claiming

/// The highest number of a turn.
constexpr const char* kLastTurn = "SELECT turn FROM {s}lane WHERE is_ready = 1 ORDER BY turn DESC LIMIT 1";

Result<std::vector<ClaimedMission>> SqlStore::claim(const ClaimOptions& options) {
    ClaimOptions bounded = options;
    bounded.most = std::min(options.most, kMostClaimed);
    if (options.lease <= Millis64(0)) return Error(Reason::InvalidRequest, "A lease is longer than nothing.");
    for (int looks = 1;; ++looks) {
        Result<Look> found = transact([&](Database& database, bool) { return look(database, bounded); });
        if (!found.ok()) {
            unsettled_claims_ = 0;
            return found.take_error();
        }
        Look& seen = found.value();
        note_turn(seen);
        // It has cleared away what stood before others, who may have something.
        if (seen.claims.empty() && seen.is_cut && seen.has_rested && looks < kMostLooks) continue;
        // Whoever makes something due in a lane that is ready tells nobody, and nobody tells of what is behind those
        // that were looked at. So claims come soon, as long as there may be more.
        const bool is_settled = seen.is_settled && !(seen.is_cut && seen.claims.size() < bounded.most);
        unsettled_claims_ = is_settled ? 0 : seen.has_rested ? 1 : unsettled_claims_ + 1;
        return std::move(seen.claims);
    }
}

Result<SqlStore::Look> SqlStore::look(Database& database, const ClaimOptions& options) {
    Look seen;
    std::vector<Statement> statements{{kIsAnyLate}, {kLastTurn}};
    const std::vector<Statement> of_lanes = lane_statements(options);
    statements.insert(statements.end(), of_lanes.begin(), of_lanes.end());
    const Turn before = turn();
    if (before.was_cut) { // a way to the server is saved
        const std::vector<Statement> of_queues = queue_statements(options, before.last_queue);
        statements.insert(statements.end(), of_queues.begin(), of_queues.end());
    }
    std::vector<Answer> answers = PTC_TRY(database.execute_all(statements));
    if (!answers[0].rows.empty()) seen.is_settled = PTC_TRY(wake_missions(database));
    if (options.most == 0) return seen;
    const std::int64_t last_turn = answers[1].rows.empty() ? 0 : answers[1].rows[0][0].integer();
    answers.erase(answers.begin(), answers.begin() + 2);
    const auto named_at = answers.begin() + static_cast<std::ptrdiff_t>(of_lanes.size());
    std::vector<Answer> named(named_at, answers.end());
    answers.erase(named_at, answers.end());
    if (!seen.is_settled) { // lanes became ready
        answers = PTC_TRY(database.execute_all(of_lanes));
        named.clear();
    }
    const std::vector<QueueLanes> queues = PTC_TRY(
        lanes_by_queue(database, options, before.last_queue, std::move(answers), std::move(named), seen.is_cut));
    AskedLanes asked;
    std::vector<Due> chosen = PTC_TRY(choose(database, queues, options.most, asked));
    const bool has_left_apart = keep_apart(chosen, options);
    if (options.has_left_apart) *options.has_left_apart = has_left_apart;
    keep_until_full(chosen, options);
    for (const Due& due : chosen)
        seen.last_queue = due.lane->queue;
    if (chosen.empty() && !queues.empty()) seen.last_queue = queues.back().front().queue; // others are behind these
    seen.claims = PTC_TRY(take(database, chosen, options));
    PTC_CHECK(stamp(database, queues, chosen, last_turn));
    const std::vector<std::int64_t> emptied = emptied_of(asked, chosen, seen.is_settled);
    const std::size_t rested = PTC_TRY(rest_lanes(database, emptied));
    seen.has_rested = rested > 0;
    seen.is_settled &= rested == emptied.size() && seen.claims.size() == chosen.size();
    return seen;
}

void SqlStore::watch(Millis64 timeout) {
    constexpr int kMostDoublings = 10;
    const int claims = unsettled_claims_;
    const Millis64 soon(claims > 0 ? std::int64_t{1} << std::min(claims, kMostDoublings) : timeout.count());
    source_->watch(std::min(timeout, soon));
}

/// Without those whose time was over, and those that ended with these, whose children they are.
Result<std::vector<ClaimedMission>> SqlStore::take(Database& database, const std::vector<Due>& chosen,
                                                   const ClaimOptions& options) {
    constexpr const char* kTake =
        "UPDATE {s}mission SET status = 'running', is_due = 0, token = $2, worker = $3, retry_why = "
        "NULL, " PTC_SET_LEASE("$4") ", has_news = 0, changed = {now} WHERE number = $1 AND is_due = 1 "
                                     "RETURNING revision, " PTC_PAYLOAD(
                                         "context") ", is_cancelled, deadline, attempts, max_attempts, "
                                                    "context_digest, losses, {now}";
    constexpr const char* kSelectSnapshot =
        "SELECT part, size, " PTC_PAYLOAD_OF("sum(length(bytes)) OVER (ORDER BY part)",
                                             "bytes") " FROM {s}snapshot WHERE mission = $1 ORDER BY part LIMIT $2";
    std::vector<std::pair<const Due*, ClaimedMission>> wanted;
    for (const Due& due : chosen) {
        if (!due.is_late && !due.is_worn_out) {
            wanted.emplace_back(&due, ClaimedMission{.id = due.id, .token = random_id(32), .bytes = due.bytes});
            continue;
        }
        const Reason reason = due.is_late ? Reason::Timeout : Reason::AttemptsExceeded;
        const std::string error = error_json(reason, due.is_late ? "Its deadline came." : reason_doc(reason));
        PTC_CHECK(end_mission(database, due.number, due.id, {.status = MissionStatus::Failed, .error = error}));
    }
    std::vector<ClaimedMission> claims;
    if (wanted.empty()) return claims;
    std::vector<Statement> statements; // each mission's row, and what was committed of it
    for (const auto& [due, claim] : wanted) {
        statements.push_back({kTake, {due->number, claim.token, options.worker, options.lease.count()}});
        if (!due->was_committed) continue;
        statements.push_back({kSelectSnapshot, {due->number, std::int64_t{kMostParts} + 1}});
        statements.push_back({kSelectCalls, {due->number, std::int64_t{0}}});
    }
    const std::vector<Answer> answers = PTC_TRY(database.execute_all(statements));
    std::span<const Answer> left(answers);
    Contexts contexts;
    for (auto& [due, claim] : wanted) {
        const std::span<const Answer> own = left.first(due->was_committed ? 3 : 1);
        left = left.subspan(own.size());
        if (!own[0].rows.empty() && PTC_TRY(read_or_fail(database, *due, own, claim, contexts)))
            claims.push_back(std::move(claim));
    }
    return claims;
}

/// One mission that cannot be read does not keep a worker from the others.
Result<bool> SqlStore::read_or_fail(Database& database, const Due& due, std::span<const Answer> found,
                                    ClaimedMission& claim, Contexts& contexts) {
    Result<void> read = read_claim(database, due, found, claim, contexts);
    if (read.ok()) return true;
    if (database.failure() != Failure::None) return read.take_error();
    const std::string error = error_json(Reason::InvalidRequest, read.error().message);
    PTC_CHECK(end_mission(database, due.number, due.id, {.status = MissionStatus::Failed, .error = error}));
    return false;
}

Result<void> SqlStore::read_claim(Database& database, const Due& due, std::span<const Answer> found,
                                  ClaimedMission& claim, Contexts& contexts) {
    PTC_CHECK(check_name("The id of a mission", claim.id, false)); // else nothing can be written of it
    const Row& row = found[0].rows[0];
    claim.revision = static_cast<std::uint64_t>(row[0].integer());
    claim.context = PTC_TRY(unseal(row[1].text(), "mission", claim.id, "context"));
    if (const std::string& digest = row[6].text(); !row[6].is_null()) {
        const auto known = contexts.find(digest);
        claim.context = known != contexts.end() ? known->second : PTC_TRY(read_context(database, digest));
        contexts.emplace(digest, claim.context);
    }
    claim.is_cancelled = row[2].integer() != 0;
    if (!row[3].is_null()) claim.deadline = row[3].integer();
    claim.attempts = static_cast<int>(row[4].integer()) + 1;
    claim.losses = static_cast<int>(row[7].integer());
    claim.max_attempts = static_cast<int>(row[5].integer());
    claim.now = row[8].integer();
    claim.queue = due.lane->queue;
    claim.tenant = due.lane->tenant;
    claim.priority = static_cast<int>(due.priority);
    std::optional<AgentVersion> agent = PTC_TRY(find_agent(database, due.lane->agent));
    if (agent) claim.agent = std::move(*agent);
    if (found.size() == 1) return {};
    PTC_CHECK(read_snapshot(found[1], claim));
    claim.calls = PTC_TRY(calls_of(found[2], claim.id));
    return {};
}

Result<void> SqlStore::read_snapshot(const Answer& parts, ClaimedMission& claim) {
    if (parts.rows.size() > kMostParts)
        return Error(Reason::InvalidRequest, "The store has a snapshot in more parts than are written.");
    for (const Row& row : parts.rows) {
        const std::string part =
            PTC_TRY(unseal(row[2].text(), "snapshot", claim.id, "bytes", std::to_string(row[0].integer())));
        claim.snapshot = PTC_TRY(expanded(part, claim.snapshot, row[1].integer()));
        (claim.kept.parts++ == 0 ? claim.kept.base_bytes : claim.kept.delta_bytes) += part.size();
    }
    if (claim.kept.parts > 0) claim.kept.digest = snapshot_digest(claim.snapshot);
    return {};
}

Result<std::vector<StoredCall>> SqlStore::calls_of(const Answer& found, const std::string& id) {
    std::vector<StoredCall> calls;
    for (const Row& row : found.rows) {
        StoredCall call;
        call.need = static_cast<std::uint64_t>(row[0].integer());
        const auto* kind =
            std::ranges::find(kKinds, row[1].text(), &std::pair<StoredCall::Kind, std::string_view>::second);
        if (kind == std::end(kKinds)) return Error(Reason::InvalidRequest, "The store has a call of an unknown kind.");
        call.kind = kind->first;
        call.name = row[2].text();
        call.key = row[3].text();
        call.asked = row[5].integer();
        call.answered = row[6].integer();
        if (!row[4].is_null())
            call.answer = PTC_TRY(unseal(row[4].text(), "call", id, "answer", std::to_string(row[0].integer())));
        calls.push_back(std::move(call));
    }
    return calls;
}

} // namespace ptc
