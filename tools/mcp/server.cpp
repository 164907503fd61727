// A request is admitted by the revision that it stands under (its own `_meta`, or what `initialize` agreed on), becomes
// a RunningCall, and is carried out by a thread of the workers; what is known at once (initialize, listening) is
// answered where it was read. A call is stopped by its client (`notifications/cancelled`, or going away); its answer is
// dropped then. Handlers give JSON of a result; what each revision wants beside it (resultType, _meta, how long it may
// be kept) is added here, so that handlers know no revisions.
#include "tools/mcp/server.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include <algorithm>
#include <condition_variable>
#include <exception>

namespace ptc::mcp {
namespace {

constexpr const char* kEnding = "The server is ending: the request was cancelled.";

RpcError unknown(const char* what, const std::string& name) {
    return rpc_error(ErrorCode::InvalidParams,
                     std::string("There is no ") + what + " " + quoted_excerpt(name, 200) + ".");
}

Datum revision_list() {
    Datum::List texts;
    for (auto it = kRevisions.rbegin(); it != kRevisions.rend(); ++it)
        texts.emplace_back(revision_text(*it));
    return Datum(std::move(texts));
}

std::size_t log_level(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(kLogLevels, name) - kLogLevels.begin());
}

template <class Row> std::string list_json(const char* member, const std::vector<Row>& rows) {
    return JsonObject().raw(member, json_array(rows, [](const Row& row) { return row.json; })).finish();
}

template <class Row>
const Row* find_row(const std::vector<Row>& rows, std::string Row::*name, const std::string& wanted) {
    const auto found = std::ranges::find(rows, wanted, name);
    return found == rows.end() ? nullptr : &*found;
}

/// Lists and resources, which may be kept for a while.
bool is_cacheable(Method method) {
    switch (method) {
    case Method::Discover:
    case Method::ToolsList:
    case Method::ResourcesList:
    case Method::ResourcesTemplates:
    case Method::ResourcesRead:
    case Method::PromptsList: return true;
    default: return false;
    }
}

bool is_listing(Method method) {
    return method == Method::ToolsList || method == Method::ResourcesList || method == Method::ResourcesTemplates ||
           method == Method::PromptsList;
}

WorkerLimits worker_limits(const ServerLimits& limits) {
    WorkerLimits all{.at_work = limits.max_threads,
                     .waiting = limits.max_waiting,
                     .standing = limits.max_asked + limits.max_in_tools};
    if (!limits.is_shared) return all;
    all.of_client = {.at_work = share(all.at_work), .waiting = share(all.waiting), .standing = share(all.standing)};
    all.of_session = {.at_work = share(all.of_client.at_work),
                      .waiting = share(all.of_client.waiting),
                      .standing = share(all.of_client.standing)};
    return all;
}

std::string capabilities_json(const Offer& offer, Revision revision) {
    const bool has_sessions = !is_stateless(revision);
    const std::string changes = offer.can_change ? R"({"listChanged":true})" : "{}";
    JsonObject json;
    if (!offer.tools.empty()) json.raw("tools", changes);
    if (!offer.resources.empty() || !offer.templates.empty()) {
        JsonObject resources;
        if (offer.can_update) resources.boolean("subscribe", true);
        if (offer.can_change) resources.boolean("listChanged", true);
        json.raw("resources", resources.finish());
    }
    if (!offer.prompts.empty()) json.raw("prompts", changes);
    if (offer.complete) json.raw("completions", "{}");
    if (has_sessions) json.raw("logging", "{}");
    return json.finish();
}

} // namespace

RpcError unsupported_version(const std::string& requested) {
    return rpc_error(ErrorCode::UnsupportedVersion, {},
                     Datum::object({{"supported", revision_list()}, {"requested", utf8::prefix(requested, 100)}}));
}

Answer text_answer(std::string_view text, bool is_error) {
    JsonObject json;
    json.raw("content", "[" + JsonObject().text("type", "text").text("text", text).finish() + "]");
    if (is_error) json.boolean("isError", true);
    return {.json = json.finish()};
}

