// The one stage in front of the reader: text as models write it, and the program in it.
//
// A model wraps its program in Markdown, writes sentences around it, sees its quotes made typographic by a chat window,
// and takes comments and strings from the languages it has seen most. Two callers look through that, and differ in what
// they owe the author. A reply is written for a person: the program is taken out of it and nothing is reported
// (markdown_blocks, with_plain_signs). A file that is read or checked claims to be a program: whatever is none is
// reported, with the edit that removes it. For that the reader tries `cleanings` in turn on a text that does not read
// as it stands, and takes the first that its proof speaks for. Both know the same fences (is_fence).
#pragma once
#include "ptc/diagnostic.h"
#include "ptc/source.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// A text without something that is no program. It is as long as the original: what was removed is blank, what was
/// respelled has one sign for one sign. So each span in it is a span of the original.
struct CleanedText {
    std::string text;
    std::vector<std::uint32_t> places; ///< where something was removed or respelled; none: there is nothing to clean
};

/// One guess of what is wrong with a whole text.
struct Cleaning {
    /// What has to be true of the cleaned text before the guess is believed.
    enum class Proof : std::uint8_t {
        None,          ///< a line that begins with ``` is never code
        ReadsWell,     ///< nothing else is wrong
        BracketsMatch, ///< its brackets match, and those of the original do not
    };
    CleanedText (*clean)(std::string_view text); ///< linear
    Proof proof;
    /// Adds what was cleaned, as errors with edits of `original`.
    void (*report)(const Source& original, const CleanedText& cleaned, Diagnostics& found);
};

/// In the order in which they are tried.
std::span<const Cleaning> cleanings();

/// Whether `line` is a fence of Markdown: it begins with ``` behind blanks.
bool is_fence(std::string_view line);

/// What stands between a line ```tag and the line that closes it, or between <clojure> or <lisp> and what closes them.
struct MarkdownBlock {
    std::string tag;       ///< in lower case; "" for none
    std::string_view text; ///< trimmed
};
/// All blocks of a reply. A block that is never closed, as in a reply that was cut, ends with the reply. Linear.
std::vector<MarkdownBlock> markdown_blocks(std::string_view reply);

/// `code` with plain quotes for typographic ones and without invisible characters, but for what string literals and
/// comments hold. Linear.
std::string with_plain_signs(std::string_view code);

} // namespace ptc
