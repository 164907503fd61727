// What the store needs of a database: statements with parameters, rows, transactions. Two drivers, sqlite_database.cpp
// and postgres_database.cpp; all SQL is written once, for both.
//
// Parameters are `$1`, `$2`, .. What the two call by different names stands in braces, see `translated`.
#pragma once
#include "ptc/mission_store.h"
#include "ptc/result.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptc {

/// Bytes, where a std::string_view is text.
struct Blob {
    explicit Blob(std::string_view b) : bytes(b) {}
    std::string_view bytes;
};

/// Of one cell, written or read: a database that others write to may hold cells of any size, and one row that cannot be
/// had must not keep a worker from all others.
constexpr std::size_t kMostCellBytes = std::size_t{255} << 20;
/// A column of bytes, as it is selected: what is too large stays where it is, and kTooLarge comes in its place.
#define PTC_PAYLOAD(column) PTC_PAYLOAD_OF("length(" column ")", column)
/// The same, by a size of several rows.
#define PTC_PAYLOAD_OF(size, column) "CASE WHEN " size " > {most_bytes} THEN {too_large} ELSE " column " END"
/// A column of text that no index bounds: ours are no longer.
#define PTC_NAME(column) "substr(" column ", 1, 1000)"
inline constexpr std::string_view kTooLarge = "\xFFtoo large\xFF";

/// One parameter of a statement; borrows texts and bytes.
using Parameter = std::variant<std::monostate, std::int64_t, double, std::string_view, Blob>;
using Parameters = std::span<const Parameter>;

/// invalid_request for a cell that is too large to be read again.
Result<void> check_sizes(Parameters parameters);

/// Of a row; empty for NULL.
class Cell {
public:
    using Held = std::variant<std::monostate, std::int64_t, double, std::string>;
    Cell() = default;
    explicit Cell(Held held) : held_(std::move(held)) {}
    [[nodiscard]] bool is_null() const { return held_.index() == 0; }
    /// 0 of what is no number: rows may come from elsewhere.
    [[nodiscard]] std::int64_t integer() const;
    [[nodiscard]] double real() const;
    /// Text or bytes; "" of anything else.
    [[nodiscard]] const std::string& text() const;

private:
    Held held_;
};

using Row = std::vector<Cell>;
using Rows = std::vector<Row>;

/// What a statement did: its rows, or how many it changed.
struct Answer {
    Rows rows{};
    std::int64_t changed = 0;
};

/// One of several that are sent together. `sql` is a constant, as for Database::execute.
struct Statement {
    const char* sql;
    std::vector<Parameter> parameters{};
};

/// What is to be done about a statement that failed.
enum class Failure : std::uint8_t {
    None,
    Again,    ///< a deadlock, a serialisation failure, a busy file: the transaction may succeed when it is repeated
    Lost,     ///< the connection is gone: the same on a new one
    Unusable, ///< a full disk, a server that shuts down, missing rights: not by repeating it now
    Wrong,    ///< a statement that is refused for what it says
};

/// Before each statement, transactions' own included.
using OnStatement = std::function<void(std::string_view sql)>;

/// A transaction that is whole: its statements are known before it begins (Database::execute_whole).
struct WholeTransaction {
    std::span<const Statement> statements;
    Durability durability = Durability::AtOnce;
    Result<std::vector<Answer>> answers = Error(Reason::StoreUnavailable, "The store cannot be used: no memory.");
    Failure failure = Failure::Unusable;
    bool is_done = false; ///< for who waits for it
};

