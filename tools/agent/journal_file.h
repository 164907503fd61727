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
/// While it lives, no other process has the same file: FILE.lock is locked. It is a JSON object after each change, on
/// the disk and its owner's only. A task that is new is one more line in front of the last brace, so that a change
/// costs what it says, however much there is; a step that is new likewise, as the member "$step ID" until the mission
/// ends. Other changes, and the first one, write the file as a whole, beside and then renamed. A line that was not
/// written to its end, as the machine went off, was never told to be kept: the next one leaves it out.
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
    /// Makes the file when there is none, with "$steps" for all steps.
    void finish();
    /// Why it could not be written; null while it could.
    [[nodiscard]] const Error* failure() const { return failure_ ? &*failure_ : nullptr; }

private:
    JournalFile(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
    Result<void> read();
    Result<void> read_member(const std::string& name, const Datum& json);
    /// As one more line; false when the file has to be written as a whole.
    bool append(std::string_view name, std::string_view json);
    void write();

    std::string path_;
    int lock_; ///< a file descriptor
    bool is_there_ = false;
    bool is_untidy_ = false; ///< it has a "$step ID", or a line that was not written to its end
    std::size_t size_ = 0;   ///< of the file as this process wrote it; 0: it cannot be appended to
    std::map<std::string, Datum, std::less<>> tasks_;
    std::map<std::string, std::string, std::less<>> task_lines_; ///< as the file has them
    std::map<std::string, std::string, std::less<>> steps_;
    std::optional<Error> failure_;
};

} // namespace ptc
