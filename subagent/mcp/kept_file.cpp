#include "subagent/mcp/kept_file.h"
#include "subagent/agent/private_file.h"
#include "subagent/engine/random_id.h"
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

void make_folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) (void)make_private_folder(folder); // who writes into it says what is wrong
}

} // namespace

KeptFileLock::KeptFileLock(const std::string& path) {
    make_folder_of(path);
    file_ = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    constexpr int kMostTries = 100;
    for (int i = 0; file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && i < kMostTries; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

KeptFileLock::~KeptFileLock() {
    if (file_ >= 0) ::close(file_); // which unlocks it
}

Result<void> write_kept_file(const std::string& path, std::string_view bytes) {
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
    if (::close(file) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(draft.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return {};
    ::unlink(draft.c_str());
    return failed(error);
}

} // namespace ptc::mcp