/// A call, from when it is admitted to when it is answered.
class RunningCall : public Call, public std::enable_shared_from_this<RunningCall> {
public:
    /// What it stands under.
    struct Terms {
        Revision revision = kNewest;
        Datum capabilities{};
    };
    RunningCall(Server& server, PeerPtr peer, Message message, Terms terms, OutletPtr outlet, std::size_t bytes)
        : server_(server), peer_(std::move(peer)), message_(std::move(message)), terms_(std::move(terms)),
          outlet_(std::move(outlet)), offer_(server.offer()), key_(message_.id.to_json()),
          held_(server.held_bytes_.take(peer_->client, bytes)), place_(server.workers_, peer_->client) {}

    [[nodiscard]] const Message& request() const override { return message_; }
    [[nodiscard]] Revision revision() const override { return terms_.revision; }
    [[nodiscard]] const Datum& capabilities() const override { return terms_.capabilities; }
    [[nodiscard]] const std::string& principal() const override { return peer_->principal; }
    [[nodiscard]] const ClientName& client() const override { return peer_->client; }
    [[nodiscard]] std::stop_token stop() const override { return stop_.get_token(); }
    [[nodiscard]] const OutletPtr& outlet() const { return outlet_; }
    [[nodiscard]] const PeerPtr& peer() const { return peer_; }
    [[nodiscard]] const Offer& offer() const { return *offer_; }
    [[nodiscard]] const std::string& key() const { return key_; } ///< its id as JSON
    [[nodiscard]] bool is_stopped() const { return stop_.stop_requested(); }
    /// Its message fits among those that are held. Before it is handed to the threads.
    [[nodiscard]] bool is_held() const { return held_.has_value(); }
    void request_stop() { stop_.request_stop(); }
    /// On the thread that carries it out: by what is offered once that is settled.
    void settle() {
        if (!offer_->settle) return;
        offer_->settle(*this);
        offer_ = server_.offer();
    }
    /// Its client still waits for an answer, and there will be none: false when there is one, or nobody waits.
    [[nodiscard]] bool cut_off() {
        State open = State::Open;
        return !is_stopped() && state_.compare_exchange_strong(open, State::CutOff);
    }
    /// With its answer; whether it was cut off before.
    [[nodiscard]] bool end() { return state_.exchange(State::Ended) == State::CutOff; }

    /// For the one thread that carries it out; false when it was given up before.
    [[nodiscard]] bool begin() { return !has_begun_.exchange(true); }
    /// True, once, when it will never begin: what it has said is forgotten.
    [[nodiscard]] bool give_up() {
        if (!begin()) return false;
        message_.params = Datum();
        held_.reset();
        return true;
    }

    void progress(double progress, double total, std::string_view message) override {
        const Datum* token = message_.meta(kProgressToken);
        if (!token || is_stopped()) return;
        Datum::Map params{{"progressToken", *token}, {"progress", number(progress)}};
        if (total >= 0) params.emplace_back("total", number(total));
        if (!message.empty()) params.emplace_back("message", message);
        outlet_->send(write_notification(method_text(Method::Progress), Datum(std::move(params))));
    }

    void log(std::string_view level, const Datum& data) override {
        std::size_t least = kLogLevels.size();
        if (is_stateless()) {
            const Datum* wanted = message_.meta(kMetaLogLevel);
            if (wanted && wanted->text()) least = log_level(*wanted->text());
        } else {
            const std::scoped_lock lock(peer_->mutex);
            least = peer_->log_level;
        }
        if (log_level(level) < least || least == kLogLevels.size() || is_stopped()) return;
        outlet_->send(write_notification(method_text(Method::LogMessage),
                                         Datum::object({{"level", level}, {"logger", "ptcc"}, {"data", data}})));
    }

    void stand_still(bool does) override {
        if (does)
            place_.leave();
        else
            place_.come_back(stop());
    }

