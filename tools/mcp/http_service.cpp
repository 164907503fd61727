// One path. A POST is one message; a request is answered by JSON, or, as soon as something goes before its answer, by a
// stream of events. Which era a request belongs to is what its headers and its `_meta` say; what they say must agree.
// Sessions have names of 144 random bits that the server makes: one that a client brings and that is not known is
// refused, never begun. A session belongs to who began it. What is large is read by threads of its own, everything else
// here only looks things up.
#include "tools/mcp/http_service.h"
#include "frontend/json_writer.h"
#include "subagent/mcp/client_headers.h"
#include "subagent/mcp/digest.h"
#include "tools/serve/http_access.h"
#include <algorithm>

namespace ptc::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
constexpr std::size_t kMostUnread = std::size_t{64} << 20; ///< bytes of bodies that wait to be read, at least
constexpr std::size_t kReaders = 4;
constexpr std::size_t kMostWaiting = 256; ///< bodies, for a reader
constexpr std::string_view kWellKnown = "/.well-known/oauth-protected-resource";

HttpReply error_reply(int status, const RpcError& error, const Datum& id = {}) {
    return {.status = status, .body = write_error(id, error)};
}
HttpReply refusal(int status, std::string message) {
    return error_reply(status, rpc_error(ErrorCode::InvalidRequest, std::move(message)));
}

/// Its list may be on several lines.
bool accepts(const HttpRequest& request, std::string_view type) {
    bool has_list = false, is_in_it = false;
    for (const auto& [name, value] : request.headers) {
        if (name != "accept") continue;
        has_list = true;
        is_in_it = is_in_it || value.find(type) != std::string::npos || value.find("*/*") != std::string::npos;
    }
    return !has_list || is_in_it;
}

std::string in_small_letters(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return out;
}

/// Of these a request has one at most.
bool says_two_things(const HttpRequest& request) {
    constexpr std::string_view kSingle[] = {kHeaderSession, kHeaderVersion, kHeaderMethod, kHeaderName};
    return std::ranges::any_of(kSingle, [&](std::string_view single) {
        return std::ranges::count(request.headers, in_small_letters(single), &HttpHeaders::value_type::first) > 1;
    });
}

/// "application/json; charset=utf-8", in any case.
bool is_json_type(std::string_view type) {
    constexpr std::string_view kJson = "application/json";
    return in_small_letters(type.substr(0, kJson.size())) == kJson &&
           (type.size() == kJson.size() || type[kJson.size()] == ';' || type[kJson.size()] == ' ');
}

/// "http://localhost:8080" is localhost; "" is what is no origin.
std::string origin_host(const std::string& origin) {
    const std::size_t scheme = origin.find("://");
    return scheme == std::string::npos ? "" : host_name(origin.substr(scheme + 3));
}

} // namespace

/// The answer to one POST, or a stream that a client asked for.
class HttpOutlet : public Outlet {
public:
    HttpOutlet(std::shared_ptr<HttpResponder> responder, HttpHeaders headers, bool can_stream)
        : responder_(std::move(responder)), headers_(std::move(headers)), can_stream_(can_stream) {}

    bool send(std::string message) override {
        const std::scoped_lock lock(mutex_);
        if (is_over_ || !can_stream_) return false;
        begin();
        put(message);
        return true;
    }
    void finish(std::string message, int status) override {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(is_over_, true)) return;
        if (!has_begun_) return responder_->reply({.status = status, .body = std::move(message), .headers = headers_});
        put(message);
        responder_->end_stream();
    }
    void drop() override {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(is_over_, true)) return;
        if (!has_begun_ && !can_stream_) return responder_->reply({.status = 204, .headers = headers_});
        begin();
        responder_->end_stream();
    }
    [[nodiscard]] bool is_gone() const override { return responder_->is_gone(); }
    void open() {
        const std::scoped_lock lock(mutex_);
        begin();
        responder_->send(": listening\n\n");
    }
    void keep_alive(SteadyClock::time_point now, std::chrono::milliseconds silence) {
        const std::unique_lock lock(mutex_, std::try_to_lock); // who has it is about to say something, maybe much
        if (!lock || is_over_ || !can_stream_ || now - last_ < silence) return;
        begin();
        responder_->send(":\n\n");
        last_ = now;
    }

