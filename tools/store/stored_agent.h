// What a store keeps of agents and missions that come from the command line, and what a worker makes of it. Everything
// is JSON: an agent is its row, its preludes and limits; a mission's context names what else it has: models, data by
// digest, the folder in which its files and programs are found.
#pragma once
#include "ptc/worker.h"
#include "tools/agent/agent_arguments.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ptc {

/// The agent that the arguments describe, as text for the store; the same for the same agent, in every process. Its row
/// may have "llm" (a SPEC, or a list of replies), "fallbacks" and "models" besides: what a mission has that names none.
Result<std::string> stored_agent(const AgentArguments& arguments);
/// What lists call it: "" is the file's name.
std::string stored_agent_name(const AgentArguments& arguments);

/// What a mission is submitted with.
struct StoredContext {
    Datum context{};                           ///< a map, or nil
    std::map<std::string, std::string> data{}; ///< names and digests
    std::string llm{};
    std::vector<std::string> fallbacks{};
    std::vector<std::string> models{}; ///< NAME=SPEC
    std::string catalog{};             ///< the text of the file of --models
    std::string folder{};              ///< absolute; "" when nothing is looked for in it
    std::string user_message{};        ///< of a chat (`ptcc serve`)
    std::vector<Message> history{};
};
std::string write_stored_context(const StoredContext& context);
/// invalid_request for anything else.
Result<StoredContext> read_stored_context(std::string_view text);

/// Makes what runs of what the store has. May be used by several threads. Agents are made once, and so are models and
/// data, as far as they can be shared.
class StoredAgents {
public:
    /// `usual_llm`: of missions that name no model; "" for none. `calls`: of a program at once, each in a process of
    /// its own.
    StoredAgents(std::shared_ptr<MissionStore> store, std::string usual_llm, std::size_t calls);
    ~StoredAgents();
    StoredAgents(const StoredAgents&) = delete;
    StoredAgents& operator=(const StoredAgents&) = delete;
    Result<Runnable> make(const ClaimedMission& mission);

    /// The agent, as far as it can be known here that it and its missions can run. Its tools are not to be called.
    static Result<AgentPtr> check(const std::string& agent, const StoredContext& context);
    /// The agents of its tools whose calls are missions of their own ("mission"), and theirs: names and texts for the
    /// store.
    static Result<std::vector<std::pair<std::string, std::string>>> agents_of_missions(const std::string& agent);
    /// The signatures of tools of that name, of the agent and of those that it calls; a tool may have none.
    static std::vector<std::string> signatures_of(const std::string& agent, const std::string& tool);
    /// Whether the mission names a model.
    static bool has_model(const std::string& agent, const StoredContext& context);
    /// Whether something that the agent, its tools or the agents among them take or give is firewalled by its name, or
    /// a name of the context is.
    static bool has_firewalled(const std::string& agent, const StoredContext& context);

private:
    Result<Runnable> make_here(const ClaimedMission& mission, std::optional<Error>& not_here);
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
