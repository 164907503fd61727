// What goes wrong: processes that end between any two statements, connections and servers that go away, files and rows
// of others, full disks, keys.
#include "subagent/engine/random_id.h"
#include "subagent/store/database.h"
#include "subagent/store/schema.h"
#include "tests/store/postgres_server.h"
#include "tests/store/silent_proxy.h"
#include "tests/store/stores.h"
#include <algorithm>
#include <fstream>
#include <latch>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ptc::test {
namespace {

class StoreFaults : public Stores {};

const std::string kKey(32, 'k');

/// A mission from its submission to its result, with a call, an effect and an answer from outside; goes on where it
/// finds things.
bool carry_through(MissionStore& store) {
    const Result<std::string> agent = store.put_agent("clerk", "{}");
    if (!agent.ok() || !store.submit({.id = "m", .agent_digest = *agent}).ok()) return false;
    for (;;) {
        Result<std::vector<ClaimedMission>> claims = store.claim({.worker = "w", .lease = Millis64(1)});
        if (!claims.ok()) return false;
        if (claims->empty()) {
            const auto shown = store.show("m");
            if (shown.ok() && *shown && (*shown)->status == MissionStatus::Done) return true;
            ::usleep(1000);
            continue;
        }
        ClaimedMission& claim = claims->front();
        if (claim.revision == 0 &&
            !store.commit(claim, {.snapshot = "s1", .calls = {{.need = 1, .name = "pay", .key = "m/1"}}}).ok())
            continue;
        if (claim.calls.empty() || !claim.calls[0].answer) {
            const auto pay = [](MissionStore::Transaction&) -> Result<std::string> { return std::string("paid"); };
            const Result<std::string> paid = store.once("m/1", pay);
            if (!paid.ok() || !store.record(claim, 1, *paid).ok()) continue;
        }
        if (store.complete(claim, {.taken = {1}, .outbox = {"{}"}}, "result").ok()) return true;
    }
}

TEST_P(StoreFaults, AProcessMayEndBeforeAnyStatement) {
    store.reset();
    std::uint64_t last = 0;
    for (std::uint64_t at = 1; at < 400; ++at) {
        sql(is_postgres() ? "DROP SCHEMA IF EXISTS " + schema + " CASCADE" : "SELECT 1");
        if (!is_postgres())
            for (const char* ending : {"", "-wal", "-shm"})
                ::unlink((path + ending).c_str());
        const pid_t child = ::fork();
        if (child == 0) {
            StoreOptions options;
            options.on_statement = [at](std::uint64_t number, std::string_view) {
                if (number == at) ::_exit(17);
            };
            const auto opened = MissionStore::open(url, options);
            ::_exit(opened.ok() && carry_through(**opened) ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        const std::shared_ptr<MissionStore> rest = open();
        ASSERT_TRUE(rest);
        ASSERT_TRUE(carry_through(*rest)) << "statement " << at;
        ASSERT_EQ(must(rest->show("m"))->result, "result") << "statement " << at;
        ASSERT_EQ(sql_one("SELECT count(*) FROM " + table("effect")), "1") << "statement " << at;
        ASSERT_EQ(sql_one("SELECT count(*) FROM " + table("snapshot")), "0") << "statement " << at;
        ASSERT_EQ(must(rest->outbox(0, 10)).size(), 1u) << "statement " << at;
        if (WEXITSTATUS(status) == 0) {
            last = at;
            break;
        }
        ASSERT_EQ(WEXITSTATUS(status), 17) << "statement " << at;
    }
    EXPECT_GT(last, 30u);
}

TEST_P(StoreFaults, PayloadsAreEncryptedForTheirCells) {
    store.reset();
    sql(is_postgres() ? "DROP SCHEMA " + schema + " CASCADE" : "SELECT 1");
    if (!is_postgres())
        for (const char* ending : {"", "-wal", "-shm"})
            ::unlink((path + ending).c_str());
    store = open({.key = kKey});
    ASSERT_TRUE(store);
    agent = must(store->put_agent("clerk", "{}"));
    for (const char* id : {"a", "b", "c"})
        must(store->submit({.id = id, .agent_digest = agent, .context = "a secret"}));
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("mission") + " WHERE length(context) = 36"), "3");
    // The context of one mission is put into another: that one fails, and the others go on.
    sql("UPDATE " + table("mission") + " SET context = (SELECT context FROM " + table("mission") +
        " WHERE id = 'a') WHERE id = 'b'");
    const auto claims = must(store->claim({.worker = "w", .most = 3}));
    EXPECT_EQ(ids_of(claims), (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(claims.at(0).context, "a secret");
    EXPECT_NE(must(store->show("b"))->error.find("was changed, moved"), std::string::npos);
    // What a child came to is sealed anew, for the call of its parent.
    ClaimedMission parent = claims.at(0), child = claims.at(1);
    must(store->commit(parent, {.snapshot = "s",
                                .calls = {{.need = 1, .kind = StoredCall::Kind::Child, .name = "t", .key = "a/1"}},
                                .children = {{.id = "a/1", .agent_digest = agent}}}));
    EXPECT_TRUE(must(store->wait(parent, {})));
    must(store->complete(child, {}, "of c"));
    child = claim_one(*store);
    must(store->complete(child, {}, "of a child"));
    parent = claim_one(*store);
    EXPECT_EQ(child_answer(parent.calls.at(0).answer.value_or(""))->bytes, "of a child");
    EXPECT_EQ(sql_one("SELECT length(answer) FROM " + table("call")), std::to_string(15 + 28));
    // So it is with contexts that are kept once.
    const std::string large(5000, 'x');
    must(store->submit({.id = "d", .agent_digest = agent, .context = large}));
    must(store->submit({.id = "e", .agent_digest = agent, .context = large + "y"}));
    EXPECT_EQ(sql_one("SELECT max(length(bytes)) FROM " + table("context")), "5029");
    sql("UPDATE " + table("mission") + " SET context_digest = (SELECT context_digest FROM " + table("mission") +
        " WHERE id = 'd') WHERE id = 'e'");
    sql("UPDATE " + table("context") + " SET bytes = (SELECT bytes FROM " + table("context") +
        " WHERE length(bytes) = 5029) WHERE length(bytes) = 5028");
    EXPECT_TRUE(must(store->claim({.worker = "w", .most = 3})).empty());
    for (const char* id : {"d", "e"})
        EXPECT_NE(must(store->show(id))->error.find("was changed, moved"), std::string::npos);
    EXPECT_NE(try_open({.key = std::string(32, 'x')}).error().message.find("another key"), std::string::npos);
    EXPECT_NE(try_open().error().message.find("needs its key"), std::string::npos);
    EXPECT_EQ(reason_of(try_open({.key = "short"})), "invalid_request");
}

TEST_P(StoreFaults, AKeyComesTooLateForAStoreInClear) {
    EXPECT_NE(try_open({.key = kKey}).error().message.find("in clear"), std::string::npos);
}

TEST_P(StoreFaults, ASnapshotThatCannotBeReadFailsItsMissionOnly) {
    for (const char* id : {"a", "b"})
        must(store->submit({.id = id, .agent_digest = agent}));
    for (ClaimedMission& claim : must(store->claim({.worker = "w", .most = 2}))) {
        must(store->commit(claim, {.snapshot = "state"}));
        must(store->release(claim, Millis64(0), false));
    }
    sql("UPDATE " + table("snapshot") + " SET size = 1000000000 WHERE mission = (SELECT number FROM " +
        table("mission") + " WHERE id = 'a')");
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .most = 2}))), std::vector<std::string>{"b"});
    EXPECT_EQ(must(store->show("a"))->status, MissionStatus::Failed);
}

