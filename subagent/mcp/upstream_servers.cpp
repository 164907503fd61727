// All upstream servers of a host, and their tools. Servers are asked at the same time, each on a thread of its own,
// when the client is made; a server that says that its tools have changed is asked again by the next who wants to know
// them. What results look like is learnt as they come, and kept with the catalogue when the client ends.
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "ptc/mcp_client.h"
#include "runtime/clock.h"
#include "subagent/mcp/catalog.h"
#include "subagent/mcp/client_oauth.h"
#include "subagent/mcp/client_values.h"
#include "subagent/mcp/kept_file.h"
#include "subagent/mcp/learnt_types.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
using mcp::CatalogTool;

constexpr std::size_t kMostNotices = 200;

/// Why, in our words, or quoted: what servers say is shown to people and models.
std::string reason_of(const mcp::Failure& why) {
    return why.kind == mcp::Failure::Kind::Refused ? quoted_excerpt(why.message, 1000) : why.message;
}

Error tool_failed(const std::string& server, const mcp::Failure& why) {
    const bool is_refused = why.kind == mcp::Failure::Kind::Refused;
    return {Reason::ToolError, "The MCP server " + quoted_excerpt(server) +
                                   (is_refused ? " refused the call: " : " failed. ") + reason_of(why)};
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// Whether `approval` names a tool that is not there: nobody knows then what is meant, so all of them need it.
bool is_misnamed(const McpServer& server, const std::set<std::string>& names) {
    return std::ranges::any_of(server.tools_to_approve, [&](const std::string& name) { return !names.contains(name); });
}

bool needs_approval(const McpServer& server, const std::string& tool) {
    return is_among(server.tools_to_approve, tool) || (server.approval && !is_among(server.tools_not_to_approve, tool));
}

const McpServer* server_of(std::span<const McpServer> servers, const std::string& name) {
    const auto found = std::ranges::find(servers, name, &McpServer::name);
    return found == servers.end() ? nullptr : &*found;
}
/// What `servers`, which outlive it, let through.
mcp::IsOffered offered_by(std::span<const McpServer> servers) {
    return [servers](const std::string& name, const std::string& tool) {
        const McpServer* server = server_of(servers, name);
        return server && mcp::is_offered(*server, tool);
    };
}

mcp::NameInPrograms names_by(std::span<const McpServer> servers) {
    return [servers](const std::string& name) {
        const McpServer* server = server_of(servers, name);
        return server ? mcp::program_name_of(*server) : "";
    };
}

std::set<std::string> names_of(const mcp::ServerCatalog& known) {
    std::set<std::string> names;
    for (const CatalogTool& tool : known.tools)
        names.insert(tool.listed->name);
    for (const auto& tool : known.hidden)
        names.insert(tool->name);
    return names;
}

/// How often one may do what others cause: twenty times at once, and twice a second for long.
class Allowance {
public:
    [[nodiscard]] bool is_there() const { return free_at() <= SteadyClock::now(); }
    [[nodiscard]] SteadyClock::time_point free_at() const { return used_until_.load() - kAtOnce * kEach; }
    void use() { used_until_ = std::max(used_until_.load(), SteadyClock::now()) + kEach; }

private:
    static constexpr std::chrono::milliseconds kEach{500};
    static constexpr int kAtOnce = 20;
    std::atomic<SteadyClock::time_point> used_until_{SteadyClock::now()};
};

/// One server, with what is known of its tools.
struct Upstream {
    std::unique_ptr<mcp::Session> session;
    std::atomic<std::size_t> notices_of_change{0}; ///< how often it said that its tools have changed
    std::atomic<std::size_t> heeded{0};            ///< of these, those before it was asked for them last
    Allowance asking;                              ///< for its tools, because it says that they have changed
    [[nodiscard]] bool has_changed() const { return heeded != notices_of_change; }
    [[nodiscard]] bool is_due() const { return has_changed() && asking.is_there(); }
    std::atomic<bool> has_learnt{false}; ///< what the file does not say yet
    std::atomic<bool> is_starting{true}; ///< it is asked for the first time; changes under Impl::following
    std::mutex listing;                  ///< held while it is asked for them
    mutable std::mutex mutex;            ///< of all below
    std::vector<CatalogTool> tools;      ///< `hint` is what `learnt` says
    std::vector<std::shared_ptr<const mcp::ListedTool>> hidden;
    mcp::LearntOfServer apart; ///< of tools that are not among these
    bool is_misnamed = false;  ///< `approval` names a tool that is not there
    std::string problem{};
    std::vector<std::string> notices{};
    [[nodiscard]] bool is_missing() const {
        const std::scoped_lock lock(mutex);
        return !problem.empty();
    }
};

} // namespace

