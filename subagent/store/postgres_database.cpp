// PostgreSQL for the store. All names carry their schema, and behind a pooler every setting is made within a
// transaction, so that it may hand each transaction to another session. Statements are prepared by the protocol, which
// poolers of today know; where one does not, they are sent whole from then on. Parameters and results are binary. A
// transaction is sent in pipeline mode (libpq 14).
//
// What fails is sorted by SQLSTATE: deadlocks and their like are tried again on the same connection, everything that
// has to do with the connection on a new one. A peer that is gone without a word is noticed by TCP (keepalives, and
// tcp_user_timeout for what was sent); one that is there and says nothing, as proxies are that lost their server, by
// the time that an answer may take; a session that sleeps within a transaction is ended by the server, so that its row
// locks are.
#include "subagent/store/postgres_database.h"
#include "frontend/try.h"
#include "frontend/visible_text.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/text_hash.h"
#include "subagent/store/pq_library.h"
#include "subagent/store/schema.h"
#include "subagent/store/sqlite_database.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <unordered_map>

namespace ptc {
namespace {

constexpr Oid kBool = 16, kBytes = 17, kInt8 = 20, kInt2 = 21, kInt4 = 23, kText = 25, kFloat4 = 700, kFloat8 = 701;
constexpr Millis64 kOnTheWay{5'000};        ///< for an answer, beyond what the server may need for a statement
constexpr const char* kIdleTimeout = "60s"; ///< of a session within a transaction
/// For what a URL does not say.
constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"connect_timeout", "5"},      {"keepalives_idle", "10"},   {"keepalives_interval", "5"}, {"keepalives_count", "3"},
    {"tcp_user_timeout", "15000"}, {"application_name", "ptc"}, {"client_encoding", "UTF8"},
};

struct EndConnection {
    void operator()(PGconn* connection) const { pq().finish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, EndConnection>;
struct ClearResult {
    void operator()(PGresult* result) const { pq().clear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

// ---- Answers

using SteadyClock = std::chrono::steady_clock;

/// Until there is something to be read (or sent, with `sends`); false at `end`.
bool wait_for_socket(PGconn* connection, bool sends, SteadyClock::time_point end) {
    const auto left = std::chrono::ceil<Millis64>(end - SteadyClock::now()).count();
    pollfd ready{pq().socket(connection), static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, INT32_MAX)));
    return count > 0 || (count < 0 && errno == EINTR) || SteadyClock::now() < end;
}

/// The last result of what was sent, as PQexec has it; none when none came until `end`, the connection broke, or it is
/// to copy rows.
ResultHandle await_result(PGconn* connection, SteadyClock::time_point end) {
    for (int unsent = 1; (unsent = pq().flush(connection)) != 0;) {
        if (unsent < 0 || !wait_for_socket(connection, true, end) || !pq().consumeInput(connection)) return nullptr;
    }
    ResultHandle last;
    for (;;) {
        while (pq().isBusy(connection)) {
            if (!wait_for_socket(connection, false, end) || !pq().consumeInput(connection)) return nullptr;
        }
        ResultHandle next(pq().getResult(connection));
        if (!next) return last;
        const ExecStatusType status = pq().resultStatus(next.get());
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) return nullptr;
        const bool has_failed = last && pq().resultStatus(last.get()) == PGRES_FATAL_ERROR;
        if (!has_failed) last = std::move(next);
    }
}

std::string one_line(const char* text) { return printable_reason(text ? text : ""); }

/// What libpq says of a connection that it could not make: a line for each address that it tried, some with advice
/// behind (indented). For people each reason once, with all addresses that had it.
std::string connection_problem(std::string_view text) {
    constexpr std::string_view kFailed = " failed: ";
    std::vector<std::pair<std::string, std::string>> reasons; ///< and where
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.empty() || line.front() == '\t' || line.front() == ' ') continue;
        const std::size_t at = line.find(kFailed);
        std::string where(at == std::string_view::npos ? "" : line.substr(0, at));
        std::string reason =
            one_line(std::string(at == std::string_view::npos ? line : line.substr(at + kFailed.size())).c_str());
        const auto known = std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
        if (known == reasons.end())
            reasons.emplace_back(std::move(reason), std::move(where));
        else if (known->second.find(where) == std::string::npos)
            known->second += (where.starts_with("connection to server") ? " and" + where.substr(20) : ", " + where);
    }
    std::string out;
    for (const auto& [reason, where] : reasons)
        out += (out.empty() ? "" : "; ") + where + (where.empty() ? "" : std::string(kFailed)) + reason;
    return out;
}

