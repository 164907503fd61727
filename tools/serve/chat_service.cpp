// Requests to missions. A request takes a free slot (models and data of its own) and a thread, which reads it; the
// mission's text goes out as it arrives where it can be nothing but the answer, else the result is sent at the end. The
// server's thread only judges heads, starts missions and keeps their streams alive; an Answer is what both threads
// share, under its lock.
#include "tools/serve/chat_service.h"
#include "frontend/percent.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "ptc/schema_reader.h"
#include "ptc/trace.h"
#include "subagent/agent/mission_loop.h"
#include "subagent/engine/random_id.h"
#include "tools/serve/http_access.h"
#include "tools/serve/reply_writer.h"
#include "tools/serve/responses_wire.h"
#include "tools/serve/schema_fit.h"
#include <algorithm>
#include <system_error>
#include <thread>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::int64_t unix_seconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

HttpReply error_reply(const WireError& error) {
    HttpReply reply{.status = error.status, .body = error_json(error), .headers = {}};
    // A mission may have had effects, and costs what it costs: clients shall not ask again by themselves.
    if (error.type != "rate_limit_error") reply.headers.emplace_back("x-should-retry", "false");
    if (error.status == 429) reply.headers.emplace_back("Retry-After", "1");
    if (error.status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
}

constexpr std::string_view kChat = "/v1/chat/completions";
constexpr std::string_view kResponses = "/v1/responses";
constexpr std::string_view kModels = "/v1/models";

/// "/v1/models/NAME"
bool names_model(std::string_view path) {
    return path.starts_with(kModels) && path.size() > kModels.size() + 1 && path[kModels.size()] == '/';
}

WireError unknown_model(const std::string& name) {
    return {.status = 404,
            .code = "model_not_found",
            .param = "model",
            .message = "There is no agent `" + std::string(utf8::prefix(name, 100)) + "`: GET /v1/models lists them."};
}

TokenUsage difference(TokenUsage all, const TokenUsage& before) {
    all.input -= before.input;
    all.output -= before.output;
    all.cache_read -= before.cache_read;
    all.cache_creation -= before.cache_creation;
    all.cost_usd -= before.cost_usd;
    return all;
}

/// Whether the client says what form the answer is to have.
bool has_form(const ChatRequest& request) { return request.wants_object || !request.schema_json.empty(); }

/// Length of the longest beginning of `text` that ends with a whole character.
std::size_t whole_characters(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0 && text.size() - end < 4 && utf8::is_continuation(static_cast<unsigned char>(text[end - 1])))
        --end;
    if (end == 0) return text.size();
    const auto lead = static_cast<unsigned char>(text[end - 1]);
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    return end - 1 + size > text.size() ? end - 1 : text.size();
}

} // namespace

/// One reply on its way: as a whole, or as a stream, which begins when there is something to say, so that a mission
/// that fails before has the status of an error. Used by the mission's thread and by `tick`.
class ChatService::Answer {
public:
    Answer(ChatRequest request, bool is_chat, std::shared_ptr<HttpResponder> responder)
        : request_(std::move(request)), responder_(std::move(responder)),
          id_((is_chat ? "chatcmpl-" : "resp_") + random_id(24)) {
        ChatReply head{.id = id_, .model = request_.model, .created = unix_seconds(), .repeated = request_.repeated};
        writer_ = is_chat ? chat_writer(std::move(head), request_.wants_usage) : responses_writer(std::move(head));
    }

