// Programs cleaned of what models write around and into them. First what both callers share, the fences; then the
// cleanings of a text that claims to be a program; then the blocks of a reply and the signs in them. The cleanings look
// at lines and bytes outside of strings, never at tokens: they run on texts that do not read. Each writes blanks over
// what it removes, because lengths must not change (CleanedText).
#include "frontend/reader/model_text.h"

#include "frontend/reader/foreign_syntax.h"
#include "frontend/reader/reader_errors.h"
#include "frontend/reader/text_scan.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace ptc {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kLineBlanks = " \t\r";

std::string_view line_at(std::string_view text, std::size_t at) { return text.substr(at, line_end(text, at) - at); }

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

void blank_out(CleanedText& cleaned, std::size_t begin, std::size_t end) {
    std::fill(cleaned.text.begin() + static_cast<std::ptrdiff_t>(begin),
              cleaned.text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

void add_place(CleanedText& cleaned, std::size_t at) { cleaned.places.push_back(static_cast<std::uint32_t>(at)); }

} // namespace

bool is_fence(std::string_view line) {
    return line.substr(std::min(line.find_first_not_of(kLineBlanks), line.size())).starts_with(kFence);
}

namespace {

// ---- Cleanings

/// The lines that begin with ```; the places are where these lines begin.
CleanedText without_fences(std::string_view text) {
    CleanedText cleaned{std::string(text), {}};
    walk_code(text, [&](std::size_t at) {
        if (text[at] == ';') return line_end(text, at);
        if (!text.substr(at).starts_with(kFence)) return at + 1;
        std::size_t begin = at; // backwards over blanks only: one long line must not be searched again and again
        while (begin > 0 && is_one_of(kLineBlanks, text[begin - 1]))
            --begin;
        if (begin > 0 && text[begin - 1] != '\n') return at + 1;
        const std::size_t end = line_end(text, at);
        blank_out(cleaned, at, end);
        add_place(cleaned, begin);
        return end;
    });
    return cleaned;
}

/// `total = 0`, `for x in data.xs:`, `const n`: code of another language, which nobody deletes without a thought.
bool is_statement(std::string_view line) {
    if (line.find(" = ") != line.npos || line.find("+=") != line.npos || line.find("-=") != line.npos) return true;
    const std::size_t begin = std::min(line.find_first_not_of(kLineBlanks), line.size());
    const std::string_view word = line.substr(begin, line.find_first_of(" \t\r:", begin) - begin);
    constexpr std::string_view kDeclares[] = {"const", "var", "let", "def", "return", "elif", "else"};
    if (std::ranges::find(kDeclares, word) != std::end(kDeclares)) return true;
    const std::size_t last = line.find_last_not_of(kLineBlanks);
    const bool opens_block = last != line.npos && line[last] == ':';
    return opens_block && (word == "while" || word == "if" || (word == "for" && line.find(" in ") != line.npos));
}

/// Words, and what marks them in Markdown: no brackets, no code.
bool is_prose(std::string_view line) {
    constexpr std::size_t kLongest = 20'000; // bytes; longer ones cost more to look at than a guess is worth
    if (line.size() > kLongest) return false;
    const std::size_t begin = line.find_first_not_of(" \t\r*_#>-");
    if (begin == line.npos || line.find_first_of("()[]{}\"/;") != line.npos || is_statement(line)) return false;
    if (std::isalpha(static_cast<unsigned char>(line[begin])) == 0) return false;
    const std::size_t last = line.find_last_not_of(" \t\r*_");
    return line.find(' ', begin) < last || is_one_of(":.!", line[last]);
}

/// How much deeper in brackets the text is behind `line`.
int depth_change(std::string_view line) {
    int depth = 0;
    walk_code(line, [&](std::size_t at) {
        if (line[at] == ';') return line.size();
        depth += is_one_of("([{", line[at]) ? 1 : is_one_of(")]}", line[at]) ? -1 : 0;
        return at + 1;
    });
    return depth;
}

/// The lines of plain words around a program: those outside of its brackets and, when it stands between fences, outside
/// of these; and the fences. The places are where the lines of words begin. A text of words alone stays as it is.
CleanedText without_prose(std::string_view text) {
    CleanedText cleaned = without_fences(text);
    const bool is_fenced = !cleaned.places.empty();
    cleaned.places.clear();
    bool inside = !is_fenced;
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view line = line_at(text, at);
        const bool is_around = depth == 0 && (is_prose(line) || (!inside && !is_blank(line)));
        if (is_fenced && is_fence(line)) {
            inside = !inside;
        } else if (is_around) {
            blank_out(cleaned, at, at + line.size());
            add_place(cleaned, at);
        } else if (inside) {
            depth += depth_change(line);
        }
        at += line.size() + 1;
    }
    if (is_blank(cleaned.text)) cleaned.places.clear();
    return cleaned;
}

/// Double quotes for single ones around 'some text'; the places are those of both quotes, in turn.
CleanedText with_double_quotes(std::string_view text) {
    CleanedText cleaned{std::string(text), {}};
    walk_code(text, [&](std::size_t at) {
        if (text[at] == ';') return line_end(text, at);
        const bool quotes_form = at + 1 < text.size() && is_one_of("([{", text[at + 1]);
        if (text[at] != '\'' || !starts_token(text, at) || quotes_form) return at + 1;
        for (std::size_t close = at + 1; close < text.size() && !is_one_of("\"\n", text[close]); ++close) {
            if (text[close] != '\'') continue;
            if (close + 1 < text.size() && !is_one_of(" \t\r\n,)]}", text[close + 1])) continue;
            for (const std::size_t quote : {at, close}) {
                cleaned.text[quote] = '"';
                add_place(cleaned, quote);
            }
            return close + 1;
        }
        return line_end(text, at); // no other quote on this line ends a string
    });
    return cleaned;
}

/// `;` for `#` and `//` where these begin a comment.
CleanedText with_comments(std::string_view text) {
    CleanedText cleaned{std::string(text), {}};
    walk_code(text, [&](std::size_t at) {
        if (text[at] == ';') return line_end(text, at);
        const bool is_hash = text[at] == '#' && is_hash_comment(text, static_cast<std::uint32_t>(at));
        const bool is_slashes = text.substr(at).starts_with("//") && starts_token(text, at) && at + 2 < text.size() &&
                                (at == 0 || text[at - 1] != '(');
        if (!is_hash && !is_slashes) return at + 1;
        cleaned.text[at] = ';';
        add_place(cleaned, at);
        return line_end(text, at);
    });
    return cleaned;
}

/// Blanks for each `;` that has code in front of it and behind it on its line.
CleanedText without_semicolons(std::string_view text) {
    CleanedText cleaned{std::string(text), {}};
    walk_code(text, [&](std::size_t at) {
        if (text[at] != ';') return at + 1;
        // What separates forms touches the one before it; a comment keeps its distance. Only the neighbours are looked
        // at: a long line with many semicolons must not be searched for each of them.
        const bool stands_apart = at == 0 || is_one_of(" \t\n", text[at - 1]);
        const std::size_t next = text.find_first_not_of(" \t\r;", at + 1);
        const bool ends_line = next == text.npos || text[next] == '\n';
        if (stands_apart || ends_line || text[at + 1] == ';') return line_end(text, at);
        cleaned.text[at] = ' ';
        add_place(cleaned, at);
        return at + 1;
    });
    return cleaned;
}

// ---- What they report

void report_prose(const Source& original, const CleanedText& cleaned, Diagnostics& found) {
    std::vector<std::uint32_t> lines = without_fences(original.text()).places;
    lines.insert(lines.end(), cleaned.places.begin(), cleaned.places.end());
    std::sort(lines.begin(), lines.end());
    found.error(prose_around_program(original, lines));
}

void report_fences(const Source& original, const CleanedText& cleaned, Diagnostics& found) {
    found.error(fenced_program(original, cleaned.places));
}

void report_single_quotes(const Source&, const CleanedText& cleaned, Diagnostics& found) {
    for (std::size_t i = 0; i + 1 < cleaned.places.size(); i += 2)
        found.error(single_quoted_string(cleaned.places[i], cleaned.places[i + 1]));
}

void report_comments(const Source& original, const CleanedText& cleaned, Diagnostics& found) {
    for (const std::uint32_t at : cleaned.places)
        found.error(foreign_comment(original, at));
}

void report_semicolons(const Source&, const CleanedText& cleaned, Diagnostics& found) {
    for (const std::uint32_t at : cleaned.places)
        found.error(separating_semicolon(at));
}

using enum Cleaning::Proof;
constexpr Cleaning kCleanings[] = {
    {without_prose, ReadsWell, report_prose},
    {without_fences, None, report_fences},
    {with_double_quotes, ReadsWell, report_single_quotes},
    {with_comments, BracketsMatch, report_comments},
    {without_semicolons, BracketsMatch, report_semicolons},
};

} // namespace

