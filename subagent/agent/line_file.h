// A file of lines that survives the end of the process.
#pragma once
#include "ptc/result.h"
#include <mutex>
#include <string>
#include <string_view>

namespace ptc {

/// A line is handed to the system in one piece before `write` returns. Any number of threads may write.
class LineFile {
public:
    /// `fd` is owned.
    explicit LineFile(int fd) : fd_(fd) {}
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    /// An empty file, its owner's alone (open_private_file).
    static Result<int> create(const std::string& path, std::string_view what);
    /// The same with what it has, if it is there.
    static Result<int> append(const std::string& path, std::string_view what);

    /// `line` without its end.
    void write(std::string line);
    /// The errno of the first write that failed, 0 when none did. Nothing is written after one.
    [[nodiscard]] int error_number() const;

private:
    const int fd_;
    int error_ = 0;
    mutable std::mutex mutex_;
};

} // namespace ptc
