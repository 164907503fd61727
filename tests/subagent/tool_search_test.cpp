#include "subagent/agent/tool_search.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

const std::vector<ToolCard> kCards = {
    {"count_orders_by_status", "() -> :map", "Counts the orders by status."},
    {"find_customers", "(name :string) -> [:map]", "Finds customers of the shop by name."},
    {"cancel_order", "(id :int) -> :bool", "Cancels one of the orders."},
    {"weather", "(city :string) -> :map", "The weather of a city."}};

std::vector<std::string> found(std::string_view query) {
    std::vector<std::string> names;
    for (const ToolCard* card : search_cards(kCards, query))
        names.push_back(card->name);
    return names;
}

TEST(ToolSearch, RareWordsAndNamesComeFirst) {
    EXPECT_EQ(found("cancel the order").front(), "cancel_order");
    EXPECT_EQ(found("Customers by name").front(), "find_customers");
    EXPECT_EQ(found("status").size(), 1U);
}

TEST(ToolSearch, BeginningsOfWordsAreFoundInEitherCase) {
    EXPECT_EQ(found("WEATH"), std::vector<std::string>{"weather"});
    EXPECT_TRUE(found("zebra").empty());
}

TEST(ToolSearch, EndingsOfWordsDoNotMatter) {
    EXPECT_EQ(found("cancelling"), std::vector<std::string>{});
    EXPECT_EQ(found("cancels the orders").front(), "cancel_order");
    EXPECT_EQ(found("canceling").front(), "cancel_order");
}

TEST(ToolSearch, WithoutWordsAllAreFoundInTheirOrder) {
    EXPECT_EQ(found(" .. ").size(), kCards.size());
    EXPECT_EQ(found("").front(), "count_orders_by_status");
}

} // namespace
} // namespace ptc
