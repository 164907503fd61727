// Runs that go through bytes at every tool call give, print, keep and cost what undisturbed ones do. So do all programs
// of tests/language.
#include "tests/support/corpus.h"
#include "tests/support/snapshots.h"

namespace ptc {
namespace {

using test::expect_same;
using test::host_tools;
using test::run_through;
using test::save_and_restore;

void compare(const Engine& engine, const std::string& source, const RunOptions& options = {}, std::size_t least = 0) {
    SCOPED_TRACE(source);
    auto straight = std::make_unique<Session>(engine), saved = std::make_unique<Session>(engine);
    const Outcome expected = run_through(engine, straight, source, options, false).outcome;
    const test::Ran ran = run_through(engine, saved, source, options, true);
    EXPECT_GE(ran.saves, least) << (expected.error ? expected.error->message : expected.value);
    expect_same(expected, ran.outcome);
    EXPECT_EQ(expected.usage.peak_heap_bytes, ran.outcome.usage.peak_heap_bytes);
    ASSERT_EQ(straight->names(), saved->names());
    for (const std::string& name : straight->names())
        EXPECT_EQ(straight->value_text(name), saved->value_text(name));
}

// Atoms end with their run: what a session holds does not grow by how many its programs have made.
TEST(Snapshot, OfASessionDoesNotGrowByAtoms) {
    const Engine engine(host_tools());
    Session session(engine);
    const auto run = [&](int times) {
        for (int i = 0; i < times; ++i)
            EXPECT_TRUE(session.run("(let [as (mapv atom (range 50))] (doseq [a as] (swap! a inc)) @(last as))").ok());
        return session.save();
    };
    const auto few = run(3), many = run(40);
    ASSERT_TRUE(few.ok() && many.ok());
    EXPECT_LE(many.value().size(), few.value().size() + 16);
    // One that a name stands for stays, and its name is never another's.
    EXPECT_TRUE(session.run("(def kept (atom 1)) (def kept-too [(atom 5)])").ok());
    EXPECT_EQ(session.run("(let [other (atom 9)] [(swap! kept inc) @other])").value, "[2 9]");
    EXPECT_EQ(session.run("(let [other (atom 9)] @(first kept-too))").value, "5");
}

/// Expressions that are values of every kind, with what they are made of inside.
constexpr const char* kValues[] = {
    "[nil true false 1 -1 2.5 ##Inf ##-Inf 1125899906842624 -1125899906842625 123456789012345678901234567890]",
    "[\"\" \"text\" \"gr\u00fc\u00dfe\" :k 'sym #'name (str \"a\" \"b\") (str/join (map str (range 200)))]",
    "(reduce conj [] (range 100))",
    "(let [v (vec (range 200)) w (conj v 1)] [v w (assoc v 7 :x) (assoc w 9 :y) (subvec v 3 190) (rest v) (cons 0 v)])",
    "(range 5 50 3)",
    "{:a 1 \"b\" 2}",
    "(into {} (map (fn [i] [i (str i)]) (range 100)))",
    "(let [m (into {} (map (fn [i] [[i] i]) (range 300)))] [m (assoc m :new 1) (dissoc m [5]) (assoc m [7] 8)])",
    "(let [s (set (range 300))] [s (conj s :new) (disj s 5)])",
    "[#{} {} []]",
    "(let [k 3 s \"t\"] [(fn [x] (+ x k)) (fn [] s) inc (comp inc dec) (partial + 1)])",
    "[#\"a+(b)\" (LocalDate/parse \"2024-02-29\") (Instant/parse \"2024-01-02T03:04:05.123Z\")]",
    "(let [r {:a 1 :b 2} t (assoc r :c 3)] [r t r (assoc r :a 2) (dissoc t :b)])",
    "(reduce (fn [v i] [v i]) nil (range 3000))",
    "(let [x [1 2 3]] (vec (map (fn [_] x) (range 50))))",
    "(group-by even? (range 100))",
    "(sort-by - (range 70))",
};

TEST(Snapshot, OfEveryKindOfValue) {
    const Engine engine(host_tools());
    for (const std::string value : kValues) {
        compare(engine, "(let [v " + value + " w (tool/pause {:n 1})] [v (= v v) w (str v)])", {}, 1);
        compare(engine, "(def v " + value + ") (def w v) (tool/pause {}) (def u [v w]) (tool/pause {}) [u (count [v])]",
                {}, 2);
        compare(engine, "(pmap (fn [i] (let [v " + value + "] (tool/pause {:i i}) [i v])) [1 2 3])", {}, 1);
    }
}

// Programs come and go, and a new one may be where an old one was: the bytes have the code of the one that runs.
TEST(Snapshot, HasTheProgramThatRuns) {
    const Engine engine(host_tools());
    Session session(engine);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(std::holds_alternative<Suspended>(session.start("(tool/pause {}) " + std::to_string(i))));
        const std::string bytes = session.save().value();
        session.abandon();
        for (int others = i; others > 0; --others)
            (void)session.run("1");
        auto restored = Session::restore(engine, bytes);
        ASSERT_TRUE(restored.ok());
        const RunState ended = restored.value()->resume(Datum());
        EXPECT_EQ(std::get<Outcome>(ended).value, std::to_string(i));
    }
}

TEST(Snapshot, GoesOnInsideOfEverything) {
    const Engine engine(host_tools());
    for (const char* source : {
             "(+ 1 (:x (tool/echo {:x (:x (tool/echo {:x 2}))})))",
             "(map (fn [x] (:x (tool/echo {:x x}))) (range 5))",
             "(reduce (fn [a x] (+ a (tool/add {:x a :y x}))) 0 [1 2 3])",
             "(loop [i 0 acc []] (if (< i 4) (recur (inc i) (conj acc (tool/add {:x i :y i}))) acc))",
             "(defn down [n] (if (= n 0) (tool/add {:x 1 :y 1}) (+ 1 (down (- n 1))))) (down 200)",
             "(sort-by (fn [x] (tool/add {:x (- x) :y 0})) [3 1 2])",
             "(doseq [x [1 2]] (println x (tool/echo {:x x})))",
             "(for [x [1 2] y [3 4]] (tool/add {:x x :y y}))",
             "(apply max (map (fn [k] (tool/add {:x k :y 1})) #{5 7 9}))",
             "(update {:a 1} :a (fn [x] (tool/add {:x x :y 10})))",
             "(let [f (fn [g] (g 3))] (f (fn [x] (tool/add {:x x :y x}))))",
             "(def inc (fn [x] (+ x 100))) (tool/pause {}) (inc 1)",
             "(let [k (:x (tool/echo {:x 2}))"
             "      f (fn f ([n] (f n [])) ([n acc] (if (> n k) acc (recur (inc n) (conj acc (tool/add {:x n :y "
             "k}))))))]"
             "  [(f 0) (map f [1 2])])",
             "(let [k (:x (tool/echo {:x 3}))]"
             "  (letfn [(a [n] (if (>= n k) [n k] (b (tool/add {:x n :y 1})))) (b [n] (map a [n k]))] (a 1)))",
             "(def a 1) (tool/pause {}) (def a 2) (tool/pause {}) (fail a)",
             "(tool/pause {}) (/ 1 (count (tool/echo {})))",
             "(tool/boom {})",
             "(return (tool/add {:x 1 :y 2}))",
             "(let [a (atom 0)] (try (swap! a + (tool/add {:x 1 :y 2})) (throw (ex-info \"no\" {})) (catch Exception e "
             "[@a "
             "(tool/add {:x 1 :y @a})]) (finally (tool/pause {}))))",
             "(map (fn [x] (try (/ 6 (tool/add {:x x :y -1})) (catch ArithmeticException e (tool/echo {:x x})))) [1 "
             "2])",
             "(try (tool/boom {}) (catch Exception e (tool/add {:x 1 :y 1})))",
             "(let [a (atom [])] (try (swap! a (fn [v] (tool/boom {}))) (catch Exception e nil)) (tool/pause {}) @a)",
             "(pmap (fn [x] (try (tool/boom {}) (catch Exception e (tool/add {:x x :y 1})))) [1 2])",
             "(take 3 (map (fn [x] (tool/add {:x x :y 1})) (iterate inc 5)))",
             "(filter (fn [u] (= (:id u) (:n (tool/echo {:n 2})))) (tool/users {}))",
             "(apply (fn [& more] (tool/pause {}) more) (range 40))",
             "(println \"before\") (tool/pause {}) (println \"after\") :done",
             "(print \"a\") (tool/pause {}) (println \"b\") (print \"c\") (tool/pause {})",
             "(with-out-str (print \"a\") (print (with-out-str (print \"b\") (tool/pause {}) (print \"c\"))) "
             "(tool/pause {}))",
             "(def *x* 1) (defn f [] (tool/add {:x *x* :y 0})) [(binding [*x* 5] (f)) (f)]",
             "(let [d (delay (tool/add {:x 1 :y 2}))] (tool/pause {}) [@d @d (realized? d)])",
             "(let [s (conj '(1 2) 0)] (tool/pause {}) [(conj s 9) (peek s) (conj (pop s) 7)])",
             "(let [s (reduce conj '() (range 100)) t (conj s :a)] (tool/pause {}) [(peek (conj s 9)) (conj (rest t) "
             ":b) (count t)])",
             "(let [q (into clojure.lang.PersistentQueue/EMPTY (range 50)) e (pop (conj "
             "clojure.lang.PersistentQueue/EMPTY 1))]"
             "  (tool/pause {}) [(peek q) (last (conj q :z)) (peek (conj e 7 8))])",
             "(let [m (sorted-map-by > 1 :a 3 :c) s (into (sorted-set-by >) (range 60))]"
             "  (tool/pause {}) [(keys (assoc m 2 :b)) (first (conj s 99)) (take 2 (disj s 59))])",
             // A view that was edited: what the next edit costs depends on the room around it and on how many there
             // were.
             "(let [s (into (sorted-set) (range 900)) x (first s) s (conj (disj s x) 1000)] (tool/pause {}) [(conj s "
             "1001) x])",
             "(let [s (into (sorted-set) (range 900)) x (first s) s (disj s x)] (tool/pause {}) [(count (conj s -1)) "
             "x])",
             "(let [m (into (sorted-map) (map (fn [i] [i i]) (range 300))) x (first m) m (reduce dissoc m (range 40 "
             "90))]"
             "  (tool/pause {}) [(first (reduce dissoc m (range 30))) x])",
             "(let [m (into (sorted-map-by (fn [a b] (> (mod a 5) (mod b 5)))) (map (fn [x] [x x]) (range 5)))]"
             "  (tool/pause {}) [(keys m) (keys (assoc m 3 0)) (keys (dissoc m 4))])",
             "(let [by (let [n 5] (fn [a b] (compare (mod a n) (mod b n)))) s (into (sorted-set-by by) [3 6])]"
             "  (tool/pause {}) [(vec (conj s 7 4)) (vec s) (subseq s > 11)])",
             "(let [m (sorted-map-by (fn [a b] (do (tool/pause {}) (compare b a))) 1 :a)] (keys (assoc m 2 :b)))",
             "(defn f [s] (take 2 (map (fn [x] (tool/add {:x x :y 1})) s))) [(f (iterate inc 1)) (f [5 6 7])]",
             "(reduce-kv (fn [a k v] (tool/pause {}) (+ a v)) 0 {:a 1 :b 2})",
             "(defrecord P [a]) (defrecord Q [a]) (defrecord E []) (let [p (->P 1) xs [(assoc (->Q 2) :z 3) (->E) p]]"
             "  (tool/pause {}) [(map (fn [x] [x (instance? P x) (instance? Q x) (instance? E x)]) xs) (assoc p :b "
             "1)])",
             "(def a-name-of-many-letters 1) (defn f [x] (tool/pause {}) (+ x a-name-of-many-letters)) (+ (f 1) (f 2))",
         })
        compare(engine, source, {}, 1);
}

TEST(Snapshot, GoesOnWithTheSameRandomNumbers) {
    EngineOptions options = host_tools();
    options.seed = 7;
    const Engine engine(std::move(options));
    compare(engine, "[(rand) (rand-int 100) (tool/pause {}) (rand) (shuffle (range 9)) (rand-nth [1 2 3])]", {}, 1);
    Session session(engine);
    const std::string once = session.run("[(rand) (rand 10) (random-sample 0.5 (range 9))]").value;
    EXPECT_EQ(session.run("[(rand) (rand 10) (random-sample 0.5 (range 9))]").value, once)
        << "every run begins with the seed";
    EXPECT_EQ(session.run("(let [xs (repeatedly 1000 #(rand-int 6))] (sort (distinct xs)))").value, "[0 1 2 3 4 5]");
    EXPECT_EQ(session.run("(= (sort (shuffle (range 100))) (range 100))").value, "true");
    EXPECT_FALSE(session.run("(pmap (fn [_] (rand)) [1 2])").ok());
}

TEST(Snapshot, OfBranches) {
    const Engine engine(host_tools());
    for (const char* source : {
             "(pmap (fn [x] (tool/add {:x x :y 1})) (range 30))",
             "(pmap (fn [x] (let [a (tool/add {:x x :y 1}) b (tool/add {:x a :y 1})] [x a b])) (range 12))",
             "(pcalls (fn [] (tool/pause {:a 1})) (fn [] 2) (fn [] (tool/pause {:a 3})))",
             "(def k 5) (pmap (fn [x] (def mine x) (tool/pause {}) (+ mine k)) (range 10))",
             "(pmap (fn [x] (pmap (fn [y] (tool/add {:x x :y y})) (range x))) (range 6))",
             "(pmap (fn [x] (if (= x 7) (tool/boom {}) (tool/pause {:x x}))) (range 10))",
             "(pmap (fn [x] (if (= x 4) (/ x 0) (tool/pause {:x x}))) (range 10))",
             "(let [d (fn [x] (pcalls (fn [] (tool/pause {:x x})) (fn [] (tool/echo {:y x}))))] (pmap d (range 5)))",
             "(+ 1 (count (pmap (fn [a b] (tool/add {:x a :y b})) [1 2 3] [4 5 6])))",
             "(map (fn [i] (pmap (fn [x] (tool/add {:x x :y i})) [1 2])) [1 2 3])",
         })
        compare(engine, source, {}, 1);
}

TEST(Snapshot, OfDataRefersToThem) {
    const Engine engine(host_tools());
    std::string json = "[";
    for (int i = 0; i < 100; ++i)
        json += std::string(i ? "," : "") + R"({"id":)" + std::to_string(i) + R"(,"name":"order )" + std::to_string(i) +
                R"(","lines":[1,2,)" + std::to_string(i) + "]}";
    const auto orders = DataSet::from_json("orders", json + "]").value();
    const auto other = DataSet::from_json(R"({"rate": 2})").value();
    const RunOptions options{.data = {orders, other}, .want_json = true};
    for (const char* source : {
             "(map (fn [o] (tool/add {:x (:id o) :y data/rate})) (take 5 data/orders))",
             "(let [o (first data/orders) late (assoc (second data/orders) :status \"late\")] (tool/pause {}) [o late "
             "(= o (first data/orders))])",
             "(def kept (drop 290 data/orders)) (def by-id (into {} (map (fn [o] [(:id o) o]) kept))) (tool/pause {}) "
             "(get by-id 291)",
             "(let [xs (subvec data/orders 10 250)] (tool/pause {}) (sum-by :id xs))",
         })
        compare(engine, source, options, 1);
    Session session(engine);
    ASSERT_TRUE(std::holds_alternative<Suspended>(
        session.start("(let [o (vec (drop 9 data/orders))] (tool/pause {}) (count o))", options)));
    EXPECT_LT(session.save().value().size(), json.size() / 2);
}

