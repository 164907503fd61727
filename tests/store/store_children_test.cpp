// Missions that missions begin: they begin with a commit, answer its calls, and end with their parent.
#include "subagent/store/database.h"
#include "tests/store/stores.h"
#include <algorithm>

namespace ptc::test {
namespace {

class StoreChildren : public Stores {};

TEST_P(StoreChildren, AChildThatIsOverWakesItsParent) {
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
TEST_P(StoreChildren, ACommitBeginsChildrenAndTheirEndsAnswerItsCalls) {
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

TEST_P(StoreChildren, ChildrenAreThereWithTheirCommitOrNotAtAll) {
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

TEST_P(StoreChildren, WhoIsCancelledTakesItsChildrenAlong) {
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
    EXPECT_EQ(must(store->heartbeat({*running}, Millis64(50'000))).cancelled, std::vector<std::string>{"running"});
    // What the mission submits before its worker hears of it goes with it, too.
    submit({.id = "late", .parent = "running"});
    must(store->fail(*running, {}, "{}", true));
    EXPECT_EQ(must(store->show("late"))->status, MissionStatus::Cancelled);
}

TEST_P(StoreChildren, WhoEndsWithoutAResultTakesItsChildrenAlong) {
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
TEST_P(StoreChildren, ARetryTakesUpTheChildrenThatEndedWithTheirParent) {
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
TEST_P(StoreChildren, AChildThatEndsWithItsParentIsNotClaimedWithIt) {
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
TEST_P(StoreChildren, AChildThatEndsWithItsParentIsNotWokenBehindIt) {
    for (int i = 0; i < 100; ++i)
        submit({.id = "first " + std::to_string(i), .delay = Millis64(1'000'000)});
    submit({.id = "p", .deadline = Millis64(10'000'000)});
    ClaimedMission parent = claim_one(*store);
    NewMission child{.id = "c", .agent_digest = agent, .delay = Millis64(20'000'000)};
    must(store->commit(parent, {.snapshot = "s",
                                .calls = {{.need = 1, .kind = StoredCall::Kind::Child, .name = "t", .key = "c"}},
                                .children = {child}}));
    EXPECT_TRUE(must(store->wait(parent, {})));
    advance(Millis64(30'000'000));
    EXPECT_EQ(must(store->claim({.worker = "w", .most = 200})).size(), 100u);
    EXPECT_EQ(status_of("p"), MissionStatus::Failed);
    EXPECT_EQ(status_of("c"), MissionStatus::Cancelled);
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
}

PTC_STORE_SUITE(StoreChildren);

} // namespace
} // namespace ptc::test
