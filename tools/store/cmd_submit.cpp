// `ptcc submit`: puts an agent, data and a mission into a store, and prints the mission's id.
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/agent_setup.h"
#include "tools/batch.h"
#include "tools/command.h"
#include "tools/members.h"
#include "tools/run_options.h"
#include "tools/store/store_options.h"
#include "tools/store/stored_agent.h"
#include <algorithm>
#include <filesystem>
#include <map>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(The store keeps all that a worker needs: the agent with its tools and preludes, data (once, by their digest), the
context. Files and programs that are named in them (`script:`, `cmd:`, "cmd" of tools) are looked for in the folder where
submit ran; keys of providers are the workers'. The agent's file may name its model: "llm": "PROVIDER:MODEL".

The same --id with the same content is one mission, however often it is submitted; with other content it is refused.

With a key (--key-file, PTC_STORE_KEY) contexts, snapshots, answers and results are encrypted before they leave this
process; workers need the same key.

Whoever may write to a store without a key has its workers run programs ("cmd") and call addresses with their providers' keys
(--models): give it to those only who may.

Exit codes: 0 it is in the store; 1 the store cannot be reached; 2 wrong usage, or an agent or context that cannot run.

Examples:
  ptcc submit --store sqlite:missions.db --agent agent.json --context '{"order": 17}' --llm 'cmd:python3 model.py'
  ptcc submit --store postgres://me@db/missions --agent agent.json --id order-17 --queue nightly --delay-ms 60000)";

struct Options {
    StoreArguments store;
    AgentArguments agent;
    NewMission mission;
    std::string context;
    std::string missions;
    std::int64_t delay_ms = 0;
    std::optional<std::int64_t> deadline_ms;
    std::int64_t priority = 0;
    std::int64_t max_attempts = NewMission{}.max_attempts;
};

/// "" for none.
Result<Datum> read_context(const std::string& text) {
    if (text.empty()) return Datum();
    Result<Datum> context = Datum::from_json(text);
    if (!context.ok()) return invalid_request("--context: " + context.error().message);
    return context;
}

/// What all missions of a command line have in common.
struct Submission {
    std::string content; ///< of the agent
    AgentPtr agent{};
    StoredContext context{};
    std::map<std::string, std::string> data{}; ///< names and JSON
    std::vector<std::shared_ptr<const DataSet>> sets{};
};

/// Whether anything is looked for in a folder. Otherwise the mission is the same wherever it is submitted.
bool names_files(const Submission& made) {
    const std::string all = made.content + write_stored_context(made.context);
    const auto has = [&all](std::string_view text) { return all.find(text) != std::string::npos; };
    return has("\"cmd\":") || has("\"cmd:") || has("\"script:") || has("=cmd:") || has("=script:");
}

Result<Submission> read_submission(const Options& options) {
    const AgentArguments& given = options.agent;
    if (given.file.empty() && given.prompt.empty()) return invalid_request("--agent is required.");
    Submission out{.content = PTC_TRY(stored_agent(given))};
    out.context.llm = given.llm;
    out.context.fallbacks = given.fallbacks;
    out.context.models = given.models;
    if (!given.catalog.empty()) out.context.catalog = PTC_TRY(read_file(given.catalog, kMaxDataBytes));
    const Datum data = PTC_TRY(load_data_map(given.data));
    for (const auto& [name, value] : *data.map())
        out.data.emplace(*name.text(), value.to_json());
    for (const auto& [name, json] : out.data)
        out.sets.push_back(PTC_TRY(DataSet::from_json(name, json)));
    out.agent = PTC_TRY(StoredAgents::check(out.content, out.context));
    std::error_code error;
    if (names_files(out)) out.context.folder = std::filesystem::current_path(error).string();
    return out;
}

/// One mission, and its context.
struct Wanted {
    NewMission mission;
    Datum context{};
};

Result<void> check_context(const Submission& made, const Datum& context) {
    if (!context.is_nil() && !context.map()) return invalid_request("--context is an object of names and values.");
    MissionOptions options;
    if (!context.is_nil()) options.context = context;
    options.data = made.sets;
    const Step step = made.agent->validate(options);
    return step.ok || !step.fail ? Result<void>() : invalid_request(step.fail->reason + ": " + step.fail->message);
}

/// What options and members of lines may be.
struct Range {
    std::int64_t least, most;
};
constexpr std::int64_t kMostMillis = 1'000'000'000'000;
constexpr Range kPriorities{-1'000'000, 1'000'000}, kDelays{0, kMostMillis}, kDeadlines{1, kMostMillis};

Result<std::string> text_in(const Datum& row, const char* member, const std::string& usual) {
    const Datum* const found = row.find(member);
    if (!found) return usual;
    if (!found->text()) return invalid_request(std::string("\"") + member + "\" is a text.");
    return *found->text();
}

Result<std::int64_t> number_in(const Datum& row, const char* member, Range range, std::int64_t usual) {
    const Datum* const found = row.find(member);
    std::int64_t number = usual;
    if (!found) return number;
    if (found->to_int64(&number) && number >= range.least && number <= range.most) return number;
    return invalid_request(std::string("\"") + member + "\" is a whole number from " + std::to_string(range.least) +
                           " to " + std::to_string(range.most) + ".");
}

