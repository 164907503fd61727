// A worker is killed before statements that its store makes, one after the other, and a second one goes on: the
// mission ends as it does undisturbed, each keyed effect is there once, and no lease is left. The worker is a process
// of its own (crash_worker.cpp).
#include "tests/store/postgres_server.h"
#include "tests/store/stores.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

namespace ptc::test {
namespace {

constexpr const char* kResult = R"({"child":8,"others":[60,21,null],"paid":[1,2],"shipped":5})";

struct Ended {
    std::string out;
    bool is_killed = false;
    int code = 0;
};

Ended run_worker(const std::string& url, std::uint64_t kill_at) {
    const std::string command =
        std::string("exec ") + PTC_CRASH_WORKER + " '" + url + "' " + std::to_string(kill_at) + " 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "re");
    Ended ended;
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe))
        ended.out.append(part, got);
    const int status = ::pclose(pipe);
    ended.is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    while (!ended.out.empty() && ended.out.back() == '\n')
        ended.out.pop_back();
    return ended;
}

class Crash : public Stores {
protected:
    static constexpr int kAtOnce = 4; ///< most of the time of a place is that of starting and of syncing files

    /// A store of its own for each place.
    [[nodiscard]] std::string url_of(std::uint64_t place) const {
        return is_postgres() ? PostgresServer::shared()->url(schema + name_of(place))
                             : "sqlite:" + path + name_of(place);
    }
    static std::string name_of(std::uint64_t place) { return "crash" + std::to_string(place); }
    /// Kills a worker before the statement `place` and has another one go on. False: it makes no such statement.
    [[nodiscard]] bool is_survived(std::uint64_t place) const;
    [[nodiscard]] bool is_killed_before(std::uint64_t place) const;
    void expect_all_done(MissionStore& left, std::uint64_t place) const;
};

bool Crash::is_survived(std::uint64_t place) const {
    const bool is_killed = is_killed_before(place);
    if (!is_postgres()) remove_files(path + name_of(place)); // hundreds of them
    return is_killed;
}

bool Crash::is_killed_before(std::uint64_t place) const {
    const std::string own_url = url_of(place);
    const Ended first = run_worker(own_url, place);
    if (!first.is_killed) {
        EXPECT_EQ(first.out, kResult);
        return false;
    }
    const Ended second = run_worker(own_url, 0);
    EXPECT_EQ(second.out, kResult) << "killed before statement " << place;
    const std::shared_ptr<MissionStore> left = must(MissionStore::open(own_url));
    if (left) expect_all_done(*left, place);
    return true;
}

void Crash::expect_all_done(MissionStore& left, std::uint64_t place) const {
    EXPECT_EQ(must(left.unfinished({})), 0u);
    EXPECT_EQ(must(left.show("m")).value_or(StoredMission{.worker = "none"}).worker, "");
    // All keys are there: none of these effects is made any more.
    for (const StoredCall& call : must(left.calls("m"))) {
        if (call.kind != StoredCall::Kind::ToolCall) continue;
        (void)must(left.once(call.key, [&](MissionStore::Transaction&) {
            ADD_FAILURE() << "killed before statement " << place << ": no effect " << call.key;
            return Result<std::string>(std::string());
        }));
    }
    const std::vector<StoredMission> children = must(left.list({.parent = "m"}));
    EXPECT_EQ(children.size(), 1u) << "killed before statement " << place;
    for (const StoredMission& child : children)
        EXPECT_EQ(child.status, MissionStatus::Done);
    EXPECT_EQ(must(left.prune(Millis64(0))), 2u);
}

TEST_P(Crash, BeforeStatements) {
    // On PostgreSQL a place takes half a second of both cores, most of it for a schema of its own, so each server has a
    // third of the places: Debian's begins with the first, the one that store/run starts with the second. SQLite has
    // all.
    const std::uint64_t step = is_postgres() ? 3 : 1, first = is_postgres() && std::getenv("PTC_POSTGRES") ? 2 : 1;
    std::atomic<std::uint64_t> next = first, last = UINT64_MAX; // last: one that it does not reach
    std::vector<std::thread> several;                           // places do not touch each other
    for (int i = 0; i < kAtOnce; ++i)
        several.emplace_back([&] {
            for (std::uint64_t place = next.fetch_add(step); place < last && !HasFailure();
                 place = next.fetch_add(step)) {
                if (is_survived(place)) continue;
                std::uint64_t known = last;
                while (place < known && !last.compare_exchange_weak(known, place)) {
                }
            }
        });
    for (std::thread& one : several)
        one.join();
    RecordProperty("statements_at_most", static_cast<int>(last - 1));
    EXPECT_GT(last, 20u);
}

PTC_STORE_SUITE(Crash);

/// SQLite's locks are the process's, and end when it closes any descriptor of the file: another process would believe
/// that nobody has it open, and delete the journal that is written to.
TEST_P(Crash, OpeningTwiceKeepsTheLocks) {
    if (is_postgres()) return;
    const std::shared_ptr<MissionStore> twice = open();
    const auto journal = [this] {
        struct stat status {};
        return ::stat((path + "-wal").c_str(), &status) == 0 ? status.st_ino : ino_t{0};
    };
    const ino_t before = journal();
    ASSERT_NE(before, 0u);
    ASSERT_EQ(run_worker(url, 0).out, kResult);
    ASSERT_EQ(journal(), before);
}

} // namespace
} // namespace ptc::test