/// What libpq says of a URL, without the parts of it that it quotes: a password may be in them.
std::string without_quotes(const std::string& text) {
    const bool is_name = text.starts_with("invalid URI query parameter");
    return is_name ? text : text.substr(0, text.find(": \""));
}

// ---- What went wrong

constexpr std::string_view kMissingRight = "42501";

Failure failure_of(std::string_view state) {
    const auto is_of = [&](std::string_view group) { return state.starts_with(group); };
    // Serialisation, deadlocks, locks and statements that took too long, prepared statements that a pooler lost.
    for (const std::string_view again : {"40001", "40P01", "55P03", "57014", "26000", "42P05"})
        if (state == again) return Failure::Again;
    // No connection, a server that ends or begins, too many clients, a server that only reads since another one leads.
    if (state.empty() || is_of("08") || is_of("57P") || state == "25P03" || state == "53300" || state == "25006")
        return Failure::Lost;
    if (is_of("53") || is_of("58") || is_of("XX") || state == kMissingRight) return Failure::Unusable;
    return Failure::Wrong;
}

// ---- Values on the wire

template <class Number> std::string to_wire(Number number) {
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
    return bytes;
}

/// 0 of bytes of another size: what a server sends is not believed.
template <class Number> Number from_wire(std::string bytes) {
    Number number{};
    if (bytes.size() != sizeof number) return number;
    if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
}

Cell cell_of(std::string bytes, Oid type) {
    switch (type) {
    case kInt8: return Cell(std::int64_t{from_wire<std::int64_t>(std::move(bytes))});
    case kInt4: return Cell(std::int64_t{from_wire<std::int32_t>(std::move(bytes))});
    case kInt2: return Cell(std::int64_t{from_wire<std::int16_t>(std::move(bytes))});
    case kBool: return Cell(std::int64_t{bytes == std::string(1, '\1')});
    case kFloat8: return Cell(from_wire<double>(std::move(bytes)));
    case kFloat4: return Cell(double{from_wire<float>(std::move(bytes))});
    default: return Cell(std::move(bytes));
    }
}

/// Parameters as libpq takes them; borrows texts and bytes.
struct WireParameters {
    std::vector<Oid> types{};
    std::vector<const char*> values{};
    std::vector<int> lengths{}, formats{};
    std::vector<std::string> numbers{};

    explicit WireParameters(Parameters parameters) {
        numbers.reserve(parameters.size()); // `values` points into it
        for (const Parameter& parameter : parameters)
            std::visit([&](const auto& value) { add(value); }, parameter);
    }
    [[nodiscard]] int count() const { return static_cast<int>(values.size()); }

private:
    void add(std::monostate) { add(0, nullptr, 0); }
    void add(std::int64_t number) { add_number(kInt8, to_wire(number)); }
    void add(double number) { add_number(kFloat8, to_wire(number)); }
    void add(std::string_view text) { add(kText, text.data() ? text.data() : "", text.size()); }
    void add(Blob blob) { add(kBytes, blob.bytes.data() ? blob.bytes.data() : "", blob.bytes.size()); }
    void add_number(Oid type, std::string wire) {
        numbers.push_back(std::move(wire));
        add(type, numbers.back().data(), numbers.back().size());
    }
    void add(Oid type, const char* value, std::size_t length) {
        types.push_back(type);
        values.push_back(value);
        lengths.push_back(static_cast<int>(length));
        formats.push_back(1);
    }
};

// ---- One connection

struct PostgresSettings {
    std::vector<std::string> keywords{}, values{};
    std::string schema = "ptc";
    std::string quoted_schema{}; ///< `"ptc".`
    Millis64 busy{};
    OnStatement on_statement{};
    std::atomic<bool> has_prepared = true; ///< no pooler in between has lost a prepared statement
};

/// Of a prepared statement: the same for the same statement, and for no other one. A pooler in transaction mode hands
/// sessions from one client to the next, with all that was prepared there.
std::string name_of(const std::string& sql, const std::vector<Oid>& types) {
    std::string all = sql;
    for (const Oid type : types)
        all += " " + std::to_string(type);
    return "ptc_" + hash_digits(text_hash(all));
}

std::string quoted(std::string_view name) {
    std::string out = "\"";
    for (const char c : name)
        out.append(c == '"' ? 2 : 1, c);
    return out + '"';
}

/// Everything between BEGIN and COMMIT is sent in libpq's pipeline mode: a statement whose answer is needed takes along
/// those before it that nobody waited for, BEGIN first of all, and COMMIT takes along the last ones. So a transaction
/// of one question and any number of writes goes to the server twice.
class PostgresDatabase final : public Database {
public:
    PostgresDatabase(ConnectionHandle connection, PostgresSettings& settings)
        : connection_(std::move(connection)), settings_(settings), timeout_(std::to_string(settings.busy.count())) {
        pq().setnonblocking(connection_.get(), 1);
    }

