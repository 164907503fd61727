// What is left of a `ptc::Worker` that ended before its missions did.
#include "ptc/worker.h"
#include "tests/store/stores.h"
#include <future>

namespace ptc::test {
namespace {

class WorkerEnds : public Stores {};
PTC_STORE_SUITE(WorkerEnds);

/// Its missions know the worker, and it knows them: also those that it keeps apart, as they lost workers.
TEST_P(WorkerEnds, NoMissionIsKeptWhenItsCallComesBackLater) {
    for (const bool is_apart : {false, true}) {
        submit({.id = is_apart ? "apart" : "m"});
        sql("UPDATE " + table("mission") + " SET losses = " + (is_apart ? "2" : "0"));
        std::promise<void> answer;
        const auto gone = std::make_shared<std::promise<void>>();
        const std::shared_future<void> answered = answer.get_future().share();
        std::shared_ptr<int> held(new int(), [gone](const int* number) {
            delete number;
            gone->set_value();
        });
        std::stop_source stop;
        {
            const auto worker = std::make_unique<Worker>(
                store,
                [&, held](const ClaimedMission&) -> Result<Runnable> {
                    Runnable made{.agent = Agent::create({.prompt = "x"}).value()};
                    made.options.model = ModelRef(Llm([&stop, answered, held](const LlmRequest&) -> LlmResult {
                        stop.request_stop();
                        answered.wait();
                        return LlmReply{.text = "```clojure\n(return 1)\n```"};
                    }));
                    return made;
                },
                WorkerOptions());
            held.reset();
            must(worker->run(stop.get_token(), Millis64(0)));
        }
        answer.set_value();
        gone->get_future().wait();                                      // for ever, if it is kept
        EXPECT_TRUE(must(store->signal(is_apart ? "apart" : "m", {}))); // cancels it
    }
}

} // namespace
} // namespace ptc::test
