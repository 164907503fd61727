// What both stores promise: missions from their submission to their end, one test a promise.
#include "subagent/store/database.h"
#include "tests/store/stores.h"
#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace ptc::test {
namespace {

class Store : public Stores {
protected:
    std::string submit(NewMission mission = {}) {
        if (mission.agent_digest.empty()) mission.agent_digest = agent;
        return must(store->submit(mission)).id;
    }
    MissionStatus status_of(const std::string& id) { return must(store->show(id)).value_or(StoredMission()).status; }
};

TEST_P(Store, AMissionGoesFromSubmissionToItsResult) {
    EXPECT_EQ(submit({.id = "order-17", .context = "what there is to do"}), "order-17");
    ClaimedMission claim = claim_one(*store);
    EXPECT_EQ(claim.id, "order-17");
    EXPECT_EQ(claim.context, "what there is to do");
    EXPECT_EQ(claim.agent.name, "clerk");
    EXPECT_EQ(claim.agent.content, "{}");
    EXPECT_EQ(claim.revision, 0u);
    EXPECT_EQ(claim.snapshot, "");
    EXPECT_EQ(status_of("order-17"), MissionStatus::Running);
    must(store->commit(claim,
                       {.snapshot = "state 1", .calls = {{.need = 3, .name = "search", .key = "k3"}}, .turns = 1}));
    must(store->record(claim, 3, "found"));
    EXPECT_EQ(claim.revision, 1u);
    must(store->complete(claim, {.input_tokens = 10, .output_tokens = 5, .turns = 2, .cost_usd = 0.25}, "42"));
    const StoredMission done = must(store->show("order-17")).value_or(StoredMission());
    EXPECT_EQ(done.status, MissionStatus::Done);
    EXPECT_EQ(done.result, "42");
    EXPECT_EQ(done.error, "");
    EXPECT_EQ(done.input_tokens, 10);
    EXPECT_EQ(done.cost_usd, 0.25);
    EXPECT_EQ(done.worker, "");
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
}

TEST_P(Store, ASubmissionIsIdempotentByItsId) {
    const NewMission mission{.id = "a", .agent_digest = agent, .context = "x"};
    EXPECT_TRUE(must(store->submit(mission)).is_new);
    EXPECT_FALSE(must(store->submit(mission)).is_new);
    NewMission other = mission;
    other.context = "y";
    EXPECT_EQ(reason_of(store->submit(other)), "invalid_request");
    EXPECT_EQ(must(store->list({})).size(), 1u);
}

TEST_P(Store, BadArgumentsAreRefused) {
    EXPECT_EQ(reason_of(store->submit({.id = "a\nb", .agent_digest = agent})), "invalid_request");
    EXPECT_EQ(reason_of(store->submit({.id = std::string(201, 'a'), .agent_digest = agent})), "invalid_request");
    EXPECT_EQ(reason_of(store->submit({.id = "\xff", .agent_digest = agent})), "invalid_request");
    EXPECT_EQ(reason_of(store->submit({.id = "a", .agent_digest = agent, .queue = ""})), "invalid_request");
    EXPECT_EQ(reason_of(store->submit({.id = "a", .agent_digest = "no such agent"})), "invalid_request");
    EXPECT_EQ(reason_of(store->submit({.id = "a", .agent_digest = agent, .max_attempts = 0})), "invalid_request");
    EXPECT_EQ(reason_of(store->signal("nobody", {})), "invalid_request");
    EXPECT_EQ(reason_of(store->calls("nobody")), "invalid_request");
    EXPECT_TRUE(must(store->list({})).empty());
}

TEST_P(Store, AClaimBringsWhatWasCommittedAndTheAnswersThatAreThere) {
    submit({.id = "a"});
    ClaimedMission first = claim_one(*store);
    const std::string snapshot("state\0 with a zero", 18);
    must(store->commit(first, {.snapshot = snapshot,
                               .calls = {{.need = 1, .kind = StoredCall::Kind::ModelCall, .name = "m", .key = "k1"},
                                         {.need = 2, .name = "t", .key = "k2"},
                                         {.need = 3, .kind = StoredCall::Kind::Approval, .name = "t", .key = "k3"}}}));
    must(store->record(first, 1, "one"));
    must(store->record(first, 1, "another one, which is too late"));
    must(store->commit(first, {.snapshot = "state 2", .calls = {{.need = 4, .name = "u", .key = "k4"}}, .taken = {1}}));
    must(store->record(first, 2, "two"));
    must(store->release(first, Millis64(0), false));
    const ClaimedMission second = claim_one(*store);
    EXPECT_EQ(second.snapshot, "state 2");
    EXPECT_EQ(second.revision, 2u);
    ASSERT_EQ(second.calls.size(), 3u);
    EXPECT_EQ(second.calls[0].answer, "two");
    EXPECT_EQ(second.calls[0].key, "k2");
    EXPECT_EQ(second.calls[1].answer, std::nullopt);
    EXPECT_EQ(second.calls[1].kind, StoredCall::Kind::Approval);
    EXPECT_EQ(second.calls[2].need, 4u);
    const std::vector<StoredCall> all = must(store->calls("a"));
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].answer, "one");
    EXPECT_EQ(reason_of(store->record(second, 9, "x")), "invalid_request");
}

TEST_P(Store, WhoSleptLongerThanItsLeaseWritesNothing) {
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
    EXPECT_EQ(must(store->heartbeat({sleeper}, Millis64(1000))).lost, std::vector<std::string>{"a"});
    EXPECT_EQ(other.snapshot, "s1");
    EXPECT_EQ(other.calls.at(0).answer, std::nullopt);
    must(store->complete(other, {}, "result"));
    EXPECT_EQ(must(store->show("a"))->result, "result");
}

