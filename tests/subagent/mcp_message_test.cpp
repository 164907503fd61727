// Messages of the Model Context Protocol: what is one, what is answered to what is none, and how headers carry values.
#include "subagent/mcp/digest.h"
#include "subagent/mcp/json_parts.h"
#include "subagent/mcp/message.h"
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace ptc::mcp {
namespace {

Message message(std::string_view json) {
    auto read = read_message(json);
    const auto* bad = std::get_if<BadMessage>(&read);
    EXPECT_FALSE(bad) << json << ": " << (bad ? bad->error.message : "");
    return bad ? Message() : std::get<Message>(std::move(read));
}

BadMessage bad(std::string_view json, const MessageLimits& limits = {}) {
    auto read = read_message(json, limits);
    EXPECT_TRUE(std::holds_alternative<BadMessage>(read)) << json;
    return std::holds_alternative<BadMessage>(read) ? std::get<BadMessage>(read) : BadMessage();
}

int code(ErrorCode code) { return static_cast<int>(code); }

TEST(McpMessage, IsARequestANotificationAResultOrAnError) {
    const Message request =
        message(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":{"progressToken":7}}})");
    EXPECT_EQ(request.kind, MessageKind::Request);
    EXPECT_EQ(request.id, Datum("a"));
    EXPECT_EQ(request.method, "ping");
    EXPECT_EQ(*request.meta("progressToken"), Datum(7));
    EXPECT_EQ(message(R"({"jsonrpc":"2.0","method":"x"})").kind, MessageKind::Notification);
    EXPECT_EQ(message(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, MessageKind::Result);
    const Message error = message(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}})");
    EXPECT_EQ(error.kind, MessageKind::Error);
    EXPECT_EQ(error.error.code, code(ErrorCode::InvalidRequest));
}

TEST(McpMessage, WhatIsNoneIsAnsweredWithTheIdThatItHas) {
    EXPECT_EQ(bad("{").error.code, code(ErrorCode::ParseError));
    EXPECT_EQ(bad("").error.code, code(ErrorCode::ParseError));
    EXPECT_EQ(bad(R"({"jsonrpc":"1.0","id":5,"method":"x"})").id, Datum(5));
    for (const char* json :
         {"[]", "1", "null", R"([{"jsonrpc":"2.0","id":1,"method":"x"}])", R"({"id":1,"method":"x"})",
          R"({"jsonrpc":"2.0","id":null,"method":"x"})", R"({"jsonrpc":"2.0","id":1.5,"method":"x"})",
          R"({"jsonrpc":"2.0","id":true,"method":"x"})", R"({"jsonrpc":"2.0","id":{},"method":"x"})",
          R"({"jsonrpc":"2.0","id":1,"method":2})", R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})",
          R"({"jsonrpc":"2.0","id":1,"method":"x","result":{}})", R"({"jsonrpc":"2.0","id":1})",
          R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", R"({"jsonrpc":"2.0","result":{}})",
          R"({"jsonrpc":"2.0","id":1,"result":[]})", R"({"jsonrpc":"2.0","id":1,"error":{"code":"a","message":"b"}})"})
        EXPECT_EQ(bad(json).error.code, code(ErrorCode::InvalidRequest)) << json;
}

