// What a mission waits for while no worker holds it: a tool that is answered from outside, a mission of its own, a
// time; by a `ptc::Worker` over both stores.
#include "ptc/worker.h"
#include "tests/store/stores.h"
#include "tests/support/sanitized.h"
#include <algorithm>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>

namespace ptc::test {
namespace {

/// Tools that the worker does not make are called by nobody.
Tool tool_named(const char* name, const char* signature) {
    Tool tool{.name = name, .signature = signature};
    tool.function = [name](const Datum&) -> Result<Datum> {
        ADD_FAILURE() << "the worker called " << name;
        return Datum();
    };
    return tool;
}

constexpr Millis64 kDay{86'400'000}; ///< no machine is so slow that it passes during a test

class WorkerWaits : public Stores {
protected:
    /// Carries what there is with this program, and missions of the agent `child` with that one.
    WorkerCounts carry(const std::string& program, const std::string& child = "(return (* 2 data/n))") {
        AgentOptions agent_options{.prompt = "x", .signature = "() -> :any"};
        for (const char* name : {"ask", "double", "nap", "refuse", "throw"})
            agent_options.tools.emplace_back(tool_named(name, "(n :int) -> :any"));
        for (const char* name : {"look", "pay"}) {
            Tool here{.name = name, .signature = "(n :int) -> :int", .approval = std::string_view(name) == "pay"};
            here.keyed_function = [this](const Datum& arguments, std::string_view key) {
                return called(arguments, key);
            };
            agent_options.tools.emplace_back(std::move(here));
        }
        const AgentPtr whole = Agent::create(agent_options).value();
        const AgentPtr doubling = Agent::create({.prompt = "{{n}}", .signature = "(n :int) -> :int"}).value();
        const std::string digest = must(store->put_agent("child", "{}"));
        const MissionMaker maker = [&, whole, doubling, digest](const ClaimedMission& mission) {
            const bool is_child = mission.agent.name == "child";
            Runnable made{.agent = is_child ? doubling : whole};
            if (is_child) made.options.context = Datum::object({{"n", std::stoi(mission.context)}});
            made.options.model =
                ModelRef(Llm([this, text = is_child ? child : program](const LlmRequest&) -> LlmResult {
                    if (on_model) on_model();
                    return LlmReply{.text = "```clojure\n" + text + "\n```"};
                }));
            made.elsewhere = [this, digest](const ToolNeed& need) { return where(need, digest); };
            return Result<Runnable>(std::move(made));
        };
        WorkerOptions options;
        options.until_empty = until_empty;
        stop = {};
        options.on_over = [&](const ClaimedMission&) {
            if (!until_empty && stops_when(must(store->show("m")).value_or(StoredMission()))) stop.request_stop();
        };
        Worker worker(store, maker, options);
        must(worker.run(stop.get_token()));
        return worker.counts();
    }
    std::string result(const std::string& id = "m") {
        const StoredMission mission = must(store->show(id)).value_or(StoredMission());
        return mission.status == MissionStatus::Done ? mission.result : mission.error;
    }
    std::uint64_t need_of(const std::string& tool, const std::string& mission = "m") {
        for (const StoredCall& call : must(store->calls(mission)))
            if (call.name == tool && !call.answer) return call.need;
        ADD_FAILURE() << "no call of " << tool << " is open";
        return 0;
    }
    /// In one statement: SQLite syncs its file for each submission.
    void submit_copies(std::size_t count) {
        must(store->submit({.id = "first", .agent_digest = agent}));
        const std::string same =
            "lane, priority, status, is_due, since, created, changed, revision, attempts, max_attempts, worker, "
            "is_cancelled, has_news, parent, digest, context, input_tokens, output_tokens, turns, cost_usd";
        sql("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(count) +
            ") INSERT INTO " + table("mission") + " (id, " + same + ") SELECT id || '-' || i, " + same +
            " FROM n CROSS JOIN " + table("mission") + " WHERE id = 'first'");
    }
    bool until_empty = true;
    /// Of a worker that does not stop when it is empty: looks at the mission "m" whenever it lets one go. How often it
    /// does is not the same each time: a child that is done before its parent waits is not waited for.
    bool (*stops_when)(const StoredMission&) = is_waiting;
    static bool at_once(const StoredMission&) { return true; }
    static bool is_waiting(const StoredMission& m) { return m.status == MissionStatus::Waiting; }
    static bool waits_for_time(const StoredMission& m) { return is_waiting(m) && m.standing.until > 0; }
    static bool is_over(const StoredMission& m) {
        return m.status == MissionStatus::Done || m.status == MissionStatus::Failed;
    }
    std::stop_source stop{};          ///< of the worker that carries
    std::function<void()> on_model{}; ///< before each answer of a model
    std::function<void()> on_tool{};  ///< before each answer of a tool that the worker calls
    std::set<std::string> keys{};     ///< of its calls
    std::string child_id{};           ///< "": as the worker names it
    Millis64 nap = 10 * kDay, child_delay{0};
    /// A program that fails with what a call fails with, where a model would be asked once more.
    static std::string or_fail(const std::string& call) {
        return "(let [r (try " + call + " (catch Exception e (str \"failed: \" (ex-message e))))] " +
               "(if (string? r) (fail {:reason :call :message r}) (return r)))";
    }
    /// As SQL has bytes that are no answer.
    [[nodiscard]] std::string rubbish() const { return is_postgres() ? "'\\x07'::bytea" : "x'07'"; }
    [[nodiscard]] std::string number_of(const std::string& id) const {
        return "(SELECT number FROM " + table("mission") + " WHERE id = '" + id + "')";
    }
    std::string answer_of(const std::string& tool) {
        for (const StoredCall& call : must(store->calls("m")))
            if (call.name == tool) return call.answer.value_or("none");
        return "no call";
    }
    /// As if the calls had been made so much earlier.
    void age(Millis64 time) { sql("UPDATE " + table("call") + " SET asked = asked - " + std::to_string(time.count())); }

private:
    Result<Datum> called(const Datum& arguments, std::string_view key) {
        const std::scoped_lock lock(mutex_); // of several missions
        keys.emplace(key);
        if (on_tool) on_tool();
        return Datum(arguments.find("n")->as<std::int64_t>().value_or(0) + 1);
    }
    std::mutex mutex_;