    Result<Answer> execute(const char* sql, Parameters parameters) override {
        PTC_CHECK(send(sql, parameters, true));
        std::vector<Answer> answers = PTC_TRY(answers_of_all());
        return std::move(answers.back());
    }

    Result<std::vector<Answer>> execute_all(std::span<const Statement> statements) override {
        for (const Statement& statement : statements)
            PTC_CHECK(send(statement.sql, statement.parameters, true));
        return answers_of_all();
    }

    Result<void> defer(const char* sql, Parameters parameters) override { return send(sql, parameters, false); }

    Result<Answer> execute_text(const std::string& sql, const std::vector<std::string>& arguments) override {
        settings_.on_statement(sql);
        std::vector<const char*> values;
        for (const std::string& argument : arguments) {
            if (argument.find('\0') != std::string::npos) {
                failure_ = Failure::Wrong;
                return invalid_request("PostgreSQL takes no texts with a zero byte.");
            }
            values.push_back(argument.c_str());
        }
        PTC_CHECK(note_sent(pq().sendQueryParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()),
                                                 nullptr, values.data(), nullptr, nullptr, 0),
                            {.is_wanted = true, .is_text = true}));
        std::vector<Answer> answers = PTC_TRY(answers_of_all());
        return std::move(answers.back());
    }

    /// Outside of the pipeline, which takes no texts of several statements.
    Result<void> execute_script(const std::string& sql) override {
        settings_.on_statement(sql);
        const bool was_piped = is_piped_;
        if (was_piped) PTC_CHECK(answers_of_all());
        leave_pipeline();
        PTC_CHECK(checked(result_of(pq().sendQuery(connection_.get(), sql.c_str()))));
        return was_piped ? enter_pipeline() : Result<void>();
    }

    /// A session that is ours has its settings once. One that a pooler lends us belongs to others next: settings are
    /// made within each transaction then. It is ours when the server's process is the one that we were told when we
    /// connected, where a pooler tells a number of its own.
    Result<void> settle() {
        constexpr const char* kOurs =
            "SELECT CASE WHEN pg_catalog.pg_backend_pid() = $1 THEN set_config('statement_timeout', $2, false) || "
            "set_config('idle_in_transaction_session_timeout', $3, false) END";
        const Parameter parameters[] = {std::int64_t{pq().backendPID(connection_.get())}, std::string_view(timeout_),
                                        std::string_view(kIdleTimeout)};
        PTC_CHECK(enter_pipeline());
        PTC_CHECK(send_whole(kOurs, WireParameters(parameters), true));
        const std::vector<Answer> answers = PTC_TRY(answers_of_all());
        leave_pipeline();
        is_ours_ = !answers[0].rows.empty() && !answers[0].rows[0][0].is_null();
        return {};
    }

    Result<void> begin() override {
        PTC_CHECK(enter_pipeline());
        PTC_CHECK(send_word("BEGIN"));
        if (is_ours_) return {};
        return send("SELECT set_config('statement_timeout', $1, true), "
                    "set_config('idle_in_transaction_session_timeout', $2, true)",
                    std::initializer_list<Parameter>{timeout_, kIdleTimeout}, false);
    }

    Result<void> commit() override {
        PTC_CHECK(send_word("COMMIT"));
        PTC_CHECK(answers_of_all());
        leave_pipeline();
        if (last_command_ == "COMMIT") return {};
        failure_ = Failure::Wrong; // a statement failed, and whoever made it went on
        return invalid_request("The transaction was rolled back: a statement in it had failed.");
    }

    void rollback() override {
        if (failure_ == Failure::Lost || !is_piped_) return;
        if (!sent_.empty()) (void)answers_of_all(); // in front of a failure they would keep ROLLBACK from being done
        if (failure_ == Failure::Lost) return;
        const auto send_rollback = [this] {
            return note_sent(
                pq().sendQueryParams(connection_.get(), "ROLLBACK", 0, nullptr, nullptr, nullptr, nullptr, 1), {});
        };
        if (send_rollback().ok()) (void)answers_of_all();
        leave_pipeline();
    }

    /// The server makes all that it gets up to a sync one transaction, without BEGIN and COMMIT. It never waits for us
    /// within it, so there is no session to be ended for that.
    Result<std::vector<Answer>> execute_whole(std::span<const Statement> statements, Durability) override {
        return execute_in_one(statements);
    }

    /// One transaction behind the other, sent at once. All of those that are to be synced but the last one commit
    /// without a wait for the disk: the log of the last one takes theirs along.
    void execute_wholes(std::span<WholeTransaction* const> all, const Done& done) override {
        // A statement is prepared in its transaction, which may fail before that: what comes behind it would miss it.
        if (all.size() == 1 ||
            !std::ranges::all_of(all, [this](const WholeTransaction* one) { return is_prepared(*one); }))
            return Database::execute_wholes(all, done);
        Together together;
        for (WholeTransaction* one : all)
            (one->durability == Durability::AtOnce ? together.synced : together.others).push_back(one);
        const bool is_sent = send_together(together);
        const bool is_synced = is_sent && read_together(together, done);
        for (WholeTransaction* one : together.others) // of which nothing was read
            give(*one, lost(), done);
        for (WholeTransaction* one : together.synced)
            is_synced ? done(*one) : give(*one, lost(), done);
    }

    [[nodiscard]] Failure failure() const override { return failure_; }
    [[nodiscard]] bool is_usable() const override {
        return failure_ != Failure::Lost && !is_piped_ && pq().status(connection_.get()) == CONNECTION_OK &&
               pq().transactionStatus(connection_.get()) == PQTRANS_IDLE;
    }