/// Writes are sent along with what is next, and have its end: an error of one of them is the transaction's.
TEST_P(Store, AWriteThatFailsUndoesItsTransaction) {
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

TEST_P(Store, ACommitNamesTheRevisionThatItFollows) {
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

TEST_P(Store, AHeartbeatKeepsTheLease) {
    submit({.id = "a"});
    const ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(10'000)});
    advance(Millis64(9'000));
    EXPECT_TRUE(must(store->heartbeat({claim}, Millis64(10'000))).lost.empty());
    advance(Millis64(9'000));
    EXPECT_TRUE(must(store->claim({.worker = "other"})).empty());
    advance(Millis64(2'000));
    EXPECT_EQ(must(store->claim({.worker = "other"})).size(), 1u);
}

/// A claim at any fraction of a millisecond, with the clock cut to whole ones: the lease ends with the next one.
TEST_P(Store, ALeaseIsOverNoFractionOfAMillisecondEarly) {
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

TEST_P(Store, AMissionWaitsForItsTime) {
    submit({.id = "later", .delay = Millis64(60'000)});
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_EQ(must(store->unfinished({})), 1u);
    advance(Millis64(59'000));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    advance(Millis64(1'001));
    ClaimedMission claim = claim_one(*store);
    must(store->release(claim, Millis64(5'000), true));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    advance(Millis64(5'001));
    EXPECT_EQ(claim_one(*store).id, "later");
}

TEST_P(Store, ADeadlineEndsAMissionThatNobodyCarries) {
    submit({.id = "ready", .deadline = Millis64(10'000)});
    submit({.id = "delayed", .delay = Millis64(90'000), .deadline = Millis64(10'000)});
    submit({.id = "waits", .queue = "q", .deadline = Millis64(10'000)});
    submit({.id = "carried", .queue = "r", .deadline = Millis64(10'000)});
    ClaimedMission waits = claim_one(*store, {.worker = "w", .queues = {"q"}});
    EXPECT_TRUE(waits.deadline.has_value());
    EXPECT_TRUE(must(store->wait(waits, {.for_whom = "[]"})));
    ClaimedMission carried = claim_one(*store, {.worker = "w", .queues = {"r"}, .lease = Millis64(60'000)});
    advance(Millis64(10'001));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    for (const char* id : {"ready", "delayed", "waits"}) {
        EXPECT_EQ(status_of(id), MissionStatus::Failed) << id;
        EXPECT_NE(must(store->show(id))->error.find("\"timeout\""), std::string::npos) << id;
    }
    must(store->complete(carried, {}, "just in time"));
    EXPECT_EQ(status_of("carried"), MissionStatus::Done);
}

TEST_P(Store, AMissionThatKillsItsWorkersEnds) {
    submit({.id = "poison", .max_attempts = 2});
    const auto lose_worker = [&] {
        claim_one(*store, {.worker = "w", .lease = Millis64(1000)});
        advance(Millis64(1001));
    };
    for (int losses = 0; losses < 2 * kLossesOfAnAttempt; ++losses)
        lose_worker();
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_NE(must(store->show("poison"))->error.find("\"attempts_exceeded\""), std::string::npos);
    // Whoever commits gets on, and may be interrupted as often again.
    submit({.id = "good", .max_attempts = 2});
    for (int attempt = 1; attempt <= 10; ++attempt) {
        ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(1000)});
        must(store->commit(claim, {.snapshot = "s" + std::to_string(attempt)}));
        advance(Millis64(1001));
    }
    EXPECT_EQ(claim_one(*store).snapshot, "s10");
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

/// Attempts are for providers that are away for long, not for missions that kill their workers.
TEST_P(Store, ManyAttemptsAreNotMoreLosses) {
    submit({.id = "poison"});
    for (int losses = 0; losses < kMostLosses; ++losses) {
        claim_one(*store, {.worker = "w", .lease = Millis64(1000)});
        advance(Millis64(1001));
    }
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_NE(must(store->show("poison"))->error.find("\"attempts_exceeded\""), std::string::npos);
}

/// Whoever submits again with another version of the program, which has other usual attempts, finds his mission.
TEST_P(Store, UsualAttemptsAreTheSameMissionAsThoseOfBefore) {
    submit({.id = "a", .max_attempts = 5});
    EXPECT_FALSE(must(store->submit({.id = "a", .agent_digest = agent})).is_new);
    EXPECT_EQ(reason_of(store->submit({.id = "a", .agent_digest = agent, .max_attempts = 6})), "invalid_request");
}

/// Workers are killed for what one of their missions did, or for nothing; whoever got an answer meanwhile is further.
TEST_P(Store, AnAnswerEndsTheRowOfWorkersThatWereLost) {
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
            const ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(1000)});
            EXPECT_EQ(claim.losses, need == 1 ? losses : losses + 1);
            if (losses + 2 == kLossesOfAnAttempt) must(store->record(claim, need, "answer"));
            advance(Millis64(1001));
        }
    }
    EXPECT_EQ(claim_one(*store).calls.size(), 5u);
    EXPECT_EQ(status_of("a"), MissionStatus::Running);
}

TEST_P(Store, AReleaseWithoutFailureIsNoAttempt) {
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

TEST_P(Store, AnAnswerFromOutsideWakesWhoWaitsForIt) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim,
                       {.snapshot = "s", .calls = {{.need = 7, .kind = StoredCall::Kind::Approval, .name = "pay"}}}));
    EXPECT_TRUE(must(store->wait(claim, {.for_whom = R"(["pay"])"})));
    EXPECT_EQ(must(store->show("a"))->waits_for, R"(["pay"])");
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_EQ(must(store->unfinished({})), 0u);
    EXPECT_EQ(reason_of(store->signal("a", {.kind = Signal::Kind::Answer, .need = 8})), "invalid_request");
    EXPECT_TRUE(must(store->signal("a", {.kind = Signal::Kind::Answer, .need = 7, .bytes = "yes"})));
    EXPECT_FALSE(must(store->signal("a", {.kind = Signal::Kind::Answer, .need = 7, .bytes = "no"})));
    ClaimedMission again = claim_one(*store);
    EXPECT_EQ(again.calls.at(0).answer, "yes");
    must(store->complete(again, {}, "r"));
    EXPECT_FALSE(must(store->signal("a", {.kind = Signal::Kind::Answer, .need = 7, .bytes = "late"})));
    EXPECT_EQ(status_of("a"), MissionStatus::Done);
}

TEST_P(Store, ASignalThatCameBeforeTheWaitIsNotSleptOver) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim,
                       {.snapshot = "s", .calls = {{.need = 1, .kind = StoredCall::Kind::Approval, .name = "pay"}}}));
    EXPECT_TRUE(must(store->signal("a", {.kind = Signal::Kind::Answer, .need = 1, .bytes = "yes"})));
    EXPECT_FALSE(must(store->wait(claim, {})));
    EXPECT_EQ(must(store->calls("a")).at(0).answer, "yes");
    EXPECT_TRUE(must(store->wait(claim, {.at_most = Millis64(1000)})));
    EXPECT_EQ(must(store->unfinished({})), 1u);
    advance(Millis64(1001));
    ClaimedMission timed = claim_one(*store);
    EXPECT_TRUE(must(store->wait(timed, {.at_most = Millis64(0)})));
    EXPECT_EQ(claim_one(*store).id, "a");
}

TEST_P(Store, ACancellationEndsAtOnceWhatNobodyCarries) {
    submit({.id = "ready"});
    EXPECT_TRUE(must(store->signal("ready", {})));
    EXPECT_FALSE(must(store->signal("ready", {})));
    EXPECT_EQ(status_of("ready"), MissionStatus::Cancelled);
    submit({.id = "carried"});
    ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(1000)});
    EXPECT_TRUE(must(store->signal("carried", {})));
    EXPECT_FALSE(must(store->signal("carried", {})));
    EXPECT_EQ(must(store->heartbeat({claim}, Millis64(1000))).cancelled, std::vector<std::string>{"carried"});
    EXPECT_FALSE(must(store->wait(claim, {})));
    must(store->fail(claim, {}, R"({"reason":"interrupted"})", true));
    EXPECT_EQ(status_of("carried"), MissionStatus::Cancelled);
    submit({.id = "lost"});
    claim_one(*store, {.worker = "w", .lease = Millis64(1000)});
    EXPECT_TRUE(must(store->signal("lost", {})));
    advance(Millis64(1001));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_EQ(status_of("lost"), MissionStatus::Cancelled);
}

TEST_P(Store, AFailedMissionGoesOnWhereItWasCommitted) {
    submit({.id = "a"});
    EXPECT_FALSE(must(store->retry("a")));
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s1", .calls = {{.need = 1, .name = "t"}, {.need = 2, .name = "u"}}}));
    must(store->record(claim, 1, "fine"));
    must(store->record(claim, 2, "no network"));
    must(store->fail(claim, {.forgotten = {2}}, R"({"reason":"llm_error"})"));
    EXPECT_EQ(must(store->show("a"))->error, R"({"reason":"llm_error"})");
    EXPECT_TRUE(must(store->retry("a")));
    EXPECT_EQ(must(store->show("a"))->error, "");
    const ClaimedMission again = claim_one(*store);
    EXPECT_EQ(again.snapshot, "s1");
    EXPECT_EQ(again.calls.at(0).answer, "fine");
    EXPECT_EQ(again.calls.at(1).answer, std::nullopt);
}

TEST_P(Store, AChildThatIsOverWakesItsParent) {
    submit({.id = "parent"});
    ClaimedMission parent = claim_one(*store);
    submit({.id = "child", .parent = "parent"});
    EXPECT_TRUE(must(store->wait(parent, {})));
    ClaimedMission child = claim_one(*store);
    EXPECT_EQ(child.id, "child");
    must(store->complete(child, {}, "r"));
    EXPECT_EQ(claim_one(*store).id, "parent");
}

/// A child and the call that waits for it come with one commit; its end answers the call in its own transaction.
TEST_P(Store, ACommitBeginsChildrenAndTheirEndsAnswerItsCalls) {
    using Kind = StoredCall::Kind;
    submit({.id = "p", .queue = "q", .tenant = "t", .priority = 3});
    ClaimedMission parent = claim_one(*store);
    EXPECT_EQ(parent.queue, "q");
    EXPECT_EQ(parent.tenant, "t");
    EXPECT_EQ(parent.priority, 3);
    EXPECT_GT(parent.now, 0);
    Commit commit{.snapshot = "s"};
    for (std::uint64_t need = 1; need <= 4; ++need) {
        const std::string id = "p/" + std::to_string(need);
        commit.calls.push_back({.need = need, .kind = Kind::Child, .name = "t", .key = id});
        commit.children.push_back({.id = id, .agent_digest = agent, .context = id});
    }
    commit.children.push_back({.id = "free", .agent_digest = agent, .queue = "late"}); // nobody waits for its answer
    commit.children.back().deadline = Millis64(60'000);
    must(store->commit(parent, commit));
    EXPECT_EQ(must(store->list({.parent = "p"})).size(), 5u);
    EXPECT_EQ(must(store->show("p/1"))->parent, "p");
    EXPECT_EQ(must(store->list({.parent = "p/1"})).size(), 0u);
    EXPECT_TRUE(must(store->wait(parent, {.for_whom = "[]"})));
    EXPECT_EQ(must(store->show("p"))->standing.what, Standing::For::Child);
    EXPECT_EQ(must(store->show("p"))->standing.names, (std::vector<std::string>{"p/1", "p/2", "p/3", "p/4"}));
    EXPECT_EQ(reason_of(store->signal("p", {.kind = Signal::Kind::Answer, .need = 1})), "invalid_request");

    std::vector<ClaimedMission> children = must(store->claim({.worker = "w", .queues = {"default"}, .most = 9}));
    ASSERT_EQ(children.size(), 4u);
    EXPECT_EQ(children[0].context, "p/1");
    must(store->complete(children[0], {}, "one"));
    parent = claim_one(*store, {.worker = "w", .queues = {"q"}});
    ASSERT_EQ(parent.calls.size(), 4u);
    const auto answer_of = [](const StoredCall& call) { return child_answer(call.answer.value_or("")); };
    EXPECT_EQ(answer_of(parent.calls[0])->status, MissionStatus::Done);
    EXPECT_EQ(answer_of(parent.calls[0])->bytes, "one");
    EXPECT_FALSE(parent.calls[1].answer);
    // What ends while its parent is in a worker's hands is news of the wait.
    must(store->fail(children[1], {}, "{\"reason\":\"x\"}"));
    EXPECT_FALSE(must(store->wait(parent, {})));
    EXPECT_EQ(answer_of(must(store->calls("p")).at(1))->status, MissionStatus::Failed);
    EXPECT_EQ(answer_of(must(store->calls("p")).at(1))->bytes, "{\"reason\":\"x\"}");
    // So is one that somebody cancels, and one that ends by itself.
    EXPECT_TRUE(must(store->signal("p/3", {})));
    must(store->fail(children[2], {}, R"({"reason":"interrupted"})", true));
    EXPECT_EQ(answer_of(must(store->calls("p")).at(2))->status, MissionStatus::Cancelled);
    EXPECT_FALSE(must(store->wait(parent, {})));
    EXPECT_TRUE(must(store->wait(parent, {})));
    advance(Millis64(60'001));
    EXPECT_TRUE(must(store->claim({.worker = "w", .queues = {"late"}})).empty()); // its deadline came
    EXPECT_EQ(claim_one(*store, {.worker = "w", .queues = {"q"}}).id, "p");
    EXPECT_EQ(must(store->show("free"))->status, MissionStatus::Failed);
}

TEST_P(Store, ChildrenAreThereWithTheirCommitOrNotAtAll) {
    submit({.id = "p"});
    submit({.id = "taken"});
    ClaimedMission parent = claim_one(*store);
    ASSERT_EQ(parent.id, "p");
    const auto commit_of = [&](std::vector<NewMission> children) {
        return Commit{.snapshot = "s",
                      .calls = {{.need = 1, .kind = StoredCall::Kind::Child, .name = "t", .key = "p/1"}},
                      .outbox = {"{}"},
                      .children = std::move(children)};
    };
    const NewMission child{.id = "p/1", .agent_digest = agent};
    for (const NewMission& bad :
         {NewMission{.id = "taken", .agent_digest = agent}, NewMission{.id = "", .agent_digest = agent},
          NewMission{.id = "x", .agent_digest = "no such agent"},
          NewMission{.id = "x", .agent_digest = agent, .parent = "another one"}}) {
        EXPECT_EQ(reason_of(store->commit(parent, commit_of({child, bad}))), "invalid_request");
        EXPECT_EQ(parent.revision, 0u);
        EXPECT_EQ(must(store->show("p"))->revision, 0u);
        EXPECT_TRUE(must(store->calls("p")).empty());
        EXPECT_TRUE(must(store->list({.parent = "p"})).empty());
    }
    ClaimedMission sleeper = parent;
    must(store->commit(parent, {.snapshot = "s0"}));
    EXPECT_EQ(reason_of(store->commit(sleeper, commit_of({child}))), "lease_lost");
    EXPECT_EQ(reason_of(store->complete(sleeper, commit_of({child}), "r")), "lease_lost");
    EXPECT_EQ(must(store->list({})).size(), 2u);
    must(store->commit(parent, commit_of({child})));
    EXPECT_EQ(must(store->outbox(0, 10)).size(), 1u);
    // Commits name what is open again: no second child, also where the first one is forgotten.
    must(store->commit(parent, commit_of({child})));
    for (int i = 0; i < 2; ++i) {
        ClaimedMission one = claim_one(*store);
        must(store->complete(one, {}, "r"));
    }
    EXPECT_EQ(must(store->prune(Millis64(0))), 2u);
    must(store->commit(parent, commit_of({child})));
    EXPECT_TRUE(must(store->list({.parent = "p"})).empty());
    EXPECT_EQ(child_answer(must(store->calls("p")).at(0).answer.value_or(""))->bytes, "r");
    // The last commit may begin some, too, for which nobody waits.
    must(store->complete(parent, {.children = {{.id = "next", .agent_digest = agent}}}, "r"));
    EXPECT_EQ(claim_one(*store).id, "next");
    EXPECT_EQ(must(store->show("next"))->parent, "p");
}

TEST_P(Store, AToolThatIsAnsweredFromOutsideWakesWhoWaitsForIt) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s",
                               .calls = {{.need = 4, .kind = StoredCall::Kind::Outside, .name = "scan", .key = "k"}}}));
    EXPECT_TRUE(must(store->wait(claim, {.for_whom = "[]"})));
    EXPECT_EQ(must(store->show("a"))->standing.what, Standing::For::Tool);
    EXPECT_EQ(must(store->show("a"))->standing.names, std::vector<std::string>{"scan"});
    EXPECT_TRUE(must(store->signal("a", {.kind = Signal::Kind::Answer, .need = 4, .bytes = "found"})));
    EXPECT_FALSE(must(store->signal("a", {.kind = Signal::Kind::Answer, .need = 4, .bytes = "again"})));
    const ClaimedMission again = claim_one(*store);
    EXPECT_EQ(again.calls.at(0).answer, "found");
    EXPECT_EQ(again.calls.at(0).kind, StoredCall::Kind::Outside);
}

// ---- Whose turn it is

TEST_P(Store, WhoIsCancelledTakesItsChildrenAlong) {
    submit({.id = "p"});
    submit({.id = "c", .parent = "p"});
    submit({.id = "g", .parent = "c"});
    submit({.id = "running", .parent = "p"});
    submit({.id = "other"});
    submit({.id = "over", .parent = "p"});
    std::vector<ClaimedMission> claims = must(store->claim({.worker = "w", .most = 10}));
    for (ClaimedMission& claim : claims) {
        if (claim.id == "over") must(store->complete(claim, {}, "r"));
        if (claim.id != "over" && claim.id != "running") must(store->release(claim, Millis64(0), false));
    }
    EXPECT_TRUE(must(store->signal("p", {})));
    for (const char* id : {"p", "c", "g"})
        EXPECT_EQ(must(store->show(id))->status, MissionStatus::Cancelled) << id;
    EXPECT_EQ(must(store->show("running"))->status, MissionStatus::Running); // its worker ends it
    EXPECT_EQ(must(store->show("over"))->status, MissionStatus::Done);
    EXPECT_EQ(must(store->show("other"))->status, MissionStatus::Ready);
    const auto running = std::ranges::find(claims, "running", &ClaimedMission::id);
    EXPECT_EQ(must(store->heartbeat({*running}, Millis64(1000))).cancelled, std::vector<std::string>{"running"});
    // What the mission submits before its worker hears of it goes with it, too.
    submit({.id = "late", .parent = "running"});
    must(store->fail(*running, {}, "{}", true));
    EXPECT_EQ(must(store->show("late"))->status, MissionStatus::Cancelled);
}

TEST_P(Store, WhoEndsWithoutAResultTakesItsChildrenAlong) {
    const Millis64 day = std::chrono::hours(24);
    for (const std::string how : {"late", "late in hand", "failed", "worn out", "unreadable", "done"}) {
        submit({.id = how, .deadline = how.starts_with("late") ? std::optional(day) : std::nullopt, .max_attempts = 1});
        ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = 2 * day});
        ASSERT_EQ(claim.id, how);
        must(store->commit(
            claim, {.snapshot = "s", .children = {{.id = how + "/c", .agent_digest = agent, .delay = 9 * day}}}));
        submit({.id = how + "/g", .delay = 9 * day, .parent = how + "/c"});
        if (how == "late") must(store->wait(claim, {}));
        if (how.starts_with("late")) advance(2 * day);
        if (how == "failed") must(store->fail(claim, {}, "{}"));
        if (how == "done") must(store->complete(claim, {}, "r"));
        if (how == "worn out") must(store->release(claim, Millis64(0), true));
        if (how == "unreadable") {
            must(store->release(claim, Millis64(0), false));
            sql("UPDATE " + table("call") + " SET kind = 'x'");
            sql("UPDATE " + table("snapshot") + " SET size = -1");
        }
        EXPECT_TRUE(must(store->claim({.worker = "w"})).empty()) << how;
        const bool is_done = how == "done";
        EXPECT_EQ(status_of(how), is_done ? MissionStatus::Done : MissionStatus::Failed) << how;
        for (const char* child : {"/c", "/g"})
            EXPECT_EQ(status_of(how + child), is_done ? MissionStatus::Ready : MissionStatus::Cancelled)
                << how << child;
    }
}

/// Children that ended with their parent told nobody: it was over.
TEST_P(Store, ARetryTakesUpTheChildrenThatEndedWithTheirParent) {
    using Kind = StoredCall::Kind;
    submit({.id = "p"});
    ClaimedMission parent = claim_one(*store);
    Commit commit{.snapshot = "s"};
    for (std::uint64_t need = 1; need <= 5; ++need) {
        const std::string id = "p/" + std::to_string(need);
        commit.calls.push_back({.need = need, .kind = Kind::Child, .name = "t", .key = id});
        commit.children.push_back({.id = id, .agent_digest = agent});
    }
    must(store->commit(parent, commit));
    std::vector<ClaimedMission> children = must(store->claim({.worker = "w", .most = 9}));
    ASSERT_EQ(children.size(), 5u);
    must(store->commit(children[1], {.snapshot = "s",
                                     .calls = {{.need = 1, .kind = Kind::Child, .name = "t", .key = "g"}},
                                     .children = {{.id = "g", .agent_digest = agent}}}));
    EXPECT_TRUE(must(store->wait(children[1], {})));
    must(store->complete(children[2], {}, "before"));
    must(store->release(children[3], Millis64(0), false));
    must(store->fail(parent, {}, "{}"));
    EXPECT_EQ(status_of("g"), MissionStatus::Cancelled);
    must(store->complete(children[0], {}, "after"));
    sql("DELETE FROM " + table("mission") + " WHERE id = 'p/4'");
    EXPECT_TRUE(must(store->retry("p")));
    const auto answer = [&](std::uint64_t need) {
        const std::optional<ChildAnswer> given = child_answer(must(store->calls("p")).at(need - 1).answer.value_or(""));
        return given ? std::string(status_name(given->status)) + " " + given->bytes : "";
    };
    EXPECT_EQ(answer(1), "done after");
    EXPECT_EQ(answer(2), "");
    EXPECT_EQ(answer(3), "done before");
    EXPECT_EQ(answer(4), R"(failed {"reason":"invalid_request","message":"The store has forgotten it."})");
    EXPECT_EQ(answer(5), "");
    EXPECT_EQ(status_of("p"), MissionStatus::Ready);
    EXPECT_TRUE(must(store->heartbeat({children[4]}, Millis64(60'000))).cancelled.empty());
    EXPECT_EQ(status_of("p/2"), MissionStatus::Ready);
    EXPECT_EQ(status_of("g"), MissionStatus::Ready);
    std::vector<ClaimedMission> again = must(store->claim({.worker = "w", .most = 9}));
    ASSERT_EQ(ids_of(again), (std::vector<std::string>{"p", "p/2", "g"}));
    must(store->complete(again[2], {}, "late"));
    must(store->complete(again[1], {}, "late"));
    EXPECT_EQ(answer(2), "done late");
    EXPECT_EQ(must(store->calls("p/2")).at(0).answer, "done\nlate");
}

/// A parent that failed too often, found by the same claim as its child.
TEST_P(Store, AChildThatEndsWithItsParentIsNotClaimedWithIt) {
    submit({.id = "p", .max_attempts = 1});
    ClaimedMission parent = claim_one(*store);
    must(store->commit(parent, {.snapshot = "s",
                                .calls = {{.need = 1, .kind = StoredCall::Kind::Child, .name = "t", .key = "c"}},
                                .children = {{.id = "c", .agent_digest = agent}}}));
    must(store->release(parent, Millis64(0), true));
    EXPECT_TRUE(must(store->claim({.worker = "w", .most = 2})).empty());
    EXPECT_EQ(status_of("p"), MissionStatus::Failed);
    EXPECT_EQ(status_of("c"), MissionStatus::Cancelled);
}

/// Beyond those that are woken together: one claim ends the parent, and its child comes next there.
TEST_P(Store, AChildThatEndsWithItsParentIsNotWokenBehindIt) {
    for (int i = 0; i < 100; ++i)
        submit({.id = "first " + std::to_string(i), .delay = Millis64(1'000)});
    submit({.id = "p", .deadline = Millis64(10'000)});
    ClaimedMission parent = claim_one(*store);
    NewMission child{.id = "c", .agent_digest = agent, .delay = Millis64(20'000)};
    must(store->commit(parent, {.snapshot = "s",
                                .calls = {{.need = 1, .kind = StoredCall::Kind::Child, .name = "t", .key = "c"}},
                                .children = {child}}));
    EXPECT_TRUE(must(store->wait(parent, {})));
    advance(Millis64(30'000));
    EXPECT_EQ(must(store->claim({.worker = "w", .most = 200})).size(), 100u);
    EXPECT_EQ(status_of("p"), MissionStatus::Failed);
    EXPECT_EQ(status_of("c"), MissionStatus::Cancelled);
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
}

TEST_P(Store, TheHighestPriorityGoesFirstThenTheOldest) {
    submit({.id = "c"});
    submit({.id = "a"});
    submit({.id = "high", .priority = 5});
    submit({.id = "low", .priority = -1});
    std::vector<std::string> order;
    for (int i = 0; i < 4; ++i)
        order.push_back(claim_one(*store).id);
    EXPECT_EQ(order, (std::vector<std::string>{"high", "c", "a", "low"}));
}

TEST_P(Store, PriorityCountsAcrossVersionsOfAnAgent) {
    const std::string newer = must(store->put_agent("clerk", "{2}"));
    submit({.id = "old"});
    submit({.id = "new", .agent_digest = newer, .priority = 1});
    submit({.id = "old 2", .priority = 2});
    std::vector<std::string> order;
    for (int i = 0; i < 3; ++i)
        order.push_back(claim_one(*store).id);
    EXPECT_EQ(order, (std::vector<std::string>{"old 2", "new", "old"}));
}

TEST_P(Store, AWorkerTakesOnlyWhatItCanRun) {
    const std::string newer = must(store->put_agent("clerk", "{2}"));
    submit({.id = "old"});
    submit({.id = "new", .agent_digest = newer});
    submit({.id = "elsewhere", .agent_digest = newer, .queue = "other"});
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .queues = {"default"}, .agents = {newer}, .most = 9}))),
              std::vector<std::string>{"new"});
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .agents = {newer}, .most = 9}))),
              std::vector<std::string>{"elsewhere"});
    EXPECT_TRUE(must(store->claim({.worker = "w", .agents = {"unknown"}, .most = 9})).empty());
    EXPECT_TRUE(must(store->claim({.worker = "w", .queues = {"unknown"}, .most = 9})).empty());
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .queues = {"other", "default"}, .most = 9}))),
              std::vector<std::string>{"old"});
}

TEST_P(Store, NoTenantStarves) {
    for (int i = 0; i < 60; ++i)
        submit({.id = "many " + std::to_string(i), .tenant = "many"});
    for (int i = 0; i < 5; ++i) {
        submit({.id = "few " + std::to_string(i), .tenant = "few"});
        submit({.id = "other " + std::to_string(i), .queue = "other"});
    }
    std::map<std::string, int> seen;
    for (int i = 0; i < 15; ++i)
        ++seen[claim_one(*store).id.substr(0, 3)];
    EXPECT_EQ(seen["few"], 5);
    EXPECT_EQ(seen["oth"], 5);
    EXPECT_EQ(seen["man"], 5);
    // What nobody else wants goes to whoever has more.
    EXPECT_EQ(must(store->claim({.worker = "w", .most = 100})).size(), 55u);
}

TEST_P(Store, ABatchIsSharedAmongTenants) {
    for (int i = 0; i < 40; ++i)
        submit({.id = "many " + std::to_string(i), .tenant = "many"});
    for (int i = 0; i < 10; ++i)
        submit({.id = "few " + std::to_string(i), .tenant = "few"});
    const auto few = [](const std::vector<ClaimedMission>& claims) {
        return std::ranges::count_if(claims, [](const ClaimedMission& c) { return c.id.starts_with("few"); });
    };
    const auto claims = must(store->claim({.worker = "w", .most = 10}));
    EXPECT_EQ(claims.size(), 10u);
    EXPECT_EQ(few(claims), 5);
    const auto rest = must(store->claim({.worker = "w", .most = 30}));
    EXPECT_EQ(rest.size(), 30u);
    EXPECT_EQ(few(rest), 5);
}

TEST_P(Store, NewTenantsDoNotGoBeforeThoseWhoWait) {
    for (int i = 0; i < 5; ++i)
        submit({.id = "old " + std::to_string(i), .tenant = "old"});
    int old = 0;
    for (int i = 0; i < 12; ++i) {
        submit({.id = "new " + std::to_string(i), .tenant = "new " + std::to_string(i)});
        old += claim_one(*store).id.starts_with("old") ? 1 : 0;
    }
    EXPECT_GE(old, 3);
}

TEST_P(Store, AnEmptyLaneIsServedAgain) {
    for (int round = 0; round < 3; ++round) {
        submit({.id = "m" + std::to_string(round)});
        EXPECT_EQ(claim_one(*store).id, "m" + std::to_string(round));
        EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
        EXPECT_EQ(sql_one("SELECT is_ready FROM " + table("lane")), "0");
    }
}

// ---- Lists

TEST_P(Store, ListsFilterAndPage) {
    for (int i = 0; i < 5; ++i)
        submit({.id = "m" + std::to_string(i), .queue = i < 2 ? "q" : "r", .tenant = "t"});
    EXPECT_EQ(must(store->list({.queue = "q"})).size(), 2u);
    EXPECT_EQ(must(store->list({.tenant = "t"})).size(), 5u);
    EXPECT_EQ(must(store->list({.tenant = "u"})).size(), 0u);
    EXPECT_EQ(must(store->list({.agent = "clerk"})).size(), 5u);
    EXPECT_EQ(must(store->list({.agent = agent})).size(), 5u);
    EXPECT_EQ(must(store->list({.status = MissionStatus::Done})).size(), 0u);
    const auto page = must(store->list({.after = "m1", .most = 2}));
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].id, "m2");
    EXPECT_EQ(page[0].queue, "r");
    EXPECT_EQ(page[1].agent, "clerk");
    EXPECT_EQ(must(store->unfinished({"q"})), 2u);
    EXPECT_EQ(must(store->unfinished({"q"}, 1)), 1u);
    EXPECT_EQ(must(store->unfinished({}, 1)), 1u);
    const auto counts = must(store->counts());
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_EQ(counts[1].queue, "r");
    EXPECT_EQ(counts[1].missions, 3u);
    EXPECT_EQ(must(store->show("nobody")), std::nullopt);
}

TEST_P(Store, WhoStandsStillSaysWhy) {
    using For = Standing::For;
    const auto standing = [&](const std::string& id) {
        return must(store->show(id)).value_or(StoredMission()).standing;
    };
    submit({.id = "later", .delay = Millis64(60'000)});
    EXPECT_EQ(standing("later").what, For::Time);
    EXPECT_EQ(standing("later").until, must(store->show("later"))->not_before);
    EXPECT_GT(standing("later").until, standing("later").since);
    submit({.id = "a"});
    EXPECT_EQ(standing("a").what, For::Worker);
    EXPECT_GT(standing("a").since, 0);
    ClaimedMission claim = claim_one(*store);
    EXPECT_EQ(standing("a").what, For::Nothing);
    must(store->commit(claim, {.snapshot = "s",
                               .calls = {{.need = 1, .name = "search"},
                                         {.need = 2, .name = "find"},
                                         {.need = 3, .kind = StoredCall::Kind::Approval, .name = "pay"}}}));
    EXPECT_EQ(standing("a").what, For::Tool);
    EXPECT_EQ(standing("a").names, (std::vector<std::string>{"search", "find"}));
    EXPECT_EQ(standing("a").since, must(store->calls("a")).at(0).asked);
    must(store->release(claim, Millis64(60'000), true, {}, R"({"reason":"llm_error","message":"no"})"));
    EXPECT_EQ(standing("a").what, For::Retry);
    EXPECT_EQ(standing("a").why, R"({"reason":"llm_error","message":"no"})");
    EXPECT_GT(standing("a").until, 0);
    advance(Millis64(60'001));
    claim = claim_one(*store, {.worker = "w", .most = 1});
    if (claim.id == "later") { // both are due now
        must(store->complete(claim, {}, "r"));
        claim = claim_one(*store);
    }
    must(store->record(claim, 1, "found"));
    must(store->record(claim, 2, "found"));
    EXPECT_TRUE(must(store->wait(claim, {.for_whom = "[]"})));
    EXPECT_EQ(standing("a").what, For::Approval);
    EXPECT_EQ(standing("a").names, std::vector<std::string>{"pay"});
    EXPECT_EQ(standing("a").why, "");
    submit({.id = "parent"});
    ClaimedMission parent = claim_one(*store, {.worker = "w"});
    while (parent.id != "parent") {
        must(store->complete(parent, {}, "r"));
        parent = claim_one(*store);
    }
    submit({.id = "child", .parent = "parent"});
    EXPECT_TRUE(must(store->wait(parent, {})));
    EXPECT_EQ(standing("parent").what, For::Child);
    EXPECT_EQ(standing("parent").names, std::vector<std::string>{"child"});
    EXPECT_TRUE(must(store->signal("parent", {})));
    EXPECT_EQ(standing("parent").what, For::Nothing);
}

/// However missions come, change and go: in the store's words, or in those of whoever has the database.
TEST_P(Store, CountsAreWhatACountOfTheRowsWouldGive) {
    const auto counted = [&] {
        std::vector<std::vector<std::string>> rows;
        for (const MissionStore::Count& count : must(store->counts()))
            rows.push_back({count.queue, std::string(status_name(count.status)), std::to_string(count.missions)});
        return rows;
    };
    const std::string count_rows = "SELECT l.queue, m.status, count(*) FROM " + table("mission") + " m JOIN " +
                                   table("lane") + " l ON l.lane = m.lane GROUP BY l.queue, m.status ORDER BY 1, 2";
    for (int i = 0; i < 12; ++i)
        submit({.id = "m" + std::to_string(i), .queue = i % 3 == 0 ? "q" : "r", .delay = Millis64(i == 11 ? 9000 : 0)});
    EXPECT_EQ(counted(), sql(count_rows));
    std::vector<ClaimedMission> claims = must(store->claim({.worker = "w", .most = 8}));
    ASSERT_EQ(claims.size(), 8u);
    EXPECT_EQ(counted(), sql(count_rows));
    must(store->complete(claims[0], {}, "r"));
    must(store->fail(claims[1], {}, "{}"));
    must(store->fail(claims[2], {}, "{}", true));
    EXPECT_TRUE(must(store->wait(claims[3], {})));
    must(store->release(claims[4], Millis64(0), false));
    EXPECT_TRUE(must(store->retry(claims[1].id)));
    EXPECT_EQ(counted(), sql(count_rows));
    EXPECT_EQ(must(store->prune(Millis64(0))), 2u);
    EXPECT_EQ(counted(), sql(count_rows));
    sql("UPDATE " + table("mission") + " SET status = 'failed' WHERE status = 'ready'");
    sql("DELETE FROM " + table("mission") + " WHERE status = 'running'");
    EXPECT_EQ(counted(), sql(count_rows));
    sql("UPDATE " + table("mission") + " SET status = 'done', is_due = 0, ended = 0");
    sql("UPDATE " + table("lane") + " SET is_ready = 0");
    must(store->prune(Millis64(-1)));
    EXPECT_TRUE(counted().empty());
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("tally")), "0");
}

/// Sums are put together by whoever forgets the last mission of a lane, while others change them.
TEST_P(Store, CountsStayRightWhileManyChangeThem) {
    constexpr int kClients = 6, kRounds = 25;
    std::atomic<int> done = 0;
    const auto carry = [&](int client) {
        const std::shared_ptr<MissionStore> own = open();
        for (int i = 0; i < kRounds; ++i) {
            NewMission mission{.agent_digest = agent, .queue = i % 2 == 0 ? "q" : "r"};
            must(own->submit(mission));
            for (ClaimedMission& claim : must(own->claim({.worker = "w", .most = 2}))) {
                must(own->complete(claim, {}, "r"));
                ++done;
            }
            if (i % 3 == client % 3) must(own->prune(Millis64(0)));
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int client = 0; client < kClients; ++client)
            threads.emplace_back(carry, client);
    }
    EXPECT_GT(done, kClients);
    std::uint64_t counted = 0;
    for (const MissionStore::Count& count : must(store->counts()))
        counted += count.missions;
    EXPECT_EQ(std::to_string(counted), sql_one("SELECT count(*) FROM " + table("mission")));
    EXPECT_EQ(sql_one("SELECT COALESCE(sum(missions), 0) FROM " + table("tally")), std::to_string(counted));
    for (std::vector<ClaimedMission> rest; !(rest = must(store->claim({.worker = "w", .most = 100}))).empty();)
        for (ClaimedMission& claim : rest)
            must(store->complete(claim, {}, "r"));
    must(store->claim({.worker = "w"})); // the lanes rest
    must(store->prune(Millis64(0)));
    EXPECT_TRUE(must(store->counts()).empty());
}

TEST_P(Store, WhatIsOverIsForgottenWhole) {
    for (const char* id : {"a", "b"}) {
        submit({.id = id});
        ClaimedMission claim = claim_one(*store);
        must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "t"}}, .outbox = {"{}"}}));
        must(store->fail(claim, {.snapshot = "s2"}, "{}"));
        advance(Millis64(1000));
    }
    submit({.id = "open"});
    EXPECT_EQ(must(store->prune(Millis64(1500))), 1u);
    EXPECT_EQ(must(store->prune(Millis64(0))), 1u);
    for (const char* name : {"call", "snapshot"})
        EXPECT_EQ(sql_one("SELECT count(*) FROM " + table(name)), "0") << name;
    EXPECT_EQ(must(store->list({})).size(), 1u);
    ClaimedMission open = claim_one(*store);
    must(store->complete(open, {}, ""));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    advance(Millis64(1000));
    EXPECT_EQ(must(store->prune(Millis64(0))), 1u);
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("lane")), "0");
}

TEST_P(Store, WhatIsOverIsForgottenWhileOthersAreCarried) {
    constexpr int kMissions = 120;
    for (int i = 0; i < kMissions; ++i) // half of them share a context that is kept once
        submit({.context = std::string(i % 2 == 0 ? 5000 : 10, 'x'), .tenant = "t" + std::to_string(i % 3)});
    std::atomic<int> done = 0;
    std::vector<std::thread> workers;
    for (int w = 0; w < 3; ++w)
        workers.emplace_back([&, own = open()] {
            while (done < kMissions) {
                for (ClaimedMission& claim : must(own->claim({.worker = "w", .most = 2}))) {
                    EXPECT_TRUE(claim.context == std::string(5000, 'x') || claim.context == std::string(10, 'x'));
                    must(own->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "t", .key = "k"}}}));
                    must(own->record(claim, 1, "r"));
                    must(own->complete(claim, {}, "r"));
                    ++done;
                }
            }
        });
    std::uint64_t gone = 0;
    while (done < kMissions) {
        gone += must(store->prune(Millis64(0)));
        if (is_postgres()) sql("VACUUM " + table("mission"));
    }
    for (std::thread& worker : workers)
        worker.join();
    // Lanes that the last claims left ready rest when a claim finds nothing in them, and are forgotten then.
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    gone += must(store->prune(Millis64(0)));
    EXPECT_EQ(done, kMissions);
    EXPECT_EQ(gone, std::uint64_t{kMissions});
    (void)must(store->prune(Millis64(0)));
    for (const char* name : {"mission", "call", "snapshot", "context", "lane"})
        EXPECT_EQ(sql_one("SELECT count(*) FROM " + table(name)), "0") << name;
    EXPECT_TRUE(must(store->counts()).empty());
}

TEST_P(Store, ViewsAreForPeople) {
    submit({.id = "a", .tenant = "acme"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "search", .key = "k"}}}));
    must(store->complete(claim, {.turns = 3, .cost_usd = 0.5}, "r"));
    EXPECT_EQ(sql("SELECT id, status, tenant, agent FROM " + table("missions")),
              (std::vector<std::vector<std::string>>{{"a", "done", "acme", "clerk"}}));
    EXPECT_EQ(sql("SELECT mission, name, key FROM " + table("calls")),
              (std::vector<std::vector<std::string>>{{"a", "search", "k"}}));
    EXPECT_EQ(sql("SELECT tenant, missions, turns, cost_usd FROM " + table("costs")),
              (std::vector<std::vector<std::string>>{{"acme", "1", "3", "0.5"}}));
    submit({.id = "b"});
    ClaimedMission held = claim_one(*store);
    EXPECT_EQ(sql("SELECT mission, worker, agent, attempt, open_calls FROM " + table("runs")),
              (std::vector<std::vector<std::string>>{{"b", "w", "clerk", "1", "0"}}));
    must(store->commit(held, {.snapshot = "s",
                              .calls = {{.need = 1, .kind = StoredCall::Kind::Child, .name = "t", .key = "c"}},
                              .children = {{.id = "c", .agent_digest = agent}}}));
    EXPECT_EQ(sql("SELECT parent, child, status, name FROM " + table("children")),
              (std::vector<std::vector<std::string>>{{"b", "c", "ready", "t"}}));
}

// ---- Agents, data, effects, outbox

TEST_P(Store, AgentsAndDataAreKeptOnceByDigest) {
    EXPECT_EQ(must(store->put_agent("clerk", "{}")), agent);
    EXPECT_EQ(must(store->agent(agent))->name, "clerk");
    EXPECT_EQ(must(store->agent("none")), std::nullopt);
    const std::string digest = must(store->put_data("rows"));
    EXPECT_EQ(must(store->put_data("rows")), digest);
    EXPECT_EQ(must(store->data(digest)), "rows");
    EXPECT_EQ(must(store->data("none")), std::nullopt);
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("data")), "1");
}

TEST_P(Store, LargeContextsAreKeptOnceAndGoWithTheirLastMission) {
    const std::string large(10'000, 'x');
    const auto contexts = [&] { return sql_one("SELECT count(*) FROM " + table("context")); };
    for (const char* id : {"a", "b", "c"})
        submit({.id = id, .context = large});
    submit({.id = "other", .context = large + "y"});
    submit({.id = "small", .context = "{}"});
    EXPECT_FALSE(must(store->submit({.id = "a", .agent_digest = agent, .context = large})).is_new);
    EXPECT_EQ(reason_of(store->submit({.id = "a", .agent_digest = agent, .context = large + "y"})), "invalid_request");
    EXPECT_EQ(contexts(), "2");
    EXPECT_EQ(sql_one("SELECT sum(length(context)) FROM " + table("mission")), "2");
    std::vector<ClaimedMission> claims = must(store->claim({.worker = "w", .most = 9}));
    ASSERT_EQ(claims.size(), 5u);
    for (ClaimedMission& claim : claims) {
        EXPECT_EQ(claim.context, claim.id == "other" ? large + "y" : claim.id == "small" ? "{}" : large) << claim.id;
        if (claim.id != "c") must(store->complete(claim, {}, "r"));
    }
    EXPECT_EQ(must(store->prune(Millis64(0))), 4u);
    EXPECT_EQ(contexts(), "1");
    must(store->complete(claims[2], {}, "r"));
    EXPECT_EQ(must(store->prune(Millis64(0))), 1u);
    EXPECT_EQ(contexts(), "0");
    submit({.id = "again", .context = large});
    EXPECT_EQ(claim_one(*store).context, large);
}

TEST_P(Store, AnEffectHappensOnceWithItsKey) {
    sql("CREATE TABLE " + table("account") + " (n bigint)");
    int calls = 0;
    const auto pay = [&](MissionStore::Transaction& transaction) -> Result<std::string> {
        ++calls;
        const auto rows = transaction.execute(
            "INSERT INTO " + table("account") + " VALUES (CAST($1 AS bigint)) RETURNING n, NULL", {"7"});
        if (!rows.ok()) return rows.error();
        EXPECT_FALSE(rows.value().at(0).at(1).has_value());
        return "paid " + *rows.value().at(0).at(0);
    };
    EXPECT_EQ(must(store->once("k1", pay)), "paid 7");
    EXPECT_EQ(must(store->once("k1", pay)), "paid 7");
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(must(store->once("k2", pay)), "paid 7");
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("account")), "2");
    sql("DROP TABLE " + table("account"));
}

TEST_P(Store, AnEffectThatFailsLeavesNothing) {
    sql("CREATE TABLE " + table("account") + " (n bigint)");
    const std::string insert = "INSERT INTO " + table("account") + " VALUES (1)";
    const auto fails = [&](MissionStore::Transaction& transaction) -> Result<std::string> {
        EXPECT_TRUE(transaction.execute(insert, {}).ok());
        return Error(Reason::ToolError, "The bank is closed.");
    };
    EXPECT_EQ(reason_of(store->once("k", fails)), "tool_error");
    const auto ignores = [&](MissionStore::Transaction& transaction) -> Result<std::string> {
        EXPECT_TRUE(transaction.execute(insert, {}).ok());
        EXPECT_EQ(reason_of(transaction.execute("SELECT no_such_column FROM " + table("account"), {})),
                  "invalid_request");
        return std::string("said to be fine");
    };
    EXPECT_EQ(reason_of(store->once("k", ignores)), "invalid_request");
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("account")), "0");
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("effect")), "0");
    const auto works = [](MissionStore::Transaction&) -> Result<std::string> { return std::string("now"); };
    EXPECT_EQ(must(store->once("k", works)), "now");
    sql("DROP TABLE " + table("account"));
}

