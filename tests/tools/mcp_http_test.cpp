// The protocol over HTTP, without a network: what of clients is counted together, and what many sessions do to others.
#include "subagent/mcp/protocol.h"
#include "tools/mcp/http_service.h"
#include <gtest/gtest.h>
#include <latch>

namespace ptc::mcp {
namespace {

/// Keeps the answer, which another thread may give.
class Replies : public HttpResponder {
public:
    void reply(HttpReply reply) override { reply_ = std::move(reply), done_.count_down(); }
    void begin_stream(HttpHeaders headers) override { reply_.headers = std::move(headers); }
    void send(std::string bytes) override { reply_.body += bytes; }
    void end_stream() override { done_.count_down(); }
    [[nodiscard]] bool is_gone() const override { return false; }
    HttpReply wait() {
        done_.wait();
        return std::move(reply_);
    }

private:
    HttpReply reply_{};
    std::latch done_{1};
};

struct World {
    explicit World(std::size_t max_sessions) : service(server, {.max_sessions = max_sessions}) {}
    HttpReply send(const std::string& client, std::string body, HttpHeaders more = {}) {
        HttpRequest request;
        request.method = "POST";
        request.path = "/mcp";
        request.client = client;
        request.body = std::move(body);
        request.headers = {{"content-type", "application/json"}};
        request.headers.insert(request.headers.end(), more.begin(), more.end());
        const auto replies = std::make_shared<Replies>();
        service.handle(std::move(request), replies);
        return replies->wait();
    }
    /// The name of a new session.
    std::string begin(const std::string& client) {
        const HttpReply reply = send(
            client,
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})");
        for (const auto& [name, value] : reply.headers) {
            if (name == kHeaderSession) return value;
        }
        return "";
    }
    bool is_there(const std::string& session) {
        return send("any", R"({"jsonrpc":"2.0","id":2,"method":"ping"})", {{"mcp-session-id", session}}).status == 200;
    }
    Server server{{.name = "t", .title = "t", .version = "1"}, {}};
    HttpService service;
};

TEST(McpHttp, WhoBeginsManySessionsEndsItsOwn) {
    World world(4);
    const std::string mine = world.begin("192.0.2.1");
    const std::string first = world.begin("192.0.2.2"), second = world.begin("192.0.2.2");
    ASSERT_TRUE(world.is_there(mine) && world.is_there(first) && world.is_there(second));
    for (int i = 0; i < 20; ++i)
        ASSERT_NE(world.begin("192.0.2.2"), "");
    EXPECT_TRUE(world.is_there(mine));
    EXPECT_FALSE(world.is_there(first) || world.is_there(second));
}

TEST(McpHttp, ArgumentsThatAreHeadersSayTheSameThere) {
    World world(1);
    const std::string schema =
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},)"
        R"("at":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Zone"}}}}})";
    Offer offer{.name = "t", .title = "t", .version = "1"};
    offer.tools.push_back({"go", "{}", [](Call&) { return text_answer("gone"); }, schema});
    world.server.replace(std::move(offer));
    const auto send = [&](const std::string& arguments, HttpHeaders more) {
        more.insert(more.end(),
                    {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", "go"}});
        const std::string meta = R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                 R"("io.modelcontextprotocol/clientCapabilities":{}})";
        const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"go","arguments":)" +
                                 arguments + R"(,"_meta":)" + meta + "}}";
        const HttpReply reply = world.send("192.0.2.1", body, more);
        return reply.body.find("-32020") == std::string::npos;
    };
    const std::string both = R"({"region":"Tübingen","at":{"zone":7}})";
    const std::string encoded = header_value("Tübingen");
    EXPECT_TRUE(send(both, {{"mcp-param-region", encoded}, {"mcp-param-zone", "7"}}));
    EXPECT_TRUE(send("{}", {}));
    EXPECT_TRUE(send(R"({"region":null})", {}));
    EXPECT_TRUE(send(R"({"region":"=?base64?SGVsbG8="})", {{"mcp-param-region", "=?base64?SGVsbG8="}}));
    EXPECT_FALSE(send(both, {{"mcp-param-region", encoded}}));
    EXPECT_FALSE(send(both, {{"mcp-param-region", encoded}, {"mcp-param-zone", "8"}}));
    EXPECT_FALSE(send(both, {{"mcp-param-region", "=?base64?VMO8?="}, {"mcp-param-zone", "7"}}));
    EXPECT_FALSE(send(both, {{"mcp-param-region", "=?base64?!!?="}, {"mcp-param-zone", "7"}}));
    EXPECT_FALSE(send("{}", {{"mcp-param-region", "north"}}));
}

} // namespace
} // namespace ptc::mcp
