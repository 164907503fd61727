// The reader's tokens become a tree again, now with what Forms forget: comments, discarded forms, where the author
// broke lines and left one empty. One pass, with a stack of open collections. Prefixes such as #_ are held back until
// the node comes that they belong to.
#include "frontend/format/layout_tree.h"

#include "frontend/utf8.h"
#include "frontend/work.h"
#include <algorithm>
#include <utility>

namespace ptc {
namespace {

std::uint32_t width_of(std::string_view text) { return static_cast<std::uint32_t>(utf8::count(text)); }

/// Columns of ascending offsets, in code points.
class Columns {
public:
    explicit Columns(std::string_view text) : text_(text) {}

    std::uint32_t at(std::uint32_t offset) {
        const std::string_view passed = text_.substr(offset_, offset - offset_);
        const std::size_t newline = passed.rfind('\n');
        column_ = newline == passed.npos ? column_ + width_of(passed) : width_of(passed.substr(newline + 1));
        offset_ = offset;
        return column_;
    }

private:
    std::string_view text_;
    std::uint32_t offset_ = 0;
    std::uint32_t column_ = 0;
};

class Builder {
public:
    Builder(std::string_view text, std::span<const SyntaxToken> tokens) : text_(text), tokens_(tokens), columns_(text) {
        nodes_.reserve(tokens.size());
    }

    LayoutTree build() {
        constexpr std::size_t kWorkOfToken = 10;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (!work::charge(kWorkOfToken)) return {};
            const SyntaxToken& token = tokens_[i];
            switch (token.kind) {
            case SyntaxToken::Open: open(token); break;
            case SyntaxToken::Close: close(token); break;
            case SyntaxToken::Atom: atom(token); break;
            case SyntaxToken::Comment: comment(token); break;
            case SyntaxToken::Discard:
            case SyntaxToken::Quote:
            case SyntaxToken::Metadata: prefix(token, tokens_[i + 1].kind); break;
            }
        }
        return std::move(nodes_);
    }

private:
    struct Frame {
        std::uint32_t node = 0;
        std::uint32_t discards = 0; ///< #_ and ^ that wait for their forms
        bool has_metadata = false;  ///< in front of the next node
    };

    /// A node that starts with the token, or with the prefixes that were held back for it.
    LayoutNode& start(LayoutNode::Kind kind, const SyntaxToken& token) {
        const std::uint32_t begin = prefix_.empty() ? token.span.begin : prefix_begin_;
        LayoutNode& node = nodes_.emplace_back();
        node.kind = kind;
        node.form = token.form;
        node.newlines = newlines_before(begin);
        node.column = columns_.at(begin);
        node.prefix = std::exchange(prefix_, {});
        node.text = text_.substr(token.span.begin, token.span.size());
        node.end = static_cast<std::uint32_t>(nodes_.size());
        node.is_annotated = std::exchange(frames_.back().has_metadata, node.prefix.ends_with('^'));
        const bool is_form = kind == LayoutNode::Atom || kind == LayoutNode::Collection;
        if (is_form && frames_.back().discards > 0) {
            --frames_.back().discards;
            node.is_discarded = true;
        }
        previous_end_ = token.span.end;
        is_first_ = false;
        return node;
    }

    [[nodiscard]] std::uint8_t newlines_before(std::uint32_t offset) const {
        if (is_first_) return 0;
        const std::string_view between = text_.substr(previous_end_, offset - previous_end_);
        return static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(std::count(between.begin(), between.end(), '\n'), 2));
    }

    void atom(const SyntaxToken& token) {
        LayoutNode& node = start(LayoutNode::Atom, token);
        const std::size_t newline = node.text.rfind('\n');
        node.is_multiline = newline != node.text.npos;
        node.last_width = width_of(node.text.substr(newline + 1)); // npos + 1 is 0
        node.width = node.last_width + static_cast<std::uint32_t>(node.prefix.size());
    }

    void comment(const SyntaxToken& token) {
        LayoutNode& node = start(LayoutNode::Comment, token);
        node.text = node.text.substr(0, node.text.find_last_not_of(" \t\r\f\v") + 1);
        node.is_multiline = true;
    }

    /// Metadata does not count among the forms of its collection, as what is discarded does not.
    void prefix(const SyntaxToken& token, SyntaxToken::Kind next) {
        if (prefix_.empty()) prefix_begin_ = token.span.begin;
        prefix_ += text_.substr(token.span.begin, token.span.size());
        if (token.kind != SyntaxToken::Quote) ++frames_.back().discards;
        if (next != SyntaxToken::Comment) return;
        // The comment comes between the prefix and its form; so the prefix stands alone.
        LayoutNode& node = start(LayoutNode::Discard, token);
        node.text = {};
        node.width = static_cast<std::uint32_t>(node.prefix.size());
    }

    void open(const SyntaxToken& token) {
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        start(LayoutNode::Collection, token);
        frames_.push_back({index, 0});
        is_first_ = true;
    }

    void close(const SyntaxToken& token) {
        const std::uint32_t index = frames_.back().node;
        frames_.pop_back();
        LayoutNode& node = nodes_[index];
        node.closer = text_[token.span.begin];
        node.end = static_cast<std::uint32_t>(nodes_.size());
        node.width = static_cast<std::uint32_t>(node.prefix.size() + node.text.size()) + 1;
        for (std::uint32_t child = index + 1; child < node.end && work::charge(2); child = nodes_[child].end) {
            node.is_multiline |= nodes_[child].is_multiline || nodes_[child].newlines > 0;
            node.width += nodes_[child].width + (child > index + 1 ? 1 : 0);
        }
        previous_end_ = token.span.end;
        is_first_ = false;
    }

    std::string_view text_;
    std::span<const SyntaxToken> tokens_;
    Columns columns_;
    LayoutTree nodes_;
    std::vector<Frame> frames_{Frame{}}; ///< the first is the text itself
    std::uint32_t previous_end_ = 0;
    std::string prefix_; ///< held back for the next node
    std::uint32_t prefix_begin_ = 0;
    bool is_first_ = true;
};

} // namespace

LayoutTree layout_tree(std::string_view text, std::span<const SyntaxToken> tokens) {
    return Builder(text, tokens).build();
}

} // namespace ptc
