// The two eras of the protocol. Since 2026-07-28 each request carries version and capabilities, and a server that needs
// something of us answers `input_required`; before, `initialize` begins a session in which servers may ask. Which era a
// server belongs to is found by asking it `server/discover` first, unless the configuration says it.
#include "subagent/mcp/client_session.h"
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "ptc/version.h"
#include "subagent/mcp/client_headers.h"
#include "subagent/mcp/json_parts.h"
#include <algorithm>
#include <set>

namespace ptc::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kDiscoverTime{10}; ///< then a silent server is taken for an old one
constexpr std::size_t kMostTools = 20'000;
constexpr std::size_t kMostPages = 1000;
constexpr std::size_t kMostCursorBytes = std::size_t{16} << 10; ///< of a page, all of which are kept
constexpr std::size_t kMostListedBytes = std::size_t{64} << 20; ///< of all tools that are kept
constexpr std::size_t kMostReadOfTool = std::size_t{16} << 20;  ///< for its values, and four times its text
constexpr std::size_t kMostOfDescription = 4000;
constexpr std::size_t kMostSchema = 64u << 10;
constexpr std::size_t kMostName = 256;
constexpr std::size_t kMostNotices = 100;
constexpr std::size_t kMostListens = 100;
constexpr int kMostRounds = 20; ///< of `input_required`

Datum client_info() { return Datum::object({{"name", "ptc"}, {"version", PTC_VERSION}}); }

Datum with(Datum params, std::string_view key, Datum value) {
    Datum::Map map = params.map() ? *params.map() : Datum::Map();
    std::erase_if(map, [&](const auto& entry) { return entry.first.text() && *entry.first.text() == key; });
    map.emplace_back(Datum(key), std::move(value));
    return Datum(std::move(map));
}

/// A text that may be shown: valid, without control characters, with what nobody sees spelled out, bounded.
std::string clean(std::string_view text, std::size_t most) {
    std::string kept(utf8::prefix(text, most));
    if (utf8::find_invalid(kept) != utf8::kValid) return "";
    for (char& c : kept) {
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F) c = ' ';
    }
    const bool is_cut = kept.size() < text.size();
    const std::string shown = spelled_out(kept);
    const std::string out(utf8::prefix(shown, most));
    return is_cut || out.size() < shown.size() ? out + "…" : out;
}

/// One tool of a page; "" in `notice` when all of it is kept. None: it has no name.
std::optional<ListedTool> read_tool(const Datum& row, std::string& notice) {
    const std::string* name = row["name"].text();
    if (!name || name->empty() || name->size() > kMostName) {
        return std::nullopt;
    }
    ListedTool tool{.name = *name, .description = {}, .input_schema = R"({"type":"object"})", .output_schema = {}};
    if (const std::string* text = row["description"].text()) tool.description = clean(*text, kMostOfDescription);
    const auto keep = [&](const char* member, std::string& schema) {
        const Datum* given = row.find(member);
        if (!given || !given->map()) return;
        std::string json = given->to_json();
        if (json.size() <= kMostSchema)
            schema = std::string(json); // without the room that it grew in
        else
            notice = quoted(member) + " of the tool " + quoted_excerpt(*name) + " has " + std::to_string(json.size()) +
                     " bytes, which is more than is read: anything is allowed there.";
    };
    keep("inputSchema", tool.input_schema);
    keep("outputSchema", tool.output_schema);
    tool.is_read_only = row["annotations"]["readOnlyHint"] == Datum(true);
    return tool;
}

/// Whether the server refused a revision and says that it speaks this one.
bool supports(const Failure& refused, Revision revision) {
    if (refused.error.code != static_cast<int>(ErrorCode::UnsupportedVersion)) return false;
    const Datum::List& supported = refused.error.data["supported"].items();
    return std::ranges::find(supported, Datum(revision_text(revision))) != supported.end();
}

