// Of 5,000 tools of 40 services, each of which has its own way of naming things, and other verbs than those who ask,
// one that is right is among the first.
#include "frontend/word_search.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {
namespace {

/// jira_create_issue, calendar.events.insert, linearCreateIssue, aws-add-bucket, dropbox-file-move.
enum class Style { Snake, Dots, Camel, Kebab, Slash };

struct Service {
    std::string name, title;
    Style style;
    std::string words, objects;
};
struct ServiceTool {
    std::string place; ///< service.object.operation
    std::string name, description;
};
struct ServiceQuestion {
    std::string_view question, right;
};

constexpr std::size_t kTools = 5000;
constexpr std::array<const char*, 6> kUsual = {"create", "get", "list", "update", "delete", "search"};
/// One sentence each: %n is the noun with its article, %m without, %p its plural, %t the service.
constexpr const char* kTexts[6][3] = {
    {"Creates a new %m in %t.", "Makes %n with the given fields and returns its ID.",
     "Adds %n to %t from the values given."},
    {"Returns one %m by its ID.", "Reads the details of %n in %t.", "Retrieves %n, with all of its fields."},
    {"Lists the %p in %t, a page at a time.", "Returns all %p that the caller may see.",
     "Gives the %p of %t, newest first."},
    {"Changes fields of %n.", "Updates an existing %m in %t.", "Sets the given fields of %n and leaves the others."},
    {"Deletes %n for good.", "Removes %n from %t; this cannot be undone.", "Deletes the %m with the given ID."},
    {"Finds %p that match a text or a filter.", "Searches the %p of %t by a query.",
     "Looks for %p by name and other fields."},
};
constexpr std::array<const char*, 5> kFurther = {"count", "export", "copy", "restore", "watch"};

std::vector<std::string> split(std::string_view text, char by) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(by), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::string with(std::string text, char from, char to) {
    std::ranges::replace(text, from, to);
    return text;
}

bool is_vowel(char c) { return std::string_view("aeiouAEIOU").find(c) != std::string_view::npos; }

/// Of the first word of `noun of ..`, else of the last one.
std::string plural(const std::string& noun) {
    const std::size_t end = std::min({noun.find(" of "), noun.find(" in "), noun.size()});
    std::string head = noun.substr(0, end);
    const auto ends = [&](const char* ending) { return head.ends_with(ending); };
    if (ends("y") && !is_vowel(head[head.size() - 2]))
        head.replace(head.size() - 1, 1, "ies");
    else
        head += ends("s") || ends("x") || ends("ch") || ends("sh") ? "es" : "s";
    return head + noun.substr(end);
}

std::string camel(const std::string& words) {
    std::string out;
    for (const std::string& word : split(words, '_')) {
        out += word;
        if (out.size() > word.size())
            out[out.size() - word.size()] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    }
    return out;
}

std::string spelled(const Service& service, const std::string& verb, const std::string& object, bool is_many) {
    const std::string noun = is_many ? plural(object) : object;
    switch (service.style) {
    case Style::Snake: return service.name + "_" + verb + "_" + noun;
    case Style::Dots: return service.name + "." + camel(plural(object)) + "." + camel(verb);
    case Style::Camel: return camel(service.name + "_" + verb + "_" + noun);
    case Style::Kebab: return with(service.name + "-" + verb + "-" + noun, '_', '-');
    case Style::Slash: return with(service.name + "-" + noun + "-" + verb, '_', '-'); // programs write no `/`
    }
    return "";
}

std::string filled(std::string_view form, const std::string& noun, const std::string& title) {
    const std::string article = is_vowel(noun[0]) ? "an " : "a ";
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] != '%') {
            text += form[i];
            continue;
        }
        const char what = form[++i];
        text += what == 'n' ? article + noun : what == 'm' ? noun : what == 'p' ? plural(noun) : title;
    }
    return text;
}

std::string third_person(std::string verb) {
    if (verb.ends_with("y") && !is_vowel(verb[verb.size() - 2]))
        verb.replace(verb.size() - 1, 1, "ies");
    else
        verb += verb.ends_with("s") || verb.ends_with("x") || verb.ends_with("ch") || verb.ends_with("sh") ? "es" : "s";
    verb[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(verb[0])));
    return verb;
}

