// Files that hold missions (recordings, traces, checkpoints), and their folders. What they say is nobody's but their
// owner's.
#pragma once
#include "ptc/result.h"
#include <string>
#include <string_view>

namespace ptc {

/// Opens `path` for writing at its end, and makes the file when there is none. A regular file is its owner's alone
/// afterwards (0600), also when it was there before; it is never reached through a symbolic link, which somebody else
/// may have put there, and is refused when it belongs to somebody else or has another name. Pipes and terminals stay as
/// they are, but for a pipe that nobody reads, which is refused; so do /dev/stdout, /dev/fd/N and their like. Root may
/// write to files of others. The caller closes what it gets. invalid_request: "Cannot write `what` .."
Result<int> open_private_file(const std::string& path, std::string_view what);

/// Makes the folder `path`, and those above it that are missing, its owner's alone (0700). One that is there stays as
/// it is. invalid_request: "Cannot make the folder `path`: .."
Result<void> make_private_folder(const std::string& path);

} // namespace ptc
