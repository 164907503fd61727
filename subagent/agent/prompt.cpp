// The texts of missions: system texts for the three kinds of agents (programs, text, both) and what a model reads after
// a turn. They are put together from parts, each bounded; whatever is left out is said with its size. How well models
// work depends on these words, so they are changed on purpose, never in passing.
#include "subagent/agent/prompt.h"
#include "frontend/utf8.h"
#include "subagent/agent/firewall.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::string_view kRole = "You are a program generator: you solve the user's mission by writing PTC-Lisp "
                                   "programs. Each of your replies is one "
                                   "turn; its program is compiled and run in a sandbox, and you are told what it gave.";

constexpr std::string_view kOutput = R"(## Output
Reply with one program in a block that starts with ```clojure and ends with ```:

```clojure
(count data/items)
```

Text around the block is ignored; several blocks are run one after the other.)";

constexpr std::size_t kMostInventory = 48'000; ///< bytes; of what comes behind, only names and types are listed
constexpr std::size_t kMostPrinted = 4000;     ///< bytes of printed lines that a turn shows
// Of all tools in a prompt, bytes:
constexpr std::size_t kMostToolBytes = 32u << 10;    ///< in full
constexpr std::size_t kMostFullBytes = 20u << 10;    ///< of those in full, where not all are
constexpr std::size_t kMostBriefBytes = 8u << 10;    ///< of names with a line
constexpr std::size_t kMostNameBytes = 3u << 10;     ///< of names alone
constexpr std::size_t kMostChangeBytes = 8u << 10;   ///< of all tools that have changed before one turn
constexpr std::size_t kMostChangesBytes = 32u << 10; ///< of all such texts of a conversation
constexpr std::string_view kToolsChanged = "[The tools have changed. This holds from now on:";
constexpr std::size_t kShortTool = 1024; ///< one that is in full, where not all are
constexpr std::size_t kBriefDescription = 120;
constexpr std::size_t kMostMessage = 6000; ///< bytes of an error

std::string indented(std::string_view text) {
    std::string out = "  ";
    for (const char c : text) {
        out += c;
        if (c == '\n') out += "  ";
    }
    return out;
}

std::string section(std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return "";
    std::string out = "\n\n## " + std::string(title);
    for (const std::string& item : items)
        out += "\n" + item;
    return out;
}

std::string entry_text(const InventoryEntry& entry, const PreviewLimits& limits, bool& is_cut) {
    const std::string type =
        entry.type ? type_text(public_type(*entry.type)) : shown_type_text(*entry.value, entry.sizes);
    const std::string head = "data/" + entry.name + " " + type + " = ";
    if (is_firewalled(entry.name)) return head + std::string(kFirewalled);
    const Preview shown = preview(*entry.value, limits, entry.sizes);
    is_cut |= shown.is_cut;
    return head + shown.text;
}

std::string inventory_text(const std::vector<InventoryEntry>& inventory, PreviewLimits limits, const Secrets* secrets) {
    std::vector<std::string> lines;
    bool is_cut = false;
    std::size_t bytes = 0;
    for (const InventoryEntry& entry : inventory) {
        limits.bytes = bytes < kMostInventory ? std::min(limits.bytes, kMostInventory - bytes) : 0;
        lines.push_back(entry_text(entry, limits, is_cut));
        bytes += lines.back().size();
    }
    if (is_cut) lines.emplace_back(kCutNote);
    const std::string text = section("Data", lines);
    return secrets ? without_secrets(*secrets, text) : text;
}

constexpr std::string_view kEvalOutput = R"(## Output
Give each program to the tool lisp_eval, alone, as its argument `program`. Programs in the text of a reply are not run.)";

std::string result_rule(const SystemText& parts) {
    const Type any;
    const Type& type = parts.signature ? parts.signature->returns : any;
    const std::string shape = type == any ? "any value" : type_text(type);
    if (parts.is_judgment)
        return "\nThere is one turn only: the value of your program is the result. It must be: " + shape;
    return "\nThe mission goes on until a program calls (return value). The value must be: " + shape;
}

