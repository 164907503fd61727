// What is shown of replies while they arrive, and what is asked for beside the text: effort and choice of tools.
#include "tests/subagent/provider_calls.h"

namespace ptc {
namespace {

const ProviderOptions kOpenAi{.provider = "openai", .model = "m"};
const ProviderOptions kAnthropic{.provider = "anthropic", .model = "m"};
const ProviderOptions kGemini{.provider = "gemini", .model = "m"};

LlmRequest with_tools() {
    LlmRequest request;
    request.messages.push_back({.content = "q"});
    request.tools.push_back({.name = "find", .description = "", .input_schema_json = R"({"type":"object"})"});
    return request;
}

/// What was shown, as "kind text" in a line each, pieces of one kind put together; then what came of it.
struct Shown {
    std::string lines;
    LlmResult result;
};
Shown shown(const ProviderOptions& options, const Sent& sent) {
    Shown out;
    LlmRequest request = with_tools();
    std::string last;
    request.on_delta = [&](const LlmDelta& delta) {
        std::string now = std::string(delta_name(delta.kind));
        if (!delta.tool.empty()) now += " " + std::to_string(delta.call) + " " + std::string(delta.tool);
        if (now != last) out.lines += (last.empty() ? "" : "\n") + now + ": ";
        out.lines += delta.text;
        last = now;
    };
    out.result = reply_to(options, request, sent);
    return out;
}

constexpr std::string_view kAll = "reasoning: Well, so.\ntext: Hello.\ntool_arguments 0 find: {\"a\":1}";

std::string openai_event(std::string_view delta) {
    return R"(data: {"choices":[{"delta":)" + std::string(delta) + "}]}\n\n";
}

TEST(Deltas, OfOpenAiAndItsKin) {
    for (const char* name : {"reasoning_content", "reasoning"}) {
        const std::string thought = std::string("{\"") + name + "\":";
        const Shown all =
            shown(kOpenAi,
                  events(openai_event(thought + "\"Well, \"}") + openai_event(thought + "\"so.\"}") +
                         openai_event(R"({"content":"Hel"})") + openai_event(R"({"content":"lo."})") +
                         openai_event(
                             R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":"{\"a"}}]})") +
                         openai_event(R"({"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]})") +
                         "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"));
        EXPECT_EQ(all.lines, kAll);
        EXPECT_EQ(reply_in(all.result).reasoning, "Well, so.");
        EXPECT_EQ(reply_in(all.result).text, "Hello.");
    }
}

TEST(Deltas, OfAnthropic) {
    const auto event = [](std::string_view data) { return "data: " + std::string(data) + "\n\n"; };
    const Shown all = shown(
        kAnthropic,
        events(
            event(R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})") +
            event(
                R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Well, so."}})") +
            event(R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}})") +
            event(R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})") +
            event(R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello."}})") +
            event(
                R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"find","input":{}}})") +
            event(
                R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}})") +
            event(
                R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}})") +
            event(R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})") +
            event(R"({"type":"message_stop"})")));
    EXPECT_EQ(all.lines, kAll);
    EXPECT_EQ(reply_in(all.result).reasoning, "Well, so.");
    EXPECT_NE(reply_in(all.result).provider_state.find("\"signature\":\"s\""), std::string::npos);
}

TEST(Deltas, OfGemini) {
    const Shown all = shown(
        kGemini,
        events(
            R"(data: {"candidates":[{"content":{"parts":[{"thought":true,"text":"Well, so."}]}}]})"
            "\n\n"
            R"(data: {"candidates":[{"content":{"parts":[{"text":"Hello."},{"functionCall":{"name":"find","args":{"a":1}}}]},"finishReason":"STOP"}]})"
            "\n\n"));
    EXPECT_EQ(all.lines, kAll);
    EXPECT_EQ(reply_in(all.result).reasoning, "Well, so.");
    EXPECT_EQ(reply_in(all.result).text, "Hello.");
}

TEST(Deltas, OfServersThatDoNotStreamComeWhole) {
    const Shown all = shown(
        kOpenAi,
        {.body =
             R"({"choices":[{"message":{"reasoning":"Well, so.","content":"Hello.","tool_calls":[{"id":"c","function":{"name":"find","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]})"});
    EXPECT_EQ(all.lines, kAll);
}

