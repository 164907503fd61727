// What hosts keep of missions and programs: traces, recordings, keys of calls, answers of a tool that runs programs.
#include "ptc/recording.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <unistd.h>

namespace {

/// A file that is gone at the end of the test.
struct TemporaryFile {
    explicit TemporaryFile(const char* name)
        : path(std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + name)) {}
    ~TemporaryFile() { std::filesystem::remove(path); }
    std::string path;
};

const ptc::Llm returns_three = [](const ptc::LlmRequest&) -> ptc::LlmResult {
    return ptc::LlmReply{.text = "```clojure\n(return (+ 1 2))\n```"};
};

TEST(ApiRecords, ATraceIsALineAnEvent) {
    const TemporaryFile file("-api.jsonl");
    auto agent = ptc::Agent::create({.prompt = "Add.", .signature = "() -> :int"});
    {
        auto trace = ptc::TraceFile::create(file.path);
        ASSERT_TRUE(trace.ok());
        ptc::MissionOptions options;
        options.model = ptc::ModelRef(returns_three);
        options.on_event = [kept = trace.value()](const ptc::MissionEvent& event) { kept->write(event); };
        EXPECT_TRUE(agent.value()->run(std::move(options)).ok);
    }
    std::ifstream in(file.path);
    std::string first;
    ASSERT_TRUE(std::getline(in, first));
    EXPECT_NE(first.find(R"("event":"mission_start")"), std::string::npos) << first;
}

TEST(ApiRecords, ARecordingGivesTheSameStepWithoutAModel) {
    const TemporaryFile file("-api.rec");
    auto agent = ptc::Agent::create({.prompt = "Add.", .signature = "() -> :int"});
    ptc::MissionOptions options;
    options.model = ptc::ModelRef(returns_three);
    const auto step = ptc::record_mission(agent.value(), options, file.path);
    ASSERT_TRUE(step.ok());
    const auto recording = ptc::Recording::open(file.path);
    ASSERT_TRUE(recording.ok());
    const auto again = recording.value()->replay(agent.value(), options);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value().value, step.value().value);
}

TEST(ApiRecords, OneCallHasOneKeyHoweverItIsWritten) {
    const ptc::Datum one = ptc::Datum::object({{"max-rows", 1.0}, {"query", "x"}});
    const ptc::Datum other = ptc::Datum::object({{"query", "x"}, {"max_rows", 1}});
    EXPECT_EQ(ptc::cache_key("search", one), ptc::cache_key("search", other));
    EXPECT_NE(ptc::input_cache_key("search", one), ptc::input_cache_key("search", other));
}

TEST(ApiRecords, AToolThatRunsProgramsAnswersWithAPayload) {
    const ptc::Engine engine;
    ptc::Session session(engine);
    const ptc::Outcome outcome = session.run("(def n 2) (* n 21)", {.want_datum = true});
    const ptc::Datum payload = ptc::eval_payload(session, outcome);
    EXPECT_EQ(*payload.find("status"), ptc::Datum("ok"));
    EXPECT_EQ(*payload.find("result"), ptc::Datum("user=> 42"));
}

} // namespace
