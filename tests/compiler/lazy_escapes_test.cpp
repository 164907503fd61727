// Whether sequences by need may be anywhere in a program: what is asked at run time, and costs fuel, follows from it.
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <string>

namespace ptc::test {
namespace {

/// Fuel of a walk by first and rest behind `before`, which the walk has nothing to do with.
std::uint64_t fuel_of_walk(const std::string& before, int items) {
    const Engine engine({.warnings = false, .threads = 0});
    Session session(engine);
    const Outcome outcome = session.run(
        before + " (defn walk [xs] (loop [[x & more] xs n 0] (if x (recur more (+ n x)) n))) (walk (range 1 " +
        std::to_string(items) + "))");
    EXPECT_TRUE(outcome.ok()) << before;
    return outcome.usage.fuel;
}

std::uint64_t fuel_of_items(const std::string& before) { return fuel_of_walk(before, 301) - fuel_of_walk(before, 101); }

TEST(LazyEscapes, WhatIsTakenFromOnTheSpotCostsNothingElsewhere) {
    const std::uint64_t plain = fuel_of_items("");
    for (const char* before : {
             "(take 3 (iterate inc 1))", "(defn f [n] (reduce + (take n (map * (range) (iterate inc 1)))))",
             "(->> (iterate inc 1) (filter odd?) (drop 2) (take 3))", "(-> (iterate inc 1) (nth 5))",
             "(map vector [1 2] (cycle [:a :b]))", "(first (drop-while (fn [x] (< x 5)) (range)))",
             "(count (take-while (fn [x] (< x 5)) (range)))",
             "(let [[a [b] [c]] (map vector (iterate inc 1)) d 1] (+ b c d))", // of items of items
         })
        EXPECT_EQ(fuel_of_items(before), plain) << before;
}

TEST(LazyEscapes, WhatMayBeAnywhereIsAskedForEverywhere) {
    const std::uint64_t plain = fuel_of_items("");
    for (const char* before : {
             "(def nums (iterate inc 1))",
             "(let [nums (iterate inc 1)] (take 3 nums))",
             "(let [[a & more] (iterate inc 1)] a)",
             "(let [[a :as all] (iterate inc 1)] a)",
             "(let [[a] [1] nums (iterate inc 1)] a)",
             "(let [a 1] (iterate inc a))",
             "(defn f [n] (iterate inc n))",
             "(defn f [xs] (take 2 xs)) (f (iterate inc 1))",
             "(let [take vector] (take 5 (iterate inc 0)) 1)",
             "(letfn [(take [n c] (second c))] (take 5 (iterate inc 0)))",
             "(mapv (fn [f] (f (iterate inc 1))) [])",
             "(take 2 (iterate inc 1)) (def r repeat)", // a function that makes one as a value
             "(take 2 (iterate inc 1)) (map repeat [])",
             "(cond->> 5 true (iterate inc) true (take 2))", // given an argument by another form
             "(some->> 1 (iterate inc) (take 2))",
             "(letfn [(first ([c] (nth c 2)))] (first (iterate inc 1)))",
             "(let [{:keys [:first]} {:first (fn [c] (nth c 2))}] (first (iterate inc 1)))",
             "(let [{:keys [a/first]} {:a/first (fn [c] (nth c 2))}] (first (iterate inc 1)))",
             "(first (split-at 2 (take 5 (iterate inc 1)))) (first (first [(split-at 2 (map inc [1]))])) (defn g [] "
             "(repeat 1))",
             "(defn f [n] (lazy-seq (cons n (f (inc n)))))",
         })
        EXPECT_GT(fuel_of_items(before), plain) << before;
}

} // namespace
} // namespace ptc::test
