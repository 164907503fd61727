// In which order the new values of a recur and the operands of a call or literal are computed: collections are edited
// behind what still reads them, and nobody can tell, but by which of two errors a run ends.
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
            run("(defn at [v i] (v i)) (defn pair [a b] [a b]) (defn put [v i] (assoc v i (+ (v 1) (count v)))) (loop "
                "[v (vec "
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

TEST(EvaluationOrder, OperandsThatEditComeBehindThoseThatOnlyRead) {
    for (const char* program : {
             "(let [[w n] [(assoc v 0 i) (count v)]] (recur w (inc i) (+ s n)))",
             "(let [[w n] (pair (assoc v 0 i) (peek v))] (recur w (inc i) (+ s n)))", // of a call
             "(let [[w n] (pair (put v 0) (at v 7))] (recur w (inc i) (+ s n)))",     // functions that read and edit
             "(let [r {:v (assoc v 0 i) :last (nth v 3)}] (recur (:v r) (inc i) (+ s (:last r))))",
             "(recur (-> v (assoc 0 (nth v 1)) (assoc 1 (nth v 0))) (inc i) s)", // two items change places
             "(recur (assoc (assoc v 0 i) 1 (count v) 2 (nth v 4)) (inc i) s)",
             "(recur (conj (pop v) (peek v)) (inc i) s)",
         })
        EXPECT_LE(fuel_of_rounds(program, 2000), fuel_of_rounds(program, 100) + kOfTheFirstRound) << program;
    EXPECT_EQ(run("(defn f [v x] [(conj v x) (count v) (peek v)]) (let [v [1 2] w (f v 3)] [v w])").value,
              "[[1 2] [[1 2 3] 2 2]]");
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
    EXPECT_EQ(prints("(defn f [v] [(do (println :a) (conj v 1)) (+ 1 (nth v 9))]) (f [1 2])"), ":a;");
}

} // namespace
} // namespace ptc::test
