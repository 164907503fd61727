// What is found by the words of a question.
#include "frontend/word_search.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace ptc {
namespace {

constexpr Searchable kTools[] = {
    {"files.read_file", "Reads the whole content of a file."},
    {"files.delete_file", "Deletes a file."},
    {"files.list_directory", "Lists what is in a folder."},
    {"github.createPullRequest", "Opens a pull request."},
    {"slack.post_message", "Posts a message to a channel."},
    {"hr.list_employees", "All employees, with their addresses."},
    {"shop.add_item", "Adds an item to the cart."},
};

/// The names that are found, the best first.
std::vector<std::string> found(std::string_view query) {
    std::vector<std::string> names;
    for (const std::size_t i : rank_by_words(kTools, query))
        names.emplace_back(kTools[i].name);
    return names;
}
std::string best(std::string_view query) {
    const std::vector<std::string> names = found(query);
    return names.empty() ? "" : names.front();
}

TEST(WordSearch, FindsByWordsAndTheirForms) {
    EXPECT_EQ(best("reading files"), "files.read_file");
    EXPECT_EQ(best("DELETE"), "files.delete_file");
    EXPECT_EQ(best("channels"), "slack.post_message");
}

TEST(WordSearch, FindsWordsWithinNamesOfHumps) { EXPECT_EQ(best("pull request"), "github.createPullRequest"); }

TEST(WordSearch, FindsByWordsThatStandForOthers) {
    EXPECT_EQ(best("get rid of a document"), "files.delete_file");
    EXPECT_EQ(best("folk who work here"), "hr.list_employees");
    EXPECT_EQ(best("notify the room"), "slack.post_message");
    // The word itself counts more.
    EXPECT_EQ(found("remove item").front(), "shop.add_item");
}

TEST(WordSearch, FindsInDetailsAndCountsThemLess) {
    constexpr Searchable kItems[] = {{"a.x", "Does something.", "dnd: \"do not disturb\""},
                                     {"a.disturb", "Does another thing.", ""},
                                     {"a.y", "Nothing.", ""}};
    const std::vector<std::size_t> found = rank_by_words(kItems, "disturb");
    EXPECT_EQ(found, (std::vector<std::size_t>{1, 0}));
}

TEST(WordSearch, TakesWordsThatAreNowhereForThoseThatAreASlipAway) {
    EXPECT_EQ(best("delte"), "files.delete_file"); // left out
    EXPECT_EQ(best("chanel"), "slack.post_message");
    EXPECT_EQ(best("emplyees"), "hr.list_employees");
    EXPECT_EQ(best("direcotry"), "files.list_directory"); // exchanged
    EXPECT_EQ(best("foldre"), "files.list_directory");
    EXPECT_TRUE(found("zzzz").empty());
    EXPECT_TRUE(found("crt").empty()); // `cart` would be one slip away; of three letters that is too much
    const Searchable locks[] = {{.name = "door.lock", .text = "Locks a door."}};
    EXPECT_TRUE(rank_by_words(locks, "look something up").empty()); // it says nothing, and is no lock
    // A word that some text has is taken as it is.
    EXPECT_EQ(std::ranges::count(found("post"), "shop.add_item"), 0);
    EXPECT_TRUE(found(std::string(5000, 'q')).empty());
}

TEST(WordSearch, PassesOverWordsThatSayNothing) {
    EXPECT_EQ(found("how do I delete a file for them, please"), found("delete file"));
    const std::vector<std::string> a = found("a"); // alone, it is what is looked for
    EXPECT_EQ(std::ranges::count(a, "files.read_file"), 1);
    EXPECT_EQ(std::ranges::count(a, "shop.add_item"), 0); // `Adds` is no `a`
}

TEST(WordSearch, TakesShortWordsAsTheyAre) {
    EXPECT_EQ(best("add"), "shop.add_item");
    EXPECT_EQ(std::ranges::count(found("create"), "hr.list_employees"), 0); // `add` for it does not
}

TEST(WordSearch, WordsThatMeanSomethingTogetherAreLookedForAsThat) {
    constexpr Searchable kItems[] = {{"shop.assign_backup", "Gives a backup to somebody."},
                                     {"shop.refund_order", "Refunds an order."},
                                     {"git.merge_pull_request", "Merges it."},
                                     {"shop.cancel_meeting", "Cancels it."},
                                     {"house.turn_light", "Turns a light off or down."}};
    const auto first = [&](std::string_view query) {
        return std::string(kItems[rank_by_words(kItems, query).at(0)].name);
    };
    EXPECT_EQ(first("give them their money back"), "shop.refund_order");
    EXPECT_EQ(first("a PR"), "git.merge_pull_request");
    EXPECT_EQ(first("call the boring meeting off"), "shop.cancel_meeting");
    EXPECT_EQ(first("turn down the light"),
              "house.turn_light"); // nothing is rejected here: the words are what they are
}

TEST(WordSearch, PlainWordsAreNoSlips) {
    constexpr Searchable kItems[] = {{"a.approve", "What is waiting."}, {"door.lock", "Locks a door."}};
    EXPECT_TRUE(rank_by_words(kItems, "want").empty());     // one letter from `wait`
    EXPECT_TRUE(rank_by_words(kItems, "luck").size() == 1); // a slip of `lock`
    EXPECT_TRUE(rank_by_words(kItems, "back").empty());
}

TEST(WordSearch, WhatIsAskedForItselfStandsForNothingElse) {
    constexpr Searchable kItems[] = {{"jira.get_board", "Gets a board."}, {"jira.get_issue", "Gets an issue."}};
    const std::vector<std::size_t> found = rank_by_words(kItems, "jira tickets");
    EXPECT_EQ(found.at(0), 1U); // `jira` is no `ticket` here
    const Searchable sales[] = {{"salesforce.x", ""}, {"shop.orders", ""}};
    EXPECT_EQ(rank_by_words(sales, "purchase"), std::vector<std::size_t>{1}); // a sale, which is no salesforce
}

TEST(WordSearch, WhatIsNotAskedForMakesANameWorse) {
    constexpr Searchable kItems[] = {{"aws.add_bucket_object", "Adds one."}, {"aws.add_bucket", "Adds one."}};
    EXPECT_EQ(rank_by_words(kItems, "make a bucket").at(0), 1U);
    constexpr Searchable kRules[] = {{"net.add_firewall_rule", ""}, {"hr.fire_worker", ""}};
    EXPECT_EQ(rank_by_words(kRules, "fire somebody").at(0), 1U); // `firewall` only begins so
}

TEST(WordSearch, VerbsOfOtherServersAreAsGoodAsRareOnes) {
    constexpr Searchable kItems[] = {{"a.list_event", ""}, {"a.insert_event", ""}, {"a.get_event", ""},
                                     {"a.add_room", ""},   {"a.list_room", ""},    {"a.get_room", ""}};
    EXPECT_EQ(rank_by_words(kItems, "create an event").at(0), 1U);
    EXPECT_EQ(rank_by_words(kItems, "which events").at(0), 0U); // what is asked is to be listed
}

TEST(WordSearch, WhereSomethingIsCountsLessThanWhatItIs) {
    constexpr Searchable kItems[] = {{"x.add_issue", ""}, {"x.add_comment", ""}, {"x.add_team", ""}};
    EXPECT_EQ(rank_by_words(kItems, "add a comment on the issue").at(0), 1U);
    EXPECT_EQ(rank_by_words(kItems, "add the team's issue").at(0), 0U);
}

TEST(WordSearch, TwoWordsOfANameMayBeOne) {
    constexpr Searchable kItems[] = {{"x.start_call", ""}, {"x.get_on_call", ""}};
    EXPECT_EQ(rank_by_words(kItems, "who is on call").at(0), 1U);
}

TEST(WordSearch, WhatAllTextsSayHidesNothing) {
    constexpr Searchable kItems[] = {{"aws.stop_bucket", "The server aws says of it: \"x\""},
                                     {"aws.reboot_pod", "The server aws says of it: \"x\""},
                                     {"aws.reboot_instance", "The server aws says of it: \"x\""}};
    EXPECT_EQ(rank_by_words(kItems, "reboot the server").at(0), 2U);
}

TEST(WordSearch, DoubledLettersBelongToTheEnding) {
    constexpr Searchable kItems[] = {{"a.shipyard", ""}, {"a.shipping_zone", ""}};
    EXPECT_EQ(rank_by_words(kItems, "ship").at(0), 1U);
}

TEST(WordSearch, OfManyWordsLooksForTheFirst) {
    std::string query;
    for (int i = 0; i < 32; ++i)
        query += "w" + std::to_string(i) + "x ";
    EXPECT_EQ(found(query + "delete"), std::vector<std::string>());
    EXPECT_EQ(found("delete " + query), found("delete"));
    EXPECT_EQ(found("  ,").size(), std::size(kTools)); // no words: all, in their order
}

} // namespace
} // namespace ptc
