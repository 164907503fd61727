// README.md, "Many missions, many workers", in C++: a host that puts missions into a store, carries them, and approves.
#include "ptc/mission_store.h"
#include "ptc/worker.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ptc {
namespace {

/// A file that is gone with the test.
struct StoreFile {
    StoreFile()
        : path((std::filesystem::temp_directory_path() / ("ptc-api-store-" + std::to_string(::getpid()) + ".db"))
                   .string()) {}
    ~StoreFile() {
        std::error_code error;
        for (const char* ending : {"", "-wal", "-shm"})
            std::filesystem::remove(path + ending, error);
    }
    std::string path;
};

TEST(ReadmeStore, MissionsAreCarriedByWorkersAndWaitForPeople) {
    const StoreFile file;
    const auto opened = MissionStore::open("sqlite:" + file.path);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const std::shared_ptr<MissionStore>& store = opened.value();

    // An agent of the host's, with a tool that pays once for each key, in the store's own transaction.
    Tool pay{.name = "pay", .signature = "(n :int) -> :int"};
    pay.keyed_function = [store](const Datum& arguments, std::string_view key) -> Result<Datum> {
        const std::string amount = arguments.find("n")->to_json();
        const Result<std::string> paid = store->once(
            std::string(key), [amount](MissionStore::Transaction&) -> Result<std::string> { return amount; });
        if (!paid.ok()) return paid.error();
        return Datum::from_json(paid.value());
    };
    pay.approval = true;
    const AgentPtr clerk =
        Agent::create({.prompt = "Pay {{n}}.", .signature = "(n :int) -> :int", .tools = {pay}}).value();
    const std::string version = store->put_agent("clerk", "clerk 1").value();
    for (int n = 1; n <= 3; ++n)
        ASSERT_TRUE(
            store->submit({.id = "order-" + std::to_string(n), .agent_digest = version, .context = std::to_string(n)})
                .ok());

    const MissionMaker maker = [clerk](const ClaimedMission& mission) -> Result<Runnable> {
        Runnable made{.agent = clerk};
        made.options.context = Datum::object({{"n", std::stoi(mission.context)}});
        made.options.model = ModelRef(Llm([](const LlmRequest&) -> LlmResult {
            return LlmReply{.text = "```clojure\n(return (tool/pay {:n data/n}))\n```"};
        }));
        return made;
    };
    WorkerOptions options;
    options.until_empty = true;
    std::atomic<int> let_go = 0;
    options.on_over = [&let_go](const ClaimedMission&) { ++let_go; };
    Worker worker(store, maker, options);
    ASSERT_TRUE(worker.run({}).ok());
    EXPECT_EQ(worker.counts().waiting, 3u);
    EXPECT_EQ(let_go, 3);

    for (const StoredMission& mission : store->list({.status = MissionStatus::Waiting}).value()) {
        for (const StoredCall& call : store->calls(mission.id).value()) {
            if (call.kind != StoredCall::Kind::Approval || call.answer) continue;
            EXPECT_TRUE(store->signal(mission.id, approval_signal(call.need, ApprovalAnswer::approve())).value());
        }
    }
    ASSERT_TRUE(worker.run({}).ok());
    EXPECT_EQ(worker.counts().done, 3u);
    EXPECT_EQ(store->show("order-2").value()->result, "2");
}

// A tool whose calls are missions of another agent, and one that a person or another program answers, days later.
TEST(ReadmeStore, ToolsMayBeMissionsOrAnsweredFromOutside) {
    const StoreFile file;
    const std::shared_ptr<MissionStore> store = MissionStore::open("sqlite:" + file.path).value();
    const std::string clerk = store->put_agent("clerk", "clerk 1").value();
    const std::string checker = store->put_agent("checker", "checker 1").value();
    Tool check{.name = "check", .signature = "(n :int) -> :bool"},
        count{.name = "count_parts", .signature = "() -> :int"};
    const AgentPtr counts =
        Agent::create({.prompt = "Order.", .signature = "() -> :any", .tools = {check, count}}).value();
    const AgentPtr checks = Agent::create({.prompt = "Check {{n}}.", .signature = "(n :int) -> :bool"}).value();

    const MissionMaker maker = [=](const ClaimedMission& mission) -> Result<Runnable> {
        const bool is_check = mission.agent.name == "checker";
        Runnable made{.agent = is_check ? checks : counts};
        if (is_check) made.options.context = Datum::object({{"n", std::stoi(mission.context)}});
        made.options.model = ModelRef(Llm([is_check](const LlmRequest&) -> LlmResult {
            return LlmReply{.text = is_check ? "```clojure\n(return (> data/n 2))\n```"
                                             : "```clojure\n(return (tool/check {:n (tool/count_parts)}))\n```"};
        }));
        made.elsewhere = [checker](const ToolNeed& need) -> Result<std::optional<Elsewhere>> {
            if (need.tool->name == "count_parts") return std::optional(Elsewhere{}); // a signal answers it
            return std::optional(Elsewhere{
                .child = NewMission{.agent_digest = checker, .context = need.arguments.find("n")->to_json()}});
        };
        return made;
    };
    WorkerOptions options;
    options.until_empty = true;
    Worker worker(store, maker, options);
    ASSERT_TRUE(store->submit({.id = "order", .agent_digest = clerk}).ok());
    ASSERT_TRUE(worker.run({}).ok());
    for (const StoredCall& call : store->calls("order").value()) {
        if (call.kind != StoredCall::Kind::Outside || call.answer) continue;
        EXPECT_TRUE(store->signal("order", tool_signal(call.need, ToolAnswer(Datum(3)))).value());
    }
    ASSERT_TRUE(worker.run({}).ok());
    EXPECT_EQ(store->show("order").value()->result, "true");
    EXPECT_EQ(store->list({.parent = "order"}).value().at(0).status, MissionStatus::Done);
}

// A rolling upgrade: what one version has begun, the other leaves to it, however often it comes by.
TEST(ReadmeStore, WhatAnotherVersionBeganIsLeftToIt) {
    const StoreFile file;
    const std::shared_ptr<MissionStore> store = MissionStore::open("sqlite:" + file.path).value();
    const std::string digest = store->put_agent("clerk", "clerk 1").value();
    for (const char* id : {"a", "b"})
        ASSERT_TRUE(store->submit({.id = id, .agent_digest = digest, .max_attempts = 2}).ok());
    const auto worker_of = [&store](const std::string& version, std::vector<std::string>* log) {
        Tool wait{.name = "wait", .signature = "() -> :int"};
        wait.function = [](const Datum&) -> Result<Datum> { return Datum(7); };
        wait.approval = true;
        const AgentPtr agent = Agent::create({.prompt = version, .signature = "() -> :int", .tools = {wait}}).value();
        const MissionMaker maker = [agent](const ClaimedMission&) -> Result<Runnable> {
            Runnable made{.agent = agent};
            made.options.model = ModelRef(Llm([](const LlmRequest&) -> LlmResult {
                return LlmReply{.text = "```clojure\n(return (tool/wait))\n```"};
            }));
            return made;
        };
        WorkerOptions options;
        options.until_empty = true;
        options.on_log = [log](std::string_view line) {
            if (line.find("left to others") != std::string_view::npos) log->emplace_back(line);
        };
        return std::make_unique<Worker>(store, maker, options);
    };
    std::vector<std::string> left_by_old, left_by_new;
    const auto old_worker = worker_of("old", &left_by_old), new_worker = worker_of("new", &left_by_new);
    ASSERT_TRUE(old_worker->run({}).ok()); // both wait for an approval
    for (const char* id : {"a", "b"}) {
        const std::vector<StoredCall> calls = store->calls(id).value();
        ASSERT_FALSE(calls.empty());
        ASSERT_TRUE(store->signal(id, approval_signal(calls.back().need, ApprovalAnswer::approve())).value());
    }
    for (int i = 0; i < 3; ++i) // more often than a mission may fail
        ASSERT_TRUE(new_worker->run({}).ok());
    EXPECT_GE(left_by_new.size(), 2u);
    EXPECT_NE(left_by_new.at(0).find("another agent began it"), std::string::npos) << left_by_new.at(0);
    EXPECT_EQ(store->show("a").value()->status, MissionStatus::Ready);
    EXPECT_EQ(store->show("a").value()->attempts, 0);
    ASSERT_TRUE(old_worker->run({}).ok());
    EXPECT_TRUE(left_by_old.empty());
    for (const char* id : {"a", "b"})
        EXPECT_EQ(store->show(id).value()->result, "7");
}

} // namespace
} // namespace ptc
