// The tool `lisp_eval`. A program runs in a session of its own, or in one that the client has a handle of. Where it
// calls a tool that needs approval it is suspended, and the client is asked: by a request of its own and while a thread
// waits (revisions with sessions), or by the answer to its request (2026-07-28). Then the suspended session is in that
// answer, as bytes, sealed and bound to this client, these arguments and these tools: any process with the key goes on
// from there when the client repeats its request with what the user said. A sealed state is noted as used before a call
// is made that it allows, so that no call is made twice, whatever happens.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/tool_calls.h"
#include "subagent/mcp/digest.h"
#include "tools/batch.h"
#include "tools/mcp/lisp_parts.h"
#include "tools/members.h"
#include "tools/outcome_json.h"
#include "tools/request_reading.h"
#include "tools/run_options.h"
#include "tools/trace/event_text.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

constexpr std::size_t kShownArguments = 4000; ///< bytes of what is asked about
constexpr std::size_t kMostQuestions = 100;   ///< about calls that wait at once: a person is to read them

/// What a call asks for.
struct Request {
    std::string source;
    std::string session; ///< "", "new" or a handle
    RunOptions options;
};

Result<Limits> limits_of(const Datum& given, const Limits& most) {
    Limits limits = most;
    if (given.is_nil()) return limits;
    PTC_CHECK(read_limits(given, &limits));
    const Datum asked = limits_as_data(limits), allowed = limits_as_data(most);
    for (const auto& [name, value] : asked.entries()) {
        std::int64_t wanted = 0, there = 0;
        if (value.to_int64(&wanted) && allowed[*name.text()].to_int64(&there) && wanted > there)
            return invalid_request("`limits` may lower limits only: `" + *name.text() + "` is at most " +
                                   std::to_string(there) + ".");
    }
    return limits;
}

Result<Request> read(const Datum& arguments, const LispOptions& options) {
    constexpr std::string_view kMembers[] = {"source", "context", "signature", "limits", "session"};
    PTC_CHECK(check_members(arguments, kMembers, "the arguments"));
    Request request;
    if (!arguments["source"].text()) return invalid_request("`source` is the program, a text.");
    request.source = *arguments["source"].text();
    request.session = PTC_TRY(session_of(arguments));
    if (auto context = PTC_TRY(context_of(arguments))) request.options.data.push_back(std::move(context));
    request.options.data.insert(request.options.data.end(), options.data.begin(), options.data.end());
    if (const Datum& signature = arguments["signature"]; !signature.is_nil()) {
        if (!signature.text()) return invalid_request("`signature` is a text.");
        request.options.signature = PTC_TRY(compile_signature(*signature.text()));
    }
    request.options.limits = PTC_TRY(limits_of(arguments["limits"], options.limits));
    request.options.want_json = true;
    return request;
}

// ---- Answers

std::string told(const Error& error, const Source& source) {
    std::string text = std::string(reason_name(error.reason)) + ": " + error.message;
    if (error.has_span) {
        const LineColumn at = source.position(error.span.begin);
        text += " (line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ")";
    }
    if (!error.hint.empty()) text += "\nhint: " + error.hint;
    return text;
}

/// For a reader: what was printed, then the value or why there is none, then what may not be meant.
std::string outcome_text(const Outcome& outcome, const Source& source) {
    constexpr std::size_t kMostWarnings = 5; // structured content has all of them
    std::string text;
    for (const std::string& line : outcome.prints)
        text += line + "\n";
    if (outcome.error)
        text += told(*outcome.error, source);
    else
        text += (outcome.kind == Outcome::Kind::Fail ? "failed: " : "") + outcome.value;
    for (std::size_t i = 0; i < std::min(outcome.warnings.size(), kMostWarnings); ++i)
        text += "\nwarning: " + told(outcome.warnings[i].error, source);
    return text;
}

/// How many of `items` have `most` bytes together.
template <class Items, class Size> std::size_t count_within(const Items& items, std::size_t most, Size size) {
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < items.size(); ++count) {
        bytes += size(items[count]);
        if (bytes > most) break;
    }
    return count;
}