    Result<std::optional<Elsewhere>> where(const ToolNeed& need, const std::string& digest) const {
        const std::string& name = need.tool->name;
        const std::string n = need.arguments.find("n")->to_json();
        if (name == "refuse") return Error(Reason::ToolError, "Nobody there answers " + n + ".");
        if (name == "throw") throw std::runtime_error("the host has a bug");
        if (name == "double")
            return std::optional(Elsewhere{
                .child = NewMission{.id = child_id, .agent_digest = digest, .context = n, .delay = child_delay}});
        if (name == "look" || name == "pay") return std::optional<Elsewhere>();
        return std::optional(name == "nap" ? Elsewhere{.at_most = nap} : Elsewhere{});
    }
};

TEST_P(WorkerWaits, AToolIsAnsweredFromOutside) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    const std::string program = "(return (pcalls #(tool/ask {:n 1}) #(tool/ask {:n 2})))";
    EXPECT_EQ(carry(program).waiting, 1u);
    const StoredMission waiting = must(store->show("m")).value_or(StoredMission());
    EXPECT_EQ(waiting.status, MissionStatus::Waiting);
    const Datum open = Datum::from_json(waiting.waits_for).value();
    EXPECT_EQ(open[0]["tool"].as<std::string>().value_or(""), "ask");
    EXPECT_EQ(open[0]["answered_by"].as<std::string>().value_or(""), "outside");
    EXPECT_EQ(open[1]["arguments"]["n"].as<std::int64_t>().value_or(0), 2);
    EXPECT_TRUE(must(store->signal("m", tool_signal(need_of("ask"), ToolAnswer(Datum("one"))))));
    EXPECT_EQ(carry(program).waiting, 1u); // for the other one
    EXPECT_TRUE(must(store->signal("m", tool_signal(need_of("ask"), ToolAnswer(Datum::object({{"two", 2}}))))));
    EXPECT_EQ(carry(program).done, 1u);
    EXPECT_EQ(result(), R"(["one",{"two":2}])");
}

TEST_P(WorkerWaits, AnErrorFromOutsideAndBytesThatAreNoneAreTheTools) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    const std::string program =
        "(return (pmap (fn [n] (try (tool/ask {:n n}) (catch Exception e (ex-message e)))) [1 2]))";
    (void)carry(program);
    EXPECT_TRUE(
        must(store->signal("m", tool_signal(need_of("ask"), ToolAnswer(Error(Reason::ToolError, "No line."))))));
    EXPECT_TRUE(must(store->signal("m", {.kind = Signal::Kind::Answer, .need = need_of("ask"), .bytes = "rubbish"})));
    (void)carry(program);
    EXPECT_NE(result().find("No line."), std::string::npos) << result();
    EXPECT_NE(result().find("cannot be read"), std::string::npos) << result();
}

