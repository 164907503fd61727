// The file of --journal. Each value is a line of it, made once when the value is kept: what is written with each task
// is put together from these.
#include "tools/agent/journal_file.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/agent/private_file.h"
#include "subagent/mcp/kept_file.h"
#include "subagent/recording/exact_json.h"
#include "tools/io.h"
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::string_view kSteps = "$steps";

Error wrong(std::string message) { return {Reason::InvalidRequest, std::move(message)}; }

std::string member_of(std::string_view id) { return (id.starts_with('$') ? "$" : "") + std::string(id); }

std::string id_of(const std::string& member) { return member.starts_with("$$") ? member.substr(1) : member; }

/// What is no value of exact_json is JSON that somebody wrote.
Datum value_of(const Datum& json) {
    Result<Datum> exact = read_exact(json);
    return exact.ok() ? std::move(exact).value() : json;
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
        return wrong("The journal " + path +
                     " is that of a mission under way in another process: its tasks could be done " +
                     "twice. Wait until that one has ended, or give this one another file.");
    PTC_CHECK(journal->read());
    return journal;
}

JournalFile::~JournalFile() { ::close(lock_); } // which unlocks it

Result<void> JournalFile::read() {
    is_there_ = std::filesystem::exists(path_);
    if (!is_there_) return {};
    const Result<Datum> json = Datum::from_json(PTC_TRY(read_file(path_, kMostBytes)));
    if (!json.ok() || !json.value().map()) return wrong(path_ + " is no journal: it must be a JSON object.");
    for (const auto& [key, value] : json.value().entries()) {
        if (*key.text() != kSteps) {
            const std::string id = id_of(*key.text());
            tasks_[id] = value_of(value);
            task_lines_[id] = exact_json(tasks_[id]);
            continue;
        }
        for (const auto& [step, summary] : value.entries()) {
            if (!summary.text()) return wrong(path_ + " is no journal: `$steps` must be an object of texts.");
            steps_[*step.text()] = *summary.text();
        }
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
        std::string& former = task_lines_[id];
        if (former == line && is_there_) return {}; // a mission goes on, and does it again from what was written of it
        former = std::move(line);
        break;
    }
    case JournalChange::Kind::Forgotten: task_lines_.erase(id); break;
    case JournalChange::Kind::StepDone: steps_[id] = *change.value->text(); break;
    }
    write();
    return failure_ ? Result<void>(*failure_) : Result<void>();
}

void JournalFile::finish() {
    if (!is_there_) write();
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
    text += text.empty() ? "{}\n" : "\n}\n";
    Result<void> written = mcp::write_kept_file(path_, text, mcp::Durability::Disk);
    if (!written.ok())
        failure_ = written.error();
    else
        is_there_ = true;
}

} // namespace ptc
