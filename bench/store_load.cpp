// A store of missions under load, over its public interface: how long claims take while many missions wait or are
// stored, how soon idle workers start what is submitted, what a turn costs beyond its commit.
//   store_load URL fill STORED WAITING [TENANTS]  makes missions that are done and that wait, by SQL of its own
//   store_load URL claims WORKERS SECONDS         claims and completes: claims a second, ms of a claim and a completion
//   store_load URL wake WORKERS MISSIONS          from `submit` to the claim, with idle workers
//   store_load URL looks                          ms of counts, unfinished, a page of a list, a prune of nothing
//   store_load URL turns WORKERS MISSIONS TURNS [THREADS [CONNECTIONS]]
//                                                 turns a second by ptc::Worker with models that answer at once, beside
//                                                 the same commits and records alone
// A worker is a thread with a store of its own. bench/store_bench.py runs all of it and makes a table.
#include "frontend/try.h"
#include "ptc/mission.h"
#include "ptc/worker.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using StorePtr = std::shared_ptr<MissionStore>;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double part_of(std::vector<double>& values, double part) {
    if (values.empty()) return 0;
    const auto at = std::min(values.size() - 1, static_cast<std::size_t>(part * static_cast<double>(values.size())));
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
    return values[at];
}

void print_times(const char* what, std::vector<double>& values) {
    std::printf("%s: p50 %.2f ms, p99 %.2f ms, worst %.2f ms, of %zu\n", what, part_of(values, 0.5),
                part_of(values, 0.99), part_of(values, 1), values.size());
}

/// As many stores as workers.
Result<std::vector<StorePtr>> open_all(const std::string& url, std::size_t count, std::size_t connections = 4) {
    std::vector<StorePtr> stores;
    for (std::size_t i = 0; i < count; ++i)
        stores.push_back(PTC_TRY(MissionStore::open(url, {.connections = connections})));
    return stores;
}

/// The same mission again and again, with numbers in its id; the lanes are those of missions that were submitted.
constexpr const char* kFill =
    "INSERT INTO mission (id, lane, priority, status, is_due, since, created, changed, revision, attempts, "
    "max_attempts, worker, is_cancelled, has_news, parent, digest, context, input_tokens, output_tokens, turns, "
    "cost_usd) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS integer)) "
    "SELECT $2 || '-' || CAST(CAST($3 AS integer) + n.i AS text), m.lane, 0, $4, CAST($5 AS integer), m.since, "
    "m.created, m.changed, 1, 0, 5, '', 0, 0, '', m.digest, m.context, 0, 0, 3, 0 FROM n JOIN mission m ON m.id = "
    "'tenant-' || CAST(n.i % CAST($6 AS integer) AS text)";

Result<void> fill(MissionStore& store, std::int64_t stored, std::int64_t waiting, std::int64_t tenants) {
    const std::string agent = PTC_TRY(store.put_agent("load", "{}"));
    for (std::int64_t i = 0; i < tenants; ++i)
        PTC_CHECK(store.submit({.id = "tenant-" + std::to_string(i),
                                .agent_digest = agent,
                                .context = std::string(200, 'x'),
                                .tenant = "tenant-" + std::to_string(i)}));
    constexpr std::int64_t kAtOnce = 50'000;
    const std::string run = std::to_string(Clock::now().time_since_epoch().count());
    const auto add = [&](std::int64_t count, const char* status, const char* is_due) -> Result<void> {
        for (std::int64_t done = 0; done < count; done += kAtOnce) {
            const std::vector<std::string> arguments = {std::to_string(std::min(kAtOnce, count - done)),
                                                        std::string(status) + run,
                                                        std::to_string(done),
                                                        status,
                                                        is_due,
                                                        std::to_string(tenants)};
            PTC_CHECK(store.once("fill " + arguments[1] + " " + arguments[2],
                                 [arguments](MissionStore::Transaction& t) -> Result<std::string> {
                                     PTC_CHECK(t.execute(kFill, arguments));
                                     PTC_CHECK(t.execute("UPDATE lane SET is_ready = 1", {}));
                                     return std::string();
                                 }));
        }
        return {};
    };
    PTC_CHECK(add(stored, "done", "0"));
    return add(waiting, "ready", "1");
}