TEST_P(WorkerWaits, AMissionOfItsOwnGivesWhatItCameTo) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    const WorkerCounts counts = carry("(return (pmap (fn [n] (tool/double {:n n})) [1 2 3]))");
    EXPECT_EQ(counts.done, 4u);
    EXPECT_GE(counts.waiting, 1u);
    EXPECT_EQ(result(), "[2,4,6]");
    const std::vector<StoredMission> children = must(store->list({.parent = "m"}));
    ASSERT_EQ(children.size(), 3u);
    EXPECT_TRUE(children[0].id.starts_with("m/")) << children[0].id;
    EXPECT_EQ(children[0].status, MissionStatus::Done);
}

TEST_P(WorkerWaits, AMissionOfItsOwnThatFailsFailsItsCall) {
    const std::string id(200, 'x'); // as long as ids may be: those of its children are made of a digest
    must(store->submit({.id = id, .agent_digest = agent}));
    (void)carry("(return (try (tool/double {:n 1}) (catch Exception e (ex-message e))))",
                "(fail {:reason :no_data :message \"None.\"})");
    EXPECT_NE(result(id).find("The child mission failed: no_data: None."), std::string::npos) << result(id);
    EXPECT_EQ(must(store->list({.parent = id})).size(), 1u);
}

TEST_P(WorkerWaits, WhoIsCancelledTakesItsMissionsAlong) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    child_delay = std::chrono::hours(1); // nobody takes it up meanwhile
    until_empty = false;
    (void)carry("(return (tool/double {:n 1}))");
    ASSERT_EQ(must(store->show("m"))->status, MissionStatus::Waiting);
    EXPECT_TRUE(must(store->signal("m", {})));
    const std::vector<StoredMission> children = must(store->list({.parent = "m"}));
    ASSERT_EQ(children.size(), 1u);
    EXPECT_EQ(children[0].status, MissionStatus::Cancelled);
}

TEST_P(WorkerWaits, ATimeThatIsOverIsNil) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    until_empty = false; // it would wait for the time
    const std::string program = "(return (pmap (fn [n] (tool/nap {:n n})) [1 2]))";
    EXPECT_EQ(carry(program).waiting, 1u);
    EXPECT_EQ(must(store->show("m"))->status, MissionStatus::Waiting);
    EXPECT_GT(must(store->show("m"))->standing.until, 0);
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    // What comes before is the answer of its call; the other one's time stays what it was.
    age(9 * kDay);
    EXPECT_TRUE(must(store->signal("m", tool_signal(need_of("nap"), ToolAnswer(Datum(1))))));
    EXPECT_EQ(carry(program).waiting, 1u);
    const std::int64_t asked = must(store->calls("m")).back().asked;
    EXPECT_GE(must(store->show("m"))->not_before, asked + nap.count());
    EXPECT_LE(must(store->show("m"))->not_before, must(store->show("m"))->changed + kDay.count());
    advance(nap);
    age(nap);
    stops_when = is_over;
    EXPECT_EQ(carry(program).done, 1u);
    EXPECT_EQ(result(), "[1,null]");
}

/// The first answer stays, also where it comes as the time ends.
TEST_P(WorkerWaits, AnAnswerThatCameBeforeTheTimeEndedStays) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    until_empty = false;
    (void)carry("(return (tool/nap {:n 1}))");
    const std::uint64_t need = need_of("nap");
    age(nap);
    EXPECT_TRUE(must(store->signal("m", tool_signal(need, ToolAnswer(Datum("in time"))))));
    stops_when = is_over;
    (void)carry("(return (tool/nap {:n 1}))");
    EXPECT_EQ(result(), "\"in time\"");
}

