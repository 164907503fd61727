// How a layout is chosen. What its author did not break and what fits stays on one line. Else the children are placed
// one after the other; between two of them there is a break
//   1. where the author has one, or a comment ends the line;
//   2. where the style demands one of a form that takes several lines (Gap::is_forced);
//   3. where the next child does not fit, unless it will be broken itself and may start here (Gap::may_hang).
// No break is taken away. A layout must be its own layout, so no decision may come out differently once the breaks that
// follow from it are there: what has breaks of its own always stays where it is (3), and what is forced for the reason
// that there is no break at all (Layout::is_unbroken) is forced at every gap of a form.
#include "frontend/format/format.h"

#include "frontend/format/format_gaps.h"
#include "frontend/reader/reader_errors.h"
#include "frontend/work.h"
#include <algorithm>

namespace ptc {
namespace {

/// Keeps the size of the result in proportion to the text's, however deep that is nested.
constexpr std::uint32_t kMaxIndent = 80;

class Printer {
public:
    Printer(const LayoutTree& tree, const Vocabulary& vocabulary, std::size_t max_bytes)
        : tree_(tree), vocabulary_(vocabulary), max_bytes_(max_bytes), value_columns_(tree.size()) {}

    /// False when the result would be longer than `max_bytes`.
    bool print() {
        Layout text;
        place_children(text, 0, static_cast<std::uint32_t>(tree_.size()));
        if (!out_.empty()) out_ += '\n';
        return out_.size() <= max_bytes_;
    }

    /// The result, with its comments aligned.
    [[nodiscard]] std::string text() const;

private:
    struct TrailingComment {
        std::size_t offset; ///< in out_
        std::uint32_t line, column, source_column;
    };
    struct Pair {
        std::uint32_t key, value; ///< nodes
    };

    void print_newline(std::uint32_t indent, bool is_blank) {
        indent = std::min(indent, kMaxIndent);
        out_.append(is_blank ? 2 : 1, '\n').append(indent, ' ');
        line_ += is_blank ? 2 : 1;
        column_ = indent;
    }

    void print_spaces(std::uint32_t count) {
        out_.append(count, ' ');
        column_ += count;
    }

    void print_bytes(std::string_view ascii) {
        out_ += ascii;
        column_ += static_cast<std::uint32_t>(ascii.size());
    }

    void print_atom(const LayoutNode& node) {
        out_ += node.text;
        column_ = node.is_multiline ? node.last_width : column_ + node.last_width;
        if (node.is_multiline)
            line_ += static_cast<std::uint32_t>(std::count(node.text.begin(), node.text.end(), '\n'));
    }

    void print_flat(std::uint32_t index) {
        const LayoutNode& node = tree_[index];
        print_bytes(node.prefix);
        if (node.kind != LayoutNode::Collection) return print_atom(node);
        print_bytes(node.text);
        for (std::uint32_t child = index + 1; child < node.end && work::charge(4); child = tree_[child].end) {
            if (child > index + 1) print_spaces(1);
            print_flat(child);
        }
        print_bytes({&node.closer, 1});
    }

    /// `closing`: columns needed behind the node for brackets.
    void print_node(std::uint32_t index, std::uint32_t closing, bool is_bindings) {
        const LayoutNode& node = tree_[index];
        const bool fits = !node.is_multiline && column_ + node.width + closing <= kLineWidth;
        if (node.kind != LayoutNode::Collection || fits) return print_flat(index);
        print_bytes(node.prefix);
        print_bytes(node.text);
        Layout layout = layout_of(tree_, index, is_bindings, vocabulary_);
        layout.inner = column_;
        layout.line = line_;
        layout.closing = closing + 1;
        place_children(layout, index + 1, node.end);
        print_bytes({&node.closer, 1});
    }

    void place_children(Layout& layout, std::uint32_t begin, std::uint32_t end) {
        Gap gap;
        bool is_after_comment = false;
        for (std::uint32_t child = begin; child < end && out_.size() <= max_bytes_ && work::charge(2);
             child = tree_[child].end) {
            const LayoutNode& node = tree_[child];
            const std::uint32_t closing = node.end == end ? layout.closing : 0;
            gap = gap_before(layout, node);
            if (child > begin) print_gap(gap, child, closing, is_after_comment);
            is_after_comment = node.kind == LayoutNode::Comment;
            if (is_after_comment) {
                out_ += node.text;
                continue;
            }
            if (layout.placed > 0 && line_ == layout.line && !layout.first_argument) layout.first_argument = column_;
            if (layout.has_pairs() && layout.placed == layout.first_key() && is_form(node))
                align_values(layout, child, end);
            const bool is_bindings = layout.style.binds && layout.placed == 1 && node.form == FormKind::Vector;
            print_node(child, closing, is_bindings);
            if (!is_form(node)) continue;
            ++layout.placed;
            layout.has_parameters |= node.form == FormKind::Vector;
        }
        if (is_after_comment && layout.shape != Layout::Text) print_newline(gap.indent, false);
    }

