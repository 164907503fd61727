// Whose turn it is, also where there are many lanes: more than a claim looks at.
#include "tests/store/stores.h"
#include <algorithm>
#include <map>

namespace ptc::test {
namespace {

class StoreTurns : public Stores {
protected:
    /// `count` tenants of a queue, with so many missions each, named `QUEUE TENANT NUMBER`; no missions: lanes that are
    /// ready although nothing is in them, as after cancellations.
    void fill(const std::string& queue, int tenants, int missions, const std::string& of_agent) {
        const std::string first = must(store->submit({.id = queue, .agent_digest = of_agent, .queue = queue})).id;
        const std::string lane = table("lane"), mission = table("mission");
        const std::string numbers =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS integer)) ";
        const std::string columns = "priority, status, is_due, since, created, changed, revision, attempts, "
                                    "max_attempts, worker, is_cancelled, has_news, parent, digest, context, "
                                    "input_tokens, output_tokens, turns, cost_usd";
        must(store->once("fill " + queue, [&](MissionStore::Transaction& t) -> Result<std::string> {
            must(
                t.execute("INSERT INTO " + lane + " (queue, tenant, agent, is_ready, turn, served) " + numbers +
                              "SELECT CAST($2 AS text), 'tenant ' || CAST(i AS text), CAST($3 AS text), 1, 0, 0 FROM n",
                          {std::to_string(tenants), queue, of_agent}));
            if (missions > 0)
                must(t.execute("INSERT INTO " + mission + " (id, lane, " + columns + ") " + numbers +
                                   "SELECT $2 || ' ' || l.tenant || ' ' || CAST(i AS text), l.lane, " + columns +
                                   " FROM n CROSS JOIN " + lane + " l CROSS JOIN " + mission +
                                   " m WHERE m.id = $2 AND l.queue = $2 AND l.tenant <> ''",
                               {std::to_string(missions), queue}));
            return std::string("filled");
        }));
        must(store->signal(first, {}));
    }
    std::string ready_lanes() { return sql_one("SELECT count(*) FROM " + table("lane") + " WHERE is_ready = 1"); }
    void submit_urgent(const std::string& queue = "urgent") {
        for (int i = 0; i < 5; ++i)
            must(
                store->submit({.id = queue + std::to_string(i), .agent_digest = agent, .queue = queue, .priority = 9}));
    }
    /// Places of the missions of `queue` among all, as claims of `most` take them.
    std::vector<int> places(const std::string& queue, ClaimOptions options) {
        std::vector<int> found;
        int place = 0;
        for (auto claims = must(store->claim(options)); !claims.empty(); claims = must(store->claim(options)))
            for (const ClaimedMission& claim : claims)
                if (++place; claim.queue == queue) found.push_back(place);
        return found;
    }
};

/// A worker that has seen the end of many lanes is at once with what comes then.
TEST_P(StoreTurns, ManyLanesWithOneMissionEachHoldUpNobody) {
    fill("many", 2'000, 1, agent);
    std::size_t claimed = 0;
    for (auto claims = must(store->claim({.worker = "w", .most = 32})); !claims.empty();
         claims = must(store->claim({.worker = "w", .most = 32})))
        claimed += claims.size();
    EXPECT_EQ(claimed, 2'000u);
    EXPECT_EQ(ready_lanes(), "0"); // whoever takes the last one of a lane lets it rest
    submit_urgent();
    EXPECT_EQ(must(store->claim({.worker = "w", .most = 5})).size(), 5u);
}

/// Lanes that are ready and have nothing: one claim clears away as many as there are before those that have something.
TEST_P(StoreTurns, EmptyLanesHoldUpNobody) {
    fill("many", 1'500, 0, agent);
    submit_urgent("many");
    EXPECT_EQ(must(store->claim({.worker = "w", .most = 5})).size(), 5u);
    fill("more", 200, 0, agent);
    submit_urgent();
    EXPECT_EQ(must(store->claim({.worker = "w", .most = 5})).size(), 5u);
}

/// Who got less than he asked for, and did not see all lanes, looks again soon and not when somebody tells him.
TEST_P(StoreTurns, AClaimThatDidNotSeeAllLanesIsRepeatedSoon) {
    fill("many", 40, 0, agent);
    must(store->submit({.id = "early", .agent_digest = agent, .queue = "many"}));
    sql("UPDATE " + table("lane") + " SET turn = -1 WHERE tenant = ''");
    fill("more", 200, 0, agent);
    must(store->submit({.id = "late", .agent_digest = agent, .queue = "many", .tenant = "late"}));
    sql("UPDATE " + table("lane") + " SET turn = 9 WHERE tenant = 'late'");
    while (must(store->claim({.worker = "w", .queues = {"none"}, .most = 9})).size() > 0) {
    }
    store->watch(Millis64(50)); // what was told until now
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .queues = {"many"}, .most = 9}))),
              std::vector<std::string>{"early"});
    store->watch(std::chrono::hours(24)); // whoever waited so long would not end the test
    EXPECT_EQ(ids_of(must(store->claim({.worker = "w", .queues = {"many"}, .most = 9}))),
              std::vector<std::string>{"late"});
}