/// What of the pages of a list is kept. A page may have 64 MB and is of somebody whom nobody trusts: its tools are made
/// values one at a time.
class Gathering {
public:
    explicit Gathering(const McpServer& server) : server_(server) {}
    /// Nothing when it could be read.
    std::optional<Failure> add_page(std::string_view list, const CallTerms& terms) {
        std::optional<Failure> failed;
        const bool is_list = visit_items(list, [&](std::string_view item) {
            if (terms.stop.stop_requested())
                failed = failure(Failure::Kind::Cancelled, "Nobody waits for it any more.");
            else if (SteadyClock::now() >= terms.deadline)
                failed = failure(Failure::Kind::Timeout, "Its list of tools could not be read in time.");
            else if (!add(item))
                failed = failure(Failure::Kind::Broken, "Its list of tools is no JSON.");
            return !failed && !is_full_;
        });
        if (!is_list) return failure(Failure::Kind::Broken, "Its list of tools is no JSON.");
        return failed;
    }
    [[nodiscard]] bool is_full() const { return is_full_; }
    void tell(std::string notice) {
        if (!notice.empty() && listing_.notices.size() < kMostNotices) listing_.notices.push_back(std::move(notice));
    }
    [[nodiscard]] Listing take() {
        if (nameless_ > 0)
            tell((nameless_ == 1 ? "A tool" : std::to_string(nameless_) + " tools") + " without a name of at most " +
                 std::to_string(kMostName) + " bytes " + (nameless_ == 1 ? "is" : "are") + " left out.");
        return std::move(listing_);
    }

private:
    /// False: it is no JSON.
    bool add(std::string_view item) {
        MessageLimits limits = listing_limits();
        limits.reading.max_bytes = kMostReadOfTool + 4 * item.size();
        const Result<Datum> row = read_item(item, limits);
        if (!row.ok() && row.error().reason == Reason::InvalidJson) return false;
        if (!row.ok()) {
            tell("A tool of which " + std::to_string(item.size()) + " bytes are said is left out: it says too much.");
            return true;
        }
        std::string notice;
        std::optional<ListedTool> tool = read_tool(row.value(), notice);
        tell(std::move(notice));
        if (tool)
            keep(std::move(*tool));
        else
            ++nameless_;
        return true;
    }
    void keep(ListedTool tool) {
        if (!server_.url.empty()) {
            if (std::string why = header_problem(tool.input_schema); !why.empty())
                return tell("The tool " + quoted_excerpt(tool.name) + " is left out: " + why);
        }
        bytes_ += tool.name.size() + tool.description.size() + tool.input_schema.size() + tool.output_schema.size();
        is_full_ = listing_.tools.size() >= kMostTools || bytes_ > kMostListedBytes;
        if (is_full_) return tell("Tools beyond the first " + std::to_string(listing_.tools.size()) + " are left out.");
        if (names_.insert(tool.name).second)
            listing_.tools.push_back(std::move(tool));
        else
            tell("The tool " + quoted_excerpt(tool.name) + " is listed twice; the first one counts.");
    }

    const McpServer& server_;
    Listing listing_;
    std::set<std::string> names_;
    std::size_t bytes_ = 0;
    std::size_t nameless_ = 0;
    bool is_full_ = false;
};

} // namespace

Session::Session(McpServer server, SessionHost host, std::shared_ptr<Authorizer> authorizer)
    : server_(std::move(server)), host_(std::move(host)) {
    Listener listener{
        .answer = [this](const Message& request, Questions& questions) { return answer_server(request, questions); },
        .hear = [this](const Message& notification) { hear(notification); }};
    transport_ = server_.url.empty() ? make_stdio_transport(server_, std::move(listener))
                                     : make_http_transport(server_, std::move(listener), std::move(authorizer));
}

Session::~Session() { close(); }

void Session::close() {
    is_connected_ = false;
    listening_ = {};
    transport_->close();
}

std::string Session::instructions() const {
    const std::scoped_lock lock(mutex_);
    return instructions_;
}

Datum Session::capabilities() const {
    if (!host_.elicit) return Datum(Datum::Map());
    return Datum::object({{"elicitation", Datum(Datum::Map())}});
}

std::optional<Failure> Session::connect(const CallTerms& terms) {
    if (is_connected_ && transport_->is_open()) return std::nullopt;
    std::unique_lock lock(connecting_, std::defer_lock);
    constexpr std::chrono::milliseconds kBetweenLooks{50}; // whether anybody waits still
    while (!lock.try_lock_until(std::min(terms.deadline, SteadyClock::now() + kBetweenLooks))) {
        if (terms.stop.stop_requested()) return failure(Failure::Kind::Cancelled, "Nobody waits for it any more.");
        if (SteadyClock::now() >= terms.deadline)
            return failure(Failure::Kind::Timeout, "It is still being connected to.");
    }
    if (is_connected_ && transport_->is_open()) return std::nullopt;
    is_connected_ = false;
    if (auto why = transport_->open()) return why;
    if (auto why = transport_->prepare(terms)) return why;
    if (auto why = negotiate(terms)) return why;
    is_connected_ = true;
    return std::nullopt;
}