struct McpClient::Impl {
    McpOptions options;
    std::string catalog_notice{}; ///< why its file is not used
    std::vector<std::unique_ptr<Upstream>> upstreams;
    /// Of servers that had not been there, and of lists that a server has changed: whoever was told of the change may
    /// have had the list before it.
    mutable std::atomic<std::size_t> arrivals{0};
    mutable std::atomic<std::size_t> hints{0}; ///< that have become others
    mutable std::atomic<bool> has_listed{false};
    mutable std::atomic<bool> learns_a_tool{false}; ///< of which nothing was known, and the file says nothing
    // Of the thread that follows.
    mutable std::mutex following;
    mutable std::condition_variable_any wakes;
    std::jthread follower;
    std::vector<std::jthread> starters;

    ~Impl() {
        for (std::jthread& starter : starters)
            starter.request_stop();
        starters.clear();
        follower = {};
        keep();
        // Each gets its second to end by itself, all at the same time.
        std::vector<std::thread> threads;
        for (const auto& upstream : upstreams)
            threads.emplace_back([&upstream] { upstream->session->close(); });
        for (std::thread& thread : threads)
            thread.join();
    }
    void start(Upstream& upstream, const std::stop_token& stop) const;
    [[nodiscard]] std::ptrdiff_t count_starting() const {
        return std::ranges::count_if(upstreams, [](const auto& upstream) { return upstream->is_starting.load(); });
    }
    void list(Upstream& upstream, const std::stop_token& stop = {}) const;
    void list_if_due(Upstream& upstream, const std::stop_token& stop = {}) const;
    void list_locked(Upstream& upstream, const std::stop_token& stop) const;
    [[nodiscard]] std::vector<Tool> tools(const std::shared_ptr<const Impl>& self, const std::stop_token& stop) const;
    void ask_again(const std::stop_token& stop) const;
    void follow(const std::stop_token& stop, std::size_t told);
    void wake() const {
        { const std::scoped_lock lock(following); } // not between a look and the wait
        wakes.notify_all();
    }
    [[nodiscard]] std::size_t changes() const {
        std::size_t all = arrivals;
        for (const auto& upstream : upstreams)
            all += upstream->notices_of_change;
        return all;
    }
    [[nodiscard]] bool are_missing() const {
        return std::ranges::any_of(upstreams, [](const auto& upstream) { return upstream->is_missing(); });
    }
    void take(Upstream& upstream, mcp::Listing listing) const;
    Result<Datum> call(Upstream& upstream, const CatalogTool& tool, bool was_approved, const Datum& arguments,
                       const ToolContext& context) const;
    Result<void> check_current(Upstream& upstream, const CatalogTool& tool, bool was_approved) const;
    void learn(Upstream& upstream, const CatalogTool& tool, const Datum& arguments, const Datum& value) const;
    std::optional<Type> seen(Upstream& upstream, const std::string& tool) const;
    void keep() const;
};