    [[nodiscard]] const ChatRequest& request() const { return request_; }
    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] bool is_unwanted() const { return responder_->is_gone() || is_broken_; }

    /// Text of the answer as it arrives.
    void say(std::string_view delta) {
        const std::scoped_lock lock(mutex_);
        if (is_broken_) return;
        pending_ += delta;
        const std::size_t size = whole_characters(pending_);
        if (size == 0) return;
        send_text(std::string_view(pending_).substr(0, size));
        pending_.erase(0, size);
    }
    /// The model is asked again for what was streamed already: that cannot be taken back.
    void note_retry() {
        const std::scoped_lock lock(mutex_);
        if (!said_.empty() || !pending_.empty()) is_broken_ = true;
    }
    void finish(const std::string& content, const TokenUsage& tokens) {
        const std::scoped_lock lock(mutex_);
        is_over_ = true; // nothing to keep alive any more
        if (!request_.is_stream)
            return responder_->reply({.body = writer_->whole(content, tokens), .headers = names()});
        if (!content.starts_with(said_))
            return break_off(
                {.status = 502, .type = "upstream_error", .message = "The answer is another one than its beginning."});
        if (content.size() > said_.size()) send_text(std::string_view(content).substr(said_.size()));
        begin();
        responder_->send(writer_->end(content, tokens));
        responder_->end_stream();
    }
    void fail(const WireError& error) {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
        if (has_begun_) return break_off(error);
        HttpReply reply = error_reply(error);
        for (auto& name : names())
            reply.headers.push_back(std::move(name));
        responder_->reply(std::move(reply));
    }
    /// Stops when the client has gone.
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

    void tick(SteadyClock::time_point now, std::chrono::milliseconds silence) {
        if (is_unwanted()) stop_.request_stop();
        const std::unique_lock lock(mutex_, std::try_to_lock); // who has it is about to say something, maybe much
        if (!lock || !request_.is_stream || is_over_ || now - last_sent_ < silence) return;
        begin();
        responder_->send(std::string(kStreamComment));
        last_sent_ = now;
    }

private:
    /// What the request is called in the client's logs; the first of a mission, as its trace, too.
    [[nodiscard]] HttpHeaders names() const { return {{"x-request-id", id_}}; }
    void begin() {
        if (has_begun_) return;
        has_begun_ = true;
        responder_->begin_stream(names());
        responder_->send(writer_->begin());
    }
    void send_text(std::string_view text) {
        begin();
        said_ += text;
        responder_->send(writer_->text(text));
        last_sent_ = SteadyClock::now();
    }
    void break_off(const WireError& error) {
        begin();
        is_over_ = true;
        responder_->send(writer_->error(error));
        responder_->end_stream();
    }

    const ChatRequest request_;
    const std::shared_ptr<HttpResponder> responder_;
    const std::string id_;
    std::mutex mutex_;
    std::unique_ptr<ReplyWriter> writer_;
    std::string said_;
    std::string pending_; ///< the beginning of a character
    SteadyClock::time_point last_sent_ = SteadyClock::now();
    bool has_begun_ = false;
    bool is_over_ = false;
    std::atomic<bool> is_broken_{false};
    std::stop_source stop_;
    /// At once, also for a tool that works: the next tick may be far.
    const std::stop_callback<std::function<void()>> on_gone_{responder_->gone(),
                                                             [source = stop_]() mutable { source.request_stop(); }};
};

ChatService::ChatService(ChatServiceOptions options)
    : options_(std::move(options)), created_(unix_seconds()), is_taken_(options_.slots.size()) {}
ChatService::~ChatService() = default;

/// Who may ask at all.
std::optional<WireError> ChatService::refusal(const HttpRequest& request) const {
    const auto refused = access_refusal(request, options_.is_loopback, options_.key);
    if (!refused) return std::nullopt;
    return WireError{.status = refused->status,
                     .type = refused->status == 401 ? "authentication_error" : "invalid_request_error",
                     .code = refused->code,
                     .message = refused->message};
}

std::optional<HttpReply> ChatService::judge(const HttpRequest& head) const {
    if (const auto error = refusal(head)) return error_reply(*error);
    const bool is_chat = head.path == kChat || head.path == kResponses;
    if (!is_chat && head.path != kModels && !names_model(head.path)) {
        return error_reply(
            {.status = 404,
             .code = "unknown_url",
             .message = "There is no such path: there are /v1/chat/completions, /v1/responses and /v1/models."});
    }
    const char* method = is_chat ? "POST" : "GET";
    if (head.method == method) return std::nullopt;
    HttpReply reply = error_reply({.status = 405,
                                   .code = "method_not_allowed",
                                   .message = "This path answers " + std::string(method) + " only."});
    reply.headers.emplace_back("Allow", method);
    return reply;
}

