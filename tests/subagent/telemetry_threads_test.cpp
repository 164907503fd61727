// Missions as spans and metrics: what is sent, within what, and what happens when nobody takes it.
#include "ptc/telemetry.h"
#include "tests/subagent/missions.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>

namespace ptc {
namespace {

/// What arrived, and whether it is taken.
struct Collector {
    std::mutex mutex;
    std::vector<std::pair<std::string, Datum>> requests;
    bool takes = true;

    TelemetryOptions options() {
        TelemetryOptions made;
        made.service = "tests";
        made.send = [this](const std::string& path, const std::string& body) {
            const std::lock_guard lock(mutex);
            if (takes) requests.emplace_back(path, json(body));
            return takes;
        };
        return made;
    }
    std::vector<Datum> spans() {
        const std::lock_guard lock(mutex);
        std::vector<Datum> all;
        for (const auto& [path, body] : requests) {
            if (path != "/v1/traces") continue;
            for (const Datum& resource : *body.find("resourceSpans")->list())
                for (const Datum& scope : *resource.find("scopeSpans")->list())
                    for (const Datum& span : *scope.find("spans")->list())
                        all.push_back(span);
        }
        return all;
    }
    std::optional<Datum> span(std::string_view name) {
        for (const Datum& span : spans())
            if (*span.find("name")->text() == name) return span;
        return std::nullopt;
    }
};

std::string text_of(const Datum& row, std::string_view member) {
    const Datum* found = row.find(member);
    return found && found->text() ? *found->text() : "";
}

/// An attribute's value as JSON without its type; "" when there is none.
std::string attribute(const Datum& span, std::string_view name) {
    for (const Datum& row : *span.find("attributes")->list()) {
        if (text_of(row, "key") != name) continue;
        const Datum& value = row.find("value")->map()->front().second;
        return value.text() ? *value.text() : value.to_json();
    }
    return "";
}

std::int64_t nanoseconds(const Datum& span, std::string_view member) { return std::stoll(text_of(span, member)); }

AgentOptions with_tool() {
    return {.name = "clerk",
            .prompt = "Add.",
            .signature = "() -> {n :int}",
            .tools = {host_tool("add", "(a :int) -> :int", [](const Datum& in) -> Result<Datum> {
                std::int64_t a = 0;
                EXPECT_TRUE(in.find("a")->to_int64(&a));
                return Datum(a + 1);
            })}};
}

Step run(const AgentPtr& agent, const Model& model, std::function<void(const MissionEvent&)> on_event) {
    MissionOptions options;
    options.model = ModelRef(model.llm());
    options.on_event = std::move(on_event);
    return agent->run(std::move(options));
}

TEST(TelemetrySpans, LieWithinEachOther) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    const Model model = programs({"(def x 1)", "(return {:n (tool/add {:a 41})})"});
    EXPECT_TRUE(
        run(agent(with_tool()), model, telemetry->mission({.id = "m-7", .provider = "openai", .model = "big"})).ok);
    EXPECT_TRUE(telemetry->flush());
    EXPECT_EQ(telemetry->spans_lost(), 0u);
    EXPECT_EQ(telemetry->spans_sent(), 6u); // the agent, two turns of a call and a program each, a tool
    const std::vector<Datum> spans = collector.spans();
    ASSERT_EQ(spans.size(), 6u);
    const Datum whole = collector.span("invoke_agent clerk").value();
    const Datum tool = collector.span("execute_tool add").value();
    const Datum chat = collector.span("chat big").value();
    EXPECT_EQ(text_of(whole, "parentSpanId"), "");
    EXPECT_EQ(text_of(chat, "parentSpanId"), text_of(whole, "spanId"));
    std::string program_with_tool;
    for (const Datum& span : spans) {
        EXPECT_EQ(text_of(span, "traceId"), text_of(whole, "traceId"));
        EXPECT_EQ(text_of(span, "traceId").size(), 32u);
        EXPECT_EQ(text_of(span, "spanId").size(), 16u);
        EXPECT_LE(nanoseconds(whole, "startTimeUnixNano"), nanoseconds(span, "startTimeUnixNano"));
        EXPECT_LE(nanoseconds(span, "endTimeUnixNano"), nanoseconds(whole, "endTimeUnixNano"));
        EXPECT_FALSE(span.find("status"));
        if (text_of(span, "name") == "run_program") program_with_tool = text_of(span, "spanId"); // the last one
    }
    EXPECT_EQ(text_of(tool, "parentSpanId"), program_with_tool);
    EXPECT_EQ(attribute(whole, "gen_ai.operation.name"), "invoke_agent");
    EXPECT_EQ(attribute(whole, "gen_ai.agent.name"), "clerk");
    EXPECT_EQ(attribute(whole, "gen_ai.conversation.id"), "m-7");
    EXPECT_EQ(attribute(whole, "ptc.turns"), "2");
    EXPECT_EQ(attribute(chat, "gen_ai.operation.name"), "chat");
    EXPECT_EQ(attribute(chat, "gen_ai.provider.name"), "openai");
    EXPECT_EQ(attribute(chat, "gen_ai.request.model"), "big");
    EXPECT_EQ(attribute(tool, "gen_ai.operation.name"), "execute_tool");
    EXPECT_EQ(attribute(tool, "gen_ai.tool.name"), "add");
    EXPECT_EQ(attribute(tool, "gen_ai.tool.call.arguments"), ""); // content is asked for
}

TEST(TelemetrySpans, HaveContentOnlyWhereItIsAskedFor) {
    for (const bool has_content : {false, true}) {
        Collector collector;
        TelemetryOptions options = collector.options();
        options.has_content = has_content;
        const auto telemetry = Telemetry::create(options).value();
        run(agent(with_tool()), programs({"(return {:n (tool/add {:a 41})})"}), telemetry->mission());
        EXPECT_TRUE(telemetry->flush());
        std::string all;
        for (const Datum& span : collector.spans())
            all += span.to_json();
        for (const char* content : {R"(\"a\":41)", "Add.", "tool/add"})
            EXPECT_EQ(all.find(content) != std::string::npos, has_content) << content;
    }
}

TEST(TelemetrySpans, TellWhatGuardsSaid) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    AgentOptions options = with_tool();
    const Guard small{.name = "small", .points = {GuardPoint::BeforeTool}, .check = [](const Guarded&) {
                          return Verdict::refuse("too large");
                      }};
    options.guards = {small};
    run(agent(options), programs({"(return {:n (tool/add {:a 41})})", "(return {:n 1})"}), telemetry->mission());
    EXPECT_TRUE(telemetry->flush());
    const Datum guard = collector.span("guard small").value();
    EXPECT_EQ(text_of(guard, "traceId"), text_of(collector.span("invoke_agent clerk").value(), "traceId"));
    EXPECT_NE(text_of(guard, "parentSpanId"), "");
    EXPECT_EQ(attribute(guard, "ptc.guard.verdict"), "refuse");
    EXPECT_EQ(attribute(guard, "ptc.guard.point"), "before_tool");
    EXPECT_EQ(attribute(guard, "gen_ai.tool.name"), "add");
    EXPECT_EQ(attribute(guard, "ptc.guard.message"), "");
}