/// What is learnt stays with the tool of the same name.
void McpClient::Impl::take(Upstream& upstream, mcp::Listing listing) const {
    const McpServer& server = upstream.session->server();
    std::vector<std::string> notices;
    std::set<std::string> names;
    for (const mcp::ListedTool& tool : listing.tools)
        names.insert(tool.name);
    const auto note_missing = [&](const char* member, const std::vector<std::string>& named, const char* so) {
        for (const std::string& name : named) {
            if (!names.contains(name))
                notices.push_back(std::string("`") + member + "` names the tool " + quoted_excerpt(name) +
                                  ", which the server does not have" + so);
        }
    };
    note_missing("approval", server.tools_to_approve, ": calls of all its tools need approval.");
    note_missing("approval", server.tools_not_to_approve, ".");
    if (server.only_tools) note_missing("includeTools", *server.only_tools, ".");
    note_missing("excludeTools", server.hidden_tools, ".");
    auto hidden = mcp::take_hidden(listing, [&](const std::string& tool) { return mcp::is_offered(server, tool); });
    std::vector<CatalogTool> tools =
        mcp::catalog_of(server.name, std::move(listing), notices, mcp::program_name_of(server));
    const std::scoped_lock lock(upstream.mutex);
    std::map<std::string_view, const CatalogTool*> known;
    for (const CatalogTool& tool : upstream.tools)
        known.emplace(tool.listed->name, &tool);
    for (CatalogTool& tool : tools) {
        const std::string& name = tool.listed->name;
        if (const auto before = known.find(name); before != known.end())
            tool.learnt = before->second->learnt, tool.hint = before->second->hint,
            tool.twin_keys = before->second->twin_keys, known.erase(before);
        if (auto back = upstream.apart.extract(name); back && !tool.learnt) tool.learnt = std::move(back.mapped().type);
        if (tool.hint->set(mcp::hint_of(tool))) ++hints;
    }
    if (upstream.is_starting) mcp::count_missed(upstream.apart);
    for (const auto& [name, before] : known)
        if (before->learnt) mcp::set_apart(upstream.apart, std::string(name), {*before->learnt});
    upstream.tools = std::move(tools);
    upstream.hidden = std::move(hidden);
    upstream.is_misnamed = is_misnamed(server, names);
    upstream.problem.clear();
    if (notices.size() > kMostNotices) notices.resize(kMostNotices);
    upstream.notices = std::move(notices);
}

/// The first time.
void McpClient::Impl::start(Upstream& upstream, const std::stop_token& stop) const {
    list(upstream, stop);
    std::string problem;
    {
        const std::scoped_lock lock(upstream.mutex);
        problem = upstream.problem;
    }
    if (!problem.empty() && options.starts_beside && options.on_problem && !stop.stop_requested()) {
        try {
            options.on_problem(problem);
        } catch (...) { // whoever watches cannot break it
        }
    }
    {
        const std::scoped_lock lock(following);
        upstream.is_starting = false;
    }
    wakes.notify_all();
    if (options.starts_beside && count_starting() == 0) keep();
}

void McpClient::Impl::list(Upstream& upstream, const std::stop_token& stop) const {
    const std::scoped_lock listing(upstream.listing);
    list_locked(upstream, stop);
}

/// Whoever waited while another one asked has its answer.
void McpClient::Impl::list_if_due(Upstream& upstream, const std::stop_token& stop) const {
    if (!upstream.is_due()) return;
    const std::scoped_lock listing(upstream.listing);
    if (upstream.is_due()) list_locked(upstream, stop);
}

void McpClient::Impl::list_locked(Upstream& upstream, const std::stop_token& stop) const {
    const std::size_t heeds = upstream.notices_of_change;
    const bool has_changed = upstream.has_changed();
    if (has_changed) upstream.asking.use();
    const McpServer& server = upstream.session->server();
    const mcp::Deadline deadline = SteadyClock::now() + server.connect_timeout.value_or(options.connect_timeout);
    std::variant<mcp::Listing, mcp::Failure> listed =
        upstream.session->list_tools({.deadline = deadline, .stop = stop});
    if (auto* found = std::get_if<mcp::Listing>(&listed)) {
        const bool was_missing = upstream.is_missing() || (upstream.is_starting && options.starts_beside);
        take(upstream, std::move(*found));
        has_listed = true;
        upstream.heeded = heeds;
        if (was_missing || has_changed) {
            ++arrivals;
            wake();
        }
        return;
    }
    upstream.heeded = heeds;
    const std::scoped_lock lock(upstream.mutex);
    upstream.problem =
        "The MCP server " + quoted_excerpt(server.name) + " is not there. " + reason_of(std::get<mcp::Failure>(listed));
}