std::optional<Failure> Session::negotiate(const CallTerms& terms) {
    bool is_old = false;
    const std::optional<Revision> wanted = server_.revision.empty() ? std::nullopt : find_revision(server_.revision);
    if (!server_.revision.empty() && !wanted)
        return failure(Failure::Kind::NotThere, "The revision " + quoted(server_.revision) + " is not known.");
    if (!wanted || is_stateless(*wanted)) {
        CallTerms asking = terms;
        const bool may_fall_back = !wanted;
        if (may_fall_back && server_.url.empty()) { // at most half of the time: an old one is to be spoken with as well
            const SteadyClock::time_point now = SteadyClock::now();
            asking.deadline = now + std::min<SteadyClock::duration>(kDiscoverTime, (terms.deadline - now) / 2);
        }
        if (auto why = discover(asking, is_old)) return why;
        if (!is_old) return std::nullopt;
        if (!may_fall_back) return failure(Failure::Kind::NotThere, "It does not speak " + server_.revision + ".");
    }
    return initialize(terms);
}

/// `is_old`: it does not know of this revision, so it is to be initialized.
std::optional<Failure> Session::discover(const CallTerms& terms, bool& is_old) {
    {
        const std::scoped_lock lock(mutex_);
        revision_ = kNewest;
    }
    transport_->set_revision(kNewest);
    Outgoing request{.id = {}, .method = method_text(Method::Discover), .params = {}};
    Answer answer = send(request, terms);
    const auto* refused = std::get_if<Failure>(&answer);
    if (refused && supports(*refused, kNewest)) answer = send(request, terms); // it says that it would speak it
    if (const Datum* result = std::get_if<Datum>(&answer)) {
        bool has_newest = false;
        for (const Datum& version : (*result)["supportedVersions"].items())
            has_newest = has_newest || version == Datum(revision_text(kNewest));
        is_old = !has_newest;
        {
            const std::scoped_lock lock(mutex_);
            if (const std::string* text = (*result)["instructions"].text())
                instructions_ = clean(*text, kMostOfDescription);
        }
        // Without the lock, which the thread that listened before may want before it ends.
        if (has_newest && (*result)["capabilities"]["tools"]["listChanged"] == Datum(true))
            listening_ = std::jthread([this](const std::stop_token& stop) { listen(stop); });
        return std::nullopt;
    }
    const auto& why = std::get<Failure>(answer);
    switch (why.kind) {
    case Failure::Kind::Refused:
        // A server of this era that does not speak our newest revision says what it speaks.
        is_old = why.error.code != static_cast<int>(ErrorCode::UnsupportedVersion) ||
                 std::ranges::any_of(kRevisions, [&](Revision r) { return !is_stateless(r) && supports(why, r); });
        if (is_old) return std::nullopt;
        return failure(Failure::Kind::NotThere, "It speaks no revision of the protocol that we do.");
    case Failure::Kind::Timeout: is_old = server_.url.empty(); break;
    case Failure::Kind::NotThere:
    case Failure::Kind::Broken: is_old = why.http_status >= 400 && why.http_status < 500; break;
    case Failure::Kind::Ended: {
        // There are servers that end at a request before `initialize`.
        is_old = server_.url.empty() && !transport_->open();
        break;
    }
    case Failure::Kind::Cancelled:
    case Failure::Kind::NoSession:
    case Failure::Kind::Unauthorized: break;
    }
    if (is_old) return std::nullopt;
    return why;
}

std::optional<Failure> Session::initialize(const CallTerms& terms) {
    const Revision offered =
        server_.revision.empty() ? kNewestWithSessions : find_revision(server_.revision).value_or(kNewestWithSessions);
    {
        const std::scoped_lock lock(mutex_);
        revision_.reset();
    }
    transport_->set_revision(std::nullopt);
    Outgoing request{.id = {},
                     .method = method_text(Method::Initialize),
                     .params = Datum::object({{"protocolVersion", revision_text(offered)},
                                              {"capabilities", capabilities()},
                                              {"clientInfo", client_info()}})};
    const Answer answer = send(request, terms);
    if (const auto* why = std::get_if<Failure>(&answer)) return *why;
    const Datum& result = std::get<Datum>(answer);
    const std::string* version = result["protocolVersion"].text();
    const std::optional<Revision> agreed = version ? find_revision(*version) : std::nullopt;
    // 2024-11-05 has the same messages over pipes.
    const bool is_oldest = version && *version == "2024-11-05" && server_.url.empty();
    if ((!agreed || is_stateless(*agreed)) && !is_oldest)
        return failure(Failure::Kind::NotThere,
                       "It speaks no revision of the protocol that we do" +
                           (version ? ", but " + quoted_excerpt(*version, 30) : std::string()) + ".");
    transport_->agree(agreed.value_or(kRevisions.front()));
    {
        const std::scoped_lock lock(mutex_);
        revision_ = agreed.value_or(kRevisions.front());
        if (const std::string* text = result["instructions"].text()) instructions_ = clean(*text, kMostOfDescription);
    }
    return transport_->notify(method_text(Method::Initialized), {});
}

