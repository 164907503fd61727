// Many missions over HTTP at once, for many_missions_test.py: many_missions URL MISSIONS AT_ONCE loop|threads. Each has
// two turns. `loop` is what hosts do with ProviderCalls, all on one thread; `threads` a thread a mission, for
// comparison. Prints what came of them, and what they took, as one JSON object.
#include "ptc/mission.h"
#include "ptc/providers.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sys/resource.h>
#include <thread>

namespace {

using namespace std::chrono_literals;

struct Run {
    ptc::AgentPtr agent;
    ptc::Llm llm;
    std::size_t missions = 0;
    std::size_t at_once = 0;
    std::atomic<std::size_t> ok{0};
    std::atomic<std::size_t> begun{0};
    std::size_t most_threads = 0;

    void count(const ptc::Step& step) { ok += step.ok && step.value == ptc::Datum(12); }
};

/// Of /proc/self/status.
std::size_t number_of(const char* name) {
    std::ifstream status("/proc/self/status");
    const std::string text{std::istreambuf_iterator<char>(status), {}};
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::strtoul(text.c_str() + at + std::strlen(name), nullptr, 10);
}

void run_in_loop(Run& run) {
    ptc::ProviderCalls calls;
    std::map<std::uint64_t, ptc::Mission> missions;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> callers; // of calls: missions and needs
    std::uint64_t last_call = 0;
    const auto go_on = [&](std::uint64_t id, ptc::Mission& mission) {
        for (ptc::LlmNeed& need : mission.take_needs().llm) {
            callers[++last_call] = {id, need.id};
            calls.start(last_call, std::move(need));
        }
    };
    while (run.begun < run.missions || !missions.empty()) {
        while (missions.size() < run.at_once && run.begun < run.missions) {
            const std::uint64_t id = ++run.begun;
            ptc::Mission& mission =
                missions.emplace(id, ptc::Mission(run.agent, {.model = ptc::ModelRef(run.llm)})).first->second;
            mission.start();
            go_on(id, mission);
        }
        for (ptc::ProviderCalls::Done& done : calls.wait(1s)) {
            const auto [id, need] = callers.extract(done.id).mapped();
            ptc::Mission& mission = missions.at(id);
            mission.answer(need, std::move(done.result));
            go_on(id, mission);
            if (!mission.is_done()) continue;
            run.count(mission.step());
            missions.erase(id);
        }
        run.most_threads = std::max(run.most_threads, number_of("\nThreads:"));
    }
}

void run_on_threads(Run& run) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < run.at_once; ++i)
        threads.emplace_back([&run] {
            while (++run.begun <= run.missions)
                run.count(run.agent->run(run.llm));
        });
    run.most_threads = number_of("\nThreads:");
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    ptc::Result<ptc::AgentPtr> agent =
        ptc::Agent::create({.prompt = "How many?", .signature = "() -> :int", .mission_timeout = 500s});
    ptc::Result<ptc::Llm> llm =
        ptc::provider_llm({.model = "m", .base_url = argv[1], .api_key = "sk-test-key", .connect_timeout = 100s},
                          [](const std::string&) { return std::nullopt; });
    if (!agent.ok() || !llm.ok()) return 2;
    Run run{std::move(agent).value(), std::move(llm).value()};
    run.missions = std::strtoul(argv[2], nullptr, 10);
    run.at_once = std::strtoul(argv[3], nullptr, 10);
    const std::size_t before = number_of("\nVmHWM:");
    const auto start = std::chrono::steady_clock::now();
    std::strcmp(argv[4], "loop") == 0 ? run_in_loop(run) : run_on_threads(run);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    std::printf(R"({"ok":%zu,"threads":%zu,"seconds":%.2f,"cpu_seconds":%.2f,"kib":%zu,"kib_more":%zu})"
                "\n",
                run.ok.load(), run.most_threads, seconds, of(used.ru_utime) + of(used.ru_stime), number_of("\nVmHWM:"),
                number_of("\nVmHWM:") - before);
    return 0;
}
