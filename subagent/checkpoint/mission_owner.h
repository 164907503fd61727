// Who runs a mission of a file: a process, as others on the same machine can look for it.
#pragma once
#include <cstdint>
#include <string>

namespace ptc {

struct MissionOwner {
    std::string token;    ///< of one run, unlike all others
    std::string machine;  ///< since it was started, and the processes' own namespace there; "" when that is not known
    std::int64_t pid = 0; ///< of the process
    std::string pid_started; ///< when it began, as the system counts: numbers of processes are used again
};

/// This process, with a new token.
MissionOwner new_owner();

/// True only when the process has certainly ended: it was one of this machine, and is not there any more.
bool has_ended(const MissionOwner& owner);

} // namespace ptc
