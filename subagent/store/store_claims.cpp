// Whose turn it is. A claim first wakes what is to be looked at by now: missions whose time came, leases, waits and
// deadlines that are over (mission.wake_at). Then it takes what is due, lane by lane. Lanes with the same queue and
// tenant take turns as one: `turn` is a number that is the same for all of them and says when they were served last,
// `served` is the lane's own. Every step searches an index that has only what it looks for, so nothing depends on how
// many missions there are.
//
// In PostgreSQL many claims work at once. They pass over missions and lanes that others have (SKIP LOCKED), so none
// waits for another's commit; two that look at the same lane at once serve it twice, and the next ones serve others.
// A lane is `is_ready` as long as something in it is due. Whoever makes a mission due keeps the lane (FOR KEY SHARE),
// and a claim lets a lane rest only when nobody keeps it, so no mission is left in a lane that rests. Workers are told
// when a lane that rests becomes ready; one that found a lane empty and could not let it rest looks again soon.
#include "subagent/engine/random_id.h"
#include "subagent/store/snapshot_codec.h"
#include "subagent/store/sql_store.h"
#include <algorithm>
#include <map>
#include <set>

namespace ptc {
namespace {

constexpr std::int64_t kMostWoken = 100;  ///< by one claim, and of these
constexpr std::int64_t kMostEnded = 16;   ///< because they are late, worn out or cancelled
constexpr std::size_t kLanesBesides = 15; ///< that are looked at beyond those that are wanted: versions of agents
constexpr std::size_t kMostClaimed = 1000;

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

// ---- Which lane

namespace {

/// The highest number of a turn.
constexpr const char* kLastTurn = "SELECT turn FROM {s}lane WHERE is_ready = 1 ORDER BY turn DESC LIMIT 1";

/// The statements that find lanes that may be served, the one that was served longest ago first.
std::vector<Statement> lane_statements(const ClaimOptions& options) {
#define PTC_LANE_COLUMNS "SELECT lane, queue, tenant, agent, turn, served FROM {s}lane WHERE is_ready = 1 "
#define PTC_LANE_ORDER " ORDER BY turn, served LIMIT $1"
    std::vector<Statement> all;
    const auto limit = static_cast<std::int64_t>(options.most + kLanesBesides);
    if (options.agents.empty() && options.queues.empty()) all.push_back({PTC_LANE_COLUMNS PTC_LANE_ORDER, {limit}});
    if (options.agents.empty()) {
        for (const std::string& queue : options.queues)
            all.push_back({PTC_LANE_COLUMNS "AND queue = $2" PTC_LANE_ORDER, {limit, queue}});
    }
    for (const std::string& agent : options.agents) {
        if (options.queues.empty()) all.push_back({PTC_LANE_COLUMNS "AND agent = $2" PTC_LANE_ORDER, {limit, agent}});
        for (const std::string& queue : options.queues)
            all.push_back({PTC_LANE_COLUMNS "AND agent = $2 AND queue = $3" PTC_LANE_ORDER, {limit, agent, queue}});
    }
#undef PTC_LANE_COLUMNS
#undef PTC_LANE_ORDER
    return all;
}

} // namespace

std::vector<SqlStore::CandidateLane> SqlStore::lanes_of(std::span<const Answer> answers) {
    std::vector<CandidateLane> lanes;
    for (const Answer& found : answers)
        for (const Row& row : found.rows)
            lanes.push_back(
                {row[0].integer(), row[1].text(), row[2].text(), row[3].text(), row[4].integer(), row[5].integer()});
    std::ranges::sort(lanes, {}, [](const CandidateLane& lane) {
        return std::tie(lane.turn, lane.queue, lane.tenant, lane.served, lane.lane);
    });
    return lanes;
}

// ---- Which missions

/// At most so many of lanes that take turns as one: those of the highest priority, and of these the oldest.
Result<std::vector<SqlStore::Due>> SqlStore::due_of(Database& database, std::span<const CandidateLane> lanes,
                                                    std::size_t most, std::vector<std::int64_t>& emptied) {
    std::vector<Due> due;
    for (const CandidateLane& lane : lanes) {
        const Answer found = PTC_TRY(
            database.execute("SELECT number, priority, CASE WHEN deadline <= {now} THEN 1 ELSE 0 END, "
                             "CASE WHEN " PTC_IS_WORN_OUT(
                                 "0") " THEN 1 ELSE 0 END, id, revision FROM {s}mission WHERE lane = $1 AND is_due = 1 "
                                      "ORDER BY priority DESC, number LIMIT $2 {skip}",
                             {lane.lane, static_cast<std::int64_t>(most)}));
        for (const Row& row : found.rows)
            due.push_back({row[0].integer(), row[1].integer(), &lane, row[2].integer() != 0, row[3].integer() != 0,
                           row[4].text(), row[5].integer() > 0});
        if (found.rows.size() < most) emptied.push_back(lane.lane);
    }
    std::ranges::sort(due, [](const Due& a, const Due& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.number < b.number;
    });
    if (due.size() > most) due.resize(most);
    return due;
}

/// Round by round: each pair of queue and tenant gets its share, and what is left over goes to those that have more.
Result<std::vector<SqlStore::Due>> SqlStore::choose(Database& database, std::span<const CandidateLane> lanes,
                                                    std::size_t most, std::vector<std::int64_t>& emptied) {
    std::vector<std::span<const CandidateLane>> groups;
    for (std::size_t begin = 0; begin < lanes.size();) {
        std::size_t end = begin + 1;
        while (end < lanes.size() && lanes[end].queue == lanes[begin].queue && lanes[end].tenant == lanes[begin].tenant)
            ++end;
        groups.push_back(lanes.subspan(begin, end - begin));
        begin = end;
    }
    std::vector<std::vector<Due>> found;
    std::size_t total = 0;
    const std::size_t share = groups.empty() ? 0 : std::max<std::size_t>(1, most / groups.size());
    for (const auto& group : groups) { // when all have enough; those behind get what these leave
        if (total >= most) break;
        found.push_back(PTC_TRY(due_of(database, group, std::min(share, most - total), emptied)));
        total += found.back().size();
    }
    for (std::size_t i = 0; i < found.size() && total < most; ++i) {
        if (found[i].size() < share) continue;
        const std::size_t before = found[i].size();
        found[i] = PTC_TRY(due_of(database, groups[i], before + most - total, emptied));
        total += found[i].size() - std::min(before, found[i].size());
    }
    std::ranges::sort(emptied);
    emptied.erase(std::ranges::unique(emptied).begin(), emptied.end());
    std::vector<Due> chosen;
    for (std::vector<Due>& part : found)
        chosen.insert(chosen.end(), part.begin(), part.end());
    return chosen;
}

/// Those that were served go behind all others, with those that take turns with them.
Result<void> SqlStore::stamp(Database& database, std::span<const CandidateLane> lanes, const std::vector<Due>& chosen,
                             std::int64_t last_turn) {
    if (lanes.size() < 2 || chosen.empty()) return {}; // there is nobody else
    const std::int64_t turn = last_turn + 1;
    std::set<std::int64_t> served;
    std::set<std::pair<std::string_view, std::string_view>> pairs;
    for (const Due& due : chosen) {
        served.insert(due.lane->lane);
        pairs.emplace(due.lane->queue, due.lane->tenant);
    }
    for (const CandidateLane& lane : lanes) {
        if (!pairs.contains({lane.queue, lane.tenant})) continue;
        // A lane that another claim has is stamped by that one.
        PTC_CHECK(database.defer("UPDATE {s}lane SET turn = $2, served = $3 WHERE lane IN "
                                 "(SELECT lane FROM {s}lane WHERE lane = $1 {skip})",
                                 {lane.lane, turn, served.contains(lane.lane) ? turn : lane.served}));
    }
    return {};
}

/// Nothing in it is due any more, unless somebody is just making something so, or taking it: false then.
Result<bool> SqlStore::rest_lane(Database& database, std::int64_t lane) {
    const Answer kept = PTC_TRY(database.execute("SELECT lane FROM {s}lane WHERE lane = $1 {skip_all}", {lane}));
    if (kept.rows.empty()) return false;
    const Answer rested = PTC_TRY(database.execute("UPDATE {s}lane SET is_ready = 0 WHERE lane = $1 AND NOT EXISTS "
                                                   "(SELECT 1 FROM {s}mission WHERE lane = $1 AND is_due = 1)",
                                                   {lane}));
    return rested.changed > 0;
}

// ---- Claiming

Result<std::vector<ClaimedMission>> SqlStore::claim(const ClaimOptions& options) {
    ClaimOptions bounded = options;
    bounded.most = std::min(options.most, kMostClaimed);
    if (options.lease <= Millis64(0)) return Error(Reason::InvalidRequest, "A lease is longer than nothing.");
    bool is_settled = true;
    Result<std::vector<ClaimedMission>> all =
        transact([&](Database& database, bool) -> Result<std::vector<ClaimedMission>> {
            std::vector<Statement> statements{{kIsAnyLate}, {kLastTurn}};
            const std::vector<Statement> of_lanes = lane_statements(bounded);
            if (bounded.most > 0) statements.insert(statements.end(), of_lanes.begin(), of_lanes.end());
            std::vector<Answer> answers = PTC_TRY(database.execute_all(statements));
            if (!answers[0].rows.empty()) is_settled = PTC_TRY(wake_missions(database));
            std::vector<ClaimedMission> claims;
            if (bounded.most == 0) return claims;
            const std::int64_t last_turn = answers[1].rows.empty() ? 0 : answers[1].rows[0][0].integer();
            answers.erase(answers.begin(), answers.begin() + 2);
            if (!is_settled) answers = PTC_TRY(database.execute_all(of_lanes)); // lanes became ready
            const std::vector<CandidateLane> lanes = lanes_of(answers);
            std::vector<std::int64_t> emptied;
            const std::vector<Due> chosen = PTC_TRY(choose(database, lanes, bounded.most, emptied));
            claims = PTC_TRY(take(database, chosen, bounded));
            PTC_CHECK(stamp(database, lanes, chosen, last_turn));
            for (const std::int64_t lane : emptied)
                is_settled &= PTC_TRY(rest_lane(database, lane));
            is_settled &= claims.size() == chosen.size();
            return claims;
        });
    // Whoever makes something due in a lane that is ready tells nobody, so as long as one is, claims come soon.
    unsettled_claims_ = all.ok() && !is_settled ? unsettled_claims_ + 1 : 0;
    return all;
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
                                     "RETURNING revision, context, is_cancelled, deadline, attempts, max_attempts, "
                                     "context_digest, losses, {now}";
    constexpr const char* kSelectSnapshot =
        "SELECT part, size, bytes FROM {s}snapshot WHERE mission = $1 ORDER BY part LIMIT $2";
    std::vector<std::pair<const Due*, ClaimedMission>> wanted;
    for (const Due& due : chosen) {
        if (!due.is_late && !due.is_worn_out) {
            wanted.emplace_back(&due, ClaimedMission{.id = due.id, .token = random_id(32)});
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
