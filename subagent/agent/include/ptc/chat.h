// Conversations with an agent: messages of a user, each answered by a run of its own (requirements 85, 227).
//
//   ptc::Chat chat(agent, {.model = model, .on_text = show});
//   ptc::Step first = chat.say("Which region sells most?");
//   ptc::Step second = chat.say("And the year before?"); // knows what was said, and of programs what they defined
#pragma once
#include "ptc/agent.h"

namespace ptc {

/// Belongs to one thread at a time.
class Chat {
public:
    /// `options` are those of every run; their history and memory are what the conversation begins with, and their id,
    /// if there is one, gets the number of the run behind it.
    Chat(AgentPtr agent, MissionOptions options);

    /// Answers the message. Messages so far go before it; of agents whose turns are programs memory goes on, too, as
    /// the machine has it: functions, dates and all.
    /// Results of tools that are cached are not kept from one message to the next, nor are *1 and the turns used. A run
    /// that fails leaves the conversation as it was before. The agent's prompt is its instructions for all
    /// messages; an empty message stands for the prompt itself.
    /// `attachments` are images and files that it comes with.
    Step say(std::string message, std::vector<Attachment> attachments = {});

    [[nodiscard]] const std::vector<Message>& messages() const { return options_.history; }
    [[nodiscard]] const Memory& memory() const { return options_.memory; }

private:
    AgentPtr agent_;
    MissionOptions options_;
    std::string id_;
    std::size_t runs_ = 0;
};

} // namespace ptc