    std::variant<Datum, RpcError> ask(Method method, const Datum& params) override {
        const auto failed = [](const char* why) { return rpc_error(ErrorCode::InternalError, why); };
        if (is_stateless()) return failed("Clients are asked by the answers to their requests.");
        const std::optional<Pool::Part> asking = server_.asked_.take(peer_->client);
        if (!asking) return failed("Too many questions are open.");
        const std::int64_t id = begin_asking();
        if (id == 0) return failed("The client has gone.");
        if (!outlet_->send(write_request(id, method_text(method), params))) {
            end_asking(id);
            return failed("The client takes no stream of events, so it cannot be asked.");
        }
        return wait_for(id);
    }
    /// Of the question `id`.
    void take_answer(std::int64_t id, std::variant<Datum, RpcError> given) {
        {
            const std::scoped_lock lock(mutex_);
            if (id != question_) return; // a late answer to an earlier one
            given_ = std::move(given);
        }
        wakes_.notify_all();
    }

private:
    enum class State : std::uint8_t { Open, CutOff, Ended };

    class StandingStill {
    public:
        explicit StandingStill(RunningCall& call) : call_(call) { call.stand_still(true); }
        ~StandingStill() { call_.stand_still(false); }
        StandingStill(const StandingStill&) = delete;
        StandingStill& operator=(const StandingStill&) = delete;

    private:
        RunningCall& call_;
    };

    static Datum number(double value) {
        const auto whole = static_cast<std::int64_t>(value);
        return static_cast<double>(whole) == value ? Datum(whole) : Datum(value);
    }

    /// The number of the request, 0 when nobody would answer.
    std::int64_t begin_asking() {
        std::int64_t id = 0;
        {
            const std::scoped_lock lock(peer_->mutex);
            if (peer_->is_closed || !peer_->can_answer) return 0;
            id = ++peer_->last_asked;
            peer_->asked[id] = shared_from_this();
        }
        const std::scoped_lock lock(mutex_);
        given_.reset();
        question_ = id;
        return id;
    }
    void end_asking(std::int64_t id) {
        const std::scoped_lock lock(peer_->mutex);
        peer_->asked.erase(id);
    }
    std::variant<Datum, RpcError> wait_for(std::int64_t id) {
        const StandingStill others_work(*this);
        // Under the lock, so that it cannot fall between a look and the wait; made and destroyed without it.
        const std::stop_callback wake(stop_.get_token(), [this] {
            const std::scoped_lock stopping(mutex_);
            wakes_.notify_all();
        });
        std::unique_lock lock(mutex_);
        wakes_.wait_for(lock, server_.limits_.ask_timeout, [this] { return given_ || is_stopped(); });
        std::optional<std::variant<Datum, RpcError>> given = std::exchange(given_, std::nullopt);
        question_ = 0;
        lock.unlock();
        end_asking(id);
        if (given) return *std::move(given);
        return rpc_error(ErrorCode::InternalError,
                         is_stopped() ? "The request was cancelled." : "The client did not answer in time.");
    }

    Server& server_; ///< outlives what its workers and its clients have of it
    const PeerPtr peer_;
    Message message_; ///< as it came, until the call is given up
    const Terms terms_;
    const OutletPtr outlet_;
    std::shared_ptr<const Offer> offer_; ///< one, whatever takes its place while it is carried out
    const std::string key_;
    std::optional<Pool::Part> held_; ///< for the one thread that began it, or gave it up
    std::atomic<bool> has_begun_{false};
    std::atomic<State> state_{State::Open};
    std::stop_source stop_;
    std::mutex mutex_;
    std::condition_variable wakes_;
    Workers::Place place_;
    std::int64_t question_ = 0; ///< that waits for an answer
    std::optional<std::variant<Datum, RpcError>> given_;
};

Server::Server(Offer offer, ServerLimits limits)
    : offer_(std::make_shared<const Offer>(std::move(offer))), limits_(limits),
      listening_(limits.max_listening, limits.is_shared), held_bytes_(limits.max_held_bytes, limits.is_shared),
      asked_(limits.max_asked, limits.is_shared), workers_(worker_limits(limits)) {}
Server::~Server() { stop(); }

void Server::replace(Offer offer) {
    auto made = std::make_shared<const Offer>(std::move(offer));
    const std::scoped_lock lock(offer_mutex_);
    offer_.swap(made);
}

std::shared_ptr<const Offer> Server::offer() const {
    const std::scoped_lock lock(offer_mutex_);
    return offer_;
}