void ChatService::handle(HttpRequest request, std::shared_ptr<HttpResponder> responder) {
    if (request.path == kChat || request.path == kResponses) return complete(std::move(request), responder);
    if (request.path == kModels)
        return responder->reply({.body = models_json({options_.name}, created_), .headers = {}});
    const std::string name = percent_decoded(std::string_view(request.path).substr(kModels.size() + 1));
    if (name != options_.name) return responder->reply(error_reply(unknown_model(name)));
    responder->reply({.body = model_json(name, created_), .headers = {}});
}

/// Takes a slot and a thread; the server's own does no work that grows with the body.
void ChatService::complete(HttpRequest request, const std::shared_ptr<HttpResponder>& responder) {
    const std::optional<std::size_t> slot = take_slot();
    if (!slot)
        return responder->reply(error_reply({.status = 429,
                                             .type = "rate_limit_error",
                                             .code = "too_many_missions",
                                             .message = "As many missions are under way as may be. Try again later."}));
    ++*threads_;
    try {
        std::thread([service = shared_from_this(), threads = threads_, slot = *slot, request = std::move(request),
                     responder = responder]() mutable {
            service->serve(slot, request, responder);
            responder.reset();
            service.reset();
            --*threads; // nothing of ours is used from here on
        }).detach();
    } catch (const std::system_error&) {
        --*threads_;
        free_slot(*slot);
        responder->reply(error_reply(
            {.status = 503, .type = "server_error", .code = "no_thread", .message = "The system has no thread left."}));
    }
}

void ChatService::serve(std::size_t slot, const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) {
    auto chat = read(request);
    if (const auto* error = std::get_if<WireError>(&chat)) {
        free_slot(slot);
        return responder->reply(error_reply(*error));
    }
    const auto answer =
        std::make_shared<Answer>(std::get<ChatRequest>(std::move(chat)), request.path == kChat, responder);
    {
        const std::scoped_lock lock(mutex_);
        std::erase_if(answers_, [](const auto& known) { return known.expired(); });
        answers_.push_back(answer);
    }
    run(slot, answer);
}

/// What the body asks for, if this agent can do it.
std::variant<ChatRequest, WireError> ChatService::read(const HttpRequest& request) const {
    const bool is_chat = request.path == kChat;
    auto read = is_chat ? read_chat_request(request.body) : read_responses_request(request.body);
    const auto* chat = std::get_if<ChatRequest>(&read);
    if (!chat) return read;
    if (chat->model != options_.name) return unknown_model(chat->model);
    const Type& returns = options_.agent->signature().returns;
    const std::string param = is_chat ? "response_format" : "text.format";
    const auto unfit = [&](std::string why) {
        return WireError{.code = "unsupported_parameter", .param = param, .message = std::move(why)};
    };
    const bool is_any = returns.is(TypeKind::Any);
    if (chat->wants_object && !is_any && !returns.is(TypeKind::Record) && !returns.is(TypeKind::Map))
        return unfit("This agent's answers are no JSON objects.");
    if (chat->schema_json.empty()) return read;
    const Result<SchemaReading> schema = read_json_schema(chat->schema_json);
    if (!schema.ok()) return unfit("The schema cannot be read: " + schema.error().message);
    const std::optional<std::string> why = is_any ? std::nullopt : misfit(public_type(returns), schema.value().type);
    if (why)
        return unfit("The schema does not fit this agent's answers, " +
                     quoted_excerpt(type_text(public_type(returns)), 200) + ". " + *why);
    return read;
}

/// Whether what a model says is the answer, or fails: no tools, no programs, and any text fits.
bool ChatService::can_stream_text() const {
    const AgentOptions& agent = options_.agent->options();
    const Type& returns = options_.agent->signature().returns;
    return agent.output == AgentOutput::Text && !agent.transport && agent.tools.empty() &&
           (returns.is(TypeKind::Any) || returns.is(TypeKind::String));
}

