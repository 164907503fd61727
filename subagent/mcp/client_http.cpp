// A server over streamable HTTP. Each request is a POST on the caller's thread, answered with JSON or with a stream of
// events of which one is the answer. Before 2026-07-28 there may be a session, which the server can forget, requests of
// the server within a stream, and streams that end early and go on where they stopped (GET with Last-Event-ID).
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "subagent/mcp/client_oauth.h"
#include "subagent/mcp/client_secrets.h"
#include "subagent/mcp/client_transport.h"
#include "subagent/mcp/headers_helper.h"
#include "subagent/providers/http_client.h"
#include "subagent/providers/sse.h"
#include <algorithm>
#include <cctype>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace ptc::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kConnectTime{10'000};
constexpr Millis kNoticeTime{5000};
constexpr Millis kCloseTime{1000};
constexpr Millis kUsualRetry{1000}; ///< before a stream is asked to go on
constexpr Millis kMostRetry{30'000};
constexpr Millis kLeastRetry{100};
constexpr Millis kLeastListenRetry{500}; ///< times the number of streams that said nothing
constexpr Millis kCancelTime{1000};
constexpr Millis kListenStart{1000};
constexpr std::size_t kMostReconnections = 20; ///< of one call
constexpr std::size_t kMaxSessionBytes = 1024;
constexpr std::size_t kMostLookedAt = 4000; ///< bytes of a body that says why
constexpr int kMostRedirections = 5;        ///< of one request
constexpr int kMostAuthorizations = 3;      ///< of one call: a server that is never content is given up

bool is_event_stream(const HttpHead& head) { return head.find("content-type").starts_with("text/event-stream"); }

/// What a call has of its answer.
struct Reply {
    SseReader events{kMaxMessageBytes};
    std::string body{};
    std::string last_event{};
    std::string noise{}; ///< the last of it that is no message
    std::size_t bytes = 0;
    std::size_t messages = 0; ///< of any kind
    std::optional<Answer> answer{};
    std::function<void()> on_head{};  ///< called when the stream stands
    Questions* questions = nullptr;   ///< that the server may ask in it
    const CallTerms* terms = nullptr; ///< what it asks is answered within them
};

/// Before a stream is asked to go on, as long as the server says.
void pause(const Reply& reply, Millis least, Deadline deadline, const std::stop_token& stop) {
    const Millis wanted = reply.events.retry() ? Millis(*reply.events.retry()) : kUsualRetry;
    const auto until =
        std::min(deadline, SteadyClock::now() + std::clamp(wanted, std::min(least, kMostRetry), kMostRetry));
    while (SteadyClock::now() < until && !stop.stop_requested())
        std::this_thread::sleep_for(std::min<SteadyClock::duration>(until - SteadyClock::now(), Millis(20)));
}

class HttpTransport final : public Transport {
public:
    HttpTransport(const McpServer& server, Listener listener, std::shared_ptr<Authorizer> authorizer)
        : server_(server), listener_(std::move(listener)), authorizer_(std::move(authorizer)) {}
    ~HttpTransport() override { close(); }
    HttpTransport(const HttpTransport&) = delete;
    HttpTransport& operator=(const HttpTransport&) = delete;

    std::optional<Failure> open() override {
        if (!http_problem().empty()) return failure(Failure::Kind::NotThere, http_problem());
        const std::optional<HttpAddress> address = parse_address(server_.url);
        if (!address || (address->scheme != "http" && address->scheme != "https"))
            return failure(Failure::Kind::NotThere, "Its `url` is no address of a server.");
        is_direct_ = address->is_this_machine();
        return std::nullopt;
    }
    std::optional<Failure> prepare(const CallTerms& terms) override {
        if (server_.headers_command.empty()) return std::nullopt;
        std::variant<HeaderPairs, Failure> given = helped_headers(server_, terms);
        if (auto* why = std::get_if<Failure>(&given)) return std::move(*why);
        const std::scoped_lock lock(mutex_);
        helped_ = std::get<HeaderPairs>(std::move(given));
        return std::nullopt;
    }
    bool is_open() override { return true; }
    Answer request(const Outgoing& request, const CallTerms& terms) override;
    Answer exchange_all(const Outgoing& request, const CallTerms& given);
    std::optional<Failure> notify(std::string_view method, const Datum& params) override;
    void set_revision(std::optional<Revision> revision) override {
        listening_ = {}; // of the session that is over
        const std::scoped_lock lock(mutex_);
        revision_ = revision;
        session_.clear();
    }
    void agree(Revision revision) override {
        const std::scoped_lock lock(mutex_);
        revision_ = revision;
    }
    void close() override;

private:
    HttpPost post_of(const CallTerms& terms);
    std::variant<HttpHead, Failure> exchange(HttpPost post, const Outgoing& request, Reply& reply);
    std::variant<HttpHead, Failure> exchange_once(HttpPost post, const Outgoing& request, Reply& reply);
    bool take_event(const SseEvent& event, const Outgoing& request, Reply& reply);
    void take_message(std::string_view json, const Outgoing& request, Reply& reply);
    void answer_server(const Message& message, Reply& reply);
    void listen(const std::stop_token& stop, const std::shared_ptr<std::promise<void>>& stands);
    std::optional<Failure> go_on(const Outgoing& request, const CallTerms& terms, Reply& reply);
    Answer answer_of(const HttpHead& head, const Outgoing& request, Reply& reply);
    /// With the headers that it was helped to, which are secrets as well.
    McpServer known_server() {
        McpServer server = server_;
        const std::scoped_lock lock(mutex_);
        for (const auto& [name, value] : helped_) {
            std::erase_if(server.headers, [&](const auto& own) { return is_same_header(own.first, name); });
            server.headers.emplace_back(name, value);
        }
        return server;
    }
    static bool is_same_header(std::string_view a, std::string_view b) {
        return std::ranges::equal(a, b, {}, ::tolower, ::tolower);
    }
    std::string session() {
        const std::scoped_lock lock(mutex_);
        return session_;
    }

    const McpServer server_;
    const Listener listener_;
    const std::shared_ptr<Authorizer> authorizer_;
    HttpClient http_;
    bool is_direct_ = false;
    std::mutex mutex_;
    std::optional<Revision> revision_;
    std::string session_;
    HeaderPairs helped_;        ///< see helped_headers
    Questions stray_questions_; ///< in the stream of no call, since the last call began
    std::jthread listening_;    ///< to what the server says by itself
};

/// With the headers that all messages have.
HttpPost HttpTransport::post_of(const CallTerms& terms) {
    HttpPost post;
    post.url = server_.url;
    post.headers = known_server().headers;
    post.deadline = terms.deadline;
    post.connect_timeout = kConnectTime;
    post.stop = terms.stop;
    post.is_direct = is_direct_;
    const std::scoped_lock lock(mutex_);
    if (revision_) post.headers.emplace_back(kHeaderVersion, revision_text(*revision_));
    if (!session_.empty()) post.headers.emplace_back(kHeaderSession, session_);
    return post;
}

/// Within the time of the call in whose stream it is asked: a server that asks on and on answers too late.
void HttpTransport::answer_server(const Message& message, Reply& reply) {
    std::string answer =
        listener_.answer(message, *reply.questions); // a person may take their time: the post's begins behind it
    const CallTerms& terms = *reply.terms;
    HttpPost post =
        post_of({.deadline = std::min(terms.deadline, SteadyClock::now() + kNoticeTime), .stop = terms.stop});
    post.headers.emplace_back("Content-Type", "application/json");
    post.headers.emplace_back("Accept", "application/json, text/event-stream");
    if (const std::string token = authorizer_ ? authorizer_->token() : ""; !token.empty())
        post.headers.emplace_back("Authorization", "Bearer " + token);
    post.body = std::move(answer);
    (void)http_.post(std::move(post), [](const HttpHead&, std::string_view) { return true; });
    if (terms.stop.stop_requested())
        reply.answer = failure(Failure::Kind::Cancelled, "Nobody waits for it any more.");
    else if (SteadyClock::now() >= terms.deadline)
        reply.answer = failure(Failure::Kind::Timeout, "It did not answer in time." + noise_text(reply.noise));
}

void HttpTransport::take_message(std::string_view json, const Outgoing& request, Reply& reply) {
    std::variant<Message, BadMessage> read = read_message(json, request.list ? listing_limits() : message_limits());
    if (const auto* bad = std::get_if<BadMessage>(&read)) {
        if (bad->id == request.id || find_message_id(json) == request.id)
            reply.answer = failure(Failure::Kind::Broken, "What it answered is no message: " + bad->error.message);
        else
            reply.noise = shown_noise(json, known_server());
        return;
    }
    ++reply.messages;
    auto& message = std::get<Message>(read);
    switch (message.kind) {
    case MessageKind::Notification: listener_.hear(message); return;
    case MessageKind::Request: {
        bool may_ask = false;
        {
            const std::scoped_lock lock(mutex_);
            may_ask = revision_ && !is_stateless(*revision_);
        }
        if (may_ask) answer_server(message, reply);
        return;
    }
    case MessageKind::Result:
        if (message.id != request.id) return;
        if (request.list) *request.list = std::move(message.list);
        reply.answer = std::move(message.result);
        return;
    case MessageKind::Error:
        if (message.id != request.id && !message.id.is_nil()) return;
        reply.answer = Failure{
            .kind = Failure::Kind::Refused, .message = message.error.message, .error = std::move(message.error)};
        return;
    }
}

/// Whether more is wanted.
bool HttpTransport::take_event(const SseEvent& event, const Outgoing& request, Reply& reply) {
    if (!event.id.empty()) reply.last_event = event.id;
    if (!event.data.empty() && (event.name.empty() || event.name == "message"))
        take_message(event.data, request, reply);
    return !reply.answer;
}

/// Where a redirection leads that keeps the method and the body; "" for any other answer.
std::string redirection_of(const HttpHead& head) {
    const bool keeps_request = head.status == 307 || head.status == 308;
    return keeps_request ? std::string(head.find("location")) : "";
}

/// Within the server it is followed. Elsewhere nothing is sent: neither what a program says, nor tokens and headers
/// that are for this server.
std::variant<HttpHead, Failure> HttpTransport::exchange(HttpPost post, const Outgoing& request, Reply& reply) {
    for (int times = 0;; ++times) {
        std::variant<HttpHead, Failure> got = exchange_once(post, request, reply);
        const auto* head = std::get_if<HttpHead>(&got);
        const std::string target = head && !reply.answer ? redirection_of(*head) : "";
        if (target.empty()) return got;
        const std::string url = resolved_address(post.url, target);
        if (url.empty() || origin_of(url) != origin_of(post.url))
            return failure(Failure::Kind::NotThere,
                           "It sends elsewhere, to " + quoted_excerpt(target, 200) +
                               ", which is not followed: that is another server.",
                           head->status);
        if (times == kMostRedirections)
            return failure(Failure::Kind::NotThere, "It sends from one address to the next.", head->status);
        post.url = url;
        reply.body.clear();
    }
}

std::variant<HttpHead, Failure> HttpTransport::exchange_once(HttpPost post, const Outgoing& request, Reply& reply) {
    const auto visit = [&](const SseEvent& event) { return take_event(event, request, reply); };
    HttpOutcome outcome = http_.post(std::move(post), [&](const HttpHead& head, std::string_view bytes) {
        if (reply.on_head) std::exchange(reply.on_head, nullptr)();
        reply.bytes += bytes.size();
        if (reply.bytes > kMaxUnansweredBytes || (!is_event_stream(head) && reply.bytes > kMaxMessageBytes)) {
            reply.answer = failure(Failure::Kind::Broken, "It wrote more than it may: a message has at most " +
                                                              std::to_string(kMaxMessageBytes) + " bytes.");
            return false;
        }
        if (is_event_stream(head)) return reply.events.feed(bytes, visit);
        reply.body += bytes;
        return true;
    });
    if (auto* head = std::get_if<HttpHead>(&outcome)) {
        if (is_event_stream(*head) && !reply.answer) (void)reply.events.finish(visit);
        if (reply.events.is_too_long() && !reply.answer)
            reply.answer = failure(Failure::Kind::Broken, "An event that it sent is too long.");
        return std::move(*head);
    }
    const auto& fault = std::get<HttpFault>(outcome);
    switch (fault.kind) {
    case HttpFault::Kind::Timeout:
        return failure(Failure::Kind::Timeout, "It did not answer in time." + noise_text(reply.noise));
    case HttpFault::Kind::Cancelled: return failure(Failure::Kind::Cancelled, "Nobody waits for it any more.");
    case HttpFault::Kind::TooLarge: return failure(Failure::Kind::Broken, fault.message);
    case HttpFault::Kind::Network:
    case HttpFault::Kind::Tls: break;
    }
    return failure(Failure::Kind::NotThere, "It cannot be reached: " + fault.message + ".");
}

/// A stream that ended without the answer goes on where it stopped, when the server numbers its events.
std::optional<Failure> HttpTransport::go_on(const Outgoing& request, const CallTerms& terms, Reply& reply) {
    for (std::size_t times = 0; !reply.answer; ++times) {
        if (reply.last_event.empty() || times >= kMostReconnections)
            return failure(Failure::Kind::Broken, "Its stream ended without an answer." + noise_text(reply.noise));
        pause(reply, kLeastRetry, terms.deadline, terms.stop);
        HttpPost get = post_of(terms);
        get.method = "GET";
        get.headers.emplace_back("Accept", "text/event-stream");
        get.headers.emplace_back(kHeaderLastEvent, reply.last_event);
        if (const std::string token = authorizer_ ? authorizer_->token() : ""; !token.empty())
            get.headers.emplace_back("Authorization", "Bearer " + token);
        reply.events = SseReader(kMaxMessageBytes); // what was cut off is sent again
        const auto head = exchange(std::move(get), request, reply);
        if (const auto* fault = std::get_if<Failure>(&head)) {
            if (fault->kind != Failure::Kind::NotThere) return *fault;
            continue; // it may be there again soon
        }
        const int status = std::get<HttpHead>(head).status;
        if (status != 200)
            return failure(Failure::Kind::Broken, "Its stream does not go on: HTTP " + std::to_string(status) + ".",
                           status);
    }
    return std::nullopt;
}

/// Of a POST that is over.
Answer HttpTransport::answer_of(const HttpHead& head, const Outgoing& request, Reply& reply) {
    if (!reply.answer && !reply.body.empty() && !is_event_stream(head)) take_message(reply.body, request, reply);
    if (head.status == 404 && !session().empty())
        return failure(Failure::Kind::NoSession, "It does not know the session any more.", head.status);
    if (reply.answer) {
        if (auto* fault = std::get_if<Failure>(&*reply.answer)) fault->http_status = head.status;
        return std::move(*reply.answer);
    }
    if (head.status == 200)
        return failure(Failure::Kind::Broken, "Its answer is none to what was asked." + noise_text(reply.noise),
                       head.status);
    std::string message = "It answered with HTTP " + std::to_string(head.status) + ".";
    if (!reply.body.empty() && utf8::find_invalid(reply.body) == utf8::kValid)
        message += " It said: " +
                   quoted_excerpt(without_secrets(utf8::prefix(reply.body, kMostLookedAt), server_, CutAt::End), 200);
    return failure(Failure::Kind::NotThere, std::move(message), head.status);
}

bool is_session_id(std::string_view id) {
    return !id.empty() && id.size() <= kMaxSessionBytes &&
           std::ranges::all_of(id, [](char c) { return c >= 0x21 && c <= 0x7E; });
}

/// A request that is given up is said to be: before 2026-07-28 the end of a connection says nothing.
Answer HttpTransport::request(const Outgoing& request, const CallTerms& terms) {
    Answer answer = exchange_all(request, terms);
    const auto* why = std::get_if<Failure>(&answer);
    const bool is_given_up = why && (why->kind == Failure::Kind::Timeout || why->kind == Failure::Kind::Cancelled);
    if (is_given_up && !session().empty() && request.method != method_text(Method::Initialize))
        (void)notify(method_text(Method::Cancelled), Datum::object({{"requestId", request.id}}));
    return answer;
}

/// With tokens, and streams that go on.
Answer HttpTransport::exchange_all(const Outgoing& request, const CallTerms& given) {
    CallTerms terms = given;
    Questions questions{server_.max_questions, terms.context};
    stray_questions_.left = server_.max_questions;
    bool was_helped = false;
    for (int authorizations = 0;; ++authorizations) {
        HttpPost post = post_of(terms);
        post.headers.emplace_back("Content-Type", "application/json");
        post.headers.emplace_back("Accept", "application/json, text/event-stream");
        post.headers.insert(post.headers.end(), request.headers.begin(), request.headers.end());
        const std::string token = authorizer_ ? authorizer_->token() : "";
        if (!token.empty()) post.headers.emplace_back("Authorization", "Bearer " + token);
        post.body = write_request(request.id, request.method, request.params);
        Reply reply{.questions = &questions, .terms = &terms};
        const auto exchanged = exchange(std::move(post), request, reply);
        if (const auto* fault = std::get_if<Failure>(&exchanged)) {
            if (reply.answer) return std::move(*reply.answer);
            // A stream that broke off: the answer may still be had.
            if (fault->kind != Failure::Kind::NotThere || reply.last_event.empty()) return *fault;
            if (auto why = go_on(request, terms, reply)) return std::move(*why);
            return std::move(*reply.answer);
        }
        const auto& head = std::get<HttpHead>(exchanged);
        if (request.method == method_text(Method::Initialize) && is_session_id(head.find("mcp-session-id"))) {
            const std::scoped_lock lock(mutex_);
            session_ = head.find("mcp-session-id");
        }
        const bool wants_token =
            head.status == 401 ||
            (head.status == 403 && challenge_parameter(head.find("www-authenticate"), "error") == "insufficient_scope");
        if (head.status == 401 && !server_.headers_command.empty() && !std::exchange(was_helped, true)) {
            if (auto why = prepare(terms)) return std::move(*why);
            continue;
        }
        if (wants_token && authorizer_) {
            if (authorizations >= kMostAuthorizations)
                return failure(Failure::Kind::Unauthorized,
                               "It is not content with what it asked for itself: HTTP " + std::to_string(head.status) +
                                   ".",
                               head.status);
            const SteadyClock::time_point asked = SteadyClock::now();
            if (auto why = authorizer_->authorize({.status = head.status,
                                                   .challenge = std::string(head.find("www-authenticate")),
                                                   .used_token = token},
                                                  terms))
                return std::move(*why);
            terms.deadline += SteadyClock::now() - asked; // while a person thinks, the call's time stands still
            continue;
        }
        if (head.status == 200 && is_event_stream(head) && !reply.answer) {
            if (auto why = go_on(request, terms, reply)) return std::move(*why);
        }
        return answer_of(head, request, reply);
    }
}

std::optional<Failure> HttpTransport::notify(std::string_view method, const Datum& params) {
    // Since 2026-07-28 the end of the connection says what `cancelled` did, and there is no other notification.
    {
        const std::scoped_lock lock(mutex_);
        if (revision_ && is_stateless(*revision_)) return std::nullopt;
    }
    const bool is_cancelling = method == method_text(Method::Cancelled);
    HttpPost post = post_of({.deadline = SteadyClock::now() + (is_cancelling ? kCancelTime : kNoticeTime)});
    post.headers.emplace_back("Content-Type", "application/json");
    post.headers.emplace_back("Accept", "application/json, text/event-stream");
    if (const std::string token = authorizer_ ? authorizer_->token() : ""; !token.empty())
        post.headers.emplace_back("Authorization", "Bearer " + token);
    post.body = write_notification(method, params);
    (void)http_.post(std::move(post), [](const HttpHead&, std::string_view) { return false; });
    if (method != method_text(Method::Initialized)) return std::nullopt;
    // What the server asks before it knows where, it asks in vain: the stream has to stand before a tool is called.
    const auto stands = std::make_shared<std::promise<void>>();
    const std::future<void> answered = stands->get_future();
    listening_ = std::jthread([this, stands](const std::stop_token& stop) { listen(stop, stands); });
    (void)answered.wait_for(kListenStart);
    return std::nullopt;
}

/// Before 2026-07-28: a stream (GET) on which the server may ask and tell at any time. Many have none.
void HttpTransport::listen(const std::stop_token& stop, const std::shared_ptr<std::promise<void>>& stands) {
    const Outgoing nothing{.id = {}, .method = {}, .params = {}};
    CallTerms terms{.stop = stop};
    Reply reply{.questions = &stray_questions_, .terms = &terms};
    bool is_first = true;
    for (std::size_t failures = 0; !stop.stop_requested() && failures < kMostReconnections;) {
        terms.deadline = SteadyClock::now() + kListenTime;
        HttpPost get = post_of(terms);
        get.method = "GET";
        get.headers.emplace_back("Accept", "text/event-stream");
        if (!reply.last_event.empty()) get.headers.emplace_back(kHeaderLastEvent, reply.last_event);
        if (const std::string token = authorizer_ ? authorizer_->token() : ""; !token.empty())
            get.headers.emplace_back("Authorization", "Bearer " + token);
        get.wants_head = is_first;
        reply = Reply{.last_event = std::move(reply.last_event), .questions = &stray_questions_, .terms = &terms};
        if (is_first) reply.on_head = [&stands] { stands->set_value(); };
        const auto ended = exchange(std::move(get), nothing, reply);
        if (std::exchange(is_first, false) && reply.on_head) stands->set_value();
        const auto* head = std::get_if<HttpHead>(&ended);
        if (head && head->status != 200) return;
        failures = reply.messages > 0 ? 0 : failures + 1;
        pause(reply, kLeastListenRetry * (failures + 1), SteadyClock::now() + kListenTime, stop);
    }
}

void HttpTransport::close() {
    listening_ = {};
    const std::string id = session();
    if (id.empty() || !http_problem().empty()) return;
    HttpPost post = post_of({.deadline = SteadyClock::now() + kCloseTime});
    post.method = "DELETE";
    if (const std::string token = authorizer_ ? authorizer_->token() : ""; !token.empty())
        post.headers.emplace_back("Authorization", "Bearer " + token);
    (void)http_.post(std::move(post), [](const HttpHead&, std::string_view) { return false; });
    const std::scoped_lock lock(mutex_);
    session_.clear();
}

} // namespace

std::unique_ptr<Transport> make_http_transport(const McpServer& server, Listener listener,
                                               std::shared_ptr<Authorizer> authorizer) {
    return std::make_unique<HttpTransport>(server, std::move(listener), std::move(authorizer));
}

} // namespace ptc::mcp