TEST_P(WorkerWaits, WhatAHostCannotSayFailsTheCall) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    (void)carry("(return [(try (tool/refuse {:n 7}) (catch Exception e (ex-message e))) (try (tool/throw {:n 1}) "
                "(catch Exception e (ex-message e)))])");
    EXPECT_NE(result().find("Nobody there answers 7."), std::string::npos) << result();
    EXPECT_NE(result().find("the host has a bug"), std::string::npos) << result();
}

/// It would be the same for whoever carries the mission next.
TEST_P(WorkerWaits, AChildWhoseIdIsTakenFailsItsMissionAtOnceAndSaysSo) {
    must(store->submit({.id = "taken", .agent_digest = agent}));
    EXPECT_TRUE(must(store->signal("taken", {})));
    must(store->submit({.id = "m", .agent_digest = agent}));
    child_id = "taken";
    EXPECT_EQ(carry("(return (tool/double {:n 1}))").failed, 1u);
    EXPECT_EQ(result(), R"({"reason":"invalid_request","message":"A child cannot begin: There is another mission with )"
                        R"(the id `taken`."})");
    EXPECT_EQ(must(store->show("m"))->attempts, 0);
    EXPECT_TRUE(must(store->list({.parent = "m"})).empty());
}

TEST_P(WorkerWaits, ADeadlineTakesTheMissionsOfItsOwnAlong) {
    must(store->submit({.id = "m", .agent_digest = agent, .deadline = kDay}));
    child_delay = 10 * kDay;
    until_empty = false;
    (void)carry("(return (tool/double {:n 1}))");
    ASSERT_EQ(must(store->show("m"))->status, MissionStatus::Waiting);
    advance(kDay);
    EXPECT_TRUE(must(store->claim({.worker = "w"})).empty());
    EXPECT_NE(result().find("Its deadline came."), std::string::npos) << result();
    EXPECT_EQ(must(store->list({.parent = "m"})).at(0).status, MissionStatus::Cancelled);
}

TEST_P(WorkerWaits, ARetryGoesOnWithTheMissionsThatWereCancelledAlong) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    child_delay = std::chrono::hours(1);
    until_empty = false;
    (void)carry("(return (tool/double {:n 21}))");
    EXPECT_TRUE(must(store->signal("m", {})));
    EXPECT_TRUE(must(store->retry("m")));
    stops_when = is_over;
    (void)carry("(return (tool/double {:n 21}))");
    EXPECT_EQ(result(), "42");
    EXPECT_EQ(must(store->list({.parent = "m"})).size(), 1u);
}

/// Of a mission that failed after them, in the same run.
TEST_P(WorkerWaits, ARetryHasTheSameAnswersOfChildrenAndTimes) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    const std::string program =
        "(let [d (tool/double {:n 21}) t (tool/nap {:n 1})] (fail {:reason :x :message (str d (nil? t))}))";
    until_empty = false;
    stops_when = waits_for_time;
    (void)carry(program);
    advance(nap);
    age(nap);
    stops_when = is_over;
    (void)carry(program);
    const std::string failed = result();
    EXPECT_NE(failed.find("42true"), std::string::npos) << failed;
    EXPECT_TRUE(must(store->retry("m")));
    (void)carry(program);
    EXPECT_EQ(must(store->show("m"))->status, MissionStatus::Failed);
    EXPECT_EQ(result(), failed);
    EXPECT_EQ(must(store->list({.parent = "m"})).size(), 1u);
}

TEST_P(WorkerWaits, AnAnswerOfAModelThatCannotBeReadIsAskedForAgain) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    until_empty = false;
    stops_when = at_once;
    on_model = [&] { // the first answer stays, and the worker loses its lease: its mission gets none
        sql("UPDATE " + table("call") + " SET answered = 1, answer = " + rubbish());
        sql("UPDATE " + table("mission") + " SET token = 'another'");
    };
    (void)carry("(return 7)");
    ASSERT_EQ(must(store->show("m"))->status, MissionStatus::Running);
    advance(kDay);
    ASSERT_EQ(must(store->calls("m")).at(0).answer, "\x07");
    on_model = nullptr;
    until_empty = true;
    EXPECT_EQ(carry("(return 7)").done, 1u);
    EXPECT_EQ(result(), "7");
    EXPECT_NE(must(store->calls("m")).at(0).answer, "\x07"); // the new one is kept
}