private:
    /// What an answer is awaited for.
    struct Sent {
        bool is_wanted = false;
        bool is_text = false;           ///< its cells are
        const char* prepares = nullptr; ///< a statement, which is not prepared when this fails
    };

    /// Transactions that were sent at once, in this order.
    struct Together {
        std::vector<WholeTransaction*> others{}, synced{}; ///< those that are not done
        std::vector<std::vector<Sent>> sent{}; ///< parts that each end with a sync of the pipeline: theirs and settings
        [[nodiscard]] bool has_early() const { return synced.size() > 1; } ///< that commit without a wait
    };

    void give(WholeTransaction& whole, Result<std::vector<Answer>> answers, const Done& done) const {
        whole.answers = std::move(answers);
        whole.failure = failure_;
        done(whole);
    }

    [[nodiscard]] bool is_prepared(const WholeTransaction& whole) const {
        return is_ours_ && settings_.has_prepared &&
               std::ranges::all_of(whole.statements,
                                   [this](const Statement& one) { return prepared_.contains(one.sql); });
    }

    bool end_part(Together& together) {
        together.sent.push_back(std::exchange(sent_, {}));
        return pq().pipelineSync(connection_.get()) != 0;
    }

    bool send_part(Together& together, const WholeTransaction& whole) {
        for (const Statement& statement : whole.statements)
            if (!send(statement.sql, statement.parameters, true).ok()) return false;
        return end_part(together);
    }

    /// The settings are transactions of their own: none is undone with somebody's.
    bool send_together(Together& together) {
        if (!enter_pipeline().ok()) return false;
        const auto send_setting = [&](const char* word) { return send_word(word).ok() && end_part(together); };
        for (const WholeTransaction* one : together.others)
            if (!send_part(together, *one)) return false;
        if (together.has_early() && !send_setting("SET synchronous_commit TO off")) return false;
        for (const WholeTransaction* one : together.synced) {
            const bool is_last = one == together.synced.back();
            if (is_last && together.has_early() && !send_setting("SET synchronous_commit TO DEFAULT")) return false;
            if (!send_part(together, *one)) return false;
        }
        return flush_sent();
    }

    /// False: not all of those that are to be synced are.
    bool read_together(Together& together, const Done& done) {
        auto part = together.sent.begin();
        const auto read = [&]() -> Result<std::vector<Answer>> {
            has_written_ = false;
            return answers_of(*part++);
        };
        for (std::vector<WholeTransaction*> others = std::exchange(together.others, {});
             WholeTransaction * one : others) {
            if (failure_ == Failure::Lost)
                together.others.push_back(one);
            else
                give(*one, read(), done);
        }
        // Whatever setting fails: nobody knows then what holds for this connection.
        const auto is_set = [&] { return !together.has_early() || read().ok(); };
        if (failure_ == Failure::Lost || !is_set()) return false;
        for (WholeTransaction* one : together.synced) {
            if (one == together.synced.back() && !is_set()) return false;
            one->answers = read();
            one->failure = failure_;
            if (failure_ == Failure::Lost) return false;
        }
        const bool has_synced = together.synced.empty() || (together.synced.back()->answers.ok() && has_written_);
        leave_pipeline();
        return !together.has_early() || has_synced || sync_now();
    }

    /// When the last one wrote nothing, its end waited for nothing.
    bool sync_now() {
        const Statement write{"UPDATE {s}meta SET number = number WHERE name = 'version'"};
        return execute_in_one(std::span(&write, 1)).ok();
    }

    Result<std::vector<Answer>> execute_in_one(std::span<const Statement> statements) {
        PTC_CHECK(enter_pipeline());
        if (!is_ours_)
            PTC_CHECK(send("SELECT set_config('statement_timeout', $1, true)",
                           std::initializer_list<Parameter>{timeout_}, false));
        for (const Statement& statement : statements)
            PTC_CHECK(send(statement.sql, statement.parameters, true));
        Result<std::vector<Answer>> answers = answers_of_all();
        if (answers.ok() || failure_ != Failure::Lost) leave_pipeline();
        return answers;
    }

    Result<void> enter_pipeline() {
        failure_ = Failure::None;
        is_piped_ = pq().enterPipelineMode(connection_.get()) != 0;
        return is_piped_ ? Result<void>() : lost();
    }
    void leave_pipeline() {
        if (is_piped_ && pq().exitPipelineMode(connection_.get()) != 0) is_piped_ = false;
    }

    Result<void> send_word(const char* word) {
        settings_.on_statement(word);
        return note_sent(pq().sendQueryParams(connection_.get(), word, 0, nullptr, nullptr, nullptr, nullptr, 1), {});
    }

    Result<void> send_whole(const char* sql, const WireParameters& wire, bool is_wanted) {
        settings_.on_statement(sql);
        const std::string text = translated(sql, {settings_.quoted_schema, true});
        return note_sent(pq().sendQueryParams(connection_.get(), text.c_str(), wire.count(), wire.types.data(),
                                              wire.values.data(), wire.lengths.data(), wire.formats.data(), 1),
                         {.is_wanted = is_wanted});
    }

    /// Prepared once a connection, where no pooler has lost what was.
    Result<void> send(const char* sql, Parameters parameters, bool is_wanted) {
        failure_ = Failure::Wrong;
        PTC_CHECK(check_sizes(parameters));
        failure_ = Failure::None;
        const WireParameters wire(parameters);
        if (!settings_.has_prepared) return send_whole(sql, wire, is_wanted);
        if (!prepared_.contains(sql)) {
            const std::string text = translated(sql, {settings_.quoted_schema, true});
            const std::string name = name_of(text, wire.types);
            PTC_CHECK(note_sent(
                pq().sendPrepare(connection_.get(), name.c_str(), text.c_str(), wire.count(), wire.types.data()),
                {.prepares = sql}));
            prepared_.emplace(sql, name);
        }
        settings_.on_statement(sql);
        return note_sent(pq().sendQueryPrepared(connection_.get(), prepared_[sql].c_str(), wire.count(),
                                                wire.values.data(), wire.lengths.data(), wire.formats.data(), 1),
                         {.is_wanted = is_wanted});
    }

    Result<void> note_sent(int is_sent, Sent sent) {
        if (!is_sent) return lost();
        sent_.push_back(sent);
        return {};
    }

    /// Of a connection that broke, or whose peer says nothing.
    Error lost() {
        failure_ = Failure::Lost;
        std::string why = is_silent_ ? "the server does not answer" : one_line(pq().errorMessage(connection_.get()));
        if (why.empty()) why = "the connection broke";
        return Error(Reason::StoreUnavailable, "The store cannot be used: " + why + ".");
    }

    /// The next result, or none at the end of a statement's; false when it is not to be had.
    bool next_result(ResultHandle& result) {
        const auto end = SteadyClock::now() + settings_.busy + kOnTheWay;
        while (pq().isBusy(connection_.get())) {
            is_silent_ = !wait_for_socket(connection_.get(), false, end);
            if (is_silent_ || !pq().consumeInput(connection_.get())) return false;
        }
        result.reset(pq().getResult(connection_.get()));
        return true;
    }

    bool flush_sent() {
        const auto end = SteadyClock::now() + settings_.busy + kOnTheWay;
        for (int unsent = 1; (unsent = pq().flush(connection_.get())) != 0;) {
            is_silent_ = unsent > 0 && !wait_for_socket(connection_.get(), true, end);
            if (unsent < 0 || is_silent_ || !pq().consumeInput(connection_.get())) return false;
        }
        return true;
    }

    /// Has all that was sent done. The answers that are wanted, or the error of what failed first.
    Result<std::vector<Answer>> answers_of_all() {
        const std::vector<Sent> sent = std::exchange(sent_, {});
        if (!pq().pipelineSync(connection_.get()) || !flush_sent()) return lost();
        return answers_of(sent);
    }

    /// The same of what was sent up to a sync of the pipeline.
    Result<std::vector<Answer>> answers_of(const std::vector<Sent>& sent) {
        std::vector<Answer> answers;
        std::optional<Error> first;
        Failure first_failure = Failure::None;
        for (const Sent& one : sent) {
            ResultHandle result, end;
            if (!next_result(result) || !result || !next_result(end)) return lost();
            while (end) // of a connection that breaks there may be several
                if (pq().status(connection_.get()) != CONNECTION_OK || !next_result(end)) return lost();
            const bool is_left_out = pq().resultStatus(result.get()) == PGRES_PIPELINE_ABORTED;
            const Result<void> done = is_left_out ? Result<void>() : checked(result);
            if (!done.ok() && failure_ == Failure::Lost) return done.error();
            if ((is_left_out || !done.ok()) && one.prepares) prepared_.erase(one.prepares);
            if (!done.ok() && !first) {
                first = done.error();
                first_failure = failure_;
            }
            if (done.ok() && !is_left_out && one.is_wanted) answers.push_back(rows_of(result, one.is_text));
            if (done.ok() && !is_left_out) last_command_ = pq().cmdStatus(result.get());
            if (done.ok() && !is_left_out) has_written_ |= is_write(result);
        }
        if (Result<void> synced = take_sync(); !synced.ok()) {
            if (failure_ == Failure::Lost || !first) return synced.take_error();
        } else {
            failure_ = first_failure;
        }
        if (first) return *first;
        return answers;
    }

    /// Whether it changed a row.
    static bool is_write(const ResultHandle& result) {
        const std::string_view command = pq().cmdStatus(result.get());
        return command.starts_with("UPDATE ") && command != "UPDATE 0";
    }

    /// The end of what was sent. A transaction without a COMMIT of its own is committed there, which may fail.
    Result<void> take_sync() {
        constexpr int kMostResults = 8;
        Result<void> committed;
        for (int i = 0; i < kMostResults; ++i) {
            ResultHandle result;
            if (!next_result(result)) return lost();
            if (!result) continue;
            if (pq().resultStatus(result.get()) == PGRES_PIPELINE_SYNC) return committed;
            committed = checked(result);
            if (committed.ok() || failure_ == Failure::Lost) return lost();
        }
        return lost();
    }

    /// Of a script, when it could be sent.
    ResultHandle result_of(int sent) {
        const auto end = SteadyClock::now() + settings_.busy + kOnTheWay;
        ResultHandle result = sent ? await_result(connection_.get(), end) : nullptr;
        is_silent_ = !result && SteadyClock::now() >= end;
        return result;
    }

    Result<void> checked(const ResultHandle& result) {
        if (!result) return lost();
        const ExecStatusType status = pq().resultStatus(result.get());
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) return lost();
        failure_ = Failure::None;
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) return {};
        const char* state = pq().resultErrorField(result.get(), PG_DIAG_SQLSTATE);
        failure_ = failure_of(state ? state : "");
        if (state && (std::string_view(state) == "26000" || std::string_view(state) == "42P05"))
            settings_.has_prepared = false;
        const Reason reason = failure_ == Failure::Wrong ? Reason::InvalidRequest : Reason::StoreUnavailable;
        const char* primary = pq().resultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY); // its detail has rows
        std::string why = one_line(primary ? primary : pq().errorMessage(connection_.get()));
        if (state && state == kMissingRight) why += grant_that_helps(why);
        return Error(reason, "The store cannot be used: " + why + ".");
    }

    static Answer rows_of(const ResultHandle& result, bool as_text) {
        Answer answer;
        const char* changed = pq().cmdTuples(result.get());
        std::from_chars(changed, changed + std::strlen(changed), answer.changed);
        const int columns = pq().nfields(result.get());
        for (int i = 0, rows = pq().ntuples(result.get()); i < rows; ++i) {
            Row& row = answer.rows.emplace_back();
            for (int column = 0; column < columns; ++column) {
                if (pq().getisnull(result.get(), i, column)) {
                    row.emplace_back();
                    continue;
                }
                std::string bytes(pq().getvalue(result.get(), i, column),
                                  static_cast<std::size_t>(pq().getlength(result.get(), i, column)));
                row.push_back(as_text ? Cell(std::move(bytes))
                                      : cell_of(std::move(bytes), pq().ftype(result.get(), column)));
            }
        }
        return answer;
    }

    /// Of a role that may not do something: what whoever may give it rights has to say.
    [[nodiscard]] std::string grant_that_helps(std::string_view why) const {
        const auto is_of = [&](std::string_view what) { return why.find(what) != std::string_view::npos; };
        const std::string schema = settings_.quoted_schema.substr(0, settings_.quoted_schema.size() - 1);
        const std::string to = " TO " + quoted(pq().user(connection_.get())) + ";`";
        if (is_of("for table") || is_of("for relation") || is_of("for view"))
            return ". This helps: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + to;
        if (is_of("for schema")) return ". This helps: `GRANT USAGE ON SCHEMA " + schema + to;
        if (is_of("for database"))
            return ". This helps: `GRANT CREATE ON DATABASE " + quoted(pq().db(connection_.get())) + to;
        if (is_of("must be owner")) return ": `ptcc store migrate` is for the role that made the tables";
        return "";
    }

    ConnectionHandle connection_;
    PostgresSettings& settings_;
    const std::string timeout_; ///< of a statement, in ms; its wait for locks is part of it
    std::unordered_map<const void*, std::string> prepared_{}; ///< names, by the address of what they were made from
    std::vector<Sent> sent_{};                                ///< whose answers were not read
    std::string last_command_{};
    bool is_piped_ = false;
    bool has_written_ = false; ///< an UPDATE since this was reset
    bool is_ours_ = false;     ///< the session: no pooler hands it to others
    Failure failure_ = Failure::None;
    bool is_silent_ = false; ///< no answer came in time
};

