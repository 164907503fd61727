// What is kept from one command to the next is written whole, for its owner alone, and read only if it is such a file.
#include "subagent/mcp/kept_file.h"
#include "subagent/agent/private_file.h"
#include "subagent/agent/whole_file.h"
#include "subagent/engine/random_id.h"
#include "subagent/engine/text_hash.h"
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace ptc::mcp {

namespace {

constexpr std::chrono::milliseconds kBetweenTries{10};

void make_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) (void)make_private_folder(folder); // who writes into it says what is wrong
}

/// The folder's entry of a file that was renamed. A system that cannot do that does it in its own time.
void sync_folder_of(const std::string& path) {
    std::string folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)::fsync(fd);
    ::close(fd);
}

} // namespace

KeptFileLock::KeptFileLock(const std::string& path, std::chrono::milliseconds patience) {
    make_folder_of(path);
    file_ = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    const auto most_tries = patience / kBetweenTries;
    for (int i = 0; file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && i < most_tries; ++i)
        std::this_thread::sleep_for(kBetweenTries);
}

KeptFileLock::~KeptFileLock() {
    if (file_ >= 0) ::close(file_); // which unlocks it
}

/// A byte of the file for each part, by locks of the open file: threads of one process keep each other out, too, and
/// what a process held that was killed is free.
KeptFileTurn::KeptFileTurn(const std::string& path, std::string_view part,
                           std::chrono::steady_clock::time_point deadline, const std::stop_token& stop) {
    make_folder_of(path);
    file_ = ::open((path + ".turns").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file_ < 0) return;
    struct flock turn {};
    turn.l_type = F_WRLCK;
    turn.l_whence = SEEK_SET;
    turn.l_start = static_cast<off_t>(text_hash(part) >> 2);
    turn.l_len = 1;
    while (::fcntl(file_, F_OFD_SETLK, &turn) != 0 && (errno == EAGAIN || errno == EACCES || errno == EINTR)) {
        if (stop.stop_requested() || std::chrono::steady_clock::now() >= deadline) {
            is_taken_ = true;
            return;
        }
        std::this_thread::sleep_for(kBetweenTries);
    }
}

KeptFileTurn::~KeptFileTurn() {
    if (file_ >= 0) ::close(file_); // which gives it to the next one
}

Result<void> write_kept_file(const std::string& path, std::string_view bytes, Durability durability) {
    make_folder_of(path);
    const std::string draft = path + "." + random_id(16);
    const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const auto failed = [&](int error) {
        return Error(Reason::InvalidRequest, path + ": this cannot be written: " + std::strerror(error) + ".");
    };
    if (file < 0) return failed(errno);
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) break;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    int error = bytes.empty() ? 0 : errno;
    if (error == 0 && durability == Durability::Disk && ::fsync(file) != 0) error = errno;
    if (::close(file) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(draft.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0 && durability == Durability::Disk) sync_folder_of(path);
    if (error == 0) return {};
    ::unlink(draft.c_str());
    return failed(error);
}

/// What is wrong with an open file that should be one of this user's; "" for nothing.
static std::string fault_of(const struct stat& info) {
    if (!S_ISREG(info.st_mode)) return "it is no regular file";
    if (info.st_uid != ::geteuid()) return "it belongs to another user";
    return (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "others may write to it" : "";
}

Result<std::string> read_kept_file(const std::string& path, std::size_t max_bytes) {
    const auto failed = [&](const std::string& why) {
        return Error(Reason::InvalidRequest, path + ": this cannot be used: " + why + ".");
    };
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return failed(std::strerror(errno));
    struct stat info {};
    const std::string fault = ::fstat(file, &info) != 0 ? std::strerror(errno) : fault_of(info);
    Result<std::string> text = fault.empty() ? read_whole_stream(file, path, max_bytes) : failed(fault);
    ::close(file);
    return text;
}

} // namespace ptc::mcp
