// The program in a model's reply. Models put programs into fences with or without a tag, into XML-like tags, or write
// nothing else; and chat windows change quotes and add invisible characters. Blocks are found first, by lines; then
// what was changed is repaired, outside of string literals only.
#include "subagent/agent/response.h"
#include "frontend/reader/model_text.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

constexpr std::array<std::string_view, 7> kLispTags = {"clojure", "clj", "lisp", "ptc-lisp", "ptc", "scheme", "racket"};
constexpr std::string_view kSpace = " \t\r\n";

bool is_lisp(const MarkdownBlock& block) { return std::ranges::find(kLispTags, block.tag) != kLispTags.end(); }
bool looks_like_code(const MarkdownBlock& block) { return block.tag.empty() && block.text.starts_with('('); }

void keep(std::vector<std::string>& kept, const std::vector<MarkdownBlock>& blocks,
          bool (*wanted)(const MarkdownBlock&)) {
    for (const MarkdownBlock& block : blocks) {
        if (!wanted(block)) continue;
        std::string code = with_plain_signs(block.text);
        if (!trimmed(code).empty()) kept.emplace_back(trimmed(code));
    }
}

} // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string ReplyProgram::text() const {
    std::string out;
    for (const std::string& block : blocks)
        out += (out.empty() ? "" : "\n") + block;
    return out;
}

std::optional<ReplyProgram> find_program(std::string_view reply) {
    ReplyProgram program;
    const std::vector<MarkdownBlock> blocks = markdown_blocks(reply);
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