// ---- Where connections come from

/// The first schema that `-c search_path=..` names.
std::string schema_in(const std::string& options) {
    constexpr std::string_view kName = "search_path=";
    const std::size_t at = options.find(kName);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + kName.size();
    const std::size_t end = options.find_first_of(", ", begin);
    return options.substr(begin, end == std::string::npos ? end : end - begin);
}

class PostgresSource final : public DatabaseSource {
public:
    PostgresSource() : woken_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
    ~PostgresSource() override { ::close(woken_); }

    Result<void> read_url(const std::string& url, Millis64 busy, OnStatement on_statement) {
        if (!pq_problem().empty()) return invalid_request(pq_problem());
        char* problem = nullptr;
        PQconninfoOption* options = pq().conninfoParse(url.c_str(), &problem);
        if (!options) {
            Error error =
                invalid_request("The URL of the store cannot be read: " + without_quotes(one_line(problem)) + ".");
            pq().freemem(problem);
            return error;
        }
        for (const PQconninfoOption* option = options; option->keyword; ++option) {
            if (option->val) add(option->keyword, option->val);
        }
        pq().conninfoFree(options);
        for (const auto& [keyword, value] : kDefaults) {
            if (std::ranges::find(settings_.keywords, keyword) == settings_.keywords.end()) add(keyword, value);
        }
        settings_.quoted_schema = quoted(settings_.schema) + ".";
        settings_.busy = busy;
        settings_.on_statement = std::move(on_statement);
        return {};
    }

