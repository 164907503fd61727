// In which order the new values of a recur are computed: collections are edited behind what still reads them, and
// nobody can tell, but by which of two errors a run ends.
#include <gtest/gtest.h>
#include <ptc/ptc.h>
#include <string>

namespace ptc::test {
namespace {

Outcome run(const std::string& source) {
    const Engine engine({.warnings = false, .threads = 0});
    Session session(engine);
    return session.run(source);
}

/// The fuel of 1,000 rounds of `program` over a vector v of `size` numbers.
std::uint64_t fuel_of_rounds(const std::string& program, int size) {
    const auto fuel = [&](int rounds) {
        const Outcome outcome =
            run("(defn at [v i] (v i)) (defn put [v i] (assoc v i (+ (v 1) (count v)))) (loop [v (vec "
                "(range " +
                std::to_string(size) + ")) i 0 s 0] (if (= i " + std::to_string(rounds) + ") s " + program + "))");
        EXPECT_TRUE(outcome.ok()) << program;
        return outcome.usage.fuel;
    };
    return fuel(1001) - fuel(1);
}

constexpr std::uint64_t kOfTheFirstRound = 3; ///< a copy in each round takes thousands

TEST(EvaluationOrder, WhatEditsACollectionComesBehindWhatReadsIt) {
    for (const char* program : {
             "(recur (assoc v 0 i) (inc i) (+ s (nth v 5)))", // another one may be written at once
             "(recur (assoc v (mod i 3) (mod s 7)) (inc i) (+ s (nth v (mod i 4))))", // each reads the others
             "(recur (put v 0) (inc i) (+ s (first v)))",                             // through a function that calls v
             "(recur (update v 0 inc) (inc i) (if (even? (nth v 1)) s (max s 1)))",
         })
        EXPECT_LE(fuel_of_rounds(program, 2000), fuel_of_rounds(program, 100) + kOfTheFirstRound) << program;
    // Sequences by need are no reason to copy.
    const char* by_need = "(recur (put v 0) (inc i) (+ s (first v) (first (iterate inc 1))))";
    EXPECT_LE(fuel_of_rounds(by_need, 2000), fuel_of_rounds(by_need, 100) + kOfTheFirstRound);
}

TEST(EvaluationOrder, WhatOthersSeeKeepsItsOrder) {
    const auto prints = [](const std::string& program) {
        std::string all;
        for (const std::string& line : run(program).prints)
            all += line + ";";
        return all;
    };
    EXPECT_EQ(
        prints(
            "(loop [v [1 2] n 0] (when (< n 5) (recur (do (println :a n) (assoc v 0 n)) (do (println :b) (+ 3 n (nth v "
            "0))))))"),
        ":a 0;:b;:a 4;:b;");
    // The first value is printed before the second one fails.
    EXPECT_EQ(prints("(loop [v [1 2] n 0] (when (< n 5) (recur (do (println :a) (assoc v 0 n)) (+ n (nth v 9)))))"),
              ":a;");
    EXPECT_EQ(
        prints("(defn f [g v] (g 1) (assoc v 0 1)) (loop [v [1 2] n 0] (when (< n 5) (recur (f println v) (+ n (nth v "
               "9)))))"),
        "1;");
}

} // namespace
} // namespace ptc::test