/// Leaves out what is beyond `most` bytes, and says so; "" when nothing is.
std::string shorten(Outcome& outcome, std::size_t most, bool has_session) {
    std::string note;
    const auto cut = [&note, most](std::string& text, const char* what) {
        if (text.size() <= most) return;
        note += "The " + std::string(what) + " has " + std::to_string(text.size()) + " bytes; its beginning is shown. ";
        text = std::string(utf8::prefix(text, most)) + "…";
    };
    cut(outcome.value, "value");
    if (outcome.json && outcome.json->size() > most) {
        note += "As JSON it has " + std::to_string(outcome.json->size()) + " bytes and is left out. ";
        outcome.json.reset();
    }
    if (outcome.error) cut(outcome.error->message, "message of the error"), cut(outcome.error->hint, "hint");
    const std::size_t warnings = count_within(outcome.warnings, most, [](const Diagnostic& warning) {
        return warning.error.message.size() + warning.error.hint.size();
    });
    const std::size_t lines = count_within(outcome.prints, most, [](const auto& line) { return line.size(); });
    const std::size_t calls = count_within(outcome.tool_calls, most, [](const ToolRecord& call) {
        return call.arguments_json.size() + call.result_json.size();
    });
    const auto left_out = [&note](std::size_t all, std::size_t kept, const char* what) {
        if (kept < all)
            note += std::to_string(all - kept) + " of " + std::to_string(all) + " " + what + " are left out. ";
    };
    left_out(outcome.warnings.size(), warnings, "warnings");
    outcome.warnings.erase(outcome.warnings.begin() + static_cast<std::ptrdiff_t>(warnings), outcome.warnings.end());
    left_out(outcome.prints.size(), lines, "printed lines");
    left_out(outcome.tool_calls.size(), calls, "tool calls");
    outcome.prints.resize(lines);
    outcome.tool_calls.resize(calls);
    if (note.empty()) return note;
    if (outcome.error) return note.substr(0, note.size() - 1); // there is no value to look at
    return note + "Return less: (count v), (take 20 (drop 40 v)), (map :name v)" +
           (has_session ? "; *1 is all of the value."
                        : "; with \"session\": \"new\" the next call has all of it as *1.");
}

Answer outcome_answer(Outcome outcome, const Source& source, const std::string& session, std::size_t most) {
    const std::string note = shorten(outcome, most, !session.empty());
    JsonObject members;
    add_outcome(members, outcome, source, "");
    if (!session.empty()) members.text("session", session);
    if (!note.empty()) members.text("note", note);
    const std::string text = outcome_text(outcome, source) + (note.empty() ? "" : "\n" + note);
    JsonObject json;
    json.raw("content", "[" + JsonObject().text("type", "text").text("text", text).finish() + "]");
    json.raw("structuredContent", members.finish());
    if (!outcome.ok()) json.boolean("isError", true);
    return {.json = json.finish()};
}

/// A call that was never a run: an outcome all the same, so that its form is the one that is promised.
Answer refusal(Error error) {
    Outcome outcome;
    outcome.kind = Outcome::Kind::Error;
    outcome.error = std::move(error);
    return outcome_answer(std::move(outcome), Source(), "", SIZE_MAX);
}

// ---- Approval

/// What somebody said about one call; none when nothing was said that could be understood.
struct Decision {
    bool is_approved = false;
    std::string reason{};
};

std::optional<Decision> read_decision(const Datum& response) {
    const std::string* action = response["action"].text();
    if (!action) return std::nullopt;
    const std::string* given = response["content"]["reason"].text();
    const std::string reason(utf8::prefix(given ? *given : "", 1000));
    if (*action != "accept") return Decision{false, reason.empty() ? "The user said no." : reason};
    const auto* approves = response["content"]["approve"].get_if<bool>();
    if (!approves) return std::nullopt;
    return Decision{*approves, reason.empty() ? "The user said no." : reason};
}

Datum approval_request(const Session& session, const Suspended& waiting, std::size_t index) {
    const ToolCall& call = waiting.calls[index];
    const std::string arguments = call.arguments.to_json();
    std::string text =
        "A program wants to call `" + call.name + "` with " + std::string(utf8::prefix(arguments, kShownArguments));
    if (arguments.size() > kShownArguments)
        text += "… (cut here: " + std::to_string(arguments.size() - kShownArguments) + " of " +
                std::to_string(arguments.size()) + " bytes are not shown)";
    if (const auto at = session.call_position(index)) text += ", in its line " + std::to_string(at->line);
    const Datum properties = Datum::object(
        {{"approve", Datum::object({{"type", "boolean"}, {"title", "Approve"}, {"description", "Make this call"}})},
         {"reason", Datum::object({{"type", "string"},
                                   {"title", "Reason"},
                                   {"description", "Why not: the program and the model read it"}})}});
    const Datum schema =
        Datum::object({{"type", "object"}, {"properties", properties}, {"required", Datum::texts({"approve"})}});
    return Datum::object({{"message", spelled_out(text) + "."}, {"requestedSchema", schema}});
}

