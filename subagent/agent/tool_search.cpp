#include "subagent/agent/tool_search.h"
#include "frontend/word_search.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::int64_t kMostFound = 100;
constexpr std::int64_t kUsuallyFound = 10;

} // namespace

std::vector<const ToolCard*> search_cards(const std::vector<ToolCard>& cards, std::string_view query) {
    std::vector<Searchable> items;
    for (const ToolCard& card : cards)
        items.push_back({card.name, card.description});
    std::vector<const ToolCard*> found;
    for (const std::size_t i : rank_by_words(items, query))
        found.push_back(&cards[i]);
    return found;
}

Tool tool_search(std::shared_ptr<const std::vector<ToolCard>> cards) {
    Tool tool{.name = std::string(kToolSearchName),
              .description =
                  "Finds tools by words, the best first. Not all tools are listed here: search, then call what "
                  "was found as (tool/NAME {..}).",
              .signature = "(query :string, limit :int[1..100]?) -> "
                           "[{name :string, signature :string, description :string}]"};
    tool.function = [cards = std::move(cards)](const Datum& arguments) -> Result<Datum> {
        std::int64_t limit = kUsuallyFound;
        if (const Datum* given = arguments.find("limit")) (void)given->to_int64(&limit);
        const Datum* query = arguments.find("query");
        Datum::List rows;
        for (const ToolCard* card : search_cards(*cards, query && query->text() ? *query->text() : "")) {
            if (static_cast<std::int64_t>(rows.size()) >= std::clamp(limit, std::int64_t{1}, kMostFound)) break;
            rows.push_back(Datum::object(
                {{"name", card->name}, {"signature", card->signature}, {"description", card->description}}));
        }
        return Datum(std::move(rows));
    };
    return tool;
}

} // namespace ptc