std::span<const Cleaning> cleanings() { return kCleanings; }

// ---- Replies

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// The first line of `rest`, which begins after it then.
std::string_view take_line(std::string_view& rest) {
    const std::string_view line = line_at(rest, 0);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    return line;
}

/// The tag when `line` opens a block: "```tag", alone on the line.
std::optional<std::string> opening_tag(std::string_view line) {
    if (!is_fence(line)) return std::nullopt;
    line = trimmed(line);
    line.remove_prefix(std::min(line.find_first_not_of('`'), line.size()));
    line = trimmed(line);
    // Code on the line of the fence is an inline quotation, not a block.
    if (line.find_first_of("` \t(") != std::string_view::npos) return std::nullopt;
    return lower(line);
}

bool closes_block(std::string_view line) {
    line = trimmed(line);
    if (line == "</clojure>" || line == "</lisp>") return true;
    return is_fence(line) && line.find_first_not_of('`') == std::string_view::npos;
}

std::string_view take_block(std::string_view& rest) {
    const char* begin = rest.data();
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        if (closes_block(line)) return trimmed({begin, static_cast<std::size_t>(line.data() - begin)});
    }
    return trimmed({begin, static_cast<std::size_t>(rest.data() - begin)});
}

/// A tag like that of XML, around a program.
struct ProgramTag {
    std::string_view name;
    std::string_view opening;
    std::string_view closing;
    const char* next = nullptr; ///< the closing one that was found last: each part of the reply is searched once
    bool is_unclosed = false;   ///< none is left

