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
        return {.connections = kThreads, .on_statement = [this](std::uint64_t, std::string_view sql) {
                    if (sql.find("synchronous_commit") != std::string_view::npos) has_asynchronous = true;
                    if (sql.starts_with("SAVEPOINT")) ++shared;
                }};
    }
    /// A mission for each thread.
    std::vector<ClaimedMission> claims() {
        for (int i = 0; i < kThreads; ++i)
            must(store->submit({.id = std::to_string(i), .agent_digest = agent}));
        return must(store->claim({.worker = "w", .most = kThreads}));
    }
    /// All at once, again and again, until some were together.
    template <class Call> void repeat_until_shared(Call call) {
        std::barrier together(kThreads, [this]() noexcept { is_over = shared > 0 || ++rounds == 1'000; });
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
    std::atomic<int> rounds = 0;
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
    if (is_postgres()) GTEST_SKIP() << "its server does that";
    store = open(options());
    std::vector<ClaimedMission> all = claims();
    const int before = syncs;
    repeat_until_shared([&](int i) {
        ClaimedMission& claim = all[static_cast<std::size_t>(i)];
        must(store->commit(claim, {.snapshot = "s" + std::to_string(claim.revision)}));
    });
    EXPECT_GT(shared, 0);
    EXPECT_LT(syncs - before, kThreads * (rounds + 1));
    for (const ClaimedMission& claim : all)
        EXPECT_EQ(must(store->show(claim.id))->revision, claim.revision);
}

TEST_P(StoreSyncs, WhatIsRefusedIsNobodyElses) {
    if (is_postgres()) GTEST_SKIP() << "each of its transactions is alone";
    store = open(options());
    std::vector<ClaimedMission> all = claims();
    sql("CREATE TRIGGER no_calls BEFORE INSERT ON call WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END");
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

PTC_STORE_SUITE(StoreSyncs);

} // namespace
} // namespace ptc::test
