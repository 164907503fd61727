// Ranks texts by the words of a query. How much a word counts is the logarithm of how few texts have it, as in text
// search. One walk through the texts looks for all words: each word of a text is compared with those that begin with
// its first letter.
#include "frontend/word_search.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
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
constexpr std::size_t kMostWords = 32; ///< of a query; further ones are not looked for

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

/// The rows of synonyms.def, as stems.
struct Synonyms {
    std::vector<std::vector<std::string>> rows;
    std::unordered_map<std::string, std::vector<std::size_t>> rows_of;

    Synonyms() {
        for (const std::string_view row : {
#define PTC_SYNONYMS(words) std::string_view(words),
#include "frontend/synonyms.def"
#undef PTC_SYNONYMS
             }) {
            each_word(row, [&](std::string_view word) {
                if (rows.empty() || word.data() == row.data()) rows.emplace_back();
                rows.back().push_back(stem_of(word));
                rows_of[rows.back().back()].push_back(rows.size() - 1);
            });
        }
    }
};

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
        return weight == 1 || stem.size() >= kShortestStem || ending <= kMostEnding;
    }
};

/// The words of a query, each once, and what stands for them.
class Query {
public:
    explicit Query(std::string_view text) {
        std::vector<std::string> stems = stems_of(text, true);
        if (stems.empty()) stems = stems_of(text, false);
        for (std::size_t word = 0; word < stems.size(); ++word)
            add_with_synonyms(stems[word], word, 1);
        stems_ = std::move(stems);
    }
    [[nodiscard]] std::size_t words() const { return stems_.size(); }
    /// From here on looks for what is in `text` and differs by slips, too, in place of words that no item has.
    void take_slips(std::string_view text, std::span<const double> having) {
        each_word(text, [&](std::string_view written) {
            if (written.size() > kLongestWithSlips) return;
            const std::string stem = stem_of(written);
            for (std::size_t word = 0; word < stems_.size(); ++word) {
                const std::size_t size = stems_[word].size();
                if (having[word] > 0 || size < kShortestStem || size > kLongestWithSlips) continue;
                if (is_slip_of(stem, stems_[word], size < kTwoSlips ? 1 : 2) && slips_.emplace(word, stem).second)
                    add_with_synonyms(stem, word, kSlipWeight);
            }
        });
    }
    /// How well each word is found in `text`, from 0 to 1: into `hits`, where that is more than what is there.
    void find_in(std::string_view text, double weight, std::span<double> hits) const {
        each_word(text, [&](std::string_view word) {
            for (const Wanted& wanted : by_first_[static_cast<unsigned char>(lower(word.front()))]) {
                if (hits[wanted.word] < weight * wanted.weight && wanted.is_found_in(word))
                    hits[wanted.word] = weight * wanted.weight;
            }
        });
    }

private:
    static std::vector<std::string> stems_of(std::string_view text, bool without_fillers) {
        std::vector<std::string> stems;
        each_word(text, [&](std::string_view word) {
            std::string small(word);
            std::ranges::transform(small, small.begin(), lower);
            if (without_fillers && std::ranges::find(kFillers, small) != std::end(kFillers)) return;
            std::string stem = stem_of(small);
            if (stems.size() < kMostWords && std::ranges::find(stems, stem) == stems.end())
                stems.push_back(std::move(stem));
        });
        return stems;
    }
    void add_with_synonyms(const std::string& stem, std::size_t word, double weight) {
        static const Synonyms synonyms;
        add({stem, word, weight});
        const auto rows = synonyms.rows_of.find(stem);
        if (rows == synonyms.rows_of.end()) return;
        for (const std::size_t row : rows->second) {
            for (const std::string& other : synonyms.rows[row]) {
                if (other != stem) add({other, word, weight * kSynonymWeight});
            }
        }
    }
    void add(Wanted wanted) { by_first_[static_cast<unsigned char>(wanted.stem.front())].push_back(std::move(wanted)); }
    std::array<std::vector<Wanted>, 256> by_first_;
    std::vector<std::string> stems_;
    std::set<std::pair<std::size_t, std::string>> slips_;
};

/// How well each word is found in each item: item by item.
std::vector<double> hits_of(const Query& query, std::span<const Searchable> items) {
    const std::size_t words = query.words();
    std::vector<double> hits(items.size() * words);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::span<double> own(hits.data() + i * words, words);
        std::vector<double> in_text(words);
        query.find_in(items[i].name, kNameWeight, own);
        query.find_in(items[i].text, 1, in_text);
        query.find_in(items[i].details, kDetailsWeight, in_text);
        for (std::size_t word = 0; word < words; ++word)
            own[word] += in_text[word];
    }
    return hits;
}

/// In how many items each word is found.
std::vector<double> items_having(std::span<const double> hits, std::size_t words) {
    std::vector<double> having(words);
    for (std::size_t i = 0; i < hits.size(); ++i)
        having[i % words] += hits[i] > 0 ? 1 : 0;
    return having;
}

} // namespace

std::vector<std::size_t> rank_by_words(std::span<const Searchable> items, std::string_view text) {
    Query query(text);
    const std::size_t words = query.words();
    std::vector<std::size_t> found(items.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    if (words == 0) return found;
    std::vector<double> hits = hits_of(query, items);
    std::vector<double> having = items_having(hits, words);
    if (std::ranges::find(having, 0.0) != having.end()) {
        for (const Searchable& item : items)
            for (const std::string_view part : {item.name, item.text, item.details})
                query.take_slips(part, having);
        hits = hits_of(query, items);
        having = items_having(hits, words);
    }
    std::vector<double> scores(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t word = 0; word < words; ++word) {
            if (const double hit = hits[i * words + word]; hit > 0)
                scores[i] += hit * std::log(1 + static_cast<double>(items.size()) / having[word]);
        }
    }
    std::erase_if(found, [&](std::size_t i) { return scores[i] <= 0; });
    std::ranges::stable_sort(found, std::ranges::greater(), [&](std::size_t i) { return scores[i]; });
    return found;
}

} // namespace ptc
