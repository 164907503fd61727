// Where the children of a collection may and must go when it does not stay on one line.
#pragma once
#include "frontend/format/layout_tree.h"
#include "frontend/vocabulary.h"
#include <optional>

namespace ptc {

inline constexpr std::uint32_t kLineWidth = 100;
inline constexpr std::uint32_t kMaxHang = 60; ///< nothing that takes several lines starts right of it by our choice

/// What may stand between a child and what is in front of it.
struct Gap {
    bool is_forced = false; ///< a break, whatever the author did
    bool may_hang = false;  ///< a collection that does not fit is rather broken than put on the next line
    std::uint32_t indent = 0;
};

/// A collection, or the whole text, while its children are being placed.
struct Layout {
    enum Shape : std::uint8_t {
        Text,
        Headed,    ///< a list whose head says what its arguments are
        Clause,    ///< ([params] body ..)
        Items,     ///< alike, one below the other
        ItemPairs, ///< keys and values
    } shape = Text;
    FormStyle style;             ///< of a Headed one
    bool is_unbroken = false;    ///< the author has no break in it
    bool has_wide_items = false; ///< collections that share no line with others unless their author wants it
    std::uint32_t inner = 0;     ///< the column behind its opening bracket
    std::uint32_t line = 0;      ///< of its opening bracket
    std::uint32_t closing = 0;   ///< columns that brackets need behind its last child

    // What has been placed so far.
    std::uint32_t placed = 0; ///< forms; comments and what is discarded do not count
    bool has_parameters = false;
    std::optional<std::uint32_t> first_argument; ///< its column, if it is on the opening bracket's line

    [[nodiscard]] bool has_pairs() const;
    /// What `placed` is when the first key comes.
    [[nodiscard]] std::uint32_t first_key() const;
    /// Where keys go, but for a first one that stands beside the head.
    [[nodiscard]] std::uint32_t key_column() const;
};

/// True of what is neither a comment nor discarded.
bool is_form(const LayoutNode& node);

/// How the collection at `index` is laid out. `is_bindings`: it is the vector of a let.
Layout layout_of(const LayoutTree& tree, std::uint32_t index, bool is_bindings, const Vocabulary& vocabulary);

/// In front of the next child of `layout`, which is `child`.
Gap gap_before(const Layout& layout, const LayoutNode& child);

} // namespace ptc
