// Missions in files that stop for a reason outside of them and go on, and missions that two processes want to run.
#include "tests/subagent/missions.h"
#include "tests/support/temporary_folder.h"
#include <filesystem>
#include <ptc/checkpoint.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptc {
namespace {

struct Folder : test::TemporaryFolder {
    Folder()
        : TemporaryFolder(::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                                          : std::filesystem::temp_directory_path()) {}
    [[nodiscard]] std::shared_ptr<CheckpointFile> open() const {
        return CheckpointFile::open(*this / "missions.db").value();
    }
    [[nodiscard]] std::string path() const { return *this / "missions.db"; }
};

void execute(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10'000);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
}

/// Pays once in its first turn, and returns in its second.
struct Payments {
    std::shared_ptr<int> paid = std::make_shared<int>(0);
    std::shared_ptr<int> asked = std::make_shared<int>(0); ///< calls of the model that gave a reply
    AgentPtr made = agent({.prompt = "Pay.", .tools = {host_tool("pay", "() -> :int", [paid = paid](const Datum&) {
                                                 return Result<Datum>(Datum(++*paid));
                                             })}});

    /// In its second turn the model fails with these errors first.
    [[nodiscard]] MissionOptions options(std::vector<LlmError> errors = {}) const {
        MissionOptions options;
        options.retry = RetryPolicy{.max_attempts = 2};
        options.clock = FakeTime().clock();
        const auto left = std::make_shared<std::vector<LlmError>>(std::move(errors));
        options.model = ModelRef([left, asked = asked](const LlmRequest& request) -> LlmResult {
            if (request.turn == 2 && !left->empty()) {
                LlmError error = left->front();
                left->erase(left->begin());
                return error;
            }
            ++*asked;
            return LlmReply{.text = fenced(request.turn == 1 ? "(def receipt (tool/pay))" : "(return receipt)")};
        });
        return options;
    }
};

const LlmError kWrongKey{.http_status = 401, .is_permanent = true};
const LlmError kNoNetwork{.kind = "network"};

TEST(Halted, AMissionGoesOnWhenItsModelCanBeCalledAgain) {
    const Folder folder;
    const Payments payments;
    Result<Step> step = folder.open()->run(payments.made, "m", payments.options({kWrongKey}));
    EXPECT_EQ(reason_of(step.value()), "llm_error");
    EXPECT_FALSE(folder.open()->missions().value().at(0).is_done);
    step = folder.open()->run(payments.made, "m", payments.options());
    ASSERT_TRUE(step.ok() && step.value().ok);
    EXPECT_EQ(step.value().value, Datum(1));
    EXPECT_EQ(*payments.paid, 1);
    EXPECT_EQ(*payments.asked, 2);
    EXPECT_TRUE(folder.open()->missions().value().at(0).is_done);
}

TEST(Halted, ItsAttemptsCountAnew) {
    const Folder folder;
    const Payments payments;
    for (int i = 0; i < 3; ++i) {
        const Step step = folder.open()->run(payments.made, "m", payments.options({kNoNetwork, kNoNetwork})).value();
        EXPECT_EQ(*step.fail->details.find("attempts"), Datum(2));
    }
    const Step step = folder.open()->run(payments.made, "m", payments.options({kNoNetwork})).value();
    EXPECT_TRUE(step.ok) << reason_of(step);
    EXPECT_EQ(*payments.asked, 2);
}

TEST(Halted, AMissionThatTheHostStopsGoesOn) {
    const Folder folder;
    const Payments payments;
    MissionOptions stopped = payments.options();
    stopped.is_interrupted = [paid = payments.paid] { return *paid > 0; };
    EXPECT_EQ(reason_of(folder.open()->run(payments.made, "m", stopped).value()), "interrupted");
    EXPECT_EQ(folder.open()->run(payments.made, "m", payments.options()).value().value, Datum(1));
    EXPECT_EQ(*payments.paid, 1);
    EXPECT_EQ(*payments.asked, 2);
}

TEST(Halted, WhatFailsByItselfStaysFailed) {
    const Folder folder;
    const AgentPtr made = agent({.prompt = "x"});
    MissionOptions options;
    options.model = ModelRef(programs({"(fail {:reason :no :message \"No.\"})"}).llm());
    EXPECT_EQ(reason_of(folder.open()->run(made, "m", options).value()), "no");
    EXPECT_TRUE(folder.open()->missions().value().at(0).is_done);
    EXPECT_EQ(reason_of(folder.open()->run(made, "m", options).value()), "no");
}

TEST(Halted, AMissionWithoutAModelHasNotBegun) {
    const Folder folder;
    const Payments payments;
    MissionOptions none = payments.options();
    none.model = {};
    EXPECT_EQ(reason_of(folder.open()->run(payments.made, "m", none).value()), "llm_required");
    EXPECT_TRUE(folder.open()->run(payments.made, "m", payments.options()).value().ok);
}

// ---- Two at once

TEST(Lease, ASecondOneOfTheSameProcessIsRefused) {
    const Folder folder;
    const auto file = folder.open();
    AgentPtr made;
    const auto again = [&](const std::shared_ptr<CheckpointFile>& by, const char* id) {
        MissionOptions options;
        options.model = ModelRef(programs({"(return 5)"}).llm());
        const Result<Step> step = by->run(made, id, options);
        return step.ok() ? "ran" : step.error().message;
    };
    std::vector<std::string> all;
    made = agent({.prompt = "x", .tools = {host_tool("meanwhile", "() -> :int", [&](const Datum&) {
                                     all = {again(file, "m"), again(folder.open(), "m"), again(folder.open(), "other")};
                                     return Result<Datum>(Datum(1));
                                 })}});
    MissionOptions options;
    options.model = ModelRef(programs({"(return (tool/meanwhile))"}).llm());
    ASSERT_TRUE(file->run(made, "m", options).value().ok);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_NE(all[0].find("is run already"), std::string::npos) << all[0];
    EXPECT_NE(all[1].find("is run by another process"), std::string::npos) << all[1];
    EXPECT_EQ(all[2], "ran");
    EXPECT_EQ(again(folder.open(), "m"), "ran"); // finished: its step, and no lease is left
}

TEST(Lease, OfAProcessThatHasEndedCountsForNothing) {
    const Folder folder;
    const Payments payments;
    const pid_t child = ::fork();
    if (child == 0) {
        MissionOptions options = payments.options();
        options.model = ModelRef([](const LlmRequest&) -> LlmResult { ::_exit(0); });
        (void)folder.open()->run(payments.made, "m", options);
        ::_exit(1);
    }
    // Not waited for yet: a process that has ended and is still listed.
    siginfo_t info;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    const Result<Step> step = folder.open()->run(payments.made, "m", payments.options());
    EXPECT_TRUE(step.ok()) << step.error().message;
    ::waitpid(child, nullptr, 0);
}

std::string lease_of_another_machine(std::int64_t expires) {
    return "INSERT OR REPLACE INTO lease VALUES ('m', 'token', 'another', 1, '1', " + std::to_string(expires) + ")";
}

TEST(Lease, OfAnotherMachineEndsWithItsTime) {
    const Folder folder;
    const Payments payments;
    ASSERT_NE(folder.open(), nullptr);
    constexpr std::int64_t kFarAway = 9'000'000'000'000;
    execute(folder.path(), lease_of_another_machine(kFarAway));
    const Result<Step> refused = folder.open()->run(payments.made, "m", payments.options());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, Reason::InvalidRequest);
    EXPECT_EQ(*payments.asked, 0);
    execute(folder.path(), lease_of_another_machine(1000));
    EXPECT_TRUE(folder.open()->run(payments.made, "m", payments.options()).value().ok);
}

