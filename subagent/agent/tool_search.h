// Tools found by words, for agents that have too many to list: the family "tool_search" of AgentOptions::builtin_tools.
#pragma once
#include "ptc/tool.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

inline constexpr std::string_view kToolSearchFamily = "tool_search";
inline constexpr std::string_view kToolSearchName = "search_tools";

/// What a search knows of a tool, and gives.
struct ToolCard {
    std::string name;
    std::string signature;
    std::string description;
};

/// The cards that have a word of `query`, the best first (see rank_by_words).
std::vector<const ToolCard*> search_cards(const std::vector<ToolCard>& cards, std::string_view query);

/// The tool `search_tools`, which searches `cards`; they may be filled after it was made, before it is called.
Tool tool_search(std::shared_ptr<const std::vector<ToolCard>> cards);

} // namespace ptc