TEST(Snapshot, OfWhatPreludesHave) {
    const Engine engine(host_tools({{"p.ptc", R"((ns p "Things of every kind.")
        (def day (LocalDate/parse "2024-02-29"))
        (def adder (let [k (count [1 2])] (fn [x] (+ x k))))
        (def some (range 5))
        (def inner {:f (fn [x] [x]) :m {:deep #{1 2 3}}})
        (defn twice [f x] (f (f x)))
        (defn ask [x] (let [g (fn [y] [x y])] (tool/pause {:x x}) (g 1))))"}}));
    ASSERT_TRUE(engine.problems().empty()) << engine.problems()[0].message;
    for (const char* source : {
             "(let [d p/day] (tool/pause {}) [d (= d p/day)])",
             "(let [a p/adder f (:f p/inner)] (tool/pause {}) [(a 1) (f 2) (p/twice a 3)])",
             "(def kept [p/some (:m p/inner) p/twice]) (tool/pause {}) (conj kept p/some)",
             "(def g (fn [x] [p/day x])) (p/ask (p/twice (fn [x] (tool/add {:x x :y 1})) 5))",
         })
        compare(engine, source, {}, 1);
    auto session = std::make_unique<Session>(engine);
    ASSERT_TRUE(session->run("(def all [p/day p/adder p/some p/inner (fn [] p/day)])").ok());
    save_and_restore(engine, session);
    EXPECT_EQ(session->run("[((nth all 1) 40) (= (nth all 3) p/inner) (= p/day ((nth all 4)))]").value,
              "[42 true true]");
}

TEST(Snapshot, BetweenRunsHoldsWhatIsNotGivenAgain) {
    const Engine engine(host_tools());
    const RunOptions options{
        .data = {DataSet::from_json("orders", R"([{"id":1,"tags":["a","b"]},{"id":2,"tags":[]}])").value()}};
    for (const bool given_again : {false, true}) {
        auto session = std::make_unique<Session>(engine);
        ASSERT_TRUE(session
                        ->run("(def all data/orders) (def one (first all)) (def by (group-by :id all)) (def f (fn [x] "
                              "[x one])) all",
                              options)
                        .ok());
        save_and_restore(engine, session, given_again ? options : RunOptions());
        const Outcome after = session->run("[*1 all one by (f 3) (= one (first all))]");
        EXPECT_EQ(
            after.value,
            R"([[{"id" 1 "tags" ["a" "b"]} {"id" 2 "tags" []}] [{"id" 1 "tags" ["a" "b"]} {"id" 2 "tags" []}] {"id" 1 "tags" ["a" "b"]} {1 [{"id" 1 "tags" ["a" "b"]}] 2 [{"id" 2 "tags" []}]} [3 {"id" 1 "tags" ["a" "b"]}] true])");
        EXPECT_EQ(session->names(), (std::vector<std::string>{"all", "by", "f", "one"}));
        save_and_restore(engine, session);
        EXPECT_EQ(session->run("(f (count all))").value, R"([2 {"id" 1 "tags" ["a" "b"]}])");
    }
}

TEST(Session, WithoutATimeLimitGoesOnAfterItWaited) {
    const Engine engine(host_tools()); // whose timeout is none
    Session session(engine);
    ASSERT_TRUE(std::holds_alternative<Suspended>(session.start("(tool/pause {}) (reduce + (range 100000))")));
    EXPECT_EQ(std::get<Outcome>(session.resume(Datum())).value, "4999950000");
}

TEST(Session, KeepsTheCodeOfAFunctionThatIsItsLastResult) {
    const Engine engine(host_tools());
    Session session(engine);
    ASSERT_TRUE(session.run("(fn [x] [x \"text\"])").ok());
    EXPECT_EQ(session.run("(*1 5)").value, "[5 \"text\"]");
}

TEST(Snapshot, OfTheLanguagesTests) {
    const auto root = std::filesystem::path(PTC_TEST_DATA) / "language";
    std::map<std::filesystem::path, std::unique_ptr<Engine>> engines;
    std::size_t programs = 0;
    for (const auto& file : test::files_below(root, ".ptc")) {
        std::unique_ptr<Engine>& engine = engines[file.parent_path()];
        if (!engine) {
            std::vector<PreludeSource> preludes;
            for (const auto& prelude : test::files_below(file.parent_path(), ".prelude"))
                preludes.push_back({prelude.filename().string(), test::read_whole(prelude)});
            EngineOptions options = host_tools();
            options.limits = Limits{.fuel = 2'000'000, .timeout = {}}; // a deadline is met at different places
            if (file.parent_path() != root) options.preludes = preludes;
            engine = std::make_unique<Engine>(options);
        }
        for (const test::LanguageCase& c : test::read_language_file(file)) {
            SCOPED_TRACE(file.string() + ":" + std::to_string(c.line) + "\n" + c.source);
            auto straight = std::make_unique<Session>(*engine), saved = std::make_unique<Session>(*engine);
            expect_same(run_through(*engine, straight, c.source, {}, false).outcome,
                        run_through(*engine, saved, c.source, {}, true).outcome);
            save_and_restore(*engine, saved);
            ASSERT_EQ(straight->names(), saved->names());
            const std::string next = "(let [before *1 now (tool/pause {})] [before *2 now])";
            expect_same(run_through(*engine, straight, next, {}, false).outcome,
                        run_through(*engine, saved, next, {}, true).outcome);
            for (const std::string& name : straight->names())
                EXPECT_EQ(straight->value_text(name), saved->value_text(name));
            ++programs;
        }
    }
    EXPECT_GT(programs, 500u);
}

/// Under the least heap in which it waits for its tool: whether it goes on from its bytes in the same.
void expect_to_fit_again(const Engine& engine, const std::string& source) {
    SCOPED_TRACE(source.substr(0, 80));
    RunOptions options;
    options.limits.emplace().timeout = {};
    const ProgramPtr program = engine.compile(source).program;
    ASSERT_TRUE(program);
    const auto waits = [&](Session& session, std::uint64_t bytes) {
        options.limits->heap_bytes = bytes;
        return std::holds_alternative<Suspended>(session.start(program, options));
    };
    std::uint64_t least = std::uint64_t{16} << 20;
    for (std::uint64_t too_small = 0, middle; least - too_small > 1;) {
        Session session(engine);
        middle = too_small + (least - too_small) / 2;
        (waits(session, middle) ? least : too_small) = middle;
    }
    Session session(engine);
    ASSERT_TRUE(waits(session, least));
    const auto restored = Session::restore(engine, session.save().value(), options);
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    EXPECT_EQ(restored.value()->waiting()->calls.size(), session.waiting()->calls.size());
}

// What only reading needs (a stack, what was read already) is no part of the heap.
TEST(Snapshot, OfARunFitsIntoTheHeapInWhichTheRunDid) {
    const Engine engine({.tools = {{.name = "pause"}}, .warnings = false, .threads = 0, .tool_threads = 0});
    for (const auto& [depth, items] : {std::pair(0, "[]"), {1, "[1 2 3]"}, {5, "[1 2]"}, {75, "[1]"}}) {
        std::string source = "(tool/pause {})";
        for (int i = 0; i < depth; ++i)
            source = "(pmap (fn [_] " + source + ") " + items + ")";
        expect_to_fit_again(engine, source);
    }
    for (const char* value : {"(mapv vector (range 500))", "(reduce (fn [m i] {:k m}) {} (range 100))",
                              "(let [v [1 2 3]] (vec (repeat 300 v)))", "(zipmap (map str (range 200)) (range 200))"})
        expect_to_fit_again(engine, "(let [x " + std::string(value) + "] (tool/pause {}) (count x))");
}

/// What dies when the time of a run is over is given back by the next one: its maps have the shapes of a program that
/// nobody has any more.
TEST(Session, GivesBackWhatDiedLateBehindItsProgram) {
    const Engine engine;
    Session session(engine);
    RunOptions options;
    options.limits = Limits{.fuel = 60'000, .timeout = {}};
    for (int round = 0; round < 3; ++round) {
        const Outcome late = session.run("(loop [v []] (recur (conj v {:a (count v) :b 2})))", options);
        ASSERT_TRUE(late.error);
        EXPECT_EQ(late.error->reason, Reason::FuelExhausted);
        if (round == 1) EXPECT_EQ(session.run("(+ 1 2)").value, "3");
    }
    session.clear();
    EXPECT_EQ(session.run("{:a 1}").value, "{:a 1}");
}

} // namespace
} // namespace ptc