void McpClient::Impl::learn(Upstream& upstream, const CatalogTool& tool, const Datum& arguments,
                            const Datum& value) const {
    if (!tool.listed->output_schema.empty()) return;
    Type type = mcp::learn(value, arguments.is_nil() ? Datum(Datum::Map()) : arguments);
    std::optional<Type> before;
    {
        const std::scoped_lock lock(upstream.mutex);
        const auto known = std::ranges::find(upstream.tools, tool.name, &CatalogTool::name);
        if (known == upstream.tools.end()) return;
        before = std::exchange(known->learnt, std::nullopt);
        known->learnt = before ? mcp::merged(*before, type) : std::move(type);
        if (known->learnt != before) {
            upstream.has_learnt = true;
            if (known->hint->set(mcp::hint_of(*known))) ++hints;
        }
    }
    if (before || !options.follows) return;
    learns_a_tool = true; // whoever is killed has said that much
    wake();
}

/// Of what was learnt no more than a checker may know.
std::optional<Type> McpClient::Impl::seen(Upstream& upstream, const std::string& tool) const {
    const std::scoped_lock lock(upstream.mutex);
    const auto known = std::ranges::find(upstream.tools, tool, &CatalogTool::name);
    if (known == upstream.tools.end() || !known->learnt || !known->listed->output_schema.empty()) return std::nullopt;
    return mcp::names_only(*known->learnt);
}

/// Whether `tool`, as a program knows it, may be called as the server has it now. Who approved a call approved what the
/// tool was said to be, and who did not have to approve it was asked about another one.
Result<void> McpClient::Impl::check_current(Upstream& upstream, const CatalogTool& tool, bool was_approved) const {
    list_if_due(upstream);
    const McpServer& server = upstream.session->server();
    const auto failed = [&](const std::string& what) {
        return Error(Reason::ToolError, "The MCP server " + quoted_excerpt(server.name) + what);
    };
    const std::string& name = tool.listed->name;
    const std::scoped_lock lock(upstream.mutex);
    const auto now =
        std::ranges::find_if(upstream.tools, [&](const CatalogTool& one) { return one.listed->name == name; });
    if (now == upstream.tools.end()) return failed(" has no tool " + quoted_excerpt(name) + " any more.");
    const bool needs = upstream.is_misnamed || needs_approval(server, name);
    if (needs && !was_approved)
        return failed(" has changed its tools: calls of " + quoted_excerpt(name) + " need approval now.");
    const bool is_same = now->name == tool.name && now->listed->description == tool.listed->description &&
                         now->listed->input_schema == tool.listed->input_schema &&
                         now->listed->output_schema == tool.listed->output_schema;
    if (was_approved && !is_same)
        return failed(" has changed its tool " + quoted_excerpt(name) +
                      " since this call was approved: it is not made.");
    return {};
}

/// A result whose type is declared, with names for its fields that differ.
static Result<Datum> typed_result(const CatalogTool& tool, Datum value) {
    const bool is_plain = tool.listed->output_schema.find('-') == std::string::npos;
    if (tool.signature.empty() || (is_plain && !tool.twin_keys->has_names() && !mcp::has_hyphens(value))) return value;
    const SignaturePtr signature = PTC_TRY(compile_signature(tool.signature));
    return tool.twin_keys->with_names_apart(std::move(value), signature_of(*signature).returns, tool.result_names);
}

Result<Datum> McpClient::Impl::call(Upstream& upstream, const CatalogTool& tool, bool was_approved,
                                    const Datum& arguments, const ToolContext& context) const {
    PTC_CHECK(check_current(upstream, tool, was_approved));
    const McpServer& server = upstream.session->server();
    mcp::CallTerms terms{.deadline = SteadyClock::now() + server.timeout,
                         .stop = context.stop,
                         .progress = context.progress,
                         .context = &context};
    if (context.deadline) terms.deadline = std::min(terms.deadline, *context.deadline);
    const mcp::Answer answer = upstream.session->call_tool(
        tool.listed->name, mcp::arguments_as_named(tool.listed->input_schema, arguments, tool.argument_names),
        tool.listed->input_schema, terms);
    if (const auto* why = std::get_if<mcp::Failure>(&answer)) return tool_failed(server.name, *why);
    const work::Scope reading(work_until(terms.deadline)); // results may be large
    Result<Datum> value =
        mcp::value_of_result(std::get<Datum>(answer), server.keeps_text || !tool.listed->output_schema.empty());
    if (!value.ok()) return value;
    if (tool.listed->output_schema.empty())
        learn(upstream, tool, arguments, value.value());
    else // it is checked
        value = typed_result(tool, std::move(value).value());
    return value;
}

