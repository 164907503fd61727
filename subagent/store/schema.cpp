// The tables of a store, for SQLite and PostgreSQL in the same words. What is claimed next has to be found without
// looking at what is not: `mission.is_due` marks those that may be claimed now, `mission.wake_at` is when the next
// thing happens to one by itself (its time comes, its lease or its wait ends, its deadline), and a lane is what is
// fair: a queue, a tenant and an agent, with a number that says when it was served last. Partial indexes hold only
// these.
//
// A migration is one more text in kSteps and one more version; the first step makes an empty database into version 1.
#include "subagent/store/schema.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include <array>
#include <string>

namespace ptc {
namespace {

constexpr std::string_view kTables = R"(
CREATE TABLE {s}meta (
    name   {text} PRIMARY KEY,
    number bigint NOT NULL,
    bytes  {blob}
);
CREATE TABLE {s}agent (
    digest  {text} PRIMARY KEY,
    name    {text} NOT NULL,
    content {blob} NOT NULL,
    created bigint NOT NULL
);
CREATE TABLE {s}data (
    digest  {text} PRIMARY KEY,
    bytes   {blob} NOT NULL,
    created bigint NOT NULL
);
CREATE TABLE {s}lane (
    lane     {id},
    queue    {text} NOT NULL,
    tenant   {text} NOT NULL,
    agent    {text} NOT NULL REFERENCES {s}agent (digest),
    is_ready smallint NOT NULL,
    turn     bigint NOT NULL,
    served   bigint NOT NULL,
    UNIQUE (queue, tenant, agent)
);
CREATE INDEX lane_turn ON {s}lane (turn, served) WHERE is_ready = 1;
CREATE INDEX lane_queue ON {s}lane (queue, turn, served) WHERE is_ready = 1;
CREATE INDEX lane_agent ON {s}lane (agent, queue, turn, served) WHERE is_ready = 1;
CREATE TABLE {s}mission (
    number        {id},
    id            {text} NOT NULL UNIQUE,
    lane          bigint NOT NULL REFERENCES {s}lane (lane),
    priority      bigint NOT NULL,
    status        {text} NOT NULL,
    is_due        smallint NOT NULL,
    wake_at       bigint,
    not_before    bigint,
    deadline      bigint,
    since         bigint NOT NULL,
    created       bigint NOT NULL,
    changed       bigint NOT NULL,
    revision      bigint NOT NULL,
    attempts      bigint NOT NULL,
    max_attempts  bigint NOT NULL,
    token         {text},
    ended_token   {text},
    worker        {text} NOT NULL,
    is_cancelled  smallint NOT NULL,
    has_news      smallint NOT NULL,
    parent        {text} NOT NULL,
    digest        {text} NOT NULL,
    context       {blob} NOT NULL,
    waits_for     {blob},
    result        {blob},
    error         {blob},
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    turns         bigint NOT NULL,
    cost_usd      {real} NOT NULL
);
CREATE INDEX mission_due ON {s}mission (lane, priority DESC, number) WHERE is_due = 1;
CREATE INDEX mission_wake ON {s}mission (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX mission_open ON {s}mission (status, lane) WHERE status IN ('ready', 'running', 'waiting');
CREATE INDEX mission_over ON {s}mission (changed) WHERE status IN ('done', 'failed', 'cancelled');
CREATE INDEX mission_lane ON {s}mission (lane);
CREATE TABLE {s}snapshot (
    mission bigint NOT NULL REFERENCES {s}mission (number) ON DELETE CASCADE,
    part    bigint NOT NULL,
    size    bigint NOT NULL,
    bytes   {blob} NOT NULL,
    PRIMARY KEY (mission, part)
);
CREATE TABLE {s}call (
    mission  bigint NOT NULL REFERENCES {s}mission (number) ON DELETE CASCADE,
    need     bigint NOT NULL,
    kind     {text} NOT NULL,
    name     {text} NOT NULL,
    key      {text} NOT NULL,
    is_taken smallint NOT NULL,
    asked    bigint NOT NULL,
    answered bigint,
    answer   {blob},
    PRIMARY KEY (mission, need)
);
CREATE TABLE {s}effect (
    key     {text} PRIMARY KEY,
    value   {blob} NOT NULL,
    created bigint NOT NULL
);
CREATE TABLE {s}outbox (
    row     {id},
    number  bigint UNIQUE,
    mission {text} NOT NULL,
    bytes   {blob} NOT NULL,
    created bigint NOT NULL
);
CREATE INDEX outbox_new ON {s}outbox (row) WHERE number IS NULL;
CREATE VIEW {s}missions AS
    SELECT m.id, m.status, l.queue, l.tenant, a.name AS agent, m.priority, m.attempts, m.revision, m.worker, m.turns,
           m.input_tokens, m.output_tokens, m.cost_usd, m.created, m.changed, m.not_before, m.deadline, m.parent
    FROM {s}mission m JOIN {s}lane l ON l.lane = m.lane JOIN {s}agent a ON a.digest = l.agent;
CREATE VIEW {s}calls AS
    SELECT m.id AS mission, c.need, c.kind, c.name, c.key, c.asked, c.answered, c.answered - c.asked AS ms
    FROM {s}call c JOIN {s}mission m ON m.number = c.mission;
CREATE VIEW {s}costs AS
    SELECT l.tenant, l.queue, a.name AS agent, count(*) AS missions, sum(m.turns) AS turns,
           sum(m.input_tokens) AS input_tokens, sum(m.output_tokens) AS output_tokens, sum(m.cost_usd) AS cost_usd
    FROM {s}mission m JOIN {s}lane l ON l.lane = m.lane JOIN {s}agent a ON a.digest = l.agent
    GROUP BY l.tenant, l.queue, a.name;
INSERT INTO {s}meta (name, number) VALUES ('outbox', 0);
)";

/// Counts read indexes alone; children are found from their parents; `runs` is what workers have in hand now.
constexpr std::string_view kCounts = R"(
DROP INDEX {s}mission_lane;
CREATE INDEX mission_lane ON {s}mission (lane, status);
CREATE INDEX lane_agent_turn ON {s}lane (agent, turn, served) WHERE is_ready = 1;
CREATE INDEX mission_timed ON {s}mission (lane) WHERE status = 'waiting' AND not_before IS NOT NULL;
CREATE INDEX mission_parent ON {s}mission (parent) WHERE parent <> '';
CREATE VIEW {s}runs AS
    SELECT m.id AS mission, m.worker, l.queue, l.tenant, a.name AS agent, m.attempts AS attempt, m.revision, m.turns,
           m.changed, m.wake_at AS lease_until, m.is_cancelled,
           (SELECT count(*) FROM {s}call c WHERE c.mission = m.number AND c.answered IS NULL) AS open_calls
    FROM {s}mission m JOIN {s}lane l ON l.lane = m.lane JOIN {s}agent a ON a.digest = l.agent
    WHERE m.status = 'running';
)";

/// Large contexts are kept once by digest, what a mission waits for is said, and missions are counted as they change:
/// sums of `tally`, whose rows are shared by few transactions at a time (`shard`). Attempts are those that a mission
/// failed by itself from now on; workers that ended without a word are `losses`.
/// No index has a column that each commit changes: PostgreSQL writes a new row into none of them then.
constexpr std::string_view kShared = R"(
CREATE TABLE {s}context (
    digest  {text} PRIMARY KEY,
    bytes   {blob} NOT NULL,
    created bigint NOT NULL
);
ALTER TABLE {s}mission ADD COLUMN context_digest {text} REFERENCES {s}context (digest);
ALTER TABLE {s}mission ADD COLUMN losses bigint NOT NULL DEFAULT 0;
ALTER TABLE {s}mission ADD COLUMN retry_why {blob};
ALTER TABLE {s}mission ADD COLUMN ended bigint;
UPDATE {s}mission SET ended = changed WHERE status IN ('done', 'failed', 'cancelled');
DROP INDEX {s}mission_over;
CREATE INDEX mission_ended ON {s}mission (ended) WHERE ended IS NOT NULL;
UPDATE {s}mission SET attempts = attempts - 1 WHERE status = 'running' AND attempts > 0;
CREATE INDEX mission_context ON {s}mission (context_digest) WHERE context_digest IS NOT NULL;
CREATE INDEX mission_since ON {s}mission (lane, since) WHERE status = 'ready';
DROP VIEW {s}runs;
CREATE VIEW {s}runs AS
    SELECT m.id AS mission, m.worker, l.queue, l.tenant, a.name AS agent, m.attempts + 1 AS attempt, m.losses,
           m.revision, m.turns, m.changed, m.wake_at AS lease_until, m.is_cancelled,
           (SELECT count(*) FROM {s}call c WHERE c.mission = m.number AND c.answered IS NULL) AS open_calls
    FROM {s}mission m JOIN {s}lane l ON l.lane = m.lane JOIN {s}agent a ON a.digest = l.agent
    WHERE m.status = 'running';
CREATE TABLE {s}tally (
    queue    {text} NOT NULL,
    status   {text} NOT NULL,
    shard    bigint NOT NULL,
    missions bigint NOT NULL,
    PRIMARY KEY (queue, status, shard)
);
INSERT INTO {s}tally (queue, status, shard, missions)
    SELECT l.queue, m.status, 0, count(*) FROM {s}mission m JOIN {s}lane l ON l.lane = m.lane GROUP BY l.queue, m.status;
{sqlite}
CREATE TRIGGER mission_came AFTER INSERT ON mission BEGIN
    INSERT INTO tally (queue, status, shard, missions)
        VALUES (COALESCE((SELECT queue FROM lane WHERE lane = NEW.lane), ''), NEW.status, 0, 1)
        ON CONFLICT (queue, status, shard) DO UPDATE SET missions = missions + 1;
END;
CREATE TRIGGER mission_moved AFTER UPDATE OF status ON mission WHEN OLD.status <> NEW.status BEGIN
    INSERT INTO tally (queue, status, shard, missions)
        VALUES (COALESCE((SELECT queue FROM lane WHERE lane = NEW.lane), ''), OLD.status, 0, -1)
        ON CONFLICT (queue, status, shard) DO UPDATE SET missions = missions - 1;
    INSERT INTO tally (queue, status, shard, missions)
        VALUES (COALESCE((SELECT queue FROM lane WHERE lane = NEW.lane), ''), NEW.status, 0, 1)
        ON CONFLICT (queue, status, shard) DO UPDATE SET missions = missions + 1;
END;
CREATE TRIGGER mission_went AFTER DELETE ON mission BEGIN
    INSERT INTO tally (queue, status, shard, missions)
        VALUES (COALESCE((SELECT queue FROM lane WHERE lane = OLD.lane), ''), OLD.status, 0, -1)
        ON CONFLICT (queue, status, shard) DO UPDATE SET missions = missions - 1;
END;
{postgres}
ALTER TABLE {s}mission SET (fillfactor = 85);
ALTER TABLE {s}lane SET (fillfactor = 50);
ALTER TABLE {s}tally SET (fillfactor = 50);
CREATE FUNCTION {s}tally_came() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO {s}tally AS t (queue, status, shard, missions)
        SELECT l.queue, m.status, pg_catalog.pg_backend_pid() % 64, count(*) FROM came m
        JOIN {s}lane l ON l.lane = m.lane GROUP BY l.queue, m.status ORDER BY l.queue, m.status
        ON CONFLICT (queue, status, shard) DO UPDATE SET missions = t.missions + excluded.missions;
    RETURN NULL;
END $$;
CREATE FUNCTION {s}tally_moved() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE changed text[]; BEGIN
    WITH rows AS (UPDATE {s}tally t SET missions = t.missions + CASE t.status WHEN NEW.status THEN 1 ELSE -1 END FROM {s}lane l
        WHERE l.lane = NEW.lane AND t.queue = l.queue AND t.status IN (OLD.status, NEW.status)
        AND t.shard = pg_catalog.pg_backend_pid() % 64 RETURNING t.status)
        SELECT array_agg(status) INTO changed FROM rows;
    IF COALESCE(cardinality(changed), 0) < 2 THEN -- those that were not there, or went or came meanwhile
        INSERT INTO {s}tally AS t (queue, status, shard, missions)
            SELECT l.queue, c.status, pg_catalog.pg_backend_pid() % 64, c.change FROM {s}lane l
            CROSS JOIN (VALUES (OLD.status, -1), (NEW.status, 1)) c (status, change)
            WHERE l.lane = NEW.lane AND NOT (c.status = ANY (COALESCE(changed, ARRAY[]::text[]))) ORDER BY c.status
            ON CONFLICT (queue, status, shard) DO UPDATE SET missions = t.missions + excluded.missions;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION {s}tally_went() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO {s}tally AS t (queue, status, shard, missions)
        SELECT l.queue, m.status, pg_catalog.pg_backend_pid() % 64, -count(*) FROM went m
        JOIN {s}lane l ON l.lane = m.lane GROUP BY l.queue, m.status ORDER BY l.queue, m.status
        ON CONFLICT (queue, status, shard) DO UPDATE SET missions = t.missions + excluded.missions;
    RETURN NULL;
END $$;
CREATE TRIGGER mission_came AFTER INSERT ON {s}mission REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION {s}tally_came();
CREATE TRIGGER mission_moved AFTER UPDATE OF status ON {s}mission
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION {s}tally_moved();
CREATE TRIGGER mission_went AFTER DELETE ON {s}mission REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION {s}tally_went();
{both}
)";