TEST_P(StoreFaults, AnotherVersionOfTheTablesIsRefused) {
    const std::string set = is_postgres() ? "UPDATE " + table("meta") + " SET number = 99 WHERE name = 'version'"
                                          : "PRAGMA user_version = 99";
    sql(set);
    EXPECT_NE(try_open().error().message.find("later version"), std::string::npos);
    EXPECT_EQ(reason_of(MissionStore::migrate(url)), "invalid_request");
}

/// Tables as an earlier version made them, with a mission in a worker's hands.
TEST_P(StoreFaults, AnOlderVersionIsMigratedWithItsMissions) {
    for (int version = 1; version < kStoreVersion; ++version) {
        store.reset();
        const std::string script = store_schema(version);
        if (is_postgres()) {
            sql("DROP SCHEMA " + schema + " CASCADE; CREATE SCHEMA " + schema);
            sql(translated(script, {schema + ".", true}));
            sql("INSERT INTO " + table("meta") + " (name, number) VALUES ('version', " + std::to_string(version) + ")");
        } else {
            for (const char* ending : {"", "-wal", "-shm"})
                ::unlink((path + ending).c_str());
            sql(translated(script, {}));
            sql("PRAGMA application_id = 1347699539; PRAGMA user_version = " + std::to_string(version));
        }
        sql("INSERT INTO " + table("agent") + " VALUES ('" + agent + "', 'clerk', '{}', 0)");
        sql("INSERT INTO " + table("lane") + " (queue, tenant, agent, is_ready, turn, served) VALUES ('q', '', '" +
            agent + "', 0, 0, 0)");
        for (const char* row : {"'m', 1, 0, 'running', 0, 1", "'n', 1, 0, 'done', 0, NULL"})
            sql("INSERT INTO " + table("mission") +
                " (id, lane, priority, status, is_due, wake_at, since, created, changed, revision, attempts, "
                "max_attempts, "
                "worker, is_cancelled, has_news, parent, digest, context, input_tokens, output_tokens, turns, "
                "cost_usd) "
                "VALUES (" +
                row + ", 0, 0, 0, 0, 2, 5, 'w', 0, 0, '', 'x', 'here', 0, 0, 0, 0)");
        EXPECT_NE(try_open().error().message.find("ptcc store migrate"), std::string::npos);
        EXPECT_EQ(must(MissionStore::migrate(url)), kStoreVersion - version);
        EXPECT_EQ(must(MissionStore::migrate(url)), 0);
        store = open();
        ASSERT_TRUE(store);
        const int attempts = version < 3 ? 2 : 3; // before, the one that is under way was counted
        EXPECT_EQ(must(store->show("m"))->attempts, attempts);
        const auto counts = must(store->counts());
        ASSERT_EQ(counts.size(), 2u);
        EXPECT_EQ(counts[0].missions + counts[1].missions, 2u);
        const ClaimedMission claim = claim_one(*store, {.worker = "w", .queues = {"q"}});
        EXPECT_EQ(claim.id, "m");
        EXPECT_EQ(claim.attempts, attempts);
        EXPECT_EQ(claim.losses, 1);
    }
}

