// What a worker writes under its claim. Each transaction begins with a statement that names mission and token (and
// revision): it changes the mission's row, or locks it, so that nobody takes the mission until the transaction is over.
// When it finds no row, another worker has the mission, and nothing is written.
//
// A connection may break while COMMIT is under way; then nobody knows whether it happened, and the transaction is
// tried again. The second attempt finds a revision one higher with its own token, or that its own token was the one
// that ended last: then the first attempt was committed, and there is nothing left to do.
#include "subagent/engine/invalid_request.h"
#include "subagent/store/snapshot_codec.h"
#include "subagent/store/sql_store.h"
#include <algorithm>

namespace ptc {
namespace {

// What a commit changes of the mission's row, and what its end does: one statement when both come together, as each
// version of a row costs an entry in every index.
#define PTC_RAISE                                                                                                      \
    "revision = revision + 1, attempts = CASE WHEN $9 = 1 THEN 0 ELSE attempts END, "                                  \
    "losses = CASE WHEN $9 = 1 THEN 0 ELSE losses END, "                                                               \
    "input_tokens = CASE WHEN $8 = 1 THEN input_tokens ELSE $4 END, "                                                  \
    "output_tokens = CASE WHEN $8 = 1 THEN output_tokens ELSE $5 END, "                                                \
    "turns = CASE WHEN $8 = 1 THEN turns ELSE $6 END, cost_usd = CASE WHEN $8 = 1 THEN cost_usd ELSE $7 END"
#define PTC_SET_ENDED                                                                                                  \
    "status = $10, is_due = 0, ended_token = token, token = NULL, worker = '', wake_at = NULL, ended = {now}, "        \
    "not_before = NULL, waits_for = NULL, retry_why = NULL, result = $11, error = $12, changed = {now}"

#define PTC_IS_CLAIMED "id = $1 AND token = $2 AND revision = $3"
// Each question about an earlier attempt writes: what it finds is on the disk when this is.
constexpr const char* kWasCommitted = "UPDATE {s}mission SET revision = revision WHERE " PTC_IS_CLAIMED " RETURNING 1";

// What goes with it names the mission's row ($1 is its id), and is done only where this transaction changed it.
#define PTC_FROM_MINE "FROM {s}mission WHERE id = $1 AND {mine}"
#define PTC_MINE "(SELECT number " PTC_FROM_MINE ")"

std::int64_t revision_of(const ClaimedMission& claim) { return static_cast<std::int64_t>(claim.revision); }

/// $1 to $9 of what raises a revision.
std::vector<Parameter> raise_parameters(const ClaimedMission& claim, const Commit& commit) {
    return {claim.id,
            claim.token,
            revision_of(claim),
            commit.input_tokens,
            commit.output_tokens,
            commit.turns,
            commit.cost_usd,
            std::int64_t{commit.keeps_usage},
            std::int64_t{commit.is_progress}};
}

Result<void> check_commit(const Commit& commit) {
    if (commit.snapshot.size() > kMostSnapshotBytes)
        return invalid_request("A snapshot of " + std::to_string(commit.snapshot.size()) +
                               " bytes is larger than a store keeps.");
    for (const StoredCall& call : commit.calls) {
        PTC_CHECK(check_name("The name of a call", call.name, true, kMostKeyBytes));
        PTC_CHECK(check_name("The key of a call", call.key, true, kMostKeyBytes));
    }
    return {};
}

} // namespace

Result<std::int64_t> SqlStore::own(Database& database, const ClaimedMission& claim) {
    const Answer found = PTC_TRY(
        database.execute("SELECT number FROM {s}mission WHERE id = $1 AND token = $2 {own}", {claim.id, claim.token}));
    if (found.rows.empty()) return lease_lost(claim.id);
    return found.rows[0][0].integer();
}

Result<bool> SqlStore::has_ended_with(Database& database, const ClaimedMission& claim) {
    const Answer found = PTC_TRY(
        database.execute("UPDATE {s}mission SET ended_token = $2 WHERE id = $1 AND ended_token = $2 RETURNING 1",
                         {claim.id, claim.token}));
    return !found.rows.empty();
}

Result<void> SqlStore::add_snapshot(Writes& writes, const ClaimedMission& claim, std::string_view snapshot,
                                    ClaimedMission::Kept& kept) {
    const SnapshotPart part = snapshot_part(snapshot, claim.snapshot, claim.kept);
    if (part.bytes.empty()) return Error(Reason::StoreUnavailable, "There is no memory to compress a snapshot.");
    kept = part.kept;
    if (part.is_base && claim.revision > 0) // nothing was committed before otherwise
        writes.statements.push_back({"DELETE FROM {s}snapshot WHERE mission = " PTC_MINE, {claim.id}});
    const std::string& sealed =
        writes.texts.emplace_back(seal(part.bytes, "snapshot", claim.id, "bytes", std::to_string(kept.parts - 1)));
    writes.statements.push_back(
        {"INSERT INTO {s}snapshot (mission, part, size, bytes) SELECT number, $2, $3, $4 " PTC_FROM_MINE,
         {claim.id, std::int64_t{kept.parts} - 1, static_cast<std::int64_t>(snapshot.size()), Blob(sealed)}});
    return {};
}

Result<void> SqlStore::add_commit(Writes& writes, const ClaimedMission& claim, const Commit& commit,
                                  ClaimedMission::Kept& kept) {
    if (!commit.snapshot.empty()) PTC_CHECK(add_snapshot(writes, claim, commit.snapshot, kept));
    for (const StoredCall& call : commit.calls) {
        const auto need = static_cast<std::int64_t>(call.need);
        Parameter answer;
        if (call.answer)
            answer =
                Blob(writes.texts.emplace_back(seal(*call.answer, "call", claim.id, "answer", std::to_string(need))));
        // One that is there stays as it is, but one that was taken: its mission goes on from a snapshot before that.
        writes.statements.push_back(
            {"INSERT INTO {s}call AS c (mission, need, kind, name, key, is_taken, asked, answered, answer) SELECT "
             "number, $2, $3, $4, $5, 0, {now}, CASE WHEN $6 = 1 THEN {now} END, $7 " PTC_FROM_MINE
             " ON CONFLICT (mission, need) DO UPDATE SET is_taken = 0, asked = excluded.asked, "
             "answered = excluded.answered, answer = excluded.answer WHERE c.is_taken = 1",
             {claim.id, need, kind_name(call.kind), call.name, call.key, std::int64_t{call.answer.has_value()},
              answer}});
    }
    for (const std::uint64_t need : commit.taken) // its record may be lost (Durability::WithNext); the snapshot has it
        writes.statements.push_back({"UPDATE {s}call SET is_taken = 1, answered = COALESCE(answered, {now}) WHERE need "
                                     "= $2 AND mission = " PTC_MINE,
                                     {claim.id, static_cast<std::int64_t>(need)}});
    for (const std::uint64_t need : commit.forgotten)
        writes.statements.push_back({"UPDATE {s}call SET is_taken = 0, answer = NULL, answered = NULL WHERE need = $2 "
                                     "AND mission = " PTC_MINE,
                                     {claim.id, static_cast<std::int64_t>(need)}});
    for (const std::string& text : commit.outbox) {
        const std::string& sealed = writes.texts.emplace_back(seal(text, "outbox", claim.id, "bytes"));
        writes.statements.push_back(
            {"INSERT INTO {s}outbox (mission, bytes, created) SELECT $1, $2, {now} " PTC_FROM_MINE,
             {claim.id, Blob(sealed)}});
    }
    return {};
}

Result<bool> SqlStore::was_committed(Database& database, const ClaimedMission& claim) {
    return !PTC_TRY(database.execute(kWasCommitted, {claim.id, claim.token, revision_of(claim) + 1})).rows.empty();
}

// ---- Children

Result<std::vector<SqlStore::Coming>> SqlStore::coming_children(const ClaimedMission& claim,
                                                                const Commit& commit) const {
    std::vector<Coming> children;
    for (const NewMission& child : commit.children) {
        if (child.id.empty()) return invalid_request("A child has an id, by which its parent knows it again.");
        if (!child.parent.empty() && child.parent != claim.id)
            return invalid_request("The child `" + child.id + "` of the mission `" + claim.id +
                                   "` has another parent.");
        NewMission mission = child;
        mission.parent = claim.id;
        children.push_back(PTC_TRY(coming(mission)));
    }
    return children;
}

/// Before the calls are written: those that have one already came with an earlier commit, and may be gone again.
Result<void> SqlStore::submit_children(Database& database, std::int64_t number, std::span<const Coming> children) {
    if (children.empty()) return {};
    const Answer calls =
        PTC_TRY(database.execute("SELECT key FROM {s}call WHERE mission = $1 AND kind = 'child'", {number}));
    for (const Coming& child : children) {
        if (std::ranges::any_of(calls.rows, [&](const Row& call) { return call[0].text() == child.id; })) continue;
        if (!PTC_TRY(insert(database, child, false)).is_new)
            return invalid_request("There is another mission with the id `" + child.id + "`.");
    }
    return {};
}

Result<bool> SqlStore::commit_family(const ClaimedMission& claim, const Writes& writes,
                                     std::span<const Coming> children) {
    return transact([&](Database& database, bool is_repeat) -> Result<bool> {
        const Statement& raise = writes.statements[0];
        const Answer raised = PTC_TRY(database.execute(raise.sql, raise.parameters));
        if (raised.rows.empty()) {
            if (is_repeat && PTC_TRY(was_committed(database, claim))) return false;
            return lease_lost(claim.id);
        }
        PTC_CHECK(submit_children(database, raised.rows[0][0].integer(), children));
        for (const Statement& statement : std::span(writes.statements).subspan(1))
            PTC_CHECK(database.defer(statement.sql, statement.parameters));
        return true;
    });
}

// ---- Commits

Result<void> SqlStore::commit(ClaimedMission& claim, const Commit& commit) {
    PTC_CHECK(check_commit(commit));
    const std::vector<Coming> children = PTC_TRY(coming_children(claim, commit));
    ClaimedMission::Kept kept = claim.kept;
    Writes writes;
    writes.statements.push_back({"UPDATE {s}mission SET " PTC_RAISE ", changed = {now} WHERE " PTC_IS_CLAIMED
                                 " RETURNING number",
                                 raise_parameters(claim, commit)});
    PTC_CHECK(add_commit(writes, claim, commit, kept));
    const auto write_alone = [&](WholeRunner& database, bool is_repeat) -> Result<bool> {
        const std::vector<Answer> answers = PTC_TRY(database.execute_whole(writes.statements));
        if (!answers[0].rows.empty()) return true;
        if (!is_repeat) return lease_lost(claim.id);
        const Statement done[] = {{kWasCommitted, {claim.id, claim.token, revision_of(claim) + 1}}};
        if (PTC_TRY(database.execute_whole(done))[0].rows.empty()) return lease_lost(claim.id);
        return false;
    };
    const Result<bool> written =
        children.empty() ? transact_whole(write_alone) : commit_family(claim, writes, children);
    if (!written.ok()) return written.error();
    if (!written.value()) kept = {}; // its parts are there, too; the next commit writes a whole snapshot
    ++claim.revision;
    if (commit.is_progress) claim.attempts = 1; // this one, if it fails: those that count are in a row
    claim.kept = kept;
    if (!commit.snapshot.empty()) claim.snapshot = commit.snapshot;
    return {};
}

/// The first answer stays: an approval may have come from outside meanwhile. Whoever got one that was not there is
/// further than those whose workers ended before.
Result<void> SqlStore::record(const ClaimedMission& claim, std::uint64_t need, std::string_view answer,
                              Durability durability) {
    const auto which = static_cast<std::int64_t>(need);
    const std::string sealed = seal(answer, "call", claim.id, "answer", std::to_string(need));
#define PTC_RECORD                                                                                                     \
    "UPDATE {s}call SET answer = $4, answered = {now} WHERE need = $3 AND answer IS NULL AND mission = "               \
    "(SELECT number FROM {s}mission WHERE id = $1 AND token = $2 {own}) RETURNING need"
    const bool is_alone = durability == Durability::AtOnce;
    std::vector<Statement> statements{
        {is_alone ? PTC_RECORD : PTC_RECORD ", {with_next}", {claim.id, claim.token, which, Blob(sealed)}}};
#undef PTC_RECORD
    const Statement why_not[] = {
        // the first writes, so that the answer that is there is synced with it
        {"UPDATE {s}mission SET revision = revision WHERE id = $1 AND token = $2 RETURNING number",
         {claim.id, claim.token}},
        {"SELECT need FROM {s}call WHERE need = $2 AND mission = (SELECT number FROM {s}mission WHERE id = $1)",
         {claim.id, which}}};
    if (claim.losses > 0)
        statements.push_back({"UPDATE {s}mission SET losses = 0 WHERE id = $1 AND token = $2 AND "
                              "EXISTS (SELECT 1 FROM {s}call WHERE need = $3 AND {mine} AND mission = "
                              "(SELECT number FROM {s}mission WHERE id = $1))",
                              {claim.id, claim.token, which}});
    return transact_whole([&](WholeRunner& database, bool) -> Result<void> {
        if (!PTC_TRY(database.execute_whole(statements, durability))[0].rows.empty()) return {};
        const std::vector<Answer> found = PTC_TRY(database.execute_whole(why_not));
        if (found[0].rows.empty()) return lease_lost(claim.id);
        if (!found[1].rows.empty()) return {}; // it has an answer
        return invalid_request("The mission `" + claim.id + "` has no call " + std::to_string(need) +
                               " to be answered.");
    });
}

Result<bool> SqlStore::wait(ClaimedMission& claim, const Wait& wait) {
    const std::string whom = seal(wait.for_whom, "mission", claim.id, "waits_for");
    const std::int64_t at_most = wait.at_most ? std::max<std::int64_t>(wait.at_most->count(), 0) : -1;
    Result<bool> waits = transact([&](Database& database, bool is_repeat) -> Result<bool> {
        if (is_repeat && PTC_TRY(has_ended_with(database, claim))) return true;
        const std::int64_t number = PTC_TRY(own(database, claim));
        const Answer waiting = PTC_TRY(database.execute(
            "UPDATE {s}mission SET status = 'waiting', ended_token = token, token = NULL, worker = '', attempts = 0, "
            "losses = 0, "
            "waits_for = $2, not_before = CASE WHEN $3 >= 0 THEN {now} + $3 END, "
            "wake_at = CASE WHEN $3 >= 0 AND (deadline IS NULL OR {now} + $3 < deadline) THEN {now} + $3 ELSE deadline "
            "END, "
            "since = {now}, changed = {now} WHERE number = $1 AND has_news = 0 AND is_cancelled = 0 RETURNING lane",
            {number, Blob(whom), at_most}));
        if (!waiting.rows.empty()) {
            if (at_most == 0) PTC_CHECK(make_due(database, number, waiting.rows[0][0].integer()));
            return true;
        }
        PTC_CHECK(database.execute("UPDATE {s}mission SET has_news = 0 WHERE number = $1", {number}));
        return false;
    });
    if (waits.ok() && *waits) claim.token.clear();
    return waits;
}

Result<void> SqlStore::finish(ClaimedMission& claim, const Commit& last, const End& end) {
    PTC_CHECK(check_commit(last));
    const std::vector<Coming> children = PTC_TRY(coming_children(claim, last));
    const bool has_result = end.status == MissionStatus::Done;
    Writes writes;
    std::vector<Parameter> parameters = raise_parameters(claim, last);
    parameters.emplace_back(status_name(end.status));
    const std::string& result = writes.texts.emplace_back(seal(end.result, "mission", claim.id, "result"));
    const std::string& error = writes.texts.emplace_back(seal(end.error, "mission", claim.id, "error"));
    parameters.push_back(has_result ? Parameter(Blob(result)) : Parameter());
    parameters.push_back(has_result ? Parameter() : Parameter(Blob(error)));
    constexpr const char* kEndWithResult =
        "UPDATE {s}mission SET " PTC_RAISE ", " PTC_SET_ENDED " WHERE " PTC_IS_CLAIMED " AND parent = '' "
        "RETURNING parent";
    constexpr const char* kEndWithoutResult = // children are cancelled: not on one way
        "UPDATE {s}mission SET " PTC_RAISE ", " PTC_SET_ENDED " WHERE " PTC_IS_CLAIMED
        " AND parent = '' AND NOT EXISTS "
        "(SELECT 1 FROM {s}mission c WHERE c.parent = $1 AND c.parent <> '') RETURNING parent";
    writes.statements.push_back({has_result ? kEndWithResult : kEndWithoutResult, std::move(parameters)});
    ClaimedMission::Kept kept = claim.kept;
    PTC_CHECK(add_commit(writes, claim, last, kept));
    if (has_result) writes.statements.push_back({"DELETE FROM {s}snapshot WHERE mission = " PTC_MINE, {claim.id}});
    bool is_over = false, was_repeated = false;
    if (end.status != MissionStatus::Cancelled && children.empty())
        is_over = PTC_TRY(transact_whole([&](WholeRunner& database, bool is_repeat) -> Result<bool> {
            was_repeated = is_repeat;
            return !PTC_TRY(database.execute_whole(writes.statements))[0].rows.empty();
        }));
    if (!is_over) PTC_CHECK(finish_family(claim, writes, children, end, was_repeated));
    ++claim.revision;
    claim.token.clear();
    return {};
}

Result<void> SqlStore::finish_family(ClaimedMission& claim, const Writes& writes, std::span<const Coming> children,
                                     const End& end, bool was_tried) {
    return transact([&](Database& database, bool is_repeat) -> Result<void> {
        if ((is_repeat || was_tried) && PTC_TRY(has_ended_with(database, claim))) return {};
        const Answer ended = PTC_TRY(database.execute("UPDATE {s}mission SET " PTC_RAISE ", " PTC_SET_ENDED
                                                      " WHERE " PTC_IS_CLAIMED " RETURNING parent, number",
                                                      writes.statements[0].parameters));
        if (ended.rows.empty()) return lease_lost(claim.id);
        PTC_CHECK(submit_children(database, ended.rows[0][1].integer(), children));
        for (const Statement& statement : std::span(writes.statements).subspan(1))
            PTC_CHECK(database.defer(statement.sql, statement.parameters));
        const std::string& parent = ended.rows[0][0].text();
        if (!parent.empty()) PTC_CHECK(tell_parent(database, parent, claim.id, end));
        return end.status == MissionStatus::Done ? Result<void>() : cancel_children(database, claim.id);
    });
}

Result<void> SqlStore::complete(ClaimedMission& claim, const Commit& last, std::string_view result) {
    return finish(claim, last, {.status = MissionStatus::Done, .result = result});
}

Result<void> SqlStore::fail(ClaimedMission& claim, const Commit& last, std::string_view error, bool is_cancelled) {
    return finish(claim, last,
                  {.status = is_cancelled ? MissionStatus::Cancelled : MissionStatus::Failed, .error = error});
}

Result<void> SqlStore::release(ClaimedMission& claim, Millis64 delay, bool failed, std::optional<Millis64> busy,
                               std::string_view why) {
    const std::string sealed = seal(why, "mission", claim.id, "retry_why");
    const std::int64_t ms = std::max<std::int64_t>(delay.count(), 0);
    const auto give_back = [&](Database& database, bool is_repeat) -> Result<void> {
        if (is_repeat && PTC_TRY(has_ended_with(database, claim))) return {};
        const std::int64_t number = PTC_TRY(own(database, claim));
        const Answer released = PTC_TRY(database.execute(
            "UPDATE {s}mission SET status = 'ready', ended_token = COALESCE(token, ended_token), token = NULL, worker "
            "= '', "
            "attempts = attempts + $3, not_before = {now} + $2, retry_why = $4, "
            "wake_at = CASE WHEN deadline IS NULL OR {now} + $2 < deadline THEN {now} + $2 ELSE deadline END, "
            "since = {now} + $2, changed = {now} WHERE number = $1 RETURNING lane",
            {number, ms, std::int64_t{failed}, why.empty() ? Parameter() : Parameter(Blob(sealed))}));
        if (ms > 0 || released.rows.empty()) return {};
        return make_due(database, number, released.rows[0][0].integer());
    };
    const Result<void> written = transact(give_back, busy);
    if (!written.ok()) return written.error();
    claim.token.clear();
    return {};
}

Result<MissionStore::Heartbeat> SqlStore::heartbeat(const std::vector<ClaimedMission>& claims, Millis64 lease) {
    constexpr std::size_t kMostAtOnce = 20; // whose rows one transaction keeps, while nothing of them is committed
    std::vector<const ClaimedMission*> sorted;
    for (const ClaimedMission& claim : claims)
        sorted.push_back(&claim);
    std::ranges::sort(sorted, {}, &ClaimedMission::id); // everybody takes rows in the same order
    Heartbeat all;
    for (std::size_t begin = 0; begin < sorted.size(); begin += kMostAtOnce) {
        const std::size_t end = std::min(sorted.size(), begin + kMostAtOnce);
        const Heartbeat part = PTC_TRY(transact([&](Database& database, bool) -> Result<Heartbeat> {
            std::vector<Statement> statements;
            for (std::size_t i = begin; i < end; ++i)
                statements.push_back({"UPDATE {s}mission SET " PTC_SET_LEASE(
                                          "$3") " WHERE id = $1 AND token = $2 RETURNING is_cancelled, "
                                                "CASE WHEN deadline <= {now} THEN 1 ELSE 0 END",
                                      {sorted[i]->id, sorted[i]->token, lease.count()}});
            const std::vector<Answer> answers = PTC_TRY(database.execute_all(statements));
            Heartbeat heard;
            for (std::size_t i = begin; i < end; ++i) {
                const Rows& renewed = answers[i - begin].rows;
                if (renewed.empty())
                    heard.lost.push_back(sorted[i]->id);
                else if (renewed[0][0].integer() != 0)
                    heard.cancelled.push_back(sorted[i]->id);
                else if (renewed[0][1].integer() != 0)
                    heard.late.push_back(sorted[i]->id);
            }
            return heard;
        }));
        all.lost.insert(all.lost.end(), part.lost.begin(), part.lost.end());
        all.cancelled.insert(all.cancelled.end(), part.cancelled.begin(), part.cancelled.end());
        all.late.insert(all.late.end(), part.late.begin(), part.late.end());
    }
    return all;
}

} // namespace ptc
