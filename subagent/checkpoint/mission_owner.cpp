#include "subagent/checkpoint/mission_owner.h"
#include "subagent/engine/random_id.h"
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ptc {
namespace {

/// The same for two processes only if one finds the other by its number.
std::string this_machine() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    file >> boot;
    std::error_code error;
    const std::filesystem::path space = std::filesystem::read_symlink("/proc/self/ns/pid", error);
    return boot.empty() || error ? "" : boot + " " + space.string();
}

struct ProcessStatus {
    char state = 0; ///< 0: there is no such process, or it cannot be looked at
    std::string started;
};

ProcessStatus status_of(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')'); // names may hold anything
    if (name_end == std::string::npos) return {};
    std::istringstream fields(line.substr(name_end + 1));
    ProcessStatus status;
    fields >> status.state;
    constexpr int kBetween = 18; // fields between the state and the start
    for (int i = 0; i <= kBetween; ++i)
        fields >> status.started;
    return status;
}

} // namespace

MissionOwner new_owner() {
    const std::int64_t pid = ::getpid();
    return {random_id(32), this_machine(), pid, status_of(pid).started};
}

bool has_ended(const MissionOwner& owner) {
    if (owner.machine.empty() || owner.machine != this_machine()) return false;
    const ProcessStatus status = status_of(owner.pid);
    // What cannot be read may be hidden: only a process that the system does not know has ended.
    if (status.state == 0) return ::kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH;
    return status.state == 'Z' || status.state == 'X' || status.started != owner.pid_started;
}

} // namespace ptc
