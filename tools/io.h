// Files, standard streams and terminals, as the commands see them.
#pragma once
#include "ptc/result.h"
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc {

/// What every command exits with.
enum ExitCode : int {
    kSuccess = 0,
    kFailed = 1, ///< the program failed, a check found errors, a row did not hold
    kUsage = 2,  ///< a wrong option, or input or output that cannot be read, understood or written
};

inline constexpr std::size_t kMaxDataBytes = std::size_t{512} << 20;    ///< of a JSON file
inline constexpr std::size_t kMaxPreludeBytes = std::size_t{64} << 20;  ///< of a prelude; the compiler takes less
inline constexpr std::size_t kMaxBytecodeBytes = std::size_t{64} << 20; ///< of a .ptcb file

/// A buffered file descriptor (not owned). After a write that fails, a closed pipe or a full disk, everything is
/// dropped: a command that writes a lot looks at `ok` and stops.
class Output {
public:
    explicit Output(int fd);
    ~Output() { flush(); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view text);
    void line(std::string_view text);
    bool flush();
    [[nodiscard]] bool ok() const { return error_ == 0; }
    /// The errno of the write that failed, 0 when none did.
    [[nodiscard]] int error_number() const { return error_; }
    [[nodiscard]] bool is_terminal() const { return terminal_; }
    /// Escapes are for terminals that understand them and people who want them (https://no-color.org).
    [[nodiscard]] bool has_color() const { return color_; }

private:
    int fd_;
    int error_ = 0;
    bool terminal_;
    bool color_;
    std::string buffer_;
};

/// The two output streams of a command.
struct Console {
    Output out{1};
    Output err{2};

    /// `text` on standard error, behind all that was written to standard output so far.
    void message(std::string_view text);
    /// "ptcc: ..." on standard error; gives kUsage, to be returned.
    ExitCode usage_error(std::string_view text);
    ExitCode usage_error(const Error& error) {
        return usage_error(error.hint.empty() ? error.message : error.message + "\nhint: " + error.hint);
    }
};

/// Writes all of `bytes`. Once the descriptor `end` is readable, `patience` is left for what a slow reader has to take.
/// 0, the errno, or ETIMEDOUT for a reader that takes too long at the end.
int write_until_end(int fd, std::string_view bytes, int end, std::chrono::milliseconds patience);

/// A closed pipe is an error of the write and no signal from now on.
void ignore_broken_pipes();

/// All bytes of the file, or of standard input for "-", which is waited for as long as it takes. Fails when it cannot
/// be read (a directory, no permission; a FIFO that is not written to in time) or is larger than `max_bytes`; an
/// endless stream costs no more memory than that. The error names the file (subagent/agent/whole_file.h).
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

/// Whether something is there, or a folder; false for what the system cannot look at, a name that is too long, say.
bool is_there(const std::string& path);
bool is_folder(const std::string& path);

/// Replaces the file as a whole: readers see the old content or the new one, a failure leaves the old. Permissions
/// stay, and a link goes on pointing to the file.
Result<void> write_file(const std::string& path, std::string_view bytes);

/// The same for what holds missions: the file is its owner's alone (0600), and never reached through a symbolic link
/// (subagent/agent/private_file.h). `what` is for the error: "Cannot write `what` ..".
Result<void> write_private_file(const std::string& path, std::string_view what, std::string_view bytes);

/// What messages call the file: standard input is "-".
inline std::string file_position(const std::string& path, LineColumn at) {
    return path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

} // namespace ptc