    void print_gap(const Gap& gap, std::uint32_t child, std::uint32_t closing, bool is_after_comment) {
        const LayoutNode& node = tree_[child];
        if (value_columns_[child] > 0) return print_spaces(value_columns_[child] - column_);
        if (is_after_comment || breaks(gap, node, closing)) return print_newline(gap.indent, node.newlines == 2);
        if (node.kind == LayoutNode::Comment) comments_.push_back({out_.size(), line_, column_, node.column});
        print_spaces(1);
    }

    [[nodiscard]] bool breaks(const Gap& gap, const LayoutNode& node, std::uint32_t closing) const {
        if (node.newlines > 0 || gap.is_forced) return true;
        const std::uint32_t start = column_ + 1;
        if (node.is_multiline || start + node.width + closing <= kLineWidth) return false;
        if (std::min(gap.indent, kMaxIndent) >= start) return false;
        const bool hangs = gap.may_hang && node.kind == LayoutNode::Collection && start <= kMaxHang;
        return !hangs;
    }

    // ---- Columns of values

    /// Values that stand in one column below each other go on doing so, as close to their keys as they can. `first` is
    /// the first key, about to be printed.
    void align_values(const Layout& layout, std::uint32_t first, std::uint32_t end) {
        const std::uint32_t keys = layout.key_column();
        if (keys > kMaxIndent) return;
        std::vector<Pair> run;
        std::uint32_t key = 0;
        bool is_value = false;
        for (std::uint32_t child = first; child < end && work::charge(5); child = tree_[child].end) {
            if (!is_form(tree_[child])) {
                end_run(layout, run, end);
                continue;
            }
            if (is_value) {
                const bool is_first = key == first && column_ != keys;
                if (!can_align({key, child}) || is_first)
                    end_run(layout, run, end);
                else
                    add_to_run(layout, run, {key, child}, end);
            }
            key = child;
            is_value = !is_value;
        }
        end_run(layout, run, end);
    }

    [[nodiscard]] bool can_align(Pair pair) const {
        return pair.value == tree_[pair.key].end && !tree_[pair.key].is_multiline && tree_[pair.value].newlines == 0;
    }

    void add_to_run(const Layout& layout, std::vector<Pair>& run, Pair pair, std::uint32_t end) {
        if (!run.empty() && tree_[run.back().value].column != tree_[pair.value].column) end_run(layout, run, end);
        run.push_back(pair);
    }

    /// Aligns the values of the run, if there are several and each can start there.
    void end_run(const Layout& layout, std::vector<Pair>& run, std::uint32_t end) {
        if (!work::charge(4 * run.size())) return run.clear();
        std::uint32_t width = 0;
        for (const Pair& pair : run)
            width = std::max(width, tree_[pair.key].width);
        const std::uint32_t column = layout.key_column() + width + 1;
        const auto fits = [&](const Pair& pair) {
            const LayoutNode& value = tree_[pair.value];
            const bool may_hang = value.kind == LayoutNode::Collection && column <= kMaxHang;
            return value.is_multiline || may_hang ||
                   column + value.width + (value.end == end ? layout.closing : 0) <= kLineWidth;
        };
        if (run.size() > 1 && std::all_of(run.begin(), run.end(), fits)) {
            for (const Pair& pair : run)
                value_columns_[pair.value] = column;
        }
        run.clear();
    }

    const LayoutTree& tree_;
    const Vocabulary& vocabulary_;
    std::size_t max_bytes_;
    std::string out_;
    std::uint32_t line_ = 0;
    std::uint32_t column_ = 0;
    std::vector<std::uint32_t> value_columns_; ///< of nodes that are aligned values; else 0
    std::vector<TrailingComment> comments_;
};

/// As with values: trailing comments of neighbouring lines that stood in one column are put into one.
std::string Printer::text() const {
    std::string aligned;
    aligned.reserve(out_.size());
    std::size_t at = 0;
    for (std::size_t begin = 0; begin < comments_.size();) {
        std::size_t end = begin + 1;
        std::uint32_t column = comments_[begin].column;
        while (end < comments_.size() && comments_[end].line == comments_[end - 1].line + 1 &&
               comments_[end].source_column == comments_[begin].source_column) {
            column = std::max(column, comments_[end].column);
            ++end;
        }
        for (; begin < end; ++begin) {
            const TrailingComment& comment = comments_[begin];
            aligned.append(out_, at, comment.offset - at).append(column - comment.column, ' ');
            at = comment.offset;
        }
    }
    return aligned.append(out_, at);
}

} // namespace

std::string format_source(const Source& source, const Vocabulary& vocabulary, Diagnostics& diagnostics) {
    ReadLimits limits;
    limits.vocabulary = &vocabulary;
    std::vector<SyntaxToken> tokens;
    Diagnostics found;
    read_forms(source, limits, found, &tokens);
    const bool is_readable = !found.has_errors();
    diagnostics.merge(std::move(found));
    if (!is_readable) return "";
    const LayoutTree tree = layout_tree(source.text(), tokens);
    if (work::is_over()) return "";
    Printer printer(tree, vocabulary, limits.max_bytes);
    std::string text = printer.print() ? printer.text() : "";
    if (work::is_over()) return "";
    if (text.size() > limits.max_bytes || (text.empty() && !tree.empty())) {
        diagnostics.error(formatted_too_large(source, limits.max_bytes));
        return "";
    }
    return text;
}

} // namespace ptc