/// Calls may be of the kinds `outside` and `child`, which earlier programs do not know: they refuse the store. Who has
/// children, for people.
constexpr std::string_view kChildren = R"(
CREATE VIEW {s}children AS
    SELECT m.parent, m.id AS child, m.status, c.name, c.asked, c.answered
    FROM {s}mission m JOIN {s}mission p ON p.id = m.parent
    LEFT JOIN {s}call c ON c.mission = p.number AND c.kind = 'child' AND c.key = m.id
    WHERE m.parent <> '';
)";

/// What makes version n of version n - 1.
constexpr std::array<std::string_view, kStoreVersion> kSteps{kTables, kCounts, kShared, kChildren};

Result<void> run_steps(DatabaseSource& source, Database& database, int from) {
    for (int version = from; version < kStoreVersion; ++version)
        PTC_CHECK(database.execute_script(source.translated(kSteps[static_cast<std::size_t>(version)])));
    return source.set_version(database, kStoreVersion);
}

Result<void> check_version(std::optional<int> version) {
    if (version > kStoreVersion)
        return invalid_request("The store was made by a later version of this program, which alone can go on with it.");
    return {};
}

Result<void> check_tables(DatabaseSource& source, Database& database) {
    if (PTC_TRY(source.has_schema(database, source.translated(store_schema())))) return {};
    return invalid_request("It has other tables than those of a store of missions.");
}

} // namespace

