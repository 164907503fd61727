// `ptcc worker`: carries missions of a store until it is stopped, or until nothing is left.
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "ptc/trace.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/self_test.h"
#include "tools/agent/line_process.h"
#include "tools/command.h"
#include "tools/serve/http_access.h"
#include "tools/store/stop_signals.h"
#include "tools/store/store_options.h"
#include "tools/store/stored_agent.h"
#include "tools/store/worker_status.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Any number of workers, on any number of machines, carry the missions of one store. Each mission is one worker's at a time: it
holds a lease, which it renews. When a worker ends without a word, others go on with its missions after --lease-ms: with all
answers that were written, and the calls that were under way made again with the same keys ("key" in requests to programs).

Missions are taken in their turn until what they hold (data, snapshots, answers) is --most-mib together; the last one may go beyond.
The rest comes when one is over, or to other workers. A worker needs up to six times as much memory while large ones begin.

Programs of tools and models have a process for each call that is under way, at most --calls of all at once; calls beyond wait in
line. That counts for their time: one whose time is over when its turn comes is not made, and fails. Idle processes are kept for calls
to come, at most --calls or 64 of all programs, so a program shall keep nothing of a mission from one line to the next.

--until-empty ends when nothing is ready, running or ready later, of any agent in its queues. A mission that waits for an approval
holds nobody up: `ptcc missions approve` makes it ready again, for the next worker.

A store that is away, also when the worker starts, or whose disk is full, is tried again, at last every five seconds, and the log says so; with --until-empty, for which
somebody waits, it ends after --give-up-ms with exit code 1 (2 when it was never there). Nothing that was written is lost, others take up the rest.

--agents DIR takes only missions of the agents whose files are in the folder, as they are there, and of those that they call as
missions: while a new version of an agent is brought in, workers of both versions run side by side, and each mission is carried by
those that have the version that it began with.

SIGINT and SIGTERM drain: no mission is taken any more, calls under way are waited for up to --drain-ms, missions are given back
where they stand. A second signal that comes a second later or more ends the process at once, as SIGQUIT always does, and loses nothing
that was written. One that comes sooner is the first one once more: some supervisors send it to a process and to its group.

--port serves /livez, /readyz and /metrics (for Prometheus). With --key-env /metrics needs the key, as `Authorization: Bearer KEY`; the
other two, which say nothing of the store's missions, do not. A store that does not answer is told within a second: /readyz is 503, and
/metrics has `ptc_store_up 0` and the worker's own counts. Standard error has the log: one JSON object a line.

Exit codes: 0 nothing is left, or stopped; 1 the store cannot be used any more; 2 wrong usage, or the store cannot be opened.

Examples:
  ptcc worker --store sqlite:missions.db --until-empty
  ptcc worker --store postgres://me@db/missions --queues nightly,default --concurrency 200 --port 9464)";

struct Options {
    StoreArguments store;
    std::string agents;
    std::string queues;
    std::string llm;
    std::string host = "127.0.0.1";
    std::optional<std::int64_t> port;
    std::string key_env;
    std::string trace;
    std::int64_t most_mib = 128;
    std::int64_t lease_ms = 30'000;
    std::int64_t poll_ms = 500;
    std::int64_t drain_ms = 10'000;
    std::int64_t give_up_ms = 15'000;
    WorkerOptions worker;
    bool is_quiet = false;
};

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        if (comma > 0) parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

/// The digests of the agents whose files are in the folder, which the store knows then.
Result<std::vector<std::string>> agents_in(const std::string& folder, MissionStore& store) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    if (error) return invalid_request("Cannot read the folder " + folder + ": " + error.message() + ".");
    if (files.empty()) return invalid_request("There is no agent (*.json) in the folder " + folder + ".");
    std::ranges::sort(files);
    std::vector<std::string> digests;
    for (const std::filesystem::path& file : files) {
        AgentArguments arguments;
        arguments.file = file.string();
        const std::string content = PTC_TRY(stored_agent(arguments));
        digests.push_back(PTC_TRY(store.put_agent(stored_agent_name(arguments), content)));
        for (const auto& [name, child] : PTC_TRY(StoredAgents::agents_of_missions(content)))
            digests.push_back(PTC_TRY(store.put_agent(name, child)));
    }
    return digests;
}

/// Traces of missions as files, one for each claim.
class Traces {
public:
    /// `say` gets a mission and why it has no trace, once a claim; on any thread.
    Traces(std::string folder, std::function<void(const std::string& mission, const std::string& why)> say)
        : folder_(std::move(folder)), say_(std::move(say)) {}

