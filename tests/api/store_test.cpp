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

} // namespace
} // namespace ptc