std::string store_schema(int version) {
    std::string all;
    for (int step = 0; step < version; ++step)
        all += kSteps[static_cast<std::size_t>(step)];
    return all;
}

Result<void> prepare_schema(DatabaseSource& source, Database& database, bool makes_tables) {
    if (makes_tables) PTC_CHECK(source.lock_schema(database));
    const std::optional<int> version = PTC_TRY(source.version(database));
    PTC_CHECK(check_version(version));
    if (!version && !makes_tables)
        return invalid_request(
            "The database has no tables of missions. `ptcc submit`, `ptcc worker` and `ptcc store migrate` make them.");
    if (!version) PTC_CHECK(run_steps(source, database, 0));
    if (version && *version < kStoreVersion)
        return invalid_request("The store has version " + std::to_string(*version) +
                               " of the tables, and this program needs " + std::to_string(kStoreVersion) +
                               ". `ptcc store migrate` brings it there.");
    return check_tables(source, database);
}

Result<int> migrate_schema(DatabaseSource& source, Database& database) {
    PTC_CHECK(source.lock_schema(database));
    const std::optional<int> version = PTC_TRY(source.version(database));
    PTC_CHECK(check_version(version));
    const int from = version.value_or(0);
    if (from < kStoreVersion) PTC_CHECK(run_steps(source, database, from));
    PTC_CHECK(check_tables(source, database));
    return kStoreVersion - from;
}

} // namespace ptc
