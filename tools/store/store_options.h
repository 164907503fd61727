// --store and --key-file, as all commands over a store have them.
#pragma once
#include "ptc/mission_store.h"
#include "tools/io.h"
#include "tools/options.h"
#include <functional>
#include <memory>
#include <string>

namespace ptc {

struct StoreArguments {
    std::string url;
    std::string key_file;
    std::size_t connections = 0;    ///< to PostgreSQL at once, where that is more than the store has by itself
    std::optional<Millis64> busy{}; ///< StoreOptions::busy
    /// Of a store that is away: true once it is to be tried again, after whatever wait. None: it is tried once.
    std::function<bool(const Error&)> waits_for_it{};
};

void add_store_options(CommandLine& line, StoreArguments* arguments);

/// Opens the store, with the key of --key-file or PTC_STORE_KEY, which is taken out of the environment: programs that
/// are started do not inherit it. `has_key`, if given: whether payloads are encrypted.
Result<std::shared_ptr<MissionStore>> open_store(const StoreArguments& arguments, bool* has_key = nullptr);
/// The same for commands that only look at what is there: a SQLite file that is not there is not made.
Result<std::shared_ptr<MissionStore>> open_existing_store(const StoreArguments& arguments);

/// Said before missions with firewalled values go into a store without a key.
inline constexpr std::string_view kInClear = "ptcc: warning: The agent has firewalled values, and the store has no "
                                             "key: they will be in it in clear. `--key-file` "
                                             "or PTC_STORE_KEY encrypts them.\n";

/// Exit code and message for an error of the store: 1 when it is away, 2 when something was asked for wrongly.
int report_store_error(const Error& error, Console& console);

} // namespace ptc
