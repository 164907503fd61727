// Rows of a store of missions that somebody changed. An input says what is done to the tables of a good SQLite file,
// which is made afresh: to its bytes as a whole, or, behind a first byte that is odd, to some of its cells. Then the
// store refuses them, or its mission is carried: it ends, is given back, or is nobody's any more.
//
// The mission is carried on this thread alone, by a carrier that answers calls when the mission waits for them, so that
// an input does the same each time.
#include "subagent/agent/mission_snapshot.h"
#include "subagent/store/carried_mission.h"
#include "subagent/store/snapshot_codec.h"
#include "tests/fuzz/file_in_memory.h"
#include "tests/fuzz/tampering.h"
#include "vm/snapshot/snapshot.h"
#include <functional>
#include <sqlite3.h>

namespace {

using namespace ptc;

AgentPtr make_agent() {
    AgentOptions options{.prompt = "x", .signature = ":any", .max_turns = 4};
    options.system_prompt.whole = "s";
    options.limits.fuel = 50'000;
    options.limits.heap_bytes = 1u << 20;
    Tool tool{.name = "t", .signature = "(n :int) -> :any"};
    tool.function = [](const Datum& arguments) -> Result<Datum> {
        const Datum* n = arguments.find("n"); // whoever writes rows decides with what tools are called
        return n ? *n : Datum();
    };
    Tool asking = tool;
    asking.name = "a";
    asking.approval = true;
    Tool elsewhere = tool, mission = tool;
    elsewhere.name = "o";
    mission.name = "c";
    options.tools = {tool, asking, elsewhere, mission};
    return Agent::create(std::move(options)).value();
}

const AgentPtr& the_agent() {
    static const AgentPtr agent = make_agent();
    return agent;
}

LlmResult reply_to(const LlmRequest& request) {
    const char* program = request.turn == 1
                              ? "(def x (pcalls #(tool/t {:n 1}) #(tool/t {:n 2}) #(tool/o {:n 4}) #(tool/c {:n 5})))"
                          : request.turn == 2 ? "(def y (tool/a {:n 3}))"
                                              : "(return [x y])";
    return LlmReply{.text = "```clojure\n" + std::string(program) + "\n```", .usage = {.input = 3, .output = 4}};
}

/// Of `o` a time that is over at once, of `c` a mission; a mission that has no parent by its id has one of its own.
Result<std::optional<Elsewhere>> where_answered(const ClaimedMission& mission, const ToolNeed& need) {
    if (need.tool->name == "o") return std::optional(Elsewhere{.at_most = Millis64(0)});
    if (need.tool->name != "c") return std::optional<Elsewhere>();
    if (mission.id.find('/') != std::string::npos) return Error(Reason::ToolError, "no grandchildren");
    return std::optional(Elsewhere{.child = NewMission{.agent_digest = mission.agent.digest, .context = "{}"}});
}

/// Answers up to `answers` calls, then no more.
class OneThread : public MissionCarrier {
public:
    OneThread(std::shared_ptr<MissionStore> store, std::size_t answers)
        : MissionCarrier(
              std::move(store),
              [](const ClaimedMission& mission) {
                  Runnable made{.agent = the_agent()};
                  made.options.model = ModelRef(Llm(reply_to));
                  made.elsewhere = [mission](const ToolNeed& need) { return where_answered(mission, need); };
                  return Result<Runnable>(std::move(made));
              },
              WorkerOptions{}),
          answers_(answers) {}
    void call(const CarriedPtr& mission, LlmNeed need) override {
        calls_.emplace_back([mission, need] { mission->put(need.id, (*need.model)(need.request)); });
    }
    void call(const CarriedPtr& mission, ToolNeed need) override {
        calls_.emplace_back([mission, need] {
            Result<Datum> given = need.tool->function(need.arguments);
            mission->put(need.id, ToolAnswer(std::move(given).value()));
        });
    }
    void wake(const CarriedPtr&) override {} // `carry` looks after every answer
    [[nodiscard]] bool is_draining() const override { return false; }
    void note_store(const Error* /*error*/, std::optional<SteadyClock::time_point> /*begun*/) override {}
    [[nodiscard]] Millis64 leave(const std::string&) override { return Millis64(0); }
    void note_begun() override {}
    [[nodiscard]] bool is_store_away() const override { return false; }
    [[nodiscard]] bool has_given_up() const override { return false; }
    void log(std::string_view, std::string_view, std::string_view, std::string_view) override {}