void McpClient::Impl::keep() const {
    if (options.catalog_file.empty()) return;
    bool has_news = has_listed.exchange(false);
    for (const auto& upstream : upstreams)
        has_news = upstream->has_learnt.exchange(false) || has_news;
    if (!has_news) return;
    const mcp::KeptFileLock lock_of_processes(options.catalog_file);
    if (!mcp::check_may_keep(options.catalog_file).ok()) return;
    mcp::Catalog catalog;
    std::set<std::string> names;
    for (const auto& upstream : upstreams) {
        names.insert(upstream->session->server().name);
        const std::scoped_lock lock(upstream->mutex);
        if (!upstream->tools.empty() || !upstream->hidden.empty() || !upstream->apart.empty())
            catalog.emplace(upstream->session->server().name,
                            mcp::ServerCatalog{upstream->tools, upstream->hidden, upstream->apart});
    }
    mcp::add_learnt(catalog, mcp::read_learnt_types(options.catalog_file));
    // A cache: what cannot be kept is asked for again.
    (void)mcp::write_catalog_file(options.catalog_file, catalog, mcp::read_other_servers(options.catalog_file, names));
}

McpClient::McpClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
McpClient::~McpClient() = default;

Result<std::shared_ptr<McpClient>> McpClient::connect(McpOptions options) {
    auto impl = std::make_shared<Impl>();
    impl->options = options;
    impl->options.starts_beside = options.starts_beside && options.follows;
    const std::shared_ptr<mcp::TokenStore> tokens = mcp::make_token_store(options.token_file);
    mcp::Catalog known;
    if (!options.catalog_file.empty()) {
        Result<mcp::Catalog> read =
            mcp::read_catalog_file(options.catalog_file, offered_by(options.servers), names_by(options.servers));
        if (read.ok())
            known = std::move(read).value();
        else if (const Result<void> may_keep = mcp::check_may_keep(options.catalog_file); !may_keep.ok())
            impl->catalog_notice = "Nothing is kept of MCP servers: " + may_keep.error().message;
    }
    const auto over_http = std::ranges::count_if(options.servers, [](const McpServer& s) { return !s.url.empty(); });
    if (!options.client_secret.empty() && options.client_issuer.empty() && over_http > 1)
        return Error(Reason::InvalidRequest,
                     "With several servers the client's secret needs `client_issuer`: else each "
                     "of them could say who gets it.");
    for (const McpServer& server : options.servers) {
        if (server.name.empty() || server.command.empty() == server.url.empty())
            return Error(Reason::InvalidRequest, "An MCP server has a name, and a command or an address.");
        for (const auto& other : impl->upstreams) {
            if (mcp::program_name_of(other->session->server()) == mcp::program_name_of(server))
                return Error(Reason::InvalidRequest,
                             "Two MCP servers are called " + quoted_excerpt(server.name) + " in programs.");
        }
        auto upstream = std::make_unique<Upstream>();
        Upstream* const raw = upstream.get();
        const Impl* const whole = impl.get(); // it outlives the sessions
        upstream->session = std::make_unique<mcp::Session>(
            server,
            mcp::SessionHost{.elicit = options.elicit,
                             .on_tools_changed = [raw, whole] { ++raw->notices_of_change, whole->wake(); }},
            mcp::make_authorizer(server, options, tokens));
        if (const auto found = known.find(server.name); found != known.end()) {
            upstream->is_misnamed = is_misnamed(server, names_of(found->second));
            upstream->tools = std::move(found->second.tools);
            upstream->hidden = std::move(found->second.hidden);
            upstream->apart = std::move(found->second.apart);
            for (const CatalogTool& tool : upstream->tools)
                tool.hint->set(mcp::hint_of(tool));
        }
        impl->upstreams.push_back(std::move(upstream));
    }
    for (const auto& upstream : impl->upstreams)
        impl->starters.emplace_back(
            [raw = impl.get(), &upstream = *upstream](const std::stop_token& stop) { raw->start(upstream, stop); });
    if (!impl->options.starts_beside) {
        for (std::jthread& starter : impl->starters)
            starter.join();
        impl->keep();
    }
    if (impl->options.follows)
        // What changes from here on is told, however late the thread begins.
        impl->follower = std::jthread(
            [raw = impl.get(), told = impl->changes()](const std::stop_token& stop) { raw->follow(stop, told); });
    return std::shared_ptr<McpClient>(new McpClient(std::move(impl)));
}

