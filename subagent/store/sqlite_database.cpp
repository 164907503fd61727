// SQLite for the store: one connection for all threads of a process, who take turns at it; WAL with synchronous=FULL,
// every transaction BEGIN IMMEDIATE. Writers queue at the file, so what PostgreSQL needs row locks for holds here by
// itself. Most of a transaction is the wait for the disk, so those that are whole and came while another one had its
// turn are done as one, each within a savepoint, and synced once.
#include "subagent/store/sqlite_database.h"
#include "frontend/try.h"
#include "frontend/visible_text.h"
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
constexpr int kMostRowBytes = 1'000'000'000; ///< SQLite's own limit
constexpr Millis64 kBetweenLooks{20};        ///< at the file, for what other processes wrote

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
    thread_local std::chrono::steady_clock::time_point began;
    if (tries == 0) began = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - began >= busy) return 0;
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

/// The file. One thread at a time: see SqliteTurns.
class SqliteConnection {
public:
    SqliteConnection(SqliteHandle db, OnStatement on_statement)
        : db_(std::move(db)), on_statement_(std::move(on_statement)) {}

    Result<Answer> execute(const char* sql, Parameters parameters) {
        failure_ = Failure::Wrong;
        PTC_CHECK(check_sizes(parameters));
        StatementHandle& statement = prepared_[sql];
        if (!statement) statement = PTC_TRY(prepare(translated(sql, {})));
        for (std::size_t i = 0; i < parameters.size(); ++i)
            bind_one(statement.get(), static_cast<int>(i) + 1, parameters[i]);
        Result<Answer> answer = run(statement.get(), sql);
        sqlite3_reset(statement.get());
        sqlite3_clear_bindings(statement.get());
        return answer;
    }

    Result<Answer> execute_text(const std::string& sql, const std::vector<std::string>& arguments) {
        const StatementHandle statement = PTC_TRY(prepare(with_question_marks(sql)));
        for (std::size_t i = 0; i < arguments.size(); ++i)
            bind_one(statement.get(), static_cast<int>(i) + 1, std::string_view(arguments[i]));
        return run(statement.get(), sql, text_of);
    }

    Result<void> execute_script(const std::string& sql) {
        on_statement_(sql);
        return checked(sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr));
    }

    /// Commits that are not synced are in the journal, which the next one that is syncs as a whole.
    Result<void> begin(Durability durability) {
        if (durability != durability_) {
            const bool is_full = durability == Durability::AtOnce;
            PTC_CHECK(
                checked(sqlite3_exec(db_.get(), is_full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
                                     nullptr, nullptr, nullptr)));
            durability_ = durability;
        }
        return execute_script("BEGIN IMMEDIATE");
    }
    Result<void> commit() { return execute_script("COMMIT"); }
    void rollback() {
        if (has_transaction()) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    /// Some errors end it.
    [[nodiscard]] bool has_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }
    [[nodiscard]] Failure failure() const { return failure_; }
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
        return Error(reason, "The store cannot be used: " + printable_reason(sqlite3_errmsg(db_.get())) + ".");
    }

    SqliteHandle db_;
    OnStatement on_statement_;
    std::unordered_map<const void*, StatementHandle> prepared_{}; ///< by the address of what it was made from
    Failure failure_ = Failure::None;
    Durability durability_ = Durability::AtOnce; ///< of the connection, as it was opened
};

/// Whose turn it is at the connection.
class SqliteTurns {
public:
    SqliteTurns(SqliteHandle db, OnStatement on_statement, Millis64 busy)
        : connection_(std::move(db), std::move(on_statement)), busy_(busy) {}

