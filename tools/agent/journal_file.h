// The file of --journal: what tasks of earlier missions came to, and which steps of the plan they reported.
#pragma once
#include "ptc/agent.h"
#include <map>
#include <memory>
#include <string>

namespace ptc {

/// A JSON object of ids and values. A value that JSON does not have is written as exact_json has it: {"$kw": "paid"},
/// {"$set": [..]}, {"$map": [[key, value], ..]}, {"$opaque": ["date", "2026-01-02"]}. The steps are the member
/// "$steps"; the id of a task that begins with $ has another one in front of it. What people write by hand is read as
/// JSON.
///
/// While it lives, no other process has the same file: FILE.lock is locked. It is written as a whole with each change,
/// beside and then renamed, for its owner only.
class JournalFile {
public:
    /// invalid_request: there is something else, it cannot be written, or another process has it.
    static Result<std::unique_ptr<JournalFile>> open(const std::string& path);
    ~JournalFile();
    JournalFile(const JournalFile&) = delete;
    JournalFile& operator=(const JournalFile&) = delete;

    /// For MissionOptions.
    [[nodiscard]] Datum tasks() const;
    [[nodiscard]] Datum done_steps() const;
    /// Into the file, at once. After a failure nothing is written any more: `failure`, each time.
    Result<void> change(const JournalChange& change);
    /// Makes the file when there is none.
    void finish();
    /// Why it could not be written; null while it could.
    [[nodiscard]] const Error* failure() const { return failure_ ? &*failure_ : nullptr; }

private:
    JournalFile(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
    Result<void> read();
    void write();

    std::string path_;
    int lock_; ///< a file descriptor
    bool is_there_ = false;
    std::map<std::string, Datum, std::less<>> tasks_;
    std::map<std::string, std::string, std::less<>> task_lines_; ///< as the file has them
    std::map<std::string, std::string, std::less<>> steps_;
    std::optional<Error> failure_;
};

} // namespace ptc
