// The fixture of the store's tests: a SQLite file, or a schema on the server that the program started, for each test;
// and the database behind the store's back, by sqlite3 and libpq.
#include "tests/store/stores.h"
#include "subagent/store/pq_library.h"
#include "tests/store/postgres_server.h"
#include <atomic>
#include <filesystem>
#include <sqlite3.h>
#include <string_view>
#include <unistd.h>

namespace ptc::test {
namespace {

using Texts = std::vector<std::vector<std::string>>;

Texts sqlite_rows(const std::string& path, const std::string& statement) {
    Texts rows;
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    sqlite3_busy_timeout(db, 10'000);
    const auto add = [](void* to, int columns, char** texts, char**) {
        auto& row = static_cast<Texts*>(to)->emplace_back();
        for (int i = 0; i < columns; ++i)
            row.emplace_back(texts[i] ? texts[i] : "NULL");
        return 0;
    };
    char* problem = nullptr;
    if (sqlite3_exec(db, statement.c_str(), add, &rows, &problem) != SQLITE_OK)
        ADD_FAILURE() << statement << ": " << problem;
    sqlite3_free(problem);
    sqlite3_close(db);
    return rows;
}

bool is_deadlock(const PGresult* result) {
    const char* const state = pq().resultErrorField(result, PG_DIAG_SQLSTATE);
    return state && std::string_view(state) == "40P01";
}

Texts postgres_rows(const std::string& url, const std::string& statement) {
    const char* keywords[] = {"dbname", nullptr};
    const char* values[] = {url.c_str(), nullptr};
    PGconn* connection = pq().connectdbParams(keywords, values, 1);
    pq().setNoticeProcessor(
        connection, [](void*, const char*) {}, nullptr);
    PGresult* result = pq().exec(connection, statement.c_str());
    // Among threads of a test the server may choose this statement to end a deadlock, as it may any other.
    for (int tries = 1; tries < 20 && is_deadlock(result); ++tries) {
        pq().clear(result);
        result = pq().exec(connection, statement.c_str());
    }
    const ExecStatusType status = pq().resultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        ADD_FAILURE() << statement << ": " << pq().errorMessage(connection);
    Texts rows;
    for (int i = 0; i < pq().ntuples(result); ++i) {
        auto& row = rows.emplace_back();
        for (int column = 0; column < pq().nfields(result); ++column)
            row.emplace_back(pq().getisnull(result, i, column) ? "NULL" : pq().getvalue(result, i, column));
    }
    pq().clear(result);
    pq().finish(connection);
    return rows;
}

} // namespace

void Stores::SetUp() {
    static std::atomic<int> count = 0;
    const std::string name = "t" + std::to_string(::getpid()) + "_" + std::to_string(++count);
    if (is_postgres()) {
        PostgresServer* server = PostgresServer::shared();
        if (!server) GTEST_SKIP() << PostgresServer::why_not();
        schema = name;
        url = server->url(schema);
    } else {
        path = (std::filesystem::temp_directory_path() / ("ptc-store-" + name + ".db")).string();
        url = "sqlite:" + path;
    }
    store = open();
    ASSERT_TRUE(store); // else no test goes on
    agent = must(store->put_agent("clerk", "{}"));
}

void Stores::remove_files(const std::string& path) {
    std::error_code error;
    for (const char* ending : {"", "-wal", "-shm"})
        std::filesystem::remove(path + ending, error);
}

void Stores::TearDown() {
    store.reset();
    if (!path.empty()) remove_files(path);
    if (!schema.empty()) sql("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
}

/// With ten minutes where the options have the usual ten seconds, which six clients of one disk may need.
Result<std::shared_ptr<MissionStore>> Stores::try_open(StoreOptions options) {
    constexpr Millis64 kLong{600'000};
    if (options.busy == StoreOptions().busy) options.busy = kLong;
    return MissionStore::open(url, std::move(options));
}
std::shared_ptr<MissionStore> Stores::open(StoreOptions options) { return must(try_open(std::move(options))); }

Texts Stores::sql(const std::string& statement) {
    return is_postgres() ? postgres_rows(url, statement) : sqlite_rows(path, statement);
}

std::string Stores::sql_one(const std::string& statement) {
    const Texts rows = sql(statement);
    return rows.empty() ? "" : rows[0][0];
}

std::string Stores::submit(NewMission mission) {
    if (mission.agent_digest.empty()) mission.agent_digest = agent;
    return must(store->submit(mission)).id;
}

MissionStatus Stores::status_of(const std::string& id) {
    return must(store->show(id)).value_or(StoredMission()).status;
}

void Stores::advance(Millis64 time) {
    std::string sets;
    for (const char* column : {"wake_at", "not_before", "deadline", "since", "created", "changed", "ended"})
        sets += (sets.empty() ? "" : ", ") + std::string(column) + " = " + column + " - " +
                std::to_string(time.count() + 1); // as leases end with the next whole ms
    sql("UPDATE " + table("mission") + " SET " + sets);
}

ClaimedMission claim_one(MissionStore& store, ClaimOptions options) {
    std::vector<ClaimedMission> claims = must(store.claim(options));
    if (claims.empty()) ADD_FAILURE() << "nothing is to be claimed";
    return claims.empty() ? ClaimedMission() : std::move(claims[0]);
}

std::vector<std::string> ids_of(const std::vector<ClaimedMission>& claims) {
    std::vector<std::string> ids;
    for (const ClaimedMission& claim : claims)
        ids.push_back(claim.id);
    return ids;
}

} // namespace ptc::test
