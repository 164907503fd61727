// Files that a client keeps from one process to the next: catalogues, tokens. They are their owner's alone.
#pragma once
#include "ptc/result.h"
#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

namespace ptc::mcp {

/// What a file outlives when it has been written: the process, or a machine that loses its power, too.
enum class Durability : std::uint8_t { System, Disk };

/// Replaces the file as a whole: readers see the old content or the new one. Mode 0600; a folder that is not there is
/// made, with mode 0700. invalid_request: why it cannot be written.
Result<void> write_kept_file(const std::string& path, std::string_view bytes,
                             Durability durability = Durability::System);

/// Reads such a file: a regular one that belongs to this user, and that nobody else may write. invalid_request: it is
/// none, is not there, or is larger than that; a FIFO or a device is not waited for.
Result<std::string> read_kept_file(const std::string& path, std::size_t max_bytes);

/// While it lives, no other one of the same path does, in any process: for what is read, changed and written. Where it
/// cannot be had, as nobody may write there or another one has it for longer than `patience`, it is nobody's.
class KeptFileLock {
public:
    explicit KeptFileLock(const std::string& path, std::chrono::milliseconds patience = std::chrono::seconds(1));
    ~KeptFileLock();
    KeptFileLock(const KeptFileLock&) = delete;
    KeptFileLock& operator=(const KeptFileLock&) = delete;

private:
    int file_;
};

/// While it lives, no other one of the same path and `part` does, in any process, other parts go on: for what takes
/// long, such as asking a server for what the file keeps of it. Waits for the one that there is until `deadline` or
/// `stop`.
class KeptFileTurn {
public:
    KeptFileTurn(const std::string& path, std::string_view part, std::chrono::steady_clock::time_point deadline,
                 const std::stop_token& stop);
    ~KeptFileTurn();
    KeptFileTurn(const KeptFileTurn&) = delete;
    KeptFileTurn& operator=(const KeptFileTurn&) = delete;
    /// Whether another one has it still. Where nobody can have it, as nobody may write there, nobody is waited for.
    [[nodiscard]] bool is_taken() const { return is_taken_; }

private:
    int file_ = -1;
    bool is_taken_ = false;
};

} // namespace ptc::mcp
