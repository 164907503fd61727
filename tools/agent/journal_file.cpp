// The file of --journal. Each value is a line of it, made once when the value is kept. A new one replaces the end of
// the file, `kEnd`, by itself and another end, in place: what was there before is not touched.
#include "tools/agent/journal_file.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/mcp/kept_file.h"
#include "subagent/recording/exact_json.h"
#include "tools/io.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::string_view kSteps = "$steps";
constexpr std::string_view kStep = "$step "; ///< and its id
constexpr std::string_view kBegin = "{\n \"";
constexpr std::string_view kEnd = "\n}\n";

std::string member_of(std::string_view id) { return (id.starts_with('$') ? "$" : "") + std::string(id); }

std::string id_of(const std::string& member) { return member.starts_with("$$") ? member.substr(1) : member; }

/// What is no value of exact_json is JSON that somebody wrote.
Datum value_of(const Datum& json) {
    Result<Datum> exact = read_exact(json);
    return exact.ok() ? std::move(exact).value() : json;
}

/// The member that a line has; nil when it has none.
Datum member_in(std::string_view line) {
    for (const std::string_view end : {"", ",", ",}"}) { // the last one: of the next line only the comma was written
        if (!line.ends_with(end)) continue;
        Result<Datum> json = Datum::from_json("{" + std::string(line.substr(0, line.size() - end.size())) + "}");
        if (json.ok() && json.value().size() == 1) return std::move(json).value();
    }
    return {};
}

/// What a file has whose last line was not written to its end; nil for what is no such file.
Datum mended(std::string_view text) {
    if (!text.starts_with(kBegin)) return {};
    Datum::Map members;
    text = text.substr(2, text.find('\0') - 2); // zeros: the size came to the disk, the bytes did not
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty() || line == "}") continue;
        Datum member = member_in(line);
        if (member.is_nil()) return {};
        members.push_back(member.entries()[0]);
    }
    return Datum(std::move(members));
}

/// The bytes at `at`, and on the disk.
bool write_at(int fd, std::string_view bytes, std::size_t at) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
        at += static_cast<std::size_t>(written);
    }
    return ::fdatasync(fd) == 0;
}

/// Nil for none.
Datum map_of(const auto& entries) {
    Datum::Map map;
    for (const auto& [id, value] : entries)
        map.emplace_back(Datum(id), Datum(value));
    return map.empty() ? Datum() : Datum(std::move(map));
}

} // namespace

Result<std::unique_ptr<JournalFile>> JournalFile::open(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) PTC_CHECK(make_private_folder(folder));
    const int lock = PTC_TRY(open_private_file(path + ".lock", "the lock of the journal"));
    std::unique_ptr<JournalFile> journal(new JournalFile(path, lock)); // which closes it
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0)
        return invalid_request("The journal " + path +
                               " is that of a mission under way in another process: its tasks could be done " +
                               "twice. Wait until that one has ended, or give this one another file.");
    PTC_CHECK(journal->read());
    return journal;
}

JournalFile::~JournalFile() { ::close(lock_); } // which unlocks it

Result<void> JournalFile::read() {
    is_there_ = is_there(path_);
    if (!is_there_) return {};
    const std::string text = PTC_TRY(read_file(path_, kMostBytes));
    const Result<Datum> json = Datum::from_json(text);
    const Datum members = json.ok() ? json.value() : mended(text);
    if (!members.map()) return invalid_request(path_ + " is no journal: it must be a JSON object.");
    is_untidy_ = !json.ok();
    for (const auto& [key, value] : members.entries())
        PTC_CHECK(read_member(*key.text(), value));
    return {};
}

Result<void> JournalFile::read_member(const std::string& name, const Datum& json) {
    const auto no_text = [this] {
        return invalid_request(path_ + " is no journal: `$steps` must be an object of texts.");
    };
    if (name == kSteps) {
        for (const auto& [step, summary] : json.entries()) {
            if (!summary.text()) return no_text();
            steps_[*step.text()] = *summary.text();
        }
    } else if (name.starts_with(kStep)) {
        if (!json.text()) return no_text();
        steps_[name.substr(kStep.size())] = *json.text();
        is_untidy_ = true;
    } else {
        const std::string id = id_of(name);
        tasks_[id] = value_of(json);
        task_lines_[id] = exact_json(tasks_[id]);
    }
    return {};
}

Datum JournalFile::tasks() const { return map_of(tasks_); }
Datum JournalFile::done_steps() const { return map_of(steps_); }

Result<void> JournalFile::change(const JournalChange& change) {
    const std::string id(change.id);
    switch (change.kind) {
    case JournalChange::Kind::Kept: {
        std::string line = exact_json(*change.value);
        const auto [entry, is_new] = task_lines_.try_emplace(id);
        if (entry->second == line && is_there_) return {}; // a mission goes on, and does it again from what was written
        entry->second = std::move(line);
        if (!is_new || !append(member_of(id), entry->second)) write();
        break;
    }
    case JournalChange::Kind::Forgotten:
        task_lines_.erase(id);
        write();
        break;
    case JournalChange::Kind::StepDone: {
        const bool is_new = steps_.insert_or_assign(id, *change.value->text()).second;
        if (is_new && append(std::string(kStep) + id, json_string(steps_[id])))
            is_untidy_ = true;
        else
            write();
    }
    }
    return failure_ ? Result<void>(*failure_) : Result<void>();
}

void JournalFile::finish() {
    if (!is_there_ || is_untidy_) write();
}

bool JournalFile::append(std::string_view name, std::string_view json) {
    if (failure_ || size_ == 0) return failure_.has_value();
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status {};
    // Whoever changed the file meanwhile gets what a mission always did: all of it anew.
    const bool is_ours =
        fd >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == static_cast<off_t>(size_);
    if (is_ours) {
        const std::size_t end = size_ - kEnd.size();
        const std::string line = ",\n " + json_string(name) + ": " + std::string(json) + std::string(kEnd);
        if (write_at(fd, line, end)) {
            size_ = end + line.size();
        } else {
            failure_ = invalid_request(path_ + " cannot be written: " + std::strerror(errno) + ".");
            if (::ftruncate(fd, static_cast<off_t>(size_)) == 0) (void)write_at(fd, kEnd, end);
        }
    }
    if (fd >= 0) ::close(fd);
    return is_ours;
}

void JournalFile::write() {
    if (failure_) return;
    std::string text;
    const auto add = [&text](std::string_view name, const std::string& json) {
        text += (text.empty() ? "{\n " : ",\n ") + json_string(name) + ": " + json;
    };
    for (const auto& [id, line] : task_lines_)
        add(member_of(id), line);
    if (!steps_.empty()) add(kSteps, map_of(steps_).to_json());
    const bool has_members = !text.empty();
    text += has_members ? kEnd : "{}\n";
    Result<void> written = mcp::write_kept_file(path_, text, mcp::Durability::Disk);
    if (!written.ok())
        failure_ = written.error();
    else
        is_there_ = true;
    size_ = has_members ? text.size() : 0;
    is_untidy_ = false;
}

} // namespace ptc
