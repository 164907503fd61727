// Ranks texts by the words of a query. How much a word counts is the logarithm of how few texts have it, as in text
// search. One walk through the texts looks for all words: each word of a text is compared with those that begin with
// its first letter.
#include "frontend/word_search.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace ptc {
namespace {

constexpr double kNameWeight = 1.5;
constexpr double kDetailsWeight = 0.5;
constexpr double kSynonymWeight = 0.5;
constexpr double kSlipWeight = 0.8;
constexpr std::size_t kLongestWithSlips = 32; ///< letters of a word in which slips are looked for
constexpr std::size_t kShortestStem = 4;
constexpr std::size_t kTwoSlips = 8;   ///< letters of a word from which on there may be two
constexpr std::size_t kMostEnding = 3; ///< letters behind a short word in its forms (add: adding, not address)
constexpr std::size_t kMostEndingOfLong =
    5;                                 ///< behind another one that stands for what is asked (sale: not salesforce)
constexpr std::size_t kMostWords = 32; ///< of a query; further ones are not looked for

constexpr std::size_t kMostRead = 200;  ///< words of a query that are looked at
constexpr std::size_t kMostBetween = 3; ///< words between two of a phrase

/// Words that say nothing of what is wanted.
constexpr std::string_view kFillers[] = {
    "a",     "about", "an",   "and",  "any",   "are",  "as",    "at",    "be",   "but", "by",  "can",
    "could", "do",    "does", "for",  "from",  "has",  "have",  "how",   "i",    "if",  "in",  "into",
    "is",    "it",    "its",  "look", "me",    "my",   "need",  "of",    "on",   "or",  "our", "please",
    "so",    "some",  "that", "the",  "their", "them", "there", "they",  "this", "to",  "up",  "us",
    "want",  "was",   "we",   "what", "when",  "will", "with",  "would", "you",  "your"};

bool is_word_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || byte >= 0x80;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Calls `each` with the words of `text` as they stand there: letters and digits, from the second of which on an upper
/// case letter behind a lower case one begins the next (getWeather).
template <class Each> void each_word(std::string_view text, const Each& each) {
    for (std::size_t begin = 0; begin < text.size();) {
        if (!is_word_byte(text[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin + 1;
        while (end < text.size() && is_word_byte(text[end]) &&
               !(std::isupper(static_cast<unsigned char>(text[end])) &&
                 std::islower(static_cast<unsigned char>(text[end - 1]))))
            ++end;
        each(text.substr(begin, end - begin));
        begin = end;
    }
}

/// Without the ending that a verb or a noun has in a sentence.
std::string stem_of(std::string_view written) {
    std::string word(written);
    std::ranges::transform(word, word.begin(), lower);
    for (const std::string_view ending : {"ings", "ing", "ies", "es", "ed", "e", "s", "y"}) {
        if (!word.ends_with(ending) || word.size() - ending.size() < kShortestStem) continue;
        word.erase(word.size() - ending.size());
        return word;
    }
    return word;
}

/// In any of its forms: looking, wants.
bool is_filler(const std::string& word, const std::string& stem) {
    return std::ranges::find(kFillers, word) != std::end(kFillers) ||
           (stem.size() >= kShortestStem && std::ranges::find(kFillers, stem) != std::end(kFillers));
}

std::string lowered(std::string_view written) {
    std::string word(written);
    std::ranges::transform(word, word.begin(), lower);
    return word;
}

std::vector<std::string> stems_in(std::string_view text) {
    std::vector<std::string> stems;
    each_word(text, [&](std::string_view word) { stems.push_back(stem_of(word)); });
    return stems;
}

/// The rows of synonyms.def, as stems.
struct Synonyms {
    std::vector<std::vector<std::string>> rows;
    std::unordered_map<std::string, std::vector<std::size_t>> rows_of;

    Synonyms() {
        for (const char* row : {
#define PTC_SYNONYMS(words) words,
#include "frontend/synonyms.def"
#undef PTC_SYNONYMS
             }) {
            rows.push_back(stems_in(row));
            for (const std::string& stem : rows.back())
                rows_of[stem].push_back(rows.size() - 1);
        }
    }
};
const Synonyms& synonyms() {
    static const Synonyms all;
    return all;
}

/// Words that together mean what neither says.
struct Phrase {
    std::vector<std::string> stems;
    std::vector<std::string> meant;
};
const std::vector<Phrase>& phrases() {
    static const std::vector<Phrase> all = {
#define PTC_PHRASE(words, meant) {stems_in(words), stems_in(meant)},
#define PTC_PLAIN_WORDS(words)
#include "frontend/search_words.def"
#undef PTC_PLAIN_WORDS
#undef PTC_PHRASE
    };
    return all;
}

/// Whether whoever writes the word means it, and no other one that is a slip away.
bool is_known_word(const std::string& stem) {
    static const std::set<std::string> plain = [] {
        std::set<std::string> stems;
        for (const char* words : {
#define PTC_PHRASE(words, meant)
#define PTC_PLAIN_WORDS(words) words,
#include "frontend/search_words.def"
#undef PTC_PLAIN_WORDS
#undef PTC_PHRASE
             })
            std::ranges::move(stems_in(words), std::inserter(stems, stems.end()));
        return stems;
    }();
    return plain.contains(stem) || synonyms().rows_of.contains(stem);
}

/// Whether `found` is `written` but for `most` slips: letters changed, left out, put in, or exchanged with the next.
bool is_slip_of(std::string_view found, std::string_view written, std::size_t most) {
    if (found.size() > written.size() + most || written.size() > found.size() + most) return false;
    using Row = std::array<std::size_t, kLongestWithSlips + 3>;
    Row before_last{}, last{}, row{};
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= written.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= found.size(); ++j) {
            const bool is_same = written[i - 1] == found[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
            if (i > 1 && j > 1 && written[i - 1] == found[j - 2] && written[i - 2] == found[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = std::exchange(last, row);
    }
    return last[found.size()] <= most;
}

/// What is looked for in the place of a word of the query: the word, or another that may stand for it.
struct Wanted {
    std::string stem;
    std::size_t word = 0; ///< of the query
    double weight = 1;

    [[nodiscard]] bool is_found_in(std::string_view text_word) const {
        if (text_word.size() < stem.size() || !std::ranges::equal(text_word.substr(0, stem.size()), stem, {}, lower))
            return false;
        const std::size_t ending = text_word.size() - stem.size();
        if (stem.size() < 3) return ending == 0;
        return weight == 1 || ending <= (stem.size() < kShortestStem ? kMostEnding : kMostEndingOfLong);
    }
};

/// The words of a query, each once, and what stands for them.
class Query {
public:
    /// Without the phrases at `unmeant`, which stay the words that they are.
    Query(std::string_view text, const std::set<std::size_t>& unmeant) {
        take_words(text, unmeant, true);
        if (words_.empty()) take_words(text, unmeant, false);
        for (std::size_t word = 0; word < words_.size(); ++word)
            add_with_synonyms(words_[word].stem, word, 1);
    }
    [[nodiscard]] std::size_t words() const { return words_.size(); }
    /// The phrases of which no word is found.
    [[nodiscard]] std::set<std::size_t> missing_phrases(std::span<const std::size_t> having) const {
        std::set<std::size_t> missing;
        for (std::size_t word = 0; word < words_.size(); ++word)
            if (words_[word].phrase && having[word] == 0) missing.insert(*words_[word].phrase);
        for (std::size_t word = 0; word < words_.size(); ++word)
            if (words_[word].phrase && having[word] > 0) missing.erase(*words_[word].phrase);
        return missing;
    }
    /// From here on looks for what is in `text` and differs by slips, too, in place of words that no item has.
    void take_slips(std::string_view text, std::span<const std::size_t> having) {
        each_word(text, [&](std::string_view written) {
            if (written.size() > kLongestWithSlips) return;
            const std::string stem = stem_of(written);
            for (std::size_t word = 0; word < words_.size(); ++word) {
                const Word& own = words_[word];
                const std::size_t size = own.stem.size();
                if (having[word] > 0 || own.is_known || size < kShortestStem || size > kLongestWithSlips) continue;
                if (is_slip_of(stem, own.stem, size < kTwoSlips ? 1 : 2) && slips_.emplace(word, stem).second)
                    add_with_synonyms(stem, word, kSlipWeight);
            }
        });
    }
    /// Whether a word that no item has may be a slip.
    [[nodiscard]] bool may_have_slips(std::span<const std::size_t> having) const {
        for (std::size_t word = 0; word < words_.size(); ++word)
            if (having[word] == 0 && !words_[word].is_known) return true;
        return false;
    }
    /// Calls `each` with all that is found in `text`: with its number in `wanted`.
    template <class Each> void find_in(std::string_view text, const Each& each) const {
        each_word(text, [&](std::string_view word) {
            for (const std::size_t i : by_first_[static_cast<unsigned char>(lower(word.front()))])
                if (wanted_[i].is_found_in(word)) each(i);
        });
    }
    [[nodiscard]] std::span<const Wanted> wanted() const { return wanted_; }

private:
    struct Word {
        std::string stem;
        bool is_known = false;               ///< so that it is no slip
        std::optional<std::size_t> phrase{}; ///< that it stands for
    };

    void take_words(std::string_view text, const std::set<std::size_t>& unmeant, bool without_fillers) {
        std::vector<std::string> written;
        each_word(text, [&](std::string_view word) {
            if (written.size() < kMostRead) written.push_back(lowered(word));
        });
        std::vector<std::string> stems;
        for (const std::string& word : written)
            stems.push_back(stem_of(word));
        for (std::size_t i = 0; i < stems.size(); ++i) {
            if (stems[i].empty()) continue; // of a phrase
            if (const std::optional<std::size_t> phrase = take_phrase(stems, i, unmeant)) {
                for (const std::string& meant : phrases()[*phrase].meant)
                    take_word({meant, true, phrase});
            } else if (!without_fillers || !is_filler(written[i], stems[i])) {
                take_word({stems[i], is_known_word(stems[i]), {}});
            }
        }
    }
    void take_word(Word word) {
        if (words_.size() < kMostWords && std::ranges::find(words_, word.stem, &Word::stem) == words_.end())
            words_.push_back(std::move(word));
    }
    /// The phrase that begins at `at`: its other words are made empty.
    static std::optional<std::size_t> take_phrase(std::vector<std::string>& stems, std::size_t at,
                                                  const std::set<std::size_t>& unmeant) {
        for (std::size_t i = 0; i < phrases().size(); ++i) {
            const std::vector<std::string>& wanted = phrases()[i].stems;
            if (unmeant.contains(i) || wanted[0] != stems[at]) continue;
            std::vector<std::size_t> places;
            for (std::size_t place = at + 1; place < stems.size() && places.size() + 1 < wanted.size(); ++place) {
                if (place > (places.empty() ? at : places.back()) + kMostBetween + 1) break;
                if (stems[place] == wanted[places.size() + 1]) places.push_back(place);
            }
            if (places.size() + 1 < wanted.size()) continue;
            for (const std::size_t place : places)
                stems[place].clear();
            return i;
        }
        return std::nullopt;
    }
    void add_with_synonyms(const std::string& stem, std::size_t word, double weight) {
        add({stem, word, weight});
        const auto rows = synonyms().rows_of.find(stem);
        if (rows == synonyms().rows_of.end()) return;
        for (const std::size_t row : rows->second) {
            for (const std::string& other : synonyms().rows[row]) {
                // What is asked for itself says nothing more: `tickets in jira` are not all things of jira.
                if (std::ranges::find(words_, other, &Word::stem) == words_.end())
                    add({other, word, weight * kSynonymWeight});
            }
        }
    }
    void add(Wanted wanted) {
        by_first_[static_cast<unsigned char>(wanted.stem.front())].push_back(wanted_.size());
        wanted_.push_back(std::move(wanted));
    }
    std::vector<Wanted> wanted_; ///< of each word itself first
    std::array<std::vector<std::size_t>, 256> by_first_;
    std::vector<Word> words_;
    std::set<std::pair<std::size_t, std::string>> slips_;
};

/// Where the words of a query are, in all items.
class Matches {
public:
    Matches(const Query& query, std::span<const Searchable> items)
        : query_(query), items_(items.size()), having_(query.words()), counts_(query.wanted().size()) {
        std::vector<std::size_t> last(counts_.size(), items.size()), last_of_word(having_.size(), items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto find_in = [&](std::string_view text, bool is_name, double weight) {
                query.find_in(text, [&](std::size_t wanted) {
                    found_.push_back({i, wanted, is_name, weight});
                    if (std::exchange(last[wanted], i) != i) ++counts_[wanted];
                    const std::size_t word = query.wanted()[wanted].word;
                    if (std::exchange(last_of_word[word], i) != i) ++having_[word];
                });
            };
            find_in(items[i].name, true, kNameWeight);
            find_in(items[i].text, false, 1);
            find_in(items[i].details, false, kDetailsWeight);
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
        }
        return scores;
    }

private:
    struct Found {
        std::size_t item;
        std::size_t wanted;
        bool is_name;
        double weight; ///< of the place
    };

    /// What is rare counts more; what stands for a word never does so because it is rarer than the word.
    [[nodiscard]] std::vector<double> worth_of_wanted() const {
        std::vector<std::size_t> count_of_word(having_.size());
        const std::span<const Wanted> wanted = query_.wanted();
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i].weight == 1) count_of_word[wanted[i].word] = counts_[i];
        std::vector<double> worth(wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto count =
                static_cast<double>(std::max({counts_[i], count_of_word[wanted[i].word], std::size_t{1}}));
            worth[i] = wanted[i].weight * std::log(1 + static_cast<double>(items_) / count);
        }
        return worth;
    }

    const Query& query_;
    std::size_t items_;
    std::vector<Found> found_; ///< item by item
    std::vector<std::size_t> having_, counts_;
};

} // namespace

std::vector<std::size_t> rank_by_words(std::span<const Searchable> items, std::string_view text) {
    std::vector<std::size_t> found(items.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    auto query = std::make_unique<Query>(text, std::set<std::size_t>());
    if (query->words() == 0) return found;
    auto matches = std::make_unique<Matches>(*query, items);
    if (const std::set<std::size_t> unmeant = query->missing_phrases(matches->having()); !unmeant.empty()) {
        query = std::make_unique<Query>(text, unmeant);
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
