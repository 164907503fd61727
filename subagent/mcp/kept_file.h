// Files that a client keeps from one process to the next: catalogues, tokens. They are their owner's alone.
#pragma once
#include "ptc/result.h"
#include <string>
#include <string_view>

namespace ptc::mcp {

/// Replaces the file as a whole: readers see the old content or the new one. Mode 0600; a folder that is not there is
/// made, with mode 0700. invalid_request: why it cannot be written.
Result<void> write_kept_file(const std::string& path, std::string_view bytes);

/// While it lives, no other one of the same path does, in any process: for what is read, changed and written. Where it
/// cannot be had, as nobody may write there or another one has it for longer than a second, it is nobody's.
class KeptFileLock {
public:
    explicit KeptFileLock(const std::string& path);
    ~KeptFileLock();
    KeptFileLock(const KeptFileLock&) = delete;
    KeptFileLock& operator=(const KeptFileLock&) = delete;

private:
    int file_;
};

} // namespace ptc::mcp
