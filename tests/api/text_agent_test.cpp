// README.md, "Text, native tools, programs beside an answer": one call of a tool serves the model and its programs.
#include "ptc/ptc.h"
#include <gtest/gtest.h>

namespace ptc {
namespace {

TEST(ReadmeTextAgent, OneCallServesTheModelAndItsPrograms) {
    int runs = 0;
    Tool search_logs{.name = "search_logs", .signature = "(query :string) -> [:map]"};
    search_logs.function = [&runs](const Datum&) -> Result<Datum> {
        ++runs;
        return Datum::from_json(R"([{"level": "error"}, {"level": "info"}, {"level": "error"}])");
    };
    std::vector<std::string> told;
    const Llm llm = [&told](const LlmRequest& request) -> LlmResult {
        told.push_back(request.messages.back().content);
        const Datum query = Datum::object({{"query", "x"}});
        if (told.size() == 1) return LlmReply{.tool_calls = {{"c1", "search_logs", query}}};
        const char* program = R"x((count (filter #(= (:level %) "error") (tool/search_logs {:query "x"}))))x";
        if (told.size() == 2)
            return LlmReply{.tool_calls = {{"c2", "lisp_eval", Datum::object({{"program", program}})}}};
        if (request.on_text) request.on_text("Two.");
        return LlmReply{.text = "Two."};
    };
    const ModelRef model(llm);

    AgentTool find(search_logs);
    find.expose = Exposure::Both;
    find.cache = true;
    auto agent = Agent::create(
        {.prompt = "Help.", .tools = {find}, .output = AgentOutput::Text, .transport = Transport::ToolCall});
    std::string shown;
    Chat chat(agent.value(), {.model = model, .on_text = [&shown](std::string_view part) { shown += part; }});
    const Step step = chat.say("How many errors were there yesterday?");

    ASSERT_TRUE(step.ok) << step.fail->message;
    EXPECT_EQ(step.value, Datum("Two."));
    EXPECT_EQ(shown, "Two.");
    EXPECT_EQ(runs, 1);
    EXPECT_NE(told.at(1).find(R"("result_count":3)"), std::string::npos) << told[1];
    EXPECT_EQ(told.at(1).find("info"), std::string::npos) << "no value of a row is shown";
    EXPECT_NE(told.at(2).find(R"("result":"user=> 2")"), std::string::npos) << told[2];
}

} // namespace
} // namespace ptc
