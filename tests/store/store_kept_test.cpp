// What stands beside missions: agents, data, contexts and snapshots kept once, effects, the outbox, the tables
// themselves.
#include "tests/store/stores.h"

namespace ptc::test {
namespace {

class StoreKept : public Stores {};

TEST_P(StoreKept, AgentsAndDataAreKeptOnceByDigest) {
    EXPECT_EQ(must(store->put_agent("clerk", "{}")), agent);
    EXPECT_EQ(must(store->agent(agent))->name, "clerk");
    EXPECT_EQ(must(store->agent("none")), std::nullopt);
    const std::string digest = must(store->put_data("rows"));
    EXPECT_EQ(must(store->put_data("rows")), digest);
    EXPECT_EQ(must(store->data(digest)), "rows");
    EXPECT_EQ(must(store->data("none")), std::nullopt);
    EXPECT_EQ(sql_one("SELECT count(*) FROM " + table("data")), "1");
}

TEST_P(StoreKept, LargeContextsAreKeptOnceAndGoWithTheirLastMission) {
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

TEST_P(StoreKept, AnEffectHappensOnceWithItsKey) {
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

TEST_P(StoreKept, AnEffectThatFailsLeavesNothing) {
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

TEST_P(StoreKept, AnEffectThatThrowsLeavesNothing) {
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

TEST_P(StoreKept, AnEffectReadsTextsAsTheyWereWritten) {
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

TEST_P(StoreKept, TheOutboxIsReadInOrder) {
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

/// What a mission got stands in its snapshot several times, as far apart as the mission is long: each is kept once.
TEST_P(StoreKept, WhatIsInALongSnapshotTwiceIsKeptOnce) {
    const auto kept_of = [&](int calls) {
        std::uint64_t random = 1;
        std::string part;
        for (int word = 0; word < 600 * calls; ++word) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            part += std::to_string(random >> 44U) + " ";
        }
        const std::string id = "calls " + std::to_string(calls);
        submit({.id = id});
        ClaimedMission claim = claim_one(*store);
        must(store->commit(claim, {.snapshot = part + part + part + part}));
        return std::stod(sql_one("SELECT sum(length(bytes)) FROM " + table("snapshot") +
                                 " WHERE mission = (SELECT number FROM " + table("mission") + " WHERE id = '" + id +
                                 "')"));
    };
    const double few = kept_of(25), many = kept_of(200);
    EXPECT_LT(many, 8 * few * 1.2);
    EXPECT_EQ(status_of("calls 200"), MissionStatus::Running);
}

/// What a program would come upon later is said when the store is opened, and by what migrates it.
TEST_P(StoreKept, TablesWithoutAColumnAreRefused) {
    sql("ALTER TABLE " + table("call") + " RENAME COLUMN need TO needed");
    const Result<std::shared_ptr<MissionStore>> opened = try_open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().reason, Reason::InvalidRequest);
    EXPECT_NE(opened.error().message.find("It has other tables"), std::string::npos) << opened.error().message;
    EXPECT_EQ(reason_of(MissionStore::migrate(url)), "invalid_request");
}

PTC_STORE_SUITE(StoreKept);

} // namespace
} // namespace ptc::test
