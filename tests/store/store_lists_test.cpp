// What people see of missions: lists, why they stand still, counts, views; and how they are forgotten.
#include "subagent/store/database.h"
#include "tests/store/stores.h"
#include <atomic>
#include <thread>

namespace ptc::test {
namespace {

class StoreLists : public Stores {};

TEST_P(StoreLists, ListsFilterAndPage) {
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

TEST_P(StoreLists, WhoStandsStillSaysWhy) {
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
TEST_P(StoreLists, CountsAreWhatACountOfTheRowsWouldGive) {
    const auto counted = [&] {
        std::vector<std::vector<std::string>> rows;
        for (const MissionStore::Count& count : must(store->counts()))
            rows.push_back({count.queue, std::string(status_name(count.status)), std::to_string(count.missions)});
        return rows;
    };
    const std::string count_rows = "SELECT l.queue, m.status, count(*) FROM " + table("mission") + " m JOIN " +
                                   table("lane") + " l ON l.lane = m.lane GROUP BY l.queue, m.status ORDER BY 1, 2";
    for (int i = 0; i < 12; ++i)
        submit(
            {.id = "m" + std::to_string(i), .queue = i % 3 == 0 ? "q" : "r", .delay = Millis64(i == 11 ? 900'000 : 0)});
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
TEST_P(StoreLists, CountsStayRightWhileManyChangeThem) {
    constexpr int kClients = 6, kRounds = 25;
    std::atomic<int> done = 0;
    const auto carry = [&](int client) {
        const std::shared_ptr<MissionStore> own = open();
        if (!own) return; // which is a failure by now
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

TEST_P(StoreLists, WhatIsOverIsForgottenWhole) {
    for (const char* id : {"a", "b"}) {
        submit({.id = id});
        ClaimedMission claim = claim_one(*store);
        must(store->commit(claim, {.snapshot = "s", .calls = {{.need = 1, .name = "t"}}, .outbox = {"{}"}}));
        must(store->fail(claim, {.snapshot = "s2"}, "{}"));
        advance(Millis64(100'000));
    }
    submit({.id = "open"});
    EXPECT_EQ(must(store->prune(Millis64(150'000))), 1u);
    EXPECT_EQ(must(store->prune(Millis64(0))), 1u);
    for (const char* name : {"call", "snapshot"})
        EXPECT_EQ(sql_one("SELECT count(*) FROM " + table(name)), "0") << name;
    EXPECT_EQ(must(store->list({})).size(), 1u);
    ClaimedMission open = claim_one(*store);
    must(store->complete(open, {}, ""));
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    advance(Millis64(100'000));
    EXPECT_EQ(must(store->prune(Millis64(0))), 1u);
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("lane")), "0");
}

TEST_P(StoreLists, WhatIsOverIsForgottenWhileOthersAreCarried) {
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

TEST_P(StoreLists, ViewsAreForPeople) {
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

PTC_STORE_SUITE(StoreLists);

} // namespace
} // namespace ptc::test
