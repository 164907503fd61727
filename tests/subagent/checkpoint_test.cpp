// Missions that are saved, killed and resumed: they end as undisturbed ones do, and each tool does its work once.
// Processes are really killed, at random moments; a ledger outside of them says which work was done.
#include "tests/subagent/missions.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <ptc/checkpoint.h>
#include <random>
#include <set>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr int kKills = test::kIsSanitized ? 25 : 200;

/// In memory where there is such a folder: what a killed process wrote is there either way.
struct Folder : test::TemporaryFolder {
    Folder()
        : TemporaryFolder(::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                                          : std::filesystem::temp_directory_path()) {}
};

/// What the tools did, a line each, by the keys of their calls.
class Ledger {
public:
    explicit Ledger(std::string path) : path_(std::move(path)) {}
    [[nodiscard]] std::map<std::string, int> read() const {
        std::map<std::string, int> lines;
        std::ifstream in(path_);
        for (std::string line; std::getline(in, line);)
            ++lines[line];
        return lines;
    }
    /// The work of a tool: nothing when it was done for this key before.
    void work(std::string_view key) const {
        if (read().contains(std::string(key))) return;
        const std::string line = std::string(key) + "\n";
        const int fd = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        EXPECT_EQ(::write(fd, line.data(), line.size()), static_cast<ssize_t>(line.size()));
        ::close(fd);
    }

private:
    std::string path_;
};

/// A pipe to the process that is to kill this one, and counts what models and tools do until then; -1 for none.
int milestones = -1;
void pass_milestone() {
    if (milestones < 0) return;
    EXPECT_EQ(::write(milestones, "", 1), 1);
}

const std::map<std::string, std::vector<std::string>>& replies() {
    static const std::map<std::string, std::vector<std::string>> texts = {
        {"boss",
         {"(def orders (map (fn [i] {:id i :amount (* 10 i)}) (range 1 7))) (println \"six\") (count orders)",
          "(def paid (pmap (fn [o] (tool/pay {:id (:id o) :amount (:amount o)})) orders)) {:receipts (map :receipt "
          "paid)}",
          "(def more (loop [i 0 acc []] (if (< i 4) (recur (inc i) (conj acc (tool/pay {:id (+ 100 i) :amount i}))) "
          "acc)))",
          "(tool/rate {:currency \"USD\"}) (tool/rate {:currency \"USD\"}) (/ 1 (count []))",
          "(def told (pmap (fn [q] (tool/clerk {:question q})) [\"a\" \"b\"])) (def f (fn [x] (+ x (count more)))) "
          "told",
          "(return {:paid (map :id paid) :more (f 1) :told told :receipts data/receipts :rate (tool/rate {:currency "
          "\"USD\"})})"}},
        {"clerk",
         {"(def here (tool/pay {:id 500 :amount (count data/question)})) here",
          "(return (str data/question (:id here) (:id *1)))"}},
    };
    return texts;
}

AgentPtr make_agent(const Ledger& ledger) {
    const Tool pay{.name = "pay",
                   .signature = "(id :int, amount :int) -> {id :int, receipt :int}",
                   .keyed_function = [ledger](const Datum& arguments, std::string_view key) -> Result<Datum> {
                       pass_milestone();
                       ledger.work(key);
                       pass_milestone();
                       std::int64_t id = 0;
                       (void)arguments.find("id")->to_int64(&id);
                       return Datum::object({{"id", id}, {"receipt", id * 7}});
                   }};
    AgentTool rate(host_tool("rate", "(currency :string) -> :float", [](const Datum&) -> Result<Datum> {
        pass_milestone();
        return Datum(0.5);
    }));
    rate.cache = true;
    const AgentPtr clerk = agent({.name = "clerk",
                                  .prompt = "Answer {{question}}.",
                                  .signature = "(question :string) -> :string",
                                  .tools = {pay}});
    return agent({.name = "boss",
                  .prompt = "Pay.",
                  .tools = {pay, rate, clerk->as_tool("clerk")},
                  .max_turns = 10,
                  .mission_timeout = {}});
}

MissionOptions options() {
    MissionOptions made;
    made.model = ModelRef([](const LlmRequest& request) -> LlmResult {
        pass_milestone();
        const auto& texts = replies().at(request.agent);
        return LlmReply{.text = fenced(texts.at(request.turn - 1)),
                        .usage = {.input = 10, .output = 5, .cost_usd = 0.25}};
    });
    made.context = Datum::object({{"limit", 1000}});
    return made;
}

