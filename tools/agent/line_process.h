// A program beside ours that answers lines with lines.
#pragma once
#include "ptc/result.h"
#include "ptc/shared_function.h"
#include "subagent/mcp/child_process.h"
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptc {

/// Starts its program with the first request, and again after a fault. One request at a time, of whoever has it
/// (program_pool.h). Standard error of the program is ours. Owns the process and its pipes: both end with it.
///
/// The program is in a group of its own, which a terminal's Ctrl-C does not reach: a signal that ends us (SIGINT,
/// SIGTERM, SIGHUP, SIGQUIT, unless it is ignored or handled when the first program starts) kills all of them before it
/// does. What ends us in another way, SIGKILL say, leaves them to find their input at its end.
class LineProcess {
public:
    /// `arguments`: the program, looked for in PATH, and what it is given. `environment`: "NAME=value"; without one it
    /// has ours.
    explicit LineProcess(std::vector<std::string> arguments, std::optional<std::vector<std::string>> environment = {})
        : arguments_(std::move(arguments)), environment_(std::move(environment)) {}
    /// Closes its input and gives it a second to end; then it is killed, and in any case what it started, unless that
    /// has made itself a session of its own.
    ~LineProcess();
    LineProcess(const LineProcess&) = delete;
    LineProcess& operator=(const LineProcess&) = delete;

    /// What happened instead of an answer.
    struct Fault {
        /// Busy, and Unwanted where somebody waits for a process: nothing was sent.
        enum class Kind { NotStarted, Ended, Timeout, TooLong, Unasked, Unwanted, Busy } kind;
        std::string message; ///< a whole sentence
    };
    /// Sends `line` and gives the next line that is written. What was written before is no answer to it, but a fault:
    /// whoever answers twice would answer each later request with the former one's answer. After a fault the program is
    /// killed, so that a late answer is never taken for the next one's.
    /// When `is_unwanted` says so, it is given up: a fault as well.
    std::variant<std::string, Fault> request(std::string_view line, std::optional<std::chrono::milliseconds> time_left,
                                             SharedFunction<bool()> is_unwanted = {});
    /// Kills it: the next request starts it anew.
    void restart() { stop(std::chrono::milliseconds(0)); }
    /// False before the first request, and after a fault.
    [[nodiscard]] bool is_running() const { return child_.pid > 0; }
    [[nodiscard]] static Fault unwanted();

private:
    /// How long a request may take.
    struct Patience {
        std::optional<std::chrono::steady_clock::time_point> deadline{};
        SharedFunction<bool()> is_unwanted{};
    };
    [[nodiscard]] static std::optional<Fault> wait_for(int fd, short events, const Patience& patience);
    std::optional<Fault> start();
    [[nodiscard]] std::optional<Fault> find_unasked() const;
    std::optional<Fault> send(std::string_view line, const Patience& patience);
    std::optional<Fault> receive(std::string& line, const Patience& patience);
    [[nodiscard]] Fault ended();
    /// Ends it and what it started; its status.
    int kill_group();
    void stop(std::chrono::milliseconds patience);

    std::vector<std::string> arguments_;
    std::optional<std::vector<std::string>> environment_;
    Child child_;
    std::string buffer_;
};

/// From now on a signal that ends us kills all programs first. Signals that are ignored, or handled already, stay so.
void end_programs_with_us();

} // namespace ptc