    Result<std::unique_ptr<Database>> connect() override {
        ConnectionHandle connection = PTC_TRY(connect_one());
        auto database = std::make_unique<PostgresDatabase>(std::move(connection), settings_);
        PTC_CHECK(database->settle());
        return std::unique_ptr<Database>(std::move(database));
    }

    [[nodiscard]] std::size_t connections(std::size_t wanted) const override {
        return std::min<std::size_t>(wanted, 1000);
    }

    Result<void> notify(Database& database) override {
        return database.defer("SELECT pg_notify($1, '')", {settings_.schema});
    }

    [[nodiscard]] std::string translated(std::string_view sql) const override {
        return ptc::translated(sql, {settings_.quoted_schema, true});
    }

    Result<std::optional<int>> version(Database& database) override {
        const Answer tables =
            PTC_TRY(database.execute("SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                                     "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')",
                                     {settings_.schema}));
        if (tables.rows.empty()) return std::optional<int>();
        const Answer ours = PTC_TRY(database.execute(
            "SELECT count(*) FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN "
            "pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'meta' "
            "AND a.attname IN ('name', 'number', 'bytes')",
            {settings_.schema}));
        if (!ours.rows.empty() && ours.rows[0][0].integer() == 3) {
            const Answer found = PTC_TRY(database.execute("SELECT number FROM {s}meta WHERE name = 'version'"));
            if (!found.rows.empty()) return std::optional<int>(static_cast<int>(found.rows[0][0].integer()));
        }
        return invalid_request("The schema `" + settings_.schema +
                               "` of the database has tables, but none of a store of missions.");
    }

