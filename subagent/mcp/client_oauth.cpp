// The way to a token, step by step: the server's metadata name the authorization server; its metadata, which must be
// those of exactly that issuer, name its endpoints; the client is known there, or makes itself known; a person agrees
// in a browser; the code that comes back is exchanged. Credentials belong to the issuer that gave them: of another one
// nothing is ever used. All that is read is bounded, and no address is asked that is neither https nor, for servers of
// this machine, on this machine.
#include "subagent/mcp/client_oauth.h"
#include "frontend/json_writer.h"
#include "frontend/percent.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "subagent/agent/whole_file.h"
#include "subagent/mcp/digest.h"
#include "subagent/mcp/kept_file.h"
#include "subagent/providers/http_client.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <map>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc::mcp {

/// Who we are at an authorization server.
struct ClientIdentity {
    std::string id;
    std::string secret{};
    std::string method{}; ///< how the token endpoint is told: none, client_secret_basic, client_secret_post
};

/// All that is known for one server.
struct Grant {
    std::string issuer{}; ///< that gave the token
    std::string access{};
    std::string refresh{};
    std::set<std::string> scopes{}; ///< asked for at this issuer so far
    std::map<std::string, ClientIdentity> clients{};
};

class TokenStore {
public:
    explicit TokenStore(std::string path) : path_(std::move(path)) {}
    /// As the file says it now: any process may have changed it. invalid_request, which names the file: it is none.
    Result<Grant> find(const std::string& url);
    void keep(const std::string& url, const Grant& grant);
    /// The issuer to which a client that the host named belongs, once it was used there; "" before. Of the client, and
    /// not of the server that it was used for: that one names the issuer, and may name another one tomorrow.
    Result<std::string> issuer_of(const std::string& client);
    void bind(const std::string& client, const std::string& issuer);
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    Result<Datum> read() const;
    void replace(const std::string& key, Datum row);
    std::string path_;
    std::mutex mutex_;
    std::map<std::string, std::string> bound_; ///< of this process
};

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kFetchTime{20};
constexpr std::size_t kMostAnswer = std::size_t{1} << 20;
constexpr std::size_t kMostScopes = 4000; ///< bytes: somebody sees them in an address
constexpr std::size_t kMostStore = std::size_t{16} << 20;

std::string text_at(const Datum& map, std::string_view key) {
    const std::string* text = map[key].text();
    return text ? *text : "";
}