TEST(McpMessage, LimitsHoldAtTheEdge) {
    const auto nested = [](std::size_t levels) {
        return R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"a":)" + std::string(levels, '[') + "\"[[\\\"[\"" +
               std::string(levels, ']') + "}}";
    };
    MessageLimits limits{.max_depth = 10};
    EXPECT_TRUE(std::holds_alternative<Message>(read_message(nested(8), limits)));
    EXPECT_EQ(bad(nested(9), limits).error.code, code(ErrorCode::InvalidRequest));
    const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"x"})";
    limits.max_bytes = call.size();
    EXPECT_TRUE(std::holds_alternative<Message>(read_message(call, limits)));
    bad(call + " ", limits);
    limits.max_bytes = 1000;
    const auto with_id = [](std::size_t bytes) {
        return R"({"jsonrpc":"2.0","method":"x","id":")" + std::string(bytes, 'i') + "\"}";
    };
    EXPECT_TRUE(std::holds_alternative<Message>(read_message(with_id(512), limits)));
    bad(with_id(513), limits);
    bad(std::string(100'000, '['), {});
}

TEST(McpMessage, WhatIsNoneHasAnIdAllTheSame) {
    const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    EXPECT_EQ(find_message_id(R"({"a":{"id":1},"b":["id",":"],"id" : "x\"y" ,"c":)" + deep + "}"), Datum("x\"y"));
    EXPECT_EQ(find_message_id(R"( {"result":1e999,"id":7})"), Datum(7));
    EXPECT_EQ(find_message_id(R"({"id":7,"result":{"a)"), Datum(7));
    for (const char* json : {"", "[]", "[{\"id\":1}]", "{}", R"({"x":"id"})", R"({"id":{"id":1}})", R"({"id":1.5})",
                             R"({"id":7)", R"({"x":{"id":1}})", R"("id":1)"})
        EXPECT_TRUE(find_message_id(json).is_nil()) << json;
    EXPECT_EQ(bad(R"({"jsonrpc":"2.0","id":3,"method":"x","params":)" + deep + "}").id, Datum(3));
}

TEST(McpMessage, MayBeCutWhereItIsTooDeep) {
    const auto read = read_message(R"({"jsonrpc":"2.0","id":1,"result":{"a":[1,[2,[3],"]"],{}],"b":4}})",
                                   {.max_depth = 3, .cuts_depth = true});
    ASSERT_TRUE(std::holds_alternative<Message>(read));
    EXPECT_EQ(std::get<Message>(read).result.to_json(), R"({"a":[1,null,null],"b":4})");
}

TEST(McpMessage, IsWrittenOnOneLine) {
    EXPECT_EQ(write_request(1, "m", Datum::object({{"a", "x\ny"}})),
              R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"x\ny"}})");
    EXPECT_EQ(write_notification("m", {}), R"({"jsonrpc":"2.0","method":"m"})");
    EXPECT_EQ(write_result("i", "{}"), R"({"jsonrpc":"2.0","id":"i","result":{}})");
    EXPECT_EQ(write_error(1, rpc_error(ErrorCode::MethodNotFound)),
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"There is no such method."}})");
    EXPECT_EQ(write_error({}, rpc_error(ErrorCode::ParseError, "no", 1)),
              R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no","data":1}})");
}

TEST(McpProtocol, FindsItsRows) {
    for (const Revision revision : kRevisions)
        EXPECT_EQ(find_revision(revision_text(revision)), revision);
    EXPECT_FALSE(find_revision("1900-01-01"));
    for (const MethodRow& row : methods()) {
        EXPECT_EQ(find_method(row.text)->method, row.method);
        EXPECT_EQ(method_text(row.method), row.text);
    }
    EXPECT_FALSE(has_method(kNewest, *find_method("initialize")));
    EXPECT_TRUE(has_method(kNewest, *find_method("server/discover")));
}