std::string response_key(std::size_t index) { return "approve-" + std::to_string(index + 1); }

/// One run of a program, from its start or from where it waits.
class Run {
public:
    Run(LispHost& host, Call& call, Request request)
        : host_(host), call_(call), request_(std::move(request)), source_("program", request_.source) {
        request_.options.on_print = [this](std::string_view line) { steps_->step(line); };
        request_.options.host_value = steps_;
        request_.options.stop = call_.stop();
    }
    ~Run() {
        steps_->end();
        if (kept_) host_.sessions->forget_asleep(*kept_);
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    Answer start() {
        if (Result<void> given = take_session(); !given.ok()) return refusal(*given.take_error());
        return drive([this] { return session().start(request_.source, request_.options); });
    }
    Answer go_on(const std::string& state) {
        Result<std::vector<ToolAnswer>> answers = reopen(state);
        if (waits_still_) return std::move(*waits_still_);
        if (!answers.ok()) return failure(rpc_error(ErrorCode::InvalidParams, answers.error().message));
        return drive([this, &answers] { return session().resume(std::move(answers).value()); });
    }

private:
    [[nodiscard]] Session& session() { return *session_; }
    [[nodiscard]] std::string handle() const { return kept_ ? kept_->handle : ""; }

    Result<void> hold(LispSessionPtr kept) {
        held_ = std::unique_lock(kept->busy, std::try_to_lock);
        if (!held_.owns_lock()) return invalid_request("The session is at work for another call.");
        kept_ = std::move(kept);
        return {};
    }
    Result<void> take_session() {
        session_ = std::make_unique<Session>(host_.engine);
        if (request_.session.empty()) return {};
        const bool is_new = request_.session == "new";
        Result<LispSessionPtr> kept = is_new ? host_.sessions->open(call_.principal(), call_.client())
                                             : host_.sessions->find(request_.session, call_.principal());
        if (!kept.ok()) return kept.take_error();
        PTC_CHECK(hold(std::move(kept).value()));
        if (kept_->bytes.empty()) return {};
        session_ = PTC_TRY(Session::restore(host_.engine, kept_->bytes,
                                            {.data = host_.options.data, .limits = request_.options.limits}));
        return {};
    }

    /// Runs to the end, or to where the client has to be asked and cannot be waited for.
    template <class Begin> Answer drive(Begin begin) {
        const std::stop_callback interrupt(call_.stop(), [this] { session().interrupt(); });
        RunState state = begin();
        while (const auto* waiting = std::get_if<Suspended>(&state)) {
            const bool asks = host_.options.approve == "ask" && can_be_asked(call_);
            if (asks && call_.is_stateless()) return suspend(*waiting);
            std::vector<ToolAnswer> answers;
            for (std::size_t i = 0; i < waiting->calls.size(); ++i) {
                const bool asks_it = asks && find_tool(waiting->calls[i].name);
                answers.push_back(answer(waiting->calls[i], !asks_it              ? decided()
                                                            : i >= kMostQuestions ? not_asked()
                                                                                  : ask(*waiting, i)));
            }
            state = session().resume(std::move(answers));
        }
        Outcome& outcome = std::get<Outcome>(state);
        if (kept_ && (outcome.ok() || kept_->is_asleep)) keep(outcome); // a run that failed is undone
        return outcome_answer(std::move(outcome), source_, handle(), host_.options.max_result_bytes);
    }
    /// The session as it is now; where it has grown too large it stays as it was, and the run has failed.
    void keep(Outcome& outcome) {
        Result<std::string> saved = session().save(host_.options.data);
        const std::size_t most = host_.options.max_session_bytes;
        if (saved.ok() && saved.value().size() > most)
            saved = Error(Reason::LimitExceeded, "The session would have " + std::to_string(saved.value().size()) +
                                                     " bytes, more than the limit of " + std::to_string(most) + ".")
                        .with_hint("Define summaries, not the data itself.");
        if (saved.ok()) return host_.sessions->keep(*kept_, std::move(saved).value(), outcome.ok());
        if (!outcome.ok()) return;
        outcome.kind = Outcome::Kind::Error;
        outcome.error = std::move(saved.error());
    }
    /// Null for one that its server has taken away since a function was defined that calls it.
    [[nodiscard]] const Tool* find_tool(const std::string& name) const {
        const auto tool = std::ranges::find(host_.options.tools, name, &Tool::name);
        return tool == host_.options.tools.end() ? nullptr : &*tool;
    }
    /// Where nobody is asked.
    [[nodiscard]] Decision decided() const {
        if (host_.options.approve == "always") return {true};
        if (host_.options.approve == "never") return {false, "This server approves no calls."};
        return {false, "The client cannot ask its user: it declares no `elicitation`."};
    }
    static Decision not_asked() {
        return {false, "Nobody is asked about more than " + std::to_string(kMostQuestions) +
                           " calls at once. Make fewer of them side by side."};
    }
    Decision ask(const Suspended& waiting, std::size_t index) {
        std::variant<Datum, RpcError> given = call_.ask(Method::Elicit, approval_request(session(), waiting, index));
        if (const auto* error = std::get_if<RpcError>(&given)) return {false, "Nobody answered: " + error->message};
        const std::optional<Decision> decision = read_decision(std::get<Datum>(given));
        return decision ? *decision : Decision{false, "The answer of the client cannot be understood."};
    }
    /// Of a call that was approved: it has the time of a program anew, as nobody knows how long a user thinks.
    [[nodiscard]] ToolContext approved_context() const {
        ToolContext context{.stop = call_.stop()};
        const auto timeout = request_.options.limits->timeout;
        if (timeout.count() > 0) context.deadline = std::chrono::steady_clock::now() + timeout;
        return context;
    }
    ToolAnswer answer(const ToolCall& made, const Decision& decision) {
        if (call_.stop().stop_requested()) return Error(Reason::ApprovalDenied, "The call was cancelled.");
        const Tool* const tool = find_tool(made.name);
        if (!tool) return Error(Reason::ToolError, "It is not there any more.");
        if (!decision.is_approved) return Error(Reason::ApprovalDenied, decision.reason);
        steps_->begin_tool();
        Result<Datum> given = call_tool(*tool, made.arguments, approved_context());
        steps_->end_tool();
        steps_->called(made.name);
        if (!given.ok()) return std::move(given.error());
        return std::move(given).value();
    }

    // What a suspended run is, in a client's hands.

    static std::string length_and(const std::string& text) {
        std::string out = std::to_string(text.size());
        return out.append(":").append(text);
    }
    /// For whom, and for what. Where the transport knows nobody, a client is what it calls itself: that keeps apart
    /// those that mean no harm.
    [[nodiscard]] std::string binding() const {
        const Datum* client = call_.request().meta(kMetaClient);
        std::string bound = length_and(call_.principal());
        if (client) bound += "client " + length_and(text_of(*client, "name"));
        return bound + host_.identity + call_.arguments().to_json();
    }
    Answer suspend(const Suspended& waiting) {
        Result<std::string> saved = session().save();
        const std::uint64_t version = kept_ ? kept_->version : 0;
        if (saved.ok() && saved.value().size() > host_.options.max_state_bytes)
            saved = invalid_request("The program's state is too large to wait for an approval: " +
                                    std::to_string(saved.value().size()) + " bytes.");
        const std::vector<Datum> requests = requests_of(waiting);
        if (!saved.ok()) return refusal(std::move(saved.error()));
        const std::string head =
            JsonObject().text("session", handle()).number("version", static_cast<std::int64_t>(version)).finish();
        Result<std::string> state = host_.seal->close(head + "\n" + saved.value(), binding());
        // It comes back in one message with the arguments.
        constexpr std::size_t kRest = 16'384;
        const std::size_t bytes = state.ok() ? state.value().size() + call_.arguments().to_json().size() + kRest : 0;
        if (bytes > host_.options.max_message_bytes)
            state = invalid_request("The program's state is too large to come back in one message of at most " +
                                    std::to_string(host_.options.max_message_bytes) + " bytes.");
        if (!state.ok()) return refusal(std::move(state.error()));
        return input_required(requests, state.value());
    }
    std::vector<Datum> requests_of(const Suspended& waiting) {
        std::vector<Datum> requests;
        for (std::size_t i = 0; i < std::min(kMostQuestions, waiting.calls.size()); ++i)
            requests.push_back(approval_request(session(), waiting, i));
        return requests;
    }
    static Answer input_required(const std::vector<Datum>& requests, const std::string& state) {
        JsonObject inputs;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Datum::Map params = requests[i].entries();
            params.emplace(params.begin(), "mode", "form");
            inputs.raw(response_key(i), JsonObject()
                                            .text("method", method_text(Method::Elicit))
                                            .raw("params", Datum(std::move(params)).to_json())
                                            .finish());
        }
        return {.json = JsonObject().raw("inputRequests", inputs.finish()).text("requestState", state).finish(),
                .is_input_required = true};
    }
    /// The run where it waits, with what is to be said to it. When not all was answered, `waits_still_` asks again.
    Result<std::vector<ToolAnswer>> reopen(const std::string& state) {
        const Seal::Opened opened = PTC_TRY(host_.seal->open(state, binding()));
        const std::size_t end = opened.bytes.find('\n');
        if (end == std::string::npos) return invalid_request("The `requestState` is none of this server's.");
        const Datum head = PTC_TRY(Datum::from_json(std::string_view(opened.bytes).substr(0, end)));
        const std::string kept = text_of(head, "session");
        const auto version = static_cast<std::uint64_t>(integer_of(head, "version"));
        if (!kept.empty())
            PTC_CHECK(hold(PTC_TRY(host_.sessions->revive(kept, call_.principal(), call_.client(), version))));
        std::unique_ptr<Session> restored =
            PTC_TRY(Session::restore(host_.engine, std::string_view(opened.bytes).substr(end + 1), request_.options));
        const std::optional<Suspended> waiting = restored->waiting();
        if (!waiting) return invalid_request("The `requestState` waits for nothing.");
        std::vector<Decision> decisions;
        for (std::size_t i = 0; i < waiting->calls.size(); ++i) {
            const std::optional<Decision> decision =
                i >= kMostQuestions ? not_asked() : read_decision(call_.input_response(response_key(i)));
            if (decision) decisions.push_back(*decision);
        }
        session_ = std::move(restored);
        if (decisions.size() < waiting->calls.size()) {
            waits_still_ = input_required(requests_of(*waiting), state);
            return std::vector<ToolAnswer>();
        }
        PTC_CHECK(host_.seal->spend(opened));
        std::vector<ToolAnswer> answers;
        for (std::size_t i = 0; i < waiting->calls.size(); ++i)
            answers.push_back(answer(waiting->calls[i], decisions[i]));
        return answers;
    }

