// The rows of protocol.def as tables, and how headers carry values that are more than visible ASCII.
#include "subagent/mcp/protocol.h"
#include "ptc/mcp.h"
#include "subagent/mcp/digest.h"
#include <algorithm>
#include <vector>

namespace ptc {

std::vector<std::string> mcp_revisions() {
    std::vector<std::string> texts;
    for (const mcp::Revision revision : mcp::kRevisions)
        texts.emplace(texts.begin(), mcp::revision_text(revision));
    return texts;
}

namespace mcp {
namespace {

constexpr std::array<std::string_view, kRevisions.size()> kRevisionTexts{
#define PTC_MCP_REVISION(Name, text) text,
#include "subagent/mcp/protocol.def"
};

constexpr MethodRow kMethods[] = {
#define PTC_MCP_METHOD(Name, text, kind, first, last)                                                                  \
    {Method::Name, text, MethodKind::kind, Revision::first, Revision::last},
#include "subagent/mcp/protocol.def"
};

struct ErrorRow {
    int code;
    int http_status;
    std::string_view message;
};
constexpr ErrorRow kErrors[] = {
#define PTC_MCP_ERROR(Name, code, http_status, message) {code, http_status, message},
#include "subagent/mcp/protocol.def"
};

const ErrorRow* find_error(int code) {
    const auto* row = std::ranges::find(kErrors, code, &ErrorRow::code);
    return row == std::end(kErrors) ? nullptr : row;
}

constexpr std::string_view kEncodedPrefix = "=?base64?";
constexpr std::string_view kEncodedSuffix = "?=";

bool is_encoded(std::string_view value) {
    return value.size() >= kEncodedPrefix.size() + kEncodedSuffix.size() && value.starts_with(kEncodedPrefix) &&
           value.ends_with(kEncodedSuffix);
}

bool is_plain(std::string_view text) {
    const auto is_visible = [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); };
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    return std::ranges::all_of(text, is_visible) &&
           (text.empty() || !(is_blank(text.front()) || is_blank(text.back())));
}

} // namespace

std::string_view revision_text(Revision revision) { return kRevisionTexts[static_cast<std::size_t>(revision)]; }

std::optional<Revision> find_revision(std::string_view text) {
    const auto* found = std::ranges::find(kRevisionTexts, text);
    if (found == kRevisionTexts.end()) return std::nullopt;
    return kRevisions[static_cast<std::size_t>(found - kRevisionTexts.begin())];
}

std::span<const MethodRow> methods() { return kMethods; }
std::string_view method_text(Method method) { return kMethods[static_cast<std::size_t>(method)].text; }

const MethodRow* find_method(std::string_view text) {
    const auto* row = std::ranges::find(kMethods, text, &MethodRow::text);
    return row == std::end(kMethods) ? nullptr : row;
}

std::string_view error_message(int code) {
    const ErrorRow* row = find_error(code);
    return row ? row->message : "";
}

int error_status(int code) {
    const ErrorRow* row = find_error(code);
    return row ? row->http_status : 400;
}

std::string header_value(std::string_view text) {
    if (is_plain(text) && !is_encoded(text)) return std::string(text);
    return std::string(kEncodedPrefix) + base64(text) + std::string(kEncodedSuffix);
}

std::optional<std::string> read_header_value(std::string_view value) {
    if (!is_plain(value)) return std::nullopt;
    if (!is_encoded(value)) return std::string(value);
    value.remove_prefix(kEncodedPrefix.size());
    value.remove_suffix(kEncodedSuffix.size());
    return read_base64(value);
}

} // namespace mcp
} // namespace ptc