/// Everything of a step that does not depend on time.
std::string account(const Step& step) {
    std::string out = step.value.to_json() + step.memory.to_json() + (step.fail ? step.fail->message : "") + "\n";
    for (const Turn& turn : step.trace) {
        out += std::to_string(turn.number) + turn.program.value_or("") + turn.result + turn.reason + turn.message +
               " fuel " + std::to_string(turn.fuel) + "\n";
        for (const std::string& line : turn.prints)
            out += line + "\n";
        for (const ToolUse& use : turn.tool_calls)
            out += use.name + use.arguments.to_json() + use.result + use.error + (use.is_cached ? "cached\n" : "\n");
    }
    for (const Message& message : step.messages)
        out += message.content + "\n";
    const MissionUsage& usage = step.usage;
    return out + std::to_string(usage.turns) + " " + std::to_string(usage.llm_calls) + " " +
           std::to_string(usage.tool_calls) + " " + std::to_string(usage.fuel) + " " +
           std::to_string(usage.tokens.total());
}

/// Answers everything that is needed, the last first when `backwards`.
void answer_all(Mission& mission, const Needs& needs, const Llm& model, bool backwards) {
    for (const LlmNeed& need : needs.llm)
        mission.answer(need.id, model(need.request));
    for (std::size_t i = 0; i < needs.tools.size(); ++i) {
        const ToolNeed& need = needs.tools[backwards ? needs.tools.size() - 1 - i : i];
        Result<Datum> result = need.tool->keyed_function ? need.tool->keyed_function(need.arguments, need.key)
                                                         : need.tool->function(need.arguments);
        mission.answer(need.id, ToolAnswer(std::move(result).value()));
    }
}

std::string straight(const AgentPtr& boss) {
    Mission mission(boss, options());
    mission.start();
    while (!mission.is_done())
        answer_all(mission, mission.take_needs(), options().model.call, false);
    return account(mission.step());
}

TEST(Checkpoint, AMissionGoesOnFromBytesAtAnyPoint) {
    const Folder folder;
    const AgentPtr boss = make_agent(Ledger(folder / "straight"));
    const std::string expected = straight(boss);
    ASSERT_NE(expected.find("\"paid\":[1,2,3,4,5,6]"), std::string::npos) << expected;
    auto mission = std::make_unique<Mission>(boss, options());
    mission->start();
    std::size_t saves = 0;
    while (!mission->is_done()) {
        const Result<std::string> bytes = mission->save();
        ASSERT_TRUE(bytes.ok()) << bytes.error().message;
        auto restored = boss->restore(bytes.value(), options());
        ASSERT_TRUE(restored.ok()) << restored.error().message;
        mission = std::move(restored).value();
        const Needs needs = mission->take_needs();
        ASSERT_FALSE(needs.empty());
        // Once more with half of the answers: what has its answer is not needed again.
        if (needs.tools.size() > 1) {
            mission->answer(needs.tools[0].id,
                            ToolAnswer(needs.tools[0].tool->keyed_function(needs.tools[0].arguments, "half").value()));
            restored = boss->restore(mission->save().value(), options());
            ASSERT_TRUE(restored.ok()) << restored.error().message;
            mission = std::move(restored).value();
            const Needs rest = mission->take_needs();
            EXPECT_EQ(rest.tools.size(), needs.tools.size() - 1);
            answer_all(*mission, rest, options().model.call, false);
        } else {
            answer_all(*mission, needs, options().model.call, false);
        }
        ++saves;
    }
    EXPECT_GE(saves, 15u);
    EXPECT_EQ(account(mission->step()), expected);
    auto finished = boss->restore(mission->save().value(), options());
    ASSERT_TRUE(finished.ok());
    EXPECT_TRUE(finished.value()->is_done());
    EXPECT_EQ(account(finished.value()->step()), expected);
}

