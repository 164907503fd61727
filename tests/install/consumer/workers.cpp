// Missions in a store, and a worker that carries them: linked with ptc::store alone.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <ptc/mission_store.h>
#include <ptc/worker.h>

namespace {

int carry(const std::string& url) {
    const auto store = ptc::MissionStore::open(url);
    if (!store.ok()) {
        std::cout << store.error().message << '\n';
        return 1;
    }
    const ptc::AgentPtr agent = ptc::Agent::create({.prompt = "x", .signature = "() -> :int"}).value();
    ptc::NewMission mission;
    mission.id = "m";
    mission.agent_digest = store.value()->put_agent("x", "1").value();
    if (!store.value()->submit(mission).ok()) return 1;
    ptc::WorkerOptions options;
    options.until_empty = true;
    ptc::Worker worker(
        store.value(),
        [agent](const ptc::ClaimedMission&) -> ptc::Result<ptc::Runnable> {
            ptc::Runnable made;
            made.agent = agent;
            made.options.model = ptc::ModelRef(ptc::Llm([](const ptc::LlmRequest&) -> ptc::LlmResult {
                ptc::LlmReply reply;
                reply.text = "```clojure\n(return 42)\n```";
                return reply;
            }));
            return made;
        },
        options);
    if (!worker.run({}).ok()) return 1;
    std::cout << store.value()->show("m").value()->result << '\n';
    return 0;
}

} // namespace

int main() {
    char folder[] = "/tmp/ptc-workers-XXXXXX";
    if (!::mkdtemp(folder)) return 1;
    const int result = carry(std::string("sqlite:") + folder + "/missions.db");
    std::filesystem::remove_all(folder);
    return result;
}