    void write(const ClaimedMission& mission, const MissionEvent& event) {
        std::shared_ptr<TraceFile> file;
        {
            const std::scoped_lock lock(mutex_);
            const auto [known, is_new] = files_.try_emplace(mission.token);
            if (is_new) known->second = create(mission);
            file = known->second;
        }
        if (file) file->write(event);
    }
    void close(const ClaimedMission& mission) {
        const std::scoped_lock lock(mutex_);
        files_.erase(mission.token);
    }

private:
    /// Null when it cannot be written, which is not tried again. What an earlier claim wrote at the same revision
    /// stays.
    [[nodiscard]] std::shared_ptr<TraceFile> create(const ClaimedMission& mission) const {
        const std::string stem = folder_ + "/" + name_of(mission.id) + "." + std::to_string(mission.revision);
        std::string path = stem + ".jsonl";
        for (int again = 2; is_there(path); ++again)
            path = stem + "." + std::to_string(again) + ".jsonl";
        Result<std::shared_ptr<TraceFile>> file = TraceFile::create(path);
        if (!file.ok()) say_(mission.id, file.error().message);
        return file.value_or(nullptr);
    }
    /// Different ones for different ids, but for long ones, which are cut to leave room in the name of a file: create()
    /// finds the first name that is free.
    static std::string name_of(const std::string& id) {
        constexpr std::size_t kMost = 200;
        std::string name;
        for (const char c : id)
            name += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
        return std::string(utf8::prefix(name, kMost));
    }

    const std::string folder_;
    const std::function<void(const std::string& mission, const std::string& why)> say_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<TraceFile>> files_; ///< by the token of the claim
};

Result<void> check_options(const Options& options) {
    if (!options.trace.empty() && !is_folder(options.trace))
        return invalid_request("There is no folder " + options.trace + ".");
    return self_test();
}

/// What is said of a store that is away when the worker starts, and how long it waits before each further try.
class Patience {
public:
    Patience(const Options& options, const StopSignals& signals, Console& console)
        : options_(options), stop_(signals.token()), console_(console) {}