    /// False: others have it for too long.
    [[nodiscard]] bool take() {
        std::unique_lock lock(mutex_);
        const bool is_free = changed_.wait_for(lock, busy_, [this] { return !is_taken_; });
        if (is_free) is_taken_ = true;
        return is_free;
    }
    void give_back() {
        {
            const std::lock_guard lock(mutex_);
            is_taken_ = false;
            is_usable_ = !connection_.has_transaction();
        }
        changed_.notify_all();
    }
    /// Does it, or waits for somebody who does it with others.
    void run(WholeTransaction& whole) {
        std::unique_lock lock(mutex_);
        waiting_.push_back(&whole);
        while (true) {
            const bool is_over = !changed_.wait_for(lock, busy_, [&] { return whole.is_done || !is_taken_; });
            if (whole.is_done) return;
            if (is_over && std::erase(waiting_, &whole) > 0) {
                whole.answers = too_busy();
                whole.failure = Failure::Again;
                return;
            }
            if (is_over) continue; // somebody is at it
            is_taken_ = true;
            const std::vector<WholeTransaction*> together = std::exchange(waiting_, {});
            lock.unlock();
            const Together done(*this, together); // also where memory ends
            run_all(together);
            return;
        }
    }

    static Error too_busy() {
        return Error(Reason::StoreUnavailable, "The store cannot be used: others have it for too long.");
    }
    [[nodiscard]] SqliteConnection& connection() { return connection_; }
    [[nodiscard]] bool is_usable() const {
        const std::lock_guard lock(mutex_);
        return is_usable_;
    }

private:
    /// Ends the turn, and the wait of all whose transactions it had.
    class Together {
    public:
        Together(SqliteTurns& turns, std::span<WholeTransaction* const> all) : turns_(turns), all_(all) {}
        Together(const Together&) = delete;
        Together& operator=(const Together&) = delete;
        ~Together() {
            turns_.connection_.rollback();
            {
                const std::lock_guard lock(turns_.mutex_);
                for (WholeTransaction* one : all_)
                    one->is_done = true;
            }
            turns_.give_back();
        }

    private:
        SqliteTurns& turns_;
        std::span<WholeTransaction* const> all_;
    };

    void run_all(std::span<WholeTransaction* const> all) {
        const bool is_synced =
            std::ranges::any_of(all, [](const WholeTransaction* one) { return one->durability == Durability::AtOnce; });
        Result<void> written = connection_.begin(is_synced ? Durability::AtOnce : Durability::WithNext);
        for (WholeTransaction* one : all)
            if (written.ok()) written = run_one(*one, all.size() > 1);
        if (written.ok()) written = connection_.commit();
        if (written.ok()) return;
        for (WholeTransaction* one : all) { // nothing of any of them is there
            if (!one->answers.ok() && one->failure != Failure::Unusable) continue;
            one->answers = written.error();
            one->failure = connection_.failure();
        }
    }

    /// What it fails of is its own, as long as the others have their transaction.
    Result<void> run_one(WholeTransaction& one, bool has_others) {
        if (has_others) PTC_CHECK(connection_.execute_script("SAVEPOINT one"));
        one.answers = run_statements(one.statements);
        one.failure = connection_.failure();
        if (!one.answers.ok() && (!has_others || !connection_.has_transaction())) return one.answers.error();
        if (!one.answers.ok()) PTC_CHECK(connection_.execute_script("ROLLBACK TO one"));
        return has_others ? connection_.execute_script("RELEASE one") : Result<void>();
    }

    Result<std::vector<Answer>> run_statements(std::span<const Statement> statements) {
        std::vector<Answer> answers;
        for (const Statement& statement : statements) {
            const bool is_left_out = !answers.empty() && answers.front().rows.empty();
            answers.push_back(is_left_out ? Answer()
                                          : PTC_TRY(connection_.execute(statement.sql, statement.parameters)));
        }
        return answers;
    }

    SqliteConnection connection_;
    const Millis64 busy_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool is_taken_ = false, is_usable_ = true;
    std::vector<WholeTransaction*> waiting_{};
};

/// What a thread has of the connection: it has its turn from `begin` on.
class SqliteDatabase final : public Database {
public:
    explicit SqliteDatabase(std::shared_ptr<SqliteTurns> turns) : turns_(std::move(turns)) {}
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;
    ~SqliteDatabase() override { rollback(); }

