// A well-formed text as the formatter sees it: collections, atoms, comments and discarded forms, with the line breaks
// of their author.
#pragma once
#include "frontend/reader/reader.h"
#include <span>
#include <string>
#include <vector>

namespace ptc {

struct LayoutNode {
    enum Kind : std::uint8_t { Atom, Collection, Comment, Discard } kind = Atom;
    FormKind form = FormKind::Nil; ///< of an Atom or a Collection
    std::uint8_t newlines = 0;     ///< between it and what stands before: 0, 1 or 2; none behind an opening bracket
    bool is_discarded = false;     ///< by a #_ in front of it, or in front of its predecessor; or it is metadata
    bool is_annotated = false;     ///< metadata stands in front of it
    bool is_multiline = false;     ///< its author broke it, or it cannot be on one line
    char closer = 0;               ///< of a Collection
    std::uint32_t end = 0;         ///< index behind its last descendant
    std::uint32_t width = 0;       ///< in code points, on one line; meaningless when it is multi-line
    std::uint32_t last_width = 0;  ///< of an Atom: what stands on its last line, without prefixes
    std::uint32_t column = 0;      ///< in the source
    std::string prefix;            ///< #_, ' and ^ directly in front; a Discard stands for nothing but them
    std::string_view text;         ///< an Atom's, a Comment's without blanks at its end, a Collection's opening bracket
};

/// Nodes in the order of the text: the children of `i` are i + 1, then the `end` of each child, up to the `end` of `i`.
using LayoutTree = std::vector<LayoutNode>;

/// `tokens` come from reading `text` without errors. Linear; empty when the thread's work::Scope is over.
LayoutTree layout_tree(std::string_view text, std::span<const SyntaxToken> tokens);

} // namespace ptc