std::set<std::string> words(std::string_view text) {
    std::set<std::string> out;
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        if (end != 0) out.emplace(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return out;
}

std::set<std::string> texts_at(const Datum& map, std::string_view key) {
    std::set<std::string> out;
    for (const Datum& item : map[key].items()) {
        if (item.text()) out.insert(*item.text());
    }
    return out;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string joined(const std::set<std::string>& words) {
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : " ") + word;
    return out;
}

using Form = std::vector<std::pair<std::string, std::string>>;

std::string encoded(const Form& form) {
    std::string out;
    for (const auto& [name, value] : form) {
        if (!value.empty()) out += (out.empty() ? "" : "&") + percent_encoded(name) + "=" + percent_encoded(value);
    }
    return out;
}

/// As forms write it.
std::string decoded(std::string_view text) {
    std::string out(text);
    std::ranges::replace(out, '+', ' ');
    return percent_decoded(out);
}

/// The parameters behind the `?` of an address; the first of each name.
std::map<std::string, std::string> query_of(std::string_view url) {
    std::map<std::string, std::string> out;
    const std::size_t begin = url.find('?');
    if (begin == std::string_view::npos) return out;
    url = url.substr(begin + 1, url.find('#', begin) - begin - 1);
    while (!url.empty()) {
        const std::string_view pair = url.substr(0, url.find('&'));
        url.remove_prefix(std::min(url.size(), pair.size() + 1));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        out.emplace(decoded(pair.substr(0, equals)), decoded(pair.substr(std::min(equals + 1, pair.size()))));
    }
    return out;
}

struct Parts {
    std::string origin; ///< scheme and authority
    std::string path;   ///< "" or with a slash in front, without one at its end
};
Parts parts_of(std::string_view url) {
    url = url.substr(0, url.find_first_of("?#"));
    const std::size_t scheme = url.find("://");
    const std::size_t slash =
        scheme == std::string_view::npos ? url.size() : std::min(url.find('/', scheme + 3), url.size());
    Parts parts{std::string(url.substr(0, slash)), std::string(url.substr(slash))};
    while (parts.path.ends_with('/'))
        parts.path.pop_back();
    return parts;
}

/// Whether a token for `resource` is one for the server: the same origin, and its path or one above it.
bool covers(const std::string& resource, const std::string& url) {
    const Parts wide = parts_of(resource);
    const Parts narrow = parts_of(url);
    const bool is_above = narrow.path.starts_with(wide.path) &&
                          (narrow.path.size() == wide.path.size() || narrow.path[wide.path.size()] == '/');
    return wide.origin == narrow.origin && is_above;
}

bool is_same_issuer(std::string_view a, std::string_view b) {
    for (std::string_view* one : {&a, &b}) {
        if (one->ends_with('/')) one->remove_suffix(1);
    }
    return a == b;
}

std::vector<std::string_view> labels_of(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    std::vector<std::string_view> labels;
    while (true) {
        const std::size_t dot = host.rfind('.');
        labels.push_back(host.substr(dot + 1)); // npos + 1 is 0
        if (dot == std::string_view::npos) return labels;
        host = host.substr(0, dot);
    }
}

bool is_number(const std::string& host) {
    const std::string_view last = labels_of(host).front();
    return host.find(':') != std::string::npos ||
           std::ranges::all_of(last, [](unsigned char c) { return std::isdigit(c); });
}

Failure unauthorized(std::string message) { return failure(Failure::Kind::Unauthorized, std::move(message)); }

class OAuth final : public Authorizer {
public:
    OAuth(const McpServer& server, const McpOptions& options, std::shared_ptr<TokenStore> store)
        : server_(server), options_(options), store_(std::move(store)) {
        // What is wrong with the file is told where a token is wanted.
        grant_ = store_->find(server.url).value_or(Grant());
        kept_access_ = grant_.access;
        const std::optional<HttpAddress> address = http_problem().empty() ? parse_address(server.url) : std::nullopt;
        is_local_ = address && address->is_this_machine();
    }

    std::string token() override {
        const std::scoped_lock lock(mutex_);
        return grant_.access;
    }
    std::optional<Failure> authorize(const Refusal& refusal, const CallTerms& terms) override;

private:
    struct Fetched {
        int status = 0;
        Datum json{};
    };
    /// A metadata document, or the answer of an endpoint.
    std::variant<Fetched, Failure> fetch(HttpPost post, const CallTerms& terms);
    std::variant<Fetched, Failure> get(const std::string& url, const CallTerms& terms) {
        HttpPost post;
        post.url = url;
        post.method = "GET";
        return fetch(std::move(post), terms);
    }
    [[nodiscard]] bool may_ask(const std::string& url) const;
    Result<bool> take_news(const std::string& used);
    std::optional<Failure> refresh(const Datum& metadata, const ClientIdentity& client, const std::string& resource,
                                   const std::string& used, const CallTerms& terms, bool& is_refused);
    void keep();
    [[nodiscard]] const std::string* issuer_among(const Datum& named) const;
    [[nodiscard]] std::string no_issuer(const Datum& named) const;
    [[nodiscard]] Result<std::string> bound_issuer() const;
    [[nodiscard]] std::optional<Failure> check_site(const std::string& issuer) const;
    std::variant<Datum, Failure> resource_metadata(const Refusal& refusal, const CallTerms& terms);
    std::variant<Datum, Failure> issuer_metadata(const std::string& issuer, const CallTerms& terms);
    std::variant<ClientIdentity, Failure> client_of(const std::string& issuer, const Datum& metadata,
                                                    const CallTerms& terms);
    std::variant<ClientIdentity, Failure> register_client(const Datum& metadata, const CallTerms& terms);
    std::optional<Failure> ask_for_token(const Datum& metadata, const ClientIdentity& client, Form form,
                                         const CallTerms& terms);
    [[nodiscard]] Result<std::string> send_person(const McpAuthorization& request) const;
    std::variant<std::string, Failure> ask_person(const Datum& metadata, const ClientIdentity& client,
                                                  const std::string& scope, const std::string& resource,
                                                  const std::string& verifier);

    const McpServer server_;
    const McpOptions options_;
    const std::shared_ptr<TokenStore> store_;
    HttpClient http_;
    bool is_local_ = false;
    std::mutex authorizing_; ///< held while a person is asked
    std::mutex mutex_;       ///< of the grant's token
    Grant grant_;
    std::string kept_access_; ///< the token that the file had when it was read or written last
};

bool OAuth::may_ask(const std::string& url) const {
    const std::optional<HttpAddress> address = parse_address(url);
    if (!address) return false;
    return address->is_this_machine() ? is_local_ : address->scheme == "https";
}

std::variant<OAuth::Fetched, Failure> OAuth::fetch(HttpPost post, const CallTerms& terms) {
    if (!may_ask(post.url)) return unauthorized(quoted_excerpt(post.url, 200) + " is not asked: it is not https.");
    post.deadline = std::min(terms.deadline, SteadyClock::now() + kFetchTime);
    post.connect_timeout = kFetchTime;
    post.stop = terms.stop;
    post.is_direct = is_local_;
    post.headers.emplace_back("Accept", "application/json");
    post.headers.emplace_back(kHeaderVersion, revision_text(kNewestWithSessions));
    std::string body;
    const HttpOutcome outcome = http_.post(post, [&](const HttpHead&, std::string_view bytes) {
        body += bytes;
        return body.size() <= kMostAnswer;
    });
    if (const auto* fault = std::get_if<HttpFault>(&outcome))
        return unauthorized(quoted_excerpt(post.url, 200) + " cannot be reached: " + fault->message + ".");
    Fetched fetched{.status = std::get<HttpHead>(outcome).status};
    Result<Datum> json = body.size() <= kMostAnswer ? Datum::from_json(body) : Result<Datum>(Datum());
    if (json.ok() && json.value().map()) fetched.json = std::move(json).value();
    return fetched;
}

/// The one that the configuration names, if it does: no other one is asked for anything. Else the first.
const std::string* OAuth::issuer_among(const Datum& named) const {
    for (const Datum& one : named.items()) {
        const std::string* issuer = one.text();
        if (issuer && (server_.oauth.issuer.empty() || is_same_issuer(*issuer, server_.oauth.issuer))) return issuer;
        if (server_.oauth.issuer.empty()) return nullptr;
    }
    return nullptr;
}

std::string OAuth::no_issuer(const Datum& named) const {
    const std::string* first = named[0].text();
    if (!first) return "It wants a token, and names no authorization server.";
    return "It wants a token of the authorization server " + quoted_excerpt(*first, 200) +
           ", and the configuration names another one: " + quoted_excerpt(server_.oauth.issuer, 200) + ".";
}

/// RFC 9728: at the address that the challenge names, else at the well-known ones.
std::variant<Datum, Failure> OAuth::resource_metadata(const Refusal& refusal, const CallTerms& terms) {
    const Parts parts = parts_of(server_.url);
    const std::string named = challenge_parameter(refusal.challenge, "resource_metadata");
    std::vector<std::string> urls;
    if (!named.empty())
        urls.push_back(named);
    else {
        const std::string root = parts.origin + "/.well-known/oauth-protected-resource";
        if (!parts.path.empty()) urls.push_back(root + parts.path);
        urls.push_back(root);
    }
    for (const std::string& url : urls) {
        std::variant<Fetched, Failure> got = get(url, terms);
        if (auto* why = std::get_if<Failure>(&got)) {
            if (!named.empty()) return std::move(*why);
            continue;
        }
        auto& fetched = std::get<Fetched>(got);
        if (fetched.status != 200 || !fetched.json.map()) continue;
        const std::string resource = text_at(fetched.json, "resource");
        if (resource.empty()) // RFC 9728, 3.3: nobody knows whose they are
            return unauthorized("Its metadata do not say what they are of: `resource` is missing.");
        if (!covers(resource, server_.url))
            return unauthorized("Its metadata are those of " + quoted_excerpt(resource, 200) + ", which it is not.");
        return std::move(fetched.json);
    }
    return unauthorized("It wants a token, and does not say of which authorization server.");
}

/// RFC 8414 and OpenID Connect Discovery, in the order that MCP says.
std::variant<Datum, Failure> OAuth::issuer_metadata(const std::string& issuer, const CallTerms& terms) {
    const Parts parts = parts_of(issuer);
    std::vector<std::string> urls = {parts.origin + "/.well-known/oauth-authorization-server" + parts.path,
                                     parts.origin + "/.well-known/openid-configuration" + parts.path};
    if (!parts.path.empty()) urls.push_back(parts.origin + parts.path + "/.well-known/openid-configuration");
    for (const std::string& url : urls) {
        std::variant<Fetched, Failure> got = get(url, terms);
        if (auto* why = std::get_if<Failure>(&got)) return std::move(*why);
        auto& fetched = std::get<Fetched>(got);
        if (fetched.status != 200 || !fetched.json.map()) continue;
        if (text_at(fetched.json, "issuer") != issuer)
            return unauthorized("The metadata of the authorization server " + quoted_excerpt(issuer, 200) +
                                " are those of another one.");
        if (!texts_at(fetched.json, "code_challenge_methods_supported").contains("S256"))
            return unauthorized("The authorization server does not take PKCE with S256.");
        return std::move(fetched.json);
    }
    return unauthorized("The authorization server " + quoted_excerpt(issuer, 200) + " has no metadata.");
}

/// How the token endpoint is told who we are: as the server takes it, what keeps a secret out of bodies first.
std::string method_for(const Datum& metadata, bool has_secret) {
    const std::set<std::string> taken = texts_at(metadata, "token_endpoint_auth_methods_supported");
    if (!has_secret) return "none";
    if (taken.empty() || taken.contains("client_secret_basic")) return "client_secret_basic";
    return "client_secret_post";
}

/// An authorization server that gives tokens to programs with a secret, and to nobody by way of a person: without the
/// member it is the other way round (RFC 8414).
bool is_for_programs(const Datum& metadata, const ClientIdentity& client) {
    const std::set<std::string> grants = texts_at(metadata, "grant_types_supported");
    return !client.secret.empty() && grants.contains("client_credentials") && !grants.contains("authorization_code");
}

std::variant<ClientIdentity, Failure> OAuth::register_client(const Datum& metadata, const CallTerms& terms) {
    HttpPost post;
    post.url = text_at(metadata, "registration_endpoint");
    if (post.url.empty())
        return unauthorized("The authorization server wants to know us, and cannot be told: give the id of a client.");
    const std::set<std::string> taken = texts_at(metadata, "token_endpoint_auth_methods_supported");
    const bool may_be_public = taken.empty() || taken.contains("none");
    post.headers.emplace_back("Content-Type", "application/json");
    post.body = JsonObject()
                    .text("client_name", "ptc")
                    .text("application_type", "native")
                    .raw("redirect_uris", json_array(std::vector{options_.redirect_uri}, json_string))
                    .raw("grant_types", R"(["authorization_code","refresh_token"])")
                    .raw("response_types", R"(["code"])")
                    .text("token_endpoint_auth_method", may_be_public ? "none" : method_for(metadata, true))
                    .finish();
    std::variant<Fetched, Failure> got = fetch(std::move(post), terms);
    if (auto* why = std::get_if<Failure>(&got)) return std::move(*why);
    const auto& [status, json] = std::get<Fetched>(got);
    ClientIdentity client{.id = text_at(json, "client_id"), .secret = text_at(json, "client_secret")};
    if (status / 100 != 2 || client.id.empty())
        return unauthorized("The authorization server does not register us: HTTP " + std::to_string(status) + ".");
    client.method = text_at(json, "token_endpoint_auth_method");
    if (client.method.empty()) client.method = method_for(metadata, !client.secret.empty());
    return client;
}

/// To which the client that the host named belongs; "" when nobody has said so and it was not used yet.
Result<std::string> OAuth::bound_issuer() const {
    if (!options_.client_issuer.empty()) return options_.client_issuer;
    return store_->issuer_of(options_.client_id);
}

/// The server may name whom it likes. Before anything is asked there it is clear whether a secret would go there.
std::optional<Failure> OAuth::check_site(const std::string& issuer) const {
    if (options_.client_secret.empty() || !server_.oauth.issuer.empty()) return std::nullopt;
    const Result<std::string> bound = bound_issuer();
    if (!bound.ok()) return unauthorized(bound.error().message);
    if (!bound.value().empty() || is_of_one_site(issuer, server_.url)) return std::nullopt;
    return unauthorized(
        "It wants a token of " + quoted_excerpt(issuer, 200) +
        ", which is of another site: the client's secret is sent there only if the configuration names it, "
        "as `issuer` in `oauth`.");
}

std::variant<ClientIdentity, Failure> OAuth::client_of(const std::string& issuer, const Datum& metadata,
                                                       const CallTerms& terms) {
    const Result<std::string> known = bound_issuer();
    if (!known.ok()) return unauthorized(known.error().message);
    const std::string& bound = known.value();
    const bool is_meant = bound.empty() || is_same_issuer(bound, issuer);
    if (!options_.client_id.empty() && is_meant)
        return ClientIdentity{options_.client_id, options_.client_secret,
                              method_for(metadata, !options_.client_secret.empty())};
    if (metadata["client_id_metadata_document_supported"] == Datum(true) && !options_.client_metadata_url.empty())
        return ClientIdentity{.id = options_.client_metadata_url, .method = "none"};
    if (const auto own = grant_.clients.find(issuer); own != grant_.clients.end()) return own->second;
    std::variant<ClientIdentity, Failure> made = register_client(metadata, terms);
    if (const auto* client = std::get_if<ClientIdentity>(&made)) grant_.clients.emplace(issuer, *client);
    return made;
}

std::optional<Failure> OAuth::ask_for_token(const Datum& metadata, const ClientIdentity& client, Form form,
                                            const CallTerms& terms) {
    HttpPost post;
    post.url = text_at(metadata, "token_endpoint");
    post.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    if (client.method == "client_secret_basic") {
        post.headers.emplace_back("Authorization",
                                  "Basic " + base64(percent_encoded(client.id) + ":" + percent_encoded(client.secret)));
    } else {
        form.emplace_back("client_id", client.id);
        if (client.method == "client_secret_post") form.emplace_back("client_secret", client.secret);
    }
    post.body = encoded(form);
    std::variant<Fetched, Failure> got = fetch(std::move(post), terms);
    if (auto* why = std::get_if<Failure>(&got)) return std::move(*why);
    const auto& [status, json] = std::get<Fetched>(got);
    const std::string access = text_at(json, "access_token");
    // RFC 6750 is the one way in which MCP takes tokens; many leave the member out.
    const std::string type = lower(text_at(json, "token_type"));
    if (status == 200 && !type.empty() && type != "bearer")
        return unauthorized("The authorization server gives a token of the type " + quoted_excerpt(type, 40) +
                            ", which is not used: it is no bearer token.");
    const bool is_plain = !access.empty() && std::ranges::all_of(access, [](char c) { return c > ' ' && c <= '~'; });
    if (status != 200 || !is_plain) {
        Failure why = unauthorized(
            "The authorization server gives no token: HTTP " + std::to_string(status) +
            (json["error"].text() ? ", " + quoted_excerpt(*json["error"].text(), 60) : std::string()) + ".");
        why.http_status = status;
        return why;
    }
    const std::scoped_lock lock(mutex_);
    grant_.access = access;
    const std::string refresh = text_at(json, "refresh_token");
    if (!refresh.empty()) grant_.refresh = refresh;
    return std::nullopt;
}

/// Where the person comes back to. What the host throws is a failure.
Result<std::string> OAuth::send_person(const McpAuthorization& request) const {
    if (!options_.authorize) return Error(Reason::ToolError, "Somebody has to agree, and nobody can be asked.");
    try {
        return options_.authorize(request);
    } catch (const std::exception& e) {
        return Error(Reason::ToolError, e.what());
    } catch (...) {
        return Error(Reason::ToolError, "an exception of unknown type");
    }
}

/// The code that a person's agreement gives.
std::variant<std::string, Failure> OAuth::ask_person(const Datum& metadata, const ClientIdentity& client,
                                                     const std::string& scope, const std::string& resource,
                                                     const std::string& verifier) {
    const Result<std::string> digest = sha256(verifier);
    const Result<std::string> chance = random_bytes(24);
    if (!digest.ok() || !chance.ok())
        return unauthorized(digest.ok() ? chance.error().message : digest.error().message);
    const std::string state = base64_url(chance.value());
    const std::string endpoint = text_at(metadata, "authorization_endpoint");
    if (!may_ask(endpoint) || endpoint.find('#') != std::string::npos)
        return unauthorized("The authorization server has no page at which one could agree.");
    if (scope.size() > kMostScopes)
        return unauthorized("It wants " + std::to_string(scope.size()) + " bytes of scopes, more than are asked for: " +
                            std::to_string(kMostScopes) + ". `scopes`, in `oauth`, says which.");
    const Form form = {{"response_type", "code"},
                       {"client_id", client.id},
                       {"redirect_uri", options_.redirect_uri},
                       {"code_challenge", base64_url(digest.value())},
                       {"code_challenge_method", "S256"},
                       {"state", state},
                       {"scope", scope},
                       {"resource", resource}};
    const std::string separator = endpoint.find('?') == std::string::npos ? "?" : "&";
    const Result<std::string> back = send_person(
        {.server = server_.name, .url = endpoint + separator + encoded(form), .redirect_uri = options_.redirect_uri});
    if (!back.ok()) return unauthorized(back.error().message);
    std::map<std::string, std::string> query = query_of(back.value());
    // RFC 9207: of a server that is not the one that was asked nothing is used, not even its error.
    const bool says_issuer = metadata["authorization_response_iss_parameter_supported"] == Datum(true);
    const auto issuer = query.find("iss");
    if (issuer != query.end() ? issuer->second != text_at(metadata, "issuer") : says_issuer)
        return unauthorized("The answer does not come from the authorization server that was asked.");
    if (!same_bytes(query["state"], state)) return unauthorized("The answer is not one to what was asked.");
    if (query.contains("error"))
        return unauthorized("It was not agreed to: " + quoted_excerpt(query["error"], 60) + ".");
    if (query["code"].empty()) return unauthorized("The answer has no code.");
    return query["code"];
}

/// Another process may have got a token since the file was read, by a refresh token that is spent now, or as somebody
/// agreed there. Whether there is one now that is not `used`.
Result<bool> OAuth::take_news(const std::string& used) {
    Grant found = PTC_TRY(store_->find(server_.url));
    const bool is_news = !found.access.empty() && found.access != kept_access_ && found.access != used;
    kept_access_ = found.access;
    if (!is_news) return false;
    const std::scoped_lock lock(mutex_);
    found.clients.merge(grant_.clients);
    grant_ = std::move(found);
    return true;
}

void OAuth::keep() {
    store_->keep(server_.url, grant_);
    kept_access_ = grant_.access; // also where it cannot be written: what stands there is no news then
}

/// A refresh token may be good for one use, so that one process at a time has its turn, and who waited for it takes
/// what that one got. `is_refused`: it is no good any more.
std::optional<Failure> OAuth::refresh(const Datum& metadata, const ClientIdentity& client, const std::string& resource,
                                      const std::string& used, const CallTerms& terms, bool& is_refused) {
    std::optional<KeptFileTurn> turn;
    if (!store_->path().empty()) turn.emplace(store_->path(), server_.url, terms.deadline, terms.stop);
    if (turn && turn->is_taken()) return unauthorized("Another process is getting a token for it.");
    if (const Result<bool> news = take_news(used); !news.ok() || news.value())
        return news.ok() ? std::nullopt : std::optional(unauthorized(news.error().message));
    const std::string spent = std::exchange(grant_.refresh, "");
    std::optional<Failure> why = ask_for_token(
        metadata, client, {{"grant_type", "refresh_token"}, {"refresh_token", spent}, {"resource", resource}}, terms);
    // It is given up only where the authorization server says that it is no good, not where that is out of order.
    is_refused = why && why->http_status >= 400 && why->http_status < 500;
    if (!is_refused && grant_.refresh.empty()) grant_.refresh = spent;
    if (!why) keep();
    return why;
}

std::optional<Failure> OAuth::authorize(const Refusal& refusal, const CallTerms& given) {
    CallTerms terms = given;
    const std::scoped_lock authorizing(authorizing_);
    if (token() != refusal.used_token) return std::nullopt; // somebody else got one meanwhile
    if (const Result<bool> news = take_news(refusal.used_token); !news.ok() || news.value())
        return news.ok() ? std::nullopt : std::optional(unauthorized(news.error().message));
    if (!may_ask(server_.url)) return unauthorized("It wants a token, which is not sent without https.");
    std::variant<Datum, Failure> described = resource_metadata(refusal, terms);
    if (auto* why = std::get_if<Failure>(&described)) return std::move(*why);
    const Datum& protection = std::get<Datum>(described);
    const std::string* issuer = issuer_among(protection["authorization_servers"]);
    if (!issuer) return unauthorized(no_issuer(protection["authorization_servers"]));
    if (auto why = check_site(*issuer)) return why;
    std::variant<Datum, Failure> found = issuer_metadata(*issuer, terms);
    if (auto* why = std::get_if<Failure>(&found)) return std::move(*why);
    const Datum& metadata = std::get<Datum>(found);
    if (grant_.issuer != *issuer) { // nothing of another one is used here
        const std::scoped_lock lock(mutex_);
        grant_.access.clear();
        grant_.refresh.clear();
        grant_.scopes.clear();
        grant_.issuer = *issuer;
    }
    std::variant<ClientIdentity, Failure> identity = client_of(*issuer, metadata, terms);
    if (auto* why = std::get_if<Failure>(&identity)) return std::move(*why);
    const auto& client = std::get<ClientIdentity>(identity);
    const std::string named = text_at(protection, "resource");
    const std::string resource = named.empty() ? server_.url : named;
    // A token that has expired is made anew without a person; one that is not enough is not.
    if (refusal.status == 401 && !grant_.refresh.empty()) {
        bool is_refused = false;
        std::optional<Failure> why = refresh(metadata, client, resource, refusal.used_token, terms, is_refused);
        if (!is_refused) return why;
        // As one that does not take turns has spent it?
        if (take_news(refusal.used_token).value_or(false)) return std::nullopt;
    }
    const std::set<std::string> challenged = words(challenge_parameter(refusal.challenge, "scope"));
    const std::vector<std::string>& own = server_.oauth.scopes;
    std::set<std::string> scopes =
        challenged.empty() && own.empty() ? texts_at(protection, "scopes_supported") : challenged;
    scopes.insert(own.begin(), own.end());
    scopes.insert(grant_.scopes.begin(), grant_.scopes.end());
    if (texts_at(metadata, "scopes_supported").contains("offline_access")) scopes.insert("offline_access");
    if (is_for_programs(metadata, client)) {
        if (client.id == options_.client_id) store_->bind(client.id, *issuer);
        const Form form = {{"grant_type", "client_credentials"}, {"scope", joined(scopes)}, {"resource", resource}};
        if (auto why = ask_for_token(metadata, client, form, terms)) return why;
        grant_.scopes = std::move(scopes);
        keep();
        return std::nullopt;
    }
    const Result<std::string> chance = random_bytes(48);
    if (!chance.ok()) return unauthorized(chance.error().message);
    const std::string verifier = base64_url(chance.value());
    const SteadyClock::time_point asked = SteadyClock::now();
    std::variant<std::string, Failure> code = ask_person(metadata, client, joined(scopes), resource, verifier);
    if (auto* why = std::get_if<Failure>(&code)) return std::move(*why);
    terms.deadline += SteadyClock::now() - asked;
    if (client.id == options_.client_id) store_->bind(client.id, *issuer); // before the secret goes there
    const Form form = {{"grant_type", "authorization_code"},
                       {"code", std::get<std::string>(code)},
                       {"redirect_uri", options_.redirect_uri},
                       {"code_verifier", verifier},
                       {"resource", resource}};
    if (auto why = ask_for_token(metadata, client, form, terms)) return why;
    grant_.scopes = std::move(scopes);
    keep();
    return std::nullopt;
}

} // namespace