TEST(TelemetrySpans, NameTheModelThatAnswered) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    const FakeTime time;
    MissionOptions options;
    options.clock = time.clock();
    options.model =
        fallback({{"big", [](const LlmRequest&) { return LlmError{.kind = "rate_limit", .message = "no"}; }},
                  {"small", [&](const LlmRequest&) {
                       *time.now += std::chrono::milliseconds(250);
                       return LlmReply{.text = fenced("(return {:n 1})"),
                                       .usage = {.input = 10, .output = 2, .cost_usd = 0.5},
                                       .model = "anthropic:small:2"};
                   }}});
    options.on_event = telemetry->mission({.provider = "openai", .model = "first"});
    EXPECT_TRUE(agent(with_tool())->run(std::move(options)).ok);
    EXPECT_TRUE(telemetry->flush());
    const Datum failed = collector.span("chat big").value();
    EXPECT_EQ(attribute(failed, "gen_ai.request.model"), "big");
    EXPECT_EQ(attribute(failed, "error.type"), "rate_limit");
    EXPECT_EQ(attribute(failed, "gen_ai.usage.input_tokens"), "");
    const Datum answered = collector.span("chat first").value();
    EXPECT_EQ(attribute(answered, "gen_ai.request.model"), "first");
    EXPECT_EQ(attribute(answered, "gen_ai.response.model"), "small:2");
    EXPECT_EQ(attribute(answered, "gen_ai.provider.name"), "anthropic");
    EXPECT_EQ(attribute(answered, "gen_ai.usage.input_tokens"), "10");
    std::string metrics;
    for (const auto& [path, body] : collector.requests)
        if (path == "/v1/metrics") metrics += body.to_json();
    EXPECT_NE(metrics.find("gen_ai.response.model"), std::string::npos);
    EXPECT_NE(metrics.find("small"), std::string::npos);
}

