// Of about 5,000 tools as servers of business software list them (20 verbs, 50 nouns, 5 systems, with descriptions and
// parameters in the words of such servers) the one that is asked for is found.
#include "frontend/word_search.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {
namespace {

struct ListedTool {
    std::string name{}, description{}, details{};
};

struct ToolQuestion {
    std::string_view question;
    std::string_view tools; ///< that are right, with blanks between
    bool is_aside = false;  ///< not looked at while the search was mended
};

/// %n is the noun, %p its plural, %s the system.
struct Verb {
    const char* name;
    const char* description;
};
constexpr Verb kVerbs[] = {
    {"create", "Create a new %n in %s. Returns the created %n with its ID."},
    {"get", "Get details of a specific %n by its ID, including status, owner and timestamps."},
    {"list", "List %p in the %s workspace with optional filters. Results are paginated."},
    {"update", "Update fields of an existing %n. Only the fields that are provided are changed."},
    {"delete", "Permanently delete a %n. This action cannot be undone."},
    {"search", "Search %p by keyword, owner or date using %s query syntax."},
    {"archive", "Archive a %n so that it no longer appears in default views."},
    {"restore", "Restore a previously archived or deleted %n."},
    {"merge", "Merge two %p into one, or merge a %n into its target."},
    {"clone", "Create a copy of an existing %n, with its settings."},
    {"assign", "Assign a %n to a user or team."},
    {"approve", "Approve a pending %n that is waiting for review."},
    {"reject", "Reject a pending %n with an optional reason."},
    {"lock", "Lock a %n to prevent further changes."},
    {"export", "Export %p to CSV or JSON and return a download link."},
    {"import", "Import %p in bulk from a CSV or JSON file."},
    {"share", "Share a %n with other users and set their permissions."},
    {"send", "Send a %n to one or more recipients."},
    {"refund", "Refund a %n in full or in part."},
    {"cancel", "Cancel a %n that is active or scheduled."},
};
constexpr const char* kNouns[] = {
    "account",  "alert",      "attachment", "backup",       "board",     "branch",   "budget",       "campaign",
    "card",     "comment",    "company",    "contact",      "contract",  "coupon",   "customer",     "dashboard",
    "deal",     "department", "discount",   "dispute",      "document",  "domain",   "email",        "employee",
    "event",    "file",       "folder",     "form",         "group",     "incident", "invoice",      "issue",
    "label",    "lead",       "meeting",    "message",      "milestone", "note",     "order",        "payment",
    "pipeline", "product",    "project",    "pull_request", "report",    "role",     "subscription", "task",
    "team",     "webhook"};
constexpr std::array<const char*, 2> kSystems[] = {
    {"github", "GitHub"}, {"jira", "Jira"}, {"hubspot", "HubSpot"}, {"salesforce", "Salesforce"}, {"stripe", "Stripe"}};

std::string plural(const std::string& noun) {
    if (noun.ends_with("y")) return noun.substr(0, noun.size() - 1) + "ies";
    return noun + (noun.ends_with("ch") ? "es" : "s");
}

std::string filled(std::string_view form, const std::string& noun, const std::string& system) {
    std::string words = noun;
    for (char& c : words)
        c = c == '_' ? ' ' : c;
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] != '%') {
            text += form[i];
            continue;
        }
        ++i;
        text += form[i] == 'n' ? words : form[i] == 'p' ? plural(words) : system;
    }
    return text;
}

constexpr const char* kDetails =
    "(id :string?, fields :map?, limit :int?, cursor :string?) -> :any\n"
    "The server %s says of its parameters:\n  id: \"Unique identifier of the %n\"\n"
    "  fields: \"Fields of the %n, by name\"\n  limit: \"Maximum number of %p to return\"\n"
    "  cursor: \"Cursor of the next page\"";

std::vector<ListedTool> tool_catalog() {
    std::vector<ListedTool> tools;
    for (const auto& [system, title] : kSystems) {
        for (const char* noun : kNouns) {
            for (const Verb& verb : kVerbs)
                tools.push_back({std::string(system) + "." + verb.name + "_" + noun,
                                 filled(verb.description, noun, title), filled(kDetails, noun, title)});
        }
    }
    return tools;
}

/// Half of them are set aside, by a hash of the question.
std::vector<ToolQuestion> tool_questions() {
    std::vector<ToolQuestion> questions = {
#define PTC_QUESTION(asked, right) {.question = asked, .tools = right},
#include "tests/frontend/tool_questions.def"
#undef PTC_QUESTION
    };
    for (ToolQuestion& one : questions) {
        std::uint32_t hash = 2166136261u;
        for (const char c : std::string_view(one.question))
            hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
        one.is_aside = (hash >> 16) % 2 == 1;
    }
    return questions;
}

class WordSearchOfMany : public testing::Test {
protected:
    WordSearchOfMany() : tools_(tool_catalog()) {
        for (const ListedTool& tool : tools_)
            items_.push_back({tool.name, tool.description, tool.details});
    }
    /// The first of those that are right, from 0; 10 where none is among ten.
    [[nodiscard]] std::size_t place_of_right_one(const ToolQuestion& question) const {
        const std::string right = " " + std::string(question.tools) + " ";
        const std::vector<std::size_t> found = rank_by_words(items_, question.question);
        const auto is_right = [&](std::size_t i) { return right.find(" " + tools_[i].name + " ") != right.npos; };
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(found.size(), 10));
        const auto first = std::find_if(found.begin(), end, is_right);
        return first == end ? 10 : static_cast<std::size_t>(first - found.begin());
    }

    std::vector<ListedTool> tools_;
    std::vector<Searchable> items_;
};

TEST_F(WordSearchOfMany, FindsWhatIsAskedForWithinFive) {
    for (const bool is_aside : {false, true}) {
        std::size_t count = 0, first = 0, within = 0;
        std::string missed;
        for (const ToolQuestion& question : tool_questions()) {
            if (question.is_aside != is_aside) continue;
            const std::size_t place = place_of_right_one(question);
            ++count;
            first += place == 0 ? 1 : 0;
            within += place < 5 ? 1 : 0;
            if (place >= 5) missed += "\n" + std::string(question.question);
        }
        EXPECT_GE(count, 50U);
        EXPECT_GE(100 * within, 90 * count) << within << " of " << count << (is_aside ? " set aside" : "") << missed;
        EXPECT_GE(100 * first, 70 * count) << first << " of " << count << (is_aside ? " set aside" : "");
        RecordProperty(is_aside ? "aside" : "looked_at", std::to_string(first) + " first and " +
                                                             std::to_string(within) + " within five of " +
                                                             std::to_string(count));
    }
}

TEST_F(WordSearchOfMany, FindsFirstWhatUsedToBeMissed) {
    for (const ToolQuestion& question :
         std::vector<ToolQuestion>{{"merge a PR on github", "github.merge_pull_request"},
                                   {"look at an invoice in jira", "jira.get_invoice"},
                                   {"purchase list in salesforce", "salesforce.list_order"},
                                   {"give a customer their money back in salesforce", "salesforce.refund_customer"},
                                   {"recover a backup in github", "github.restore_backup"}})
        EXPECT_EQ(place_of_right_one(question), 0U) << question.question;
}

} // namespace
} // namespace ptc