private:
    void begin() {
        if (std::exchange(has_begun_, true)) return;
        HttpHeaders headers = headers_;
        headers.emplace_back("X-Accel-Buffering", "no");
        responder_->begin_stream(std::move(headers));
    }
    void put(const std::string& message) {
        responder_->send("event: message\ndata: " + message + "\n\n");
        last_ = SteadyClock::now();
    }

    const std::shared_ptr<HttpResponder> responder_;
    const HttpHeaders headers_;
    const bool can_stream_;
    std::mutex mutex_;
    SteadyClock::time_point last_ = SteadyClock::now();
    bool has_begun_ = false;
    bool is_over_ = false;
};

// Of bodies that are not read yet nobody knows the session: clients are counted alone, and two of the longest bodies
// leave room for one of another client.
HttpService::HttpService(Server& server, HttpServiceOptions options)
    : server_(server), options_(std::move(options)),
      unread_bytes_(std::max(kMostUnread, 2 * options_.messages.max_bytes), true),
      readers_({.at_work = kReaders,
                .waiting = kMostWaiting,
                .of_client = {.at_work = share(kReaders), .waiting = share(kMostWaiting)}}) {}

std::string HttpService::error_body(int, std::string_view message) {
    return write_error({}, rpc_error(ErrorCode::InvalidRequest, std::string(message)));
}

// ---- Who may ask

bool HttpService::is_own_origin(const HttpRequest& request) const {
    const std::string* origin = request.header("origin");
    if (!origin) return !request.is_of_a_page;
    if (std::ranges::find(options_.origins, *origin) != options_.origins.end()) return true;
    return options_.is_loopback && is_loopback_name(origin_host(*origin));
}

/// Where the path of a URL begins; its end when it has none.
static std::size_t path_of_url(const std::string& url) {
    const std::size_t scheme = url.find("://");
    return std::min(url.find('/', scheme == std::string::npos ? 0 : scheme + 3), url.size());
}

std::string HttpService::metadata_url() const {
    const std::size_t path = path_of_url(options_.resource);
    return options_.resource.substr(0, path) + std::string(kWellKnown) + options_.resource.substr(path);
}

bool HttpService::is_metadata_path(std::string_view path) const {
    const std::string own = options_.resource.substr(path_of_url(options_.resource));
    return path.starts_with(kWellKnown) && path.substr(kWellKnown.size()) == own;
}

std::string HttpService::metadata_json() const {
    JsonObject json;
    json.text("resource", options_.resource).raw("authorization_servers", json_array(options_.issuers, json_string));
    return json.raw("bearer_methods_supported", R"(["header"])").finish();
}

std::optional<HttpReply> HttpService::judge(const HttpRequest& head) const {
    if (options_.is_loopback && !is_loopback_name(head.host))
        return refusal(403, "This server answers to localhost and 127.0.0.1 only, as the Host of a request.");
    if (!is_own_origin(head)) return refusal(403, "Pages of this origin are not answered.");
    if (says_two_things(head)) return refusal(400, "A header of the protocol is there twice.");
    const bool is_metadata = !options_.resource.empty() && (head.path == kWellKnown || is_metadata_path(head.path));
    if (head.path != options_.path && !is_metadata)
        return refusal(404, "There is no such path: the protocol is spoken at " + options_.path + ".");
    if (is_metadata ? head.method != "GET" : head.method != "POST" && head.method != "GET" && head.method != "DELETE") {
        HttpReply reply = refusal(405, "This path does not answer " + head.method.substr(0, 20) + ".");
        reply.headers.emplace_back("Allow", is_metadata ? "GET" : "POST, GET, DELETE");
        return reply;
    }
    if (is_metadata || options_.key.empty() || brings_key(head, options_.key)) return std::nullopt;
    HttpReply reply = refusal(401, "The request needs the key of this server, as `Authorization: Bearer KEY`.");
    const std::string where = options_.resource.empty() ? "" : " resource_metadata=\"" + metadata_url() + "\"";
    reply.headers.emplace_back("WWW-Authenticate", "Bearer" + where);
    return reply;
}

std::string HttpService::principal() const {
    if (options_.key.empty()) return "http";
    return "http:" + sha256(options_.key).value_or(""); // whoever comes this far has it, in whatever spelling
}

// ---- Requests