/// What a tool of the worker gave, damaged where it is kept: it is called again under its key, and others go on.
TEST_P(WorkerWaits, AnAnswerOfAToolThatCannotBeReadIsAskedForAgain) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    until_empty = false;
    stops_when = at_once;
    on_tool = [&] { // as above: written, and its mission does not get it
        sql("UPDATE " + table("call") + " SET answered = 1, answer = " + rubbish() +
            " WHERE kind = 'tool' AND mission = " + number_of("m"));
        sql("UPDATE " + table("mission") + " SET token = 'another' WHERE id = 'm'");
    };
    const std::string program = "(return (tool/look {:n 4}))";
    (void)carry(program);
    on_tool = nullptr;
    advance(kDay);
    ASSERT_EQ(answer_of("look"), "\x07");
    must(store->submit({.id = "other", .agent_digest = agent}));
    until_empty = true;
    keys.clear();
    (void)carry(program);
    EXPECT_EQ(result(), "5");
    EXPECT_EQ(result("other"), "5");
    EXPECT_TRUE(keys.contains("m/2")) << "called again under its key";
    EXPECT_NE(answer_of("look"), "\x07");
}

/// Nobody is asked once more: a person's answer that cannot be read is a denial, and says so.
TEST_P(WorkerWaits, AnApprovalThatCannotBeReadIsADenial) {
    for (const char* id : {"m", "other"})
        must(store->submit({.id = id, .agent_digest = agent}));
    const std::string program = "(return (try (tool/pay {:n 4}) (catch Exception e (ex-message e))))";
    EXPECT_EQ(carry(program).waiting, 2u);
    for (const char* id : {"m", "other"})
        EXPECT_TRUE(must(store->signal(id, approval_signal(need_of("pay", id), ApprovalAnswer::approve()))));
    sql("UPDATE " + table("call") + " SET answer = " + rubbish() +
        " WHERE kind = 'approval' AND mission = " + number_of("m"));
    EXPECT_EQ(carry(program).done, 2u);
    EXPECT_NE(result().find("The answer that was stored cannot be read."), std::string::npos) << result();
    EXPECT_EQ(result("other"), "5");
    EXPECT_EQ(keys, std::set<std::string>{"other/3"}) << "what was denied was not done";
}

/// What a child came to.
TEST_P(WorkerWaits, AChildsAnswerThatCannotBeReadFailsItsCall) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    until_empty = false;
    child_delay = kDay;
    const std::string program = "(return (try (tool/double {:n 4}) (catch Exception e (ex-message e))))";
    (void)carry(program);
    sql("UPDATE " + table("call") + " SET answered = 1, answer = " + rubbish() + " WHERE kind = 'child'");
    EXPECT_TRUE(must(store->signal(must(store->list({.parent = "m"})).at(0).id, {}))); // wakes its parent
    stops_when = is_over;
    (void)carry(program);
    EXPECT_NE(result().find("The answer that was stored cannot be read."), std::string::npos) << result();
}

/// Rows that no program of this kind wrote: their mission fails and says why, others go on, nothing is lost.
TEST_P(WorkerWaits, CallsThatCannotBeReadFailTheirMissionOnly) {
    for (const char* id : {"m", "other"})
        must(store->submit({.id = id, .agent_digest = agent}));
    const std::string program = "(return (tool/pay {:n 4}))";
    EXPECT_EQ(carry(program).waiting, 2u);
    for (const char* id : {"m", "other"})
        EXPECT_TRUE(must(store->signal(id, approval_signal(need_of("pay", id), ApprovalAnswer::approve()))));
    const std::string calls = "UPDATE " + table("call") + " SET ";
    sql(calls + "kind = 'telegram' WHERE kind = 'approval' AND mission = " + number_of("m"));
    (void)carry(program);
    EXPECT_EQ(must(store->show("m"))->status, MissionStatus::Failed);
    EXPECT_NE(result().find("The store has a call of an unknown kind."), std::string::npos) << result();
    EXPECT_EQ(result("other"), "5");
    sql(calls + "kind = 'approval' WHERE kind = 'telegram'"); // whoever mends the row has it go on
    EXPECT_TRUE(must(store->retry("m")));
    EXPECT_EQ(carry(program).done, 1u);
    EXPECT_EQ(result(), "5");
}

