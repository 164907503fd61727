// Tools found by words, for agents that have too many to list: the family "tool_search" of AgentOptions::builtin_tools.
#pragma once
#include "ptc/tool_search.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

inline constexpr std::string_view kToolSearchFamily = "tool_search";
inline constexpr std::string_view kToolSearchName = "search_tools";
/// The native tool by which a model calls what it found: those are not among the tools of a request, so that requests
/// begin as the ones before.
inline constexpr std::string_view kCallToolName = "call_tool";

/// What a search knows of a tool, and gives.
struct ToolCard {
    std::string name;
    std::string signature;
    std::string description;
    std::string details{}; ///< Tool::details
    /// How a model calls it: "call_tool", "lisp_eval"; "" where there is one way.
    std::string_view by{};
    SharedFunction<std::string()> description_now{}; ///< Tool::description_now
};

/// The cards that have a word of `query`, the best first (see rank_by_words).
std::vector<const ToolCard*> search_cards(const std::vector<ToolCard>& cards, std::string_view query);

/// The tool `search_tools`, which searches `cards`; they may be filled after it was made, before it is called. `how`
/// says how what is found is called; with `has_by` each card says so, too.
Tool tool_search(std::shared_ptr<const std::vector<ToolCard>> cards, std::string_view how, bool has_by = false);

/// `call_tool` for a provider.
ToolSchema call_tool_schema();
/// What a call of it calls: name and arguments, of which the id is the call's. `problem` says what is wrong with it.
ToolCall unwrapped_call(const ToolCall& call);

} // namespace ptc
