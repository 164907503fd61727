// The options that commands which run programs share: limits, data, tools. Requests and rows give limits by the same
// names.
#pragma once
#include "ptc/ptc.h"
#include "tools/options.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptc {

/// Sets the limits that `members` names ("fuel", "heap_bytes", ..; null leaves the default). Fails, naming it, on a
/// limit that does not exist, and on a value that is no whole number or that cannot be enforced.
Result<void> read_limits(const Datum& members, Limits* limits);

/// What read_limits reads.
Datum limits_as_data(const Limits& limits);

/// --fuel, --heap-bytes, ..; help shows what `limits` has before. What is given is set in `also` as well, for commands
/// that have different limits for different uses.
void add_limit_options(CommandLine& line, Limits* limits, Limits* also = nullptr);

/// The limits of programs that a person starts at a terminal: fuel and memory bound them as always, and the wall clock
/// is wide, so that nothing fails because a machine is slow or busy.
Limits terminal_limits();

/// --now TIME: a clock that stands at a time, so that runs can be repeated exactly. `clock` stays empty without it.
void add_clock_option(CommandLine& line, Clock* clock);
/// --seed N: what (rand) and its kin begin with, in every run.
void add_seed_option(CommandLine& line, std::optional<std::uint64_t>* seed);

/// --require-sandbox: an error where confine_command cannot do all that it should.
void add_sandbox_option(CommandLine& line, bool* is_required);

/// Confines this process (tools/confinement.h) to the files that a command line names: `files`, those of `--data` and
/// of `--prelude`.
Result<void> confine_command(bool is_required, std::vector<std::string> files, const std::vector<std::string>& data,
                             const std::vector<std::string>& preludes);

/// --data NAME=FILE, repeated.
void add_data_option(CommandLine& line, std::vector<std::string>* assignments);

/// Reads the files of `--data`. Errors name the file and the place in it.
Result<std::vector<std::shared_ptr<const DataSet>>> load_data(const std::vector<std::string>& assignments);

/// The same as a map of names and values.
Result<Datum> load_data_map(const std::vector<std::string>& assignments);

/// --prelude FILE, repeated.
void add_prelude_option(CommandLine& line, std::vector<std::string>* paths);

/// Reads the files of `--prelude`.
Result<std::vector<PreludeSource>> load_preludes(const std::vector<std::string>& paths);

/// The names of `--data`, without reading anything.
Result<std::vector<std::string>> data_names(const std::vector<std::string>& assignments);

/// TOOLS.json: {"name": {"signature": "..", "description"?: "..", ..}}. The tools have no function. None for "".
Result<std::vector<Tool>> load_tools(const std::string& path);

/// "1,234 units of fuel, 5,678 bytes at the peak, 0.123 ms"
std::string usage_text(const Usage& usage);

} // namespace ptc