void HttpService::handle(HttpRequest request, std::shared_ptr<HttpResponder> responder) {
    if (request.path != options_.path) return responder->reply({.body = metadata_json()});
    if (request.method == "GET") return open_stream(request, responder);
    if (request.method == "DELETE") return end_session(request, responder);
    const std::string* type = request.header("content-type");
    if (!type || !is_json_type(*type)) return responder->reply(refusal(415, "The content must be application/json."));
    if (!accepts(request, "application/json") && !accepts(request, "text/event-stream"))
        return responder->reply(refusal(406, "The client must accept application/json and text/event-stream."));
    if (request.body.size() <= kReadAtOnce) return post(request, responder);
    const auto shared = std::make_shared<HttpRequest>(std::move(request));
    std::optional<Pool::Part> part = unread_bytes_.take({.address = shared->client}, shared->body.size());
    if (part) {
        auto read = [this, shared, responder, held = std::make_shared<Pool::Part>(*std::move(part))] {
            try {
                post(*shared, responder);
            } catch (const std::exception&) { // no memory
                responder->reply(error_reply(500, rpc_error(ErrorCode::InternalError)));
            }
        };
        if (readers_.run({.run = std::move(read), .owner = {.address = shared->client}})) return;
    }
    responder->reply(refusal(429, "Too many requests are under way."));
}

void HttpService::post(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) {
    auto read = read_message(request.body, options_.messages);
    if (const auto* bad = std::get_if<BadMessage>(&read))
        return responder->reply(error_reply(400, bad->error, bad->is_response ? Datum() : bad->id));
    Message message = std::get<Message>(std::move(read));
    const std::string* version = request.header("mcp-protocol-version");
    const std::optional<Revision> revision = version ? find_revision(*version) : std::nullopt;
    const bool has_session = request.header("mcp-session-id") != nullptr;
    const bool is_modern = revision && is_stateless(*revision);
    if (is_modern || (message.meta(kMetaVersion) && !has_session) || (version && !revision))
        return take_stateless(request, std::move(message), responder);
    take(request, std::move(message), responder);
}

std::shared_ptr<HttpOutlet> HttpService::outlet_for(const HttpRequest& request,
                                                    const std::shared_ptr<HttpResponder>& responder,
                                                    HttpHeaders headers) {
    auto outlet = std::make_shared<HttpOutlet>(responder, std::move(headers), accepts(request, "text/event-stream"));
    const std::scoped_lock lock(mutex_);
    if (outlets_.size() % 64 == 63) std::erase_if(outlets_, [](const auto& known) { return known.expired(); });
    outlets_.push_back(outlet);
    return outlet;
}

static RpcError wrong_header(std::string_view header, const char* why) {
    return rpc_error(ErrorCode::HeaderMismatch, "Header mismatch: " + std::string(header) + " " + why);
}

/// Of arguments that are headers, too.
static std::optional<RpcError> argument_mismatch(const HttpRequest& request, const Message& message,
                                                 const std::string& schema) {
    for (const ParameterHeader& header : parameter_headers(schema, message.params["arguments"])) {
        const std::string* given = request.header(in_small_letters(header.name));
        if (!given && !header.value) continue;
        if (!given) return wrong_header(header.name, "is missing.");
        const std::optional<std::string> decoded = read_header_value(*given);
        if (!decoded) return wrong_header(header.name, "has invalid characters.");
        if (decoded != header.value) return wrong_header(header.name, "is another than in the body.");
    }
    return std::nullopt;
}

/// What the headers of a request without a session must say: the same as its body.
static std::optional<RpcError> mismatch(const HttpRequest& request, const Message& message) {
    const auto wrong = wrong_header;
    const std::string* version = request.header("mcp-protocol-version");
    if (!version) return wrong(kHeaderVersion, "is missing.");
    const Datum* named = message.meta(kMetaVersion);
    if (named && named->text() && *named->text() != *version)
        return wrong(kHeaderVersion, "is another than in the body.");
    // What else the headers of a revision must say, only that revision knows.
    if (!find_revision(*version)) return unsupported_version(*version);
    if (message.kind != MessageKind::Request) return std::nullopt;
    const std::string* method = request.header("mcp-method");
    if (!method) return wrong(kHeaderMethod, "is missing.");
    if (*method != message.method) return wrong(kHeaderMethod, "is another than in the body.");
    const MethodRow* row = find_method(message.method);
    const bool is_read = row && row->method == Method::ResourcesRead;
    if (!is_read && (!row || (row->method != Method::ToolsCall && row->method != Method::PromptsGet)))
        return std::nullopt;
    const Datum& name = message.params[is_read ? "uri" : "name"];
    if (!name.text()) return std::nullopt; // the method refuses it
    const std::string* given = request.header("mcp-name");
    if (!given) return wrong(kHeaderName, "is missing.");
    const std::optional<std::string> decoded = read_header_value(*given);
    if (!decoded) return wrong(kHeaderName, "has invalid characters.");
    if (*decoded != *name.text()) return wrong(kHeaderName, "is another than in the body.");
    return std::nullopt;
}

