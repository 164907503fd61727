// When what a store wrote is on the disk, and how often that is waited for. Of SQLite by the calls of fdatasync that
// this program makes, of PostgreSQL, whose server makes them, by what it is told.
#include "tests/store/stores.h"
#include <atomic>
#include <barrier>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace {
std::atomic<int> syncs = 0;
} // namespace

/// In place of the C library's, for SQLite.
extern "C" [[gnu::visibility("default")]] int fdatasync(int file) {
    ++syncs;
    return static_cast<int>(::syscall(SYS_fdatasync, file));
}

namespace ptc::test {
namespace {

class StoreSyncs : public Stores {
protected:
    static constexpr int kThreads = 8;
    /// One call of the store, and whether it waited for the disk.
    template <class Call> bool is_synced(Call call) {
        has_asynchronous = false;
        const int before = syncs;
        call();
        return is_postgres() ? !has_asynchronous : syncs > before;
    }
    StoreOptions options() {
        return {.connections = 1, .on_statement = [this](std::uint64_t, std::string_view sql) {
                    ++statements;
                    if (sql.find("{with_next}") != std::string_view::npos) has_asynchronous = true;
                    if (sql.starts_with("SAVEPOINT") || sql == "SET synchronous_commit TO off") ++shared;
                }};
    }
    /// Whether all that PostgreSQL's log has is on the disk; what is not synced by itself is there after 200 ms.
    bool is_log_synced() {
        return !is_postgres() || sql_one("SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()") == "t";
    }
    /// A mission for each thread.
    std::vector<ClaimedMission> claims() {
        for (int i = 0; i < kThreads; ++i)
            must(store->submit({.id = std::to_string(i), .agent_digest = agent}));
        return must(store->claim({.worker = "w", .most = kThreads}));
    }
    /// All at once, again and again, until some were together.
    template <class Call> void repeat_until_shared(Call call) {
        std::barrier together(kThreads, [this]() noexcept {
            unsynced += is_log_synced() ? 0 : 1;
            is_over = (shared > 0 && rounds > 20) || ++rounds == 1'000;
        });
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([&, i] {
                do {
                    call(i);
                    together.arrive_and_wait();
                } while (!is_over);
            });
    }
    std::atomic<bool> has_asynchronous = false, is_over = false;
    std::atomic<int> shared = 0; ///< transactions that were part of another one
    std::atomic<int> rounds = 0, unsynced = 0, statements = 0;
};

TEST_P(StoreSyncs, AnAnswerThatSaysSoIsSyncedWithTheCommitBehindIt) {
    store = open(options());
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim;
    EXPECT_TRUE(is_synced([&] { claim = claim_one(*store); }));
    const std::vector<StoredCall> calls = {{.need = 1, .kind = StoredCall::Kind::ModelCall}, {.need = 2}, {.need = 3}};
    EXPECT_TRUE(is_synced([&] { must(store->commit(claim, {.snapshot = "s", .calls = calls})); }));
    EXPECT_FALSE(is_synced([&] { must(store->record(claim, 1, "1", Durability::WithNext)); }));
    EXPECT_EQ(must(open()->calls("m")).at(0).answer, "1"); // others see it
    EXPECT_TRUE(is_synced([&] { must(store->record(claim, 2, "2")); }));
    EXPECT_FALSE(is_synced([&] { must(store->record(claim, 3, "3", Durability::WithNext)); }));
    EXPECT_TRUE(is_synced([&] { must(store->commit(claim, {.snapshot = "t"})); }));
    EXPECT_FALSE(is_synced([&] { must(store->record(claim, 3, "4", Durability::WithNext)); }));
    EXPECT_TRUE(is_synced([&] { must(store->complete(claim, {.taken = {1, 2, 3}}, "r")); }));
}

/// Each costs the server something. What every transaction needs is set once for a session that no pooler lends.
TEST_P(StoreSyncs, ATurnIsFiveStatements) {
    if (!is_postgres()) GTEST_SKIP() << "what its turns cost are syncs";
    StoreOptions hurried = options();
    hurried.busy = Millis64(90'000);
    store = open(hurried);
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .kind = StoredCall::Kind::ModelCall}}}));
    const int before = statements;
    must(store->record(claim, 1, "1", Durability::WithNext));
    must(store->commit(claim,
                       {.snapshot = "t", .calls = {{.need = 2, .kind = StoredCall::Kind::ModelCall}}, .taken = {1}}));
    EXPECT_EQ(statements - before, 5);
    const std::string settings = must(store->once("settings", [](MissionStore::Transaction& t) -> Result<std::string> {
        const auto rows = t.execute("SELECT current_setting('statement_timeout') || ', ' || "
                                    "current_setting('idle_in_transaction_session_timeout') || ', ' || "
                                    "current_setting('synchronous_commit')",
                                    {});
        return rows.ok() ? Result<std::string>(rows.value().at(0).at(0).value_or("")) : rows.error();
    }));
    EXPECT_EQ(settings, "90s, 1min, on");
}

