// Stores for tests: each test of the fixture runs on SQLite and on PostgreSQL, in a file or a schema of its own.
#pragma once
#include "ptc/mission_store.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ptc::test {

/// Skips where PostgreSQL is not installed, and says so.
class Stores : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override;
    void TearDown() override;
    [[nodiscard]] bool is_postgres() const { return std::string_view(GetParam()) == "postgres"; }
    /// Opens the test's store once more.
    std::shared_ptr<MissionStore> open(StoreOptions options = {});
    Result<std::shared_ptr<MissionStore>> try_open(StoreOptions options = {});

    /// As somebody does who has the database and not the store: rows as texts.
    std::vector<std::vector<std::string>> sql(const std::string& statement);
    std::string sql_one(const std::string& statement);
    /// The name of a table in `sql`.
    [[nodiscard]] std::string table(const std::string& name) const {
        return is_postgres() ? schema + "." + name : name;
    }
    /// Of the agent that is there, if it names none; the id.
    std::string submit(NewMission mission = {});
    MissionStatus status_of(const std::string& id);
    /// As if so much time had passed: all times in the database go back. The clock goes on besides: leases and delays
    /// that are not to end by themselves are of 50 s or more, as a test of a hundred statements may take seconds.
    void advance(Millis64 time);
    /// Of a store of SQLite, with what it writes beside the file.
    static void remove_files(const std::string& path);

    std::string path;   ///< of SQLite's file
    std::string schema; ///< of PostgreSQL
    std::string url;
    std::shared_ptr<MissionStore> store; ///< opened by SetUp
    std::string agent;                   ///< the digest of one that is there
};

#define PTC_STORE_SUITE(Suite)                                                                                         \
    INSTANTIATE_TEST_SUITE_P(On, Suite, testing::Values("sqlite", "postgres"),                                         \
                             [](const auto& test) { return std::string(test.param); })

/// The value, or a failure of the test that says why there is none.
template <class T> T must(Result<T> result) {
    if (!result.ok()) ADD_FAILURE() << reason_name(result.error().reason) << ": " << result.error().message;
    return result.ok() ? std::move(result).value() : T{};
}
inline void must(Result<void> result) {
    if (!result.ok()) ADD_FAILURE() << reason_name(result.error().reason) << ": " << result.error().message;
}
template <class T> std::string reason_of(const Result<T>& result) {
    return result.ok() ? "ok" : std::string(reason_name(result.error().reason));
}

/// Claims one mission; a failure of the test when there is none.
ClaimedMission claim_one(MissionStore& store, ClaimOptions options = {.worker = "w"});
std::vector<std::string> ids_of(const std::vector<ClaimedMission>& claims);

} // namespace ptc::test