TEST_P(Store, AnEffectThatThrowsLeavesNothing) {
    const auto throws = [&](MissionStore::Transaction& t) -> Result<std::string> {
        must(t.execute("UPDATE " + table("meta") + " SET number = 7 WHERE name = 'outbox'", {}));
        throw std::runtime_error("no");
    };
    const Result<std::string> failed = store->once("k", throws);
    EXPECT_EQ(reason_of(failed), "tool_error");
    EXPECT_EQ(sql_one("SELECT number FROM " + table("meta") + " WHERE name = 'outbox'"), "0");
    // The connection is not left within the transaction.
    submit({.id = "a"});
    EXPECT_EQ(claim_one(*store).id, "a");
    const auto throws_int = [](MissionStore::Transaction&) -> Result<std::string> { throw 1; };
    EXPECT_EQ(reason_of(store->once("k", throws_int)), "tool_error");
}

TEST_P(Store, AnEffectReadsTextsAsTheyWereWritten) {
    const auto read = [&](MissionStore::Transaction& t) -> Result<std::string> {
        must(t.execute("CREATE TABLE " + table("theirs") + " (t text, x double precision, n bigint, none text)", {}));
        must(t.execute("INSERT INTO " + table("theirs") + " VALUES ($1, 0.1234567891, 12345678901, NULL)", {""}));
        const auto rows = must(t.execute("SELECT t, x, n, none FROM " + table("theirs"), {}));
        using Row = std::vector<std::optional<std::string>>;
        EXPECT_EQ(rows, (std::vector<Row>{{"", "0.1234567891", "12345678901", std::nullopt}}));
        return std::string("read");
    };
    EXPECT_EQ(must(store->once("k", read)), "read");
    const auto two = [&](MissionStore::Transaction& t) -> Result<std::string> {
        EXPECT_EQ(reason_of(t.execute("SELECT 1; DELETE FROM " + table("theirs"), {})), "invalid_request");
        return std::string("two");
    };
    EXPECT_FALSE(store->once("two", two).ok());
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("theirs")), "1");
}