/// One request and its answer, with the id and the metadata that it needs.
Answer Session::send(Outgoing& request, const CallTerms& terms) {
    const std::int64_t id = ++last_id_;
    request.id = Datum(id);
    Outgoing made = request;
    std::optional<Revision> revision;
    {
        const std::scoped_lock lock(mutex_);
        revision = revision_;
        if (terms.progress) progress_[id] = terms.progress;
    }
    Datum meta = made.params["_meta"];
    if (terms.progress) meta = with(std::move(meta), kProgressToken, Datum(id));
    if (revision && is_stateless(*revision)) {
        meta = with(std::move(meta), kMetaVersion, Datum(revision_text(*revision)));
        meta = with(std::move(meta), kMetaClient, client_info());
        meta = with(std::move(meta), kMetaCapabilities, capabilities());
        made.headers.emplace_back(kHeaderMethod, made.method);
        if (!made.name.empty()) made.headers.emplace_back(kHeaderName, header_value(made.name));
    }
    if (meta.map()) made.params = with(std::move(made.params), "_meta", std::move(meta));
    Answer answer = transport_->request(made, terms);
    if (terms.progress) {
        const std::scoped_lock lock(mutex_);
        progress_.erase(id);
    }
    return answer;
}

/// The result of `elicitation/create`: cancelled where the host fails, in any way (this may be a thread of ours), or
/// where the server has asked enough.
Datum Session::ask_host(const Datum& request, Questions& questions) const {
    if (questions.take()) {
        try {
            Result<Datum> given =
                host_.elicit({.server = server_.name, .request = request, .context = questions.context});
            if (given.ok()) return std::move(given).value();
        } catch (...) { // it is cancelled
        }
    }
    return Datum::object({{"action", "cancel"}});
}

/// What a server of 2026-07-28 wants to know before it goes on.
Datum Session::input_responses(const Datum& requests, Questions& questions, std::optional<Failure>& failed) const {
    Datum::Map responses;
    for (const auto& [key, request] : requests.entries()) {
        const std::string* method = request["method"].text();
        if (!method || *method != method_text(Method::Elicit) || !host_.elicit) {
            failed = failure(Failure::Kind::Broken, "It asks for something that nobody can give it here.");
            return {};
        }
        responses.emplace_back(key, ask_host(request["params"], questions));
    }
    return Datum(std::move(responses));
}

Answer Session::request(Outgoing request, const CallTerms& given) {
    CallTerms terms = given;
    Questions questions{server_.max_questions, terms.context};
    const Datum params = request.params;
    bool was_renewed = false;
    for (int round = 0; round < kMostRounds;) {
        if (auto why = connect(terms)) return std::move(*why);
        Answer answer = send(request, terms);
        if (const auto* why = std::get_if<Failure>(&answer)) {
            // A server that has forgotten the session, or has ended before it was asked, may be asked again.
            if (why->kind == Failure::Kind::NoSession && !was_renewed) {
                was_renewed = true;
                is_connected_ = false;
                continue;
            }
            return answer;
        }
        const Datum& result = std::get<Datum>(answer);
        if (result["resultType"] != Datum("input_required")) return answer;
        ++round;
        request.params = params;
        if (const Datum* requests = result.find("inputRequests")) {
            std::optional<Failure> failed;
            const SteadyClock::time_point began = SteadyClock::now();
            Datum responses = input_responses(*requests, questions, failed);
            terms.deadline += SteadyClock::now() - began; // while a person thinks, the call's time stands still
            if (failed) return std::move(*failed);
            request.params = with(std::move(request.params), "inputResponses", std::move(responses));
        }
        if (const Datum* state = result.find("requestState"))
            request.params = with(std::move(request.params), "requestState", *state);
    }
    return failure(Failure::Kind::Broken, "It asks for more again and again.");
}