/// Of the file, whose other rows are those of addresses.
static std::string client_key(const std::string& client) { return "client " + client; }

/// No file, and an empty one, is one without rows. One that cannot be read or is none stays as it is: it may have what
/// somebody needs.
Result<Datum> TokenStore::read() const {
    struct stat what {};
    if (path_.empty() || (::stat(path_.c_str(), &what) != 0 && errno == ENOENT)) return Datum(Datum::Map());
    constexpr mode_t kOthers = 077; // it may be a copy
    if (S_ISREG(what.st_mode) && what.st_uid == ::geteuid() && (what.st_mode & kOthers) != 0)
        (void)::chmod(path_.c_str(), what.st_mode & 0700);
    const std::string text = PTC_TRY(read_whole_file(path_, kMostStore));
    if (text.empty()) return Datum(Datum::Map());
    Result<Datum> json = Datum::from_json(text);
    if (json.ok() && json.value().map()) return json;
    return Error(Reason::InvalidRequest, path_ + ": this file should have tokens, and is no JSON object" +
                                             (json.ok() ? "." : ": " + json.error().message) +
                                             " Mend it or take it away: nothing is written there.");
}

Result<Grant> TokenStore::find(const std::string& url) {
    Grant grant;
    const std::scoped_lock lock(mutex_);
    const Datum all = PTC_TRY(read());
    const Datum& row = all[url];
    grant.issuer = text_at(row, "issuer");
    grant.access = text_at(row, "access");
    grant.refresh = text_at(row, "refresh");
    grant.scopes = words(text_at(row, "scope"));
    for (const auto& [issuer, client] : row["clients"].entries())
        grant.clients.emplace(*issuer.text(), ClientIdentity{text_at(client, "id"), text_at(client, "secret"),
                                                             text_at(client, "method")});
    return grant;
}