    LispHost& host_;
    Call& call_;
    Request request_;
    const Source source_;
    std::unique_ptr<Session> session_;
    LispSessionPtr kept_;
    std::unique_lock<std::mutex> held_;
    std::optional<Answer> waits_still_;
    const RunStepsPtr steps_ = std::make_shared<RunSteps>(call_);
};

} // namespace

Result<std::shared_ptr<const DataSet>> context_of(const Datum& arguments) {
    const Datum& context = arguments["context"];
    if (context.is_nil()) return std::shared_ptr<const DataSet>();
    if (!context.map()) return invalid_request("`context` is an object: data/NAME reads its member NAME.");
    const std::string json = context.to_json();
    const ImportScope reading(request_reading(json.size()));
    return DataSet::from_json(json);
}

Result<std::string> session_of(const Datum& arguments) {
    const Datum& session = arguments["session"];
    if (session.is_nil()) return std::string();
    if (!session.text()) return invalid_request("`session` is a text: \"new\", or what a call before gave.");
    return *session.text();
}

Answer eval_program(LispHost& host, Call& call) {
    Result<Request> request = read(call.arguments(), host.options);
    if (!request.ok()) return refusal(std::move(request.error()));
    Run run(host, call, std::move(request).value());
    const Datum& state = call.request().params["requestState"];
    if (!state.is_nil() && (!state.text() || !call.is_stateless()))
        return failure(rpc_error(ErrorCode::InvalidParams, "`requestState` is what an answer gave."));
    return state.text() ? run.go_on(*state.text()) : run.start();
}

} // namespace ptc::mcp
