// Finding texts by the words of a question, for those who do not know the name of what they want.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace ptc {

/// What can be found: by the words of its name, which count most, those of its text, and those of its details, which
/// count half.
struct Searchable {
    std::string_view name;
    std::string_view text;
    std::string_view details{};
};

/// The positions of `items` that have a word of `query`, the best first: rare words count more, what stands for a word
/// no more than the word itself would, and a name that says what is not asked for counts less. Words are letters and
/// digits, without case, and parts of such as begin with a capital (`getWeather`); in names two may be one
/// (`on_call`). A word finds those that begin with it or with its stem (`measuring` finds `Measures`), those that are
/// more than a form of it (`fire`: `firewall`) less, and those that stand for it (synonyms.def): other verbs for what
/// is done nearly as well (`erase`: `delete`), other words for things half as well. Words behind a preposition, and
/// those of whose something is, count less than what is asked for (`a comment on the issue`). A question without a verb
/// (`which`, `who`) is for tools that list. Words that mean something together (`give the money back`) are looked for
/// as that, where it is found (search_words.def). A word of four letters or more that is in no text is taken for those
/// that are one slip away from it (`calender`: a letter changed, left out, put in, or two exchanged; two slips from
/// eight letters on), unless it is one of everyday English or of synonyms.def. Words that say nothing (`the`, `how`)
/// are looked for where there are no others. A query without words gives all positions in their order; of more than 32
/// words the first are looked for. Costs the length of all texts, three times where a word is in none, and some numbers
/// for each place where a word is found and for each word of a name.
std::vector<std::size_t> rank_by_words(std::span<const Searchable> items, std::string_view query);

} // namespace ptc