/// As when the database's machine ended between the two.
TEST_P(StoreSyncs, AnAnswerThatWasLostWithTheMachineIsTakenAllTheSame) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .kind = StoredCall::Kind::ModelCall}}}));
    must(store->record(claim, 1, "1", Durability::WithNext));
    sql("UPDATE " + table("call") + " SET answer = NULL, answered = NULL");
    must(store->commit(claim, {.snapshot = "with 1", .taken = {1}}));
    EXPECT_EQ(sql_one("SELECT open_calls FROM " + table("runs")), "0");
    EXPECT_GT(must(store->calls("m")).at(0).answered, 0);
    must(store->release(claim, Millis64(0), false));
    claim = claim_one(*store);
    EXPECT_EQ(claim.snapshot, "with 1");
    EXPECT_TRUE(claim.calls.empty());
}

TEST_P(StoreSyncs, WhatThreadsWriteMeanwhileIsSyncedTogether) {
    store = open(options());
    std::vector<ClaimedMission> all = claims();
    const int before = syncs;
    repeat_until_shared([&](int i) {
        ClaimedMission& claim = all[static_cast<std::size_t>(i)];
        must(store->commit(claim, {.snapshot = "s" + std::to_string(claim.revision)}));
    });
    EXPECT_GT(shared, 0);
    if (!is_postgres()) EXPECT_LT(syncs - before, kThreads * (rounds + 1));
    EXPECT_LT(unsynced, rounds / 2) << "the server writes to its log by itself at times";
    for (const ClaimedMission& claim : all)
        EXPECT_EQ(must(store->show(claim.id))->revision, claim.revision);
}

TEST_P(StoreSyncs, WhatIsRefusedIsNobodyElses) {
    store = open(options());
    std::vector<ClaimedMission> all = claims();
    sql(is_postgres() ? "ALTER TABLE " + table("call") + " ADD CONSTRAINT no_calls CHECK (name <> 'bad')"
                      : "CREATE TRIGGER no_calls BEFORE INSERT ON call WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, "
                        "'no'); END");
    ClaimedMission lost = all[1];
    must(store->release(all[1], Millis64(0), false));
    repeat_until_shared([&](int i) {
        ClaimedMission& claim = i == 1 ? lost : all[static_cast<std::size_t>(i)];
        const std::uint64_t revision = claim.revision;
        const Result<void> done =
            store->commit(claim, {.snapshot = "s" + std::to_string(revision),
                                  .calls = {{.need = revision + 1, .name = i == 0 ? "bad" : "good"}}});
        EXPECT_EQ(reason_of(done), i == 0 ? "invalid_request" : i == 1 ? "lease_lost" : "ok");
        EXPECT_EQ(claim.revision, revision + (i > 1 ? 1 : 0));
    });
    EXPECT_GT(shared, 0);
    for (const ClaimedMission& claim : all) {
        const bool is_fine = claim.id != all[0].id && claim.id != all[1].id;
        EXPECT_EQ(must(store->show(claim.id))->revision, claim.revision);
        EXPECT_EQ(must(store->calls(claim.id)).size(), is_fine ? claim.revision : 0);
    }
}

/// The sync of the last one takes those before it along. One that is refused has none.
TEST_P(StoreSyncs, WhatIsSentBeforeOneThatWritesNothingIsSyncedAllTheSame) {
    if (!is_postgres()) GTEST_SKIP() << "there they are one transaction";
    store = open(options());
    std::vector<ClaimedMission> all = claims();
    must(store->commit(all[0], {.snapshot = "prepared from here on"}));
    must(store->commit(all[0], {.snapshot = "and a difference"}));
    ClaimedMission lost = all[1];
    must(store->release(all[1], Millis64(0), false));
    constexpr int kRounds = 20;
    constexpr Millis64 kToGetInLine{10};
    for (int i = 0; i < kRounds; ++i) {
        std::atomic<bool> is_held = false, may_go = false;
        std::jthread holder([&] { // of the only connection
            must(store->once("round " + std::to_string(i), [&](MissionStore::Transaction&) -> Result<std::string> {
                is_held = true;
                is_held.notify_all();
                may_go.wait(false);
                return std::string();
            }));
        });
        is_held.wait(false);
        std::jthread first([&] { must(store->commit(all[0], {.snapshot = "s" + std::to_string(i)})); });
        std::this_thread::sleep_for(kToGetInLine);
        std::jthread last([&] { EXPECT_EQ(reason_of(store->commit(lost, {.snapshot = "t"})), "lease_lost"); });
        std::this_thread::sleep_for(kToGetInLine);
        may_go = true;
        may_go.notify_all();
        holder.join();
        first.join();
        last.join();
        unsynced += is_log_synced() ? 0 : 1;
    }
    EXPECT_GT(shared, kRounds / 2);
    EXPECT_LT(unsynced, kRounds / 2);
}

/// Its statements are not sent with those of others before they are known there.
TEST_P(StoreSyncs, WhatNobodyPreparedYetIsDoneAllTheSame) {
    store = open(options());
    std::vector<ClaimedMission> all = claims();
    std::vector<std::jthread> threads;
    for (ClaimedMission& claim : all)
        threads.emplace_back([&] {
            const std::uint64_t need = 1;
            must(store->commit(claim, {.snapshot = "s", .calls = {{.need = need}}}));
            must(store->record(claim, need, "a", Durability::WithNext));
            must(store->complete(claim, {.taken = {need}}, "r"));
        });
    threads.clear();
    for (const ClaimedMission& claim : all)
        EXPECT_EQ(must(store->show(claim.id))->status, MissionStatus::Done);
}

PTC_STORE_SUITE(StoreSyncs);

} // namespace
} // namespace ptc::test