Result<void> claims(const std::string& url, std::size_t workers, double seconds) {
    const std::vector<StorePtr> stores = PTC_TRY(open_all(url, workers));
    std::vector<std::vector<double>> claim_ms(workers), complete_ms(workers);
    std::atomic<bool> has_failed{false};
    const Clock::time_point begin = Clock::now();
    const auto carry = [&](std::size_t i) {
        while (ms_since(begin) < seconds * 1000 && !has_failed) {
            const Clock::time_point start = Clock::now();
            Result<std::vector<ClaimedMission>> some = stores[i]->claim({.worker = "load"});
            if (!some.ok()) has_failed = true;
            if (!some.ok() || some.value().empty()) return;
            claim_ms[i].push_back(ms_since(start));
            const Clock::time_point middle = Clock::now();
            if (!stores[i]->complete(some.value()[0], {}, "1").ok()) has_failed = true;
            complete_ms[i].push_back(ms_since(middle));
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < workers; ++i)
            threads.emplace_back(carry, i);
    }
    const double took = ms_since(begin) / 1000;
    if (has_failed) return Error(Reason::StoreUnavailable, "A claim or a completion failed.");
    std::vector<double> all_claims, all_ends;
    for (std::size_t i = 0; i < workers; ++i) {
        all_claims.insert(all_claims.end(), claim_ms[i].begin(), claim_ms[i].end());
        all_ends.insert(all_ends.end(), complete_ms[i].begin(), complete_ms[i].end());
    }
    std::printf("workers %zu: %.0f claims and completions a second\n", workers,
                static_cast<double>(all_claims.size()) / took);
    print_times("  claim", all_claims);
    print_times("  completion", all_ends);
    return {};
}