/// One connection; one thread at a time. After an error the transaction is to be rolled back.
class Database {
public:
    virtual ~Database() = default;
    /// A statement of ours. `sql` is a constant: it is prepared once, and found again by its address.
    virtual Result<Answer> execute(const char* sql, Parameters parameters) = 0;
    Result<Answer> execute(const char* sql, std::initializer_list<Parameter> parameters) {
        return execute(sql, Parameters(parameters.begin(), parameters.size()));
    }
    Result<Answer> execute(const char* sql) { return execute(sql, Parameters()); }
    /// Several, on one way to the server and back; when one fails, none behind it is done.
    virtual Result<std::vector<Answer>> execute_all(std::span<const Statement> statements) = 0;
    /// One whose answer nobody needs: it may be done with whatever is next, which then has its error.
    virtual Result<void> defer(const char* sql, Parameters parameters) = 0;
    Result<void> defer(const char* sql, std::initializer_list<Parameter> parameters) {
        return defer(sql, Parameters(parameters.begin(), parameters.size()));
    }
    /// A statement of somebody else: parameters and cells are texts.
    virtual Result<Answer> execute_text(const std::string& sql, const std::vector<std::string>& arguments) = 0;
    /// Several statements, e.g. a schema.
    virtual Result<void> execute_script(const std::string& sql) = 0;
    virtual Result<void> begin() = 0; ///< as `defer`
    virtual Result<void> commit() = 0;
    virtual void rollback() = 0;
    /// A transaction of its own, not within another: on one way to the server and back, with all answers. Those behind
    /// the first are done only where that gave a row; PostgreSQL, which has them all at once, sees it by a condition
    /// that each of them has (`{mine}`, or one on a row that the first one took). What is not to be synced by itself
    /// PostgreSQL is told by `{with_next}`, SQLite by `durability`.
    virtual Result<std::vector<Answer>> execute_whole(std::span<const Statement> statements, Durability durability) = 0;
    Result<std::vector<Answer>> execute_whole(std::span<const Statement> statements) {
        return execute_whole(statements, Durability::AtOnce);
    }
    /// Several such transactions, each of them for itself: one may fail and another not. Each is given to `done` when
    /// it is as durable as it says, and not touched any more.
    using Done = std::function<void(WholeTransaction& one)>;
    virtual void execute_wholes(std::span<WholeTransaction* const> all, const Done& done) {
        for (WholeTransaction* one : all) {
            one->answers = execute_whole(one->statements, one->durability);
            one->failure = failure();
            done(*one);
        }
    }
    /// Of the last statement.
    [[nodiscard]] virtual Failure failure() const = 0;
    /// Whether it can still be used.
    [[nodiscard]] virtual bool is_usable() const = 0;
};

/// Where connections come from.
class DatabaseSource {
public:
    virtual ~DatabaseSource() = default;
    virtual Result<std::unique_ptr<Database>> connect() = 0;
    /// How many there may be when so many are wanted.
    [[nodiscard]] virtual std::size_t connections(std::size_t wanted) const = 0;
    /// Within a transaction: ends the `watch` of others when it is committed.
    virtual Result<void> notify(Database& database) = 0;
    /// The schema as a script, for this database.
    [[nodiscard]] virtual std::string translated(std::string_view sql) const = 0;
    /// Whether the tables are there: nothing, a schema's version, or that this is something else (invalid_request).
    virtual Result<std::optional<int>> version(Database& database) = 0;
    /// Within a transaction that makes or migrates the tables: nobody else does meanwhile.
    virtual Result<void> lock_schema(Database& database) = 0;
    /// Marks the database as ours, with this version of the schema.
    virtual Result<void> set_version(Database& database, int version) = 0;
    /// Whether its tables are those that the script makes, and nothing else where others could add code to them; in
    /// PostgreSQL, whether their columns are there.
    virtual Result<bool> has_schema(Database& database, const std::string& script) = 0;
    /// Waits until somebody may have written, at most so long, or until `wake`.
    virtual void watch(Millis64 timeout) = 0;
    virtual void wake() = 0;
    /// What was written stands where it stays, and not in a log beside it. Waits for nobody.
    virtual void settle() {}
};

/// Which words stand in for those in braces.
struct Dialect {
    std::string schema; ///< in front of names of tables: `ptc.`, or nothing
    bool is_postgres = false;
};
/// `sql` with the words of a dialect:
///   {now}      whole ms since 1970, by the database's clock
///   {after_now} the next one: what is over so long behind it, compared with {now}, is over no fraction of a ms early
///   {s}        the schema, in front of a name
///   {skip}     takes rows that nobody else has taken, to change them
///   {own}      takes rows, to change them; waits for whoever has them
///   {share}    keeps a row from being taken by {skip_all}, together with others who do so
///   {skip_all} takes a row that nobody has taken in any way
///   {own_all}  takes a row to delete it; waits for whoever has it in any way
///   {mine}     of a row: that this transaction wrote it; true where the statement is not done otherwise
///   {with_next} something, of a row that is written: the transaction need not be synced by itself, as Durability says
///   {losses_of_an_attempt}, {most_losses}, {most_bytes} those constants
///   {too_large} kTooLarge
///   {sqlite} and {postgres} begin parts that one of them reads alone, {both} ends them
///   {id}       the type of a key that counts by itself; {blob}, {text}, {real} types of columns
std::string translated(std::string_view sql, const Dialect& dialect);
/// `$1` as SQLite writes it, but for those in quotes.
std::string with_question_marks(std::string_view sql);

} // namespace ptc
