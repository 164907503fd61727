// What a server of the Model Context Protocol offers: tools, resources and prompts, as rows. `ptcc mcp` has one
// (lisp_offer.h), the fixture of the conformance suite another.
#pragma once
#include "subagent/mcp/message.h"
#include "tools/mcp/pool.h"
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptc::mcp {

/// What a request is answered with: JSON of an object, or an error.
struct Answer {
    std::string json{};
    std::optional<RpcError> error{};
    /// It asks for something first (2026-07-28): `inputRequests` and `requestState` are in it.
    bool is_input_required = false;
};
inline Answer answer(const Datum& result) { return {.json = result.to_json()}; }
inline Answer failure(RpcError error) { return {.error = std::move(error)}; }
/// Of a tool, with one text: what went wrong when `is_error`.
Answer text_answer(std::string_view text, bool is_error = false);

/// One request that is being answered, on a thread of its own. What it sends goes before its answer.
class Call {
public:
    virtual ~Call() = default;
    [[nodiscard]] virtual const Message& request() const = 0;
    [[nodiscard]] virtual Revision revision() const = 0;
    /// What the client can do: a map, or nil.
    [[nodiscard]] virtual const Datum& capabilities() const = 0;
    /// Whom the transport knows the client to be; "" where it cannot know.
    [[nodiscard]] virtual const std::string& principal() const = 0;
    /// Of whom it counts where clients share something.
    [[nodiscard]] virtual const ClientName& client() const = 0;
    /// Stops when the answer is not wanted any more.
    [[nodiscard]] virtual std::stop_token stop() const = 0;
    /// For clients that asked for it, by a token. `total` is negative where it is not known.
    virtual void progress(double progress, double total, std::string_view message) = 0;
    /// For clients that want messages of this level.
    virtual void log(std::string_view level, const Datum& data) = 0;
    /// From `does` to the same without it, it waits for somebody outside: other calls may begin in its place. Behind it
    /// the call waits until as few others are at work as may be, or it is stopped.
    virtual void stand_still(bool does) = 0;
    /// Asks the client, and waits for its answer: sessions only, by revisions before 2026-07-28.
    virtual std::variant<Datum, RpcError> ask(Method method, const Datum& params) = 0;

    /// An empty object when there are none.
    [[nodiscard]] const Datum& arguments() const {
        static const Datum none{Datum::Map()};
        const Datum& given = request().params["arguments"];
        return given.is_nil() ? none : given;
    }
    /// What the client answers to a request of an earlier answer with `is_input_required`; nil when it does not.
    [[nodiscard]] const Datum& input_response(std::string_view key) const {
        return request().params["inputResponses"][key];
    }
    [[nodiscard]] bool is_stateless() const { return mcp::is_stateless(revision()); }
};

using Handler = std::function<Answer(Call&)>;

struct OfferedTool {
    std::string name;
    std::string json; ///< its entry in tools/list
    Handler call;
    std::string input_schema{}; ///< where it wants arguments in headers, too (`x-mcp-header`)
};
struct OfferedResource {
    std::string uri;
    std::string json;
    Handler read;
};
struct OfferedTemplate {
    std::string json;
    /// None: the URI is none of the template's.
    std::function<std::optional<Answer>(Call&, const std::string& uri)> read;
};
struct OfferedPrompt {
    std::string name;
    std::string json;
    Handler get;
};

struct Offer {
    std::string name;
    std::string title;
    std::string version;
    std::string instructions{};
    std::vector<OfferedTool> tools{};
    std::vector<OfferedResource> resources{};
    std::vector<OfferedTemplate> templates{};
    std::vector<OfferedPrompt> prompts{};
    Handler complete{}; ///< empty: nothing is completed
    /// Called before a request is carried out, by what is offered then. It may wait (Call::stand_still).
    std::function<void(Call&)> settle{};
    bool can_change = false;         ///< lists change while the server runs (Server::changed)
    bool can_update = false;         ///< resources can be subscribed to (Server::updated)
    std::int64_t ttl_ms = 3'600'000; ///< how long lists may be kept
};

} // namespace ptc::mcp
