// Programs that are started beside this process and spoken with over pipes: how each of them is started, and how none
// of them is left behind.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <variant>
#include <vector>

namespace ptc {

struct ChildCommand {
    std::vector<std::string> arguments;                    ///< the program, looked for in PATH, and what it is given
    std::optional<std::vector<std::string>> environment{}; ///< "NAME=value"; none: ours
    std::string folder{};                                  ///< to work in; "": ours
    bool keeps_errors = false;                             ///< standard error is a pipe, too; otherwise it is ours
};

/// A program that runs, in a process group of its own. Whoever has it closes the descriptors and ends it.
struct Child {
    pid_t pid = -1;
    int input = -1;  ///< its standard input; writing never blocks
    int output = -1; ///< its standard output; reading blocks
    int errors = -1; ///< its standard error, when it is kept; reading never blocks
    int end = -1;    ///< readable when the program has ended (a pidfd); -1 where the system has none
};

/// Nothing else that is open here is open there. Otherwise the number of the system's error.
std::variant<Child, int> start_child(ChildCommand command);

/// write(2) without SIGPIPE, which would end a host that does not ignore it: a closed pipe is EPIPE.
ssize_t write_quietly(int fd, std::string_view bytes);

/// False when the program still runs after `patience`. It is not reaped: until then its number is nobody else's.
bool has_ended_within(const Child& child, std::chrono::milliseconds patience);

/// Ends the program and what it started, unless that has made itself a session of its own; reaps it, closes all
/// descriptors. Its status, as waitpid gives it. It gets SIGTERM, and SIGKILL when it has not ended after 0.9 s: it may
/// be a process of ours, which ends in that time what it has started in its turn (PTC_GRACE_MS of its environment says
/// how long it has for that).
int kill_child(Child& child);

/// Ends all programs that were started, in the same way and all at once, and starts no other one. For handlers of
/// signals, too.
void end_all_programs();
/// Whether that was called.
bool are_programs_ending();

/// What a program gets of our environment: how to find programs, folders and the language, and what `names` lists;
/// never keys of providers that nobody meant for it.
std::vector<std::string> child_environment(const std::vector<std::string>& names);

} // namespace ptc
