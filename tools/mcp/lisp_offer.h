// What `ptcc mcp` offers: programs run, checked and explained, the language described, the data and tools that programs
// have.
#pragma once
#include "ptc/mcp_client.h"
#include "ptc/ptc.h"
#include "tools/mcp/lisp_sessions.h"
#include "tools/mcp/offer.h"
#include "tools/mcp/seal.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ptc::mcp {

struct LispOptions {
    std::vector<Tool> tools{};
    std::vector<std::shared_ptr<const DataSet>> data{};
    std::vector<PreludeSource> preludes{};
    Limits limits{};             ///< of each call; calls may ask for less
    std::string approve = "ask"; ///< never, always, or ask: of tools that need approval
    std::size_t max_sessions = 1000;
    std::size_t max_session_bytes = std::size_t{8} << 20; ///< of one, between calls
    std::size_t max_sessions_bytes = std::size_t{256} << 20;
    std::chrono::milliseconds session_idle{3'600'000};
    std::string key_file{}; ///< of what clients keep; "": of this process
    std::chrono::milliseconds approval_lifetime{900'000};
    std::size_t max_state_bytes = std::size_t{4} << 20;   ///< of a program that waits, with its client
    std::size_t max_message_bytes = std::size_t{8} << 20; ///< of a client; in one the state comes back
    std::string tools_digest{};                           ///< of what `tools` do: a program that waits needs the same
    /// Of an answer: its value as text or its error, the value as JSON, what was printed, warnings and tool calls,
    /// each.
    std::size_t max_result_bytes = std::size_t{1} << 20;
};

/// How far a run is, for its client: each step is one more. RunOptions::host_value of a run is one, by which tools tell
/// of their calls, on any thread; what comes after `end` is passed over.
class RunSteps {
public:
    explicit RunSteps(Call& call) : call_(&call) {}
    void step(std::string_view message);
    void called(const std::string& tool);
    /// Around each call of a tool, which may wait for others as long as it likes.
    void begin_tool();
    void end_tool();
    /// What an upstream server asks of its user goes to the client of this call. Declined, and told to the client,
    /// where it cannot be asked: it has no `elicitation`, or takes questions by answers to its requests alone.
    Result<Datum> ask(const std::string& server, const Datum& question);
    /// Waits for questions that are open, and for who comes back from a tool.
    void end();

private:
    [[nodiscard]] std::variant<Datum, RpcError> ask_client(const Datum& question);
    void end_use();

    std::mutex mutex_;
    std::condition_variable wakes_;
    std::size_t uses_ = 0;  ///< of the call, without the lock: it is needed
    std::size_t tools_ = 0; ///< that are being called
    Call* call_;
    double steps_ = 0;
};
using RunStepsPtr = std::shared_ptr<RunSteps>;

/// What all calls share.
struct LispHost {
    LispHost(LispOptions given, std::shared_ptr<Seal> key, std::shared_ptr<LispSessions> known);
    const LispOptions options;
    const std::shared_ptr<Seal> seal;
    const Engine engine;
    const std::shared_ptr<LispSessions> sessions;
    const std::string identity; ///< of tools, preludes and data: a program that waits needs the same
};

/// invalid_request: tools or preludes that do not hold, or a key that cannot be had.
Result<std::shared_ptr<LispHost>> lisp_host(LispOptions options);
/// The same with other tools, for calls that begin from now on: it shares sessions and key with `before`. A program
/// that waits for an approval is refused when a tool is another one; it can be run again, and is asked about anew.
Result<std::shared_ptr<LispHost>> with_tools(const LispHost& before, std::vector<Tool> tools);
/// The host outlives the offer.
Offer lisp_offer(const std::shared_ptr<LispHost>& host);

/// Whether the client has forms for its user.
[[nodiscard]] bool can_be_asked(const Call& call);
/// Answers questions of upstream servers by the client in whose call they are asked (McpOptions::elicit).
Result<Datum> forward_question(const McpQuestion& question);

/// The tool `lisp_eval`.
Answer eval_program(LispHost& host, Call& call);

} // namespace ptc::mcp
