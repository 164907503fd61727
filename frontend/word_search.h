// Finding texts by the words of a question, for those who do not know the name of what they want.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace ptc {

/// What can be found: by the words of its name, which count twice, and by those of its text.
struct Searchable {
    std::string_view name;
    std::string_view text;
};

/// The positions of `items` that have a word of `query`, the best first: rare words count more. Words are letters and
/// digits, without case; a word finds those that begin with it or with its stem (`measuring` finds `Measures`). A query
/// without words gives all positions in their order. Costs the length of all texts, times the words of the query.
std::vector<std::size_t> rank_by_words(std::span<const Searchable> items, std::string_view query);

} // namespace ptc