Result<Wanted> read_wanted(const Datum& row, const NewMission& usual) {
    constexpr std::string_view kMembers[] = {"id", "context", "queue", "tenant", "priority", "delay_ms", "deadline_ms"};
    if (!row.map()) return invalid_request("a mission is an object.");
    PTC_CHECK(check_members(row, kMembers, "a mission"));
    Wanted wanted{.mission = usual};
    NewMission& mission = wanted.mission;
    mission.id = PTC_TRY(text_in(row, "id", ""));
    if (row.find("id") && mission.id.empty()) return invalid_request("\"id\" is empty.");
    mission.queue = PTC_TRY(text_in(row, "queue", usual.queue));
    mission.tenant = PTC_TRY(text_in(row, "tenant", usual.tenant));
    mission.priority = static_cast<int>(PTC_TRY(number_in(row, "priority", kPriorities, usual.priority)));
    mission.delay = Millis64(PTC_TRY(number_in(row, "delay_ms", kDelays, usual.delay.count())));
    if (row.find("deadline_ms")) mission.deadline = Millis64(PTC_TRY(number_in(row, "deadline_ms", kDeadlines, 0)));
    if (const Datum* context = row.find("context")) wanted.context = *context;
    NewMission stored = mission;
    stored.agent_digest = "known later";
    PTC_CHECK(check_mission(stored));
    return wanted;
}

/// The lines of --missions; everything is read before anything is stored.
Result<std::vector<Wanted>> read_missions(const std::string& path, const NewMission& usual, const Submission& made) {
    const std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    std::vector<Wanted> all;
    std::string_view rest = text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (is_blank_line(line)) continue;
        const auto at_line = [&](const Error& error) {
            return invalid_request(path + ", line " + std::to_string(number) + ": " + error.message);
        };
        const Result<Datum> row = Datum::from_json(line);
        if (!row.ok()) return at_line(row.error());
        Result<Wanted> wanted = read_wanted(row.value(), usual);
        if (!wanted.ok()) return at_line(wanted.error());
        if (const Result<void> fits = check_context(made, wanted.value().context); !fits.ok())
            return at_line(fits.error());
        all.push_back(std::move(wanted).value());
    }
    return all;
}

void warn(const Submission& made, const std::vector<Wanted>& missions, bool has_key, Console& console) {
    const auto is_hidden = [&](const Wanted& one) {
        StoredContext context = made.context;
        context.context = one.context;
        return StoredAgents::has_firewalled(made.content, context);
    };
    if (!has_key && std::ranges::any_of(missions, is_hidden)) console.message(kInClear);
    if (!StoredAgents::has_model(made.content, made.context))
        console.message("ptcc: note: The mission names no model, so that its worker needs --llm.\n");
}

Result<void> submit(Options& options, Console& console) {
    NewMission& usual = options.mission;
    usual.delay = Millis64(options.delay_ms);
    if (options.deadline_ms) usual.deadline = Millis64(*options.deadline_ms);
    usual.priority = static_cast<int>(options.priority);
    usual.max_attempts = static_cast<int>(options.max_attempts);
    if (!options.missions.empty() && (!usual.id.empty() || !options.context.empty()))
        return invalid_request(
            "With --missions, each line has its own id and context: --id and --context are for one mission.");
    Submission made = PTC_TRY(read_submission(options));
    std::vector<Wanted> missions;
    if (options.missions.empty()) {
        missions.push_back({.mission = usual, .context = PTC_TRY(read_context(options.context))});
        PTC_CHECK(check_context(made, missions.back().context));
    } else {
        missions = PTC_TRY(read_missions(options.missions, usual, made));
    }
    bool has_key = false;
    const std::shared_ptr<MissionStore> store = PTC_TRY(open_store(options.store, &has_key));
    warn(made, missions, has_key, console);
    for (const auto& [name, json] : made.data)
        made.context.data[name] = PTC_TRY(store->put_data(json));
    const std::string digest = PTC_TRY(store->put_agent(stored_agent_name(options.agent), made.content));
    for (Wanted& wanted : missions) {
        made.context.context = std::move(wanted.context);
        wanted.mission.agent_digest = digest;
        wanted.mission.context = write_stored_context(made.context);
        console.out.line(PTC_TRY(store->submit(wanted.mission)).id);
    }
    return {};
}

int run(Options options, Console& console) {
    const Result<void> done = submit(options, console);
    return done.ok() ? kSuccess : report_store_error(done.error(), console);
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    add_store_options(line, &options->store);
    line.text("--id", &options->mission.id, "Of the mission [a new one]").not_empty();
    line.text("--context", &options->context, "The agent's parameters and more names behind data/, an object")
        .value_name("JSON");
    line.text("--missions", &options->missions,
              R"(Many missions: a line each, {"id"?, "context"?, "queue"?, "tenant"?, "priority"?, "delay_ms"?, )"
              R"("deadline_ms"?}; `-` is standard input)")
        .value_name("FILE.jsonl");
    line.text("--queue", &options->mission.queue, "Queues are served in turn, whatever they have [default]");
    line.text("--tenant", &options->mission.tenant, "Tenants of a queue share its turns");
    line.number("--priority", &options->priority, "The highest goes first within its queue and tenant [0]")
        .range(kPriorities.least, kPriorities.most);
    line.number("--delay-ms", &options->delay_ms, "Not begun before that long from now [0]")
        .range(kDelays.least, kDelays.most);
    line.number("--deadline-ms", &options->deadline_ms, "Fails when it is not over that long from now [none]")
        .range(kDeadlines.least, kDeadlines.most);
    line.number(
            "--max-attempts", &options->max_attempts,
            "How often it may fail in a row for what is outside of it, before it fails; a worker that is lost under it "
            "without a word counts a quarter, and 20 of these are the end [36: half an hour of retries]")
        .range(std::int64_t{1}, std::int64_t{1'000'000});
    add_agent_options(line, &options->agent);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kSubmitCommand{"submit", "Puts a mission into a store, for workers to carry.", declare};

} // namespace ptc
