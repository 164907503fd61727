// The protocol over HTTP, without a network: what of clients is counted together, and what many sessions do to others.
#include "subagent/mcp/protocol.h"
#include "tools/mcp/http_service.h"
#include "tools/mcp/lisp_sessions.h"
#include <gtest/gtest.h>
#include <latch>

namespace ptc::mcp {
namespace {

/// Keeps the answer, which another thread may give.
class Replies : public HttpResponder {
public:
    void reply(HttpReply reply) override { reply_ = std::move(reply), done_.count_down(); }
    void begin_stream(HttpHeaders headers) override { reply_.headers = std::move(headers), is_stream_ = true; }
    void send(std::string bytes) override { reply_.body += bytes; }
    void end_stream() override { done_.count_down(); }
    [[nodiscard]] std::stop_token gone() const override { return {}; }
    HttpReply wait() {
        done_.wait();
        return std::move(reply_);
    }

    [[nodiscard]] bool is_stream() const { return is_stream_; }

private:
    bool is_stream_ = false;
    HttpReply reply_{};
    std::latch done_{1};
};

struct World {
    explicit World(std::size_t max_sessions, ServerLimits limits = {})
        : server({.name = "t", .title = "t", .version = "1"}, limits), service(server, {.max_sessions = max_sessions}) {
    }
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
    Server server;
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

/// Whether `address` may listen, once more.
bool listens(World& world, const std::string& address) {
    const std::string meta = R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                             R"("io.modelcontextprotocol/clientCapabilities":{}})";
    const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{)"
                             R"("notifications":{"toolsListChanged":true},"_meta":)" +
                             meta + "}}";
    const auto replies = std::make_shared<Replies>();
    HttpRequest request;
    request.method = "POST";
    request.path = "/mcp";
    request.client = address;
    request.body = body;
    request.headers = {{"content-type", "application/json"},
                       {"mcp-protocol-version", "2026-07-28"},
                       {"mcp-method", "subscriptions/listen"}};
    world.service.handle(std::move(request), replies);
    return replies->is_stream();
}

TEST(McpHttp, ListenersOfOneAddressLeaveRoomToOthers) {
    World world(4, {.is_shared = true, .max_listening = 16});
    Offer offer{.name = "t", .title = "t", .version = "1"};
    offer.can_change = true;
    world.server.replace(std::move(offer));
    int taken = 0;
    for (int i = 0; i < 20; ++i)
        taken += listens(world, "192.0.2.1") ? 1 : 0;
    EXPECT_EQ(taken, 9); // what it asks without a session is its share of its share
    EXPECT_TRUE(listens(world, "192.0.2.2"));
}

TEST(McpPool, NobodyTakesTheLastQuarter) {
    Pool pool(16, true);
    std::vector<Pool::Part> parts;
    const auto take = [&](const char* address, const std::string& session) {
        std::optional<Pool::Part> part = pool.take({address, session});
        if (part) parts.push_back(*std::move(part));
        return part.has_value();
    };
    for (int i = 0; i < 40; ++i)
        (void)take("a", std::to_string(i % 8)); // in however many sessions
    EXPECT_EQ(parts.size(), 12U);
    EXPECT_TRUE(take("b", "1"));
    EXPECT_FALSE(take("a", "new"));
    parts.clear();
    for (int i = 0; i < 40; ++i)
        (void)take("a", "1");
    EXPECT_EQ(parts.size(), 9U); // of its client's share others of its sessions have a quarter
    EXPECT_TRUE(take("a", "2"));
    EXPECT_FALSE(pool.take({"b", "1"}, 7));
    EXPECT_TRUE(pool.take({"b", "1"}, 6));
    parts.clear();
    EXPECT_TRUE(pool.take({"b", "1"}, 9));
    EXPECT_TRUE(Pool(1, true).take({"a", "1"}));
    EXPECT_TRUE(Pool(16, false).take({"a", "1"}, 16));
    EXPECT_TRUE(pool.take({}, 16)); // of nobody
}

TEST(McpLispSessions, WhoBeginsManyEndsItsOwn) {
    LispSessions sessions(8, 1000, std::chrono::hours(1));
    const auto open = [&](const char* address, const char* session) {
        return sessions.open("http", {address, session}).value()->handle;
    };
    const auto is_there = [&](const std::string& handle) { return sessions.find(handle, "http").ok(); };
    const std::string others = open("192.0.2.1", "1");
    const std::string quiet = open("192.0.2.2", "quiet");
    const std::string first = open("192.0.2.2", "busy");
    for (int i = 0; i < 20; ++i)
        (void)open("192.0.2.2", "busy");
    EXPECT_TRUE(is_there(others) && is_there(quiet));
    EXPECT_FALSE(is_there(first));
    for (int i = 0; i < 20; ++i) // whatever it calls itself
        (void)open("192.0.2.2", std::to_string(i).c_str());
    EXPECT_TRUE(is_there(others));
}

TEST(McpLispSessions, WhoHasMostBytesMakesRoom) {
    LispSessions sessions(100, 1000, std::chrono::hours(1));
    const auto keep = [&](const char* address, std::size_t bytes) {
        const LispSessionPtr session = sessions.open("http", {address, "1"}).value();
        sessions.keep(*session, std::string(bytes, 'x'), true);
        return session->handle;
    };
    const auto is_there = [&](const std::string& handle) { return sessions.find(handle, "http").ok(); };
    const std::string small = keep("192.0.2.1", 100), large = keep("192.0.2.2", 700);
    for (int i = 0; i < 10; ++i)
        (void)keep("192.0.2.2", 150);
    EXPECT_TRUE(is_there(small));
    EXPECT_FALSE(is_there(large));
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
