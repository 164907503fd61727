// Values as prompts show them: what is firewalled hidden, what is long cut, with its full size.
#pragma once
#include "ptc/datum.h"
#include "ptc/type.h"
#include "subagent/agent/data_excerpt.h"
#include <string>
#include <vector>

namespace ptc {

struct PreviewLimits {
    std::size_t list = 5;           ///< items of a list or set ..
    std::size_t short_items = 100;  ///< .. of scalars, which are shown whole up to so many ..
    std::size_t short_bytes = 2000; ///< .. and so many bytes
    std::size_t string = 1000;      ///< bytes of a text
    std::size_t map = 60;           ///< entries of a map
    std::size_t bytes = 12'000;     ///< of the whole
    unsigned depth = 12;
    /// Text keys stand as texts, not as the keywords that read them: for values as a program has made them. What comes
    /// from JSON, and what `return` gives, has text keys whatever they were.
    bool has_own_keys = false;
    /// Short lists are shown whole whatever their items are, since reading on costs a turn: for what a program gives.
    bool shows_short_lists = false;
};

/// The limits for what a program gives: `has_own_keys` for what it did not give by `return`. Short lists are shown
/// whole unless the host wants fewer items than is usual (requirement 175).
constexpr PreviewLimits result_limits(PreviewLimits limits, bool has_own_keys) {
    limits.has_own_keys = has_own_keys;
    limits.shows_short_lists = limits.list >= PreviewLimits().list;
    return limits;
}

/// A value of which a preview shows a part.
struct Cut {
    enum class Kind : std::uint8_t { Items, Entries, Text, Depth } kind; ///< Depth: it lies too deep to be shown at all
    std::vector<Datum> path{}; ///< keys and indices that lead to it, as for get-in
    std::size_t shown = 0;     ///< from the start: items, entries, graphemes
    std::size_t total = 0;     ///< items, entries; of a text bytes
    std::size_t page = 0;      ///< how many more, or graphemes of a text, are likely to be shown at once
};

struct Preview {
    std::string text;
    bool is_cut = false;
    std::vector<Cut> cuts{}; ///< the first kMostCuts; members of sets and of maps with odd keys are named by the whole
                             ///< that they are in
};
inline constexpr std::size_t kMostCuts = 4;

/// `value` as programs write it, on one line: `{:rows [{:id 1} {:id 2} … (9 in all)] :_ids <Firewalled>}`. With `sizes`
/// it is an excerpt.
Preview preview(const Datum& value, const PreviewLimits& limits, const FullSizes* sizes = nullptr);

/// What stands below a prompt that shows a cut value.
inline constexpr std::string_view kCutNote =
    "[System note: long values are cut here and their full size is told. Programs see all of them.]";

/// The type of what is there, as far as `limits` bounds of looking go: `[{id :int, name :string?}]`. Lists and
/// maps of mixed values have elements of `:any`.
Type shown_type(const Datum& value, const FullSizes* sizes = nullptr);
/// Its text, without firewalled fields; `:map` and `[:map]` for records too wide to be listed.
std::string shown_type_text(const Datum& value, const FullSizes* sizes = nullptr);

} // namespace ptc