void HttpService::take_stateless(const HttpRequest& request, Message message,
                                 const std::shared_ptr<HttpResponder>& responder) {
    if (message.kind == MessageKind::Result || message.kind == MessageKind::Error)
        return responder->reply(refusal(400, "Clients send requests and notifications, not responses."));
    std::optional<RpcError> error = mismatch(request, message);
    const std::string* tool = message.params["name"].text();
    if (!error && message.method == method_text(Method::ToolsCall) && tool)
        error = argument_mismatch(request, message, server_.schema_with_headers(*tool));
    if (error) return responder->reply(error_reply(400, *error, message.id));
    if (message.kind == MessageKind::Notification) return responder->reply({.status = 202});
    const auto peer = std::make_shared<Peer>(principal(), ClientName{.address = request.client});
    server_.receive(peer, std::move(message), outlet_for(request, responder, {}), request.body.size());
}

// ---- Sessions

std::variant<PeerPtr, HttpReply> HttpService::session_of(const HttpRequest& request) {
    const std::string* name = request.header("mcp-session-id");
    if (!name) return refusal(400, "A session begins with `initialize`; its Mcp-Session-Id goes with each request.");
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(*name);
    if (found == sessions_.end() || found->second.peer->principal != principal())
        return error_reply(404, rpc_error(ErrorCode::InvalidRequest, "There is no such session, or none any more."));
    found->second.last_used = SteadyClock::now();
    return found->second.peer;
}

void HttpService::take(const HttpRequest& request, Message message, const std::shared_ptr<HttpResponder>& responder) {
    const bool is_request = message.kind == MessageKind::Request;
    if (is_request && message.method == method_text(Method::Initialize) && !request.header("mcp-session-id"))
        return begin_session(request, std::move(message), responder);
    const auto session = session_of(request);
    if (const auto* reply = std::get_if<HttpReply>(&session)) return responder->reply(*reply);
    const PeerPtr& peer = std::get<PeerPtr>(session);
    if (is_request)
        return server_.receive(peer, std::move(message), outlet_for(request, responder, {}), request.body.size());
    server_.receive(peer, std::move(message), nullptr, request.body.size());
    responder->reply({.status = 202});
}

/// The session that was used least recently of the client that has most: whoever begins very many ends its own.
HttpService::Sessions::iterator HttpService::oldest_of_most() {
    std::map<std::string_view, std::size_t> counts;
    for (const auto& [name, session] : sessions_)
        ++counts[session.client];
    const std::string_view most =
        std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->first;
    auto oldest = sessions_.end();
    for (auto one = sessions_.begin(); one != sessions_.end(); ++one) {
        if (one->second.client != most) continue;
        if (oldest == sessions_.end() || one->second.last_used < oldest->second.last_used) oldest = one;
    }
    return oldest;
}

void HttpService::begin_session(const HttpRequest& request, Message message,
                                const std::shared_ptr<HttpResponder>& responder) {
    const Result<std::string> bytes = random_bytes(18);
    if (!bytes.ok()) return responder->reply(error_reply(500, rpc_error(ErrorCode::InternalError)));
    const std::string name = base64_url(bytes.value());
    const auto peer = std::make_shared<Peer>(principal(), ClientName{.address = request.client, .session = name});
    PeerPtr oldest_peer; // which makes room
    {
        const std::scoped_lock lock(mutex_); // before the answer: the client's next request may come at once
        if (sessions_.size() >= options_.max_sessions) {
            const auto oldest = oldest_of_most();
            oldest_peer = oldest->second.peer;
            sessions_.erase(oldest);
        }
        sessions_[name] = {peer, SteadyClock::now(), request.client};
    }
    if (oldest_peer) server_.close(oldest_peer);
    server_.receive(peer, std::move(message), outlet_for(request, responder, {{std::string(kHeaderSession), name}}),
                    request.body.size());
    bool is_begun = false;
    {
        const std::scoped_lock lock(peer->mutex);
        is_begun = peer->revision.has_value();
    }
    if (is_begun) return server_.add_session(peer);
    const std::scoped_lock lock(mutex_);
    sessions_.erase(name);
}