    /// False: a stop came, or somebody waits who would wait too long.
    bool waits(const Error& error) {
        constexpr Millis64 kFirst{500}, kLongest{5'000}, kLook{50};
        const auto now = std::chrono::steady_clock::now();
        if (options_.worker.until_empty && now - began_ >= Millis64(options_.give_up_ms)) return false;
        if (!options_.is_quiet) {
            console_.err.line(
                worker_log_line("error", "store", options_.worker.name, {}, ",\"why\":" + json_string(error.message)));
            console_.err.flush();
        }
        const auto end = now + std::min(kFirst * (1 << std::min(tries_++, 4)), kLongest);
        while (!stop_.stop_requested() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(kLook);
        return !stop_.stop_requested();
    }

private:
    const Options& options_;
    const std::stop_token stop_;
    Console& console_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    int tries_ = 0;
};

int run(Options options, Console& console) {
    if (const Result<void> fine = check_options(options); !fine.ok()) return console.usage_error(fine.error());
    if (options.worker.name.empty()) options.worker.name = usual_worker_name();
    StopSignals signals;
    Patience patience(options, signals, console);
    // Whoever waits for the worker waits little longer for a table that others hold than for a store that is away.
    if (options.worker.until_empty)
        options.store.busy = std::clamp(Millis64(options.give_up_ms), Millis64(1'000), StoreOptions().busy);
    options.store.waits_for_it = [&patience](const Error& error) { return patience.waits(error); };
    const Result<std::shared_ptr<MissionStore>> opened = open_store(options.store);
    if (!opened.ok() && signals.token().stop_requested()) return kSuccess;
    if (!opened.ok()) return console.usage_error(opened.error());
    const std::shared_ptr<MissionStore>& store = opened.value();
    WorkerOptions& worker_options = options.worker;
    worker_options.queues = split(options.queues);
    worker_options.most_bytes = static_cast<std::uint64_t>(options.most_mib) << 20;
    worker_options.lease = Millis64(options.lease_ms);
    worker_options.poll = Millis64(options.poll_ms);
    worker_options.give_up = Millis64(options.give_up_ms);
    for (const std::string& folder : split(options.agents)) {
        const Result<std::vector<std::string>> digests = agents_in(folder, *store);
        if (!digests.ok()) return report_store_error(digests.error(), console);
        worker_options.agents.insert(worker_options.agents.end(), digests->begin(), digests->end());
    }
    if (!options.trace.empty()) {
        const auto say = [&console, &options](const std::string& mission, const std::string& why) {
            if (options.is_quiet) return;
            console.err.line(
                worker_log_line("error", "trace", options.worker.name, mission, ",\"why\":" + json_string(why)));
            console.err.flush();
        };
        const auto traces = std::make_shared<Traces>(options.trace, say);
        worker_options.on_event = [traces](const ClaimedMission& mission, const MissionEvent& event) {
            traces->write(mission, event);
        };
        worker_options.on_over = [traces](const ClaimedMission& mission) { traces->close(mission); };
    }
    if (!options.is_quiet)
        worker_options.on_log = [&console](std::string_view line) {
            console.err.line(line);
            console.err.flush();
        };
    const Result<std::string> key = take_key(options.key_env);
    if (!key.ok()) return console.usage_error(key.error());
    const auto agents = std::make_shared<StoredAgents>(store, options.llm, worker_options.calls);
    Worker worker(
        store, [agents](const ClaimedMission& mission) { return agents->make(mission); }, worker_options);
    std::unique_ptr<WorkerStatus> status;
    if (options.port) {
        Result<std::unique_ptr<WorkerStatus>> listening =
            WorkerStatus::listen(options.host, static_cast<std::uint16_t>(*options.port), key.value(), worker, store);
        if (!listening.ok()) return console.usage_error(listening.error());
        status = std::move(listening).value();
        console.out.line("listening on http://" + options.host + ":" + std::to_string(status->port()));
        console.out.flush();
    }
    const Result<void> ended = [&] {
        const std::stop_callback on_stop(signals.source().get_token(), [&status] {
            if (status) status->note_draining();
        });
        return worker.run(signals.source().get_token(), Millis64(options.drain_ms));
    }();
    status.reset();
    store->settle();
    if (!ended.ok()) return report_store_error(ended.error(), console);
    console.out.flush();
    end_all_programs(); // calls that were cut off wait for them
    std::_Exit(kSuccess);
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    constexpr std::int64_t kMostMillis = 1'000'000'000;
    add_store_options(line, &options->store);
    line.text("--agents", &options->agents, "Only missions of the agents in these folders, as they are [all]")
        .value_name("DIR,..");
    line.text("--queues", &options->queues, "Only missions of these queues, which are served in turn [all]")
        .value_name("A,B");
    line.text("--llm", &options->llm, "The model of missions that name none").value_name("SPEC");
    line.number("--concurrency", &options->worker.concurrency, "Missions at the same time [100]")
        .range(std::size_t{1}, std::size_t{100'000});
    line.number("--most-mib", &options->most_mib, "Of data, snapshots and answers of missions at the same time [128]")
        .range(std::int64_t{1}, std::int64_t{1'000'000});
    line.number("--threads", &options->worker.threads, "That run programs and write to the store [16]")
        .range(std::size_t{1}, std::size_t{256});
    line.number("--calls", &options->worker.calls, "Programs of tools and models that are called at once [64]")
        .range(std::size_t{1}, std::size_t{4096});
    line.flag("--until-empty", &options->worker.until_empty, "Ends when no mission is left to be carried");
    line.number("--lease-ms", &options->lease_ms, "After which the missions of a worker that ended are others' [30000]")
        .range(std::int64_t{100}, kMostMillis);
    line.number("--poll-ms", &options->poll_ms, "How often it looks for missions when nobody tells it of them [500]")
        .range(std::int64_t{1}, kMostMillis);
    line.number("--give-up-ms", &options->give_up_ms,
                "With --until-empty: of a store that has failed for so long [15000]")
        .range(std::int64_t{0}, kMostMillis);
    line.number("--drain-ms", &options->drain_ms, "For calls under way when it is to stop [10000]")
        .range(std::int64_t{0}, kMostMillis);
    line.text("--host", &options->host, "An IP address to listen on [127.0.0.1]; another one needs --key-env");
    line.number("--port", &options->port, "Of /livez, /readyz and /metrics; 0 takes a free one [none]")
        .range(std::int64_t{0}, std::int64_t{65'535});
    line.text("--key-env", &options->key_env, "A variable of the environment that has the key for /metrics")
        .value_name("NAME");
    line.text("--name", &options->worker.name, "What lists call this worker [host and process]");
    line.text("--trace", &options->trace, "Writes what happens in each mission there, as ID.REVISION.jsonl")
        .value_name("FOLDER")
        .not_empty();
    line.flag("--quiet", &options->is_quiet, "Writes no log");
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kWorkerCommand{"worker", "Carries missions of a store, together with others.", declare};

} // namespace ptc