TEST_P(StoreFaults, LanesWithNamesThatAreNoTextsEndNoClaim) {
    if (is_postgres()) GTEST_SKIP() << "columns have their types";
    must(store->submit({.id = "m", .agent_digest = agent}));
    sql("INSERT INTO lane (queue, tenant, agent, is_ready, turn, served) VALUES (x'6161', '', '" + agent +
        "', 1, 0, 0)");
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .agents = {agent}, .most = 5}))), std::vector<std::string>{"m"});
}

TEST_P(StoreFaults, StatisticsOfADatabaseAreNoTablesOfOthers) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    store.reset();
    sql("ANALYZE");
    store = open();
    ASSERT_TRUE(store);
    EXPECT_EQ(claim_one(*store).id, "m");
    if (is_postgres()) return;
    sql("CREATE TRIGGER theirs AFTER INSERT ON mission BEGIN SELECT 1; END");
    EXPECT_EQ(reason_of(try_open()), "invalid_request");
}

TEST_P(StoreFaults, TablesOfOthersAreRefusedAndLeftAlone) {
    store.reset();
    if (is_postgres()) {
        sql("DROP SCHEMA " + schema + " CASCADE; CREATE SCHEMA " + schema + "; CREATE TABLE " + schema +
            ".theirs (n int)");
    } else {
        for (const char* ending : {"", "-wal", "-shm"})
            ::unlink((path + ending).c_str());
        sql("CREATE TABLE theirs (n int)");
    }
    EXPECT_EQ(reason_of(try_open()), "invalid_request");
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("theirs")), "0");
    EXPECT_EQ(reason_of(MissionStore::open("mysql://x")), "invalid_request");
    EXPECT_EQ(reason_of(MissionStore::open("sqlite:")), "invalid_request");
    EXPECT_EQ(reason_of(MissionStore::open("postgres://[broken")), "invalid_request");
}

