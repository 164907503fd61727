// Ranks texts by the words of a query. How much a word counts is the logarithm of how few texts have it, as in text
// search; what a name says beside what is asked for makes it worse. One walk through the texts looks for all words:
// each word of a text is compared with those that begin with its first letter.
#include "frontend/word_search.h"
#include "frontend/search_query.h"
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>

namespace ptc {
namespace {

constexpr double kNameWeight = 1.5;
constexpr double kDetailsWeight = 0.5;
constexpr double kUnaskedWeight = 0.4; ///< that a name loses where nothing in it is asked for

/// The words of the names of all items, and how much of each is asked for.
class NameWords {
public:
    /// Of the items one after the other; `asked` is from 0 to 1.
    void begin_item() { begins_.push_back(words_.size()); }
    void add(std::string_view written, double asked) {
        const auto [found, is_new] = numbers_.emplace(search_stem(written), counts_.size());
        if (is_new) counts_.push_back(0);
        for (std::size_t i = begins_.back(); i < words_.size(); ++i)
            if (words_[i].number == found->second) return; // jira.jira_create_issue
        ++counts_[found->second];
        words_.push_back({found->second, asked});
    }
    /// The part of the name of an item that is asked for, from 0 to 1: what is rare counts more.
    [[nodiscard]] double asked_part(std::size_t item) const {
        const std::size_t end = item + 1 < begins_.size() ? begins_[item + 1] : words_.size();
        double all = 0, asked = 0;
        for (std::size_t i = begins_[item]; i < end; ++i) {
            const double worth =
                std::log(1 + static_cast<double>(begins_.size()) / static_cast<double>(counts_[words_[i].number]));
            all += worth;
            asked += worth * words_[i].asked;
        }
        return all > 0 ? asked / all : 1;
    }

private:
    struct NameWord {
        std::size_t number;
        double asked;
    };
    std::unordered_map<std::string, std::size_t> numbers_;
    std::vector<std::size_t> counts_; ///< items of each word
    std::vector<NameWord> words_;
    std::vector<std::size_t> begins_; ///< of each item, in `words_`
};

/// Where the words of a query are, in all items.
class Matches {
public:
    Matches(const SearchQuery& query, std::span<const Searchable> items)
        : query_(query), items_(items.size()), having_(query.words()), in_names_(query.words()),
          counts_(query.wanted().size()), last_(counts_.size(), items.size()),
          last_of_word_(having_.size(), items.size()) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            names_.begin_item();
            std::string last; // with the next word it may be one for who asks: on_call, check-out
            each_word(items[i].name, [&](std::string_view word) {
                double asked = 0;
                find_in(i, word, true, kNameWeight, &asked);
                find_in(i, last + std::string(word), true, kNameWeight, &asked, 1);
                names_.add(word, asked);
                last = word;
            });
            find_in(i, items[i].text, false, 1, nullptr);
            find_in(i, items[i].details, false, kDetailsWeight, nullptr);
        }
    }
    /// In how many items each word is found, or what stands for it.
    [[nodiscard]] std::span<const std::size_t> having() const { return having_; }
    /// Of each item: of each word the best that its name and its texts have.
    [[nodiscard]] std::vector<double> scores() const {
        const std::vector<double> worth = worth_of_wanted();
        std::vector<double> scores(items_), in_name(having_.size()), in_text(having_.size());
        for (std::size_t i = 0; i < found_.size();) {
            const std::size_t item = found_[i].item;
            std::ranges::fill(in_name, 0);
            std::ranges::fill(in_text, 0);
            for (; i < found_.size() && found_[i].item == item; ++i) {
                const Found& one = found_[i];
                double& best = (one.is_name ? in_name : in_text)[query_.wanted()[one.wanted].word];
                best = std::max(best, one.weight * worth[one.wanted]);
            }
            for (std::size_t word = 0; word < having_.size(); ++word)
                scores[item] += in_name[word] + in_text[word];
            scores[item] *= 1 - kUnaskedWeight * (1 - names_.asked_part(item));
        }
        return scores;
    }

private:
    struct Found {
        std::size_t item;
        std::size_t wanted;
        bool is_name;
        double weight; ///< of the place, and of how much of the word is there
    };

    /// `asked`, if any, grows to how much of a word is asked for. What is there by less than `least` is not found.
    void find_in(std::size_t item, std::string_view text, bool is_name, double weight, double* asked,
                 double least = 0) {
        query_.find_in(text, [&](std::size_t wanted, double share) {
            if (share < least) return;
            found_.push_back({item, wanted, is_name, weight * share});
            if (std::exchange(last_[wanted], item) != item) ++counts_[wanted];
            const Wanted& one = query_.wanted()[wanted];
            if (std::exchange(last_of_word_[one.word], item) != item) {
                ++having_[one.word];
                if (is_name) ++in_names_[one.word];
            }
            if (asked) *asked = std::max(*asked, share * one.weight);
        });
    }

    /// What is rare counts more; what stands for a word never does so because it is rarer than the word, but where the
    /// word is in most texts and says nothing there (`The server files says of it`). Other verbs are as rare as all of
    /// them together are in names.
    [[nodiscard]] std::vector<double> worth_of_wanted() const {
        std::vector<std::size_t> count_of_word(having_.size());
        const std::span<const Wanted> wanted = query_.wanted();
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i].weight == 1 && 2 * counts_[i] < items_) count_of_word[wanted[i].word] = counts_[i];
        std::vector<double> worth(wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::size_t word = wanted[i].word;
            const std::size_t others = wanted[i].is_verb ? in_names_[word] : count_of_word[word];
            const auto count = static_cast<double>(std::max({counts_[i], others, std::size_t{1}}));
            worth[i] = wanted[i].weight * query_.weight_of(word) * std::log(1 + static_cast<double>(items_) / count);
        }
        return worth;
    }

    const SearchQuery& query_;
    std::size_t items_;
    std::vector<Found> found_; ///< item by item
    std::vector<std::size_t> having_, in_names_, counts_;
    std::vector<std::size_t> last_, last_of_word_; ///< the last item in which each was found
    NameWords names_;
};

} // namespace

std::vector<std::size_t> rank_by_words(std::span<const Searchable> items, std::string_view text) {
    std::vector<std::size_t> found(items.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    auto query = std::make_unique<SearchQuery>(text, std::set<std::size_t>());
    if (query->words() == 0) return found;
    auto matches = std::make_unique<Matches>(*query, items);
    if (const std::set<std::size_t> unmeant = query->missing_phrases(matches->having()); !unmeant.empty()) {
        query = std::make_unique<SearchQuery>(text, unmeant);
        matches = std::make_unique<Matches>(*query, items);
    }
    if (query->may_have_slips(matches->having())) {
        for (const Searchable& item : items)
            for (const std::string_view part : {item.name, item.text, item.details})
                query->take_slips(part, matches->having());
        matches = std::make_unique<Matches>(*query, items);
    }
    const std::vector<double> scores = matches->scores();
    std::erase_if(found, [&](std::size_t i) { return scores[i] <= 0; });
    std::ranges::stable_sort(found, std::ranges::greater(), [&](std::size_t i) { return scores[i]; });
    return found;
}

} // namespace ptc