std::string Server::schema_with_headers(const std::string& tool) const {
    const std::shared_ptr<const Offer> offered = offer();
    const OfferedTool* found = find_row(offered->tools, &OfferedTool::name, tool);
    return found ? found->input_schema : "";
}

void Server::receive(const PeerPtr& peer, Message message, const OutletPtr& outlet, std::size_t bytes) {
    switch (message.kind) {
    case MessageKind::Request: return take_request(peer, std::move(message), outlet, bytes);
    case MessageKind::Notification: return take_notification(peer, message);
    case MessageKind::Result:
    case MessageKind::Error: return take_answer(peer, std::move(message));
    }
}

// ---- Admission

/// Why a request cannot be taken, or what it stands under.
std::optional<RpcError> Server::admit(Peer& peer, const Message& message, Revision& revision,
                                      Datum& capabilities) const {
    const MethodRow* row = find_method(message.method);
    const Datum* version = message.meta(kMetaVersion);
    {
        const std::scoped_lock lock(peer.mutex);
        if (!version && peer.revision) {
            revision = *peer.revision;
            capabilities = peer.capabilities;
            if (row && row->kind != MethodKind::ServerRequest && has_method(revision, *row)) return std::nullopt;
            return rpc_error(ErrorCode::MethodNotFound,
                             "There is no method " + quoted_excerpt(message.method, 100) + ".");
        }
    }
    if (!version && row && (row->method == Method::Ping || row->method == Method::Initialize)) {
        revision = kNewestWithSessions;
        return std::nullopt;
    }
    if (!version || !version->text())
        return rpc_error(ErrorCode::InvalidParams, "Either a session begins with `initialize`, or each request has `" +
                                                       std::string(kMetaVersion) + "` in its `_meta`.");
    const std::optional<Revision> found = find_revision(*version->text());
    if (!found || !mcp::is_stateless(*found)) return unsupported_version(*version->text());
    revision = *found;
    const Datum* declared = message.meta(kMetaCapabilities);
    if (!declared || !declared->map())
        return rpc_error(ErrorCode::InvalidParams,
                         "`_meta` must have `" + std::string(kMetaCapabilities) + "`, an object.");
    capabilities = *declared;
    if (const Datum* level = message.meta(kMetaLogLevel)) {
        if (!level->text() || log_level(*level->text()) == kLogLevels.size())
            return rpc_error(ErrorCode::InvalidParams, "There is no such `" + std::string(kMetaLogLevel) + "`.");
    }
    if (row && row->kind == MethodKind::ClientRequest && has_method(revision, *row)) return std::nullopt;
    return rpc_error(ErrorCode::MethodNotFound, "There is no method " + quoted_excerpt(message.method, 100) + ".");
}

void Server::take_request(const PeerPtr& peer, Message message, const OutletPtr& outlet, std::size_t bytes) {
    RunningCall::Terms terms;
    std::optional<RpcError> error = admit(*peer, message, terms.revision, terms.capabilities);
    const Datum* token = message.meta(kProgressToken); // it goes into each notification
    if (!error && token && !is_message_id(*token))
        error = rpc_error(ErrorCode::InvalidParams, "`progressToken` " + message_id_rule());
    if (error) return outlet->finish(write_error(message.id, *error), error_status(error->code));
    const Method method = find_method(message.method)->method;
    if (method == Method::Listen) return listen(peer, message, outlet);
    const auto call = std::make_shared<RunningCall>(*this, peer, std::move(message), std::move(terms), outlet, bytes);
    if (method == Method::Initialize || method == Method::Ping)
        return finish(*call, method == Method::Ping ? Answer{.json = "{}"} : initialize(*call));
    begin(peer, call);
}