    void carry(const CarriedPtr& mission) {
        constexpr int kMostSteps = 40;
        for (int step = 0; step < kMostSteps; ++step) {
            if (mission->work() == CarriedMission::Verdict::Over) return;
            if (calls_.empty() || answers_ == 0) break;
            --answers_;
            const std::function<void()> answer = std::move(calls_.front());
            calls_.pop_front();
            answer();
        }
        calls_.clear();
        mission->give_back();
    }

private:
    std::size_t answers_;
    std::deque<std::function<void()>> calls_;
};

const fuzz::FileInMemory& file() {
    static const fuzz::FileInMemory made;
    return made;
}

Result<std::shared_ptr<MissionStore>> open_store() { return MissionStore::open("sqlite:" + file().path()); }

void carry_claims(const std::shared_ptr<MissionStore>& store, std::size_t answers) {
    const auto carrier = std::make_shared<OneThread>(store, answers);
    Result<std::vector<ClaimedMission>> claims = store->claim({.worker = "w", .most = 4});
    if (!claims.ok()) return;
    for (ClaimedMission& claim : claims.value())
        carrier->carry(std::make_shared<CarriedMission>(std::move(claim), carrier));
}

/// A mission of which a model and one of two tools have answered, and that has begun another one; and one that is new.
std::string good_file() {
    file().remove();
    {
        const auto store = open_store();
        FUZZ_CHECK(store.ok());
        const auto agent = store.value()->put_agent("a", "an agent of this program");
        FUZZ_CHECK(agent.ok());
        FUZZ_CHECK(store.value()->submit({.id = "m", .agent_digest = agent.value(), .context = "{}"}).ok());
        carry_claims(store.value(), 2);
        FUZZ_CHECK(store.value()->submit({.id = "n", .agent_digest = agent.value(), .context = "{}"}).ok());
        FUZZ_CHECK(store.value()->show("m").value()->status == MissionStatus::Ready);
        FUZZ_CHECK(!store.value()->calls("m").value().empty());
    }
    return file().read();
}

// ---- Changes of cells

struct Column {
    const char* table;
    const char* name;
};
constexpr Column kBytes[] = {{"snapshot", "bytes"}, {"call", "answer"}, {"mission", "context"}, {"agent", "content"}};
constexpr Column kWords[] = {{"mission", "status"}, {"mission", "id"},    {"mission", "parent"}, {"call", "kind"},
                             {"call", "key"},       {"call", "name"},     {"agent", "digest"},   {"lane", "queue"},
                             {"mission", "token"},  {"mission", "worker"}};
constexpr Column kNumbers[] = {
    {"snapshot", "size"},        {"snapshot", "part"},    {"call", "need"},        {"call", "is_taken"},
    {"mission", "is_due"},       {"mission", "wake_at"},  {"mission", "revision"}, {"mission", "attempts"},
    {"mission", "max_attempts"}, {"mission", "deadline"}, {"mission", "has_news"}, {"mission", "is_cancelled"},
    {"mission", "not_before"},   {"mission", "since"},    {"mission", "turns"},    {"lane", "turn"},
    {"lane", "is_ready"},        {"mission", "cost_usd"}, {"meta", "number"},      {"mission", "losses"},
    {"tally", "missions"},       {"call", "asked"}};
constexpr const char* kTexts[] = {"",     "ready", "running",  "waiting", "done",    "m",     "n",
                                  "tool", "model", "approval", "x",       "outside", "child", "m/2"};
constexpr std::int64_t kIntegers[] = {0,         1,         -1,        2,           97,         INT64_MAX, INT64_MIN,
                                      1'000'000, INT32_MAX, INT32_MIN, 100'663'297, 4294967296, 3};

/// Runs `sql` with one parameter, which `bind` gives; the bytes of the first cell.
std::string run_sql(sqlite3* db, const std::string& sql, const std::function<void(sqlite3_stmt*)>& bind = {}) {
    sqlite3_stmt* statement = nullptr;
    FUZZ_CHECK(sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    if (bind) bind(statement);
    std::string out;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        out.assign(static_cast<const char*>(sqlite3_column_blob(statement, 0)),
                   static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    sqlite3_finalize(statement); // a change that a constraint forbids is none
    return out;
}

void set_cells(sqlite3* db, const Column& column, const std::function<void(sqlite3_stmt*)>& bind) {
    (void)run_sql(db, std::string("UPDATE ") + column.table + " SET " + column.name + " = ?1", bind);
}

void set_bytes(sqlite3* db, const Column& column, const std::string& bytes) {
    set_cells(db, column,
              [&](sqlite3_stmt* to) { sqlite3_bind_blob64(to, 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT); });
}

std::string first_cell(sqlite3* db, const Column& column) {
    return run_sql(db, std::string("SELECT ") + column.name + " FROM " + column.table + " WHERE length(" + column.name +
                           ") > 0");
}

/// A snapshot with a right checksum, packed as the store packs it: what the mission's own reader has to refuse.
void tamper_with_snapshot(fuzz::Bytes& in, sqlite3* db) {
    const std::string packed = run_sql(db, "SELECT bytes FROM snapshot WHERE part = 0");
    const std::string size = run_sql(db, "SELECT CAST(size AS TEXT) FROM snapshot WHERE part = 0");
    if (packed.empty() || size.empty()) return;
    Result<std::string> snapshot = expanded(packed, {}, std::strtoll(size.c_str(), nullptr, 10));
    if (!snapshot.ok() || snapshot.value().size() < 64) return;
    std::string bytes = std::move(snapshot).value();
    const std::string before = bytes, magic = bytes.substr(0, 4);
    fuzz::tamper_often(in, bytes, before);
    seal_snapshot(bytes, magic, agent_fingerprint(*the_agent()));
    const SnapshotPart part = snapshot_part(bytes, {}, {});
    (void)run_sql(db, "DELETE FROM snapshot WHERE part > 0");
    set_bytes(db, {"snapshot", "bytes"}, part.bytes);
    set_cells(db, {"snapshot", "size"},
              [&](sqlite3_stmt* to) { sqlite3_bind_int64(to, 1, static_cast<std::int64_t>(bytes.size())); });
}

void tamper_with_cells(fuzz::Bytes& in) {
    sqlite3* db = nullptr;
    FUZZ_CHECK(sqlite3_open(file().path().c_str(), &db) == SQLITE_OK);
    for (int changes = 0; changes == 0 || (!in.empty() && changes < 6); ++changes) {
        switch (in.below(4)) {
        case 0: tamper_with_snapshot(in, db); break;
        case 1: {
            const Column& column = kBytes[in.below(std::size(kBytes))];
            std::string bytes = first_cell(db, column);
            if (bytes.empty()) break;
            fuzz::tamper(in, bytes, std::string(bytes));
            set_bytes(db, column, bytes);
            break;
        }
        case 2: {
            const char* text = kTexts[in.below(std::size(kTexts))];
            set_cells(db, kWords[in.below(std::size(kWords))],
                      [&](sqlite3_stmt* to) { sqlite3_bind_text(to, 1, text, -1, SQLITE_STATIC); });
            break;
        }
        default: {
            const std::int64_t number = kIntegers[in.below(std::size(kIntegers))];
            set_cells(db, kNumbers[in.below(std::size(kNumbers))],
                      [&](sqlite3_stmt* to) { sqlite3_bind_int64(to, 1, number); });
        }
        }
    }
    sqlite3_close(db);
}

void write_changed(fuzz::Bytes& in, const std::string& good) {
    const bool by_cells = in.byte() % 2 == 1;
    std::string bytes = good;
    if (!by_cells) fuzz::tamper_often(in, bytes, good);
    file().write(bytes);
    if (by_cells) tamper_with_cells(in);
}

template <class T> void check_told(const Result<T>& result) {
    FUZZ_CHECK(result.ok() || !result.error().message.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string good = good_file();
    fuzz::Bytes in(data, size);
    write_changed(in, good);
    const auto opened = open_store();
    FUZZ_CHECK(opened.ok() || (size > 0 && !opened.error().message.empty()));
    if (!opened.ok()) return 0;
    MissionStore& store = *opened.value();
    constexpr std::size_t kMostAnswers = 12;
    for (int times = 0; times < 3; ++times) // the missions, those that they began, and what came of these
        carry_claims(opened.value(), kMostAnswers);
    check_told(store.list({}));
    check_told(store.show("m"));
    check_told(store.calls("m"));
    check_told(store.counts());
    check_told(store.unfinished({}));
    check_told(store.outbox(0, 10));
    check_told(store.signal("m", {}));
    check_told(store.retry("m"));
    check_told(store.prune(Millis64(0)));
    return 0;
}