std::string instructions_text(std::string_view instructions) {
    return instructions.empty() ? "" : "\n\n## Instructions\n" + std::string(instructions);
}

/// `shared` and behind it `data`, which is the mission's, with the host's own texts around both.
GeneratedText surrounded(const SystemPrompt& custom, std::string shared, const std::string& data) {
    if (!custom.prefix.empty()) shared = custom.prefix + "\n\n" + shared;
    const std::string behind = custom.suffix.empty() ? "" : "\n\n" + custom.suffix;
    if (data.empty()) return {shared + behind, shared.size() + behind.size()};
    return {shared + data + behind, shared.size()};
}

constexpr std::string_view kTasks = R"(
- (task "charge-order-42" expression) computes its expression once: what it came to is kept at once, also if the program
  fails behind it, and stands for it in later programs; within pmap, too. One effect a task, and data as its value; its
  id, a text, says what is done, and to what. (task-reset id) forgets it.)";
constexpr std::string_view kSteps = R"(
- (step-done id "what came of it") reports a step of the plan, or another one; it counts when the program ends well.
  Not within pmap.)";

/// Journal, tools, namespaces and the catalogue.
void append_offers(std::string& out, const SystemText& parts, std::string_view tools, std::string_view namespaces) {
    if (parts.has_journal || parts.has_plan) out += "\n\n## Journal";
    if (parts.has_journal) out += kTasks;
    if (parts.has_journal || parts.has_plan) out += kSteps;
    out += section(tools, parts.tools);
    out += section(namespaces, parts.namespaces);
    out += section("Tools for planning (do not call)", parts.catalog);
}

void append_cut(std::string& out, std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        out += text;
        return;
    }
    out += utf8::prefix(text, most);
    out += "… (" + std::to_string(text.size()) + " bytes in all)";
}

void append_lines(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    std::string all;
    for (const std::string& line : lines)
        all += "\n" + line;
    out += "\n" + std::string(title) + ":";
    append_cut(out, all, kMostPrinted);
}

void append_joined(std::string& out, std::string_view title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? "" : ", ") + name;
    out += "\n" + std::string(title) + ": ";
    append_cut(out, all, kMostPrinted);
}

std::string what_ran(const Feedback& feedback) {
    return feedback.turn == 0 ? "The program" : "Turn " + std::to_string(feedback.turn);
}

std::string turns_text(const Feedback& feedback) {
    if (feedback.turns_left == 0) return "";
    if (feedback.turns_left > 1) return "\n\n" + std::to_string(feedback.turns_left) + " turns are left.";
    if (feedback.is_judgment) return "\n\nOne turn is left.";
    return "\n\nOne turn is left: its program must call (return value), or (fail {:reason :keyword :message "
           "\"text\"}).";
}

} // namespace

PreviewLimits preview_limits(const PromptLimit& limit) {
    PreviewLimits limits;
    limits.list = limit.list;
    limits.string = limit.string;
    return limits;
}

std::string tool_text(std::string_view name, const Signature* signature, std::string_view description) {
    std::string out = signature ? prompt_text(name, *signature) : std::string(name) + "(any arguments) -> :any";
    if (!description.empty()) out += "\n" + indented(description);
    return out;
}

