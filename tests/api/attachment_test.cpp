// Images and files, as a host sees them.
#include <gtest/gtest.h>
#include <ptc/ptc.h>

namespace {

TEST(Attachment, GoesWithAPromptAndAToolsResult) {
    const ptc::Tool screenshot{.name = "screenshot",
                               .signature = "() -> :string",
                               .function = [](const ptc::Datum&) -> ptc::Result<ptc::Datum> {
                                   return ptc::with_attachments("The screen, 2 x 1",
                                                                {ptc::Attachment::image("\x89PNG\r\n\x1a\n..")});
                               }};
    const auto agent = ptc::Agent::create({.prompt = "What is wrong?", .tools = {screenshot}});
    ASSERT_TRUE(agent.ok());
    std::vector<std::size_t> shown;
    ptc::MissionOptions options;
    options.model = [&](const ptc::LlmRequest& request) -> ptc::LlmResult {
        shown.push_back(request.messages.back().attachments.size());
        return ptc::LlmReply{.text = request.turn == 1 ? "```clojure\n(tool/screenshot {})\n```"
                                                       : "```clojure\n(return \"Nothing.\")\n```"};
    };
    options.attachments = {ptc::Attachment::file("%PDF-1.7", "manual.pdf"),
                           ptc::Attachment::image_at("https://example.com/a.png")};
    EXPECT_EQ(agent.value()->run(options).value, ptc::Datum("Nothing."));
    EXPECT_EQ(shown, (std::vector<std::size_t>{2, 1}));
}

} // namespace
