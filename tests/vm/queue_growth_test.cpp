// A sorted map or set that is read at its front between its edits is a queue: a step of it does not sort it again. It
// moves pointers, of which a unit of fuel pays for 64; that shows in thousands of entries, so these have hundreds.
#include "compiler/compile.h"
#include "runtime/silent_host.h"
#include "tests/support/core.h"
#include "tests/support/growth.h"
#include "vm/vm.h"

namespace ptc {
namespace {

/// As many steps as the queue has entries, by instructions and by fuel.
void expect_linear(const std::string& steps) {
    SilentHost services;
    Vm vm(services);
    EXPECT_TRUE(test::is_linear(500, [&](std::size_t size) {
        const std::string text = "(def size " + std::to_string(size) + ")" + steps;
        Diagnostics diagnostics;
        std::shared_ptr<const Program> program =
            compile(Source("test", text), CompileOptions{}, test::core(), diagnostics);
        EXPECT_TRUE(program);
        return [&vm, program, size] {
            Limits limits;
            limits.fuel = static_cast<std::int64_t>(size) * 400;
            limits.timeout = {};
            EXPECT_EQ(vm.start(*program, limits, nullptr, 0), Status::Done) << vm.error().message;
            (void)vm.take_result();
        };
    }));
}

TEST(QueueGrowth, OfASortedMap) {
    expect_linear(
        "(loop [m (into (sorted-map) (map (fn [i] [(mod (* i 7919) 100003) i])) (range size)) i 0]"
        "  (if (= i size) (count m)"
        "    (let [[k v] (first m)] (recur (assoc (dissoc m k) (mod (* (+ k 31) (+ i 17)) 100003) i) (inc i)))))");
}

TEST(QueueGrowth, OfASortedSetOfPairs) {
    expect_linear("(loop [q (into (sorted-set) (map (fn [i] [(mod (* i 7919) 100003) i])) (range size)) i 0]"
                  "  (if (= i size) (count q)"
                  "    (let [[cost n :as x] (first q)]"
                  "      (recur (conj (disj q x) [(+ cost (mod (* n 31) 1009)) n]) (inc i)))))");
}

TEST(QueueGrowth, OfPlaces) {
    for (const char* key : {"[cost [n (- n)]]", "[cost nil]", "[[cost] n]", "[cost [n true [1.5 :a]]]"})
        expect_linear("(defn key [cost n] " + std::string(key) +
                      ") (loop [q (into (sorted-set) (map (fn [i] (key (mod (* i 7919) 100003) i))) (range size)) i 0]"
                      "  (if (= i size) (count q)"
                      "    (recur (conj (disj q (first q)) (key (+ 200000 (mod (* i 31) 1009)) i)) (inc i))))");
}

TEST(QueueGrowth, ReadAtBothEnds) {
    expect_linear("(loop [q (into (sorted-set) (range size)) i 0]"
                  "  (if (= i size) (count q)"
                  "    (let [x (first q)] (recur (conj (disj q x) (+ size i x)) (inc i)))))");
}

TEST(QueueGrowth, ReadFromAKeyOn) {
    expect_linear("(loop [q (into (sorted-set) (map (fn [i] [(mod (* i 7919) 100003) i])) (range size)) i 0]"
                  "  (if (= i size) (count q)"
                  "    (let [x (or (first (subseq q >= [(mod (* i 31) 100003) 0])) (first (rsubseq q < [200000 0])))]"
                  "      (recur (conj (disj q x) [(mod (* i 257) 100003) i]) (inc i)))))");
}

TEST(QueueGrowth, ReadFromAKeyOnWhereAnEarlierVersionIsSeen) {
    expect_linear("(let [all (into (sorted-map) (map (fn [i] [i i])) (range size)) held [all (assoc all -1 0)]]"
                  "  (loop [i 0 n 0]"
                  "    (if (= i size) [n (count held)]"
                  "      (let [m (assoc (dissoc (nth held 1) i) (+ i 0.5) i)]"
                  "        (recur (inc i) (+ n (count (subseq m >= i < (+ i 3)))))))))");
}

} // namespace
} // namespace ptc