std::vector<std::string> bounded_tool_texts(std::vector<std::string> texts, std::string_view rest) {
    std::size_t all = 0;
    for (const std::string& text : texts)
        all += text.size();
    if (all <= kMostToolBytes) return texts;
    std::vector<std::string> shown;
    std::size_t full = kMostFullBytes, brief = kMostBriefBytes, names = kMostNameBytes, left = 0;
    const auto take = [&](std::string text, std::size_t& budget) {
        if (text.size() > budget) return false;
        budget -= text.size();
        shown.push_back(std::move(text));
        return true;
    };
    for (std::string& text : texts) {
        if (text.size() <= kShortTool && take(text, full)) continue;
        const std::string name = text.substr(0, text.find_first_of("( \n"));
        const std::size_t line = text.find('\n');
        if (line != std::string::npos) {
            const std::string_view first = std::string_view(text).substr(line, text.find('\n', line + 1) - line);
            const std::string_view said = utf8::prefix(first, kBriefDescription);
            if (take(name + "(…)" + std::string(said) + (said.size() < first.size() ? "…" : ""), brief)) continue;
        }
        if (!take(name + "(…)", names)) ++left;
    }
    std::string end = "Not all is shown: ";
    if (left > 0) end = "… and " + std::to_string(left) + " more. " + end;
    end += rest;
    shown.push_back(std::move(end));
    return shown;
}

namespace {

/// A heading, and below it the texts that `bytes` are left for.
void add_changes(std::string& out, const char* heading, const std::vector<std::string>& texts, std::size_t& bytes) {
    if (texts.empty()) return;
    out += std::string("\n") + heading;
    std::size_t left = 0;
    for (const std::string& text : texts) {
        const std::string name = text.substr(0, text.find_first_of("( \n"));
        const std::string& shown = text.size() <= kShortTool && text.size() <= bytes ? text : name;
        if (shown.size() > bytes) {
            ++left;
            continue;
        }
        bytes -= shown.size();
        out += "\n" + indented(shown);
    }
    if (left > 0) out += "\n  … and " + std::to_string(left) + " more";
}

} // namespace

std::string tool_changes_text(const ToolChanges& changes, std::size_t told) {
    std::string out(kToolsChanged);
    std::size_t bytes = std::min(kMostChangeBytes, kMostChangesBytes - std::min(kMostChangesBytes, told));
    add_changes(out, "New:", changes.added, bytes);
    add_changes(out, "Changed:", changes.changed, bytes);
    add_changes(out, "Gone, and not to be called any more:", changes.gone, bytes);
    out += "\n" + std::string(kToolsInPrograms);
    if (changes.is_searched) out += " So does (tool/search_tools {:query \"words\"}).";
    return out + "]";
}

bool is_tool_changes_text(std::string_view text) { return text.starts_with(kToolsChanged); }

std::string namespace_text(const ExportedNamespace& space) {
    std::string members;
    bool is_all = true;
    for (const Export& member : space.exports) {
        is_all = is_all && member.in_prompt;
        if (!member.in_prompt) continue;
        members += "\n" + indented(member.usage);
        if (!member.doc.empty()) members += "\n" + indented(indented(member.doc));
    }
    if (members.empty()) return "";
    if (!is_all) members += "\n  (ns-publics '" + space.name + ") lists more of it.";
    return space.name + (space.doc.empty() ? "" : ": " + space.doc) + members;
}

GeneratedText system_text(const SystemText& parts, const AgentOptions& options) {
    const SystemPrompt& custom = options.system_prompt;
    std::string out = custom.replacement;
    if (out.empty()) out = std::string(kRole) + "\n\n## Language\n" + std::string(parts.card);
    append_offers(out, parts, "Tools you can call", "Namespaces");
    const bool by_call = options.transport == Transport::ToolCall;
    out += "\n\n" + std::string(by_call ? kEvalOutput : kOutput) + result_rule(parts);
    const std::string instructions = instructions_text(parts.instructions);
    if (!custom.whole.empty()) return {custom.whole + instructions, custom.whole.size()};
    return surrounded(custom, std::move(out),
                      instructions +
                          inventory_text(parts.inventory, preview_limits(options.prompt_limit), parts.secrets));
}

