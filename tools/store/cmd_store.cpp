// `ptcc store`: the tables of a store.
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "tools/command.h"
#include "tools/store/store_options.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(An empty database gets its tables when missions are first submitted or worked for; who only looks makes none. One of an
earlier version is refused until `migrate` has brought it to today's. Stop the workers of the earlier version before.

Exit codes: 0 done; 1 the store cannot be reached; 2 wrong usage, or a database that is no store.

Examples:
  ptcc store migrate --store postgres://me@db/missions
  ptcc store check --store sqlite:missions.db)";

struct Options {
    StoreArguments store;
    bool is_migration = false;
    bool is_check = false;
};

Result<void> migrate(const Options& options, Console& console) {
    if (options.store.url.empty())
        return Error(Reason::InvalidRequest, "--store is required: sqlite:FILE or postgres://USER@HOST/DATABASE.");
    const int steps = PTC_TRY(MissionStore::migrate(options.store.url));
    console.out.line(steps == 0 ? "The tables are up to date." : "Steps made: " + std::to_string(steps));
    return {};
}

/// That it can be read, and what is in it: one line for each queue and status.
Result<void> check(const Options& options, Console& console) {
    const std::shared_ptr<MissionStore> store = PTC_TRY(open_existing_store(options.store));
    for (const MissionStore::Count& count : PTC_TRY(store->counts()))
        console.out.line(JsonObject()
                             .text("queue", count.queue)
                             .text("status", status_name(count.status))
                             .number("missions", static_cast<std::int64_t>(count.missions))
                             .finish());
    return {};
}

int run(const Options& options, Console& console) {
    if (!options.is_migration && !options.is_check) return console.usage_error("`migrate` or `check` is required.");
    const Result<void> done = options.is_migration ? migrate(options, console) : check(options, console);
    return done.ok() ? kSuccess : report_store_error(done.error(), console);
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    CommandLine migration = line.subcommand("migrate", "Makes the tables, or brings older ones to today's.");
    add_store_options(migration, &options->store);
    CommandLine check = line.subcommand("check", "Opens the store, and counts its missions by queue and status.");
    add_store_options(check, &options->store);
    return [options, migration, check](Console& console) {
        options->is_migration = migration.is_chosen();
        options->is_check = check.is_chosen();
        return run(*options, console);
    };
}

} // namespace

const Command kStoreCommand{"store", "Makes and checks the tables of a store of missions.", declare};

} // namespace ptc
