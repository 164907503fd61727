// What a client hears while its program runs, and what it is asked meanwhile. Tools are called on threads that may
// outlive the call of a client that has gone: behind `end` nothing touches it.
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "tools/mcp/lisp_offer.h"
#include "tools/trace/event_text.h"
#include <utility>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostQuestion = 4000; ///< bytes of what an upstream server asks

} // namespace

void RunSteps::step(std::string_view message) {
    const std::scoped_lock lock(mutex_);
    if (call_) call_->progress(++steps_, -1, message);
}

void RunSteps::called(const std::string& tool) {
    step("called " + tool);
    const std::scoped_lock lock(mutex_);
    if (call_) call_->log("debug", Datum::object({{"tool", tool}}));
}

void RunSteps::begin_tool() {
    const std::scoped_lock lock(mutex_);
    if (tools_++ == 0 && call_) call_->stand_still(true);
}

void RunSteps::end_tool() {
    Call* call = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        if (--tools_ > 0 || !call_) return;
        call = call_;
        ++uses_;
    }
    call->stand_still(false); // which may have to wait for room
    end_use();
}

void RunSteps::end_use() {
    {
        const std::scoped_lock lock(mutex_);
        --uses_;
    }
    wakes_.notify_all();
}

void RunSteps::end() {
    std::unique_lock lock(mutex_);
    wakes_.wait(lock, [this] { return uses_ == 0; });
    Call* const call = std::exchange(call_, nullptr);
    const bool is_in_tool = tools_ > 0; // one that nobody waits for any more
    lock.unlock();
    if (call && is_in_tool) call->stand_still(false);
}

std::variant<Datum, RpcError> RunSteps::ask_client(const Datum& question) {
    Call* call = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        if (!call_) return rpc_error(ErrorCode::InternalError, "The call is over.");
        if (question["mode"] == Datum("url") || !can_be_asked(*call_))
            return rpc_error(ErrorCode::MissingCapability, "the client has no forms for its user");
        if (call_->is_stateless())
            return rpc_error(ErrorCode::MissingCapability, "a client of this revision is asked between calls alone");
        call = call_;
        ++uses_;
    }
    std::variant<Datum, RpcError> answer = call->ask(Method::Elicit, question);
    end_use();
    return answer;
}

Result<Datum> RunSteps::ask(const std::string& server, const Datum& question) {
    const std::string* said = question["message"].text();
    const std::string text = "The MCP server " + quoted_excerpt(server) +
                             " asks: " + spelled_out(utf8::prefix(said ? *said : "", kMostQuestion));
    Datum::Map asked; // who asks is for the user to know
    for (const auto& [key, value] : question.entries())
        asked.emplace_back(key, key == Datum("message") ? Datum(text) : value);
    std::variant<Datum, RpcError> answer = ask_client(Datum(std::move(asked)));
    if (auto* given = std::get_if<Datum>(&answer)) return std::move(*given);
    const auto& error = std::get<RpcError>(answer);
    const std::scoped_lock lock(mutex_);
    if (call_) call_->log("warning", Datum(text + " It is declined: " + error.message + "."));
    return Datum::object({{"action", "decline"}});
}

bool can_be_asked(const Call& call) {
    const Datum& elicitation = call.capabilities()["elicitation"];
    // {} means forms, as does {"form": {}}; {"url": {}} alone does not.
    return elicitation.map() && (elicitation.entries().empty() || elicitation["form"].map());
}

Result<Datum> forward_question(const McpQuestion& question) {
    const RunStepsPtr* const steps = question.context ? question.context->host<RunStepsPtr>() : nullptr;
    if (steps && *steps) return (*steps)->ask(question.server, question.request);
    return Datum::object({{"action", "decline"}}); // nobody knows whose client it is for
}

} // namespace ptc::mcp