/// Opens the trace of a mission, or goes on with it: one mission has one, however many requests it takes. Null without
/// traces, and when it cannot be written.
std::shared_ptr<TraceFile> ChatService::open_trace(const std::string& name, bool is_new) const {
    if (options_.trace_folder.empty()) return nullptr;
    const std::string path = options_.trace_folder + "/" + name + ".jsonl";
    Result<std::shared_ptr<TraceFile>> file = is_new ? TraceFile::create(path) : TraceFile::append(path);
    return file.ok() ? std::move(file).value() : nullptr;
}

/// A new one; or that which waits for the approval that the user's message gives or denies. What cannot go on (with a
/// `response_format` it is another agent's) waits as before.
Result<std::unique_ptr<Mission>> ChatService::begin_mission(const AgentPtr& agent, const ChatRequest& request,
                                                            MissionOptions options, Begun& begun) {
    const std::string token = approval_token(request.history);
    if (token.empty()) {
        begun.trace = open_trace(begun.name, true);
        auto mission = std::make_unique<Mission>(agent, std::move(options));
        mission->start();
        return mission;
    }
    std::optional<WaitingMissions::Mission> saved = waiting_.take(token);
    if (!saved)
        return Error(Reason::InvalidRequest, "The approval was answered before, or waited for too long. Ask anew.");
    begun.name = saved->name;
    begun.trace = open_trace(begun.name, false);
    Result<std::unique_ptr<Mission>> restored = agent->restore(saved->bytes, std::move(options));
    if (!restored.ok()) {
        waiting_.put_back(token, std::move(*saved));
        begun.refusal = "approval_unfit";
    }
    return restored;
}

/// The user's message decides about the first one, when the assistant asked for it; the next one is put into `open`.
Approver ChatService::approver(const ChatRequest& request, std::optional<ApprovalRequest>& open) const {
    if (options_.approve != "ask" || has_form(request)) {
        const bool is_approved = options_.approve == "always";
        const char* why = options_.approve == "ask" ? "an answer of a fixed form cannot ask for it"
                                                    : "nobody is there who could approve it";
        return [is_approved, why](const ApprovalRequest&) {
            return std::optional(is_approved ? ApprovalAnswer::approve() : ApprovalAnswer::deny(why));
        };
    }
    std::optional<ApprovalAnswer> given;
    if (!approval_token(request.history).empty()) given = approval_in(request.message);
    return [given, &open](const ApprovalRequest& asked) mutable {
        std::optional<ApprovalAnswer> answer = std::exchange(given, std::nullopt);
        if (!answer && !open) open = asked;
        return answer;
    };
}

/// The agent; one whose answers may be anything with the type that the client asks for.
Result<AgentPtr> ChatService::agent_for(const ChatRequest& request) const {
    Signature signature = options_.agent->signature();
    if (!signature.returns.is(TypeKind::Any) || !has_form(request)) return options_.agent;
    signature.returns =
        request.wants_object ? Type(TypeKind::Map) : PTC_TRY(read_json_schema(request.schema_json)).type;
    AgentOptions options = options_.agent->options();
    options.signature = signature_text(signature);
    return Agent::create(std::move(options));
}