    Result<Answer> execute(const char* sql, Parameters parameters) override {
        return noted(turns_->connection().execute(sql, parameters));
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
        return noted(turns_->connection().execute_text(sql, arguments));
    }
    Result<void> execute_script(const std::string& sql) override {
        return noted(turns_->connection().execute_script(sql));
    }

    Result<void> begin() override {
        has_turn_ = turns_->take();
        failure_ = Failure::Again;
        if (!has_turn_) return SqliteTurns::too_busy();
        return noted(turns_->connection().begin(Durability::AtOnce));
    }
    Result<void> commit() override {
        PTC_CHECK(noted(turns_->connection().commit()));
        end_turn();
        return {};
    }
    void rollback() override {
        if (!has_turn_) return;
        turns_->connection().rollback();
        end_turn();
    }
    Result<std::vector<Answer>> execute_whole(std::span<const Statement> statements, Durability durability) override {
        WholeTransaction whole{.statements = statements, .durability = durability};
        turns_->run(whole);
        failure_ = whole.answers.ok() ? Failure::None : whole.failure;
        return std::move(whole.answers);
    }
    [[nodiscard]] Failure failure() const override { return failure_; }
    [[nodiscard]] bool is_usable() const override { return !has_turn_ && turns_->is_usable(); }
    [[nodiscard]] sqlite3* handle() const { return turns_->connection().handle(); }

private:
    template <class T> Result<T> noted(Result<T> result) {
        failure_ = turns_->connection().failure();
        return result;
    }
    void end_turn() {
        has_turn_ = false;
        turns_->give_back();
    }

    std::shared_ptr<SqliteTurns> turns_;
    Failure failure_ = Failure::None;
    bool has_turn_ = false;
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
        const std::lock_guard lock(turns_mutex_);
        if (!turns_ || !turns_->is_usable())
            turns_ = std::make_shared<SqliteTurns>(PTC_TRY(open()), on_statement_, busy_);
        return std::unique_ptr<Database>(std::make_unique<SqliteDatabase>(turns_));
    }

    /// Each is a place in line for the one that there is: who stands there may be done together with others.
    [[nodiscard]] std::size_t connections(std::size_t) const override { return 1000; }
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

    void settle() override {
        const Result<SqliteHandle> db = open();
        if (!db.ok()) return;
        sqlite3_busy_handler(db.value().get(), nullptr, nullptr); // whoever is at work does it later
        sqlite3_wal_checkpoint_v2(db.value().get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    }

private:
    Result<SqliteHandle> open() {
        SqliteHandle db = PTC_TRY(open_sqlite_file(path_, kNames));
        // A row that somebody else wrote may be as large as SQLite allows: it is changed, and ends its mission, though
        // its cells are not read (PTC_PAYLOAD).
        sqlite3_limit(db.get(), SQLITE_LIMIT_LENGTH, kMostRowBytes);
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
                     path_ + ": The store cannot be used: " + printable_reason(sqlite3_errmsg(db)) + ".");
    }

    std::int64_t data_version() {
        return watcher_ ? number(watcher_.get(), "PRAGMA data_version").value_or(seen_) : seen_;
    }

    std::string path_;
    Millis64 busy_;
    OnStatement on_statement_;
    std::mutex turns_mutex_;
    std::shared_ptr<SqliteTurns> turns_{};
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

Result<std::set<std::string>> columns_of(const std::string& script) {
    sqlite3* db = nullptr;
    const int opened = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
    const SqliteHandle handle(db);
    sqlite3_stmt* select = nullptr;
    if (opened == SQLITE_OK && sqlite3_exec(db, script.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK)
        sqlite3_prepare_v2(db,
                           "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE "
                           "m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%'",
                           -1, &select, nullptr);
    std::set<std::string> columns;
    int code = SQLITE_ERROR;
    while (select && (code = sqlite3_step(select)) == SQLITE_ROW)
        columns.emplace(reinterpret_cast<const char*>(sqlite3_column_text(select, 0)));
    sqlite3_finalize(select);
    if (code != SQLITE_DONE) return Error(Reason::InvalidRequest, "SQLite cannot make a database in memory.");
    return columns;
}

} // namespace ptc