TEST_P(StoreFaults, AMissionThatGrowsIsStoredInLinearSpace) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    std::string snapshot;
    for (int i = 0; i < 100; ++i) {
        snapshot += random_id(8'000); // 800 KB in the end, in which nothing repeats
        must(store->commit(claim, {.snapshot = snapshot}));
    }
    const std::int64_t stored = std::stoll(sql_one("SELECT sum(length(bytes)) FROM " + table("snapshot")));
    RecordProperty("stored_bytes", std::to_string(stored));
    EXPECT_LT(stored, 800'000); // hex digits have half their bytes of news
    must(store->release(claim, Millis64(0), false));
    const ClaimedMission again = claim_one(*store);
    EXPECT_EQ(again.snapshot, snapshot);
    EXPECT_EQ(again.kept.digest, claim.kept.digest);
}

TEST_P(StoreFaults, AFullDiskIsSaidAndLosesNothing) {
    if (is_postgres()) GTEST_SKIP() << "needs a file system of its own";
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    // The limit is the connection's: the store's own statement sets it.
    const auto limit = [](MissionStore::Transaction& t) -> Result<std::string> {
        return t.execute("PRAGMA max_page_count = 1", {}).ok() ? std::string("set") : std::string("not set");
    };
    EXPECT_EQ(must(store->once("limit", limit)), "set");
    EXPECT_EQ(reason_of(store->commit(claim, {.snapshot = random_id(500'000)})), "store_unavailable");
    EXPECT_EQ(claim.revision, 0u);
    const std::shared_ptr<MissionStore> roomy = open();
    must(roomy->commit(claim, {.snapshot = "s"}));
}

TEST_P(StoreFaults, ConnectionsThatBreakAreMadeAnew) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite has no connections that break";
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    const std::string terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
                                  "'ptc' AND pid <> pg_backend_pid()";
    // Between transactions, and before each statement of one.
    sql(terminate);
    must(store->commit(claim, {.snapshot = "s"}));
    for (std::uint64_t at = 1; at <= 8; ++at) {
        std::uint64_t begin = 0, seen = 0;
        StoreOptions options;
        bool is_armed = false;
        options.on_statement = [&](std::uint64_t number, std::string_view) {
            seen = number;
            if (is_armed && number == begin + at) {
                is_armed = false;
                sql(terminate);
            }
        };
        const std::shared_ptr<MissionStore> flaky = open(options);
        begin = seen;
        is_armed = true;
        const std::uint64_t revision = claim.revision;
        must(flaky->commit(claim, {.snapshot = "s" + std::to_string(at), .calls = {{.need = at, .name = "t"}}}));
        EXPECT_EQ(claim.revision, revision + 1);
        EXPECT_EQ(must(store->show("m"))->revision, claim.revision);
    }
    EXPECT_EQ(must(store->calls("m")).size(), 8u);
}

/// The connection is there, its peer takes what is sent, and no answer comes: no timeout of TCP's sees that.
TEST_P(StoreFaults, AConnectionThatFallsSilentIsGivenUp) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite has no connections that fall silent";
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    const std::string folder = PostgresServer::shared()->folder();
    SilentProxy proxy(folder);
    std::string through = url;
    through.replace(through.find(folder), folder.size(), proxy.folder());
    const std::shared_ptr<MissionStore> far = must(MissionStore::open(through, {.busy = Millis64(300)}));
    ASSERT_TRUE(far);
    must(far->commit(claim, {.snapshot = "s1"}));
    proxy.fall_silent();
    const Result<void> silent = far->commit(claim, {.snapshot = "s2"});
    EXPECT_EQ(reason_of(silent), "store_unavailable");
    ASSERT_FALSE(silent.ok());
    EXPECT_NE(silent.error().message.find("does not answer"), std::string::npos) << silent.error().message;
    must(far->commit(claim, {.snapshot = "s2"})); // by another connection
    EXPECT_EQ(must(store->show("m"))->revision, 2u);
}

/// A pooler gives the sessions of one client to another one. What is prepared in them has names that say what it is, so
/// that nobody has another one's statement done.
TEST_P(StoreFaults, NamesOfPreparedStatementsAreTheSameForTheSameStatement) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite's statements have no names";
    const auto prepared = [](MissionStore& of) {
        std::map<std::string, std::string> all;
        const auto read = [&](MissionStore::Transaction& t) -> Result<std::string> {
            for (const auto& row :
                 must(t.execute("SELECT name, statement || parameter_types::text FROM pg_prepared_statements", {})))
                all.emplace(row[0].value_or(""), row[1].value_or(""));
            return Error(Reason::ToolError, "to be made again");
        };
        EXPECT_FALSE(of.once("read", read).ok());
        return all;
    };
    // Two clients that do the same things, and not in the same order.
    const std::shared_ptr<MissionStore> first = open(), second = open();
    const auto submit = [&](MissionStore& at) { must(at.submit({.agent_digest = agent})); };
    const auto look = [&](MissionStore& at) {
        must(at.counts());
        must(at.list({}));
        must(at.unfinished({}));
    };
    submit(*first), look(*first);
    look(*second), submit(*second);
    const auto of_first = prepared(*first), of_second = prepared(*second);
    int common = 0;
    for (const auto& [name, statement] : of_first) {
        const auto other = std::ranges::find(of_second, statement, &std::pair<const std::string, std::string>::second);
        if (other != of_second.end()) {
            ++common;
            EXPECT_EQ(other->first, name);
        }
        const auto same_name = of_second.find(name);
        EXPECT_TRUE(same_name == of_second.end() || same_name->second == statement) << statement;
    }
    EXPECT_GT(common, 8);
}

/// Two transactions of hosts take the same two rows in two orders: one of them is ended by the server, and repeated.
TEST_P(StoreFaults, DeadlocksAreTriedAgain) {
    if (!is_postgres()) GTEST_SKIP() << "writers of SQLite come one after the other";
    for (const char* id : {"a", "b"})
        must(store->submit({.id = id, .agent_digest = agent}));
    std::latch both_have_one(2);
    std::atomic<int> attempts = 0;
    const auto take = [&](const std::string& first, const std::string& second) {
        const std::shared_ptr<MissionStore> own = open();
        bool is_first = true;
        const auto effect = [&](MissionStore::Transaction& t) -> Result<std::string> {
            ++attempts;
            const std::string update = "UPDATE " + table("mission") + " SET priority = priority + 1 WHERE id = $1";
            const auto one = t.execute(update, {first});
            if (!one.ok()) return one.error();
            if (std::exchange(is_first, false)) both_have_one.arrive_and_wait();
            const auto two = t.execute(update, {second});
            if (!two.ok()) return two.error();
            return std::string("done");
        };
        EXPECT_EQ(must(own->once(first + second, effect)), "done");
    };
    std::jthread other([&] { take("b", "a"); });
    take("a", "b");
    other.join();
    EXPECT_GE(attempts, 3);
    for (const char* id : {"a", "b"})
        EXPECT_EQ(must(store->show(id))->priority, 2);
}

/// Where the host's database runs all transactions as repeatable reads, a row that changed meanwhile ends one.
TEST_P(StoreFaults, SerialisationFailuresAreTriedAgain) {
    if (!is_postgres()) GTEST_SKIP() << "writers of SQLite come one after the other";
    must(store->submit({.id = "a", .agent_digest = agent}));
    (void)claim_one(*store);
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty()); // its lane rests
    int changes = 0, begins = 0;
    StoreOptions options;
    options.on_statement = [&](std::uint64_t, std::string_view text) {
        begins += text.starts_with("BEGIN") ? 1 : 0;
        if (text.find("SET is_ready = 1") == std::string_view::npos || changes++ > 0) return;
        sql("UPDATE " + table("lane") + " SET served = served + 1");
    };
    const std::shared_ptr<MissionStore> strict =
        must(MissionStore::open(url + "%20-cdefault_transaction_isolation%3Drepeatable%5C%20read", options));
    ASSERT_TRUE(strict);
    begins = 0;
    EXPECT_TRUE(must(strict->submit({.id = "b", .agent_digest = agent})).is_new);
    EXPECT_EQ(changes, 2); // it was refused, and tried again
    EXPECT_EQ(begins, 2);
    EXPECT_EQ(claim_one(*store).id, "b");
}

/// What is sent as a whole is committed where the server reads its end: what fails only there is an error of the
/// transaction and none of the connection, and is tried again.
TEST_P(StoreFaults, ACommitThatFailsAtItsEndIsTriedAgain) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite has no triggers that come at the end";
    must(store->submit({.id = "a", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    sql("CREATE SEQUENCE " + table("times") + "; CREATE TABLE " + table("sessions") + " (pid int); CREATE FUNCTION " +
        table("refuse") + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('" + table("times") +
        "') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF; INSERT INTO " + table("sessions") +
        " VALUES (pg_backend_pid()); RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON " +
        table("call") + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + table("refuse") + "()");
    const std::string pid = must(store->once("pid", [](MissionStore::Transaction& t) -> Result<std::string> {
        return must(t.execute("SELECT pg_backend_pid()", {}))[0][0].value_or("");
    }));
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .key = "k"}}, .outbox = {"once"}}));
    EXPECT_EQ(claim.revision, 1u);
    EXPECT_EQ(must(store->calls("a")).size(), 1u);
    EXPECT_EQ(must(store->outbox(0, 10)).size(), 1u);
    EXPECT_EQ(sql_one("SELECT pid FROM " + table("sessions")), pid) << "by a new connection";
}

