// SQLite files that may come from elsewhere: how they are opened, and what bounds the work of their statements. Also
// for the store of missions (subagent/store).
#pragma once
#include "ptc/result.h"
#include <compare>
#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <string>

namespace ptc {

/// A file, whatever its names are.
struct FileNumber {
    std::uint64_t device = 0, inode = 0;
    friend auto operator<=>(const FileNumber&, const FileNumber&) = default;
};

struct CloseSqlite {
    void operator()(sqlite3* db) const;
    FileNumber file{}; ///< of open_sqlite_file
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

/// As messages call a file: "the checkpoint file", "a file of checkpoints".
struct SqliteFileNames {
    const char* the_file;
    const char* kind;
};

/// Opens the file, or makes an empty one. It is its owner's alone (0600), not reached through a symbolic link, and may
/// do nothing but hold rows: no triggers, no views, no functions in its schema. A file of another kind is refused
/// before its mode is changed. May be opened several times, as long as all of a process do so by this function: locks
/// of files are a process's, and end when it closes any descriptor of the file.
Result<SqliteHandle> open_sqlite_file(const std::string& path, const SqliteFileNames& names);

/// invalid_request when its path is another file's by now, or none's, or when somebody cut the file to less than a
/// page: what is written to it would be lost. For a file that has its tables. One that was cut to more is not noticed.
Result<void> check_still_there(const SqliteHandle& handle, const std::string& path);

/// The tables of a database and all else that it has, as it describes them.
Result<std::string> sqlite_schema_of(sqlite3* db);
/// The same of a database that has just been made by a script.
Result<std::string> sqlite_schema_of(const std::string& script);

/// While it is there, a statement ends with an error when it works longer than ours ever need.
class SqliteStepLimit {
public:
    explicit SqliteStepLimit(sqlite3* db);
    ~SqliteStepLimit();
    SqliteStepLimit(const SqliteStepLimit&) = delete;
    SqliteStepLimit& operator=(const SqliteStepLimit&) = delete;

private:
    static int count(void* steps);
    sqlite3* db_;
    int steps_ = 0;
};

} // namespace ptc
