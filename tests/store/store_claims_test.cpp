// Claims and their leases: who may write, and what becomes of missions whose workers are lost.
#include "subagent/store/database.h"
#include "tests/store/stores.h"

namespace ptc::test {
namespace {

class StoreClaims : public Stores {};

TEST_P(StoreClaims, WhoSleptLongerThanItsLeaseWritesNothing) {
    submit({.id = "a"});
    ClaimedMission sleeper = claim_one(*store, {.worker = "sleeper", .lease = Millis64(30'000)});
    must(store->commit(sleeper, {.snapshot = "s1", .calls = {{.need = 1, .name = "t", .key = "k"}}}));
    EXPECT_TRUE(must(store->claim({.worker = "other"})).empty());
    advance(Millis64(30'001));
    ClaimedMission other = claim_one(*store, {.worker = "other"});
    EXPECT_NE(other.token, sleeper.token);
    EXPECT_EQ(reason_of(store->commit(sleeper, {.snapshot = "s2"})), "lease_lost");
    EXPECT_EQ(reason_of(store->record(sleeper, 1, "x")), "lease_lost");
    EXPECT_EQ(reason_of(store->wait(sleeper, {})), "lease_lost");
    EXPECT_EQ(reason_of(store->complete(sleeper, {}, "r")), "lease_lost");
    EXPECT_EQ(reason_of(store->fail(sleeper, {}, "e")), "lease_lost");
    EXPECT_EQ(reason_of(store->release(sleeper, Millis64(0), true)), "lease_lost");
    EXPECT_EQ(must(store->heartbeat({sleeper}, Millis64(50'000))).lost, std::vector<std::string>{"a"});
    EXPECT_EQ(other.snapshot, "s1");
    EXPECT_EQ(other.calls.at(0).answer, std::nullopt);
    must(store->complete(other, {}, "result"));
    EXPECT_EQ(must(store->show("a"))->result, "result");
}

/// Writes are sent along with what is next, and have its end: an error of one of them is the transaction's.
TEST_P(StoreClaims, AWriteThatFailsUndoesItsTransaction) {
    if (!is_postgres()) GTEST_SKIP() << "SQLite does each statement at once";
    sql("ALTER TABLE " + table("call") + " ADD CHECK (name <> 'bad')");
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    for (int i = 0; i < 3; ++i) { // and the connection is as good as before
        const std::uint64_t revision = claim.revision;
        EXPECT_EQ(reason_of(store->commit(claim, {.snapshot = "s", .calls = {{.need = 9, .name = "bad"}}, .turns = 7})),
                  "invalid_request");
        EXPECT_EQ(claim.revision, revision);
        EXPECT_EQ(must(store->show("a"))->turns, i);
        must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "good"}}, .turns = i + 1}));
        EXPECT_EQ(claim.revision, revision + 1);
    }
    must(store->record(claim, 1, "x"));
    EXPECT_EQ(must(store->calls("a")).size(), 1u);
}

TEST_P(StoreClaims, ACommitNamesTheRevisionThatItFollows) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    ClaimedMission copy = claim;
    must(store->commit(claim, {.snapshot = "s1"}));
    EXPECT_EQ(reason_of(store->commit(copy, {.snapshot = "other"})), "lease_lost");
    EXPECT_EQ(reason_of(store->complete(copy, {}, "r")), "lease_lost");
    must(store->commit(claim, {.snapshot = "s2"}));
    must(store->release(claim, Millis64(0), false));
    EXPECT_EQ(claim_one(*store).snapshot, "s2");
}

TEST_P(StoreClaims, AHeartbeatKeepsTheLease) {
    submit({.id = "a"});
    const ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(100'000)});
    advance(Millis64(90'000));
    EXPECT_TRUE(must(store->heartbeat({claim}, Millis64(100'000))).lost.empty());
    advance(Millis64(90'000));
    EXPECT_TRUE(must(store->claim({.worker = "other"})).empty());
    advance(Millis64(20'000));
    EXPECT_EQ(must(store->claim({.worker = "other"})).size(), 1u);
}

/// A claim at any fraction of a millisecond, with the clock cut to whole ones: the lease ends with the next one.
TEST_P(StoreClaims, ALeaseIsOverNoFractionOfAMillisecondEarly) {
    submit({.id = "first"});
    const std::int64_t before = claim_one(*store).now;
    submit({.id = "a"});
    const ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(10'000)});
    const std::int64_t wakes_at = std::stoll(sql_one("SELECT wake_at FROM " + table("mission") + " WHERE id = 'a'"));
    EXPECT_GE(wakes_at, before + 10'001);
    EXPECT_LE(wakes_at, claim.now + 10'001); // which a later statement read
    if (!is_postgres()) return;
    const auto at = [&](std::string word, const std::string& second) { // as PostgreSQL reads a clock
        word = translated(word, {.schema = "", .is_postgres = true});
        const std::string clock = "statement_timestamp()";
        word.replace(word.find(clock), clock.size(), "timestamptz '2026-01-01 00:00:" + second + "Z'");
        return std::stoll(sql_one("SELECT " + word));
    };
    for (const char* fraction : {".000000", ".000001", ".000499", ".000500", ".000501", ".000999"}) {
        const std::string from = std::string("10") + fraction, until = std::string("20") + fraction;
        EXPECT_EQ(at("{now}", from) % 1000, 0) << fraction;
        EXPECT_LT(at("{now}", until) - 1, at("{after_now}", from) + 10'000) << fraction;
        EXPECT_EQ(at("{after_now}", from), at("{now}", from) + 1) << fraction;
    }
    // What is one microsecond early is not over, one that is a millisecond late is.
    EXPECT_LT(at("{now}", "20.000499"), at("{after_now}", "10.000500") + 10'000);
    EXPECT_LT(at("{now}", "20.000500"), at("{after_now}", "10.000501") + 10'000);
    EXPECT_GE(at("{now}", "20.001500"), at("{after_now}", "10.000500") + 10'000);
}

TEST_P(StoreClaims, AMissionThatKillsItsWorkersEnds) {
    submit({.id = "poison", .max_attempts = 2});
    const auto lose_worker = [&] {
        claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
        advance(Millis64(50'001));
    };
    for (int losses = 0; losses < 2 * kLossesOfAnAttempt; ++losses)
        lose_worker();
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_NE(must(store->show("poison"))->error.find("\"attempts_exceeded\""), std::string::npos);
    // Whoever commits gets on, and may be interrupted as often again.
    submit({.id = "good", .max_attempts = 2});
    for (int attempt = 1; attempt <= 10; ++attempt) {
        ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
        must(store->commit(claim, {.snapshot = "s" + std::to_string(attempt)}));
        advance(Millis64(50'001));
    }
    EXPECT_EQ(claim_one(*store, {.worker = "w", .lease = Millis64(10'000'000)}).snapshot, "s10");
    // What failed by itself counts four times as much as a worker that ended without a word.
    submit({.id = "both", .max_attempts = 2});
    ClaimedMission failed = claim_one(*store);
    EXPECT_EQ(failed.attempts, 1);
    must(store->release(failed, Millis64(0), true));
    for (int losses = 1; losses <= kLossesOfAnAttempt; ++losses) {
        lose_worker();
        EXPECT_TRUE(must(store->claim({.worker = "w", .queues = {"none"}})).empty()); // it finds the end of the lease
        EXPECT_EQ(status_of("both"), losses < kLossesOfAnAttempt ? MissionStatus::Ready : MissionStatus::Failed);
        EXPECT_EQ(must(store->show("both"))->losses, losses < kLossesOfAnAttempt ? losses : losses - 1);
    }
}

/// Whoever is there when a mission kills its worker is not there again and again.
TEST_P(StoreClaims, MissionsThatLoseTheirWorkersAreKeptApart) {
    constexpr std::size_t kMissions = 20;
    for (std::size_t i = 0; i < kMissions; ++i)
        submit({.id = "m" + std::to_string(i), .priority = static_cast<int>(kMissions - i)});
    bool has_left = false;
    const auto claim = [&](std::size_t in_hand, int losses) {
        std::vector<std::string> ids;
        for (const ClaimedMission& one : must(store->claim({.worker = "w",
                                         .most = 100,
                                         .lease = Millis64(50'000),
                                         .in_hand = in_hand,
                                         .losses_in_hand = losses,
                                         .has_left_apart = &has_left})))
            ids.push_back(one.id);
        return ids;
    };
    const std::size_t most[] = {20, 20, 16, 4, 1};
    std::vector<std::string> together;
    for (int losses = 0; losses < 5; ++losses) { // the first ones are lost each time, with whoever is beside them
        together = claim(0, 0);
        EXPECT_EQ(together.size(), most[losses]) << losses;
        EXPECT_EQ(has_left, losses >= 2) << losses;
        advance(Millis64(50'001));
    }
    // Others do not wait for them, and are not put beside them.
    submit({.id = "new"});
    EXPECT_EQ(claim(3, 0), std::vector<std::string>{"new"});
    EXPECT_TRUE(has_left);
    submit({.id = "newer"});
    EXPECT_EQ(claim(1, 2).size(), 3U); // beside one of two losses: those of three, up to four in hand
    EXPECT_TRUE(claim(4, 3).empty());
    // An answer ends the row.
    ClaimedMission one = claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
    EXPECT_GE(one.losses, 3);
    must(store->commit(one, {.snapshot = "s", .calls = {{.need = 1, .name = "t"}}}));
    must(store->record(one, 1, "answer"));
    must(store->release(one, Millis64(0), false));
    EXPECT_EQ(must(store->show(one.id))->losses, 0);
}

/// Of missions that hold much, a worker gets no more in their turn as soon as it has as much as it says.
TEST_P(StoreClaims, MissionsAreClaimedUntilTheHandIsFull) {
    const auto data_of = [](char c, std::size_t n) { return "{\"data\":\"" + std::string(n, c) + "\"}"; };
    submit({.id = "large", .context = data_of('a', 100'000), .priority = 9});
    submit({.id = "other", .context = data_of('b', 60'000), .priority = 8});
    submit({.id = "small", .context = data_of('c', 10), .priority = 7});
    const auto claim = [&](std::size_t in_hand, std::uint64_t bytes) {
        return must(store->claim({.worker = "w",
                                  .most = 100,
                                  .lease = Millis64(50'000),
                                  .in_hand = in_hand,
                                  .most_bytes = 90'000,
                                  .bytes_in_hand = bytes}));
    };
    std::vector<ClaimedMission> claimed = claim(3, 89'999);
    ASSERT_EQ(claimed.size(), 1u) << "none is too large for a worker that has others";
    EXPECT_EQ(claimed[0].id, "large");
    EXPECT_GE(claimed[0].bytes, 100'000u);
    EXPECT_LT(claimed[0].bytes, 100'200u);
    EXPECT_TRUE(claim(1, claimed[0].bytes).empty());
    // A snapshot and an answer count, too.
    must(store->commit(claimed[0], {.snapshot = std::string(50'000, 's'), .calls = {{.need = 1, .name = "t"}}}));
    must(store->record(claimed[0], 1, std::string(20'000, 'x')));
    must(store->release(claimed[0], Millis64(0), false));
    claimed = claim(0, 0);
    ASSERT_EQ(claimed.size(), 1u);
    EXPECT_EQ(claimed[0].id, "large");
    EXPECT_GE(claimed[0].bytes, 170'000u);
    EXPECT_EQ(claim(1, 20'000).size(), 2u);
}

/// Attempts are for providers that are away for long, not for missions that kill their workers.
TEST_P(StoreClaims, ManyAttemptsAreNotMoreLosses) {
    submit({.id = "poison"});
    for (int losses = 0; losses < kMostLosses; ++losses) {
        claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
        advance(Millis64(50'001));
    }
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_NE(must(store->show("poison"))->error.find("\"attempts_exceeded\""), std::string::npos);
}

/// Whoever submits again with another version of the program, which has other usual attempts, finds his mission.
TEST_P(StoreClaims, UsualAttemptsAreTheSameMissionAsThoseOfBefore) {
    submit({.id = "a", .max_attempts = 5});
    EXPECT_FALSE(must(store->submit({.id = "a", .agent_digest = agent})).is_new);
    EXPECT_EQ(reason_of(store->submit({.id = "a", .agent_digest = agent, .max_attempts = 6})), "invalid_request");
}

/// Workers are killed for what one of their missions did, or for nothing; whoever got an answer meanwhile is further.
TEST_P(StoreClaims, AnAnswerEndsTheRowOfWorkersThatWereLost) {
    submit({.id = "a", .max_attempts = 1});
    constexpr int kCalls = 5;
    std::vector<StoredCall> calls;
    for (std::uint64_t need = 1; need <= kCalls; ++need)
        calls.push_back({.need = need, .name = "t"});
    ClaimedMission first = claim_one(*store);
    must(store->commit(first, {.snapshot = "s", .calls = calls}));
    must(store->release(first, Millis64(0), false));
    for (std::uint64_t need = 1; need <= kCalls; ++need) {
        for (int losses = 0; losses + 1 < kLossesOfAnAttempt; ++losses) {
            const ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
            EXPECT_EQ(claim.losses, need == 1 ? losses : losses + 1);
            if (losses + 2 == kLossesOfAnAttempt) must(store->record(claim, need, "answer"));
            advance(Millis64(50'001));
        }
    }
    EXPECT_EQ(claim_one(*store).calls.size(), 5u);
    EXPECT_EQ(status_of("a"), MissionStatus::Running);
}

/// A call whose answer is there is no way on: the same on both databases.
TEST_P(StoreClaims, AnAnswerThatIsThereAlreadyEndsNoRowOfLosses) {
    submit({.id = "a"});
    ClaimedMission first = claim_one(*store);
    must(store->commit(first, {.snapshot = "s", .calls = {{.need = 1, .name = "t"}, {.need = 2, .name = "t"}}}));
    must(store->record(first, 1, "answer"));
    must(store->release(first, Millis64(0), false));
    claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
    advance(Millis64(50'001));
    const ClaimedMission next = claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
    for (const Durability durability : {Durability::AtOnce, Durability::WithNext}) {
        must(store->record(next, 1, "another", durability));
        EXPECT_EQ(must(store->show("a"))->losses, 1);
    }
    EXPECT_EQ(must(store->calls("a"))[0].answer, "answer");
    must(store->record(next, 2, "answer"));
    EXPECT_EQ(must(store->show("a"))->losses, 0);
}

TEST_P(StoreClaims, AReleaseWithoutFailureIsNoAttempt) {
    submit({.id = "a", .max_attempts = 2});
    for (int i = 0; i < 5; ++i) {
        ClaimedMission claim = claim_one(*store);
        must(store->release(claim, Millis64(0), false));
    }
    for (int i = 0; i < 2; ++i) {
        ClaimedMission claim = claim_one(*store);
        must(store->release(claim, Millis64(0), true));
    }
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_EQ(status_of("a"), MissionStatus::Failed);
}

TEST_P(StoreClaims, ACommitBeginsTheCountOfAttemptsAnew) {
    submit({.id = "a", .max_attempts = 3});
    for (int i = 0; i < 2; ++i) {
        ClaimedMission claim = claim_one(*store);
        must(store->release(claim, Millis64(0), true));
    }
    ClaimedMission claim = claim_one(*store);
    EXPECT_EQ(claim.attempts, 3);
    must(store->commit(claim, {.snapshot = "s", .turns = 2, .cost_usd = 0.5}));
    EXPECT_EQ(claim.attempts, 1);
    must(store->fail(claim, {.keeps_usage = true}, "{}"));
    EXPECT_EQ(must(store->show("a"))->turns, 2);
    EXPECT_EQ(must(store->show("a"))->cost_usd, 0.5);
}

/// Of whoever has the database: cells of any size. One mission that cannot be had does not keep the others.
TEST_P(StoreClaims, WhatIsTooLargeIsNotRead) {
    const std::string bytes = std::to_string(kMostCellBytes + 1);
    const std::string large =
        is_postgres() ? "convert_to(repeat('x', " + bytes + "), 'UTF8')" : "zeroblob(" + bytes + ")";
    const std::string other = must(store->put_agent("other", "{}"));
    submit({.id = "hostile", .agent_digest = other});
    submit({.id = "good"});
    const std::shared_ptr<MissionStore> fresh = open(); // which has read no agent yet
    sql("UPDATE " + table("agent") + " SET content = " + large + " WHERE name = 'other'");
    const std::vector<ClaimedMission> claims = must(fresh->claim({.worker = "w", .most = 5}));
    EXPECT_EQ(ids_of(claims), std::vector<std::string>{"good"});
    EXPECT_EQ(status_of("hostile"), MissionStatus::Failed);
    EXPECT_NE(must(store->show("hostile"))->error.find("larger than 255 MiB"), std::string::npos);
    sql("UPDATE " + table("mission") + " SET error = (SELECT content FROM " + table("agent") +
        " WHERE name = 'other') WHERE id = 'hostile'");
    EXPECT_EQ(reason_of(store->show("hostile")), "invalid_request");
    EXPECT_EQ(must(store->list({})).size(), 2u);
    EXPECT_EQ(reason_of(store->put_data(std::string(kMostCellBytes + 1, 'x'))), "invalid_request");
}

PTC_STORE_SUITE(StoreClaims);

} // namespace
} // namespace ptc::test
