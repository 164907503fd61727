// Sequences by need outlive the entry of a session that makes them: a name or function of an earlier program gives them
// to a later one, which was compiled when nothing of the earlier text was there.
#include "tests/support/session_entries.h"
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ptc {
namespace {

using test::Entries;
using test::EntryWay;
using test::run_entries;

const Entries kRows[] = {
    {{"(def nums (iterate inc 5))", "(take 2 nums)"}, "[5 6]"},
    {{"(def nums (iterate inc 5))", "(->> nums (filter odd?) (map inc) (take 3))"}, "[6 8 10]"},
    {{"(def nums (iterate inc 5))", "(first nums)"}, "5"},
    {{"(def nums (iterate inc 5))", "(nth nums 10)"}, "15"},
    {{"(def nums (iterate inc 5))", "(let [[a b & more] nums] [a b (first more)])"}, "[5 6 7]"},
    {{"(def nums (iterate inc 5))", "(zipmap [:a :b] nums)"}, "{:a 5 :b 6}"},
    {{"(def nums (iterate inc 5))", "(map vector [:a :b] nums)"}, "[[:a 5] [:b 6]]"},
    {{"(def nums (iterate inc 5))", "(def odd (filter odd? nums))", "(take 2 odd)"}, "[5 7]"},
    {{"(def nums (iterate inc 5))", "(take-while (fn [x] (< x 8)) nums)"}, "[5 6 7]"},
    {{"(def nums (iterate inc 5))", "(defn f [n] (take n nums))", "(f 3)"}, "[5 6 7]"},
    {{"(def nums (iterate inc 5))", "(reduce (fn [a x] (if (> x 9) (reduced a) (+ a x))) 0 nums)"}, "35"},
    {{"(def nums (iterate inc 5))", "(def nums (vec (take 3 nums)))", "(count nums)"}, "3"},
    {{"(def nums (iterate inc 5))", "(def nums [1 2 3])", "(count nums)"}, "3"},
    {{"(def nums [1 2 3])", "(def nums (iterate inc 5))", "(take 1 nums)"}, "[5]"},
    {{"(def nums [1 2 3])", "(def before (take 2 nums)) (def nums (iterate inc 5)) [before (take 2 nums)]"},
     "[[1 2] [5 6]]"},
    {{"(defn q [] (iterate inc 1))", "(take 3 (q))"}, "[1 2 3]"},
    {{"(defn q [] (iterate inc 1))", "(defn r [] (q))", "(take 3 (r))"}, "[1 2 3]"},
    {{"(declare q) (defn r [] (q))", "(defn q [] (iterate inc 1))", "(take 3 (r))"}, "[1 2 3]"},
    {{"(defn r [n] (drop n (range)))", "(defn s [n] (map inc (r n)))", "(first (s 4))"}, "5"},
    {{"(defn fib-seq ([] (fib-seq 0 1)) ([a b] (lazy-seq (cons a (fib-seq b (+ a b))))))", "(take 8 (fib-seq))"},
     "[0 1 1 2 3 5 8 13]"},
    {{"(defn fib-seq ([] (fib-seq 0 1)) ([a b] (lazy-seq (cons a (fib-seq b (+ a b))))))", "(def fs (fib-seq))",
      "(def f (fn [n] (nth fs n)))", "[(f 10) (f 20)]"},
     "[55 6765]"},
    {{"(def q (fn [x] (repeat x)))", "(take 2 (q :a))"}, "[:a :a]"},
    {{"(def q (memoize (fn [x] (repeat x))))", "(take 2 (q :a))"}, "[:a :a]"},
    {{"(defmulti q :kind) (defmethod q :a [_] (cycle [1 2]))", "(take 3 (q {:kind :a}))"}, "[1 2 1]"},
    {{"(def nums (iterate inc 5))", "(let [nums [1 2]] (count nums))"}, "2"},
    {{"(def nums (iterate inc 5))", "(for [x nums :while (< x 8)] x)"}, "[5 6 7]"},
    {{"(def nums (iterate inc 5))", "(loop [s nums n 0] (if (= n 3) (first s) (recur (rest s) (inc n))))"}, "8"},
    {{"(def nums (iterate inc 5))", "(into [] (comp (filter even?) (take 2)) nums)"}, "[6 8]"},
    {{"(def pages (partition-all 2 (range)))", "(take 2 pages)"}, "[[0 1] [2 3]]"},
    {{"(defn down [n] (lazy-seq (when (pos? n) (cons n (down (dec n))))))",
      "[(down 3) (str (down 2)) (= [2 1] (down 2))]"},
     "[[3 2 1] \"[2 1]\" true]"},
    {{"(defn down [n] (lazy-seq (when (pos? n) (cons n (down (dec n))))))", "(down 3)"}, "[3 2 1]"},
    {{"(defn g [n] (concat [n] (lazy-seq [1 2])))", "(g 0)"}, "[0 1 2]"},
    {{"(defn f [s] (map inc s))", "(def s (iterate inc 1))", "(defn g [s] (map inc s))", "(take 2 (g s))"}, "[2 3]"},
    {{"(def nums (iterate inc 5))", "(take 2 (filter (fn [[a b]] (odd? a)) (map vector nums (rest nums))))"},
     "[[5 6] [7 8]]"},
    {{"(def xf (comp (filter odd?) (take 2)))", "(sequence xf (range))"}, "[1 3]"},
    {{"(def xf (comp (filter odd?) (take 2)))", "(into [] (comp xf (map inc)) (range))"}, "[2 4]"},
    {{"(defn merged [a b] (lazy-seq (cond (empty? a) b (empty? b) a (< (first a) (first b)) (cons (first a) (merged "
      "(rest "
      "a) b)) :else (cons (first b) (merged a (rest b))))))",
      "[(reduce merged [[1 5] [2 4]]) (take 2 (merged (range 0 9 3) (iterate inc 1)))]"},
     "[[1 2 4 5] [0 1]]"},
    {{"(defn down [n] (lazy-seq (when (pos? n) (cons n (down (dec n))))))", "(def d (down 3))",
      "[(= d [3 2 1]) (str d) (map down [1 2])]"},
     "[true \"[3 2 1]\" [[1] [2 1]]]"},
    {{"(def again repeat)", "(take 2 (again :a))"}, "[:a :a]"},
    {{"(defn later [] (let [f (fn [] (range))] (f)))", "(second (later))"}, "1"},
    {{"(def few (take 3 (iterate inc 5)))", "(count few)"}, "3"},
};

TEST(SessionNames, GiveSequencesByNeedToLaterPrograms) { run_entries(kRows, EntryWay::Plain); }

TEST(SessionNames, GiveThemFromBytesAsWell) { run_entries(kRows, EntryWay::Saved); }

// Whoever uses none of these names pays nothing for them.
TEST(SessionNames, ThatAreByNeedCostOthersNothing) {
    const Engine engine;
    constexpr const char* kProgram = "(defn f [x] {:a x :b [x]}) (mapv f (range 50))";
    Session plain(engine), other(engine);
    ASSERT_TRUE(other.run("(def nums (iterate inc 5)) (defn q [] (iterate inc 1))").ok());
    EXPECT_EQ(plain.run(kProgram).usage.fuel, other.run(kProgram).usage.fuel);
}

} // namespace
} // namespace ptc
