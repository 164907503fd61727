// The protocol's vocabulary: the rows of protocol.def as types, and the names that messages and headers use.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ptc::mcp {

enum class Revision : std::uint8_t {
#define PTC_MCP_REVISION(Name, text) Name,
#include "subagent/mcp/protocol.def"
};
/// The oldest first.
inline constexpr std::array kRevisions{
#define PTC_MCP_REVISION(Name, text) Revision::Name,
#include "subagent/mcp/protocol.def"
};
inline constexpr Revision kNewest = kRevisions.back();
/// What a request over HTTP that does not name a revision is taken to be.
inline constexpr Revision kUnnamed = Revision::R2025_03_26;
/// The newest that begins with `initialize`.
inline constexpr Revision kNewestWithSessions = Revision::R2025_11_25;

std::string_view revision_text(Revision revision);
std::optional<Revision> find_revision(std::string_view text);
/// Each request stands for itself and carries version and capabilities in `_meta`; before, `initialize` begins a
/// session.
constexpr bool is_stateless(Revision revision) { return revision >= Revision::R2026_07_28; }

enum class MethodKind : std::uint8_t {
    ClientRequest,
    ServerRequest,
    EitherRequest,
    ClientNotification,
    ServerNotification,
    EitherNotification
};
enum class Method : std::uint8_t {
#define PTC_MCP_METHOD(Name, text, kind, first, last) Name,
#include "subagent/mcp/protocol.def"
};
struct MethodRow {
    Method method;
    std::string_view text;
    MethodKind kind;
    Revision first; ///< that has it
    Revision last;
};
std::span<const MethodRow> methods();
std::string_view method_text(Method method);
const MethodRow* find_method(std::string_view text);
constexpr bool has_method(Revision revision, const MethodRow& row) {
    return row.first <= revision && revision <= row.last;
}

enum class ErrorCode : int {
#define PTC_MCP_ERROR(Name, code, http_status, message) Name = code,
#include "subagent/mcp/protocol.def"
};
/// What is said when there is nothing better to say; "" of a code that has no row.
std::string_view error_message(int code);
/// Of an answer over HTTP to a stateless request; 400 of a code that has no row.
int error_status(int code);

// Keys of `_meta`.
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClient = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kProgressToken = "progressToken";

// Headers of streamable HTTP.
inline constexpr std::string_view kHeaderVersion = "MCP-Protocol-Version";
inline constexpr std::string_view kHeaderMethod = "Mcp-Method";
inline constexpr std::string_view kHeaderName = "Mcp-Name";
inline constexpr std::string_view kHeaderParameter = "Mcp-Param-"; ///< and a parameter's name
inline constexpr std::string_view kHeaderSession = "Mcp-Session-Id";
inline constexpr std::string_view kHeaderLastEvent = "Last-Event-ID";

/// The levels of log messages, the most talkative first.
inline constexpr std::array<std::string_view, 8> kLogLevels{"debug", "info",     "notice", "warning",
                                                            "error", "critical", "alert",  "emergency"};

/// `text` as the value of a header: as it is when that is safe, else "=?base64?..?=".
std::string header_value(std::string_view text);
/// What `header_value` was given; none when it is no such value.
std::optional<std::string> read_header_value(std::string_view value);

} // namespace ptc::mcp