void McpClient::ask_again(const std::stop_token& stop) const { impl_->ask_again(stop); }

void McpClient::Impl::ask_again(const std::stop_token& stop) const {
    for (const auto& upstream : upstreams) {
        if (stop.stop_requested()) return;
        if (upstream->is_starting) continue;
        upstream->is_missing() ? list(*upstream, stop) : list_if_due(*upstream, stop);
    }
}

/// Until `stop`; who watches knows of `told` changes. A server that ends each time it is started, or says again and
/// again that its tools have changed, is asked no faster than it can be.
void McpClient::Impl::follow(const std::stop_token& stop, std::size_t told) {
    constexpr std::chrono::seconds kFirst{1}, kLongest{64};
    std::chrono::seconds patience = kFirst;
    SteadyClock::time_point next = SteadyClock::now() + patience;
    constexpr std::chrono::seconds kBetweenKeeping{10}; // a catalogue may be large
    SteadyClock::time_point keep_next = SteadyClock::now();
    Allowance telling;
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(following);
            // What changes meanwhile may have to be looked at sooner.
            const auto is_time = [this, seen = changes(), learns = learns_a_tool.load(), starting = count_starting()] {
                return changes() != seen || learns_a_tool != learns || count_starting() != starting;
            };
            std::optional<SteadyClock::time_point> look;
            const auto look_at = [&look](SteadyClock::time_point time) { look = look ? std::min(*look, time) : time; };
            if (are_missing()) look_at(next);
            if (learns_a_tool) look_at(keep_next);
            if (changes() != told) look_at(telling.free_at());
            for (const auto& upstream : upstreams) {
                if (upstream->has_changed() && !upstream->is_starting) look_at(upstream->asking.free_at());
            }
            if (look)
                wakes.wait_until(lock, stop, *look, is_time);
            else
                wakes.wait(lock, stop, is_time);
        }
        if (stop.stop_requested()) return;
        if (are_missing() && SteadyClock::now() >= next) {
            ask_again(stop);
            patience = std::min(2 * patience, kLongest);
            next = SteadyClock::now() + patience;
        }
        for (const auto& upstream : upstreams) {
            if (!upstream->is_starting) list_if_due(*upstream, stop);
        }
        if (learns_a_tool && SteadyClock::now() >= keep_next) {
            learns_a_tool = false;
            keep();
            keep_next = SteadyClock::now() + kBetweenKeeping;
        }
        const std::size_t now = changes();
        if (now == told || !telling.is_there()) continue;
        told = now;
        telling.use();
        if (!options.on_change) continue;
        try {
            options.on_change();
        } catch (...) { // whoever watches cannot break it
        }
    }
}

bool McpClient::await_start(const std::stop_token& stop, SteadyClock::time_point deadline,
                            const SharedFunction<bool(const std::string& name)>& is_meant) const {
    const auto is_over = [&] {
        return std::ranges::none_of(impl_->upstreams, [&](const auto& upstream) {
            return (!is_meant || is_meant(mcp::program_name_of(upstream->session->server()))) && upstream->is_starting;
        });
    };
    std::unique_lock lock(impl_->following);
    return impl_->wakes.wait_until(lock, stop, deadline, is_over);
}

std::vector<std::string> McpClient::starting() const {
    std::vector<std::string> names;
    for (const auto& upstream : impl_->upstreams) {
        if (upstream->is_starting) names.push_back(upstream->session->server().name);
    }
    return names;
}