void TokenStore::keep(const std::string& url, const Grant& grant) {
    if (path_.empty()) return;
    std::vector<std::pair<std::string, Datum>> clients;
    for (const auto& [issuer, client] : grant.clients)
        clients.emplace_back(issuer,
                             Datum::object({{"id", client.id}, {"secret", client.secret}, {"method", client.method}}));
    Datum row = Datum::object({{"issuer", grant.issuer},
                               {"access", grant.access},
                               {"refresh", grant.refresh},
                               {"scope", joined(grant.scopes)},
                               {"clients", Datum::object(std::move(clients))}});
    const std::scoped_lock lock(mutex_);
    replace(url, std::move(row));
}

/// Under the lock; no other process changes it meanwhile. Where it cannot be written, the person is asked again.
void TokenStore::replace(const std::string& key, Datum row) {
    if (path_.empty()) return;
    constexpr std::chrono::seconds kPatience{10}; // others have it for the time of a write
    const KeptFileLock lock_of_processes(path_, kPatience);
    const Result<Datum> known = read();
    if (!known.ok()) return;
    Datum::Map all = *known.value().map();
    std::erase_if(all, [&](const auto& entry) { return entry.first == Datum(key); });
    all.emplace_back(Datum(key), std::move(row));
    (void)write_kept_file(path_, Datum(std::move(all)).to_json() + "\n");
}

