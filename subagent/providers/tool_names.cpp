#include "subagent/providers/tool_names.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxName = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_plain_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
bool is_plain(const std::string& text) {
    return !text.empty() && text.size() <= kMaxName && std::ranges::all_of(text, is_plain_char);
}
bool is_name(const std::string& text) { return is_plain(text) && is_letter(text[0]); }

/// FNV-1a: the same on every machine and in every version, as conversations outlive processes.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

/// The plain characters of `text`, and sixteen digits that no other name has.
std::string with_hash(const std::string& text) {
    constexpr char kHex[] = "0123456789abcdef";
    constexpr std::size_t kDigits = 16;
    std::string out = text.substr(0, kMaxName - kDigits - 2);
    std::ranges::replace_if(
        out, [](char c) { return !is_plain_char(c); }, '_');
    if (out.empty() || !is_letter(out[0])) out = "_" + out;
    out += '_';
    for (std::size_t i = 0; i < kDigits; ++i)
        out += kHex[(hash_of(text) >> (60 - 4 * i)) & 15];
    return out;
}

} // namespace

std::string plain_name(const std::string& text) { return is_plain(text) ? text : with_hash(text); }

ToolNames::ToolNames(const LlmRequest& request) {
    for (const ToolSchema& tool : request.tools)
        add(tool.name);
    for (const Message& message : request.messages)
        for (const ToolCall& call : message.tool_calls)
            add(call.name);
}

void ToolNames::add(const std::string& name) {
    if (is_name(name) || sent_.contains(name)) return;
    std::string plain = with_hash(name);
    sent_.emplace(name, plain);
    received_.emplace(std::move(plain), name);
}

std::string ToolNames::sent(const std::string& name) const {
    const auto found = sent_.find(name);
    return found == sent_.end() ? name : found->second;
}

std::string ToolNames::received(const std::string& name) const {
    const auto found = received_.find(name);
    return found == received_.end() ? name : found->second;
}

} // namespace ptc
