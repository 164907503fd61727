// What comes from outside: signals, retries; and what people and monitors read.
#include "subagent/engine/invalid_request.h"
#include "subagent/store/sql_store.h"
#include <algorithm>
#include <limits>
#include <map>

namespace ptc {
namespace {

Error no_mission(const std::string& id) { return invalid_request("There is no mission `" + id + "`."); }

constexpr std::int64_t kMostNames = 20; ///< of what a mission waits for

bool is_over(std::string_view status) { return status == "done" || status == "failed" || status == "cancelled"; }

} // namespace

std::string_view standing_name(Standing::For what) {
    constexpr std::string_view kNames[] = {"", "worker", "time", "retry", "model", "tool", "approval", "child"};
    return kNames[static_cast<std::size_t>(what)];
}

// ---- Signals

Result<bool> SqlStore::signal(const std::string& id, const Signal& signal) {
    PTC_CHECK(check_name("The id of a mission", id, false));
    return transact([&](Database& database, bool) -> Result<bool> {
        return signal.kind == Signal::Kind::Cancel ? cancel(database, id) : answer(database, id, signal);
    });
}

/// At once, when nobody has it.
Result<void> SqlStore::cancel_one(Database& database, std::int64_t number, const std::string& id,
                                  std::string_view status) {
    if (status == status_name(MissionStatus::Running)) {
        PTC_CHECK(database.execute("UPDATE {s}mission SET is_cancelled = 1, has_news = 1 WHERE number = $1", {number}));
        return {};
    }
    const std::string error = error_json(Reason::Interrupted, "It was cancelled.");
    PTC_CHECK(end_alone(database, number, id, {.status = MissionStatus::Cancelled, .error = error}));
    return {};
}

Result<bool> SqlStore::cancel(Database& database, const std::string& id) {
    const Answer found =
        PTC_TRY(database.execute("SELECT number, status, is_cancelled FROM {s}mission WHERE id = $1 {own}", {id}));
    if (found.rows.empty()) return no_mission(id);
    const Row& row = found.rows[0];
    if (is_over(row[1].text()) || row[2].integer() != 0) return false;
    PTC_CHECK(cancel_one(database, row[0].integer(), id, row[1].text()));
    PTC_CHECK(cancel_children(database, id));
    return true;
}

/// A mission that is cancelled already has been here: circles of parents end.
Result<void> SqlStore::cancel_children(Database& database, const std::string& parent) {
    for (std::vector<std::string> parents{parent}; !parents.empty();) {
        const std::string next = std::move(parents.back());
        parents.pop_back();
        const Answer children = PTC_TRY(database.execute(
            "SELECT number, id, status FROM {s}mission WHERE parent = $1 AND parent <> '' AND is_cancelled = 0 AND "
            "status IN ('ready', 'running', 'waiting') ORDER BY number {own}",
            {next}));
        for (const Row& child : children.rows) {
            PTC_CHECK(cancel_one(database, child[0].integer(), child[1].text(), child[2].text()));
            parents.push_back(child[1].text());
        }
    }
    return {};
}

Result<bool> SqlStore::answer(Database& database, const std::string& id, const Signal& signal) {
    const Answer found =
        PTC_TRY(database.execute("SELECT number, status, lane FROM {s}mission WHERE id = $1 {own}", {id}));
    if (found.rows.empty()) return no_mission(id);
    const std::int64_t number = found.rows[0][0].integer();
    const std::string& status = found.rows[0][1].text();
    const auto need = static_cast<std::int64_t>(signal.need);
    const Answer call = PTC_TRY(
        database.execute("SELECT CASE WHEN answer IS NULL AND is_taken = 0 THEN 1 ELSE 0 END, kind FROM {s}call "
                         "WHERE mission = $1 AND need = $2",
                         {number, need}));
    if (call.rows.empty())
        return invalid_request("The mission `" + id + "` has no call " + std::to_string(signal.need) + ".");
    const std::string& kind = call.rows[0][1].text();
    if (kind != kind_name(StoredCall::Kind::Approval) && kind != kind_name(StoredCall::Kind::Outside))
        return invalid_request("The call " + std::to_string(signal.need) + " of the mission `" + id +
                               "` is not answered from outside.");
    if (is_over(status) || call.rows[0][0].integer() == 0) return false;
    const std::string sealed = seal(signal.bytes, "call", id, "answer", std::to_string(signal.need));
    PTC_CHECK(database.execute("UPDATE {s}call SET answer = $3, answered = {now} WHERE mission = $1 AND need = $2",
                               {number, need, Blob(sealed)}));
    PTC_CHECK(database.execute("UPDATE {s}mission SET has_news = 1 WHERE number = $1", {number}));
    if (status == status_name(MissionStatus::Waiting))
        PTC_CHECK(make_due(database, number, found.rows[0][2].integer()));
    return true;
}

Result<bool> SqlStore::retry(const std::string& id) {
    PTC_CHECK(check_name("The id of a mission", id, false));
    return transact([&](Database& database, bool) -> Result<bool> {
        const Answer found =
            PTC_TRY(database.execute("SELECT number, lane, status FROM {s}mission WHERE id = $1 {own}", {id}));
        if (found.rows.empty()) return no_mission(id);
        const std::string& status = found.rows[0][2].text();
        if (status != "failed" && status != "cancelled") return false;
        std::vector<std::string> children = PTC_TRY(revive(database, found.rows[0], id));
        PTC_CHECK(retry_children(database, std::move(children)));
        return true;
    });
}

Result<std::vector<std::string>> SqlStore::revive(Database& database, const Row& mission, const std::string& id) {
    const std::int64_t number = mission[0].integer();
    PTC_CHECK(database.execute("UPDATE {s}mission SET attempts = 0, losses = 0, is_cancelled = 0, error = NULL, "
                               "deadline = NULL, ended = NULL "
                               "WHERE number = $1",
                               {number}));
    // What nobody here can find out once more: it goes on with the same answers, from its last snapshot.
    PTC_CHECK(database.execute("UPDATE {s}call SET is_taken = 0 WHERE mission = $1 AND kind IN ('outside', 'child') "
                               "AND answer IS NOT NULL",
                               {number}));
    // And what a row only says was answered is answered now.
    PTC_CHECK(database.execute("UPDATE {s}call SET is_taken = 0, answered = NULL WHERE mission = $1 AND kind IN "
                               "('approval', 'outside', 'child') AND answer IS NULL AND answered IS NOT NULL",
                               {number}));
    PTC_CHECK(make_due(database, number, mission[1].integer()));
    const Answer open = PTC_TRY(database.execute(
        "SELECT c.key, c.need, m.id FROM {s}call c LEFT JOIN {s}mission m ON m.id = c.key AND m.parent = $2 WHERE "
        "c.mission = $1 AND c.kind = 'child' AND c.answer IS NULL ORDER BY c.need",
        {number, id}));
    std::vector<std::string> children;
    for (const Row& call : open.rows) {
        if (!call[2].is_null()) {
            children.push_back(call[0].text());
            continue;
        }
        const std::string error = error_json(Reason::InvalidRequest, "The store has forgotten it.");
        PTC_CHECK(tell_parent(database, id, call[0].text(), {.status = MissionStatus::Failed, .error = error}));
    }
    return children;
}

/// Their ends were told to nobody, as their parent was over then.
Result<void> SqlStore::retry_children(Database& database, std::vector<std::string> open) {
    while (!open.empty()) {
        const std::string id = std::move(open.back());
        open.pop_back();
        const Answer found = PTC_TRY(database.execute(
            "SELECT number, lane, status, parent, " PTC_PAYLOAD("result") " FROM {s}mission WHERE id = $1 {own}",
            {id}));
        if (found.rows.empty()) continue;
        const Row& child = found.rows[0];
        const std::string& status = child[2].text();
        if (status == "done") {
            const std::string result = PTC_TRY(unseal(child[4].text(), "mission", id, "result"));
            PTC_CHECK(tell_parent(database, child[3].text(), id, {.status = MissionStatus::Done, .result = result}));
        } else if (status == "failed" || status == "cancelled") {
            const std::vector<std::string> more = PTC_TRY(revive(database, child, id));
            open.insert(open.end(), more.begin(), more.end());
        } else { // its worker has not heard yet that it was to end
            PTC_CHECK(
                database.execute("UPDATE {s}mission SET is_cancelled = 0 WHERE number = $1", {child[0].integer()}));
        }
    }
    return {};
}

// ---- Lists

namespace {

#define PTC_MISSION_COLUMNS                                                                                            \
    "SELECT m.id, " PTC_NAME("a.name") ", l.agent, l.queue, l.tenant, m.priority, m.status, m.revision, "              \
                                       "m.attempts, " PTC_NAME(                                                        \
                                           "m.worker") ", "                                                            \
                                                       "m.created, m.changed, m.not_before, m.input_tokens, "          \
                                                       "m.output_tokens, m.cost_usd, m.turns, m.losses, m.parent, "
#define PTC_MISSION_TABLES " FROM {s}mission m JOIN {s}lane l ON l.lane = m.lane JOIN {s}agent a ON a.digest = l.agent "
#define PTC_IS_LISTED                                                                                                  \
    "WHERE m.id > $1 AND ($2 = '' OR m.status = $2) AND ($3 = '' OR l.queue = $3) AND ($4 = '' OR l.tenant = $4) AND " \
    "($5 = '' OR a.name = $5 OR l.agent = $5) "
#define PTC_BY_ID "ORDER BY m.id LIMIT $6"

constexpr const char* kList = PTC_MISSION_COLUMNS "NULL" PTC_MISSION_TABLES PTC_IS_LISTED PTC_BY_ID;
/// Searches an index that has children only.
constexpr const char* kListChildren =
    PTC_MISSION_COLUMNS "NULL" PTC_MISSION_TABLES PTC_IS_LISTED "AND m.parent = $7 AND m.parent <> '' " PTC_BY_ID;

} // namespace

Result<StoredMission> SqlStore::mission_of(const Row& row, bool with_payloads) {
    StoredMission m;
    m.id = row[0].text();
    m.agent = row[1].text();
    m.agent_digest = row[2].text();
    m.queue = row[3].text();
    m.tenant = row[4].text();
    m.priority = static_cast<int>(row[5].integer());
    const std::optional<MissionStatus> status = status_named(row[6].text());
    if (!status && with_payloads) return invalid_request("The store has a mission with an unknown status.");
    if (!status) m.problem = "Its status is unknown.";
    m.status = status.value_or(MissionStatus::Failed);
    m.revision = static_cast<std::uint64_t>(row[7].integer());
    m.attempts = static_cast<int>(row[8].integer()) + (m.status == MissionStatus::Running ? 1 : 0);
    m.losses = static_cast<int>(row[17].integer());
    m.worker = row[9].text();
    m.created = row[10].integer();
    m.changed = row[11].integer();
    m.not_before = row[12].integer();
    m.input_tokens = row[13].integer();
    m.output_tokens = row[14].integer();
    m.cost_usd = row[15].real();
    m.turns = row[16].integer();
    m.parent = row[18].text();
    if (!with_payloads) return m;
    if (!row[19].is_null()) m.waits_for = PTC_TRY(unseal(row[19].text(), "mission", m.id, "waits_for"));
    if (!row[20].is_null()) m.result = PTC_TRY(unseal(row[20].text(), "mission", m.id, "result"));
    if (!row[21].is_null()) m.error = PTC_TRY(unseal(row[21].text(), "mission", m.id, "error"));
    return m;
}

Result<std::vector<StoredMission>> SqlStore::list(const MissionFilter& filter) {
    for (const std::string* name : {&filter.queue, &filter.tenant, &filter.agent, &filter.parent})
        PTC_CHECK(check_name("A filter", *name, true));
    const std::string_view status = filter.status ? status_name(*filter.status) : "";
    const auto most = static_cast<std::int64_t>(std::min<std::size_t>(filter.most, 100'000));
    return transact([&](Database& database, bool) -> Result<std::vector<StoredMission>> {
        std::vector<Parameter> parameters{filter.after, status, filter.queue, filter.tenant, filter.agent, most};
        if (!filter.parent.empty()) parameters.emplace_back(filter.parent);
        const Answer found = PTC_TRY(database.execute(filter.parent.empty() ? kList : kListChildren, parameters));
        std::vector<StoredMission> missions;
        for (const Row& row : found.rows)
            missions.push_back(PTC_TRY(mission_of(row, false)));
        return missions;
    });
}

Result<std::optional<StoredMission>> SqlStore::show(const std::string& id) {
    PTC_CHECK(check_name("The id of a mission", id, false));
    return transact([&](Database& database, bool) -> Result<std::optional<StoredMission>> {
        const Answer found = PTC_TRY(database.execute(
            PTC_MISSION_COLUMNS PTC_PAYLOAD("m.waits_for") ", " PTC_PAYLOAD("m.result") ", " PTC_PAYLOAD(
                "m.error") ", " PTC_PAYLOAD("m.retry_why") ", m.since, m.number, CASE WHEN m.not_before > "
                                                           "{now} THEN 1 ELSE 0 END" PTC_MISSION_TABLES
                                                           "WHERE m.id = $1",
            {id}));
        if (found.rows.empty()) return std::optional<StoredMission>();
        StoredMission mission = PTC_TRY(mission_of(found.rows[0], true));
        PTC_CHECK(read_standing(database, found.rows[0], mission));
        return std::optional(std::move(mission));
    });
}

namespace {

/// What a mission stands still for whose call has no answer, and whether it is none of its worker's.
struct OpenCall {
    Standing::For what;
    bool is_elsewhere;
};

std::optional<OpenCall> open_call(std::string_view kind) {
    using Kind = StoredCall::Kind;
    constexpr std::pair<Kind, OpenCall> kOpen[] = {{Kind::ModelCall, {Standing::For::Model, false}},
                                                   {Kind::ToolCall, {Standing::For::Tool, false}},
                                                   {Kind::Approval, {Standing::For::Approval, true}},
                                                   {Kind::Outside, {Standing::For::Tool, true}},
                                                   {Kind::Child, {Standing::For::Child, true}}};
    for (const auto& [of, open] : kOpen)
        if (kind_name(of) == kind) return open;
    return std::nullopt;
}

} // namespace

/// What is open of its calls says what a worker waits for, or a person; children, what a parent does.
Result<void> SqlStore::read_standing(Database& database, const Row& row, StoredMission& mission) {
    using For = Standing::For;
    Standing& standing = mission.standing;
    if (is_over(status_name(mission.status))) return {};
    standing.since = row[23].integer();
    if (mission.status == MissionStatus::Ready) {
        const bool is_later = row[25].integer() != 0;
        if (is_later) standing.until = mission.not_before;
        if (is_later && !row[22].is_null())
            standing.why = PTC_TRY(unseal(row[22].text(), "mission", mission.id, "retry_why"));
        standing.what = !is_later ? For::Worker : standing.why.empty() ? For::Time : For::Retry;
        if (is_later) standing.since = mission.changed;
        return {};
    }
    const bool waits = mission.status == MissionStatus::Waiting;
    const Answer calls =
        PTC_TRY(database.execute("SELECT kind, CASE kind WHEN 'child' THEN " PTC_NAME("key") " ELSE " PTC_NAME(
                                     "name") " END, asked FROM {s}call WHERE mission = $1 AND "
                                             "answer IS NULL AND is_taken = 0 ORDER BY need LIMIT $2",
                                 {row[24].integer(), kMostNames}));
    for (const Row& call : calls.rows) { // of one kind: those that were asked first
        const std::optional<OpenCall> open = open_call(call[0].text());
        if (!open || waits != open->is_elsewhere) continue;
        if (standing.names.empty()) standing.what = open->what, standing.since = call[2].integer();
        if (standing.what == open->what) standing.names.push_back(call[1].text());
    }
    if (!waits) return {};
    standing.until = mission.not_before;
    if (standing.what != For::Nothing) return {};
    const Answer children = PTC_TRY(database.execute(
        "SELECT id FROM {s}mission WHERE parent = $1 AND parent <> '' AND status IN ('ready', 'running', 'waiting') "
        "ORDER BY number LIMIT $2",
        {mission.id, kMostNames}));
    for (const Row& child : children.rows)
        standing.names.push_back(child[0].text());
    standing.what = !children.rows.empty() ? For::Child : standing.until > 0 ? For::Time : For::Approval;
    return {};
}

Result<std::vector<StoredCall>> SqlStore::calls(const std::string& id) {
    PTC_CHECK(check_name("The id of a mission", id, false));
    return transact([&](Database& database, bool) -> Result<std::vector<StoredCall>> {
        const Answer found = PTC_TRY(database.execute("SELECT number FROM {s}mission WHERE id = $1", {id}));
        if (found.rows.empty()) return no_mission(id);
        return calls_of(PTC_TRY(database.execute(kSelectCalls, {found.rows[0][0].integer(), std::int64_t{1}})), id);
    });
}

/// A few missions a transaction: each takes its calls and parts along.
Result<std::uint64_t> SqlStore::prune(Millis64 age, std::size_t most) {
    constexpr std::size_t kAtOnce = 500;
    std::uint64_t all = 0;
    for (std::uint64_t some = kAtOnce; some == kAtOnce && all < most; all += some) {
        const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(most - all, kAtOnce));
        some = PTC_TRY(transact([&](Database& database, bool) -> Result<std::uint64_t> {
            const Answer gone = PTC_TRY(database.execute("DELETE FROM {s}mission WHERE number IN (SELECT number FROM "
                                                         "{s}mission WHERE ended <= {now} - $1 ORDER BY "
                                                         "ended LIMIT $2 {skip}) RETURNING context_digest",
                                                         {age.count(), limit}));
            std::set<std::string> contexts; // in one order for all, so that nobody waits in a circle
            for (const Row& row : gone.rows)
                if (!row[0].is_null()) contexts.insert(row[0].text());
            PTC_CHECK(drop_contexts(database, contexts));
            return gone.rows.size();
        }));
    }
    PTC_CHECK(transact([&](Database& database, bool) { return prune_lanes(database); }));
    return all;
}

/// Those that nobody needs any more. They are taken first and looked at then: a mission may come into one meanwhile.
Result<void> SqlStore::prune_lanes(Database& database) {
    constexpr std::int64_t kMostLanes = 1000;
    const Answer lanes =
        PTC_TRY(database.execute("SELECT lane, queue FROM {s}lane l WHERE is_ready = 0 AND NOT EXISTS (SELECT 1 FROM "
                                 "{s}mission m WHERE m.lane = l.lane) ORDER BY lane LIMIT $1 {skip_all}",
                                 {kMostLanes}));
    for (const Row& row : lanes.rows)
        PTC_CHECK(database.execute(
            "DELETE FROM {s}lane WHERE lane = $1 AND NOT EXISTS (SELECT 1 FROM {s}mission WHERE lane = $1)",
            {row[0].integer()}));
    std::set<std::string> queues;
    for (const Row& row : lanes.rows)
        queues.insert(row[1].text());
    for (const std::string& queue : queues)
        PTC_CHECK(fold_tally(database, queue));
    return {};
}

/// Whoever changes a row meanwhile is waited for, and what he made of it is what is taken.
Result<void> SqlStore::fold_tally(Database& database, const std::string& queue) {
    const Answer rows =
        PTC_TRY(database.execute("DELETE FROM {s}tally WHERE queue = $1 RETURNING status, missions", {queue}));
    std::map<std::string, std::int64_t> sums;
    for (const Row& row : rows.rows)
        sums[row[0].text()] += row[1].integer();
    for (const auto& [status, missions] : sums) {
        if (missions == 0) continue;
        PTC_CHECK(
            database.execute("INSERT INTO {s}tally AS t (queue, status, shard, missions) VALUES ($1, $2, 0, $3) ON "
                             "CONFLICT (queue, status, shard) DO UPDATE SET missions = t.missions + $3",
                             {queue, status, missions}));
    }
    return {};
}

/// Sums, and for each lane the first row of an index: nothing that grows with the missions.
Result<std::vector<MissionStore::Count>> SqlStore::counts() {
    return transact([&](Database& database, bool) -> Result<std::vector<Count>> {
        const Answer found = PTC_TRY(database.execute(
            "SELECT queue, status, CAST(sum(missions) AS bigint) FROM {s}tally GROUP BY queue, status HAVING "
            "sum(missions) > 0 ORDER BY queue, status"));
        const Answer oldest = PTC_TRY(database.execute(
            "SELECT r.queue, {now} - min(r.since) FROM (SELECT queue, (SELECT since FROM {s}mission m WHERE m.lane = "
            "l.lane AND m.status = 'ready' ORDER BY since LIMIT 1) AS since FROM {s}lane l) r WHERE r.since IS NOT "
            "NULL GROUP BY r.queue"));
        std::map<std::string, std::int64_t> waited;
        for (const Row& row : oldest.rows)
            waited[row[0].text()] = std::max<std::int64_t>(row[1].integer(), 0);
        std::vector<Count> counts;
        for (const Row& row : found.rows) {
            const auto status = status_named(row[1].text()).value_or(MissionStatus::Failed);
            const std::int64_t since = status == MissionStatus::Ready ? waited[row[0].text()] : 0;
            counts.push_back({row[0].text(), status, static_cast<std::uint64_t>(row[2].integer()), since});
        }
        return counts;
    });
}

/// Each part searches an index that has nothing else.
Result<std::uint64_t> SqlStore::unfinished(const std::vector<std::string>& queues, std::size_t most) {
    constexpr const char* kAll[] = {
        "SELECT count(*) FROM (SELECT 1 FROM {s}mission WHERE status IN ('ready', 'running') LIMIT $1) m",
        "SELECT count(*) FROM (SELECT 1 FROM {s}mission WHERE status = 'waiting' AND not_before IS NOT NULL LIMIT $1) "
        "m"};
    constexpr const char* kOfQueue[] = {
        "SELECT count(*) FROM (SELECT 1 FROM {s}mission WHERE status IN ('ready', 'running') AND lane IN (SELECT lane "
        "FROM {s}lane WHERE queue = $2) LIMIT $1) m",
        "SELECT count(*) FROM (SELECT 1 FROM {s}mission WHERE status = 'waiting' AND not_before IS NOT NULL AND lane "
        "IN (SELECT lane FROM {s}lane WHERE queue = $2) LIMIT $1) m"};
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    return transact([&](Database& database, bool) -> Result<std::uint64_t> {
        std::size_t left = std::min(most, kMost);
        const std::size_t limit = left;
        const auto count = [&](const char* sql, std::initializer_list<Parameter> parameters) -> Result<void> {
            if (left == 0) return {};
            const Answer found = PTC_TRY(database.execute(sql, parameters));
            if (!found.rows.empty()) left -= static_cast<std::size_t>(found.rows[0][0].integer());
            return {};
        };
        for (std::size_t part = 0; part < std::size(kAll); ++part) {
            if (queues.empty()) PTC_CHECK(count(kAll[part], {static_cast<std::int64_t>(left)}));
            for (const std::string& queue : queues)
                PTC_CHECK(count(kOfQueue[part], {static_cast<std::int64_t>(left), queue}));
        }
        return limit - left;
    });
}

} // namespace ptc