    Result<void> lock_schema(Database& database) override {
        PTC_CHECK(database.execute("SELECT pg_advisory_xact_lock(hashtext('ptc ' || $1))", {settings_.schema}));
        const Answer found =
            PTC_TRY(database.execute("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", {settings_.schema}));
        return found.rows.empty() ? database.execute_script("CREATE SCHEMA " + quoted(settings_.schema))
                                  : Result<void>();
    }

    Result<void> set_version(Database& database, int version) override {
        PTC_CHECK(database.execute("INSERT INTO {s}meta (name, number) VALUES ('version', $1) "
                                   "ON CONFLICT (name) DO UPDATE SET number = $1",
                                   {std::int64_t{version}}));
        return {};
    }

    /// More than those may be there: nothing of them is used.
    Result<bool> has_schema(Database& database, const std::string&) override {
        std::set<std::string> missing = PTC_TRY(columns_of(ptc::translated(store_schema(), {})));
        const Answer found = PTC_TRY(database.execute(
            "SELECT c.relname || '.' || a.attname FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = "
            "a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND a.attnum > 0 "
            "AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v')",
            {settings_.schema}));
        for (const Row& row : found.rows)
            missing.erase(row[0].text());
        return missing.empty();
    }

    void watch(Millis64 timeout) override {
        const std::lock_guard lock(listener_mutex_);
        if (!listener_ && listen()) return; // what came before nobody was told
        pollfd ready[] = {{woken_, POLLIN, 0}, {listener_ ? pq().socket(listener_.get()) : -1, POLLIN, 0}};
        ::poll(ready, 2, static_cast<int>(std::clamp<std::int64_t>(timeout.count(), 0, INT32_MAX)));
        std::uint64_t count = 0;
        if (ready[0].revents != 0 && ::read(woken_, &count, sizeof count) < 0) return;
        if (ready[1].revents == 0) return;
        if (!pq().consumeInput(listener_.get())) listener_.reset(); // a new one next time
        while (PGnotify* notice = listener_ ? pq().notifies(listener_.get()) : nullptr)
            pq().freemem(notice);
    }