TEST(TelemetrySpans, OfFailuresHaveTheirType) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    const FakeTime time;
    Model model(std::vector<LlmResult>{LlmError{.kind = "rate_limit", .message = "slow down"},
                                       LlmReply{.text = fenced("(fail {:reason :none :message \"x\"})")}});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    options.clock = time.clock();
    options.on_event = telemetry->mission({.model = "m"});
    AgentOptions made = with_tool();
    made.retry.max_attempts = 3;
    EXPECT_FALSE(agent(made)->run(std::move(options)).ok);
    EXPECT_TRUE(telemetry->flush());
    std::vector<std::string> chats;
    for (const Datum& span : collector.spans())
        if (text_of(span, "name") == "chat m") chats.push_back(attribute(span, "error.type"));
    EXPECT_EQ(chats, (std::vector<std::string>{"rate_limit", ""}));
    const Datum whole = collector.span("invoke_agent clerk").value();
    ASSERT_TRUE(whole.find("status"));
    EXPECT_EQ(whole.find("status")->find("code")->to_json(), "2");
    EXPECT_EQ(attribute(whole, "error.type"), "_OTHER"); // a program's own words may be anything that it read
    EXPECT_EQ(whole.to_json().find("none"), std::string::npos);
}

TEST(TelemetrySpans, OfCallsThatNeedApprovalBeginWhenTheyAreMade) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    AgentOptions options = with_tool();
    options.tools[0].tool.approval = true;
    MissionOptions mission;
    mission.model = ModelRef(programs({"(pmap (fn [i] (try (tool/add {:a i}) (catch Exception _ 0))) [1 2])\n"
                                       "(return {:n 1})"})
                                 .llm());
    mission.on_event = telemetry->mission();
    mission.approve = [](const ApprovalRequest& request) {
        return std::optional(*request.arguments.find("a") == Datum(1) ? ApprovalAnswer::deny("private reason")
                                                                      : ApprovalAnswer::approve());
    };
    EXPECT_TRUE(agent(std::move(options))->run(std::move(mission)).ok);
    EXPECT_TRUE(telemetry->flush());
    std::vector<std::string> types;
    for (const Datum& span : collector.spans()) {
        EXPECT_EQ(span.to_json().find("private reason"), std::string::npos);
        if (text_of(span, "name") == "execute_tool add") types.push_back(attribute(span, "error.type"));
    }
    EXPECT_EQ(types, (std::vector<std::string>{"approval_denied", ""}));
    types.clear();
    for (const Datum& span : collector.spans()) {
        if (text_of(span, "name") == "approval add") types.push_back(attribute(span, "error.type"));
    }
    EXPECT_EQ(types, (std::vector<std::string>{"approval_denied", ""}));
}

TEST(TelemetrySpans, OfAgentsThatOthersCallLieWithinTheTool) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    AgentOptions child;
    child.name = "helper";
    child.prompt = "One.";
    child.signature = "() -> :int";
    AgentOptions parent;
    parent.name = "boss";
    parent.prompt = "Ask.";
    parent.signature = "() -> :int";
    const Model answer = programs({"(return 1)"});
    parent.tools.push_back(agent(child)->as_tool("ask", ModelRef(answer.llm())));
    EXPECT_TRUE(run(agent(parent), programs({"(return (tool/ask))"}), telemetry->mission()).ok);
    EXPECT_TRUE(telemetry->flush());
    const Datum called = collector.span("invoke_agent helper").value();
    const Datum tool = collector.span("execute_tool ask").value();
    EXPECT_EQ(text_of(called, "parentSpanId"), text_of(tool, "spanId"));
}

TEST(TelemetrySpans, OfAMissionThatIsGivenUpEnd) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    {
        const auto watch = telemetry->mission();
        MissionEvent event;
        event.kind = MissionEvent::Kind::MissionStart;
        event.run = 1;
        event.agent = "a";
        watch(event);
        event.kind = MissionEvent::Kind::ProgramStart;
        watch(event);
    }
    EXPECT_TRUE(telemetry->flush());
    ASSERT_EQ(collector.spans().size(), 2u);
    for (const Datum& span : collector.spans())
        EXPECT_EQ(attribute(span, "error.type"), "abandoned");
}

