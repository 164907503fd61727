// SQLite for the store: one connection for all threads of a process (the store's pool hands it to one after the other),
// WAL with synchronous=FULL, every transaction BEGIN IMMEDIATE. Writers queue at the file, so what PostgreSQL needs
// row locks for holds here by itself.
#include "subagent/store/sqlite_database.h"
#include "frontend/try.h"
#include "subagent/checkpoint/sqlite_file.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>

namespace ptc {
namespace {

constexpr int kApplicationId = 0x50544353; // "PTCS"
constexpr SqliteFileNames kNames{"the store", "a store of missions"};
constexpr Millis64 kBetweenLooks{20}; ///< at the file, for what other processes wrote

Failure failure_of(int code) {
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return Failure::None;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Failure::Again;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return Failure::Unusable;
    default: return Failure::Wrong;
    }
}

/// SQL function now_ms(): this machine's clock, which is that of a file.
void now_ms(sqlite3_context* context, int, sqlite3_value**) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    sqlite3_result_int64(context, std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

/// Between two tries to get the file from another process: SQLite's own waits grow to 100 ms, in which those who come
/// later overtake, and one of many writers may wait for seconds.
constexpr Millis64 kBetweenTries{2};

int wait_for_others(void* source_busy, int tries) {
    const Millis64 busy = *static_cast<const Millis64*>(source_busy);
    if (tries * kBetweenTries >= busy) return 0;
    thread_local std::minstd_rand random{std::random_device()()}; // not all at the same time
    constexpr auto kMost = std::chrono::microseconds(kBetweenTries).count() * 2;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(kMost)));
    return 1;
}

struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

void bind_one(sqlite3_stmt* statement, int i, const Parameter& parameter) {
    struct Binder {
        sqlite3_stmt* statement;
        int i;
        void operator()(std::monostate) const { sqlite3_bind_null(statement, i); }
        void operator()(std::int64_t n) const { sqlite3_bind_int64(statement, i, n); }
        void operator()(double x) const { sqlite3_bind_double(statement, i, x); }
        void operator()(std::string_view s) const {
            sqlite3_bind_text64(statement, i, s.data() ? s.data() : "", s.size(), SQLITE_STATIC, SQLITE_UTF8);
        }
        void operator()(Blob b) const {
            const char* bytes = b.bytes.data() ? b.bytes.data() : "";
            sqlite3_bind_blob64(statement, i, bytes, b.bytes.size(), SQLITE_STATIC);
        }
    };
    std::visit(Binder{statement, i}, parameter);
}

Cell cell_of(sqlite3_stmt* statement, int i) {
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return Cell(std::int64_t{sqlite3_column_int64(statement, i)});
    case SQLITE_FLOAT: return Cell(sqlite3_column_double(statement, i));
    default: break;
    }
    const void* bytes = sqlite3_column_blob(statement, i);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
    return Cell(bytes ? std::string(static_cast<const char*>(bytes), size) : std::string());
}

/// As SQLite writes it.
Cell text_of(sqlite3_stmt* statement, int i) {
    if (sqlite3_column_type(statement, i) == SQLITE_NULL) return {};
    const unsigned char* text = sqlite3_column_text(statement, i);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
    return Cell(text ? std::string(reinterpret_cast<const char*>(text), size) : std::string());
}

class SqliteDatabase final : public Database {
public:
    SqliteDatabase(SqliteHandle db, OnStatement on_statement)
        : db_(std::move(db)), on_statement_(std::move(on_statement)) {}

    Result<Answer> execute(const char* sql, Parameters parameters) override {
        StatementHandle& statement = prepared_[sql];
        if (!statement) statement = PTC_TRY(prepare(translated(sql, {})));
        for (std::size_t i = 0; i < parameters.size(); ++i)
            bind_one(statement.get(), static_cast<int>(i) + 1, parameters[i]);
        Result<Answer> answer = run(statement.get(), sql);
        sqlite3_reset(statement.get());
        sqlite3_clear_bindings(statement.get());
        return answer;
    }

    Result<std::vector<Answer>> execute_all(std::span<const Statement> statements) override {
        std::vector<Answer> answers;
        for (const Statement& statement : statements)
            answers.push_back(PTC_TRY(execute(statement.sql, statement.parameters)));
        return answers;
    }