std::variant<Listing, Failure> Session::list_tools(const CallTerms& terms) {
    Gathering gathering(server_);
    std::set<std::string> cursors;
    Datum params = Datum(Datum::Map());
    for (std::size_t page = 0; page < kMostPages; ++page) {
        std::string list;
        Answer answer =
            request({.id = {}, .method = method_text(Method::ToolsList), .params = params, .list = &list}, terms);
        if (auto* why = std::get_if<Failure>(&answer)) {
            // A server without tools need not know the method.
            if (why->error.code == static_cast<int>(ErrorCode::MethodNotFound)) return gathering.take();
            return std::move(*why);
        }
        const Datum& result = std::get<Datum>(answer);
        if (list.empty()) return failure(Failure::Kind::Broken, "Its list of tools is no list.");
        if (auto why = gathering.add_page(list, terms)) return std::move(*why);
        if (gathering.is_full()) return gathering.take();
        const std::string* cursor = result["nextCursor"].text();
        if (!cursor) return gathering.take();
        if (cursor->size() > kMostCursorBytes) {
            gathering.tell("The list of tools names its next page by more than " + std::to_string(kMostCursorBytes) +
                           " bytes.");
            return gathering.take();
        }
        if (!cursors.insert(*cursor).second) {
            gathering.tell("The list of tools goes in a circle.");
            return gathering.take();
        }
        params = Datum::object({{"cursor", *cursor}});
    }
    gathering.tell("The list of tools has more than " + std::to_string(kMostPages) + " pages.");
    return gathering.take();
}

Answer Session::call_tool(const std::string& name, const Datum& arguments, std::string_view input_schema,
                          const CallTerms& terms) {
    if (auto why = connect(terms)) return std::move(*why); // which revision decides about headers
    Outgoing call{.id = {},
                  .method = method_text(Method::ToolsCall),
                  .params = Datum::object({{"name", name}, {"arguments", arguments}}),
                  .name = name};
    bool wants_headers = false;
    {
        const std::scoped_lock lock(mutex_);
        wants_headers = !server_.url.empty() && revision_ && is_stateless(*revision_);
    }
    if (wants_headers) call.headers = sent_headers(input_schema, arguments);
    return request(std::move(call), terms);
}

/// A request without an end, with which the server says that its tools have changed.
void Session::listen(const std::stop_token& stop) {
    const Datum wanted = Datum::object({{"notifications", Datum::object({{"toolsListChanged", true}})}});
    for (std::size_t times = 0; times < kMostListens && !stop.stop_requested() && transport_->is_open(); ++times) {
        Outgoing request{.id = {}, .method = method_text(Method::Listen), .params = wanted};
        const Answer answer = send(request, {.deadline = SteadyClock::now() + kListenTime, .stop = stop});
        const auto* why = std::get_if<Failure>(&answer);
        if (why && why->kind == Failure::Kind::Refused) return;
        for (int i = 0; i < 50 && !stop.stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::string Session::answer_server(const Message& request, Questions& questions) {
    const MethodRow* row = find_method(request.method);
    if (row && row->method == Method::Ping) return write_result(request.id, "{}");
    if (row && row->method == Method::Elicit && host_.elicit)
        return write_result(request.id, ask_host(request.params, questions).to_json());
    const bool is_question = row && row->method == Method::Elicit;
    return write_error(request.id,
                       rpc_error(ErrorCode::MethodNotFound, is_question ? "Nobody can be asked here." : ""));
}

void Session::hear(const Message& notification) {
    const MethodRow* row = find_method(notification.method);
    if (!row) return;
    if (row->method == Method::ToolsChanged && host_.on_tools_changed) host_.on_tools_changed();
    if (row->method != Method::Progress) return;
    std::int64_t token = 0;
    SharedFunction<void(Datum)> sink;
    {
        const std::scoped_lock lock(mutex_);
        const auto found =
            notification.params[kProgressToken].to_int64(&token) ? progress_.find(token) : progress_.end();
        if (found == progress_.end()) return;
        sink = found->second;
    }
    Datum state = notification.params;
    Datum::Map shown;
    for (const char* key : {"progress", "total", "message"}) {
        if (const Datum* value = state.find(key)) shown.emplace_back(Datum(key), *value);
    }
    try {
        sink(Datum(std::move(shown)));
    } catch (...) { // whoever watches cannot break it
    }
}

} // namespace ptc::mcp