/// Nothing of a commit whose claim is no more, or has another revision, is written with it.
TEST_P(StoreFaults, ALostClaimWritesNothing) {
    must(store->submit({.id = "a", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    ClaimedMission copy = claim;
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .key = "k"}}}));
    const Commit all{.snapshot = "t", .calls = {{.need = 2, .key = "l"}}, .taken = {1}, .outbox = {"x"}};
    EXPECT_EQ(reason_of(store->commit(copy, all)), "lease_lost"); // that was committed already
    EXPECT_EQ(reason_of(store->complete(copy, all, "r")), "lease_lost");
    EXPECT_EQ(reason_of(store->fail(copy, all, "{}", true)), "lease_lost");
    advance(Millis64(60'000));
    ClaimedMission next = claim_one(*store);
    EXPECT_EQ(next.snapshot, "s");
    EXPECT_EQ(reason_of(store->commit(claim, all)), "lease_lost");
    EXPECT_EQ(reason_of(store->record(claim, 1, "late")), "lease_lost");
    EXPECT_EQ(reason_of(store->complete(claim, all, "r")), "lease_lost");
    const std::vector<StoredCall> calls = must(store->calls("a"));
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_FALSE(calls[0].answer);
    EXPECT_EQ(calls[0].answered, 0);
    EXPECT_TRUE(must(store->outbox(0, 10)).empty());
    must(store->complete(next, {}, "r"));
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("snapshot")), "0");
    EXPECT_EQ(reason_of(store->complete(next, all, "r")), "lease_lost");
    EXPECT_TRUE(must(store->outbox(0, 10)).empty());
}

