// What is looked for by the words of a question: the words, what stands for them, and the forms in which texts have
// them. Of word_search.h, which ranks what is found.
#pragma once
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc {

inline bool is_word_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || byte >= 0x80;
}

inline char lower_case(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

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

/// A word without the ending that it has in a sentence, in small letters.
std::string search_stem(std::string_view written);

/// What is looked for in the place of a word of the query: the word, or another that may stand for it.
struct Wanted {
    std::string stem;
    std::size_t word = 0; ///< of the query
    double weight = 1;
    bool is_verb = false; ///< another verb for what is done

    /// How much of it a word of a text is: 1 in any of its forms, less where it only begins so, 0 for not at all.
    [[nodiscard]] double share_in(std::string_view text_word) const;
};

/// The words of a query, each once, and what stands for them.
class SearchQuery {
public:
    /// Without the phrases at `unmeant`, which stay the words that they are.
    SearchQuery(std::string_view text, const std::set<std::size_t>& unmeant);
    [[nodiscard]] std::size_t words() const { return words_.size(); }
    /// Of a word, by its place in the query.
    [[nodiscard]] double weight_of(std::size_t word) const;
    /// The phrases of which no word is found.
    [[nodiscard]] std::set<std::size_t> missing_phrases(std::span<const std::size_t> having) const;
    /// From here on looks for what is in `text` and differs by slips, too, in place of words that no item has.
    void take_slips(std::string_view text, std::span<const std::size_t> having);
    /// Whether a word that no item has may be a slip.
    [[nodiscard]] bool may_have_slips(std::span<const std::size_t> having) const;
    /// Calls `each` with all that is found in `text`: with its number in `wanted`, and how much of it is there.
    template <class Each> void find_in(std::string_view text, const Each& each) const {
        each_word(text, [&](std::string_view word) {
            for (const std::size_t i : by_first_[static_cast<unsigned char>(lower_case(word.front()))])
                if (const double share = wanted_[i].share_in(word); share > 0) each(i, share);
        });
    }
    [[nodiscard]] std::span<const Wanted> wanted() const { return wanted_; }

private:
    struct Word {
        std::string stem;
        bool is_known = false;               ///< so that it is no slip
        std::optional<std::size_t> phrase{}; ///< that it stands for
        bool is_aside = false;               ///< whose, or where it is: `a comment on the issue`
    };

    void take_words(std::string_view text, const std::set<std::size_t>& unmeant, bool without_fillers);
    void take_word(Word word);
    void add_with_synonyms(const std::string& stem, std::size_t word, double weight);
    void add(Wanted wanted);

    std::vector<Wanted> wanted_; ///< of each word itself first
    std::array<std::vector<std::size_t>, 256> by_first_;
    std::vector<Word> words_;
    std::set<std::pair<std::size_t, std::string>> slips_;
};

} // namespace ptc
