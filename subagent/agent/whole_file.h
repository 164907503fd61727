// Files that are named and read as a whole.
#pragma once
#include "ptc/result.h"
#include <chrono>
#include <cstddef>
#include <string>

namespace ptc {

/// How long a FIFO with a name is waited for, all in all.
inline constexpr std::chrono::milliseconds kFifoTime = std::chrono::minutes(1);

/// All bytes of the file at `path`. What whoever named it has open, a character device (a terminal) or a pipe without a
/// name (/dev/stdin, a shell's `<(command)`), is read for as long as it takes. A FIFO with a name is given up after
/// `fifo_time`, when nobody has written to it or who does has not ended. Anything else that is no regular file is
/// refused. invalid_request, which names the file, also for more than `max_bytes`: a file of more
/// is not read at all, and a stream costs no more memory than that.
Result<std::string> read_whole_file(const std::string& path, std::size_t max_bytes,
                                    std::chrono::milliseconds fifo_time = kFifoTime);
/// The same of what is open already (not owned), which is read as long as it likes; `path` names it.
Result<std::string> read_whole_stream(int fd, const std::string& path, std::size_t max_bytes);

} // namespace ptc