/// A role that lacks rights is told what whoever has the database may give it.
TEST_P(StoreFaults, MissingRightsAreNamedWithTheGrantThatHelps) {
    if (!is_postgres()) GTEST_SKIP() << "files have no roles";
    must(store->submit({.id = "m", .agent_digest = agent}));
    const std::string role = "guest_" + schema;
    sql("CREATE ROLE " + role + " LOGIN");
    std::string theirs = url;
    theirs.replace(theirs.find("ptc@"), 4, role + "@");
    const auto message = [&](const std::string& at) {
        const auto opened = MissionStore::open(at, {.makes_tables = false});
        if (!opened.ok()) return opened.error().message;
        const auto done = opened.value()->submit({.id = "n", .agent_digest = agent});
        return done.ok() ? std::string("ok") : done.error().message;
    };
    const auto do_as_told = [&](const std::string& told) {
        const std::size_t begin = told.find('`') + 1;
        ASSERT_NE(begin, 0u) << told;
        const std::string grant = told.substr(begin, told.find('`', begin) - begin);
        ASSERT_TRUE(grant.starts_with("GRANT ")) << told;
        sql(grant);
    };
    int grants = 0;
    std::string told = message(theirs);
    for (; told != "ok" && grants < 5; ++grants, told = message(theirs))
        do_as_told(told);
    EXPECT_EQ(told, "ok");
    EXPECT_EQ(grants, 2);
    // In a database without tables it is told when it would make them.
    const std::size_t name = theirs.find("search_path%3D") + 14;
    const std::string elsewhere = theirs.substr(0, name) + "elsewhere";
    const auto opened = MissionStore::open(elsewhere);
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("`GRANT CREATE ON DATABASE \"postgres\" TO \"" + role + "\";`"),
              std::string::npos)
        << opened.error().message;
    sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

