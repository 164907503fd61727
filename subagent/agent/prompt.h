// What missions say to models.
#pragma once
#include "ptc/agent.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/mission_memory.h"
#include "subagent/agent/preview.h"

namespace ptc {

/// One name behind data/.
struct InventoryEntry {
    std::string name;
    const Datum* value;
    const FullSizes* sizes = nullptr; ///< of an excerpt
    const Type* type = nullptr;       ///< as a signature declares it; null: as the value looks
};

PreviewLimits preview_limits(const PromptLimit& limit);

/// "name(query :string) -> [:any]" and the description, indented.
std::string tool_text(std::string_view name, const Signature* signature, std::string_view description);

/// The texts of tools (tool_text of each) within a bound that does not depend on their number. All as they are where
/// they fit in 32 KiB together; else those that are short come in full, others as their name with the first line of
/// their description, later ones by name, and the last line counts the rest and says that `rest` tells of them.
std::vector<std::string> bounded_tool_texts(std::vector<std::string> texts, std::string_view rest);
/// How programs find what prompts leave out, for `bounded_tool_texts`.
inline constexpr std::string_view kToolsInPrograms =
    "(doc tool/NAME) shows a tool in full, (apropos \"words\") finds tools.";

/// What has changed among the tools of a mission under way.
struct ToolChanges {
    std::vector<std::string> added; ///< tool_text of each; of those that prompts do not list the name
    std::vector<std::string> changed;
    std::vector<std::string> gone; ///< names
    bool is_searched = false;      ///< some are not listed: search_tools finds them
};
/// For the model, and bounded: what is long, or too much, comes by name, and the rest is counted. `told`: bytes of such
/// texts that the conversation has already; all of them are bounded too.
std::string tool_changes_text(const ToolChanges& changes, std::size_t told);
bool is_tool_changes_text(std::string_view text);

/// A prelude's namespace in a prompt: "crm: Customers." and below it its exports that are for prompts, and
/// how to find the others. "" when there is nothing to say.
std::string namespace_text(const ExportedNamespace& space);

struct SystemText {
    std::string_view card;                 ///< language_card
    std::vector<InventoryEntry> inventory; ///< firewalled names are left out here
    std::vector<std::string> tools;        ///< tool_text of each
    std::vector<std::string> catalog;
    std::vector<std::string> namespaces{}; ///< namespace_text of each
    std::string_view instructions{};       ///< of a chat: the agent's prompt
    const Signature* signature = nullptr;
    bool is_judgment = false; ///< one turn: its value is the result
    bool has_journal = false; ///< for `task`
    bool has_plan = false;    ///< for `step-done`
    const Secrets* secrets = nullptr;
};
/// A system text, the same in all turns of a mission, so that providers can cache it.
struct GeneratedText {
    std::string text;
    std::size_t shared = 0; ///< bytes from its start that do not depend on the mission's data
};
/// Of a mission of programs (requirement 171).
GeneratedText system_text(const SystemText& parts, const AgentOptions& options);

/// The same for an answer in text: what its form must be.
GeneratedText text_system_text(const Signature& signature, const AgentOptions& options, std::string_view instructions);

/// Both: an answer in text, and programs as calls of lisp_eval (requirements 202 to 208).
GeneratedText combined_system_text(const SystemText& parts, const AgentOptions& options);

/// What a turn came to, for the model.
struct Feedback {
    std::size_t turn = 0;       ///< 0: no mission, programs are run one by one
    std::size_t turns_left = 0; ///< after this one; retries count
    bool is_judgment = false;
    bool is_by_call = false; ///< programs come as calls of lisp_eval
    std::string result{};    ///< a preview
    std::string type{};      ///< shown_type_text
    std::vector<NewData> new_data{};
    std::vector<std::string> stored{}; ///< "name :type" of what was defined
    std::vector<std::string> prints{};
    std::string warnings{}; ///< validation_warnings_text; "" for none
    bool is_cut = false;
    std::string paging{};   ///< paging_text
    std::string progress{}; ///< of the plan, when it has changed
    // Of a program that failed:
    std::string calls{};            ///< "pay (3 times), search": what it called before, and stays done; "" for none
    bool keeps_definitions = false; ///< its result is refused, and nothing else
};
std::string success_text(const Feedback& feedback);
/// `message` is a rendered diagnostic or a validation message.
std::string failure_text(const Feedback& feedback, std::string_view reason, std::string_view message);
/// Requirement 126: a reply without a program.
std::string reminder_text(const Feedback& feedback);
/// A text answer that does not fit the signature.
std::string wrong_answer_text(const Feedback& feedback, std::string_view message);

} // namespace ptc