void Server::begin(const PeerPtr& peer, const std::shared_ptr<RunningCall>& call) {
    const auto refuse = [&](ErrorCode code, const char* why, int status) {
        call->outlet()->finish(write_error(call->request().id, rpc_error(code, why)), status);
    };
    if (!call->is_held())
        return refuse(ErrorCode::InternalError, "The requests under way are too large together.", 429);
    {
        const std::scoped_lock lock(peer->mutex);
        if (peer->is_closed) return refuse(ErrorCode::InvalidRequest, "The session has ended.", 404);
        if (peer->calls.size() >= limits_.max_of_client)
            return refuse(ErrorCode::InternalError, "Too many requests of this client are under way.", 429);
        if (!peer->calls.emplace(call->key(), call).second)
            return refuse(ErrorCode::InvalidRequest, "A request with this `id` is under way.", 400);
    }
    {
        std::unique_lock lock(mutex_);
        if (is_stopping_) {
            lock.unlock();
            forget(*call);
            return refuse(ErrorCode::InternalError, kEnding, 503);
        }
        if (calls_.size() >= 32) std::erase_if(calls_, [](const auto& known) { return known.expired(); });
        calls_.push_back(call);
    }
    auto work = [this, call] {
        if (!call->begin()) return;
        try {
            call->settle();
            finish(*call, carry_out(*call));
        } catch (const std::exception&) {
            finish(*call, failure(rpc_error(ErrorCode::InternalError)));
        }
    };
    auto is_unwanted = [call] { return call->is_stopped(); };
    if (workers_.run({.run = std::move(work), .is_unwanted = std::move(is_unwanted), .owner = peer->client})) return;
    forget(*call);
    refuse(ErrorCode::InternalError, "Too many requests are under way.", 429);
}

/// Its id may be used again.
void Server::forget(RunningCall& call) {
    const std::scoped_lock lock(call.peer()->mutex);
    const auto found = call.peer()->calls.find(call.key());
    if (found != call.peer()->calls.end() && found->second.get() == &call) call.peer()->calls.erase(found);
}

void Server::finish(RunningCall& call, const Answer& answer) {
    forget(call);
    if (call.end())
        return call.outlet()->finish(write_error(call.request().id, rpc_error(ErrorCode::InternalError, kEnding)), 503);
    if (call.is_stopped()) return call.outlet()->drop();
    if (!answer.error) return call.outlet()->finish(finished(call, answer), 200);
    const int status = is_stateless(call.revision()) ? error_status(answer.error->code) : 200;
    call.outlet()->finish(write_error(call.request().id, *answer.error), status);
}

/// One that waits for a thread is over at once, and holds no memory.
void Server::stop_call(const std::shared_ptr<RunningCall>& call) {
    call->request_stop();
    if (call->give_up()) finish(*call, {});
}

/// Those under way.
std::vector<std::shared_ptr<RunningCall>> Server::calls() {
    std::vector<std::shared_ptr<RunningCall>> calls;
    const std::scoped_lock lock(mutex_);
    std::erase_if(calls_, [](const auto& known) { return known.expired(); });
    for (const auto& known : calls_) {
        if (auto call = known.lock()) calls.push_back(std::move(call));
    }
    return calls;
}

/// The result with what its revision wants beside it.
std::string Server::finished(const RunningCall& call, const Answer& answer) {
    if (!call.is_stateless()) return write_result(call.request().id, answer.json);
    const Method method = find_method(call.request().method)->method;
    JsonObject members;
    members.text("resultType", answer.is_input_required ? "input_required" : "complete");
    members.raw("_meta",
                JsonObject()
                    .raw(kMetaServer,
                         JsonObject().text("name", call.offer().name).text("version", call.offer().version).finish())
                    .finish());
    if (is_cacheable(method) && !answer.is_input_required)
        members.number("ttlMs", call.offer().ttl_ms).text("cacheScope", is_listing(method) ? "public" : "private");
    std::string json = members.finish();
    json.pop_back();
    if (answer.json.size() > 2)
        json += "," + answer.json.substr(1);
    else
        json += "}";
    return write_result(call.request().id, json);
}

// ---- What clients say beside requests

void Server::take_notification(const PeerPtr& peer, const Message& message) {
    const MethodRow* row = find_method(message.method);
    if (!row || row->method != Method::Cancelled) return; // unknown ones are nobody's
    const std::string id = message.params["requestId"].to_json();
    std::shared_ptr<RunningCall> call;
    {
        const std::scoped_lock lock(peer->mutex);
        const auto found = peer->calls.find(id);
        if (found != peer->calls.end()) call = found->second;
    }
    if (call) return stop_call(call);
    const std::scoped_lock lock(mutex_);
    std::erase_if(listeners_, [&](const Listener& one) {
        const bool is_meant = one.peer.lock() == peer && one.id.to_json() == id;
        if (is_meant) one.outlet->drop();
        return is_meant;
    });
}