TEST(TelemetrySpans, OfAMissionThatOutlivesItAreSent) {
    Collector collector;
    auto telemetry = Telemetry::create(collector.options()).value();
    auto watch = telemetry->mission();
    telemetry.reset();
    run(agent(with_tool()), programs({"(return {:n 1})"}), std::move(watch));
    watch = nullptr;
    EXPECT_EQ(collector.spans().size(), 3u);
}

TEST(TelemetryMetrics, CountTokensAndTimes) {
    Collector collector;
    const auto telemetry = Telemetry::create(collector.options()).value();
    LlmReply reply{.text = fenced("(return {:n 1})")};
    reply.usage.input = 100;
    reply.usage.output = 7;
    for (int i = 0; i < 3; ++i)
        run(agent(with_tool()), Model(std::vector<LlmResult>{reply}), telemetry->mission({.model = "m"}));
    EXPECT_TRUE(telemetry->flush());
    const auto& [path, body] = collector.requests.back();
    ASSERT_EQ(path, "/v1/metrics");
    const Datum::List& metrics =
        *body.find("resourceMetrics")->list()->front().find("scopeMetrics")->list()->front().find("metrics")->list();
    ASSERT_EQ(metrics.size(), 3u);
    EXPECT_EQ(text_of(metrics[0], "name"), "gen_ai.client.token.usage");
    std::vector<std::pair<std::string, std::string>> sums;
    for (const Datum& point : *metrics[0].find("histogram")->find("dataPoints")->list()) {
        sums.emplace_back(attribute(point, "gen_ai.token.type"), point.find("sum")->to_json());
        EXPECT_EQ(text_of(point, "count"), "3");
        EXPECT_EQ(point.find("bucketCounts")->list()->size(), point.find("explicitBounds")->list()->size() + 1);
    }
    std::sort(sums.begin(), sums.end());
    EXPECT_EQ(sums, (std::vector<std::pair<std::string, std::string>>{{"input", "300.0"}, {"output", "21.0"}}));
}

TEST(TelemetryQueue, SendsAgainWhatWasNotTaken) {
    Collector collector;
    collector.takes = false;
    const auto telemetry = Telemetry::create(collector.options()).value();
    run(agent(with_tool()), programs({"(return {:n 1})"}), telemetry->mission());
    EXPECT_FALSE(telemetry->flush());
    EXPECT_EQ(telemetry->spans_sent(), 0u);
    {
        const std::lock_guard lock(collector.mutex);
        collector.takes = true;
    }
    EXPECT_TRUE(telemetry->flush());
    EXPECT_EQ(telemetry->spans_sent(), 3u);
    EXPECT_EQ(collector.spans().size(), 3u);
}

TEST(TelemetryQueue, IsBounded) {
    Collector collector;
    collector.takes = false;
    TelemetryOptions options = collector.options();
    options.max_waiting = 2000; // bytes: some spans
    const auto telemetry = Telemetry::create(options).value();
    for (int i = 0; i < 20; ++i)
        run(agent(with_tool()), programs({"(return {:n 1})"}), telemetry->mission());
    EXPECT_FALSE(telemetry->flush());
    EXPECT_GE(telemetry->spans_lost(), 50u);
    EXPECT_LT(telemetry->spans_lost(), 60u);
}

TEST(TelemetryOptionsOfAHost, AreChecked) {
    for (const char* endpoint : {"localhost:4318", "ftp://localhost", "http://h/?x=1", "http://me:secret@h:4318"}) {
        const auto made = Telemetry::create({.endpoint = endpoint});
        ASSERT_FALSE(made.ok()) << endpoint;
        EXPECT_EQ(made.error().reason, Reason::InvalidRequest);
        EXPECT_EQ(made.error().message.find("secret"), std::string::npos);
    }
}

TEST(TelemetryOptionsOfAHost, ACollectorThatIsNotThereIsNotWaitedFor) {
    const auto made = Telemetry::create({.endpoint = "http://127.0.0.1:1"});
    ASSERT_TRUE(made.ok());
    run(agent(with_tool()), programs({"(return {:n 1})"}), made.value()->mission());
    EXPECT_FALSE(made.value()->flush());
    EXPECT_EQ(made.value()->spans_sent(), 0u);
}

} // namespace
} // namespace ptc