    /// Where in `rest` the next closing one stands behind `begin`.
    std::size_t find_closing(std::string_view rest, std::size_t begin) {
        if (next && next >= rest.data() + begin) return static_cast<std::size_t>(next - rest.data());
        const std::size_t at = is_unclosed ? std::string_view::npos : rest.find(closing, begin);
        is_unclosed = at == std::string_view::npos;
        next = is_unclosed ? nullptr : rest.data() + at;
        return at;
    }
};

/// The block that a tag on the first line of `rest` begins. A tag among other words counts when it is closed and has
/// code in it; one that is alone on its line, in any case. `rest` begins behind the block then, else it stays.
std::optional<MarkdownBlock> take_tagged(std::string_view& rest, std::span<ProgramTag> tags) {
    const std::string_view line = line_at(rest, 0);
    for (ProgramTag& tag : tags) {
        const std::size_t at = line.find(tag.opening);
        if (at == std::string_view::npos) continue;
        const std::size_t begin = at + tag.opening.size();
        const std::size_t end = tag.find_closing(rest, begin);
        const bool is_alone = trimmed(line) == tag.opening;
        if (tag.is_unclosed && is_alone) {
            (void)take_line(rest);
            return MarkdownBlock{std::string(tag.name), take_block(rest)};
        }
        if (tag.is_unclosed) continue;
        const std::string_view code = trimmed(rest.substr(begin, end - begin));
        if (is_fence(code) || (!is_alone && !code.starts_with('('))) continue; // fences within are found by themselves
        rest.remove_prefix(end + tag.closing.size());
        return MarkdownBlock{std::string(tag.name), code};
    }
    return std::nullopt;
}

