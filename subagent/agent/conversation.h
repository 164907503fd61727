// What an agent and its model say to each other: the system text, the prompt, requests, and answers to calls.
#pragma once
#include "subagent/agent/eval_report.h"
#include "subagent/agent/prompt.h"
#include "subagent/agent/run_limits.h"
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Messages as an agent with other tools can read them: texts, without calls.
[[nodiscard]] std::vector<Message> said_in(std::span<const Message> messages);

/// Of what a program should know of a tool: what its model was told, and who approves a call of it.
std::string tool_hash(const AgentImpl& agent, const AgentTool& tool);

/// Owns the choice of the model and the declared types of the context; borrows the model itself (from the mission's
/// options, the agent's tool or the caller). Writes `messages`, `listed_tools`, `known_tools`, `context_signature`,
/// `eval_call` and what belongs to the call of the model under way (`model_*`) of the state.
class Conversation {
public:
    Conversation(const AgentCore& core, const RunLimits& limits) : core_(core), limits_(limits) {}

    /// The types of the context: the agent's parameters, and those of `context_signature` of the state.
    [[nodiscard]] std::optional<Fail> read_context_types();
    /// The first message: the prompt with the context in its place, or `user_message` if there is one; the prompt is
    /// for the system text then.
    [[nodiscard]] std::optional<Fail> write_prompt(const std::string& user_message,
                                                   std::vector<Attachment> attachments);
    /// `model` is this agent's; without one it is `callers`, which may be null. Both outlive this.
    [[nodiscard]] std::optional<Fail> choose_model(const ModelRef& model, const Llm* callers);
    /// Null before `choose_model`.
    [[nodiscard]] const Llm* model() const { return model_; }

    /// Needs the model's reply, after a time.
    void ask(Millis delay);
    /// Needs again the reply that the state waits for.
    void ask_again();

    /// A message of ours, with what tools gave for it (`attached` of the state); none when it is empty.
    void say(std::string text);
    /// What another agent answered in this one's place, as the assistant's message: a later message of a chat finds it.
    void note_answer(const Datum& value);
    void answer_call(const std::string& id, const Datum& content, bool is_error);
    /// Between turns: before the first one, keeps what the system text is to list; later, says what has changed since
    /// the model was told last. For agents whose tools may change; nothing for others.
    void tell_tools();
    // To the lisp_eval call whose program is under way. It waits for no answer afterwards.
    void answer_eval(const Datum& content, bool is_error);
    /// `result`, if there is one, is what (fail ..) was given.
    void answer_eval_error(std::string_view reason, const std::string& message, const std::string& feedback,
                           const Datum* result = nullptr);
    void answer_eval_value(const Datum& value, bool is_kept, const Feedback& feedback, const ShownDefinitions& changed,
                           std::vector<std::string> names);
    /// For what a program defined, to be shown so.
    [[nodiscard]] ShownDefinitions shown_definitions() const;

    /// Feedback with what any turn of this agent says.
    [[nodiscard]] Feedback feedback() const;
    [[nodiscard]] GeneratedText make_system_text() const;
    /// What the model reads for the first time in the next request.
    [[nodiscard]] std::string new_text() const;

private:
    /// What entries of an inventory point into.
    struct InventoryParts {
        std::vector<Type> types;
        std::vector<std::shared_ptr<const Excerpts>> excerpts;
    };
    [[nodiscard]] std::vector<InventoryEntry> inventory(InventoryParts& parts) const;
    [[nodiscard]] SystemText system_parts(InventoryParts& inventory_parts) const;
    [[nodiscard]] LlmRequest make_request() const;
    /// As the system text has them.
    [[nodiscard]] std::vector<std::string> listed_tools() const;
    [[nodiscard]] bool shows_rows(const Datum& definition) const;

    const AgentCore& core_;
    const RunLimits& limits_;
    const Llm* model_ = nullptr;
    std::vector<Field> context_types_;
    AgentPtr told_; ///< the agent of whose tools the model was told last
};

} // namespace ptc
