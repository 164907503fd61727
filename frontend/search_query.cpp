// The tables are synonyms.def and search_words.def; here are words that say nothing, and how words are compared.
#include "frontend/search_query.h"
#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>

namespace ptc {
namespace {

constexpr double kSynonymWeight = 0.5;
constexpr double kVerbWeight = 0.8;      ///< of what is done by another verb for the same
constexpr double kBeginningWeight = 0.6; ///< of a word that only begins with what is asked for (fire: firewall)
constexpr double kAsideWeight = 0.8;     ///< of words behind a preposition, and of whose something is
constexpr double kSlipWeight = 0.8;
constexpr std::size_t kLongestWithSlips = 32; ///< letters of a word in which slips are looked for
constexpr std::size_t kShortestStem = 4;
constexpr std::size_t kTwoSlips = 8;   ///< letters of a word from which on there may be two
constexpr std::size_t kMostEnding = 3; ///< letters behind a short word in its forms (add: adding, not address)
constexpr std::size_t kMostEndingOfLong =
    5;                                  ///< behind another one that stands for what is asked (sale: not salesforce)
constexpr std::size_t kMostWords = 32;  ///< of a query; further ones are not looked for
constexpr std::size_t kMostRead = 200;  ///< words of a query that are looked at
constexpr std::size_t kMostBetween = 3; ///< words between two of a phrase

/// Words that say nothing of what is wanted.
constexpr std::string_view kFillers[] = {
    "a",    "about", "an",   "and",   "any",  "are",  "as",  "at", "be",  "but",    "by",   "can",  "could",
    "do",   "does",  "for",  "from",  "has",  "have", "how", "i",  "if",  "in",     "into", "is",   "it",
    "its",  "look",  "me",   "my",    "need", "of",   "on",  "or", "our", "please", "so",   "some", "that",
    "the",  "their", "them", "there", "they", "this", "to",  "up", "us",  "want",   "was",  "we",   "what",
    "when", "will",  "with", "would", "you",  "your", "s",   "t",  "ll",  "re",     "ve"}; // the last ones stand behind
                                                                                           // an apostrophe

/// Who asks with them wants to see something.
constexpr std::string_view kAsking[] = {"what", "when", "which", "who", "whose", "why"};
constexpr std::string_view kSeeing = "list";

/// Behind them stands where something is, or what it is about.
constexpr std::string_view kPrepositions[] = {"about", "at", "by", "for", "from", "in",
                                              "into",  "of", "on", "to",  "with"};

/// In any of its forms: looking, wants.
bool is_filler(const std::string& word, const std::string& stem) {
    return std::ranges::find(kFillers, word) != std::end(kFillers) ||
           (stem.size() >= kShortestStem && std::ranges::find(kFillers, stem) != std::end(kFillers));
}

std::string lowered(std::string_view written) {
    std::string word(written);
    std::ranges::transform(word, word.begin(), lower_case);
    return word;
}

std::vector<std::string> stems_in(std::string_view text) {
    std::vector<std::string> stems;
    each_word(text, [&](std::string_view word) { stems.push_back(search_stem(word)); });
    return stems;
}

/// The rows of synonyms.def, as stems.
struct Synonyms {
    struct Row {
        std::vector<std::string> stems;
        bool are_verbs;
    };
    std::vector<Row> rows;
    std::unordered_map<std::string, std::vector<std::size_t>> rows_of;

    Synonyms() {
#define PTC_VERBS(words) add(words, true);
#define PTC_SYNONYMS(words) add(words, false);
#include "frontend/synonyms.def"
#undef PTC_SYNONYMS
#undef PTC_VERBS
    }

