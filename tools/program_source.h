// Programs from files: source text, or bytecode that `ptcc build` wrote.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "ptc/ptc.h"
#include "runtime/clock.h"
#include "tools/options.h"
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace ptc {

struct LoadOptions {
    bool any_tool = false;         ///< every tool name is accepted: where the program will run is not known yet
    bool strict_arguments = false; ///< arguments that no call of a tool can take are errors
    std::span<const std::string_view> memory{};             ///< names that earlier programs of the session defined
    std::string_view declarations{};                        ///< what they declared (Session::declarations)
    std::span<const DataInfo> data{};                       ///< what is known of the data
    std::function<std::vector<std::string>()> data_names{}; ///< of the runs to come; empty: not known
    Meter::Clock::duration* took = nullptr; ///< gets the time behind the reading of the file, which may be waited for
};

/// What is left of the time of `limits`, which bounds all that is done with a program together, behind what took
/// `spent`. At least a millisecond, as none would be no limit.
Limits rest_of(Limits limits, Meter::Clock::duration spent);

/// For commands that run nothing: who looks at a large program on a slow machine waits.
inline constexpr std::int64_t kUnhurriedMs = 60'000;
Limits unhurried(std::int64_t timeout_ms = kUnhurriedMs);

/// The time that they give, counted from here, for work::Scope.
std::function<bool()> unhurried_time(std::int64_t timeout_ms = kUnhurriedMs);

/// --timeout-ms of such a command, for each of its programs.
void add_unhurried_option(CommandLine& line, std::int64_t* timeout_ms);

/// The program in the file ("-" is standard input): compiled, or read and verified when it is bytecode. A program that
/// does not compile is no error of this function: its diagnostics are in the result. Fails when the file cannot be
/// read, and on bytecode that is damaged or was made by another version. `engine` must outlive the program.
Result<Compiled> load_program(const Engine& engine, const std::string& path, const LoadOptions& options = {});

/// The same for source text; `name` stands for its file.
Compiled load_text(const Engine& engine, const std::string& name, std::string text, const LoadOptions& options = {});

} // namespace ptc
