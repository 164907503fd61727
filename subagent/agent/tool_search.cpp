// The search itself is word_search.h's. A model finds tools with `search_tools` and calls them in one of two ways: a
// program as (tool/NAME {..}), a model that calls tools by its provider's means with the one tool `call_tool`, as
// providers refuse calls of tools that a request does not have.
#include "subagent/agent/tool_search.h"
#include "frontend/quoted.h"
#include "frontend/word_search.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::int64_t kMostFound = 100;
constexpr std::int64_t kUsuallyFound = 10;

constexpr std::size_t kMostWithDetails = 3; ///< of those that are found, the first

/// By now: a search is a call, of which a recording has the result.
std::string description_of(const ToolCard& card) {
    return newest_description(Tool{.description = card.description, .description_now = card.description_now});
}

Datum row_of(const ToolCard& card, bool with_details) {
    std::vector<std::pair<std::string, Datum>> members = {
        {"name", card.name}, {"signature", card.signature}, {"description", description_of(card)}};
    if (with_details && !card.details.empty()) members.emplace_back("details", Datum(card.details));
    if (!card.by.empty()) members.emplace_back("by", Datum(card.by));
    return Datum::object(std::move(members));
}

} // namespace

std::vector<const ToolCard*> search_cards(const std::vector<ToolCard>& cards, std::string_view query) {
    std::vector<std::string> details;
    for (const ToolCard& card : cards)
        details.push_back(card.signature + "\n" + card.details);
    std::vector<Searchable> items;
    for (std::size_t i = 0; i < cards.size(); ++i)
        items.push_back({cards[i].name, cards[i].description, details[i]});
    std::vector<const ToolCard*> found;
    for (const std::size_t i : rank_by_words(items, query))
        found.push_back(&cards[i]);
    return found;
}

Tool tool_search(std::shared_ptr<const std::vector<ToolCard>> cards, std::string_view how, bool has_by) {
    Tool tool{.name = std::string(kToolSearchName),
              .description = "Finds tools by words, the best first. Not all tools are listed here: search, then call "
                             "what was found " +
                             std::string(how) + ".",
              .signature = "(query :string, limit :int[1..100]?) -> "
                           "[{name :string, signature :string, description :string, details :string?" +
                           std::string(has_by ? ", by :string}]" : "}]")};
    tool.function = [cards = std::move(cards)](const Datum& arguments) -> Result<Datum> {
        std::int64_t limit = kUsuallyFound;
        if (const Datum* given = arguments.find("limit")) (void)given->to_int64(&limit);
        const Datum* query = arguments.find("query");
        Datum::List rows;
        for (const ToolCard* card : search_cards(*cards, query && query->text() ? *query->text() : "")) {
            if (static_cast<std::int64_t>(rows.size()) >= std::clamp(limit, std::int64_t{1}, kMostFound)) break;
            rows.push_back(row_of(*card, rows.size() < kMostWithDetails));
        }
        return Datum(std::move(rows));
    };
    return tool;
}

// ---- Calls by the provider's means

ToolSchema call_tool_schema() {
    return {
        .name = std::string(kCallToolName),
        .description = "Calls a tool that search_tools found, by its name and with arguments of its signature.",
        .input_schema_json =
            R"({"type":"object","properties":{"name":{"type":"string","description":"The tool."},"arguments":{"type":"object","description":"Its arguments, by name."}},"required":["name"]})"};
}

ToolCall unwrapped_call(const ToolCall& call) {
    ToolCall meant{.id = call.id, .name = call.name, .arguments = Datum(Datum::Map()), .problem = call.problem};
    if (!call.problem.empty()) return meant;
    const Datum* name = call.arguments.find("name");
    const Datum* arguments = call.arguments.find("arguments");
    if (!name || !name->text()) {
        meant.problem = "call_tool needs `name`, the tool that it calls.";
        return meant;
    }
    meant.name = *name->text();
    if (!arguments || arguments->is_nil()) return meant;
    if (arguments->map())
        meant.arguments = *arguments;
    else
        meant.problem = "The `arguments` of " + quoted_excerpt(meant.name) + " must be an object.";
    return meant;
}

// ---- For hosts

std::vector<const Tool*> search_tools(std::span<const Tool> tools, std::string_view query, std::size_t limit) {
    std::vector<std::string> details;
    for (const Tool& tool : tools)
        details.push_back(tool.signature + "\n" + tool.details);
    std::vector<Searchable> items;
    for (std::size_t i = 0; i < tools.size(); ++i)
        items.push_back({tools[i].name, tools[i].description, details[i]});
    std::vector<const Tool*> found;
    for (const std::size_t i : rank_by_words(items, query)) {
        if (found.size() == limit) break;
        found.push_back(&tools[i]);
    }
    return found;
}

Tool search_tool(std::span<const Tool> tools) {
    std::vector<ToolCard> cards;
    for (const Tool& tool : tools)
        cards.push_back({tool.name,
                         tool.signature.empty() ? "() -> :any" : tool.signature,
                         tool.description,
                         tool.details,
                         {},
                         tool.description_now});
    return tool_search(std::make_shared<const std::vector<ToolCard>>(std::move(cards)), "by its name");
}

} // namespace ptc
