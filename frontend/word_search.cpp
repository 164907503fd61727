// Ranks texts by the words of a query. How much a word counts is the logarithm of how few texts have it, as in text
// search, so that `the` counts for next to nothing.
#include "frontend/word_search.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <string>

namespace ptc {
namespace {

constexpr double kNameWeight = 2;
constexpr std::size_t kShortestStem = 4;

bool is_word_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || byte >= 0x80;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (is_word_byte(c))
            words.back() += lower(c);
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

/// Without the ending that a verb or a noun has in a sentence.
std::string stem_of(std::string word) {
    for (const std::string_view ending : {"ings", "ing", "ies", "es", "ed", "e", "s", "y"}) {
        if (!word.ends_with(ending) || word.size() - ending.size() < kShortestStem) continue;
        word.resize(word.size() - ending.size());
        return word;
    }
    return word;
}

/// Whether a word of `text` begins with `wanted`, which is in lower case.
bool has_word(std::string_view text, std::string_view wanted) {
    for (std::size_t i = 0; i + wanted.size() <= text.size(); ++i) {
        const bool is_begin = i == 0 || !is_word_byte(text[i - 1]);
        if (is_begin && std::ranges::equal(text.substr(i, wanted.size()), wanted, {}, lower)) return true;
    }
    return false;
}

} // namespace

std::vector<std::size_t> rank_by_words(std::span<const Searchable> items, std::string_view query) {
    std::vector<std::string> wanted = words_of(query);
    std::ranges::transform(wanted, wanted.begin(), stem_of);
    std::vector<double> scores(items.size());
    for (const std::string& word : wanted) {
        std::vector<double> hits(items.size());
        for (std::size_t i = 0; i < items.size(); ++i)
            hits[i] = (has_word(items[i].name, word) ? kNameWeight : 0) + (has_word(items[i].text, word) ? 1 : 0);
        const auto having = static_cast<double>(std::ranges::count_if(hits, [](double hit) { return hit > 0; }));
        const double weight = having > 0 ? std::log(1 + static_cast<double>(items.size()) / having) : 0;
        for (std::size_t i = 0; i < items.size(); ++i)
            scores[i] += weight * hits[i];
    }
    std::vector<std::size_t> found(items.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    if (wanted.empty()) return found;
    std::erase_if(found, [&](std::size_t i) { return scores[i] <= 0; });
    std::ranges::stable_sort(found, std::ranges::greater(), [&](std::size_t i) { return scores[i]; });
    return found;
}

} // namespace ptc