/// A queue has its share however many tenants another one has, whatever is claimed at once and by which filter.
TEST_P(StoreTurns, QueuesTakeTurnsBeforeTenants) {
    const std::string other = must(store->put_agent("other", "{}"));
    const std::vector<ClaimOptions> all{{.worker = "w"},
                                        {.worker = "w", .agents = {other, agent}},
                                        {.worker = "w", .queues = {"many", "small", "third"}},
                                        {.worker = "w", .most = 7}};
    for (const ClaimOptions& options : all) {
        sql("DELETE FROM " + table("mission"));
        sql("DELETE FROM " + table("lane"));
        sql("DELETE FROM " + table("effect"));
        fill("many", 100, 2, agent);
        fill("third", 30, 2, other);
        for (int i = 0; i < 10; ++i)
            must(store->submit({.id = "small" + std::to_string(i), .agent_digest = agent, .queue = "small"}));
        const std::vector<int> small = places("small", options);
        ASSERT_EQ(small.size(), 10u);
        EXPECT_LE(small.back(), 3 * 10 + 7);
    }
}

/// More queues than a claim looks at: each has its turn before any has another one.
TEST_P(StoreTurns, EachOfManyQueuesHasItsTurn) {
    constexpr int kQueues = 30;
    for (int i = 0; i < kQueues; ++i)
        fill("q" + std::to_string(i), 20, 1, agent);
    for (const std::size_t most : {1, 3, 32}) {
        std::map<std::string, int> seen;
        for (std::size_t claimed = 0; claimed < 6 * kQueues;) {
            const auto claims =
                must(store->claim({.worker = "w", .most = std::min<std::size_t>(most, 6 * kQueues - claimed)}));
            ASSERT_FALSE(claims.empty());
            claimed += claims.size();
            for (const ClaimedMission& claim : claims)
                ++seen[claim.queue];
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(kQueues));
        for (const auto& [queue, count] : seen)
            EXPECT_NEAR(count, 6, 2) << queue << ", " << most << " at once";
    }
}

/// Tenants of one queue go on in turn while queues do.
TEST_P(StoreTurns, TenantsOfAQueueTakeTurns) {
    fill("many", 50, 3, agent);
    fill("other", 50, 3, agent);
    std::map<std::string, int> seen;
    for (int i = 0; i < 100; ++i) {
        const ClaimedMission claim = claim_one(*store);
        ++seen[claim.queue + claim.tenant];
    }
    EXPECT_EQ(seen.size(), 100u);
}

TEST_P(StoreTurns, TheHighestPriorityGoesFirstThenTheOldest) {
    submit({.id = "c"});
    submit({.id = "a"});
    submit({.id = "high", .priority = 5});
    submit({.id = "low", .priority = -1});
    std::vector<std::string> order;
    for (int i = 0; i < 4; ++i)
        order.push_back(claim_one(*store).id);
    EXPECT_EQ(order, (std::vector<std::string>{"high", "c", "a", "low"}));
}

TEST_P(StoreTurns, PriorityCountsAcrossVersionsOfAnAgent) {
    const std::string newer = must(store->put_agent("clerk", "{2}"));
    submit({.id = "old"});
    submit({.id = "new", .agent_digest = newer, .priority = 1});
    submit({.id = "old 2", .priority = 2});
    std::vector<std::string> order;
    for (int i = 0; i < 3; ++i)
        order.push_back(claim_one(*store).id);
    EXPECT_EQ(order, (std::vector<std::string>{"old 2", "new", "old"}));
}

TEST_P(StoreTurns, AWorkerTakesOnlyWhatItCanRun) {
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

TEST_P(StoreTurns, NoTenantStarves) {
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

TEST_P(StoreTurns, ABatchIsSharedAmongTenants) {
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

TEST_P(StoreTurns, NewTenantsDoNotGoBeforeThoseWhoWait) {
    for (int i = 0; i < 5; ++i)
        submit({.id = "old " + std::to_string(i), .tenant = "old"});
    int old = 0;
    for (int i = 0; i < 12; ++i) {
        submit({.id = "new " + std::to_string(i), .tenant = "new " + std::to_string(i)});
        old += claim_one(*store).id.starts_with("old") ? 1 : 0;
    }
    EXPECT_GE(old, 3);
}

TEST_P(StoreTurns, AnEmptyLaneIsServedAgain) {
    for (int round = 0; round < 3; ++round) {
        submit({.id = "m" + std::to_string(round)});
        EXPECT_EQ(claim_one(*store).id, "m" + std::to_string(round));
        EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
        EXPECT_EQ(sql_one("SELECT is_ready FROM " + table("lane")), "0");
    }
}

TEST_P(StoreTurns, AWatchEndsWhenThereIsSomethingOrOnItsTime) {
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
TEST_P(StoreTurns, AClaimThatLeavesALaneReadyIsRepeatedSoon) {
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

PTC_STORE_SUITE(StoreTurns);

} // namespace
} // namespace ptc::test
