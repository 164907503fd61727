// What a client hears while its program runs, and what it is asked meanwhile. Tools are called on threads that may
// outlive the call of a client that has gone: behind `end` nothing touches it.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "tools/mcp/lisp_offer.h"
#include "tools/trace/event_text.h"
#include <utility>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostQuestion = 4000;                ///< bytes of what an upstream server asks
constexpr std::size_t kMostSchema = std::size_t{64} << 10; ///< and of the form for the answer, as JSON

/// Of a form that a person reads: its texts, with what nobody sees spelled out. Names, and values that answers are made
/// of, have to stay as they are: of those that would not, none is to be shown.
Result<Datum> shown(const Datum& form, bool is_text) {
    if (const std::string* text = form.text()) {
        std::string seen = spelled_out(*text);
        if (!is_text && seen != *text)
            return Error(Reason::InvalidRequest,
                         "its form has " + quoted_excerpt(seen, 100) + ", which nobody could see");
        return Datum(std::move(seen));
    }
    if (form.list()) {
        Datum::List items;
        for (const Datum& item : form.items())
            items.push_back(PTC_TRY(shown(item, is_text)));
        return Datum(std::move(items));
    }
    if (!form.map()) return form;
    Datum::Map members;
    for (const auto& [key, value] : form.entries()) {
        (void)PTC_TRY(shown(key, false));
        const bool is_told = key == Datum("title") || key == Datum("description") || key == Datum("enumNames");
        members.emplace_back(key, PTC_TRY(shown(value, is_told)));
    }
    return Datum(std::move(members));
}

/// `requestedSchema` of a question, as a client may have it.
Result<Datum> shown_form(const Datum& question) {
    const Datum* schema = question.find("requestedSchema");
    if (!schema) return Datum::object({{"type", "object"}, {"properties", Datum(Datum::Map())}});
    if (!schema->map()) return Error(Reason::InvalidRequest, "its form, `requestedSchema`, is no object");
    if (const std::size_t bytes = schema->to_json().size(); bytes > kMostSchema)
        return Error(Reason::InvalidRequest,
                     "its form has " + std::to_string(bytes) + " bytes, and may have " + std::to_string(kMostSchema));
    return shown(*schema, false);
}

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
    const std::string text =
        "The MCP server " + quoted_excerpt(server) + " asks" +
        (said ? ": " + spelled_out(utf8::prefix(*said, kMostQuestion)) : std::string(", and does not say what for."));
    // Who asks is for the user to know, whatever else the question has or lacks.
    const bool is_page = question["mode"] == Datum("url");
    Result<Datum> form = is_page ? Result<Datum>(Datum()) : shown_form(question);
    std::variant<Datum, RpcError> answer = rpc_error(ErrorCode::InvalidParams, form.ok() ? "" : form.error().message);
    if (form.ok()) {
        Datum::Map asked;
        if (question.find("mode")) asked.emplace_back(Datum("mode"), Datum(is_page ? "url" : "form"));
        asked.emplace_back(Datum("message"), Datum(text));
        asked.emplace_back(Datum("requestedSchema"), std::move(form).value());
        answer = ask_client(Datum(std::move(asked)));
    }
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