    Result<void> defer(const char* sql, Parameters parameters) override {
        PTC_CHECK(execute(sql, parameters));
        return {};
    }

    Result<Answer> execute_text(const std::string& sql, const std::vector<std::string>& arguments) override {
        const StatementHandle statement = PTC_TRY(prepare(with_question_marks(sql)));
        for (std::size_t i = 0; i < arguments.size(); ++i)
            bind_one(statement.get(), static_cast<int>(i) + 1, std::string_view(arguments[i]));
        return run(statement.get(), sql, text_of);
    }

    Result<void> execute_script(const std::string& sql) override {
        on_statement_(sql);
        return checked(sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr));
    }

    Result<void> begin() override { return execute_script("BEGIN IMMEDIATE"); }
    Result<void> commit() override { return execute_script("COMMIT"); }
    void rollback() override {
        if (!sqlite3_get_autocommit(db_.get())) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    Result<std::vector<Answer>> execute_whole(std::span<const Statement> statements) override {
        PTC_CHECK(begin());
        std::vector<Answer> answers;
        for (const Statement& statement : statements) {
            const bool is_left_out = !answers.empty() && answers.front().rows.empty();
            answers.push_back(is_left_out ? Answer() : PTC_TRY(execute(statement.sql, statement.parameters)));
        }
        PTC_CHECK(commit());
        return answers;
    }
    [[nodiscard]] Failure failure() const override { return failure_; }
    [[nodiscard]] bool is_usable() const override { return sqlite3_get_autocommit(db_.get()) != 0; }
    [[nodiscard]] sqlite3* handle() const { return db_.get(); }

private:
    Result<StatementHandle> prepare(const std::string& sql) {
        sqlite3_stmt* statement = nullptr;
        const char* rest = nullptr;
        const int code = sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, &rest);
        StatementHandle handle(statement);
        PTC_CHECK(checked(code));
        const bool is_last = std::string_view(rest).find_first_not_of(" \t\r\n;") == std::string_view::npos;
        if (statement && is_last) return handle;
        failure_ = Failure::Wrong;
        return Error(Reason::InvalidRequest,
                     statement ? "There are several statements in the text." : "There is no statement in the text.");
    }

    Result<Answer> run(sqlite3_stmt* statement, std::string_view sql, Cell (*read)(sqlite3_stmt*, int) = cell_of) {
        on_statement_(sql);
        const SqliteStepLimit limit(db_.get());
        Answer answer;
        const int columns = sqlite3_column_count(statement);
        const int before = sqlite3_total_changes(db_.get());
        int code = SQLITE_OK;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            Row& row = answer.rows.emplace_back();
            for (int i = 0; i < columns; ++i)
                row.push_back(read(statement, i));
        }
        PTC_CHECK(checked(code));
        answer.changed = sqlite3_total_changes(db_.get()) - before;
        return answer;
    }

    Result<void> checked(int code) {
        failure_ = failure_of(code);
        if (failure_ == Failure::None) return {};
        const Reason reason = failure_ == Failure::Wrong ? Reason::InvalidRequest : Reason::StoreUnavailable;
        return Error(reason, std::string("The store cannot be used: ") + sqlite3_errmsg(db_.get()) + ".");
    }

    SqliteHandle db_;
    OnStatement on_statement_;
    std::unordered_map<const void*, StatementHandle> prepared_{}; ///< by the address of what it was made from
    Failure failure_ = Failure::None;
};

/// The one number that a statement gives.
std::optional<std::int64_t> number(sqlite3* db, const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) return std::nullopt;
    const StatementHandle handle(statement);
    if (sqlite3_step(statement) != SQLITE_ROW) return std::nullopt;
    return sqlite3_column_int64(statement, 0);
}

class SqliteSource final : public DatabaseSource {
public:
    SqliteSource(std::string path, Millis64 busy, OnStatement on_statement)
        : path_(std::move(path)), busy_(busy), on_statement_(std::move(on_statement)) {}

