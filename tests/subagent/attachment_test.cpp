// Images and files beside texts: in the bodies of three protocols, beside results of tools, in checkpoints and
// recordings, and refused where a model takes none.
#include "frontend/base64.h"
#include "subagent/agent/attachment_keeper.h"
#include "subagent/engine/attachments.h"
#include "tests/subagent/provider_calls.h"
#include <filesystem>
#include <ptc/mission.h>
#include <ptc/model_choice.h>
#include <ptc/recording.h>

namespace ptc {
namespace {

const std::string kPng = std::string("\x89PNG\r\n\x1a\n", 8) + "pixels";
const std::string kPdf = "%PDF-1.7 pages";

std::vector<Attachment> all_kinds() {
    return {Attachment::image(kPng), Attachment::image_at("https://example.com/a.png"),
            Attachment::file(kPdf, "report.pdf"), Attachment::file("a,b\n1,2\n", "rows.csv", "text/csv")};
}

ProviderOptions model_of(std::string provider, std::string model = "m") {
    ProviderOptions options;
    options.provider = std::move(provider);
    options.model = std::move(model);
    return options;
}

LlmRequest request_with(std::vector<Attachment> attachments) {
    LlmRequest request;
    request.messages = {{.content = "Look.", .attachments = std::move(attachments)}};
    return request;
}

LlmRequest request_with_result(std::vector<Attachment> attachments) {
    LlmRequest request;
    request.messages = {
        {.content = "Look."},
        {.role = Message::Role::Assistant, .tool_calls = {{"c1", "shot", json("{}")}, {"c2", "shot", json("{}")}}},
        {.role = Message::Role::Tool, .content = "one", .tool_call_id = "c1", .attachments = std::move(attachments)},
        {.role = Message::Role::Tool, .content = "two", .tool_call_id = "c2"}};
    return request;
}

std::string refusal(const ProviderOptions& options, const LlmRequest& request) {
    const ToolNames names(request);
    const auto refused = why_no_attachments({options, request, names}, *row_of(options).wire);
    return refused ? refused->kind + (refused->is_permanent ? "*: " : ": ") + refused->message : "";
}

TEST(Base64, ThereAndBack) {
    for (const std::string text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"})
        EXPECT_EQ(read_base64(base64(text)), text);
    EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(base64(kPng).substr(0, 11), "iVBORw0KGgp");
    EXPECT_EQ(read_base64("Zm9vYmE"), "fooba");
    EXPECT_EQ(read_base64("Zm9v\n"), std::nullopt);
    EXPECT_EQ(read_base64("Z"), std::nullopt);
}

TEST(Attachment, TypesAreThoseOfTheBytes) {
    EXPECT_EQ(Attachment::image(kPng).media_type, "image/png");
    EXPECT_EQ(Attachment::file(kPdf, "x").media_type, "application/pdf");
    EXPECT_EQ(Attachment::file("words", "x").media_type, "text/plain");
    EXPECT_EQ(Attachment::image("words").media_type, "application/octet-stream");
}

TEST(Attachment, WhatIsNotAllowedIsRefused) {
    const auto why = [](std::vector<Attachment> attachments) {
        const Result<void> checked = check_attachments(attachments);
        return checked.ok() ? "" : checked.error().message;
    };
    EXPECT_EQ(why(all_kinds()), "");
    EXPECT_NE(why({Attachment::image_at("file:///etc/passwd")}), "");
    EXPECT_NE(why({Attachment{}}), "");
    EXPECT_NE(why({Attachment::image("")}), "");
    EXPECT_NE(why({Attachment::file("\xff", "x", "text/plain")}).find("UTF-8"), std::string::npos);
    EXPECT_NE(why({Attachment::image(kPng, "image/\r\npng")}).find("media type"), std::string::npos);
    EXPECT_EQ(why({Attachment::file(std::string(Attachment::kMaxBytes, 'a'), "x")}), "");
    EXPECT_NE(why({Attachment::file(std::string(Attachment::kMaxBytes + 1, 'a'), "x")}), "");
    EXPECT_EQ(why(std::vector<Attachment>(Attachment::kMaxCount, Attachment::image(kPng))), "");
    EXPECT_NE(why(std::vector<Attachment>(Attachment::kMaxCount + 1, Attachment::image(kPng))), "");
}

TEST(Attachment, GoesToOpenAi) {
    const Datum content = body_json(model_of("openai"), request_with(all_kinds()))["messages"][0]["content"];
    EXPECT_EQ(content,
              json(R"([{"type":"image_url","image_url":{"url":"data:image/png;base64,)" + base64(kPng) +
                   R"("}},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},)" +
                   R"({"type":"file","file":{"filename":"report.pdf","file_data":"data:application/pdf;base64,)" +
                   base64(kPdf) + R"("}},{"type":"text","text":"File rows.csv (text/csv):\na,b\n1,2\n"},)" +
                   R"({"type":"text","text":"Look."}])"));
}

