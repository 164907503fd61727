// How messages reach an upstream server: over the pipes of a program of ours, or over HTTP. A transport knows the form
// of messages, matches answers with requests and keeps to limits; what is asked is the session's business.
#pragma once
#include "ptc/mcp_client.h"
#include "ptc/tool_context.h"
#include "subagent/mcp/message.h"
#include <atomic>
#include <functional>
#include <memory>

namespace ptc::mcp {

using Deadline = std::chrono::steady_clock::time_point;

/// How long one request listens for what a server says by itself.
inline constexpr std::chrono::hours kListenTime{20};

/// How long an answer is waited for, and who hears how far it is.
struct CallTerms {
    Deadline deadline{};
    std::stop_token stop{};
    SharedFunction<void(Datum)> progress{};
    const ToolContext* context = nullptr; ///< of a call of a tool, while it is made
};

/// Why there is no result.
struct Failure {
    enum class Kind : std::uint8_t {
        Refused,      ///< the server answered with `error`
        NotThere,     ///< it cannot be started or reached
        Ended,        ///< it ended, or closed its output, without an answer
        Timeout,      ///< no answer in time
        Cancelled,    ///< nobody waits for the answer any more
        Broken,       ///< what it says is not the protocol, or is beyond the limits
        NoSession,    ///< over HTTP: it does not know the session any more
        Unauthorized, ///< over HTTP: it wants other credentials
    } kind = Kind::Broken;
    std::string message{}; ///< a whole sentence
    RpcError error{};      ///< of Refused
    int http_status = 0;   ///< 0 where there is none
};
inline Failure failure(Failure::Kind kind, std::string message, int http_status = 0) {
    return {.kind = kind, .message = std::move(message), .http_status = http_status};
}
using Answer = std::variant<Datum, Failure>;

inline constexpr std::size_t kShownNoise = 100; ///< bytes that are shown of what a server wrote and is no message
/// As it is shown: without secrets of the server.
std::string shown_noise(std::string_view noise, const McpServer& server);
/// Of the last of it, behind why a call has no answer; "" when there was none.
inline std::string noise_text(const std::string& noise) {
    return noise.empty() ? "" : " It wrote what is no message: " + noise + ".";
}

/// A request as it goes out.
struct Outgoing {
    Datum id;
    std::string_view method;
    Datum params;
    std::string name{};                                         ///< what it is about, for a header: the tool's
    std::vector<std::pair<std::string, std::string>> headers{}; ///< more of them
    /// Where the list `tools` of the answer goes, as JSON; null: it stays in the answer. Such an answer may be cut
    /// where it is nested deeper than messages may be.
    std::string* list = nullptr;
};

/// How many questions to the user a server may still ask: of one call, McpServer::max_questions. Any number of threads.
struct Questions {
    std::atomic<std::size_t> left = 0;
    const ToolContext* context = nullptr; ///< McpQuestion::context
    /// Whether one more may be asked.
    [[nodiscard]] bool take() {
        for (std::size_t known = left; known > 0;)
            if (left.compare_exchange_weak(known, known - 1)) return true;
        return false;
    }
};

/// What the server says by itself.
struct Listener {
    /// A request of the server: what is answered, a line of JSON. On a thread that waits for an answer; `questions` are
    /// those of the call that it waits for.
    std::function<std::string(const Message& request, Questions& questions)> answer;
    std::function<void(const Message& notification)> hear; ///< on any thread; must not wait
};

/// May be used by several threads at once.
class Transport {
public:
    virtual ~Transport() = default;
    /// Starts or prepares it; nothing when it is open.
    virtual std::optional<Failure> open() = 0;
    /// What takes its time before the first message.
    virtual std::optional<Failure> prepare(const CallTerms&) { return std::nullopt; }
    virtual bool is_open() = 0;
    virtual Answer request(const Outgoing& request, const CallTerms& terms) = 0;
    virtual std::optional<Failure> notify(std::string_view method, const Datum& params) = 0;
    /// What messages are to say; a session that there was is over.
    virtual void set_revision(std::optional<Revision> revision) = 0;
    /// What `initialize` came to: the session goes on with it.
    virtual void agree(Revision revision) = 0;
    virtual void close() = 0;
};

std::unique_ptr<Transport> make_stdio_transport(const McpServer& server, Listener listener);
/// `authorizer` may be null.
class Authorizer;
std::unique_ptr<Transport> make_http_transport(const McpServer& server, Listener listener,
                                               std::shared_ptr<Authorizer> authorizer);

/// Of everything that a server sends in one piece, and of what it sends between two answers.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxReadBytes = std::size_t{512} << 20; ///< that a message takes once it is read
inline constexpr std::size_t kMaxUnansweredBytes = std::size_t{128} << 20;
inline MessageLimits message_limits() {
    return {.max_bytes = kMaxMessageBytes, .reading = {.max_bytes = kMaxReadBytes}};
}
/// Of an answer whose list of tools goes apart.
inline MessageLimits listing_limits() {
    MessageLimits limits = message_limits();
    limits.cuts_depth = true;
    limits.list_apart = "tools";
    return limits;
}

} // namespace ptc::mcp
