// A gap is the place in front of a child of a collection. This file says of each gap whether it must be a line break,
// may be one, and how far the child is then indented: by the kind of collection, by the head of a list, and by the
// style that the Vocabulary gives for that head. It knows nothing of widths; format.cpp chooses among what is allowed
// here.
#include "frontend/format/format_gaps.h"
#include "frontend/work.h"

namespace ptc {
namespace {

constexpr std::uint32_t kWideItem = 24;
constexpr std::size_t kWorkOfChild = 5; ///< its node is far from the one before

/// Where arguments go below the first one.
std::uint32_t aligned(const Layout& layout) {
    return layout.first_argument && *layout.first_argument <= kMaxHang ? *layout.first_argument : layout.inner;
}

/// Where a body goes: two columns right of the bracket, arguments that belong beside the name two more.
std::uint32_t body(const Layout& layout) { return layout.inner + 1; }
std::uint32_t deep(const Layout& layout) { return layout.inner + 3; }

Gap argument_gap(const Layout& layout, bool one_a_line) {
    if (layout.placed == 1) return {.may_hang = true, .indent = layout.inner};
    return {.is_forced = one_a_line || (layout.is_unbroken && layout.has_wide_items), .indent = aligned(layout)};
}

Gap leading_gap(const Layout& layout) { return {.may_hang = true, .indent = deep(layout)}; }

Gap pair_gap(const Layout& layout) {
    const std::uint32_t place = layout.placed - layout.first_key();
    if (place % 2 == 1) return {.may_hang = true, .indent = layout.key_column() + 2};
    if (place > 0) return {.is_forced = true, .indent = layout.key_column()};
    if (layout.shape == Layout::ItemPairs) return {.indent = layout.inner};
    if (layout.style.kind == FormStyle::CallPairs)
        return {.is_forced = layout.is_unbroken && layout.placed > 1, .may_hang = true, .indent = aligned(layout)};
    // (cond a b ..) may start beside the name when its author likes it so.
    return {.is_forced = layout.style.leading > 0 || layout.is_unbroken, .indent = body(layout)};
}

Gap function_gap(const Layout& layout, const LayoutNode& child) {
    const bool is_parameters = child.kind == LayoutNode::Collection && child.form == FormKind::Vector;
    const bool is_name = layout.placed == 1 && child.kind == LayoutNode::Atom && child.form == FormKind::Symbol;
    const bool is_leading = !layout.has_parameters && layout.placed <= 2 && (is_parameters || is_name);
    return {.is_forced = !is_leading, .may_hang = is_leading, .indent = is_leading ? deep(layout) : body(layout)};
}

Gap headed_gap(const Layout& layout, const LayoutNode& child) {
    const FormStyle& style = layout.style;
    if (layout.placed == 0) return {.indent = layout.inner};
    const bool is_leading = layout.placed <= style.leading;
    switch (style.kind) {
    case FormStyle::Call: return argument_gap(layout, false);
    case FormStyle::Steps: return argument_gap(layout, true);
    case FormStyle::CallPairs: return is_leading ? argument_gap(layout, false) : pair_gap(layout);
    case FormStyle::Pairs: return is_leading ? leading_gap(layout) : pair_gap(layout);
    case FormStyle::Function: return function_gap(layout, child);
    case FormStyle::Body: return is_leading ? leading_gap(layout) : Gap{.is_forced = true, .indent = body(layout)};
    case FormStyle::LooseBody:
        if (is_leading) return leading_gap(layout);
        return {.is_forced = layout.is_unbroken && layout.has_wide_items, .indent = body(layout)};
    }
    return {};
}

/// Takes shape and style from the first form of a list.
void read_head(Layout& layout, const LayoutNode& head, const Vocabulary& vocabulary) {
    if (head.kind == LayoutNode::Collection) {
        layout.shape = head.form == FormKind::Vector ? Layout::Clause : Layout::Headed;
        return;
    }
    if (head.form != FormKind::Symbol && head.form != FormKind::Keyword) return;
    layout.shape = Layout::Headed;
    if (head.form == FormKind::Symbol) layout.style = vocabulary.style(head.text);
}

} // namespace

bool Layout::has_pairs() const {
    return shape == ItemPairs ||
           (shape == Headed && (style.kind == FormStyle::Pairs || style.kind == FormStyle::CallPairs));
}

std::uint32_t Layout::first_key() const { return shape == ItemPairs ? 0 : style.leading + 1u; }

std::uint32_t Layout::key_column() const {
    if (shape == ItemPairs) return inner;
    const bool below_first = style.kind == FormStyle::CallPairs || (style.leading == 0 && first_argument);
    return below_first ? aligned(*this) : body(*this);
}

bool is_form(const LayoutNode& node) {
    return !node.is_discarded && (node.kind == LayoutNode::Atom || node.kind == LayoutNode::Collection);
}

Layout layout_of(const LayoutTree& tree, std::uint32_t index, bool is_bindings, const Vocabulary& vocabulary) {
    const LayoutNode& node = tree[index];
    Layout layout;
    layout.shape = node.form == FormKind::Map || is_bindings ? Layout::ItemPairs : Layout::Items;
    layout.is_unbroken = !node.is_multiline;
    bool is_head = node.form == FormKind::List || node.form == FormKind::ShortFn;
    for (std::uint32_t child = index + 1; child < node.end && work::charge(kWorkOfChild); child = tree[child].end) {
        if (is_head && is_form(tree[child])) {
            read_head(layout, tree[child], vocabulary);
            is_head = false;
            if (layout.shape != Layout::Items) continue;
        }
        layout.has_wide_items |= tree[child].kind == LayoutNode::Collection && tree[child].width > kWideItem;
    }
    return layout;
}

Gap gap_before(const Layout& layout, const LayoutNode& child) {
    Gap gap;
    switch (layout.shape) {
    case Layout::Text: gap = {.is_forced = true}; break;
    case Layout::Headed: gap = headed_gap(layout, child); break;
    case Layout::Clause: gap = {.is_forced = true, .indent = layout.inner}; break;
    case Layout::Items: gap = {.is_forced = layout.is_unbroken && layout.has_wide_items, .indent = layout.inner}; break;
    case Layout::ItemPairs: gap = pair_gap(layout); break;
    }
    // The second form behind #_#_ goes with the first; a comment stays at the end of its line.
    const bool is_second = child.is_discarded && child.prefix.empty();
    if (is_second || child.is_annotated || child.kind == LayoutNode::Comment) gap.is_forced = false;
    return gap;
}

} // namespace ptc