TEST(Attachment, OfAResultIsTheUsersAtOpenAi) {
    const Datum messages = body_json(model_of("openai"), request_with_result({Attachment::image(kPng)}))["messages"];
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[2]["content"], Datum("one"));
    EXPECT_EQ(messages[3]["tool_call_id"], Datum("c2")); // results stand together
    EXPECT_EQ(messages[4]["role"], Datum("user"));
    EXPECT_EQ(messages[4]["content"][0]["type"], Datum("image_url"));
    EXPECT_EQ(messages[4]["content"][1]["text"], Datum("This came with the result of the call c1."));
}

TEST(Attachment, GoesToAnthropic) {
    const Datum content = body_json(model_of("anthropic"), request_with(all_kinds()))["messages"][0]["content"];
    EXPECT_EQ(content,
              json(R"([{"type":"image","source":{"type":"base64","media_type":"image/png","data":")" + base64(kPng) +
                   R"("}},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},)" +
                   R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":")" +
                   base64(kPdf) + R"("},"title":"report.pdf"},)" +
                   R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b\n1,2\n"},)" +
                   R"("title":"rows.csv"},{"type":"text","text":"Look."}])"));
    const Datum result =
        body_json(model_of("anthropic"), request_with_result({Attachment::image(kPng)}))["messages"][2]["content"];
    EXPECT_EQ(result[0]["content"][0], json(R"({"type":"text","text":"one"})"));
    EXPECT_EQ(result[0]["content"][1]["type"], Datum("image"));
    EXPECT_EQ(result[1]["content"], Datum("two"));
}

TEST(Attachment, GoesToGemini) {
    const Datum parts =
        body_json(model_of("gemini", "gemini-3.8-flash"), request_with(all_kinds()))["contents"][0]["parts"];
    EXPECT_EQ(parts, json(R"([{"inlineData":{"mimeType":"image/png","data":")" + base64(kPng) +
                          R"("}},{"fileData":{"fileUri":"https://example.com/a.png"}},)" +
                          R"({"inlineData":{"mimeType":"application/pdf","data":")" + base64(kPdf) +
                          R"("}},{"inlineData":{"mimeType":"text/csv","data":")" + base64("a,b\n1,2\n") +
                          R"("}},{"text":"Look."}])"));
    const LlmRequest request = request_with_result({Attachment::image(kPng)});
    const Datum within = body_json(model_of("gemini", "gemini-3.8-flash"), request)["contents"][2]["parts"];
    ASSERT_EQ(within.size(), 2U);
    EXPECT_EQ(within[0]["functionResponse"]["parts"][0]["inlineData"]["mimeType"], Datum("image/png"));
    const Datum behind = body_json(model_of("gemini", "gemini-2.5-flash"), request)["contents"][2]["parts"];
    ASSERT_EQ(behind.size(), 3U);
    EXPECT_EQ(behind[1]["inlineData"]["mimeType"], Datum("image/png"));
}

TEST(Attachment, ModelsWithoutThemRefuseBeforeAnythingIsSent) {
    ProviderOptions options = model_of("openai", "words-only");
    EXPECT_EQ(refusal(options, request_with(all_kinds())), "");
    options.takes = ModelInputs{};
    EXPECT_EQ(refusal(options, request_with({Attachment::image(kPng)})),
              "unsupported_input*: The model `words-only` takes no images.");
    options.takes->images = true;
    EXPECT_EQ(refusal(options, request_with(all_kinds())),
              "unsupported_input*: The model `words-only` takes no files.");
    EXPECT_EQ(refusal(model_of("gemini"), request_with({Attachment::image("GIF89a..")})),
              "unsupported_input*: The model `m` takes no images of the type image/gif.");
    EXPECT_NE(
        refusal(model_of("openai"), request_with({Attachment::file_at("https://a/b.pdf", "b.pdf", "application/pdf")})),
        "");
    EXPECT_NE(refusal(model_of("anthropic"), request_with({Attachment::image("MZ..")})), "");
    // The whole way: no server listens there, and none is called.
    ProviderOptions there = model_of("openai", "words-only");
    there.takes = ModelInputs{};
    there.base_url = "http://127.0.0.1:9";
    MissionOptions mission;
    mission.model = ModelRef(provider_llm(there).value());
    mission.attachments = {Attachment::image(kPng)};
    const Step step = agent({.prompt = "Look."})->run(mission);
    EXPECT_EQ(reason_of(step), "llm_error");
    EXPECT_EQ(step.fail->details["kind"], Datum("unsupported_input"));
    EXPECT_EQ(step.usage.llm_calls, 1U); // not tried again
    // Another model may take it.
    const Model other = programs({"(return 1)"});
    mission.model =
        ModelRef(fallback({{.name = "a", .call = provider_llm(there).value()}, {.name = "b", .call = other.llm()}}));
    EXPECT_EQ(agent({.prompt = "Look."})->run(mission).value, Datum(1));
}