void Server::take_answer(const PeerPtr& peer, Message message) {
    std::shared_ptr<RunningCall> call;
    const auto* id = message.id.get_if<std::int64_t>();
    {
        const std::scoped_lock lock(peer->mutex);
        const auto found = id ? peer->asked.find(*id) : peer->asked.end();
        if (found == peer->asked.end()) return; // late, or to nothing that was asked
        call = std::move(found->second);
        peer->asked.erase(found);
    }
    if (message.kind == MessageKind::Error) return call->take_answer(*id, std::move(message.error));
    call->take_answer(*id, std::move(message.result));
}

void Server::end_input(const PeerPtr& peer) {
    std::map<std::int64_t, std::shared_ptr<RunningCall>> asked;
    {
        const std::scoped_lock lock(peer->mutex);
        peer->can_answer = false;
        asked = std::exchange(peer->asked, {});
    }
    for (const auto& [id, call] : asked)
        call->take_answer(id, rpc_error(ErrorCode::InternalError, "The client has ended its input."));
}

void Server::close(const PeerPtr& peer) {
    std::vector<std::shared_ptr<RunningCall>> calls;
    OutletPtr stream;
    {
        const std::scoped_lock lock(peer->mutex);
        peer->is_closed = true;
        for (const auto& [id, call] : peer->calls)
            calls.push_back(call);
        stream = std::move(peer->stream);
    }
    for (const auto& call : calls)
        stop_call(call);
    if (stream) stream->drop();
}

void Server::tick() {
    for (const auto& call : calls()) {
        if (call->outlet()->is_gone()) stop_call(call);
    }
    const std::scoped_lock lock(mutex_);
    std::erase_if(sessions_, [](const auto& known) { return known.expired(); });
    std::erase_if(listeners_, [](const Listener& one) {
        const bool is_gone = one.outlet->is_gone();
        if (is_gone) one.outlet->drop();
        return is_gone;
    });
}

void Server::stop_listening() {
    std::vector<Listener> listeners;
    std::vector<std::weak_ptr<Peer>> sessions;
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
        listeners = std::exchange(listeners_, {});
        sessions = sessions_;
    }
    for (const Listener& one : listeners) {
        const Datum meta = Datum::object({{std::string(kMetaSubscription), one.id}});
        one.outlet->finish(
            write_result(one.id, JsonObject().text("resultType", "complete").raw("_meta", meta.to_json()).finish()),
            200);
    }
    for (const auto& known : sessions) {
        const PeerPtr peer = known.lock();
        if (!peer) continue;
        const std::scoped_lock lock(peer->mutex);
        if (OutletPtr stream = std::move(peer->stream)) stream->drop();
    }
}

std::size_t Server::stop() {
    stop_listening();
    std::size_t cut_off = 0;
    for (const auto& call : calls()) {
        cut_off += call->cut_off() ? 1 : 0;
        stop_call(call);
    }
    return cut_off;
}

// ---- Beginning, and listening

Answer Server::initialize(RunningCall& call) {
    const Offer& offer = call.offer();
    const Message& message = call.request();
    Peer& peer = *call.peer();
    const Datum& wanted = message.params["protocolVersion"];
    if (!wanted.text() || !message.params["capabilities"].map())
        return failure(rpc_error(ErrorCode::InvalidParams, "`initialize` has `protocolVersion` and `capabilities`."));
    if (message.params["capabilities"].to_json().size() > kMostCapabilityBytes)
        return failure(rpc_error(ErrorCode::InvalidParams,
                                 "`capabilities` are longer than " + std::to_string(kMostCapabilityBytes) + " bytes."));
    std::optional<Revision> revision = find_revision(*wanted.text());
    if (!revision || is_stateless(*revision)) revision = kNewestWithSessions;
    const std::scoped_lock lock(peer.mutex);
    if (peer.revision) return failure(rpc_error(ErrorCode::InvalidRequest, "The session has begun already."));
    peer.revision = revision;
    peer.capabilities = message.params["capabilities"];
    JsonObject info;
    info.text("name", offer.name);
    if (*revision >= Revision::R2025_06_18) info.text("title", offer.title);
    info.text("version", offer.version);
    JsonObject json;
    json.text("protocolVersion", revision_text(*revision)).raw("capabilities", capabilities_json(offer, *revision));
    json.raw("serverInfo", info.finish());
    if (!offer.instructions.empty()) json.text("instructions", offer.instructions);
    return {.json = json.finish()};
}

