#include "subagent/agent/response.h"
#include <algorithm>
#include <array>
#include <cctype>

namespace ptc {
namespace {

constexpr std::array<std::string_view, 7> kLispTags = {"clojure", "clj", "lisp", "ptc-lisp", "ptc", "scheme", "racket"};
constexpr std::string_view kFence = "```";
constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// The first line of `rest`, which begins after it then.
std::string_view take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

// ---- Repairs of what keyboards and chat windows do to code

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

/// What the Cleaner looks at: string literals, comments, characters, and how each of `kReplacements` begins.
constexpr std::string_view kSpecial = "\";\\\xE2\xEF";

const Replacement* replacement_at(std::string_view rest) {
    for (const Replacement& one : kReplacements) {
        if (rest.starts_with(one.from)) return &one;
    }
    return nullptr;
}

bool is_typographic_quote(std::string_view rest) { return rest.starts_with("\u201C") || rest.starts_with("\u201D"); }

/// Copies code with its repairs. String literals and comments keep what they hold.
class Cleaner {
public:
    explicit Cleaner(std::string_view code) : rest_(code) {}

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

// ---- Blocks

struct Block {
    std::string tag; ///< in lower case
    std::string_view text;
};

bool is_lisp(const Block& block) { return std::ranges::find(kLispTags, block.tag) != kLispTags.end(); }
bool looks_like_code(const Block& block) { return block.tag.empty() && block.text.starts_with('('); }

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// The tag when `line` opens a block: "```tag" or "<clojure>", alone on the line.
std::optional<std::string> opening_tag(std::string_view line) {
    line = trimmed(line);
    if (line == "<clojure>" || line == "<lisp>") return std::string(line.substr(1, line.size() - 2));
    if (!line.starts_with(kFence)) return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of('`'), line.size()));
    line = trimmed(line);
    // Code on the line of the fence is an inline quotation, not a block.
    if (line.find_first_of("` \t(") != std::string_view::npos) return std::nullopt;
    return lower(line);
}

bool closes(std::string_view line) {
    line = trimmed(line);
    if (line == "</clojure>" || line == "</lisp>") return true;
    return line.size() >= kFence.size() && line.find_first_not_of('`') == std::string_view::npos;
}

std::string_view take_block(std::string_view& rest) {
    const char* begin = rest.data();
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        if (closes(line)) return trimmed({begin, static_cast<std::size_t>(line.data() - begin)});
    }
    return trimmed({begin, static_cast<std::size_t>(rest.data() - begin)});
}

std::vector<Block> find_blocks(std::string_view rest) {
    std::vector<Block> blocks;
    while (!rest.empty()) {
        std::optional<std::string> tag = opening_tag(take_line(rest));
        if (tag) blocks.push_back({std::move(*tag), take_block(rest)});
    }
    return blocks;
}

void keep(std::vector<std::string>& kept, const std::vector<Block>& blocks, bool (*wanted)(const Block&)) {
    for (const Block& block : blocks) {
        if (!wanted(block)) continue;
        std::string code = Cleaner(block.text).run();
        if (!trimmed(code).empty()) kept.emplace_back(trimmed(code));
    }
}

} // namespace

std::string ReplyProgram::text() const {
    std::string out;
    for (const std::string& block : blocks)
        out += (out.empty() ? "" : "\n") + block;
    return out;
}

std::optional<ReplyProgram> find_program(std::string_view reply) {
    ReplyProgram program;
    const std::vector<Block> blocks = find_blocks(reply);
    keep(program.blocks, blocks, is_lisp);
    if (program.blocks.empty()) keep(program.blocks, blocks, looks_like_code);
    if (program.blocks.empty() && blocks.empty()) {
        if (reply.starts_with("\uFEFF")) reply.remove_prefix(3);
        keep(program.blocks, {{"", trimmed(reply)}}, looks_like_code);
    }
    if (program.blocks.empty()) return std::nullopt;
    return program;
}

} // namespace ptc
