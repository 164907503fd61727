// Checkpoint files that somebody changed. An input says what is done to a good file, which is made afresh: to its bytes
// as a whole, or, behind a first byte that is odd, to the rows of its tables. Then it is refused, or its mission goes
// on and ends, with a step or an error.
#include "ptc/checkpoint.h"
#include "ptc/ptc.h"
#include "subagent/agent/mission_snapshot.h"
#include "tests/fuzz/file_in_memory.h"
#include "tests/fuzz/tampering.h"
#include "vm/snapshot/snapshot.h"
#include <sqlite3.h>

namespace {

using namespace ptc;

AgentPtr make_agent() {
    AgentOptions options{.prompt = "x", .signature = ":any", .max_turns = 4};
    options.system_prompt.whole = "s";
    options.limits.fuel = 50'000;
    options.limits.heap_bytes = 1u << 20;
    options.tools.emplace_back(
        Tool{.name = "t", .signature = "(n :int) -> :any", .function = [](const Datum& arguments) -> Result<Datum> {
                 const Datum* n = arguments.find("n"); // whoever writes rows decides with what tools are called
                 return n ? *n : Datum();
             }});
    return Agent::create(std::move(options)).value();
}

MissionOptions mission_options() {
    MissionOptions options;
    options.model = ModelRef(Llm([](const LlmRequest& request) -> LlmResult {
        if (request.turn == 1)
            return LlmReply{.text = "```clojure\n(def x (pcalls #(tool/t {:n 1}) #(tool/t {:n 2})))\n```"};
        return LlmReply{.text = "```clojure\n(return x)\n```", .usage = {.input = 3, .output = 4}};
    }));
    return options;
}

const fuzz::FileInMemory& file() {
    static const fuzz::FileInMemory made;
    return made;
}

/// A mission that waits for two tools, one of which has answered.
std::string good_file(const AgentPtr& agent) {
    file().remove();
    {
        const auto opened = CheckpointFile::open(file().path());
        FUZZ_CHECK(opened.ok());
        Mission mission(agent, mission_options());
        mission.start();
        for (int step = 0; step < 2; ++step) {
            const Needs needs = mission.take_needs();
            FUZZ_CHECK(opened.value()->save("m", mission, needs).ok());
            for (const LlmNeed& need : needs.llm) {
                const LlmResult reply = mission_options().model.call(need.request);
                FUZZ_CHECK(opened.value()->record("m", need, reply).ok());
                mission.answer(need.id, reply);
            }
            if (!needs.tools.empty()) {
                FUZZ_CHECK(opened.value()->record("m", needs.tools[0], ToolAnswer(Datum(1))).ok());
            }
        }
    }
    return file().read();
}

struct Column {
    const char* read;
    const char* write;
    bool is_snapshot;
};
constexpr Column kColumns[] = {{"SELECT snapshot FROM mission", "UPDATE mission SET snapshot = ?1", true},
                               {"SELECT answer FROM call WHERE length(answer) > 0",
                                "UPDATE call SET answer = ?1 WHERE length(answer) > 0", false}};

/// Runs `sql`, with `bytes` for its parameter; the bytes of the first row that it gives.
std::string run_sql(sqlite3* db, const char* sql, std::string_view bytes) {
    sqlite3_stmt* statement = nullptr;
    FUZZ_CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) == SQLITE_OK);
    sqlite3_bind_blob64(statement, 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    std::string out;
    if (sqlite3_step(statement) == SQLITE_ROW)
        out.assign(static_cast<const char*>(sqlite3_column_blob(statement, 0)),
                   static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    sqlite3_finalize(statement);
    return out;
}

/// Changes what the tables have of a mission, or of an answer. A snapshot's checksum is made right.
void tamper_with_row(fuzz::Bytes& in, const Agent& agent) {
    sqlite3* db = nullptr;
    FUZZ_CHECK(sqlite3_open(file().path().c_str(), &db) == SQLITE_OK);
    const Column& column = kColumns[in.below(2)];
    std::string bytes = run_sql(db, column.read, "");
    FUZZ_CHECK(!bytes.empty());
    const std::string before = bytes, magic = bytes.substr(0, 4);
    if (column.is_snapshot)
        fuzz::tamper_often(in, bytes, before);
    else
        fuzz::tamper(in, bytes, before);
    if (column.is_snapshot) seal_snapshot(bytes, magic, agent_fingerprint(agent));
    (void)run_sql(db, column.write, bytes);
    sqlite3_close(db);
}

void write_changed(fuzz::Bytes& in, const std::string& good, const Agent& agent) {
    const bool by_row = in.byte() % 2 == 1;
    std::string bytes = good;
    if (!by_row) fuzz::tamper_often(in, bytes, good);
    file().write(bytes);
    if (by_row) tamper_with_row(in, agent);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const AgentPtr agent = make_agent();
    static const std::string good = good_file(agent);
    fuzz::Bytes in(data, size);
    write_changed(in, good, *agent);
    const auto opened = CheckpointFile::open(file().path());
    FUZZ_CHECK(opened.ok() || (size > 0 && !opened.error().message.empty()));
    if (!opened.ok()) return 0;
    (void)opened.value()->missions();
    (void)opened.value()->calls("m");
    const Result<Step> step = opened.value()->run(agent, "m", mission_options());
    FUZZ_CHECK(step.ok() || (size > 0 && !step.error().message.empty()));
    return 0;
}