TEST_P(Store, ACommitBeginsTheCountOfAttemptsAnew) {
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

TEST_P(Store, OnlyApprovalsAreAnsweredFromOutside) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "pay"}}}));
    EXPECT_EQ(reason_of(store->signal("a", {.kind = Signal::Kind::Answer, .need = 1, .bytes = "x"})),
              "invalid_request");
    must(store->record(claim, 1, "paid"));
    EXPECT_EQ(must(store->calls("a")).at(0).answer, "paid");
}

TEST_P(Store, TheOutboxIsReadInOrder) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.outbox = {"1", "2"}}));
    auto rows = must(store->outbox(0, 10));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].text, "1");
    EXPECT_EQ(rows[0].mission, "a");
    must(store->clear_outbox(rows[1].number));
    must(store->complete(claim, {.outbox = {"3"}}, "r"));
    const auto last = must(store->outbox(rows[1].number, 10));
    ASSERT_EQ(last.size(), 1u);
    EXPECT_GT(last[0].number, rows[1].number);
    EXPECT_EQ(last[0].text, "3");
}

TEST_P(Store, AWatchEndsWhenThereIsSomethingOrOnItsTime) {
    constexpr Millis64 kEver = std::chrono::hours(24); // whoever waited so long would not end the test
    store->watch(Millis64(0));
    store->watch(Millis64(50));
    store->wake();
    store->watch(kEver);
    const std::shared_ptr<MissionStore> other = open();
    must(other->submit({.agent_digest = agent}));
    store->watch(kEver);
}