GeneratedText text_system_text(const Signature& signature, const AgentOptions& options, std::string_view instructions) {
    const std::string& whole = options.system_prompt.whole;
    if (!whole.empty()) return {whole + instructions_text(instructions), whole.size()};
    std::string out = options.system_prompt.replacement;
    const Type& type = signature.returns;
    const bool is_raw = type.is(TypeKind::Any) || type.is(TypeKind::String);
    if (out.empty())
        out = is_raw ? "Answer the user." : "Answer the user's request with data alone, without any words around it.";
    if (!is_raw) {
        const bool is_json = type.is(TypeKind::Record) || type.is(TypeKind::List) || type.is(TypeKind::Map);
        out += (is_json ? "\nYour answer is JSON of this type: " : "\nYour answer is one value of this type: ") +
               type_text(type);
    }
    return surrounded(options.system_prompt, std::move(out), instructions_text(instructions));
}

GeneratedText combined_system_text(const SystemText& parts, const AgentOptions& options) {
    AgentOptions inner;
    inner.system_prompt.replacement = options.system_prompt.replacement;
    // Requirement 208: a text of the host's own gets the card, too.
    const std::string& whole = options.system_prompt.whole;
    std::string out = whole.empty() ? text_system_text(*parts.signature, inner, "").text : whole;
    (out += "\n\n") += parts.card;
    append_offers(out, parts, "Tools that programs can call", "Namespaces of programs");
    return surrounded(options.system_prompt, std::move(out),
                      instructions_text(parts.instructions) +
                          inventory_text(parts.inventory, preview_limits(options.prompt_limit), parts.secrets));
}

std::string success_text(const Feedback& feedback) {
    std::string out = what_ran(feedback) + " gave " + feedback.type;
    out += feedback.is_by_call ? "." : ":\n" + feedback.result; // of a call the answer has it beside this text
    std::vector<std::string> new_data;
    for (const NewData& one : feedback.new_data)
        new_data.push_back("data/" + one.name + std::string(one.note));
    append_joined(out, "New data", new_data);
    append_joined(out, "Stored", feedback.stored);
    if (!feedback.is_by_call) append_lines(out, "Printed", feedback.prints);
    if (!feedback.warnings.empty()) out += "\n" + feedback.warnings;
    if (feedback.is_cut) out += "\n" + std::string(kCutNote);
    if (!feedback.paging.empty()) out += "\n" + feedback.paging;
    return out + feedback.progress + turns_text(feedback);
}

std::string failure_text(const Feedback& feedback, std::string_view reason, std::string_view message) {
    std::string out = what_ran(feedback) + " failed, " + std::string(reason) + ":\n";
    append_cut(out, message, kMostMessage);
    append_lines(out, "Printed before", feedback.prints);
    out += feedback.keeps_definitions ? "\nWhat this program defined is kept"
                                      : "\nNothing that this program defined is kept";
    if (!feedback.calls.empty())
        out += (feedback.keeps_definitions ? ", and its calls were made: " : ", but its calls were made: ") +
               feedback.calls;
    out += ". ";
    out += feedback.is_by_call ? "Call lisp_eval with a corrected program."
                               : "Write a corrected program in a ```clojure block.";
    return out + turns_text(feedback);
}

std::string reminder_text(const Feedback& feedback) {
    if (feedback.is_by_call)
        return "Your reply runs no program. Give your next steps to the tool lisp_eval, or end the mission with "
               "(return value) "
               "in a program." +
               turns_text(feedback);
    return "Your reply has no program. Give your next steps as a program in a code block:\n\n```clojure\n(count "
           "data/items)\n```" +
           turns_text(feedback);
}

std::string wrong_answer_text(const Feedback& feedback, std::string_view message) {
    std::string out = "The answer cannot be accepted:\n";
    append_cut(out, message, kMostMessage);
    const bool is_program = feedback.is_by_call && !feedback.is_judgment; // who answers in data may as well return them
    out += is_program ? "\nGive a program that calls (return value) with the whole answer, corrected, to lisp_eval."
                      : "\nGive the whole answer again, corrected.";
    if (feedback.turns_left == 1) out += " It is the last attempt.";
    return out;
}

} // namespace ptc