    void wake() override {
        const std::uint64_t one = 1;
        (void)!::write(woken_, &one, sizeof one);
    }

private:
    void add(const char* keyword, const char* value) {
        settings_.keywords.emplace_back(keyword);
        settings_.values.emplace_back(value);
        if (std::string_view(keyword) != "options") return;
        if (std::string schema = schema_in(value); !schema.empty()) settings_.schema = std::move(schema);
    }

    Result<ConnectionHandle> connect_one() {
        std::vector<const char*> keywords, values;
        for (std::size_t i = 0; i < settings_.keywords.size(); ++i) {
            keywords.push_back(settings_.keywords[i].c_str());
            values.push_back(settings_.values[i].c_str());
        }
        keywords.push_back(nullptr);
        values.push_back(nullptr);
        ConnectionHandle connection(pq().connectdbParams(keywords.data(), values.data(), 0));
        if (connection && pq().status(connection.get()) == CONNECTION_OK) {
            pq().setNoticeProcessor(
                connection.get(), [](void*, const char*) {}, nullptr); // not to our stderr
            return connection;
        }
        const std::string message = connection ? connection_problem(pq().errorMessage(connection.get())) : "no memory";
        const bool is_pooler = message.find("unsupported startup parameter: options") != std::string::npos;
        return Error(is_pooler || is_refusal(message) ? Reason::InvalidRequest : Reason::StoreUnavailable,
                     "The store cannot be reached: " + message +
                         (is_pooler ? ". In PgBouncer this helps: `ignore_startup_parameters = options`." : "."));
    }

    /// Whether the server is there and will not have us: no database or role of that name, a wrong password.
    static bool is_refusal(std::string_view message) {
        const auto has = [&](std::string_view text) { return message.find(text) != std::string_view::npos; };
        return has("does not exist") || has("authentication failed") || has("no pg_hba.conf entry") ||
               has("permission denied for database") || has("no password supplied");
    }

    bool listen() {
        Result<ConnectionHandle> connected = connect_one();
        if (!connected.ok()) return false;
        listener_ = std::move(connected).value();
        const bool is_sent = pq().sendQuery(listener_.get(), ("LISTEN " + quoted(settings_.schema)).c_str()) != 0;
        const auto heard = is_sent ? await_result(listener_.get(), SteadyClock::now() + kOnTheWay) : nullptr;
        if (!heard) listener_.reset();
        return heard && pq().resultStatus(heard.get()) == PGRES_COMMAND_OK;
    }

    PostgresSettings settings_;
    int woken_;
    std::mutex listener_mutex_;
    ConnectionHandle listener_;
};

} // namespace

Result<std::unique_ptr<DatabaseSource>> postgres_source(const std::string& url, Millis64 busy,
                                                        OnStatement on_statement) {
    auto source = std::make_unique<PostgresSource>();
    PTC_CHECK(source->read_url(url, busy, std::move(on_statement)));
    return std::unique_ptr<DatabaseSource>(std::move(source));
}

} // namespace ptc
