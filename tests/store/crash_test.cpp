// A worker is killed before each statement that its store makes, one after the other, and a second one goes on: the
// mission ends as it does undisturbed, each keyed effect is there once, and no lease is left. The worker is a process
// of its own (crash_worker.cpp).
#include "tests/store/postgres_server.h"
#include "tests/store/stores.h"
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>

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
    FILE* const pipe = ::popen(command.c_str(), "r");
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
    /// A store of its own for each place.
    void begin(std::uint64_t place) {
        const std::string name = "crash" + std::to_string(place);
        if (is_postgres())
            own_url = PostgresServer::shared()->url(schema + name);
        else
            own_url = "sqlite:" + path + name;
    }
    std::string own_url;
};

TEST_P(Crash, BeforeEachStatement) {
    std::uint64_t place = 1;
    for (;; ++place) {
        begin(place);
        const Ended first = run_worker(own_url, place);
        if (!first.is_killed) {
            ASSERT_EQ(first.out, kResult);
            break; // it makes no more statements than that
        }
        const Ended second = run_worker(own_url, 0);
        ASSERT_EQ(second.out, kResult) << "killed before statement " << place;
        const std::shared_ptr<MissionStore> left = must(MissionStore::open(own_url));
        ASSERT_EQ(must(left->unfinished({})), 0u);
        const std::optional<StoredMission> mission = must(left->show("m"));
        ASSERT_EQ(mission->worker, "");
        // All keys are there: none of these effects is made any more.
        for (const StoredCall& call : must(left->calls("m"))) {
            if (call.kind != StoredCall::Kind::ToolCall) continue;
            (void)must(left->once(call.key, [&](MissionStore::Transaction&) {
                ADD_FAILURE() << "killed before statement " << place << ": no effect " << call.key;
                return Result<std::string>(std::string());
            }));
        }
        const std::vector<StoredMission> children = must(left->list({.parent = "m"}));
        ASSERT_EQ(children.size(), 1u) << "killed before statement " << place;
        ASSERT_EQ(children[0].status, MissionStatus::Done);
        ASSERT_EQ(must(left->prune(Millis64(0))), 2u);
    }
    RecordProperty("statements", static_cast<int>(place - 1));
    EXPECT_GT(place, 20u);
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
