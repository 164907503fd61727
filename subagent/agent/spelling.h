// Texts as printers spell them. What a printer puts between quotes has escapes, and what is printed once more (JSON
// within a result, the feedback within a tool's answer) has escapes of escapes. To find a text in all that could have
// become of it, both are brought into one spelling, which is the same however often it was escaped.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ptc {

/// The mark of a text that was cut.
inline constexpr std::string_view kCutMark = "…";

/// Reads a text piece by piece, each with its part of the spelling. Most are spelled as they are; of others:
///  - backslashes, as many as there are one after the other, are one: a printer only doubles them and adds some;
///  - a quote or control character has one backslash before it and the letter of its escape, or itself behind that: so
///    an escape and what it stands for are the same;
///  - \u00e9 is the character, whoever wrote it;
///  - what is left of an escape before the mark of a cut is nothing.
/// A text has its spelling also where it is a part of another one.
class SpellingReader {
public:
    explicit SpellingReader(std::string_view text) : text_(text) {}
    /// Goes on to the next piece; false behind the last one.
    bool next();
    /// The piece as it stands in the text.
    [[nodiscard]] std::string_view piece() const { return text_.substr(begin_, end_ - begin_); }
    [[nodiscard]] std::string_view spelled() const { return is_plain_ ? piece() : std::string_view(bytes_, size_); }
    /// Whether it is spelled as it is: any part of it may be taken for the piece.
    [[nodiscard]] bool is_plain() const { return is_plain_; }
    /// Ends a plain piece behind `size` of its bytes; the rest is the next one.
    void shorten(std::size_t size) { end_ = begin_ + size; }
    /// Whether another text may begin here: not with the letter of what is no letter in the text.
    [[nodiscard]] bool can_begin() const { return can_begin_; }
    /// If the piece is backslashes: how many of them are no part of a text that ends here, but of what comes next.
    [[nodiscard]] std::size_t backslashes_of_next() const;

private:
    bool read_backslashes();
    bool read_number(std::size_t u);
    [[nodiscard]] bool is_cut_at(std::size_t at) const { return text_.substr(at).starts_with(kCutMark); }
    void spell(std::string_view spelled);
    void spell_escape(char c);

    std::string_view text_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool is_plain_ = false;
    bool is_behind_backslash_ = false;
    bool can_begin_ = true;
    std::uint8_t size_ = 0;
    char bytes_[4]{};
};

std::string spelling_of(std::string_view text);

} // namespace ptc