void ChatService::run(std::size_t slot, const std::shared_ptr<Answer>& answer) {
    const Result<AgentPtr> agent = agent_for(answer->request());
    if (!agent.ok()) {
        free_slot(slot);
        return answer->fail({.code = "unsupported_parameter", .message = agent.error().message});
    }
    if (options_.carry) return run_elsewhere(slot, *agent.value(), *answer);
    MissionOptions mission = options_.slots[slot];
    mission.history = answer->request().history;
    mission.user_message = answer->request().message;
    mission.attachments = answer->request().attachments;
    mission.is_interrupted = [answer] { return answer->is_unwanted(); };
    mission.stop = answer->stop();
    if (answer->request().is_stream && can_stream_text() && !has_form(answer->request()))
        mission.on_text = [answer](std::string_view delta) { answer->say(delta); };
    Begun begun{.name = answer->id()};
    std::string why; // as events have it: without what is firewalled
    mission.on_event = [&](const MissionEvent& event) {
        if (begun.trace) begun.trace->write(event);
        if (event.depth > 0) return;
        if (event.kind == MissionEvent::Kind::LlmRetry) answer->note_retry();
        if (event.kind == MissionEvent::Kind::MissionStop) why = event.message;
    };
    std::optional<ApprovalRequest> open;
    const Approver approve = approver(answer->request(), open);
    Result<std::unique_ptr<Mission>> running =
        begin_mission(agent.value(), answer->request(), std::move(mission), begun);
    if (!running.ok()) {
        free_slot(slot);
        return answer->fail({.status = 409, .code = begun.refusal, .message = running.error().message});
    }
    Mission& at_work = *running.value();
    const TokenUsage before = at_work.step().usage.tokens; // of one that goes on: the client knows them
    run_mission(at_work, *agent.value(), {}, {.approve = approve, .may_wait = true});
    Result<std::string> saved = at_work.is_done() ? Result<std::string>(std::string()) : at_work.save();
    free_slot(slot);
    const Step step = at_work.take_step();
    const TokenUsage tokens = difference(step.usage.tokens, before);
    if (open && saved.ok() && !saved.value().empty())
        return answer->finish(approval_message(*open, waiting_.put({std::move(saved).value(), begun.name})), tokens);
    if (!saved.ok()) return answer->fail(mission_error("server_error", "The mission cannot be kept: it is too large."));
    finish(*answer, step, tokens, why);
}

void ChatService::run_elsewhere(std::size_t slot, const Agent& agent, Answer& answer) {
    const std::optional<Step> step =
        options_.carry(answer.id(), answer.request(), signature_text(agent.signature()),
                       [this, &answer] { return answer.is_unwanted() || SteadyClock::now() >= leave_at_.load(); });
    free_slot(slot);
    if (step) return finish(answer, *step, step->usage.tokens, step->fail ? step->fail->message : "");
    answer.fail({.status = 503,
                 .type = "server_error",
                 .code = "mission_goes_on",
                 .message = "This server is being stopped. The mission `" + answer.id() +
                            "` goes on in the store: `ptcc missions show " + answer.id() + "` has its result."});
}

void ChatService::leave(std::chrono::milliseconds grace) {
    constexpr std::chrono::milliseconds kToAnswer{1'000};
    leave_at_ = SteadyClock::now() + std::max(grace - kToAnswer, std::chrono::milliseconds(0));
}

void ChatService::finish(Answer& answer, const Step& step, const TokenUsage& tokens, const std::string& why) {
    const std::string& schema = answer.request().schema_json;
    if (step.ok)
        answer.finish(schema.empty() ? content_of(step.value) : schema_content_of(step.value, schema), tokens);
    else if (step.fail->details["kind"] == Datum("unsupported_input")) // what the client sent, and no model takes
        answer.fail({.code = "unsupported_content", .message = why});
    else
        answer.fail(mission_error(step.fail->reason, why));
}

std::optional<std::size_t> ChatService::take_slot() {
    const std::scoped_lock lock(mutex_);
    const auto free = std::ranges::find(is_taken_, false);
    if (free == is_taken_.end()) return std::nullopt;
    *free = true;
    return static_cast<std::size_t>(free - is_taken_.begin());
}

void ChatService::free_slot(std::size_t slot) {
    const std::scoped_lock lock(mutex_);
    is_taken_[slot] = false;
}

void ChatService::tick() {
    std::vector<std::weak_ptr<Answer>> answers;
    {
        const std::scoped_lock lock(mutex_);
        answers = answers_;
    }
    for (const auto& known : answers) {
        if (const auto answer = known.lock()) answer->tick(SteadyClock::now(), options_.keep_alive);
    }
}

} // namespace ptc