/// libpq says it on several lines, with advice, and once for each address of a host.
TEST_P(StoreFaults, AServerThatIsNotThereIsToldOnOneLine) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite has no server";
    for (const char* at : {"postgres:///x?host=/nowhere", "postgres:///x?host=/nowhere,/nowhere",
                           "postgres:///x?host=127.0.0.1,127.0.0.1&port=1,1"}) {
        const std::string told = MissionStore::open(at).error().message;
        EXPECT_EQ(told.find_first_of("\n\t"), std::string::npos) << told;
        EXPECT_EQ(told.find("Is the server running"), std::string::npos) << told;
        EXPECT_EQ(told.find("connection to server"), told.rfind("connection to server")) << told;
        EXPECT_TRUE(told.ends_with("No such file or directory.") || told.ends_with("Connection refused.")) << told;
    }
}

TEST_P(StoreFaults, AServerMayRestart) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite has no server";
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    PostgresServer::shared()->kill();
    const std::shared_ptr<MissionStore> impatient = MissionStore::open(url, {.busy = Millis64(200)}).value_or(nullptr);
    EXPECT_EQ(impatient, nullptr);
    ASSERT_TRUE(PostgresServer::shared()->restart());
    must(store->complete(claim, {}, "r"));
    EXPECT_EQ(must(store->show("m"))->result, "r");
}

