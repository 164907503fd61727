// Opening SQLite files defensively: what a file from elsewhere can do is to hold rows. The checks come before anything
// is changed, so that a file of another kind that somebody named by mistake stays as it was.
#include "subagent/checkpoint/sqlite_file.h"
#include "frontend/try.h"
#include "frontend/visible_text.h"
#include "subagent/agent/private_file.h"
#include "subagent/engine/invalid_request.h"
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ptc {
namespace {

// A file may come from elsewhere: no row is larger, and no statement works longer, than ours ever need.
constexpr int kMostRowBytes = 256 << 20;
constexpr int kMostStatementSteps = 100'000'000;
constexpr int kStepsBetweenLooks = 10'000;

/// What the file may do to us: nothing but hold rows.
void distrust(sqlite3* db) {
    constexpr std::pair<int, int> kSettings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                                 {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                                 {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                                 {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (const auto& [setting, value] : kSettings)
        sqlite3_db_config(db, setting, value, nullptr);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMostRowBytes);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

/// `path` with the links in its directories followed; SQLite takes none, not even there.
std::string resolved(const std::string& path) {
    const std::filesystem::path file(path);
    std::error_code error;
    const std::filesystem::path folder =
        std::filesystem::canonical(file.has_parent_path() ? file.parent_path() : ".", error);
    return error ? path : (folder / file.filename()).string();
}

/// A file of another kind, which somebody named by mistake, keeps its mode.
bool is_of_another_kind(const std::string& path) {
    constexpr std::string_view kMark("SQLite format 3\0", 16);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (fd < 0) return false;
    char first[kMark.size()];
    const ssize_t got = ::read(fd, first, sizeof first);
    ::close(fd);
    return got > 0 && std::string_view(first, static_cast<std::size_t>(got)) != kMark;
}

/// What this process has open. SQLite's locks are the process's: whoever closes another descriptor of the file takes
/// them away from all its connections, and another process deletes the journal that they write to, with what they
/// wrote. So a file is looked at by descriptors of ours only while no connection is open.
struct OpenFiles {
    std::mutex mutex;
    std::map<FileNumber, std::size_t> connections;
};

OpenFiles& open_files() {
    static OpenFiles files;
    return files;
}

FileNumber number_of(const struct stat& status) {
    return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

/// All zeros when there is no such file.
FileNumber number_of(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? number_of(status) : FileNumber{};
}

Result<void> look_at_file(const std::string& path, const SqliteFileNames& names) {
    if (is_of_another_kind(path)) return invalid_request(path + ": It is not " + names.kind + ".");
    for (const char* beside : {"-journal", "-wal", "-shm"}) { // SQLite would wait for a FIFO without end
        struct stat status {};
        if (::lstat((path + beside).c_str(), &status) == 0 && !S_ISREG(status.st_mode))
            return invalid_request(path + beside + ": It is no file, where " + names.the_file +
                                   " keeps what is under way.");
    }
    ::close(PTC_TRY(open_private_file(path, names.the_file))); // SQLite gives its other files the same mode
    return {};
}

} // namespace

void CloseSqlite::operator()(sqlite3* db) const {
    const std::scoped_lock lock(open_files().mutex);
    sqlite3_close_v2(db);
    const auto found = open_files().connections.find(file);
    if (found != open_files().connections.end() && --found->second == 0) open_files().connections.erase(found);
}

Result<SqliteHandle> open_sqlite_file(const std::string& path, const SqliteFileNames& names) {
    std::unique_lock lock(open_files().mutex);
    if (!open_files().connections.contains(number_of(path))) PTC_CHECK(look_at_file(path, names));
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW;
    sqlite3* db = nullptr;
    const int code = sqlite3_open_v2(resolved(path).c_str(), &db, kFlags, nullptr);
    const FileNumber file = number_of(path);
    ++open_files().connections[file];
    lock.unlock(); // a handle that closes takes it
    SqliteHandle handle(db, CloseSqlite{file});
    if (code != SQLITE_OK)
        return invalid_request("Cannot open " + path + ": " + printable_reason(sqlite3_errmsg(db)) + ".");
    distrust(db);
    return handle;
}

Result<void> check_still_there(const SqliteHandle& handle, const std::string& path) {
    constexpr off_t kSmallestPage = 512; // a file that has tables has a page
    struct stat status {};
    const char* harm = nullptr;
    if (::lstat(path.c_str(), &status) != 0 || number_of(status) != handle.get_deleter().file)
        harm = "deleted or replaced";
    else if (status.st_size < kSmallestPage)
        harm = "emptied";
    if (!harm) return {};
    return invalid_request(path + ": The file was " + harm + ", so nobody finds what is written to it.");
}

Result<std::string> sqlite_schema_of(sqlite3* db) {
    // ANALYZE makes these two, in these words; what else has their names is no table of SQLite's.
    constexpr const char* kSelect =
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type <> 'table' OR sql IS NULL OR sql NOT IN ("
        "'CREATE TABLE sqlite_stat1(tbl,idx,stat)', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)') "
        "ORDER BY name";
    sqlite3_stmt* select = nullptr;
    sqlite3_prepare_v2(db, kSelect, -1, &select, nullptr);
    std::string schema;
    int code = SQLITE_ERROR;
    while (select && (code = sqlite3_step(select)) == SQLITE_ROW) {
        for (int column = 0; column < 4; ++column) {
            const void* text = sqlite3_column_blob(select, column);
            if (text) schema.append(static_cast<const char*>(text), sqlite3_column_bytes(select, column));
            schema += '\n';
        }
    }
    Error failed = invalid_request("The file's schema cannot be read: " + printable_reason(sqlite3_errmsg(db)) + ".");
    sqlite3_finalize(select);
    if (code != SQLITE_DONE) return failed;
    return schema;
}

Result<std::string> sqlite_schema_of(const std::string& script) {
    sqlite3* db = nullptr;
    const int code = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
    const SqliteHandle handle(db);
    if (code != SQLITE_OK || sqlite3_exec(db, script.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return invalid_request("SQLite cannot make a database in memory.");
    return sqlite_schema_of(db);
}

SqliteStepLimit::SqliteStepLimit(sqlite3* db) : db_(db) {
    sqlite3_progress_handler(db, kStepsBetweenLooks, count, &steps_);
}
SqliteStepLimit::~SqliteStepLimit() { sqlite3_progress_handler(db_, 0, nullptr, nullptr); }

int SqliteStepLimit::count(void* steps) {
    return (*static_cast<int*>(steps) += kStepsBetweenLooks) > kMostStatementSteps ? 1 : 0;
}

} // namespace ptc