TEST(Checkpoint, BytesOfAnotherAgentAreRefused) {
    const Folder folder;
    const AgentPtr boss = make_agent(Ledger(folder / "log"));
    Mission mission(boss, options());
    EXPECT_FALSE(mission.save().ok()); // not started
    mission.start();
    const std::string bytes = mission.save().value();
    AgentOptions other = boss->options();
    other.prompt = "Pay twice.";
    other.max_turns = boss->options().max_turns + 1;
    other.tools.emplace_back(host_tool("look", "() -> :any", {}));
    const auto refused = agent(other)->restore(bytes, options());
    EXPECT_EQ(refused.error().reason, Reason::InvalidSnapshot);
    for (const std::string& part :
         {std::string("the prompt"),
          "max_turns (" + std::to_string(boss->options().max_turns) + ", now " + std::to_string(other.max_turns) + ")",
          std::string("the tool `look` (not there before)")})
        EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    EXPECT_EQ(refused.error().message.find("the signature"), std::string::npos);
    EXPECT_FALSE(boss->restore(bytes, {}).ok()); // no model
    EXPECT_FALSE(boss->restore("", options()).ok());
}

TEST(Checkpoint, WhatWasAnsweredIsNeverAskedAgain) {
    const Folder folder;
    const Ledger ledger(folder / "log");
    const AgentPtr boss = make_agent(ledger);
    const auto file = CheckpointFile::open(folder / "missions.db").value();
    // The process ends after the answers were written, before the mission got any.
    MissionOptions asked = options();
    asked.id = "m";
    Mission mission(boss, asked);
    mission.start();
    std::size_t rounds = 0;
    for (; rounds < 4; ++rounds) {
        const Needs needs = mission.take_needs();
        ASSERT_TRUE(file->save("m", mission, needs, "a note").ok());
        for (const LlmNeed& need : needs.llm) {
            const LlmResult result = asked.model.call(need.request);
            ASSERT_TRUE(file->record("m", need, result).ok());
            if (rounds < 3) mission.answer(need.id, result);
        }
        for (const ToolNeed& need : needs.tools) {
            const ToolAnswer answer = need.tool->keyed_function(need.arguments, need.key).value();
            ASSERT_TRUE(file->record("m", need, answer).ok());
            if (rounds < 3) mission.answer(need.id, answer);
        }
    }
    const std::size_t done = ledger.read().size();
    ASSERT_EQ(done, 6u); // the branches of turn 2
    std::set<std::string> models;
    MissionOptions again = options();
    again.model = ModelRef([&models, model = options().model.call](const LlmRequest& request) {
        EXPECT_TRUE(models.insert(request.key).second) << request.key;
        return model(request);
    });
    const auto calls = file->calls("m").value();
    const Result<Step> step = file->run(boss, "m", again);
    ASSERT_TRUE(step.ok()) << step.error().message;
    EXPECT_EQ(account(step.value()), straight(make_agent(Ledger(folder / "other"))));
    for (const CheckpointedCall& call : calls)
        EXPECT_FALSE(models.contains("m/" + std::to_string(call.need)));
    for (const auto& [key, times] : ledger.read())
        EXPECT_EQ(times, 1) << key;
    const auto missions = file->missions().value();
    ASSERT_EQ(missions.size(), 1u);
    EXPECT_TRUE(missions[0].is_done);
    EXPECT_EQ(missions[0].note, "a note");
    // A finished one is told again, without any call.
    models.clear();
    EXPECT_EQ(account(file->run(boss, "m", again).value()), account(step.value()));
    EXPECT_TRUE(models.empty());
    ASSERT_TRUE(file->remove("m").ok());
    EXPECT_TRUE(file->calls("m").value().empty());
}

TEST(Checkpoint, OnlyItsOwnFilesAreUsed) {
    const Folder folder;
    EXPECT_FALSE(CheckpointFile::open(folder / "no/such/folder.db").ok());
    std::ofstream(folder / "text.db") << std::string(5000, 'x');
    EXPECT_FALSE(CheckpointFile::open(folder / "text.db").ok());
    ASSERT_TRUE(CheckpointFile::open(folder / "fresh.db").ok());
    EXPECT_TRUE(CheckpointFile::open(folder / "fresh.db").ok());
}

void execute(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
}

// Opened as it is, the view would be read when a mission is asked for, and never end.
TEST(Checkpoint, FilesWithOtherTablesAreRefused) {
    const char* const changes[] = {
        ("DROP TABLE mission; CREATE VIEW mission AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
         "SELECT i AS id, '' AS note, 0 AS is_done, x'' AS snapshot FROM n"),
        "CREATE TRIGGER t AFTER INSERT ON call BEGIN DELETE FROM mission; END",
        "CREATE TABLE more (x)",
        "CREATE INDEX i ON call (name)",
    };
    for (const char* change : changes) {
        const Folder folder;
        ASSERT_TRUE(CheckpointFile::open(folder / "m.db").ok());
        execute(folder / "m.db", change);
        const auto opened = CheckpointFile::open(folder / "m.db");
        ASSERT_FALSE(opened.ok()) << change;
        EXPECT_NE(opened.error().message.find("other tables"), std::string::npos) << opened.error().message;
    }
}