/// What comes due together (a batch, the leases of a worker that died) is no long work for the claim that finds it.
TEST_P(StoreFaults, WhatComesDueTogetherIsWokenTogether) {
    for (int i = 0; i < 100; ++i)
        must(store->submit({.agent_digest = agent, .delay = Millis64(60'000)}));
    must(store->submit({.id = "late", .agent_digest = agent, .delay = Millis64(60'000), .deadline = Millis64(1)}));
    advance(Millis64(120'000));
    std::uint64_t statements = 0;
    StoreOptions options;
    options.on_statement = [&](std::uint64_t number, std::string_view) { statements = number; };
    const std::shared_ptr<MissionStore> counted = open(options);
    const std::uint64_t before = statements;
    EXPECT_EQ(must(counted->claim({.worker = "w", .most = 1})).size(), 1u);
    EXPECT_LT(statements - before, 20u);
    EXPECT_EQ(must(counted->claim({.worker = "w", .most = 200})).size(), 99u);
    EXPECT_EQ(must(store->show("late"))->status, MissionStatus::Failed);
}

/// A tenant with ten missions is served beside one with ten thousand, in every batch, until it has no more.
TEST_P(StoreFaults, ABacklogOfTenThousandHoldsUpNobody) {
    must(store->submit({.id = "big-0", .agent_digest = agent, .tenant = "big"}));
    const auto fill = [&](MissionStore::Transaction& t) -> Result<std::string> {
        const std::string columns = "lane, priority, status, is_due, since, created, changed, revision, attempts, "
                                    "max_attempts, worker, is_cancelled, has_news, parent, digest, context, "
                                    "input_tokens, output_tokens, turns, cost_usd";
        must(t.execute("INSERT INTO " + table("mission") + " (id, " + columns +
                           ") WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT "
                           "'big-' || CAST(n.i AS text), " +
                           columns + " FROM n CROSS JOIN " + table("mission"),
                       {}));
        return std::string("filled");
    };
    must(store->once("fill", fill));
    for (int i = 0; i < 10; ++i)
        must(store->submit({.id = "small-" + std::to_string(i), .agent_digest = agent, .tenant = "small"}));
    for (int i = 0; i < 10; ++i)
        must(store->submit({.id = "other-" + std::to_string(i), .agent_digest = agent, .queue = "other"}));
    int big = 0, small = 0, other = 0;
    for (int claims = 0; claims < 10; ++claims) {
        for (const std::string& id : ids_of(must(store->claim({.worker = "w", .most = 4}))))
            ++(id.starts_with("small") ? small : id.starts_with("other") ? other : big);
    }
    EXPECT_EQ(small, 10);
    EXPECT_EQ(other, 10);
    EXPECT_EQ(big, 20);
    std::map<MissionStatus, std::uint64_t> counted;
    for (const MissionStore::Count& count : must(store->counts()))
        counted[count.status] += count.missions;
    EXPECT_EQ(counted,
              (std::map<MissionStatus, std::uint64_t>{{MissionStatus::Ready, 9981}, {MissionStatus::Running, 40}}));
}

/// The plan, not the clock: a claim reads no table from its begin to its end.
TEST_P(StoreFaults, AClaimSearchesIndexes) {
    const std::string due = "SELECT number FROM " + table("mission") +
                            " WHERE lane = 1 AND is_due = 1 ORDER BY priority DESC, number LIMIT 1";
    const std::string wake =
        "SELECT number FROM " + table("mission") + " WHERE wake_at <= 1 ORDER BY wake_at LIMIT 100";
    const std::string lane = "SELECT lane FROM " + table("lane") + " WHERE is_ready = 1 ORDER BY turn, served LIMIT 16";
    const std::string queue =
        "SELECT queue FROM " + table("lane") + " WHERE is_ready = 1 AND queue > 'a' ORDER BY queue LIMIT 1";
    for (const auto& [statement, index] : {std::pair(due, "mission_due"), std::pair(wake, "mission_wake"),
                                           std::pair(lane, "lane_turn"), std::pair(queue, "lane_queue")}) {
        std::string plan;
        const std::string explain =
            is_postgres() ? "SET enable_seqscan = off; SET enable_sort = off; EXPLAIN " : "EXPLAIN QUERY PLAN ";
        for (const auto& row : sql(explain + statement))
            plan += row.back() + "\n";
        EXPECT_NE(plan.find(index), std::string::npos) << plan;
        EXPECT_EQ(plan.find("Sort"), std::string::npos) << plan;
        EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
    }
}

PTC_STORE_SUITE(StoreFaults);

} // namespace
} // namespace ptc::test
