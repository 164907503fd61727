// A served agent whose missions are carried by the workers of a store: each request is a mission, and waits for it.
#pragma once
#include "tools/serve/chat_service.h"
#include "tools/store/stored_agent.h"

namespace ptc {

/// What all requests have in common.
struct StoredChat {
    std::shared_ptr<MissionStore> store{};
    std::string agent_name{};
    Datum agent{};           ///< as stored_agent gives it: its prompt is about all missions
    StoredContext context{}; ///< models and data
    std::string queue = "default";
};

/// The agent of `ptcc serve` for the store: that of the arguments, with the prompt that `served` has.
Result<StoredChat> stored_chat(const AgentArguments& arguments, const AgentOptions& served,
                               std::shared_ptr<MissionStore> store);

/// Submits the mission of a request, and waits until it is over; none when nobody waits any more: then it goes on.
std::optional<Step> carry_in_store(const StoredChat& chat, const std::string& id, const ChatRequest& request,
                                   const std::string& signature, const std::function<bool()>& is_unwanted);

} // namespace ptc