TEST(McpProtocol, EachMethodOfEachRevisionIsASeedOfTheFuzzer) {
    for (const Revision revision : kRevisions) {
        std::ifstream file("fuzz/corpus/mcp/methods-" + std::string(revision_text(revision)));
        const std::string seed((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        for (const MethodRow& row : methods()) {
            if (!has_method(revision, row)) continue;
            const std::string text = R"("method":")" + std::string(row.text) + "\"";
            EXPECT_NE(seed.find(text), std::string::npos) << revision_text(revision) << " " << row.text;
        }
    }
}

TEST(McpHeaderValue, IsEncodedWhereItCouldBeMisread) {
    for (const char* plain : {"us-west1", "", "a b", "=?base64?x"})
        EXPECT_EQ(header_value(plain), plain);
    EXPECT_EQ(header_value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    EXPECT_EQ(header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    for (const char* text : {"us-west1", " padded ", "line1\nline2", "=?base64?literal?=", "世界", "a"})
        EXPECT_EQ(read_header_value(header_value(text)), text);
    for (const char* malformed : {"世界", " a", "=?base64?a?=", "=?base64?YR==?=", "=?base64?Y Q=?=", "a\nb"})
        EXPECT_FALSE(read_header_value(malformed)) << malformed;
}

TEST(McpDigest, IsThatOfTheStandards) {
    EXPECT_EQ(base64_url(sha256("abc").value()), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    // RFC 4231, case 2
    EXPECT_EQ(base64(hmac_sha256("Jefe", "what do ya want for nothing?").value()),
              "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
    EXPECT_EQ(random_bytes(16).value().size(), 16u);
    EXPECT_NE(random_bytes(16).value(), random_bytes(16).value());
    EXPECT_EQ(read_base64_url("_-8"), "\xff\xef");
    EXPECT_FALSE(read_base64_url("_-9")); // the last bits mean nothing, and must be zeros
    EXPECT_TRUE(same_bytes("ab", "ab"));
    EXPECT_FALSE(same_bytes("ab", "aB"));
    EXPECT_FALSE(same_bytes("ab", "abc"));
}

Message apart(std::string_view json) {
    MessageLimits limits{.max_depth = 6};
    limits.cuts_depth = true;
    limits.list_apart = "tools";
    auto read = read_message(json, limits);
    return std::holds_alternative<Message>(read) ? std::get<Message>(std::move(read)) : Message();
}

std::vector<std::string> items_of(std::string_view list) {
    std::vector<std::string> items;
    EXPECT_TRUE(visit_items(list, [&](std::string_view item) { return items.emplace_back(item), true; })) << list;
    return items;
}

TEST(McpMessage, AListOfAResultIsReadApart) {
    const Message message =
        apart(R"({"id":1,"result":{"a":{"tools":[]},"tools":[{"x":"],\"["} , [1,[2]]],"b":2},"jsonrpc":"2.0"})");
    EXPECT_EQ(message.kind, MessageKind::Result);
    EXPECT_EQ(message.result.to_json(), R"({"a":{"tools":[]},"b":2,"tools":[]})");
    EXPECT_EQ(items_of(message.list), (std::vector<std::string>{R"({"x":"],\"["})", "[1,[2]]"}));
    EXPECT_EQ(apart(R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})").list, "[]");
    for (const char* none :
         {R"({"jsonrpc":"2.0","id":1,"result":{"tools":null}})", R"({"jsonrpc":"2.0","id":1,"result":{"tools":"[1]"}})",
          R"({"jsonrpc":"2.0","id":1,"result":{"more":[]}})",
          R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"tools":[1]}})"})
        EXPECT_EQ(apart(none).list, "") << none;
    EXPECT_TRUE(items_of(" [ ] ").empty());
    EXPECT_EQ(items_of("[1,]"), (std::vector<std::string>{"1", ""})); // of which the second is no JSON
    for (const char* none : {"", "[", "[1", "{}", "[1}", "[1] 2", "1"})
        EXPECT_FALSE(visit_items(none, [](std::string_view) { return true; })) << none;
    MessageLimits limits{.max_depth = 6};
    EXPECT_EQ(read_item("[[[1]]]", limits).value().to_json(), "[[[1]]]");
    EXPECT_EQ(read_item("[[[[1]]]]", limits).value().to_json(), "[[[null]]]");
    EXPECT_EQ(find_member(R"({"a":{"b":1},"b":[2,{"b":3}] })", "b"), R"([2,{"b":3}])");
}

} // namespace
} // namespace ptc::mcp