    Result<std::unique_ptr<Database>> connect() override {
        SqliteHandle db = PTC_TRY(open());
        return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(std::move(db), on_statement_));
    }

    [[nodiscard]] std::size_t most_connections() const override { return 1; }
    Result<void> notify(Database&) override { return {}; } // the file's number changes

    [[nodiscard]] std::string translated(std::string_view sql) const override { return ptc::translated(sql, {}); }

    Result<std::optional<int>> version(Database& database) override {
        const Answer answer = PTC_TRY(database.execute("PRAGMA user_version"));
        const std::int64_t version = answer.rows.empty() ? 0 : answer.rows[0][0].integer();
        return version == 0 ? std::optional<int>() : static_cast<int>(version); // `open` refused files of others
    }

    Result<void> lock_schema(Database&) override { return {}; } // BEGIN IMMEDIATE did

    Result<void> set_version(Database& database, int version) override {
        PTC_CHECK(database.execute_script("PRAGMA application_id = " + std::to_string(kApplicationId)));
        return database.execute_script("PRAGMA user_version = " + std::to_string(version));
    }

    Result<bool> has_schema(Database& database, const std::string& script) override {
        const std::string theirs = PTC_TRY(sqlite_schema_of(static_cast<SqliteDatabase&>(database).handle()));
        return theirs == PTC_TRY(sqlite_schema_of(script));
    }

    /// Other processes tell nobody that they wrote, but the file's number changes.
    void watch(Millis64 timeout) override {
        const auto end = std::chrono::steady_clock::now() + timeout;
        std::unique_lock lock(mutex_);
        if (!watcher_) {
            Result<SqliteHandle> opened = open();
            if (opened.ok()) watcher_ = std::move(opened).value();
        }
        if (const std::int64_t now = data_version(); now != seen_) {
            seen_ = now;
            woken_ = false;
            return;
        }
        while (!woken_ && std::chrono::steady_clock::now() < end) {
            changed_.wait_until(lock, std::min(end, std::chrono::steady_clock::now() + kBetweenLooks));
            if (const std::int64_t now = data_version(); now != seen_) {
                seen_ = now;
                break;
            }
        }
        woken_ = false;
    }

    void wake() override {
        const std::lock_guard lock(mutex_);
        woken_ = true;
        changed_.notify_all();
    }

private:
    Result<SqliteHandle> open() {
        SqliteHandle db = PTC_TRY(open_sqlite_file(path_, kNames));
        sqlite3_busy_handler(db.get(), wait_for_others, &busy_);
        const std::optional<std::int64_t> application = number(db.get(), "PRAGMA application_id");
        const std::optional<std::int64_t> tables = number(db.get(), "SELECT count(*) FROM sqlite_master");
        if (!application || !tables) return cannot_be_used(db.get());
        if (*application != kApplicationId && (*application != 0 || *tables != 0))
            return Error(Reason::InvalidRequest, path_ + ": It is a database, but no store of missions.");
        // Ours count missions. Another's are refused with the schema; one that comes later may change rows, as whoever
        // wrote it there may.
        sqlite3_db_config(db.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, nullptr);
        constexpr int kFlags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
        sqlite3_create_function_v2(db.get(), "now_ms", 0, kFlags, nullptr, now_ms, nullptr, nullptr, nullptr);
        for (const char* setting :
             {"PRAGMA foreign_keys = ON", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"}) {
            if (sqlite3_exec(db.get(), setting, nullptr, nullptr, nullptr) != SQLITE_OK)
                return cannot_be_used(db.get());
        }
        return db;
    }

    Error cannot_be_used(sqlite3* db) const {
        const Failure failure = failure_of(sqlite3_errcode(db));
        return Error(failure == Failure::Wrong ? Reason::InvalidRequest : Reason::StoreUnavailable,
                     path_ + ": The store cannot be used: " + sqlite3_errmsg(db) + ".");
    }

    std::int64_t data_version() {
        return watcher_ ? number(watcher_.get(), "PRAGMA data_version").value_or(seen_) : seen_;
    }

    std::string path_;
    Millis64 busy_;
    OnStatement on_statement_;
    std::mutex mutex_;
    std::condition_variable changed_;
    SqliteHandle watcher_;
    std::int64_t seen_ = 0;
    bool woken_ = false;
};

} // namespace

Result<std::unique_ptr<DatabaseSource>> sqlite_source(const std::string& path, Millis64 busy,
                                                      OnStatement on_statement) {
    return std::unique_ptr<DatabaseSource>(std::make_unique<SqliteSource>(path, busy, std::move(on_statement)));
}

} // namespace ptc