void Server::add_session(const PeerPtr& peer) {
    const std::scoped_lock lock(mutex_);
    sessions_.push_back(peer);
}

void Server::listen(const PeerPtr& peer, const Message& message, const OutletPtr& outlet) {
    const std::shared_ptr<const Offer> offer = this->offer();
    const Datum& wanted = message.params["notifications"];
    const auto refuse = [&](const RpcError& error) {
        outlet->finish(write_error(message.id, error), error_status(error.code));
    };
    if (!offer->can_change && !offer->can_update)
        return refuse(rpc_error(ErrorCode::MethodNotFound, "Nothing of this server changes while it runs."));
    if (!wanted.map()) return refuse(rpc_error(ErrorCode::InvalidParams, "`notifications` must be an object."));
    Datum::Map agreed;
    for (const char* name : {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}) {
        if (offer->can_change && wanted[name] == Datum(true)) agreed.emplace_back(name, true);
    }
    if (offer->can_update && wanted["resourceSubscriptions"].list())
        agreed.emplace_back("resourceSubscriptions", wanted["resourceSubscriptions"]);
    const Datum filter(std::move(agreed));
    const std::scoped_lock lock(mutex_);
    std::optional<Pool::Part> part = listening_.take(peer->client);
    if (is_stopping_ || !part)
        return outlet->finish(write_error(message.id, rpc_error(ErrorCode::InternalError, "Too many listen already.")),
                              429);
    const Datum meta = Datum::object({{std::string(kMetaSubscription), message.id}});
    outlet->send(write_notification(method_text(Method::Acknowledged),
                                    Datum::object({{"_meta", meta}, {"notifications", filter}})));
    listeners_.push_back({peer, outlet, message.id, filter, *std::move(part)});
}

void Server::changed(Method notification) {
    const std::string_view wanted = notification == Method::ToolsChanged     ? "toolsListChanged"
                                    : notification == Method::PromptsChanged ? "promptsListChanged"
                                                                             : "resourcesListChanged";
    notify_all(notification, Datum(Datum::Map()), wanted, nullptr);
}

void Server::updated(const std::string& uri) {
    notify_all(Method::ResourceUpdated, Datum::object({{"uri", uri}}), "resourceSubscriptions", &uri);
}

void Server::notify_all(Method method, const Datum& params, std::string_view wanted, const std::string* uri) {
    const std::scoped_lock lock(mutex_);
    for (const Listener& one : listeners_) {
        const Datum& asked = one.filter[wanted];
        if (uri ? std::ranges::find(asked.items(), Datum(*uri)) == asked.items().end() : asked.is_nil()) continue;
        Datum::Map members = params.entries();
        members.emplace_back("_meta", Datum::object({{std::string(kMetaSubscription), one.id}}));
        one.outlet->send(write_notification(method_text(method), Datum(std::move(members))));
    }
    for (const auto& known : sessions_) {
        const PeerPtr peer = known.lock();
        if (!peer) continue;
        const std::scoped_lock inner(peer->mutex);
        if (peer->stream && peer->revision && (!uri || peer->subscriptions.contains(*uri)))
            peer->stream->send(write_notification(method_text(method), params));
    }
}

// ---- Requests

