// Missions in a SQLite file: for each mission its newest snapshot, and a journal of its calls. A call is written before
// it is made and its answer when it is there, so after a crash every answer that was paid for is found again, and the
// calls that may or may not have happened are known (ptc/checkpoint.h). One connection, one mutex; a snapshot and the
// calls that follow from it are one transaction.
#include "ptc/checkpoint.h"
#include "frontend/try.h"
#include "frontend/visible_text.h"
#include "subagent/agent/agent_impl.h"
#include "subagent/agent/mission_calls.h"
#include "subagent/agent/reply_bytes.h"
#include "subagent/checkpoint/mission_owner.h"
#include "subagent/checkpoint/sqlite_file.h"
#include "subagent/engine/datum_bytes.h"
#include "subagent/engine/engine_impl.h"
#include "subagent/engine/invalid_request.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sqlite3.h>
#include <thread>
#include <utility>

namespace ptc {
namespace {

constexpr int kApplicationId = 0x50544343; // "PTCC"
constexpr int kSchemaVersion = 4;
constexpr int kBusyMillis = 10'000;

constexpr SqliteFileNames kNames{"the checkpoint file", "a file of checkpoints"};

constexpr const char* kSchema = R"(
    CREATE TABLE mission (
        id       TEXT PRIMARY KEY,
        note     TEXT NOT NULL,
        is_done  INTEGER NOT NULL,
        snapshot BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE call (
        mission TEXT NOT NULL REFERENCES mission(id) ON DELETE CASCADE,
        need    INTEGER NOT NULL,
        kind    INTEGER NOT NULL,
        name    TEXT NOT NULL,
        answer  BLOB,
        PRIMARY KEY (mission, need)
    ) WITHOUT ROWID;
    CREATE TABLE attachment (
        mission TEXT NOT NULL REFERENCES mission(id) ON DELETE CASCADE,
        digest  TEXT NOT NULL,
        bytes   BLOB NOT NULL,
        PRIMARY KEY (mission, digest)
    );
    CREATE TABLE lease (
        mission     TEXT PRIMARY KEY,
        token       TEXT NOT NULL,
        machine     TEXT NOT NULL,
        pid         INTEGER NOT NULL,
        pid_started TEXT NOT NULL,
        expires     INTEGER NOT NULL
    ) WITHOUT ROWID;
)";

/// mission.is_done
enum class Progress : std::uint8_t {
    Waiting,
    Done,
    Halted, ///< it failed for a reason outside of it: its last calls are to be made anew
};

/// A lease ends so long after it was renewed, on the clocks of the machines that share the file.
constexpr std::chrono::milliseconds kLease{30'000};
constexpr std::chrono::milliseconds kRenewal = kLease / 3;

std::uint64_t lease_end() {
    const auto end = std::chrono::system_clock::now() + kLease;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(end.time_since_epoch()).count());
}

/// A prepared statement, finalised at the end of its scope.
class Statement {
public:
    Statement(sqlite3* db, const char* sql) : db_(db), limit_(db) {
        sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr);
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& text(int i, std::string_view s) {
        sqlite3_bind_text64(statement_, i, s.data() ? s.data() : "", s.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        return *this;
    }
    /// Borrowed until the statement has run: these are long.
    Statement& blob(int i, std::string_view s) {
        sqlite3_bind_blob64(statement_, i, s.data() ? s.data() : "", s.size(), SQLITE_STATIC);
        return *this;
    }
    Statement& integer(int i, std::uint64_t n) {
        sqlite3_bind_int64(statement_, i, static_cast<sqlite3_int64>(n));
        return *this;
    }
    /// True: a row is there. False at the end.
    Result<bool> step() {
        const int code = sqlite3_step(statement_);
        if (code == SQLITE_ROW) return true;
        if (code == SQLITE_DONE) return false;
        return invalid_request("The checkpoint file cannot be used: " + printable_reason(sqlite3_errmsg(db_)) + ".");
    }
    Result<void> run() {
        Result<bool> stepped = step();
        return stepped.ok() ? Result<void>() : Result<void>(stepped.take_error());
    }
    [[nodiscard]] std::string_view column(int i) const {
        const void* bytes = sqlite3_column_blob(statement_, i);
        return {static_cast<const char*>(bytes),
                bytes ? static_cast<std::size_t>(sqlite3_column_bytes(statement_, i)) : 0};
    }
    [[nodiscard]] std::int64_t number(int i) const { return sqlite3_column_int64(statement_, i); }
    [[nodiscard]] bool is_null(int i) const { return sqlite3_column_type(statement_, i) == SQLITE_NULL; }

private:
    sqlite3* db_;
    SqliteStepLimit limit_;
    sqlite3_stmt* statement_ = nullptr;
};

Result<void> execute(sqlite3* db, const char* sql) {
    if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return invalid_request("The checkpoint file cannot be used: " + printable_reason(sqlite3_errmsg(db)) + ".");
}

/// Rolled back unless it is committed.
class Transaction {
public:
    explicit Transaction(sqlite3* db) : db_(db), begun_(execute(db, "BEGIN IMMEDIATE")) {}
    ~Transaction() {
        if (is_open_ && begun_.ok()) (void)execute(db_, "ROLLBACK");
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    Result<void>& begun() { return begun_; }
    Result<void> commit() {
        PTC_CHECK(execute(db_, "COMMIT"));
        is_open_ = false;
        return {};
    }

private:
    sqlite3* db_;
    Result<void> begun_;
    bool is_open_ = true;
};

Result<std::int64_t> pragma(sqlite3* db, const char* sql) {
    Statement statement(db, sql);
    if (PTC_TRY(statement.step())) return statement.number(0);
    return std::int64_t{0};
}

/// Tables of a new file; otherwise that it is one of ours. Two processes may make the same file at once.
Result<void> prepare(sqlite3* db) {
    sqlite3_busy_timeout(db, kBusyMillis);
    PTC_CHECK(execute(db, "PRAGMA foreign_keys = ON"));
    Transaction transaction(db);
    if (!transaction.begun().ok()) return transaction.begun().take_error();
    const std::int64_t application = PTC_TRY(pragma(db, "PRAGMA application_id"));
    const std::int64_t version = PTC_TRY(pragma(db, "PRAGMA user_version"));
    const std::int64_t tables = PTC_TRY(pragma(db, "SELECT count(*) FROM sqlite_master"));
    if (application == 0 && tables == 0) {
        PTC_CHECK(execute(db, kSchema));
        PTC_CHECK(execute(db, ("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str()));
        PTC_CHECK(execute(db, ("PRAGMA user_version = " + std::to_string(kSchemaVersion)).c_str()));
    } else if (application != kApplicationId) {
        return invalid_request("It is a database, but no file of checkpoints.");
    } else if (version != kSchemaVersion) {
        return invalid_request("It was made by another version of this program, which alone can go on with it.");
    } else if (PTC_TRY(sqlite_schema_of(db)) != PTC_TRY(sqlite_schema_of(std::string(kSchema)))) {
        return invalid_request("It has other tables than those of checkpoints.");
    }
    PTC_CHECK(transaction.commit());
    PTC_CHECK(execute(db, "PRAGMA journal_mode = WAL"));
    return execute(db, "PRAGMA synchronous = FULL");
}

/// The first thing that went wrong with the file, while several threads write to it.
struct Failure {
    std::mutex mutex;
    std::optional<Error> first{};

    void note(Result<void> written) {
        if (!written.ok()) keep(written.error());
    }
    template <class T> std::optional<T> or_none(Result<std::optional<T>> read) {
        if (read.ok()) return std::move(read).value();
        keep(read.error());
        return std::nullopt;
    }
    std::optional<Error> get() {
        const std::lock_guard lock(mutex);
        return first;
    }
    void keep(const Error& error) {
        const std::lock_guard lock(mutex);
        if (!first) first = error;
    }

    // Calls of models that failed, since the mission was written.
    std::set<std::uint64_t> failed{};
    void note_failed(std::uint64_t need) {
        const std::lock_guard lock(mutex);
        failed.insert(need);
    }
    void forget_failed() {
        const std::lock_guard lock(mutex);
        failed.clear();
    }
    std::set<std::uint64_t> failed_calls() {
        const std::lock_guard lock(mutex);
        return failed;
    }
};

} // namespace

struct CheckpointFile::Impl {
    ~Impl() {
        renewer.request_stop();
        if (renewer.joinable()) renewer.join();
    }

    // ---- Leases

    /// Who runs the mission now; none when nobody does, or has ended without a word.
    Result<std::optional<MissionOwner>> other_owner(const std::string& id) {
        Statement select(db, "SELECT token, machine, pid, pid_started, expires FROM lease WHERE mission = ?1");
        select.text(1, id);
        if (!PTC_TRY(select.step())) return std::optional<MissionOwner>();
        MissionOwner owner{std::string(select.column(0)), std::string(select.column(1)), select.number(2),
                           std::string(select.column(3))};
        const auto own = owned.find(id);
        const bool is_own = own != owned.end() && own->second == owner.token;
        const bool is_over = static_cast<std::uint64_t>(select.number(4)) + kLease.count() <= lease_end();
        if (is_own || is_over || has_ended(owner)) return std::optional<MissionOwner>();
        return std::optional<MissionOwner>(std::move(owner));
    }

    /// Whether the lease that this process took is still its own: whoever slept longer than it lasts finds that
    /// another process has taken it, or has finished the mission and gone.
    Result<void> check_own_lease(const std::string& id) {
        const auto own = owned.find(id);
        if (own == owned.end()) return {};
        Statement select(db, "SELECT 1 FROM lease WHERE mission = ?1 AND token = ?2");
        select.text(1, id).text(2, own->second);
        if (PTC_TRY(select.step())) return {};
        return invalid_request("The lease of the mission `" + id + "` ended, and another process went on with it.");
    }

    /// Nobody but the owner writes; without an owner anybody does, but for those who were it.
    Result<void> check_owner(const std::string& id) {
        const std::optional<MissionOwner> other = PTC_TRY(other_owner(id));
        if (!other) return check_own_lease(id);
        return invalid_request("The mission `" + id + "` is run by another process (" + std::to_string(other->pid) +
                               "), or elsewhere in this one. Its lease ends when that process does, or " +
                               std::to_string(kLease.count() / 1000) + " seconds after it was last heard of.");
    }

    Result<void> take_lease(const std::string& id) {
        const std::lock_guard lock(mutex);
        Transaction transaction(db);
        if (!transaction.begun().ok()) return transaction.begun().take_error();
        if (owned.contains(id)) return invalid_request("The mission `" + id + "` is run already, by this process.");
        PTC_CHECK(check_owner(id));
        const MissionOwner owner = new_owner();
        Statement upsert(db, "INSERT OR REPLACE INTO lease (mission, token, machine, pid, pid_started, expires) "
                             "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
        PTC_CHECK(upsert.text(1, id)
                      .text(2, owner.token)
                      .text(3, owner.machine)
                      .integer(4, static_cast<std::uint64_t>(owner.pid))
                      .text(5, owner.pid_started)
                      .integer(6, lease_end())
                      .run());
        PTC_CHECK(transaction.commit());
        owned.emplace(id, owner.token);
        if (!renewer.joinable()) renewer = std::jthread([this](const std::stop_token& stop) { renew_leases(stop); });
        return {};
    }

    void end_lease(const std::string& id) {
        const std::lock_guard lock(mutex);
        const auto own = owned.find(id);
        if (own == owned.end()) return;
        Statement end(db, "DELETE FROM lease WHERE mission = ?1 AND token = ?2");
        (void)end.text(1, id).text(2, own->second).run(); // else it ends with its time
        owned.erase(own);
    }

    /// Models may take minutes to answer: a thread says meanwhile that their missions go on.
    void renew_leases(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (!changed.wait_for(lock, stop, kRenewal, [] { return false; }) && !stop.stop_requested()) {
            for (const auto& [id, token] : owned) {
                Statement update(db, "UPDATE lease SET expires = ?3 WHERE mission = ?1 AND token = ?2");
                // A file that cannot be written is found by whoever writes the mission.
                (void)update.text(1, id).text(2, token).integer(3, lease_end()).run();
            }
        }
    }

    /// Calls that failed have no answer any more, so they are made anew.
    Result<void> forget_errors(const std::string& id, const std::set<std::uint64_t>& needs) {
        for (const std::uint64_t need : needs) {
            Statement update(db, "UPDATE call SET answer = NULL WHERE mission = ?1 AND need = ?2");
            PTC_CHECK(update.text(1, id).integer(2, need).run());
        }
        return {};
    }

    // ---- Attachments

    /// Each once for its mission, and none that the mission has no more.
    Result<void> keep(const std::string& id, const AttachmentBytes& attachments) {
        std::set<std::string, std::less<>> there;
        {
            Statement select(db, "SELECT digest FROM attachment WHERE mission = ?1");
            select.text(1, id);
            while (PTC_TRY(select.step()))
                there.emplace(select.column(0));
        }
        for (const auto& [digest, bytes] : attachments) {
            if (there.erase(digest) > 0) continue;
            Statement insert(db, "INSERT INTO attachment (mission, digest, bytes) VALUES (?1, ?2, ?3)");
            PTC_CHECK(insert.text(1, id).text(2, digest).blob(3, *bytes).run());
        }
        for (const std::string& digest : there)
            PTC_CHECK(Statement(db, "DELETE FROM attachment WHERE mission = ?1 AND digest = ?2")
                          .text(1, id)
                          .text(2, digest)
                          .run());
        return {};
    }
    Result<AttachmentBytes> kept(const std::string& id) {
        AttachmentBytes attachments;
        Statement select(db, "SELECT digest, bytes FROM attachment WHERE mission = ?1");
        select.text(1, id);
        while (PTC_TRY(select.step()))
            attachments.emplace(select.column(0), std::make_shared<const std::string>(select.column(1)));
        return attachments;
    }

    // ---- Calls

    Result<void> intend(const std::string& id, std::uint64_t need, CheckpointedCall::Kind kind, std::string_view name) {
        Statement insert(db,
                         "INSERT INTO call (mission, need, kind, name) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING");
        return insert.text(1, id).integer(2, need).integer(3, static_cast<std::uint64_t>(kind)).text(4, name).run();
    }

    Result<void> answer(const std::string& id, std::uint64_t need, std::string_view bytes) {
        const std::lock_guard lock(mutex);
        PTC_CHECK(check_still_there(handle, path));
        PTC_CHECK(check_owner(id));
        Statement update(db, "UPDATE call SET answer = ?3 WHERE mission = ?1 AND need = ?2");
        PTC_CHECK(update.text(1, id).integer(2, need).blob(3, bytes).run());
        if (sqlite3_changes(db) == 1) return {};
        return invalid_request("The file has no call " + std::to_string(need) + " of the mission `" + id +
                               "` to be answered.");
    }

    Result<std::optional<std::string>> written_answer(const std::string& id, std::uint64_t need) {
        const std::lock_guard lock(mutex);
        PTC_CHECK(check_own_lease(id));
        Statement select(db, "SELECT answer FROM call WHERE mission = ?1 AND need = ?2");
        select.text(1, id).integer(2, need);
        if (!PTC_TRY(select.step()) || select.is_null(0)) return std::optional<std::string>();
        return std::optional<std::string>(select.column(0));
    }

    template <class T>
    Result<std::optional<T>> read_written(const std::string& id, std::uint64_t need, T (*read)(ByteReader&)) {
        const std::optional<std::string> bytes = PTC_TRY(written_answer(id, need));
        if (!bytes) return std::optional<T>();
        ByteReader in(*bytes);
        T answer = read(in);
        if (!in.ok()) return invalid_request("The file has an answer that cannot be read.");
        return std::optional<T>(std::move(answer));
    }

    std::string path;
    SqliteHandle handle;
    sqlite3* db = nullptr;
    mutable std::mutex mutex;                 ///< statements of one connection, one after the other
    std::map<std::string, std::string> owned; ///< missions that are run here, and the tokens of their leases
    std::condition_variable_any changed;
    std::jthread renewer; ///< runs when there has been a lease
};

CheckpointFile::CheckpointFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CheckpointFile::~CheckpointFile() = default;

Result<std::shared_ptr<CheckpointFile>> CheckpointFile::open(const std::string& path) {
    auto impl = std::make_unique<Impl>();
    impl->handle = PTC_TRY(open_sqlite_file(path, kNames));
    impl->db = impl->handle.get();
    impl->path = path;
    Result<void> prepared = prepare(impl->db);
    if (!prepared.ok()) return invalid_request(path + ": " + prepared.error().message);
    return std::shared_ptr<CheckpointFile>(new CheckpointFile(std::move(impl)));
}

Result<void> CheckpointFile::save(const std::string& id, const Mission& mission, const Needs& needs,
                                  std::string_view note) {
    AttachmentBytes attachments;
    const std::string snapshot = PTC_TRY(mission.save(&attachments));
    const std::lock_guard lock(impl_->mutex);
    Transaction transaction(impl_->db);
    if (!transaction.begun().ok()) return transaction.begun().take_error();
    PTC_CHECK(check_still_there(impl_->handle, impl_->path));
    PTC_CHECK(impl_->check_owner(id));
    Statement upsert(impl_->db, "INSERT INTO mission (id, note, is_done, snapshot) VALUES (?1, ?2, ?3, ?4) "
                                "ON CONFLICT (id) DO UPDATE SET is_done = ?3, snapshot = ?4");
    PTC_CHECK(upsert.text(1, id).text(2, note).integer(3, mission.is_done()).blob(4, snapshot).run());
    PTC_CHECK(impl_->keep(id, attachments));
    for (const LlmNeed& need : needs.llm)
        PTC_CHECK(impl_->intend(id, need.id, CheckpointedCall::Kind::ModelCall, need.name));
    for (const ToolNeed& need : needs.tools)
        PTC_CHECK(impl_->intend(id, need.id, CheckpointedCall::Kind::ToolCall, need.tool->name));
    for (const ApprovalNeed& need : needs.approvals)
        PTC_CHECK(impl_->intend(id, need.id, CheckpointedCall::Kind::Approval, need.request.subject()));
    return transaction.commit();
}

Result<void> CheckpointFile::record(const std::string& id, const LlmNeed& need, const LlmResult& result) {
    ByteWriter out;
    write_reply(out, result);
    return impl_->answer(id, need.id, out.bytes());
}

Result<void> CheckpointFile::record(const std::string& id, const ToolNeed& need, const ToolAnswer& answer) {
    ByteWriter out;
    write_answer(out, answer);
    return impl_->answer(id, need.id, out.bytes());
}

Result<void> CheckpointFile::record(const std::string& id, const ApprovalNeed& need, const ApprovalAnswer& answer) {
    ByteWriter out;
    write_approval(out, answer);
    return impl_->answer(id, need.id, out.bytes());
}

Result<std::optional<ApprovalAnswer>> CheckpointFile::approval_of(const std::string& id,
                                                                  const ApprovalNeed& need) const {
    return impl_->read_written<ApprovalAnswer>(id, need.id, read_approval);
}

Result<std::optional<LlmResult>> CheckpointFile::reply_to(const std::string& id, const LlmNeed& need) const {
    return impl_->read_written<LlmResult>(id, need.id, read_reply);
}

Result<std::optional<ToolAnswer>> CheckpointFile::answer_to(const std::string& id, const ToolNeed& need) const {
    return impl_->read_written<ToolAnswer>(id, need.id, read_answer);
}

Result<std::unique_ptr<Mission>> CheckpointFile::load(const AgentPtr& agent, const std::string& id,
                                                      MissionOptions options) {
    std::string snapshot;
    AttachmentBytes attachments;
    bool is_halted = false;
    {
        const std::lock_guard lock(impl_->mutex);
        Statement select(impl_->db, "SELECT snapshot, is_done FROM mission WHERE id = ?1");
        select.text(1, id);
        if (!PTC_TRY(select.step())) return std::unique_ptr<Mission>();
        snapshot = select.column(0);
        is_halted = select.number(1) == static_cast<std::int64_t>(Progress::Halted);
        attachments = PTC_TRY(impl_->kept(id));
    }
    std::unique_ptr<Mission> mission = PTC_TRY(agent->restore(snapshot, std::move(options), attachments));
    if (is_halted) mission->forget_attempts();
    return mission;
}

Result<void> CheckpointFile::halt(const std::string& id, const std::set<std::uint64_t>& failed) {
    const std::lock_guard lock(impl_->mutex);
    Transaction transaction(impl_->db);
    if (!transaction.begun().ok()) return transaction.begun().take_error();
    PTC_CHECK(impl_->check_owner(id));
    PTC_CHECK(impl_->forget_errors(id, failed));
    Statement update(impl_->db, "UPDATE mission SET is_done = ?2 WHERE id = ?1");
    PTC_CHECK(update.text(1, id).integer(2, static_cast<std::uint64_t>(Progress::Halted)).run());
    return transaction.commit();
}

namespace {

/// Of a mission that is not over.
Step pending_step(Mission& mission) {
    Step step = mission.take_step();
    step.fail = Fail{.reason = std::string(reason_name(MissionReason::ApprovalPending)),
                     .message = "The mission waits for an approval. It goes on from its checkpoint."};
    return step;
}

} // namespace

Result<Step> CheckpointFile::run(const AgentPtr& agent, const std::string& id, MissionOptions options,
                                 std::string_view note) {
    PTC_CHECK(impl_->take_lease(id));
    Result<Step> step = run_leased(agent, id, std::move(options), note);
    impl_->end_lease(id);
    return step;
}

Result<Step> CheckpointFile::run_leased(const AgentPtr& agent, const std::string& id, MissionOptions options,
                                        std::string_view note) {
    options.id = id;
    const MissionClock clock = options.clock;
    const Approver approve = options.approve;
    const SharedFunction<bool()> asked = options.is_interrupted;
    const std::stop_token stop = options.stop;
    const auto is_interrupted = [&] { return stop.stop_requested() || (asked && asked()); };
    std::unique_ptr<Mission> mission = PTC_TRY(load(agent, id, options));
    if (!mission) {
        mission = std::make_unique<Mission>(agent, std::move(options));
        mission->start();
    }
    Failure failure;
    const AnswerJournal journal = {
        .approve = approve,
        .may_wait = true,
        .reply_to = [&](const LlmNeed& need) { return failure.or_none(reply_to(id, need)); },
        .answer_to = [&](const ToolNeed& need) { return failure.or_none(answer_to(id, need)); },
        .on_reply =
            [&](const LlmNeed& need, const LlmResult& result) {
                failure.note(record(id, need, result));
                if (std::holds_alternative<LlmError>(result)) failure.note_failed(need.id);
            },
        // A tool that was given up because of the interrupt has no answer: whoever goes on calls it again.
        .on_answer =
            [&](const ToolNeed& need, const ToolAnswer& answer) {
                const bool is_given_up = std::holds_alternative<Error>(answer) && is_interrupted();
                if (!is_given_up) failure.note(record(id, need, answer));
            },
        .approval_of = [&](const ApprovalNeed& need) { return failure.or_none(approval_of(id, need)); },
        .on_approval = [&](const ApprovalNeed& need,
                           const ApprovalAnswer& answer) { failure.note(record(id, need, answer)); },
    };
    MissionCalls calls(impl_of(*impl_of(*agent).engine).callers, clock, journal);
    while (!mission->is_done()) {
        Needs needs = mission->take_needs();
        if (!needs.empty()) {
            PTC_CHECK(save(id, *mission, needs, note));
            failure.forget_failed(); // the mission has them
        }
        calls.add(std::move(needs));
        std::optional<MissionCalls::Answer> answer = calls.wait();
        if (const std::optional<Error> error = failure.get()) return *error;
        if (!answer) break; // it waits for approvals that nobody gives now
        std::visit([&](auto& result) { mission->answer(answer->id, std::move(result)); }, answer->result);
    }
    if (!mission->is_done()) {
        PTC_CHECK(save(id, *mission, {}, note));
        return pending_step(*mission);
    }
    // What it came to is not kept then: the file has the mission as it was before, and all answers that it had.
    if (mission->step().fail && is_outside(cause_of(mission->step().fail->reason)))
        PTC_CHECK(halt(id, failure.failed_calls()));
    else
        PTC_CHECK(save(id, *mission, {}, note));
    return mission->take_step();
}

Result<std::vector<CheckpointedMission>> CheckpointFile::missions() const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->db, "SELECT id, note, is_done, (SELECT count(answer) FROM call WHERE mission = mission.id) "
                                "FROM mission ORDER BY id");
    std::vector<CheckpointedMission> missions;
    while (PTC_TRY(select.step()))
        missions.push_back({std::string(select.column(0)), std::string(select.column(1)),
                            select.number(2) == static_cast<std::int64_t>(Progress::Done),
                            static_cast<std::uint64_t>(select.number(3))});
    return missions;
}

Result<std::vector<CheckpointedCall>> CheckpointFile::calls(const std::string& id) const {
    const std::lock_guard lock(impl_->mutex);
    Statement select(impl_->db,
                     "SELECT need, kind, name, answer IS NOT NULL FROM call WHERE mission = ?1 ORDER BY need");
    select.text(1, id);
    std::vector<CheckpointedCall> calls;
    while (PTC_TRY(select.step())) {
        const auto kind = static_cast<CheckpointedCall::Kind>(std::clamp<std::int64_t>(select.number(1), 0, 2));
        calls.push_back(
            {static_cast<std::uint64_t>(select.number(0)), kind, std::string(select.column(2)), select.number(3) != 0});
    }
    return calls;
}

Result<void> CheckpointFile::remove(const std::string& id) {
    const std::lock_guard lock(impl_->mutex);
    PTC_CHECK(impl_->check_owner(id));
    PTC_CHECK(Statement(impl_->db, "DELETE FROM lease WHERE mission = ?1").text(1, id).run());
    return Statement(impl_->db, "DELETE FROM mission WHERE id = ?1").text(1, id).run();
}

} // namespace ptc