// SQLite refuses it for its length, whoever wrote it.
TEST(Checkpoint, ARowIsNoLongerThanItsLimit) {
    constexpr std::size_t kMost = std::size_t{256} << 20;
    for (const std::size_t bytes : {std::size_t{1} << 20, kMost + 1}) {
        const Folder folder;
        const auto file = CheckpointFile::open(folder / "m.db").value();
        execute(folder / "m.db",
                ("INSERT INTO mission VALUES ('m', '', 0, zeroblob(" + std::to_string(bytes) + "))").c_str());
        const auto loaded = file->load(make_agent(Ledger(folder / "log")), "m", options());
        ASSERT_FALSE(loaded.ok());
        const bool is_too_long = loaded.error().message.find("too big") != std::string::npos;
        EXPECT_EQ(is_too_long, bytes > kMost) << loaded.error().message;
    }
}

// ---- Killed

/// When a process is killed: after so many milestones, and then some steps of the one that kills it.
struct Moment {
    int milestones = std::numeric_limits<int>::max();
    int steps = 0;
};

/// Runs the mission in a process of its own, which is killed at `moment` (if any). True when it came to its end, after
/// `passed` milestones.
bool run_in_child(const Folder& folder, const std::string& id, std::optional<Moment> moment, int* passed = nullptr) {
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(pipe[0]);
        milestones = pipe[1];
        const auto file = CheckpointFile::open(folder / "missions.db");
        if (!file.ok()) ::_exit(2);
        const Result<Step> step = file.value()->run(make_agent(Ledger(folder / (id + ".log").c_str())), id, options());
        ::_exit(step.ok() && step.value().ok ? 0 : 3);
    }
    ::close(pipe[1]);
    int count = 0;
    char byte = 0;
    while (count < moment.value_or(Moment()).milestones && ::read(pipe[0], &byte, 1) == 1)
        ++count;
    if (moment) {
        std::atomic<int> steps{0};
        while (steps < moment->steps)
            ++steps;
        ::kill(child, SIGKILL);
    }
    if (passed) *passed = count;
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    ::close(pipe[0]);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "exit code " << WEXITSTATUS(status);
    return WIFEXITED(status);
}