Answer Server::carry_out(RunningCall& call) {
    const Offer& offer = call.offer();
    const Method method = find_method(call.request().method)->method;
    const Datum& params = call.request().params;
    if (is_listing(method) && !params["cursor"].is_nil())
        return failure(rpc_error(ErrorCode::InvalidParams, "There is no such `cursor`: lists come in one piece."));
    switch (method) {
    case Method::Discover: {
        JsonObject json;
        json.raw("supportedVersions", revision_list().to_json())
            .raw("capabilities", capabilities_json(offer, call.revision()));
        if (!offer.instructions.empty()) json.text("instructions", offer.instructions);
        return {.json = json.finish()};
    }
    case Method::ToolsList: return {.json = list_json("tools", offer.tools)};
    case Method::ToolsCall: return call_tool(call);
    case Method::ResourcesList: return {.json = list_json("resources", offer.resources)};
    case Method::ResourcesTemplates: return {.json = list_json("resourceTemplates", offer.templates)};
    case Method::ResourcesRead: return read_resource(call);
    case Method::PromptsList: return {.json = list_json("prompts", offer.prompts)};
    default: return carry_out_other(call, method);
    }
}

Answer Server::carry_out_other(RunningCall& call, Method method) {
    const Offer& offer = call.offer();
    const Datum& params = call.request().params;
    if (method == Method::PromptsGet) {
        if (!params["name"].text()) return failure(rpc_error(ErrorCode::InvalidParams, "`name` must be a text."));
        const OfferedPrompt* prompt = find_row(offer.prompts, &OfferedPrompt::name, *params["name"].text());
        return prompt ? prompt->get(call) : failure(unknown("prompt", *params["name"].text()));
    }
    if (method == Method::Complete && offer.complete) return offer.complete(call);
    if (method == Method::SetLevel) {
        const std::size_t level = params["level"].text() ? log_level(*params["level"].text()) : kLogLevels.size();
        if (level == kLogLevels.size())
            return failure(rpc_error(ErrorCode::InvalidParams, "There is no such `level`."));
        const std::scoped_lock lock(call.peer()->mutex);
        call.peer()->log_level = level;
        return {.json = "{}"};
    }
    const bool subscribes = method == Method::ResourcesSubscribe;
    if ((subscribes || method == Method::ResourcesUnsubscribe) && offer.can_update) {
        if (!params["uri"].text()) return failure(rpc_error(ErrorCode::InvalidParams, "`uri` must be a text."));
        const std::scoped_lock lock(call.peer()->mutex);
        auto& known = call.peer()->subscriptions;
        if (!subscribes)
            known.erase(*params["uri"].text());
        else if (known.size() < 1000)
            known.insert(*params["uri"].text());
        return {.json = "{}"};
    }
    return failure(rpc_error(ErrorCode::MethodNotFound, "This server has no `" + call.request().method + "`."));
}

Answer Server::call_tool(RunningCall& call) {
    const Offer& offer = call.offer();
    const Datum& params = call.request().params;
    if (!params["name"].text()) return failure(rpc_error(ErrorCode::InvalidParams, "`name` must be a text."));
    const Datum& arguments = params["arguments"];
    if (!arguments.is_nil() && !arguments.map())
        return failure(rpc_error(ErrorCode::InvalidParams, "`arguments` must be an object."));
    const OfferedTool* tool = find_row(offer.tools, &OfferedTool::name, *params["name"].text());
    return tool ? tool->call(call) : failure(unknown("tool", *params["name"].text()));
}

Answer Server::read_resource(RunningCall& call) {
    const Offer& offer = call.offer();
    const Datum& uri = call.request().params["uri"];
    if (!uri.text()) return failure(rpc_error(ErrorCode::InvalidParams, "`uri` must be a text."));
    if (const OfferedResource* resource = find_row(offer.resources, &OfferedResource::uri, *uri.text()))
        return resource->read(call);
    for (const OfferedTemplate& one : offer.templates) {
        if (std::optional<Answer> answer = one.read(call, *uri.text())) return *std::move(answer);
    }
    RpcError error = unknown("resource", *uri.text());
    if (!call.is_stateless()) error.code = static_cast<int>(ErrorCode::ResourceNotFound);
    error.data = Datum::object({{"uri", utf8::prefix(*uri.text(), 200)}});
    return failure(std::move(error));
}

} // namespace ptc::mcp