/// Whoever submits into a lane that is ready tells nobody, so a claim that could not let a lane rest is followed by
/// another one soon.
TEST_P(Store, AClaimThatLeavesALaneReadyIsRepeatedSoon) {
    if (!is_postgres()) GTEST_SKIP() << "writers of SQLite come one after the other";
    const std::shared_ptr<MissionStore> other = open();
    must(store->submit({.agent_digest = agent}));
    store->watch(Millis64(50));
    const auto keep = [&](MissionStore::Transaction& t) -> Result<std::string> {
        must(t.execute("SELECT 1 FROM " + table("lane") + " FOR KEY SHARE", {}));
        EXPECT_EQ(must(store->claim({.worker = "w"})).size(), 1u);
        return std::string("kept");
    };
    must(other->once("keep", keep));
    EXPECT_EQ(sql_one("SELECT is_ready FROM " + table("lane")), "1");
    must(other->submit({.agent_digest = agent}));
    store->watch(std::chrono::hours(24)); // whoever waited so long would not end the test
    EXPECT_EQ(must(store->claim({.worker = "w"})).size(), 1u);
    // Then the lane rests: the next one is told of.
    EXPECT_EQ(sql_one("SELECT is_ready FROM " + table("lane")), "0");
}

/// What a program would come upon later is said when the store is opened, and by what migrates it.
TEST_P(Store, TablesWithoutAColumnAreRefused) {
    sql("ALTER TABLE " + table("call") + " RENAME COLUMN need TO needed");
    const Result<std::shared_ptr<MissionStore>> opened = try_open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().reason, Reason::InvalidRequest);
    EXPECT_NE(opened.error().message.find("It has other tables"), std::string::npos) << opened.error().message;
    EXPECT_EQ(reason_of(MissionStore::migrate(url)), "invalid_request");
}

PTC_STORE_SUITE(Store);

} // namespace
} // namespace ptc::test