TEST(Deltas, HaveNoKeyInThem) {
    const std::string key = "sk-secret-key";
    Sent sent = events(openai_event(R"({"reasoning":"sk-sec"})") + openai_event(R"({"reasoning":"ret-key!"})") +
                       openai_event(R"({"content":"ok"})") +
                       "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    sent.key = key;
    const Shown all = shown(kOpenAi, sent);
    EXPECT_EQ(all.lines, "reasoning: [key]!\ntext: ok");
    EXPECT_EQ(reply_in(all.result).reasoning, "[key]!");
}

std::string member(const ProviderOptions& options, const LlmRequest& request, std::string_view name) {
    const Datum body = body_json(options, request);
    const Datum* found = body.find(name);
    return found ? found->to_json() : "";
}

TEST(Efforts, AreEachProvidersOwnWords) {
    LlmRequest request = with_tools();
    EXPECT_EQ(member(kOpenAi, request, "reasoning_effort") + member(kAnthropic, request, "thinking") +
                  member(kGemini, request, "generationConfig"),
              "");
    request.effort = ReasoningEffort::Max;
    EXPECT_EQ(member(kOpenAi, request, "reasoning_effort"), R"("max")");
    EXPECT_EQ(member(kAnthropic, request, "output_config"), R"({"effort":"max"})");
    EXPECT_EQ(member(kAnthropic, request, "thinking"), R"({"display":"summarized","type":"adaptive"})");
    EXPECT_EQ(member(kGemini, request, "generationConfig"),
              R"({"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}})");
    request.effort = ReasoningEffort::None;
    EXPECT_EQ(member(kOpenAi, request, "reasoning_effort"), R"("none")");
    EXPECT_EQ(member(kAnthropic, request, "output_config"), "");
    EXPECT_EQ(member(kAnthropic, request, "thinking"), R"({"type":"disabled"})");
    EXPECT_EQ(member(kGemini, request, "generationConfig"), R"({"thinkingConfig":{"thinkingLevel":"MINIMAL"}})");
}

TEST(Efforts, OfTheHostsOwnOptionsWin) {
    LlmRequest request = with_tools();
    request.effort = ReasoningEffort::Low;
    request.options = json(R"({"reasoning_effort":"xhigh"})");
    EXPECT_EQ(member(kOpenAi, request, "reasoning_effort"), R"("xhigh")");
    request.options = json(R"({"output_config":{"effort":"xhigh"},"thinking":{"type":"adaptive"}})");
    EXPECT_EQ(member(kAnthropic, request, "output_config"), R"({"effort":"xhigh"})");
    EXPECT_EQ(member(kAnthropic, request, "thinking"), R"({"type":"adaptive"})");
}

TEST(ToolChoices, AreEachProvidersOwnWords) {
    LlmRequest request = with_tools();
    const auto sent = [&](ToolChoice choice) {
        request.tool_choice = std::move(choice);
        return member(kOpenAi, request, "tool_choice") + member(kAnthropic, request, "tool_choice") +
               member(kGemini, request, "toolConfig");
    };
    EXPECT_EQ(sent({}), "");
    EXPECT_EQ(sent({ToolChoice::Mode::None, {}}), R"("none"{"type":"none"}{"functionCallingConfig":{"mode":"NONE"}})");
    EXPECT_EQ(sent({ToolChoice::Mode::Required, {}}),
              R"("required"{"type":"any"}{"functionCallingConfig":{"mode":"ANY"}})");
    EXPECT_EQ(sent({ToolChoice::Mode::Tool, "find"}),
              R"({"function":{"name":"find"},"type":"function"}{"name":"find","type":"tool"})"
              R"({"functionCallingConfig":{"allowedFunctionNames":["find"],"mode":"ANY"}})");
    EXPECT_FALSE(body_of(kOpenAi, with_tools()).value().empty());
    request.tool_choice = {ToolChoice::Mode::Tool, "gone"};
    EXPECT_FALSE(body_of(kGemini, request).ok());
    request.tool_choice = {ToolChoice::Mode::Required, {}};
    request.effort = ReasoningEffort::High; // which Anthropic does not take beside a call that must be made
    EXPECT_EQ(member(kAnthropic, request, "thinking"), "");
}

} // namespace
} // namespace ptc
