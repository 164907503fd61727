// Program text and positions in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

/// A half-open range of byte offsets into a Source. Two words small, so every form and instruction can carry one.
struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    [[nodiscard]] std::uint32_t size() const { return end - begin; }
    friend bool operator==(const Span&, const Span&) = default;
};

/// A position for people: both count from 1; columns count code points, not bytes.
struct LineColumn {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};

/// A named text. Owns its bytes; Forms, string_views and Spans refer into it and must not outlive it.
class Source {
public:
    Source() = default;
    Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
    /// A text with a byte at offset `extra` that the author's text does not have: positions do not count it.
    Source(std::string name, std::string text, std::uint32_t extra)
        : name_(std::move(name)), text_(std::move(text)), extra_(extra) {}

    /// The same with a line more behind it.
    [[nodiscard]] Source with_line(std::string_view line) const {
        return {name_, text_ + "\n" + std::string(line), extra_};
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::string_view text(Span span) const;
    /// O(offset): positions are only computed for messages.
    [[nodiscard]] LineColumn position(std::uint32_t offset) const;
    /// The whole line (without its newline) that holds `offset`.
    [[nodiscard]] std::string_view line_at(std::uint32_t offset) const;

private:
    std::string name_;
    std::string text_;
    std::uint32_t extra_ = UINT32_MAX;
};

} // namespace ptc