    /// Whether it says what is done, and nothing else.
    [[nodiscard]] bool is_verb(const std::string& stem) const {
        const auto found = rows_of.find(stem);
        return found != rows_of.end() &&
               std::ranges::all_of(found->second, [&](std::size_t row) { return rows[row].are_verbs; });
    }

private:
    void add(std::string_view words, bool are_verbs) {
        rows.push_back({stems_in(words), are_verbs});
        for (const std::string& stem : rows.back().stems)
            rows_of[stem].push_back(rows.size() - 1);
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

/// The phrase that begins at `at`: its other words are made empty.
std::optional<std::size_t> take_phrase(std::vector<std::string>& stems, std::size_t at,
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

bool is_form(const std::string& stem, std::string_view text_word) {
    constexpr std::array<std::string_view, 4> kEndings = {"s", "es", "ed", "d"};
    const std::string_view rest = text_word.substr(stem.size());
    return search_stem(text_word) == stem || std::ranges::find(kEndings, rest) != kEndings.end();
}

} // namespace

std::string search_stem(std::string_view written) {
    std::string word(written);
    std::ranges::transform(word, word.begin(), lower_case);
    for (const std::string_view ending : {"ings", "ing", "ies", "es", "ed", "e", "s", "y"}) {
        if (!word.ends_with(ending) || word.size() - ending.size() < kShortestStem) continue;
        word.erase(word.size() - ending.size());
        const char last = word.back();
        const bool is_doubled =
            last == word[word.size() - 2] && std::string_view("bdgmnprt").find(last) != std::string_view::npos;
        if (is_doubled && ending.size() > 1 && ending != "ies") word.pop_back(); // shipping, planned
        return word;
    }
    return word;
}

double Wanted::share_in(std::string_view text_word) const {
    if (text_word.size() < stem.size() || !std::ranges::equal(text_word.substr(0, stem.size()), stem, {}, lower_case))
        return 0;
    const std::size_t ending = text_word.size() - stem.size();
    if (ending == 0) return 1;
    if (stem.size() < 3) return 0;
    if (weight < 1 && ending > (stem.size() < kShortestStem ? kMostEnding : kMostEndingOfLong)) return 0;
    return is_form(stem, text_word) ? 1 : kBeginningWeight;
}

SearchQuery::SearchQuery(std::string_view text, const std::set<std::size_t>& unmeant) {
    take_words(text, unmeant, true);
    if (words_.empty()) take_words(text, unmeant, false);
    for (std::size_t word = 0; word < words_.size(); ++word)
        add_with_synonyms(words_[word].stem, word, 1);
}

double SearchQuery::weight_of(std::size_t word) const { return words_[word].is_aside ? kAsideWeight : 1; }

std::set<std::size_t> SearchQuery::missing_phrases(std::span<const std::size_t> having) const {
    std::set<std::size_t> missing;
    for (std::size_t word = 0; word < words_.size(); ++word)
        if (words_[word].phrase && having[word] == 0) missing.insert(*words_[word].phrase);
    for (std::size_t word = 0; word < words_.size(); ++word)
        if (words_[word].phrase && having[word] > 0) missing.erase(*words_[word].phrase);
    return missing;
}

void SearchQuery::take_slips(std::string_view text, std::span<const std::size_t> having) {
    each_word(text, [&](std::string_view written) {
        if (written.size() > kLongestWithSlips) return;
        const std::string stem = search_stem(written);
        for (std::size_t word = 0; word < words_.size(); ++word) {
            const Word& own = words_[word];
            const std::size_t size = own.stem.size();
            if (having[word] > 0 || own.is_known || size < kShortestStem || size > kLongestWithSlips) continue;
            if (is_slip_of(stem, own.stem, size < kTwoSlips ? 1 : 2) && slips_.emplace(word, stem).second)
                add_with_synonyms(stem, word, kSlipWeight);
        }
    });
}

bool SearchQuery::may_have_slips(std::span<const std::size_t> having) const {
    for (std::size_t word = 0; word < words_.size(); ++word)
        if (having[word] == 0 && !words_[word].is_known) return true;
    return false;
}

void SearchQuery::take_words(std::string_view text, const std::set<std::size_t>& unmeant, bool without_fillers) {
    std::vector<std::string> written;
    each_word(text, [&](std::string_view word) {
        if (written.size() < kMostRead) written.push_back(lowered(word));
    });
    std::vector<std::string> stems;
    for (const std::string& word : written)
        stems.push_back(search_stem(word));
    bool is_aside = false, is_asking = false;
    for (std::size_t i = 0; i < stems.size(); ++i) {
        if (stems[i].empty()) continue; // of a phrase
        is_asking = is_asking || std::ranges::find(kAsking, written[i]) != std::end(kAsking);
        if (!words_.empty() && std::ranges::find(kPrepositions, written[i]) != std::end(kPrepositions)) is_aside = true;
        const bool is_whose = i + 1 < written.size() && written[i + 1] == "s";
        if (const std::optional<std::size_t> phrase = take_phrase(stems, i, unmeant)) {
            for (const std::string& meant : phrases()[*phrase].meant)
                take_word({meant, true, phrase});
        } else if (!without_fillers || !is_filler(written[i], stems[i])) {
            take_word({stems[i], is_known_word(stems[i]), {}, is_aside || is_whose});
        }
    }
    const bool has_verb = std::ranges::any_of(words_, [](const Word& word) { return synonyms().is_verb(word.stem); });
    if (is_asking && !words_.empty() && !has_verb) take_word({std::string(kSeeing), true, {}});
}

void SearchQuery::take_word(Word word) {
    if (words_.size() < kMostWords && std::ranges::find(words_, word.stem, &Word::stem) == words_.end())
        words_.push_back(std::move(word));
}

void SearchQuery::add_with_synonyms(const std::string& stem, std::size_t word, double weight) {
    add({stem, word, weight});
    const auto rows = synonyms().rows_of.find(stem);
    if (rows == synonyms().rows_of.end()) return;
    for (const std::size_t row : rows->second) {
        const bool is_verb = synonyms().rows[row].are_verbs;
        for (const std::string& other : synonyms().rows[row].stems) {
            // What is asked for itself says nothing more: `tickets in jira` are not all things of jira.
            if (std::ranges::find(words_, other, &Word::stem) == words_.end())
                add({other, word, weight * (is_verb ? kVerbWeight : kSynonymWeight), is_verb});
        }
    }
}

void SearchQuery::add(Wanted wanted) {
    by_first_[static_cast<unsigned char>(wanted.stem.front())].push_back(wanted_.size());
    wanted_.push_back(std::move(wanted));
}

} // namespace ptc