Result<std::string> TokenStore::issuer_of(const std::string& client) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = bound_.find(client); found != bound_.end()) return found->second;
    const Datum all = PTC_TRY(read());
    return text_at(all[client_key(client)], "issuer");
}

void TokenStore::bind(const std::string& client, const std::string& issuer) {
    const std::scoped_lock lock(mutex_);
    bound_[client] = issuer;
    replace(client_key(client), Datum::object({{"issuer", issuer}}));
}

std::shared_ptr<TokenStore> make_token_store(std::string path) { return std::make_shared<TokenStore>(std::move(path)); }

/// With what is said for this server alone.
static McpOptions with_own(McpOptions options, const McpOAuth& own) {
    if (!own.client_id.empty()) {
        options.client_id = own.client_id;
        options.client_secret = own.client_secret;
        options.client_issuer = own.issuer;
    }
    if (!own.client_metadata_url.empty()) options.client_metadata_url = own.client_metadata_url;
    if (!own.redirect_uri.empty()) options.redirect_uri = own.redirect_uri;
    return options;
}

std::shared_ptr<Authorizer> make_authorizer(const McpServer& server, const McpOptions& given,
                                            std::shared_ptr<TokenStore> store) {
    const McpOptions options = with_own(given, server.oauth);
    if (server.url.empty() || (!options.authorize && options.client_secret.empty())) return nullptr;
    for (const auto& [name, value] : server.headers) {
        if (name.size() == 13 && (name == "Authorization" || name == "authorization")) return nullptr; // it has one
    }
    return std::make_shared<OAuth>(server, options, std::move(store));
}

