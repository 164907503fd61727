// Tools found by words, where there are too many to show a model all of them. Agents have it as the family
// "tool_search" of AgentOptions::builtin_tools; here it is for hosts with loops of their own.
//
//   for (const ptc::Tool* tool : ptc::search_tools(tools, "cancel an order"))
//       provider.offer(ptc::schema_of(*tool).value());
//   ptc::Tool search = ptc::search_tool(tools);   // or as a tool that a model calls
#pragma once
#include "ptc/tool.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Those that have a word of `query` in their name or description, the best first: rare words count more than frequent
/// ones, names more than descriptions, beginnings of words as words. Without a word in `query`, all in their order.
/// They point into `tools`. Takes time in proportion to the tools' texts.
[[nodiscard]] std::vector<const Tool*> search_tools(std::span<const Tool> tools, std::string_view query,
                                                    std::size_t limit = 10);

/// The tool `search_tools`: (query :string, limit :int[1..100]?) -> [{name, signature, description}], of what
/// `search_tools` finds among these. It has copies of what it shows, and may be called on any threads.
[[nodiscard]] Tool search_tool(std::span<const Tool> tools);

} // namespace ptc