void HttpService::open_stream(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) {
    if (!accepts(request, "text/event-stream"))
        return responder->reply(refusal(406, "The client must accept text/event-stream."));
    const std::string* version = request.header("mcp-protocol-version");
    const std::optional<Revision> revision = version ? find_revision(*version) : std::nullopt;
    if (revision && is_stateless(*revision)) {
        HttpReply reply = refusal(405, "There are no streams but those of `subscriptions/listen`.");
        reply.headers.emplace_back("Allow", "POST");
        return responder->reply(std::move(reply));
    }
    const auto session = session_of(request);
    if (const auto* reply = std::get_if<HttpReply>(&session)) return responder->reply(*reply);
    const PeerPtr& peer = std::get<PeerPtr>(session);
    const auto outlet = outlet_for(request, responder, {});
    {
        const std::scoped_lock lock(mutex_, peer->mutex);
        if (peer->stream && !peer->stream->is_gone())
            return responder->reply(refusal(409, "This session has a stream already."));
        std::erase_if(streams_, [](const Stream& known) {
            const auto stream = known.outlet.lock();
            return !stream || stream->is_gone();
        });
        const auto of_client = std::ranges::count(streams_, request.client, &Stream::client);
        if (streams_.size() >= options_.max_streams ||
            static_cast<std::size_t>(of_client) >= share(options_.max_streams))
            return responder->reply(refusal(429, "Too many streams are open."));
        streams_.push_back({request.client, outlet});
        peer->stream = outlet;
    }
    outlet->open();
}

void HttpService::end_session(const HttpRequest& request, const std::shared_ptr<HttpResponder>& responder) {
    const auto session = session_of(request);
    if (const auto* reply = std::get_if<HttpReply>(&session)) return responder->reply(*reply);
    {
        const std::scoped_lock lock(mutex_);
        sessions_.erase(*request.header("mcp-session-id"));
    }
    server_.close(std::get<PeerPtr>(session));
    responder->reply({.status = 204});
}

void HttpService::tick() {
    server_.tick();
    const auto now = SteadyClock::now();
    std::vector<std::shared_ptr<HttpOutlet>> open;
    std::vector<PeerPtr> over;
    {
        const std::scoped_lock lock(mutex_);
        std::erase_if(outlets_, [&](const auto& known) {
            auto outlet = known.lock();
            if (outlet) open.push_back(std::move(outlet));
            return known.expired();
        });
        std::erase_if(sessions_, [&](const auto& known) {
            const bool is_over = now - known.second.last_used > options_.session_idle;
            if (is_over) over.push_back(known.second.peer);
            return is_over;
        });
        for (const auto& [name, session] : sessions_) {
            const std::scoped_lock inner(session.peer->mutex);
            if (session.peer->stream && session.peer->stream->is_gone()) {
                session.peer->stream->drop();
                session.peer->stream.reset();
            }
        }
    }
    for (const auto& outlet : open)
        outlet->keep_alive(now, options_.keep_alive);
    for (const PeerPtr& peer : over)
        server_.close(peer);
}

Result<bool> serve_http(Server& server, HttpServiceOptions options, HttpRun run, Console& console) {
    run.limits.keeps_headers = true;
    run.limits.max_body_bytes = options.messages.max_bytes;
    const bool has_key = !options.key.empty();
    const std::string path = options.path;
    const auto service = std::make_shared<HttpService>(server, std::move(options));
    Result<std::unique_ptr<HttpServer>> listening = HttpServer::listen(
        run.host, run.port, run.limits, [&service](const HttpRequest& head) { return service->judge(head); },
        [&service](HttpRequest request, std::shared_ptr<HttpResponder> responder) {
            service->handle(std::move(request), std::move(responder));
        },
        HttpService::error_body);
    if (!listening.ok()) return listening.take_error();
    HttpServer& http = *listening.value();
    if (!http.is_loopback() && !has_key)
        return Error(Reason::InvalidRequest, "On " + run.host + " anybody could run programs: --key-env names a " +
                                                 "variable of the environment with a key.");
    service->set_loopback(http.is_loopback());
    console.out.line("listening on http://" + address_text(run.host, http.port()) + path);
    console.out.flush();
    http.every(std::chrono::milliseconds(50), [&service] { service->tick(); });
    bool has_cut_off = false;
    const bool is_all_sent = http.run(run.grace, [&] { has_cut_off = server.stop() > 0; });
    return is_all_sent && !has_cut_off;
}

} // namespace ptc::mcp
