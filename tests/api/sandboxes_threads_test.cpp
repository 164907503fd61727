// Many sandboxes on several threads over one data set: nothing is copied, nothing races (run under TSan by tools/test).
#include <atomic>
#include <gtest/gtest.h>
#include <latch>
#include <ptc/ptc.h>
#include <thread>

namespace ptc {
namespace {

std::string orders(int n) {
    std::string json = R"({"orders":[)";
    for (int i = 0; i < n; ++i) {
        json += (i ? "," : "") + std::string(R"({"id":)") + std::to_string(i) + R"(,"region":"r)" +
                std::to_string(i % 7) + R"(","amount":)" + std::to_string(i % 100) + R"(.5,"note":"größe )" +
                std::to_string(i) + "\"}";
    }
    return json + "]}";
}

TEST(ThreadsExample, AThousandSandboxesShareOneDataSet) {
    const Engine engine;
    const auto data = DataSet::from_json(orders(500)).value();
    const Compiled compiled = engine.compile(R"(
        (let [groups (group-by :region data/orders)
              totals (map (fn [[region os]] [region (reduce + (map :amount os)) (count (:note (first os)))]) groups)
              first-order (assoc (first data/orders) :seen true)
              more (conj data/orders first-order)]
          [(count more) (first (sort-by second > totals)) (count (frequencies (map :note data/orders)))]))");
    ASSERT_TRUE(compiled);
    const std::string expected = engine.run(compiled.program, {.data = {data}}).value;
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 250; ++i) {
                const Outcome outcome = engine.run(compiled.program, {.data = {data}});
                if (outcome.ok() && outcome.value == expected) ++right;
            }
        });
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(right, 1000);
}

TEST(ThreadsExample, ProgramsAreCompiledOnAllThreadsAtOnce) {
    const Engine engine;
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                const std::string n = std::to_string(t * 100 + i);
                if (engine.run("(reduce + 0 (map (fn [x] (* x 2)) [" + n + "]))").value ==
                    std::to_string(2 * (t * 100 + i)))
                    ++right;
            }
        });
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(right, 200);
}

TEST(ThreadsExample, ARunIsInterruptedFromAnotherThread) {
    std::latch started(1);
    const Engine engine({.tools = {{.name = "started", .function = [&](const Datum& arguments) -> Result<Datum> {
                                        started.count_down();
                                        return arguments;
                                    }}}});
    Limits limits;
    limits.fuel = INT64_MAX;
    limits.timeout = {}; // none
    Session session(engine);
    std::thread stopper([&] {
        started.wait();
        session.interrupt();
    });
    const Outcome outcome = session.run("(tool/started {}) (loop [i 0] (recur (inc i)))", {.limits = limits});
    stopper.join();
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->reason, Reason::Interrupted);
    EXPECT_EQ(session.run("1").value, "1");
}

} // namespace
} // namespace ptc