struct Replacement {
    std::string_view from; ///< UTF-8
    std::string_view to;
};

constexpr std::array<Replacement, 9> kReplacements = {{
    {"\u201C", "\""},
    {"\u201D", "\""},
    {"\u2018", "'"},
    {"\u2019", "'"},
    {"\u200B", ""},
    {"\u200C", ""},
    {"\u200D", ""},
    {"\u2060", ""},
    {"\uFEFF", ""},
}};

/// What PlainSigns looks at: string literals, comments, characters, and how each of `kReplacements` begins.
constexpr std::string_view kSpecial = "\";\\\xE2\xEF";

const Replacement* replacement_at(std::string_view rest) {
    for (const Replacement& one : kReplacements) {
        if (rest.starts_with(one.from)) return &one;
    }
    return nullptr;
}

bool is_typographic_quote(std::string_view rest) { return rest.starts_with("\u201C") || rest.starts_with("\u201D"); }

/// Copies code and replaces signs in it. String literals and comments keep what they hold.
class PlainSigns {
public:
    explicit PlainSigns(std::string_view code) : rest_(code) {}

    std::string run() {
        while (!rest_.empty()) {
            copy(rest_.find_first_of(kSpecial));
            if (rest_.empty()) break;
            if (rest_.front() == '"')
                copy_string();
            else if (is_typographic_quote(rest_))
                copy_quoted();
            else if (rest_.front() == ';')
                copy(rest_.find('\n'));
            else if (rest_.front() == '\\')
                copy(2);
            else if (const Replacement* one = replacement_at(rest_))
                replace(*one);
            else
                copy(1);
        }
        return std::move(out_);
    }

private:
    void copy(std::size_t bytes) {
        out_ += rest_.substr(0, bytes);
        rest_.remove_prefix(std::min(bytes, rest_.size()));
    }
    void replace(const Replacement& one) {
        out_ += one.to;
        rest_.remove_prefix(one.from.size());
    }
    void copy_string() {
        copy(1);
        while (!rest_.empty() && rest_.front() != '"') {
            copy(rest_.find_first_of("\"\\"));
            if (rest_.starts_with('\\')) copy(2);
        }
        copy(1);
    }
    /// “text” is a string literal whose quotes were made pretty.
    void copy_quoted() {
        replace(*replacement_at(rest_));
        while (!rest_.empty() && !is_typographic_quote(rest_))
            copy(rest_.front() == '\\' ? 2 : 1);
        if (!rest_.empty()) replace(*replacement_at(rest_));
    }

    std::string_view rest_;
    std::string out_;
};

} // namespace

std::vector<MarkdownBlock> markdown_blocks(std::string_view reply) {
    std::vector<MarkdownBlock> blocks;
    ProgramTag tags[] = {{"clojure", "<clojure>", "</clojure>"}, {"lisp", "<lisp>", "</lisp>"}};
    while (!reply.empty()) {
        if (std::optional<MarkdownBlock> block = take_tagged(reply, tags)) {
            blocks.push_back(std::move(*block));
            continue;
        }
        std::optional<std::string> tag = opening_tag(take_line(reply));
        if (tag) blocks.push_back({std::move(*tag), take_block(reply)});
    }
    return blocks;
}

std::string with_plain_signs(std::string_view code) { return PlainSigns(code).run(); }

} // namespace ptc