/// A row that says when somebody answered, and not what: before, such a mission waited for ever.
TEST_P(WorkerWaits, AnAnswerThatIsNotThereEndsInAnErrorAndLosesNothing) {
    for (const char* id : {"m", "other"})
        must(store->submit({.id = id, .agent_digest = agent}));
    const std::string program = or_fail("(tool/ask {:n 1})");
    EXPECT_EQ(carry(program).waiting, 2u);
    EXPECT_TRUE(must(store->signal("m", tool_signal(need_of("ask"), ToolAnswer(Datum(1))))));
    const std::string empty_calls = "UPDATE " + table("call") + " SET answered = 1, answer = NULL WHERE kind = ";
    sql(empty_calls + "'outside'");
    EXPECT_EQ(carry(program).failed, 1u);
    EXPECT_NE(result().find("The answer that was stored cannot be read."), std::string::npos) << result();
    // Who was not woken can still be answered, and so can who goes on.
    EXPECT_EQ(must(store->show("other"))->standing.names, std::vector<std::string>{"ask"});
    EXPECT_TRUE(must(store->signal("other", tool_signal(need_of("ask", "other"), ToolAnswer(Datum(2))))));
    EXPECT_TRUE(must(store->retry("m")));
    (void)carry(program);
    EXPECT_EQ(result("other"), "2");
    EXPECT_EQ(must(store->show("m"))->status, MissionStatus::Waiting);
    EXPECT_TRUE(must(store->signal("m", tool_signal(need_of("ask"), ToolAnswer(Datum(3))))));
    EXPECT_EQ(carry(program).done, 1u);
    EXPECT_EQ(result(), "3");
}

/// The same of a person's decision, which nobody made then: it is denied, and whoever retries is asked.
TEST_P(WorkerWaits, ADecisionThatIsNotThereIsADenialAndAskedForAfterARetry) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    const std::string program = or_fail("(tool/pay {:n 4})");
    (void)carry(program);
    EXPECT_TRUE(must(store->signal("m", approval_signal(need_of("pay"), ApprovalAnswer::approve()))));
    sql("UPDATE " + table("call") + " SET answer = NULL WHERE kind = 'approval'");
    EXPECT_EQ(carry(program).failed, 1u);
    EXPECT_NE(result().find("The answer that was stored cannot be read."), std::string::npos) << result();
    EXPECT_TRUE(keys.empty()) << "what was denied was not done";
    EXPECT_TRUE(must(store->retry("m")));
    EXPECT_EQ(carry(program).waiting, 1u);
    EXPECT_TRUE(must(store->signal("m", approval_signal(need_of("pay"), ApprovalAnswer::approve()))));
    EXPECT_EQ(carry(program).done, 1u);
    EXPECT_EQ(result(), "5");
}

/// Who denied said so once: a retry asks once more, as the mission would fail for the same reason otherwise.
TEST_P(WorkerWaits, ARetryAfterADenialAsksOnceMore) {
    must(store->submit({.id = "m", .agent_digest = agent}));
    const std::string program = or_fail("(tool/pay {:n 4})");
    (void)carry(program);
    EXPECT_TRUE(must(store->signal("m", approval_signal(need_of("pay"), ApprovalAnswer::deny("no")))));
    EXPECT_EQ(carry(program).failed, 1u);
    EXPECT_TRUE(must(store->retry("m")));
    EXPECT_EQ(carry(program).waiting, 1u);
    EXPECT_TRUE(must(store->signal("m", approval_signal(need_of("pay"), ApprovalAnswer::approve()))));
    EXPECT_EQ(carry(program).done, 1u);
    EXPECT_EQ(result(), "5");
}

/// A statement that the database refuses each time, here by a constraint of somebody else.
TEST_P(WorkerWaits, AMissionThatCannotBeWrittenEndsWithTheReason) {
    must(store->submit({.id = "m", .agent_digest = agent, .max_attempts = 1}));
    sql(is_postgres() ? "ALTER TABLE " + table("call") + " ADD CONSTRAINT no_models CHECK (kind <> 'model')"
                      : "CREATE TRIGGER no_models BEFORE INSERT ON call WHEN NEW.kind = 'model' BEGIN SELECT "
                        "RAISE(ABORT, 'no_models'); END");
    EXPECT_EQ(carry("(return 7)").failed, 1u);
    EXPECT_NE(result().find("no_models"), std::string::npos) << result();
    EXPECT_EQ(result().find("attempts_exceeded"), std::string::npos) << result();
}

