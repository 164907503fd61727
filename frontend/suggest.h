// "Did you mean": the candidates nearest to a name that does not exist.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Up to `max` of `candidates`, nearest first, none when nothing is near. Near means few typing errors (a letter more,
/// less, other or two swapped; case counts little), or the same name in another namespace or with `-`, `_`, `?` and `!`
/// placed otherwise. Equal distances keep the order of names. Names are compared up to 64 bytes, so the work is bounded
/// by the candidates' number.
std::vector<std::string> suggest(std::string_view name, std::span<const std::string_view> candidates,
                                 std::size_t max = 3);

/// The distance that `suggest` ranks by for names of at most 64 bytes (optimal string alignment), cut off above
/// `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// "Did you mean `filter` or `filterv`?", or "" for no names.
std::string did_you_mean(std::span<const std::string> names);

} // namespace ptc
