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
    /// Of agents that answer in text, whose programs run beside that, definitions end with the message. So do, of all
    /// agents, the data that turns added, also results of tools and definitions that were too large and became data: a
    /// program that reads them later fails, and its model is told why. The context and the data of the options are
    /// there for each message.
    /// Results of tools that are cached are not kept from one message to the next, nor are *1 and the turns used. A run
    /// that fails leaves the conversation as it was before. The agent's prompt is its instructions for all
    /// messages; an empty message stands for the prompt itself.
    /// `attachments` are images and files that it comes with.
    /// Where the agent has a Compaction, it holds for the conversation, too: a message of the user with all that came
    /// of it is a turn then, ConversationSize is that of the next request, and what was cut is in `journal`.
    /// Where the agent hands over (AgentOptions::handoffs), the other one has the conversation from the next message
    /// on: what was said, as texts, or what was said since then if its Handoff wants it so; its own memory, the context
    /// that it was given, and its model. Step::handed_over says so of the message that it answered.
    Step say(std::string message, std::vector<Attachment> attachments = {});
    /// Who answers the next message.
    [[nodiscard]] const AgentPtr& agent() const { return agent_; }
    /// Gives the conversation to `agent`, as texts: back to the one that had it before, say. Memory goes on; `model` is
    /// used from now on, if there is one.
    void give_to(AgentPtr agent, ModelRef model = {});

    [[nodiscard]] const std::vector<Message>& messages() const { return options_.history; }
    [[nodiscard]] const Memory& memory() const { return options_.memory; }
    /// The messages that were cut, each with its number among those of the user and the beginning of its answer; the
    /// last Step::kMostJournal of them.
    [[nodiscard]] const std::vector<JournalLine>& journal() const { return journal_; }

private:
    void follow(const Handover& over);
    void keep_texts(std::size_t from_turn);
    void compact(const Step& last);
    [[nodiscard]] std::size_t turns_to_keep(const Step& last) const;
    void note(std::size_t turns);
    [[nodiscard]] std::string notice() const;
    AgentPtr agent_;
    MissionOptions options_;
    void note_data(const std::vector<std::string>& names);
    std::string id_;
    std::size_t runs_ = 0;
    std::vector<std::size_t> begins_{}; ///< where turns begin in the history; what the host gave is the first
    std::size_t cut_ = 0;               ///< turns that a message in front of the others stands for
    std::vector<JournalLine> journal_{};
};

} // namespace ptc