/// Resident memory of this process.
std::size_t resident_bytes() {
    std::size_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Of missions with much data a worker takes so many as it may hold, and the others when these are over: whatever else
/// it has in hand.
TEST_P(WorkerWaits, AWorkerHasNoMoreInHandThanItsBytes) {
    constexpr std::size_t kMissions = 7;
    const std::string context = "{\"rows\":\"" + std::string(100'000, 'x') + "\"}";
    for (std::size_t i = 0; i < kMissions; ++i)
        submit({.id = "m" + std::to_string(i), .context = context});
    submit({.id = "long", .priority = 1});
    std::mutex mutex;
    std::size_t in_hand = 0, most = 0;
    std::atomic<bool> were_two = false;
    std::atomic<std::size_t> over = 0;
    const AgentPtr made = Agent::create({.prompt = "x", .signature = "() -> :int"}).value();
    const MissionMaker maker = [&](const ClaimedMission& claim) {
        Runnable one{.agent = made};
        one.options.model = ModelRef(Llm([&, is_long = claim.id == "long"](const LlmRequest&) -> LlmResult {
            were_two.wait(false);
            for (std::size_t now = over; is_long && now < kMissions; now = over)
                over.wait(now);
            return LlmReply{.text = "```clojure\n(return 7)\n```"};
        }));
        return Result<Runnable>(std::move(one));
    };
    WorkerOptions options{.most_bytes = 150'000, .calls = 4, .until_empty = true};
    options.on_log = [&](std::string_view line) {
        const std::scoped_lock lock(mutex);
        if (line.find("\"event\":\"claimed\"") == line.npos || line.find("\"long\"") != line.npos) return;
        most = std::max(most, ++in_hand);
        if (in_hand < 2) return;
        were_two = true;
        were_two.notify_all();
    };
    options.on_over = [&](const ClaimedMission& claim) {
        if (claim.id == "long") return;
        const std::scoped_lock lock(mutex);
        --in_hand;
        ++over;
        over.notify_all();
    };
    Worker worker(store, maker, options);
    must(worker.run({}));
    EXPECT_EQ(worker.counts().done, kMissions + 1);
    EXPECT_EQ(most, 2u);
}

/// Each of them is in memory while its model is asked; four connections write for all.
TEST_P(WorkerWaits, AWorkerHasThousandsOfMissionsInHandAndKeepsNothingOfThem) {
    constexpr std::size_t kMostOfEach = 64 * 1024;
    const std::size_t rounds[] = {200, 3'000}; // the first one fills caches
    // Each waits for all.
    const AgentPtr made =
        Agent::create({.prompt = "x", .signature = "() -> :int", .mission_timeout = std::chrono::minutes(10)}).value();
    std::vector<std::size_t> in_use;
    for (const std::size_t missions : rounds) {
        submit_copies(missions);
        const std::size_t before = resident_bytes();
        std::size_t with_all = before;
        std::atomic<std::size_t> in_hand = 0;
        const MissionMaker maker = [&](const ClaimedMission&) {
            Runnable one{.agent = made};
            one.options.model = ModelRef(Llm([&](const LlmRequest&) -> LlmResult {
                for (std::size_t now = in_hand; now < missions; now = in_hand)
                    in_hand.wait(now);
                return LlmReply{.text = "```clojure\n(return 7)\n```"};
            }));
            if (in_hand + 1 == missions) with_all = resident_bytes();
            if (++in_hand == missions) in_hand.notify_all();
            return Result<Runnable>(std::move(one));
        };
        WorkerOptions options{.concurrency = missions, .calls = 4, .until_empty = true};
        Worker worker(store, maker, options);
        must(worker.run({}));
        EXPECT_EQ(worker.counts().done, missions);
        EXPECT_EQ(worker.counts().lost, 0u);
        (void)must(store->prune(Millis64(0)));
        in_use.push_back(::mallinfo2().uordblks);
        const std::size_t of_each = (with_all - std::min(before, with_all)) / missions;
        RecordProperty("bytes_of_each_of_" + std::to_string(missions), std::to_string(of_each));
        if (missions == rounds[1] && !kIsSanitized) EXPECT_LE(of_each, kMostOfEach);
    }
    EXPECT_LE(in_use[1], in_use[0] + 64 * rounds[1]) << "of one mission something is kept";
}

PTC_STORE_SUITE(WorkerWaits);

} // namespace
} // namespace ptc::test