bool is_of_one_site(const std::string& a, const std::string& b) {
    const std::optional<HttpAddress> one = parse_address(a), other = parse_address(b);
    if (!one || !other) return false;
    if (one->host == other->host || (one->is_this_machine() && other->is_this_machine())) return true;
    if (is_number(one->host) || is_number(other->host)) return false;
    const std::vector<std::string_view> own = labels_of(one->host), others = labels_of(other->host);
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(own, others).in1 - own.begin());
    constexpr std::size_t kCountryCode = 2, kMostInFront = 3;
    const bool is_wide = shared == 2 && own[0].size() == kCountryCode && own[1].size() <= kMostInFront;
    return shared >= 2 && !is_wide;
}

std::string challenge_parameter(std::string_view challenge, std::string_view name) {
    std::size_t at = 0;
    while ((at = challenge.find(name, at)) != std::string_view::npos) {
        const bool begins = at == 0 || challenge[at - 1] == ' ' || challenge[at - 1] == ',';
        std::string_view rest = challenge.substr(at + name.size());
        at += name.size();
        if (!begins || !rest.starts_with('=')) continue;
        rest.remove_prefix(1);
        if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find_first_of(", ")));
        std::string value;
        for (std::size_t i = 1; i < rest.size() && rest[i] != '"'; ++i) {
            if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
            value += rest[i];
        }
        return value;
    }
    return "";
}

} // namespace ptc::mcp