void add_object(const Service& service, std::size_t number, std::size_t position, const std::string& row,
                std::vector<ServiceTool>& tools) {
    const std::string head = row.substr(0, row.find(':'));
    const std::string object = head.substr(0, head.find('='));
    const std::string noun = with(head.find('=') == head.npos ? object : head.substr(object.size() + 1), '_', ' ');
    const std::string place = service.name + "." + object + ".";
    const std::vector<std::string> words = split(service.words, ' ');
    for (std::size_t i = 0; i < kUsual.size(); ++i)
        tools.push_back({place + kUsual[i], spelled(service, words[i], object, i == 2 || i == 5),
                         filled(kTexts[i][(number + position + i) % 3], noun, service.title)});
    std::vector<std::string> further =
        head.size() == row.size() ? std::vector<std::string>() : split(row.substr(head.size() + 1), ',');
    if (further.size() < 4 && ((number + position) % 7 != 0 || number < 2)) {
        const std::string one = kFurther[(number * 3 + position) % kFurther.size()];
        const std::string added = std::ranges::find(further, "export") != further.end() ? "count" : one;
        if (std::ranges::find(further, added) == further.end()) further.push_back(added);
    }
    for (const std::string& verb : further)
        tools.push_back({place + verb, spelled(service, verb, object, false),
                         filled(third_person(verb) + " %n in %t.", noun, service.title)});
}

std::vector<ServiceTool> service_tools() {
    using enum Style;
    const std::vector<Service> services = {
#define PTC_SERVICE(name, title, style, words, objects) {name, title, style, words, objects},
#include "tests/frontend/services.def"
#undef PTC_SERVICE
    };
    std::vector<ServiceTool> tools;
    for (std::size_t number = 0; number < services.size(); ++number) {
        const std::vector<std::string> objects = split(services[number].objects, ' ');
        for (std::size_t i = 0; i < objects.size(); ++i)
            add_object(services[number], number, i, objects[i], tools);
    }
    tools.resize(std::min(tools.size(), kTools));
    return tools;
}

/// How many are answered by the first tool, and by one of the first five.
struct Answered {
    std::size_t all = 0, first = 0, within_five = 0;
    std::string missed{};
};

class WordSearchOfServices : public testing::Test {
protected:
    WordSearchOfServices() : tools_(service_tools()) {
        for (ServiceTool& tool : tools_) {
            const std::string server = tool.place.substr(0, tool.place.find('.'));
            tool.name = server + "." + tool.name;
            tool.description = "The server " + server + " says of it: \"" + tool.description + "\"";
        }
        for (const ServiceTool& tool : tools_)
            items_.push_back({tool.name, tool.description, "(id :string?, fields :map?) -> :any"});
    }
    void ask(const ServiceQuestion& question, Answered& answered) const {
        const std::string right = " " + std::string(question.right) + " ";
        const std::vector<std::size_t> found = rank_by_words(items_, question.question);
        const auto is_right = [&](std::size_t i) { return right.find(" " + tools_[i].place + " ") != right.npos; };
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(found.size(), 5));
        const auto at = std::find_if(found.begin(), end, is_right);
        ++answered.all;
        if (at == found.begin() && at != end) ++answered.first;
        if (at != end)
            ++answered.within_five;
        else
            answered.missed += "\n" + std::string(question.question);
    }

    std::vector<ServiceTool> tools_;
    std::vector<Searchable> items_;
};

TEST_F(WordSearchOfServices, HasAsManyToolsAsAreClaimed) {
    EXPECT_EQ(tools_.size(), kTools);
    std::map<std::string, int> names;
    for (const ServiceTool& tool : tools_)
        EXPECT_EQ(++names[tool.name], 1) << tool.name;
}

TEST_F(WordSearchOfServices, FindsWhatIsAskedForInOtherWords) {
    std::array<Answered, 3> answered; // looked at, set aside, further ones
    std::size_t number = 0;
#define PTC_SERVICE_QUESTION(asked, right) ask({asked, right}, answered[number++ % 2]);
#define PTC_FURTHER_QUESTION(asked, right) ask({asked, right}, answered[2]);
#include "tests/frontend/service_questions.def"
#undef PTC_FURTHER_QUESTION
#undef PTC_SERVICE_QUESTION
    for (const Answered& part : answered) {
        EXPECT_GE(part.all, 40U);
        EXPECT_GE(100 * part.within_five, 82 * part.all) << part.within_five << " of " << part.all << part.missed;
        EXPECT_GE(100 * part.first, 60 * part.all) << part.first << " of " << part.all;
        RecordProperty("part_" + std::to_string(&part - answered.data()),
                       std::to_string(part.first) + " first and " + std::to_string(part.within_five) +
                           " within five of " + std::to_string(part.all));
    }
}

} // namespace
} // namespace ptc