TEST(Checkpoint, KilledAtRandomPointsMissionsEndAsUndisturbedOnes) {
    const Folder folder;
    int all = 0;
    ASSERT_TRUE(run_in_child(folder, "undisturbed", {}, &all));
    ASSERT_GT(all, 20);
    std::mt19937 random(20240229);
    auto moment = [&, milestone = std::uniform_int_distribution(0, all),
                   step = std::uniform_int_distribution(0, 200'000)]() mutable {
        return std::optional(Moment{milestone(random), step(random)});
    };
    int kills = 0;
    std::vector<std::string> ids;
    while (kills < kKills) {
        ids.push_back("m" + std::to_string(ids.size()));
        while (!run_in_child(folder, ids.back(), kills < kKills ? moment() : std::nullopt))
            ++kills;
    }
    const AgentPtr boss = make_agent(Ledger(folder / "nobody"));
    const auto file = CheckpointFile::open(folder / "missions.db").value();
    const std::string expected = account(file->run(boss, "undisturbed", options()).value());
    const std::size_t works = Ledger(folder / "undisturbed.log").read().size();
    EXPECT_EQ(works, 12u);
    for (const std::string& id : ids) {
        EXPECT_EQ(account(file->run(boss, id, options()).value()), expected);
        const auto lines = Ledger(folder / (id + ".log").c_str()).read();
        EXPECT_EQ(lines.size(), works);
        for (const auto& [key, times] : lines)
            EXPECT_EQ(times, 1) << key;
    }
    RecordProperty("missions", static_cast<int>(ids.size()));
    RecordProperty("kills", kills);
}

/// One number that the file has.
std::int64_t number_in(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const std::int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

TEST(CheckpointFile, KeepsAnImageOnceHoweverManyTurnsThereAre) {
    const Folder folder;
    const std::string path = folder / "m.db";
    const std::string image = "\x89PNG\r\n\x1a\n" + std::string(1u << 20, 'x');
    const Tool shot = host_tool("shot", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        return with_attachments(*arguments.find("n"), {Attachment::image(image)});
    });
    const AgentPtr made = agent({.prompt = "Look.", .tools = {shot}, .max_turns = 30, .turn_budget = 30});
    std::int64_t most = 0;
    std::size_t turns = 0;
    MissionOptions options;
    options.attachments = {Attachment::image(image)};
    options.model = ModelRef([&](const LlmRequest& request) -> LlmResult {
        EXPECT_EQ(*request.messages[0].attachments.at(0).bytes, image);
        most = std::max(most, number_in(path, "SELECT length(snapshot) FROM mission"));
        EXPECT_EQ(number_in(path, "SELECT count(*) FROM attachment"), 1); // equal ones are one
        if (++turns % 5 == 0 && turns < 21) return LlmError{.kind = "network", .is_permanent = true};
        if (request.turn == 3) return LlmReply{.text = fenced("(tool/shot {:n 1})")};
        return LlmReply{.text = fenced(request.turn < 20 ? "(def n 1)" : "(return n)")};
    });
    Step step;
    for (int run = 0; run < 5; ++run) // each goes on from the file, as another process would
        step = CheckpointFile::open(path).value()->run(made, "m", options).value();
    EXPECT_EQ(step.value, Datum(1)) << reason_of(step);
    EXPECT_GE(turns, 20u);
    EXPECT_LT(most, 100'000);
    EXPECT_EQ(*step.messages[0].attachments.at(0).bytes, image);
    ASSERT_TRUE(CheckpointFile::open(path).value()->remove("m").ok());
    EXPECT_EQ(number_in(path, "SELECT count(*) FROM attachment"), 0);
}

/// What would be written to nobody's file is not done as if it were kept.
TEST(CheckpointFile, SaysThatItWasDeletedReplacedOrEmptied) {
    enum class Harm : std::uint8_t { Deleted, Replaced, Emptied };
    for (const Harm harm : {Harm::Deleted, Harm::Replaced, Harm::Emptied}) {
        const Folder folder;
        const std::string path = folder / "m.db";
        const AgentPtr made = agent({.prompt = "x", .max_turns = 3});
        MissionOptions options;
        options.model = ModelRef([&](const LlmRequest&) -> LlmResult {
            if (harm == Harm::Emptied)
                std::filesystem::resize_file(path, 100); // and so of nothing
            else
                EXPECT_TRUE(std::filesystem::remove(path));
            if (harm == Harm::Replaced) EXPECT_TRUE(CheckpointFile::open(path).ok());
            return LlmReply{.text = fenced("(return 1)")};
        });
        const Result<Step> step = CheckpointFile::open(path).value()->run(made, "m", options);
        ASSERT_FALSE(step.ok());
        const char* said = harm == Harm::Emptied ? "emptied" : "deleted or replaced";
        EXPECT_NE(step.error().message.find(said), std::string::npos) << step.error().message;
    }
}

TEST(CheckpointFile, ForgetsAnImageThatTheMissionHasNoMore) {
    const Folder folder;
    const std::string path = folder / "m.db";
    const Tool shot = host_tool("shot", "(n :int) -> :int", [&](const Datum& arguments) -> Result<Datum> {
        return with_attachments(*arguments.find("n"),
                                {Attachment::image("\x89PNG\r\n\x1a\n" + std::string(9'000, 'y'))});
    });
    Compaction compaction;
    compaction.trigger_turns = 4;
    compaction.keep_recent_turns = 1;
    const AgentPtr made = agent({.prompt = "Look.", .tools = {shot}, .max_turns = 12, .compaction = compaction});
    std::vector<std::int64_t> kept;
    MissionOptions options;
    options.model = ModelRef([&](const LlmRequest& request) -> LlmResult {
        kept.push_back(number_in(path, "SELECT count(*) FROM attachment"));
        if (request.turn == 1) return LlmReply{.text = fenced("(tool/shot {:n 1})")};
        return LlmReply{.text = fenced(request.turn < 10 ? "(def n 1)" : "(return n)")};
    });
    const Step step = CheckpointFile::open(path).value()->run(made, "m", options).value();
    EXPECT_EQ(step.value, Datum(1)) << reason_of(step);
    EXPECT_EQ(kept.at(1), 1);
    EXPECT_EQ(kept.back(), 0);
}

} // namespace
} // namespace ptc