Result<void> wake(const std::string& url, std::size_t workers, std::size_t count) {
    const std::vector<StorePtr> stores = PTC_TRY(open_all(url, workers));
    const StorePtr submitter = PTC_TRY(MissionStore::open(url));
    const std::string agent = PTC_TRY(submitter->put_agent("wake", "{}"));
    std::vector<std::atomic<Clock::rep>> started(count);
    std::vector<Clock::rep> submitted(count);
    std::atomic<bool> is_over{false};
    const auto carry = [&](const StorePtr& store) {
        while (!is_over) {
            Result<std::vector<ClaimedMission>> some = store->claim({.worker = "wake", .agents = {agent}, .most = 8});
            const Clock::rep now = Clock::now().time_since_epoch().count();
            if (!some.ok()) continue;
            for (ClaimedMission& one : some.value()) {
                started[std::strtoull(one.context.c_str(), nullptr, 10)] = now;
                (void)store->complete(one, {}, "1");
            }
            if (some.value().size() < 8) store->watch(Millis64(500));
        }
    };
    std::vector<std::jthread> threads;
    for (const StorePtr& store : stores)
        threads.emplace_back(carry, store);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    Result<void> done;
    for (std::size_t i = 0; i < count && done.ok(); ++i) {
        const auto sent = submitter->submit({.agent_digest = agent, .context = std::to_string(i)});
        if (!sent.ok()) done = sent.error();
        submitted[i] = Clock::now().time_since_epoch().count();
        std::this_thread::sleep_for(std::chrono::milliseconds(1 + i % 20));
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
    is_over = true;
    for (const StorePtr& store : stores)
        store->wake();
    threads.clear();
    std::vector<double> waited;
    for (std::size_t i = 0; i < count; ++i)
        if (started[i] != 0) waited.push_back(std::max(0.0, static_cast<double>(started[i] - submitted[i]) / 1e6));
    print_times("from submit to start", waited);
    return done;
}

Result<void> looks(MissionStore& store) {
    const auto timed = [](const char* what, auto look) -> Result<void> {
        const Clock::time_point begin = Clock::now();
        auto seen = look();
        if (!seen.ok()) return seen.error();
        std::printf("%s: %.1f ms\n", what, ms_since(begin));
        return {};
    };
    PTC_CHECK(timed("counts", [&] { return store.counts(); }));
    PTC_CHECK(timed("unfinished, all", [&] { return store.unfinished({}); }));
    PTC_CHECK(timed("unfinished, any", [&] { return store.unfinished({}, 1); }));
    PTC_CHECK(timed("a page of 1,000", [&] { return store.list({}); }));
    return timed("prune of nothing", [&] { return store.prune(std::chrono::hours(24 * 365)); });
}

LlmResult reply(const LlmRequest& request, std::size_t turns) {
    const std::string program = request.turn < turns ? "(def x" + std::to_string(request.turn) + " 1)" : "(return 1)";
    return LlmReply{.text = "```clojure\n" + program + "\n```"};
}

/// What a turn writes, without what makes it: two statements' transactions, a commit and a record.
Result<double> ms_of_bare_turn(MissionStore& store, const std::string& agent, std::size_t turns) {
    PTC_CHECK(store.submit({.agent_digest = agent, .queue = "bare"}));
    std::vector<ClaimedMission> claimed = PTC_TRY(store.claim({.worker = "bare", .queues = {"bare"}}));
    const Clock::time_point begin = Clock::now();
    for (std::uint64_t need = 1; need <= turns; ++need) {
        Commit commit{.snapshot = std::string(2000, 'x') + std::to_string(need)};
        commit.calls = {{.need = need, .kind = StoredCall::Kind::ModelCall, .name = "model", .key = "key"}};
        if (need > 1) commit.taken = {need - 1};
        PTC_CHECK(store.commit(claimed.at(0), commit));
        PTC_CHECK(store.record(claimed.at(0), need, std::string(100, 'x'), Durability::WithNext));
    }
    const double took = ms_since(begin) / static_cast<double>(turns);
    PTC_CHECK(store.complete(claimed.at(0), {}, "1"));
    return took;
}

Result<void> turns(const std::string& url, std::size_t workers, std::size_t missions, std::size_t turns,
                   std::size_t threads_each, std::size_t connections_each) {
    const std::vector<StorePtr> stores = PTC_TRY(open_all(url, workers, connections_each));
    const std::string digest = PTC_TRY(stores[0]->put_agent("turns", "{}"));
    const double bare = PTC_TRY(ms_of_bare_turn(*stores[0], digest, 200));
    for (std::size_t i = 0; i < missions; ++i)
        PTC_CHECK(stores[0]->submit({.agent_digest = digest, .queue = "turns"}));
    AgentOptions agent_options;
    agent_options.prompt = "x";
    agent_options.max_turns = turns + 1;
    agent_options.turn_budget = turns + 1;
    const AgentPtr agent = PTC_TRY(Agent::create(std::move(agent_options)));
    const MissionMaker maker = [agent, turns](const ClaimedMission&) {
        Runnable made{.agent = agent};
        made.options.model = ModelRef(Llm([turns](const LlmRequest& request) { return reply(request, turns); }));
        return Result<Runnable>(std::move(made));
    };
    WorkerOptions options{.queues = {"turns"}, .threads = threads_each};
    options.until_empty = true;
    std::atomic<std::uint64_t> done{0}, commits{0};
    const Clock::time_point begin = Clock::now();
    {
        std::vector<std::jthread> threads;
        for (const StorePtr& store : stores)
            threads.emplace_back([&, store] {
                Worker worker(store, maker, options);
                (void)worker.run({});
                done += worker.counts().done;
                commits += worker.counts().commits;
            });
    }
    const double took = ms_since(begin);
    if (done != missions) return Error(Reason::StoreUnavailable, "Not all missions were done.");
    const auto all = static_cast<double>(missions * turns);
    std::printf("workers %zu: %.0f turns and %.0f missions a second, %.2f commits a mission; a bare turn's commit and "
                "record %.2f ms\n",
                workers, all / took * 1000, static_cast<double>(missions) / took * 1000,
                static_cast<double>(commits) / static_cast<double>(missions), bare);
    return {};
}

Result<void> run(const std::vector<std::string>& words) {
    const std::string& url = words.at(0);
    const std::string& what = words.at(1);
    const auto number = [&](std::size_t i, std::size_t usual) {
        return i < words.size() ? std::strtoull(words[i].c_str(), nullptr, 10) : usual;
    };
    if (what == "claims") return claims(url, number(2, 4), static_cast<double>(number(3, 5)));
    if (what == "wake") return wake(url, number(2, 4), number(3, 300));
    if (what == "turns") return turns(url, number(2, 4), number(3, 300), number(4, 5), number(5, 16), number(6, 4));
    const StorePtr store = PTC_TRY(MissionStore::open(url));
    if (what == "fill")
        return fill(*store, static_cast<std::int64_t>(number(2, 0)), static_cast<std::int64_t>(number(3, 0)),
                    static_cast<std::int64_t>(number(4, 4)));
    if (what == "looks") return looks(*store);
    return Error(Reason::InvalidRequest, "fill, claims, wake, looks or turns.");
}

} // namespace
} // namespace ptc

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const ptc::Result<void> done = ptc::run({argv + 1, argv + argc});
    if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message.c_str());
    return done.ok() ? 0 : 1;
}
