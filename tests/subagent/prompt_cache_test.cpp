// What providers can keep of a mission's prompts: each request begins with the one before, measured on the bodies that
// are sent. Where a provider wants to be told what to keep, the marks stand at the right places.
#include "tests/subagent/provider_calls.h"
#include <algorithm>

namespace ptc {
namespace {

/// A mission of 20 turns, each of which gives a map: new data.
std::vector<LlmRequest> twenty_turns(AgentOptions options) {
    std::vector<LlmResult> replies;
    for (int turn = 1; turn <= 20; ++turn) {
        const std::string n = std::to_string(turn);
        const std::string code =
            turn == 20 ? "(return " + n + ")" : "{:found_" + n + " (range " + n + ") :last " + n + "}";
        LlmReply reply;
        if (options.transport == Transport::ToolCall)
            reply.tool_calls = {{"call_" + n, "lisp_eval", Datum::object({{"program", code}})}};
        else
            reply.text = "Step " + n + ".\n" + fenced(code);
        replies.emplace_back(std::move(reply));
    }
    Model model(std::move(replies));
    options.prompt = "Find it in {{place}}.";
    options.max_turns = 20;
    EXPECT_EQ(reason_of(agent(std::move(options))->run(model.llm(), json(R"({"place": "Oslo", "rows": [1, 2, 3]})"))),
              "ok");
    EXPECT_EQ(model.calls(), 20U);
    return model.seen->requests;
}

void erase_all(std::string& text, std::string_view part) {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
        text.erase(at, part.size());
}

/// The share of the bytes of all bodies that an earlier body begins with. Marks are no part of the prompt.
double seen_before(const ProviderOptions& options, const std::vector<LlmRequest>& requests) {
    std::vector<std::string> bodies;
    std::size_t seen = 0, all = 0;
    for (const LlmRequest& request : requests) {
        std::string body = body_of(options, request).value();
        erase_all(body, R"(,"cache_control":{"type":"ephemeral"})");
        std::size_t most = 0;
        for (const std::string& before : bodies)
            most = std::max(most, static_cast<std::size_t>(std::ranges::mismatch(before, body).in2 - body.begin()));
        seen += most;
        all += body.size();
        bodies.push_back(std::move(body));
    }
    return static_cast<double>(seen) / static_cast<double>(all);
}

class PromptCache : public testing::TestWithParam<const char*> {};

TEST_P(PromptCache, NineTenthsOfTwentyTurnsWereSentBefore) {
    const ProviderOptions options{.provider = GetParam(), .model = "m"};
    AgentOptions by_call;
    by_call.transport = Transport::ToolCall;
    for (const AgentOptions& how : {AgentOptions{}, by_call}) {
        const double share = seen_before(options, twenty_turns(how));
        RecordProperty(how.transport ? "by_call" : "by_content", std::to_string(share));
        EXPECT_GE(share, 0.9);
    }
}

INSTANTIATE_TEST_SUITE_P(Provider, PromptCache, testing::Values("openai", "anthropic", "gemini"),
                         [](const auto& of) { return std::string(of.param); });

TEST(PromptCaching, WhatAMissionIsGivenStandsBehindWhatAllMissionsHave) {
    const AgentPtr finder = agent({.prompt = "Go.", .tools = {host_tool("find", "(q :string) -> :int", {})}});
    Model one = programs({"(return 1)"}), other = programs({"(return 1)"});
    (void)finder->run(one.llm(), json(R"({"a": 1})"));
    (void)finder->run(other.llm(), json(R"({"bcd": [1, 2]})"));
    const LlmRequest& first = one.seen->requests[0];
    const LlmRequest& second = other.seen->requests[0];
    EXPECT_NE(first.system, second.system);
    EXPECT_EQ(first.shared_system, second.shared_system);
    EXPECT_EQ(first.system.substr(0, first.shared_system), second.system.substr(0, second.shared_system));
    EXPECT_EQ(first.system.substr(first.shared_system), "\n\n## Data\ndata/a :int = 1");
}

/// The texts of the blocks that have a mark.
std::vector<std::string> marked_texts(const LlmRequest& request) {
    const Datum body = body_json({.provider = "anthropic", .model = "m"}, request);
    std::vector<std::string> texts;
    const auto look = [&](const Datum* blocks) {
        if (!blocks || !blocks->list()) return;
        for (const Datum& block : *blocks->list())
            if (block.find("cache_control")) texts.push_back(text_at(block, "text") + text_at(block, "content"));
    };
    look(body.find("system"));
    for (const Datum& message : *body.find("messages")->list())
        look(message.find("content"));
    return texts;
}

TEST(PromptCaching, AnthropicIsToldWhatToKeep) {
    LlmRequest request{.system = "Rules. Data.", .shared_system = 6};
    request.messages = {{.content = "Go."}};
    EXPECT_EQ(marked_texts(request), std::vector<std::string>({"Rules."})) << "no other request begins with the rest";
    request.is_continued = true;
    EXPECT_EQ(marked_texts(request), std::vector<std::string>({"Rules.", " Data.", "Go."}));
    request.messages.push_back({.role = Message::Role::Assistant, .content = "Hm."});
    request.messages.push_back({.content = "Well?"});
    EXPECT_EQ(marked_texts(request), std::vector<std::string>({"Rules.", " Data.", "Well?"}));
}

TEST(PromptCaching, AnthropicIsToldAgainWhatItWouldNotFindByItself) {
    LlmRequest request{.system = "", .messages = {{.content = "Go."}}, .is_continued = true};
    Message calls{.role = Message::Role::Assistant};
    for (int i = 0; i < 10; ++i)
        calls.tool_calls.push_back({"id" + std::to_string(i), "find", Datum(Datum::Map())});
    request.messages.push_back(calls);
    for (int i = 0; i < 10; ++i)
        request.messages.push_back(
            {.role = Message::Role::Tool, .content = std::to_string(i), .tool_call_id = "id" + std::to_string(i)});
    EXPECT_EQ(marked_texts(request), std::vector<std::string>({"Go.", "9"}));
}

TEST(PromptCaching, OpenRouterIsAskedForModelsThatKeepNothingUnasked) {
    LlmRequest request{.messages = {{.content = "Go."}}, .is_continued = true};
    const auto asked = [&](const char* provider, const char* model) {
        return body_json({.provider = provider, .model = model}, request).find("cache_control") != nullptr;
    };
    EXPECT_TRUE(asked("openrouter", "anthropic/claude"));
    EXPECT_FALSE(asked("openrouter", "openai/gpt"));
    EXPECT_FALSE(asked("openai", "anthropic/claude"));
}

} // namespace
} // namespace ptc