TEST(Attachment, TheCatalogueSaysWhatModelsTake) {
    const ModelCatalog& builtin = ModelCatalog::builtin();
    for (const std::string& name : builtin.names())
        EXPECT_TRUE(builtin.find(name).value().takes.has_value()) << name;
    EXPECT_TRUE(builtin.find("anthropic:claude-opus-5-20261010").value().takes->files);
    EXPECT_FALSE(builtin.find("openai:whatever").value().takes.has_value());
    const auto of_file = [](const std::string& takes) {
        return ModelCatalog::from_json(R"({"m":{"provider":"ollama","model":"x","takes":)" + takes + "}}");
    };
    EXPECT_FALSE(of_file("[]").value().find("m").value().takes->images);
    EXPECT_TRUE(of_file(R"(["image"])").value().find("ollama:x").value().takes->images);
    EXPECT_FALSE(of_file(R"(["sound"])").ok());
}

TEST(Attachment, StandsWithThePromptAndStaysInTheConversation) {
    const Model model = programs({"1", "(return 2)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.attachments = {Attachment::image(kPng)};
    std::string seen;
    mission.on_event = [&](const MissionEvent& event) {
        if (event.kind == MissionEvent::Kind::TurnStart && event.turn == 1) seen = event.text;
    };
    const Step step = agent({.prompt = "Look."})->run(mission);
    ASSERT_TRUE(step.ok);
    EXPECT_EQ(model.seen->requests[1].messages[0], model.seen->requests[0].messages[0]); // a prefix that can be cached
    EXPECT_EQ(model.seen->requests[1].messages[0].attachments, mission.attachments);
    EXPECT_EQ(step.messages[0].attachments.size(), 1U);
    EXPECT_TRUE(seen.starts_with("Look.\n[image/png, 14 bytes, ")) << seen;
    mission.attachments = {Attachment{}};
    EXPECT_EQ(reason_of(agent({.prompt = "Look."})->run(mission)), "invalid_request");
}

Tool screenshot(std::vector<Attachment> shown = {Attachment::image(kPng)}) {
    return host_tool("shot", "() -> {size :string}", [shown](const Datum&) -> Result<Datum> {
        return with_attachments(Datum::object({{"size", "2x1"}}), shown);
    });
}

TEST(Attachment, OfAToolIsForTheModelAlone) {
    const Model model = programs({"(keys (tool/shot {}))", "(return 2)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    const Step step = agent({.prompt = "Look.", .tools = {screenshot()}})->run(mission);
    ASSERT_TRUE(step.ok);
    const Message& feedback = model.seen->requests[1].messages.back();
    EXPECT_EQ(feedback.role, Message::Role::User);
    EXPECT_NE(feedback.content.find("size"), std::string::npos);
    EXPECT_EQ(feedback.content.find("iVBOR"), std::string::npos);
    EXPECT_EQ(feedback.attachments, std::vector<Attachment>{Attachment::image(kPng)});
    EXPECT_EQ(step.trace[0].tool_calls[0].result, "{:size \"2x1\"}");
}

TEST(Attachment, OfANativeCallStandsWithItsResult) {
    const Model model(
        std::vector<LlmResult>{LlmReply{.tool_calls = {{"a", "shot", json("{}")}}}, LlmReply{.text = "A small one."}});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    const AgentPtr made =
        agent({.prompt = "Look.", .signature = "() -> :string", .tools = {screenshot()}, .output = AgentOutput::Text});
    ASSERT_TRUE(made->run(mission).ok);
    const Message& answer = model.seen->requests[1].messages.back();
    EXPECT_EQ(answer.role, Message::Role::Tool);
    EXPECT_EQ(answer.attachments.size(), 1U);
    EXPECT_NE(answer.content.find("2x1"), std::string::npos);
}

TEST(Attachment, OnesThatAreNotAllowedFailTheCall) {
    const Model model = programs({"(tool/shot {})", "(return 2)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    const Step step = agent({.prompt = "Look.", .tools = {screenshot({Attachment{}})}})->run(mission);
    EXPECT_EQ(step.trace[0].reason, "tool_error");
    EXPECT_NE(step.trace[0].message.find("either bytes or a URL"), std::string::npos);
}

TEST(Attachment, TextsKeepTheFirewall) {
    const Model model = programs({"(tool/shot {})", "(return 2)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.context = json(R"({"_key":"hunter2-hunter2"})");
    (void)agent({.prompt = "Look.", .tools = {screenshot({Attachment::file("key: hunter2-hunter2", "env")})}})
        ->run(mission);
    const std::vector<Attachment>& shown = model.seen->requests[1].messages.back().attachments;
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0].bytes->find("hunter2"), std::string::npos);
}

/// What the model reads of attachments of a mission that has a firewalled value: of the prompt and of a tool.
std::vector<Attachment> shown_of(const Attachment& one, bool is_prompts, Step* step = nullptr) {
    const Model model = programs({"(tool/shot {})", "(return 2)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.context = json(R"({"_key":"hunter2-hunter2"})");
    if (is_prompts) mission.attachments = {one};
    const Tool tool = is_prompts ? screenshot() : screenshot({one});
    Step ended = agent({.prompt = "Look.", .tools = {tool}})->run(mission);
    if (step) *step = std::move(ended);
    if (model.seen->requests.empty()) return {};
    return is_prompts ? model.seen->requests[0].messages[0].attachments
                      : model.seen->requests.back().messages.back().attachments;
}

TEST(Attachment, WhatIsATextKeepsTheFirewallWhateverItIsCalled) {
    for (const bool is_prompts : {true, false}) {
        for (const char* type : {"application/json", "application/octet-stream", "text/csv", "image/svg+xml"}) {
            const auto shown = shown_of(Attachment::file(R"({"k":"hunter2-hunter2"})", "a.json", type), is_prompts);
            ASSERT_EQ(shown.size(), 1U);
            EXPECT_EQ(shown[0].bytes->find("hunter2"), std::string::npos) << type;
        }
        const auto named = shown_of(Attachment::file("x", "hunter2-hunter2.txt"), is_prompts);
        ASSERT_EQ(named.size(), 1U);
        EXPECT_EQ(named[0].name.find("hunter2"), std::string::npos);
        // Nobody looks into other bytes, and those without a secret stay as they are.
        const Attachment picture = Attachment::image(kPng + "hunter2-hunter2");
        EXPECT_EQ(shown_of(picture, is_prompts).at(0), picture);
    }
}

TEST(Attachment, AnAddressWithAFirewalledValueIsRefused) {
    const Attachment there = Attachment::image_at("https://example.com/?key=hunter2-hunter2");
    Step step;
    EXPECT_TRUE(shown_of(there, true, &step).empty());
    EXPECT_EQ(reason_of(step), "invalid_request");
    EXPECT_TRUE(shown_of(there, false, &step).empty());
    EXPECT_EQ(step.trace[0].reason, "tool_error");
    EXPECT_NE(step.trace[0].message.find("firewalled"), std::string::npos) << step.trace[0].message;
}

TEST(Attachment, MayBeKeptBesideASnapshot) {
    const AgentPtr made = agent({.prompt = "Look."});
    MissionOptions given;
    given.model = ModelRef(programs({}).llm());
    const std::string big = kPng + std::string(1u << 20, 'x');
    given.attachments = {Attachment::image(big), Attachment::image(big), Attachment::image(kPng)};
    Mission mission(made, given);
    mission.start();
    AttachmentBytes kept = {{"old", nullptr}};
    const Result<std::string> bytes = mission.save(&kept);
    ASSERT_TRUE(bytes.ok());
    EXPECT_LT(bytes.value().size(), 10'000U);
    ASSERT_EQ(kept.size(), 1U); // of two that are equal, one; small ones stand in the snapshot
    EXPECT_EQ(kept.begin()->first.size(), 64U);
    given.attachments.clear();
    const auto why = [&](const AttachmentBytes& found) {
        const auto restored = made->restore(bytes.value(), given, found);
        return restored.ok() ? "" : restored.error().message;
    };
    EXPECT_EQ(why(kept), "");
    EXPECT_NE(why({}).find("an attachment is missing"), std::string::npos) << why({});
    const std::string digest = kept.begin()->first;
    EXPECT_NE(why({{digest, std::make_shared<const std::string>(kPng)}}), ""); // another one
    EXPECT_NE(why({{digest, nullptr}}), "");
    const auto restored = made->restore(bytes.value(), given, kept).value();
    const std::vector<Attachment> there = restored->take_needs().llm.at(0).request.messages[0].attachments;
    ASSERT_EQ(there.size(), 3U);
    EXPECT_EQ(*there[1].bytes, big);
    EXPECT_EQ(there[0].bytes, there[1].bytes); // shared
    AttachmentBytes again;
    EXPECT_LE(restored->save(&again).value().size(), bytes.value().size());
    EXPECT_EQ(again.begin()->first, digest);
}

// A mission is saved before each of its calls: what was said before is kept already.
TEST(Attachment, LongTextsAreKeptBesideASnapshotToo) {
    const AgentPtr made = agent({.prompt = "Look.", .max_turns = 9});
    MissionOptions given;
    given.model = ModelRef(programs({}).llm());
    Mission mission(made, given);
    mission.start();
    const auto answer = [](Mission& to, const std::string& text) {
        for (const LlmNeed& need : to.take_needs().llm)
            to.answer(need.id, LlmReply{.text = text});
    };
    const std::string prose(100'000, 'x');
    for (int turn = 0; turn < 4; ++turn)
        answer(mission, std::to_string(turn % 3) + prose + fenced("1"));
    AttachmentBytes kept;
    const std::string bytes = mission.save(&kept).value();
    EXPECT_LT(bytes.size(), 20'000U);
    ASSERT_EQ(kept.size(), 3U); // one was said twice
    const std::string digest = kept.begin()->first;
    EXPECT_GT(mission.save().value().size(), 4 * prose.size()); // whoever keeps nothing has all in the bytes
    AttachmentBytes again;
    EXPECT_LT(mission.save(&again).value().size(), 20'000U);
    EXPECT_EQ(again.begin()->second, kept.begin()->second); // not made anew

    const std::unique_ptr<Mission> restored = made->restore(bytes, given, kept).value();
    answer(*restored, fenced("(return 3)"));
    answer(mission, fenced("(return 3)"));
    ASSERT_TRUE(restored->is_done());
    ASSERT_EQ(restored->step().messages.size(), mission.step().messages.size());
    for (std::size_t i = 0; i < mission.step().messages.size(); ++i)
        EXPECT_EQ(restored->step().messages[i].content, mission.step().messages[i].content) << i;

    const auto is_refused = [&](std::shared_ptr<const std::string> other) {
        AttachmentBytes found = kept;
        found[digest] = std::move(other);
        return !made->restore(bytes, given, found).ok();
    };
    EXPECT_FALSE(is_refused(kept[digest]));
    EXPECT_TRUE(is_refused(nullptr));
    EXPECT_TRUE(is_refused(std::make_shared<const std::string>(prose)));
}

// Each place of a text that is kept once takes memory when it is read.
TEST(Attachment, ASnapshotNamesKeptTextsUpToALimit) {
    AttachmentBytes kept;
    AttachmentKeeper keeper;
    keeper.begin(&kept);
    const std::string text(kMostKeptText / 4, 'x');
    for (int i = 0; i < 4; ++i)
        EXPECT_NE(keeper.keep_text(text), "");
    EXPECT_EQ(keeper.keep_text(text), "");
    keeper.end();
    keeper.read_from(kept);
    for (int i = 0; i < 4; ++i)
        EXPECT_NE(keeper.find_text(kept.begin()->first), nullptr);
    EXPECT_EQ(keeper.find_text(kept.begin()->first), nullptr);
    keeper.end();
}

TEST(Attachment, SessionsTakeTheValueAlone) {
    Engine engine({.tools = {screenshot()}});
    EXPECT_EQ(engine.run(engine.compile("(tool/shot {})").program).value, R"({"size" "2x1"})");
}

TEST(Attachment, ACheckpointHasEachOnceAndGoesOn) {
    const AgentPtr made = agent({.prompt = "Look.", .tools = {screenshot()}});
    MissionOptions given;
    given.model = ModelRef(programs({}).llm());
    const std::string big = kPng + std::string(100'000, 'x');
    given.attachments = {Attachment::image(big)};
    const std::vector<std::string> replies = {fenced("(tool/shot {})"), fenced("(return 3)")};
    Mission mission(made, given);
    mission.start();
    std::size_t calls = 0;
    std::vector<Message> last;
    for (int step = 0; step < 20 && !mission.is_done(); ++step) {
        const Result<std::string> bytes = mission.save();
        ASSERT_TRUE(bytes.ok());
        EXPECT_LT(bytes.value().size(), 150'000U);
        MissionOptions again = given;
        again.attachments.clear(); // they are in the bytes
        Result<std::unique_ptr<Mission>> restored = made->restore(bytes.value(), again);
        ASSERT_TRUE(restored.ok()) << restored.error().message;
        mission = std::move(*restored.value());
        const Needs needs = mission.take_needs();
        for (const ToolNeed& need : needs.tools)
            mission.answer(need.id, call_tool(need));
        for (const LlmNeed& need : needs.llm) {
            last = need.request.messages;
            mission.answer(need.id, LlmResult(LlmReply{.text = replies.at(calls++)}));
        }
    }
    ASSERT_TRUE(mission.is_done());
    EXPECT_EQ(last.front().attachments, given.attachments);
    EXPECT_EQ(last.back().attachments, std::vector<Attachment>{Attachment::image(kPng)});
    const Result<std::string> done = mission.save(); // whose step has the conversation, too
    EXPECT_LT(done.value().size(), 150'000U);
}

TEST(Attachment, ARecordingRepeatsThem) {
    const std::string path = testing::TempDir() + "attachments.rec";
    std::filesystem::remove(path);
    const AgentPtr made = agent({.prompt = "Look.", .tools = {screenshot()}});
    MissionOptions mission;
    mission.model = ModelRef(programs({"(tool/shot {})", "(return 3)"}).llm());
    mission.attachments = {Attachment::image(kPng + std::string(100'000, 'x'))};
    ASSERT_TRUE(record_mission(made, mission, path).ok());
    EXPECT_LT(std::filesystem::file_size(path), 100'000U); // requests have hashes of them
    const auto recording = Recording::open(path).value();
    EXPECT_EQ(recording->replay(made, mission).value().value, Datum(3));
    mission.attachments = {Attachment::image(kPng)};
    EXPECT_FALSE(recording->replay(made, mission).ok());
}

TEST(Attachment, CompactionCountsAndCutsThem) {
    std::vector<std::string> texts(6, "(tool/shot {})");
    texts.push_back("(return 1)");
    const Model model = programs(texts);
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    const AgentPtr made = agent({.prompt = "Look.",
                                 .tools = {screenshot()},
                                 .max_turns = 10,
                                 .compaction = Compaction{.trigger_turns = {}, .trigger_tokens = 6000}});
    ASSERT_TRUE(made->run(mission).ok);
    std::size_t most = 0;
    for (const LlmRequest& request : model.seen->requests) {
        std::size_t shown = 0;
        for (const Message& message : request.messages)
            shown += message.attachments.size();
        most = std::max(most, shown);
    }
    EXPECT_GE(most, 1U);
    EXPECT_LE(most, 3U); // some 1,600 tokens each
}

TEST(Attachment, GoesOverWithTheConversation) {
    AgentOptions other{.prompt = "Answer."};
    other.name = "other";
    AgentOptions options{.prompt = "Look."};
    options.handoffs = {agent(std::move(other))->as_tool("other")};
    const Model model = programs({"(tool/other)", "(return 1)"});
    MissionOptions mission;
    mission.model = ModelRef(model.llm());
    mission.attachments = {Attachment::image(kPng)};
    ASSERT_TRUE(agent(std::move(options))->run(mission).ok);
    EXPECT_EQ(model.seen->requests[1].messages[0].attachments, mission.attachments);
}

TEST(Attachment, AMessageOfAChatHasItsOwn) {
    const Model model = programs({"(return 1)", "(return 2)"});
    MissionOptions options;
    options.model = ModelRef(model.llm());
    Chat chat(agent({.prompt = "Look."}), options);
    ASSERT_TRUE(chat.say("One", {Attachment::image(kPng)}).ok);
    ASSERT_TRUE(chat.say("Two").ok);
    EXPECT_EQ(model.seen->requests[1].messages[0].attachments.size(), 1U);
    EXPECT_TRUE(model.seen->requests[1].messages.back().attachments.empty());
}

} // namespace
} // namespace ptc
