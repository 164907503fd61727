// Ranks tools by the words of a query. A tool has the words of its name, cut at hyphens and underscores, and of its
// description; a word of the query is found in one that begins with it, so that `order` finds `orders`. How much a word
// counts is the logarithm of how few tools have it, as in text search, so that `the` counts for nothing.
#include "subagent/agent/tool_search.h"
#include <algorithm>
#include <cctype>
#include <cmath>

namespace ptc {
namespace {

constexpr std::int64_t kMostFound = 100;
constexpr std::int64_t kUsuallyFound = 10;
constexpr double kNameWeight = 2;

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || byte >= 0x80)
            words.back() += static_cast<char>(std::tolower(byte));
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

bool has_word(const std::vector<std::string>& words, const std::string& wanted) {
    return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(wanted); });
}

} // namespace

std::vector<const ToolCard*> search_cards(const std::vector<ToolCard>& cards, std::string_view query) {
    std::vector<double> scores(cards.size());
    const std::vector<std::string> wanted = words_of(query);
    for (const std::string& word : wanted) {
        std::vector<double> hits(cards.size());
        for (std::size_t i = 0; i < cards.size(); ++i)
            hits[i] = (has_word(words_of(cards[i].name), word) ? kNameWeight : 0) +
                      (has_word(words_of(cards[i].description), word) ? 1 : 0);
        const auto having = static_cast<double>(std::ranges::count_if(hits, [](double hit) { return hit > 0; }));
        const double weight = having > 0 ? std::log(1 + static_cast<double>(cards.size()) / having) : 0;
        for (std::size_t i = 0; i < cards.size(); ++i)
            scores[i] += weight * hits[i];
    }
    std::vector<const ToolCard*> found;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (wanted.empty() || scores[i] > 0) found.push_back(&cards[i]);
    }
    std::ranges::stable_sort(found, std::ranges::greater(), [&](const ToolCard* card) {
        return scores[static_cast<std::size_t>(card - cards.data())];
    });
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
