// What a command gives up before it reads what somebody else wrote. The machine gives programs no way out; this is for
// the day when it has a fault.
#pragma once
#include "ptc/result.h"
#include <string>
#include <vector>

namespace ptc {

struct ConfinementOptions {
    std::vector<std::string> readable; ///< files that are still to be read; "-" is standard input
    bool is_required = false;          ///< an error where the system cannot do all of it, else as much as it can
};

/// From now on this process can compute, use what is open and read the files that are named: it starts no program, has
/// no network, opens no other file, writes none, makes no memory executable and gains no privileges (no_new_privs,
/// seccomp, and landlock for the names of files). What it inherited open is closed, but for the standard streams and
/// what is named, as /dev/fd/63 is. What it must not do fails with EPERM or EACCES. There is no way back.
/// To be called before there are threads. Under sanitizers and valgrind, which need more, it does nothing,
/// which is an error when it is required. invalid_request: what the system lacks.
Result<void> confine(const ConfinementOptions& options);

} // namespace ptc
