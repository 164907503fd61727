// Whose secret goes where: a client that the host named, and servers that name authorization servers.
#include "ptc/mcp_client.h"
#include "subagent/mcp/client_oauth.h"
#include "tests/subagent/loopback_server.h"
#include "tests/support/temporary_folder.h"
#include <algorithm>

namespace ptc {
namespace {

/// A server at /mcp and /other that takes no token, and two authorization servers /a and /b on the same port.
struct Issuers {
    std::mutex mutex;
    std::string issuer = "/a"; ///< that the servers name
    std::string grants{};      ///< of the authorization servers
    std::string other_site{};  ///< on which they name it; "": here
    std::vector<std::string> token_requests;
    Server server{[this](Peer& peer) { serve(peer); }};

    [[nodiscard]] std::string base() const { return server.url().substr(0, server.url().size() - 3); }

    void serve(Peer& peer) {
        for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
            const std::string path =
                request.substr(request.find(' ') + 1, request.find(" HTTP/") - request.find(' ') - 1);
            const std::scoped_lock lock(mutex);
            if (path.starts_with("/.well-known/oauth-protected-resource"))
                peer.answer(R"({"resource":")" + base() + R"(","authorization_servers":[")" +
                            (other_site.empty() ? base() : other_site) + issuer + R"("]})");
            else if (path.starts_with("/.well-known/oauth-authorization-server")) {
                const std::string one = base() + path.substr(path.rfind('/'));
                peer.answer(R"({"issuer":")" + one + R"(","authorization_endpoint":")" + one +
                            R"(/authorize","token_endpoint":")" + one + R"(/token",)" + grants +
                            R"("code_challenge_methods_supported":["S256"]})");
            } else if (path.ends_with("/token")) {
                token_requests.push_back(request);
                peer.answer(R"({"access_token":"t","token_type":"Bearer"})");
            } else {
                peer.answer("", "text/plain", 401, "WWW-Authenticate: Bearer\r\n");
            }
        }
    }
    std::size_t tokens_of(const std::string& issuer_path) {
        const std::scoped_lock lock(mutex);
        return static_cast<std::size_t>(std::ranges::count_if(token_requests, [&](const std::string& request) {
            return request.starts_with("POST " + issuer_path + "/token") &&
                   request.find("Authorization: Basic ") != std::string::npos;
        }));
    }
    void name(const std::string& other) {
        const std::scoped_lock lock(mutex);
        issuer = other;
    }
    /// Why the server is not there, when a client of the secret asks it.
    std::string ask(const std::string& path, const std::string& token_file, const std::string& client_issuer = "",
                    bool is_alone = false) {
        McpOptions options{.servers = {{.name = "s", .url = base() + path}}};
        options.authorize = [](const McpAuthorization& request) -> Result<std::string> {
            const std::size_t state = request.url.find("&state=");
            return request.redirect_uri + "?code=c" +
                   request.url.substr(state, request.url.find('&', state + 1) - state);
        };
        if (is_alone) options.authorize = {};
        options.client_id = "c";
        options.client_secret = "s3cret";
        options.client_issuer = client_issuer;
        options.token_file = token_file;
        const auto client = McpClient::connect(options).value();
        return client->problems().empty() ? "" : client->problems().front();
    }
};

TEST(McpOAuth, AClientWithASecretNeedsNobodyWhereTokensAreForPrograms) {
    Issuers issuers;
    EXPECT_NE(issuers.ask("/mcp", "", "", true).find("nobody can be asked"), std::string::npos);
    EXPECT_EQ(issuers.tokens_of("/a"), 0u);
    issuers.grants = R"("grant_types_supported":["client_credentials"],)";
    (void)issuers.ask("/mcp", "", "", true);
    EXPECT_GE(issuers.tokens_of("/a"), 1u);
    EXPECT_NE(issuers.token_requests.front().find("grant_type=client_credentials&"), std::string::npos);
}

TEST(McpOAuth, ASecretStaysWithTheIssuerThatItWasUsedAtFirst) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "tokens.json";
    Issuers issuers;
    (void)issuers.ask("/mcp", file);
    EXPECT_GE(issuers.tokens_of("/a"), 1u);
    issuers.name("/b"); // the server has come into other hands, or it is another server
    for (const char* path : {"/mcp", "/other"})
        EXPECT_NE(issuers.ask(path, file).find("wants to know us, and cannot be told"), std::string::npos);
    EXPECT_EQ(issuers.tokens_of("/b"), 0u);
    EXPECT_NE(issuers.ask("/mcp", file, issuers.base() + "/a").find("wants to know us"), std::string::npos);
    EXPECT_EQ(issuers.tokens_of("/b"), 0u);
    (void)issuers.ask("/mcp", file, issuers.base() + "/b"); // who says so, means it
    EXPECT_GE(issuers.tokens_of("/b"), 1u);
}

TEST(McpOAuth, ASecretIsForTheSiteOfItsServerUnlessSomebodyNamesAnother) {
    Issuers issuers;
    issuers.grants = R"("grant_types_supported":["client_credentials"],)";
    const auto ask = [&](const std::string& named) {
        const auto client =
            McpClient::connect({.servers = {{.name = "s",
                                             .url = issuers.base() + "/mcp",
                                             .oauth = {.client_id = "c", .client_secret = "s3cret", .issuer = named}}}})
                .value();
        return client->problems().front(); // its server takes no token
    };
    EXPECT_NE(ask(issuers.base() + "/b").find("the configuration names another one: `" + issuers.base() + "/b`"),
              std::string::npos);
    EXPECT_EQ(issuers.tokens_of("/a"), 0u);
    (void)ask(issuers.base() + "/a/");
    EXPECT_GE(issuers.tokens_of("/a"), 1u);
    issuers.other_site = "https://login.example";
    EXPECT_NE(ask("").find("It wants a token of `https://login.example/a`, which is of another site"),
              std::string::npos);
}

TEST(McpOAuth, SitesAreHostsBelowARegisteredName) {
    const auto are = [](const std::string& a, const std::string& b) {
        return mcp::is_of_one_site("https://" + a + "/x", "https://" + b);
    };
    EXPECT_TRUE(are("a.example.com", "A.example.com:8443"));
    EXPECT_TRUE(are("mcp.example.com", "login.example.com"));
    EXPECT_TRUE(are("example.com", "login.eu.example.com"));
    EXPECT_TRUE(are("mcp.shop.co.uk", "login.shop.co.uk"));
    EXPECT_TRUE(are("127.0.0.1:1", "localhost:2"));
    EXPECT_FALSE(are("mcp.shop.co.uk", "login.other.co.uk"));
    EXPECT_FALSE(are("example.com", "example.org"));
    EXPECT_FALSE(are("example.com", "myexample.com"));
    EXPECT_FALSE(are("192.0.2.7", "198.51.2.7"));
    EXPECT_FALSE(are("a.com", "b.com"));
    EXPECT_FALSE(are("localhost", "a.example.com"));
}

} // namespace
} // namespace ptc