TEST(Lease, WhoeverHasLostItWritesNoMore) {
    const Folder folder;
    const Payments payments;
    MissionOptions options = payments.options();
    options.model = ModelRef([&, model = options.model.call](const LlmRequest& request) -> LlmResult {
        if (request.turn == 2) execute(folder.path(), lease_of_another_machine(9'000'000'000'000));
        return model(request);
    });
    const Result<Step> step = folder.open()->run(payments.made, "m", options);
    ASSERT_FALSE(step.ok());
    EXPECT_NE(step.error().message.find("is run by another process"), std::string::npos);
    EXPECT_FALSE(folder.open()->missions().value().at(0).is_done);
    EXPECT_EQ(folder.open()->missions().value().at(0).answers, 2u); // the first reply and the payment
}

TEST(Lease, WhoeverHasSleptDoesNothingMore) {
    const Folder folder;
    const Payments payments;
    MissionOptions options = payments.options();
    options.model = ModelRef([&, model = options.model.call](const LlmRequest& request) -> LlmResult {
        // Another process took the mission over, finished it and gave up its lease.
        if (request.turn == 1) execute(folder.path(), "DELETE FROM lease");
        return model(request);
    });
    const Result<Step> step = folder.open()->run(payments.made, "m", options);
    ASSERT_FALSE(step.ok());
    EXPECT_NE(step.error().message.find("another process went on with it"), std::string::npos);
    EXPECT_EQ(*payments.paid, 0);
    EXPECT_EQ(folder.open()->missions().value().at(0).answers, 0u);
}

} // namespace
} // namespace ptc
