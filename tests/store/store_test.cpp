// What both stores promise: missions from their submission to their end, one test a promise.
#include "tests/store/stores.h"

namespace ptc::test {
namespace {

class Store : public Stores {};

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

TEST_P(Store, AMissionWaitsForItsTime) {
    submit({.id = "later", .delay = Millis64(60'000)});
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_EQ(must(store->unfinished({})), 1u);
    advance(Millis64(40'000));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    advance(Millis64(20'001));
    ClaimedMission claim = claim_one(*store);
    must(store->release(claim, Millis64(50'000), true));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    advance(Millis64(50'001));
    EXPECT_EQ(claim_one(*store).id, "later");
}

TEST_P(Store, ADeadlineEndsAMissionThatNobodyCarries) {
    submit({.id = "ready", .deadline = Millis64(50'000)});
    submit({.id = "delayed", .delay = Millis64(90'000), .deadline = Millis64(50'000)});
    submit({.id = "waits", .queue = "q", .deadline = Millis64(50'000)});
    submit({.id = "carried", .queue = "r", .deadline = Millis64(50'000)});
    ClaimedMission waits = claim_one(*store, {.worker = "w", .queues = {"q"}});
    EXPECT_TRUE(waits.deadline.has_value());
    EXPECT_TRUE(must(store->wait(waits, {.for_whom = "[]"})));
    ClaimedMission carried = claim_one(*store, {.worker = "w", .queues = {"r"}, .lease = Millis64(90'000)});
    advance(Millis64(50'001));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    for (const char* id : {"ready", "delayed", "waits"}) {
        EXPECT_EQ(status_of(id), MissionStatus::Failed) << id;
        EXPECT_NE(must(store->show(id))->error.find("\"timeout\""), std::string::npos) << id;
    }
    must(store->complete(carried, {}, "just in time"));
    EXPECT_EQ(status_of("carried"), MissionStatus::Done);
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
    EXPECT_TRUE(must(store->wait(claim, {.at_most = Millis64(50'000)})));
    EXPECT_EQ(must(store->unfinished({})), 1u);
    advance(Millis64(50'001));
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
    ClaimedMission claim = claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
    EXPECT_TRUE(must(store->signal("carried", {})));
    EXPECT_FALSE(must(store->signal("carried", {})));
    EXPECT_EQ(must(store->heartbeat({claim}, Millis64(50'000))).cancelled, std::vector<std::string>{"carried"});
    EXPECT_FALSE(must(store->wait(claim, {})));
    must(store->fail(claim, {}, R"({"reason":"interrupted"})", true));
    EXPECT_EQ(status_of("carried"), MissionStatus::Cancelled);
    submit({.id = "lost"});
    claim_one(*store, {.worker = "w", .lease = Millis64(50'000)});
    EXPECT_TRUE(must(store->signal("lost", {})));
    advance(Millis64(50'001));
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

TEST_P(Store, OnlyApprovalsAreAnsweredFromOutside) {
    submit({.id = "a"});
    ClaimedMission claim = claim_one(*store);
    must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "pay"}}}));
    EXPECT_EQ(reason_of(store->signal("a", {.kind = Signal::Kind::Answer, .need = 1, .bytes = "x"})),
              "invalid_request");
    must(store->record(claim, 1, "paid"));
    EXPECT_EQ(must(store->calls("a")).at(0).answer, "paid");
}

PTC_STORE_SUITE(Store);

} // namespace
} // namespace ptc::test