std::vector<Tool> McpClient::tools(const std::stop_token& stop) const { return impl_->tools(impl_, stop); }

ToolFeed McpClient::feed() const {
    return {.version = [impl = impl_] { return std::uint64_t{impl->changes()}; },
            .hints = [impl = impl_] { return std::uint64_t{impl->hints}; },
            .tools = [impl = impl_](const std::stop_token& stop) { return impl->tools(impl, stop); }};
}

std::vector<Tool> McpClient::Impl::tools(const std::shared_ptr<const Impl>& self, const std::stop_token& stop) const {
    std::vector<Tool> tools;
    for (const auto& owned : upstreams) {
        Upstream* const upstream = owned.get();
        if (!upstream->is_starting) list_if_due(*upstream, stop);
        const McpServer& server = upstream->session->server();
        const std::scoped_lock lock(upstream->mutex);
        const bool is_all = upstream->is_misnamed;
        for (const CatalogTool& known : upstream->tools) {
            Tool tool = mcp::described(server.name, known);
            tool.approval = is_all || needs_approval(server, known.listed->name);
            tool.context_function = [impl = self, upstream, known, needs = tool.approval](const Datum& arguments,
                                                                                          const ToolContext& context) {
                return impl->call(*upstream, known, needs, arguments, context);
            };
            if (known.listed->output_schema.empty()) {
                tool.seen_result = [impl = self, upstream, name = known.name] { return impl->seen(*upstream, name); };
                tool.description_now = [server = server.name, listed = known.listed, hint = known.hint] {
                    return mcp::description_of(server, *listed, hint->text());
                };
            }
            tools.push_back(std::move(tool));
        }
    }
    return tools;
}

std::optional<McpListedTool> McpClient::listed(std::string_view name) const {
    for (const auto& upstream : impl_->upstreams) {
        const std::scoped_lock lock(upstream->mutex);
        const auto known = std::ranges::find(upstream->tools, name, &CatalogTool::name);
        if (known == upstream->tools.end()) continue;
        const mcp::ListedTool& tool = *known->listed;
        return McpListedTool{.server = upstream->session->server().name,
                             .name = tool.name,
                             .description = tool.description,
                             .input_schema = tool.input_schema,
                             .output_schema = tool.output_schema};
    }
    return std::nullopt;
}

std::size_t McpClient::changes() const { return impl_->changes(); }

std::vector<std::string> McpClient::problems() const {
    std::vector<std::string> problems;
    for (const auto& upstream : impl_->upstreams) {
        const std::scoped_lock lock(upstream->mutex);
        if (!upstream->problem.empty()) problems.push_back(upstream->problem);
    }
    return problems;
}

std::vector<std::string> McpClient::notices() const {
    std::vector<std::string> notices;
    if (!impl_->catalog_notice.empty()) notices.push_back(impl_->catalog_notice);
    for (const auto& upstream : impl_->upstreams) {
        const std::scoped_lock lock(upstream->mutex);
        for (const std::string& notice : upstream->notices)
            notices.push_back("MCP server " + quoted_excerpt(upstream->session->server().name) + ": " + notice);
    }
    return notices;
}

Result<std::vector<Tool>> read_mcp_catalog(const std::string& path, std::span<const McpServer> servers) {
    const mcp::Catalog catalog = PTC_TRY(mcp::read_catalog_file(path, offered_by(servers), names_by(servers)));
    std::vector<Tool> tools;
    for (const auto& [name, listed] : catalog) {
        const McpServer* server = server_of(servers, name);
        if (!server) continue;
        const bool is_all = is_misnamed(*server, names_of(listed));
        for (const CatalogTool& known : listed.tools) {
            Tool tool = mcp::described(name, known);
            tool.approval = is_all || needs_approval(*server, known.listed->name);
            if (known.learnt && known.listed->output_schema.empty())
                tool.seen_result = [type = mcp::names_only(*known.learnt)] { return std::optional<Type>(type); };
            tools.push_back(std::move(tool));
        }
    }
    return tools;
}

} // namespace ptc
