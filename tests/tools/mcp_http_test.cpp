// The protocol over HTTP, without a network: what of clients is counted together, and what many sessions do to others.
#include "tools/mcp/http_service.h"
#include <gtest/gtest.h>

namespace ptc::mcp {
namespace {

/// Keeps the answer.
class Replies : public HttpResponder {
public:
    explicit Replies(HttpReply& reply) : reply_(reply) {}
    void reply(HttpReply reply) override { reply_ = std::move(reply); }
    void begin_stream(HttpHeaders headers) override { reply_.headers = std::move(headers); }
    void send(std::string bytes) override { reply_.body += bytes; }
    void end_stream() override {}
    [[nodiscard]] bool is_gone() const override { return false; }

private:
    HttpReply& reply_;
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
        HttpReply reply;
        service.handle(std::move(request), std::make_shared<Replies>(reply));
        return reply;
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

} // namespace
} // namespace ptc::mcp
