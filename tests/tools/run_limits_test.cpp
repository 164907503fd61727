// The limits matrix of runs: every program below at every entry point of a run, under every limit that runs have. The
// edge is what the program needs: there it works; one beyond it ends with the limit's own reason, and the session
// answers the next form for the fuel and the bytes that it always takes. Nothing waits: a deadline is one that the fuel
// reaches (Limits::timeout_after_fuel), an interrupt one that came before. text_limits_test.cpp has the limits of what
// is read and written.
#include "frontend/work.h"
#include "subagent/engine/engine_impl.h"
#include "tests/support/temporary_folder.h"
#include "tools/program_source.h"
#include "vm/program_file.h"
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <ptc/ptc.h>

namespace ptc {
namespace {

const Engine& engine() {
    static const Engine made([] {
        const auto text_of_length = [](const Datum& arguments) -> Result<Datum> {
            std::int64_t n = 0;
            (void)arguments.find("n")->to_int64(&n);
            return Datum(std::string(static_cast<std::size_t>(n), 'x'));
        };
        EngineOptions options;
        options.tools.push_back({.name = "pause"}); // the host answers
        options.tools.push_back(
            {.name = "echo", .function = [](const Datum& arguments) -> Result<Datum> { return arguments; }});
        options.tools.push_back({.name = "text", .function = text_of_length});
        options.warnings = false;
        options.threads = 0;
        options.tool_threads = 0;
        return options;
    }());
    return made;
}

Limits lax() {
    Limits limits;
    limits.timeout = {};
    return limits;
}

RunOptions under(const Limits& limits, bool want_json = false) {
    RunOptions options;
    options.limits = limits;
    options.want_json = want_json;
    return options;
}

/// A way to run a program. `prepare` needs no limits.
struct Entry {
    const char* name;
    std::function<Outcome(Session& session, const std::string& source, const RunOptions& options)> run;
    bool is_parallel = false;
};

Outcome finished(RunState state) {
    EXPECT_TRUE(std::holds_alternative<Outcome>(state));
    return std::holds_alternative<Outcome>(state) ? std::move(std::get<Outcome>(state)) : Outcome();
}

Outcome run_source(Session& session, const std::string& source, const RunOptions& options) {
    return session.run(source, options);
}

/// The program after a tool call that the host answers, in this session or in one restored from its bytes.
Outcome run_answered(Session& session, const std::string& source, const RunOptions& options, bool is_restored) {
    RunState state = session.start("(tool/pause {}) " + source, options);
    if (!std::holds_alternative<Suspended>(state)) return finished(std::move(state)); // a limit came before it
    if (!is_restored) return finished(session.resume(Datum(1)));
    const Result<std::string> bytes = session.save();
    session.abandon();
    Result<std::unique_ptr<Session>> restored = Session::restore(engine(), bytes.value(), options);
    if (restored.ok()) return finished(restored.value()->resume(Datum(1)));
    Outcome outcome;
    outcome.kind = Outcome::Kind::Error;
    outcome.error = restored.error();
    return outcome;
}

/// The program as it is in a file of bytecode.
ProgramPtr from_bytecode(const ProgramPtr& program) {
    const EngineImpl& impl = impl_of(engine());
    const FunctionResolver resolve = [&](std::string_view name, std::uint32_t arity) {
        return impl.find_function(name, arity);
    };
    return read_program(write_program(*program, impl.shared), resolve, impl.shared).value();
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        {"a sandbox of its own",
         [](Session&, const std::string& source, const RunOptions& options) { return engine().run(source, options); }},
        {"a session", run_source},
        {"a compiled program",
         [](Session& session, const std::string& source, const RunOptions& options) {
             return session.run(session.compile(source).program, options);
         }},
        {"bytecode",
         [](Session& session, const std::string& source, const RunOptions& options) {
             return session.run(from_bytecode(session.compile(source).program), options);
         }},
        {"behind a tool",
         [](Session& session, const std::string& source, const RunOptions& options) {
             return session.run("(tool/echo {:x 1}) " + source, options);
         }},
        {"behind an answer of the host",
         [](Session& session, const std::string& source, const RunOptions& options) {
             return run_answered(session, source, options, false);
         }},
        {"a restored session", [](Session& session, const std::string& source,
                                  const RunOptions& options) { return run_answered(session, source, options, true); }},
        {"a function of an earlier run",
         [](Session& session, const std::string& source, const RunOptions& options) {
             EXPECT_TRUE(session.run("(defn f [] " + source + ")").ok());
             return session.run("(f)", options);
         }},
        {"a try",
         [](Session& session, const std::string& source, const RunOptions& options) {
             return session.run("(try " + source + " (catch Exception e :caught) (finally 1))", options);
         }},
        {"a branch",
         [](Session& session, const std::string& source, const RunOptions& options) {
             return session.run("(count (pmap (fn [_] " + source + ") [1 2]))", options);
         },
         true},
    };
    return all;
}

/// What ordinary programs spend their work on; each takes several looks at the clock.
const char* const kPrograms[] = {
    "(reduce + (map inc (range 20000)))",
    "(count (sort (map - (range 3000))))",
    "(count (sort-by :k (map (fn [i] {:k (- i)}) (range 4000))))",
    "(count (group-by odd? (range 8000)))",
    "(count (re-seq #\"a+b\" (apply str (repeat 4000 \"aab\"))))",
    "(count (json/parse-string (json/generate-string (vec (range 9000)))))",
    "(count (json/write-str (map (fn [i] {:id i}) (range 4000))))",
    "(count (map (fn [i] (format \"%05d %s\" i :k)) (range 1500)))",
    "(count (clojure.string/join \",\" (map str (range 5000))))",
    "(count (str (reduce *' (range 1 700))))",
    "(count (frequencies (map (fn [i] (rem i 70)) (range 8000))))",
    "(loop [i 0 m {}] (if (< i 5000) (recur (inc i) (assoc m (rem i 90) i)) (count m)))",
    "((fn f [n] (if (= n 0) 0 (inc (f (dec n))))) 5000)",
    "(count (edn/read-string (pr-str (vec (range 6000)))))",
};

class RunLimits : public ::testing::Test {
protected:
    /// What a session keeps for all runs, tables of shapes for one, is there before anything is compared.
    RunLimits() {
        for (const Entry& entry : entries())
            (void)entry.run(session_, "(count (str {:x (range 9)} (tool/echo {:k 1})))", under(lax()));
        session_.clear();
        alone_ = next(session_);
    }

    static std::string next(Session& session) {
        session.clear();
        const Outcome outcome = session.run("(reduce + (map inc (range 100)))", under(lax()));
        session.clear();
        return outcome.value + " for " + std::to_string(outcome.usage.fuel) + " units and " +
               std::to_string(outcome.usage.peak_heap_bytes) + " bytes";
    }
    static std::string end_of(const Outcome& outcome) {
        return outcome.error ? std::string(reason_name(outcome.error->reason)) : "ok";
    }

    /// Runs it, and one that has nothing to do with it behind.
    Outcome run(const Entry& entry, const std::string& source, const RunOptions& options) {
        Outcome outcome = entry.run(session_, source, options);
        EXPECT_EQ(next(session_), alone_) << entry.name << ": " << source;
        return outcome;
    }
    void expect_edge(const Entry& entry, const std::string& source, const Limits& edge, const Limits& beyond,
                     const char* reason, bool want_json = false) {
        EXPECT_EQ(end_of(run(entry, source, under(edge, want_json))), "ok") << entry.name << ": " << source;
        EXPECT_EQ(end_of(run(entry, source, under(beyond, want_json))), reason) << entry.name << ": " << source;
    }
    using Set = void (*)(Limits& limits, std::uint64_t value);
    /// From `least` on, the smallest value with which it works: entries add calls, prints and iterations of their own.
    void expect_edge_near(const Entry& entry, const std::string& source, Set set, std::uint64_t least,
                          const char* reason) {
        Limits edge = lax(), beyond = lax();
        std::uint64_t value = least;
        for (set(edge, value); !run(entry, source, under(edge)).ok(); set(edge, ++value))
            ASSERT_LT(value, 3 * least) << entry.name << ": " << source;
        EXPECT_GT(value, least) << entry.name << ": " << source;
        set(beyond, value - 1);
        expect_edge(entry, source, edge, beyond, reason);
    }
    /// The smallest heap that it works in. What grows as far as it can, and branches, which have shares, do with less
    /// than they take.
    std::uint64_t needed_bytes(const Entry& entry, const std::string& source) {
        const auto works = [&](std::uint64_t bytes) {
            Limits limits = lax();
            limits.heap_bytes = bytes;
            return run(entry, source, under(limits)).ok();
        };
        std::uint64_t most = run(entry, source, under(lax())).usage.peak_heap_bytes, least = 0;
        if (entry.is_parallel) most = lax().heap_bytes;
        for (std::uint64_t middle = most - 1; most - least > 1; middle = least + (most - least) / 2)
            (works(middle) ? most : least) = middle;
        return most;
    }

    Session session_{engine()};
    std::string alone_;
};

TEST_F(RunLimits, Fuel) {
    for (const Entry& entry : entries()) {
        for (const char* source : kPrograms) {
            Limits edge = lax(), beyond = lax();
            edge.fuel = run(entry, source, under(lax())).usage.fuel;
            beyond.fuel = edge.fuel - 1;
            expect_edge(entry, source, edge, beyond, "fuel_exhausted");
        }
    }
}

TEST_F(RunLimits, Heap) {
    for (const Entry& entry : entries()) {
        for (const char* source : kPrograms) {
            Limits edge = lax(), beyond = lax();
            edge.heap_bytes = needed_bytes(entry, source);
            beyond.heap_bytes = edge.heap_bytes - 1;
            expect_edge(entry, source, edge, beyond, "memory_exceeded");
        }
    }
}

TEST_F(RunLimits, Deadline) {
    for (const Entry& entry : entries()) {
        for (const char* source : kPrograms) {
            Limits edge = lax(), beyond = lax();
            edge.timeout_after_fuel = run(entry, source, under(lax())).usage.fuel;
            beyond.timeout_after_fuel = 1;
            expect_edge(entry, source, edge, beyond, "timeout");
        }
    }
}

TEST_F(RunLimits, Interrupt) {
    for (const char* source : kPrograms) {
        for (const char* around : {"%", "(try % (catch Exception e 1))", "(count (pmap (fn [_] %) [1 2]))"}) {
            std::string text = around;
            text.replace(text.find('%'), 1, source);
            session_.interrupt();
            EXPECT_EQ(end_of(session_.run(text, under(lax()))), "interrupted") << text;
            EXPECT_EQ(next(session_), alone_) << text;
        }
    }
}

// A program that is wrong, so that only compiling can be what is interrupted.
TEST_F(RunLimits, InterruptWhileItCompiles) {
    std::string source;
    for (int i = 0; i < 2000; ++i)
        source += "(def x (map inc [1 2 3]))\n";
    source += "(no-such-name)";
    EXPECT_EQ(end_of(session_.run(source, under(lax()))), "unbound_var");
    session_.interrupt();
    EXPECT_EQ(end_of(session_.run(source, under(lax()))), "interrupted");
    EXPECT_EQ(end_of(session_.run(source, under(lax()))), "unbound_var");
    EXPECT_EQ(next(session_), alone_);
}

TEST_F(RunLimits, Depth) {
    for (const Entry& entry : entries())
        expect_edge_near(
            entry, "((fn f [n] (if (= n 0) 0 (inc (f (dec n))))) 50)",
            [](Limits& limits, std::uint64_t n) { limits.max_depth = static_cast<std::uint32_t>(n); }, 45,
            "depth_exceeded");
}

TEST_F(RunLimits, LoopIterations) {
    for (const Entry& entry : entries())
        expect_edge_near(
            entry, "(loop [i 0] (if (< i 20) (recur (inc i)) i))",
            [](Limits& limits, std::uint64_t n) { limits.max_loop_iterations = n; }, 15, "loop_limit_exceeded");
}

TEST_F(RunLimits, ToolCalls) {
    for (const Entry& entry : entries())
        expect_edge_near(
            entry, "(count (mapv (fn [i] (tool/echo {:x i})) (range 5)))",
            [](Limits& limits, std::uint64_t n) { limits.max_tool_calls = static_cast<std::uint32_t>(n); }, 4,
            "tool_calls_exceeded");
}

TEST_F(RunLimits, Digits) {
    Limits edge = lax(), beyond = lax();
    edge.max_digits = 30;
    beyond.max_digits = 29;
    for (const char* read : {"(bigint s)", "(json/parse-string s)", "(BigInteger. s)", "(edn/read-string s)"}) {
        for (const Entry& entry : entries())
            expect_edge(entry, "(let [s (apply str (repeat 30 \"9\"))] (count (str " + std::string(read) + ")))", edge,
                        beyond, "limit_exceeded");
    }
}

TEST_F(RunLimits, Prints) {
    for (const char* print : {"(dotimes [i 10] (println \"123456789\"))", "(dotimes [i 10] (print \"1234567890\"))",
                              "(count (with-out-str (dotimes [i 10] (prn 12345678.5))))"}) {
        for (const Entry& entry : entries()) {
            if (!entry.is_parallel) // branches print nothing
                expect_edge_near(
                    entry, print, [](Limits& limits, std::uint64_t n) { limits.max_print_bytes = n; }, 95,
                    "output_exceeded");
        }
    }
}

TEST_F(RunLimits, Results) {
    for (const Entry& entry : entries()) {
        if (entry.is_parallel) continue; // its result is a number
        for (const bool want_json : {false, true}) {
            for (const char* source : {"(vec (range 100))", "(apply str (repeat 300 \"x\"))", "{:a (repeat 60 :b)}",
                                       "[(tool/text {:n 300})]", "(let [v (vec (range 9))] [v v v v v])"}) {
                Limits edge = lax(), beyond = lax();
                const Outcome whole = run(entry, source, under(lax(), want_json));
                edge.max_result_bytes = std::max(whole.value.size(), whole.json ? whole.json->size() : 0);
                beyond.max_result_bytes = edge.max_result_bytes - 1;
                expect_edge(entry, source, edge, beyond, "limit_exceeded", want_json);
            }
        }
    }
}

// Texts that a value shares are there once in the heap, and each time in its text.
TEST_F(RunLimits, ResultsAreNoLongerThanTheHeapMayBe) {
    const char* source = "(let [t (apply str (repeat 100000 \"x\"))] (vec (repeat 30 t)))";
    for (const Entry& entry : entries()) {
        if (entry.is_parallel) continue;
        for (const bool want_json : {false, true}) {
            Limits edge = lax();
            const Outcome whole = run(entry, source, under(lax(), want_json));
            edge.heap_bytes = whole.value.size(); // three million, which the JSON has as well
            EXPECT_EQ(end_of(run(entry, source, under(edge, want_json))), "ok") << entry.name;
            --edge.heap_bytes;
            EXPECT_EQ(end_of(run(entry, source, under(edge, want_json))), "limit_exceeded") << entry.name;
        }
    }
}

// Of a text that is compiled and run, by a clock of the test's.
TEST(RunTime, IsThatOfCompilingAndRunningTogether) {
    using std::chrono::seconds;
    std::optional<Meter::Clock::time_point> deadline;
    EngineOptions options;
    options.tools.push_back(
        {.name = "look", .context_function = [&](const Datum&, const ToolContext& context) -> Result<Datum> {
             deadline = context.deadline;
             return Datum();
         }});
    const Engine timed(std::move(options));
    Meter::Clock::time_point now{};
    impl_of(timed).now = [&now] { return now += seconds(1); };
    RunOptions run;
    run.limits.emplace().timeout = seconds(100);
    const Outcome outcome = timed.run("(tool/look {})", run);
    EXPECT_TRUE(outcome.ok());
    EXPECT_EQ(deadline, Meter::Clock::time_point() + seconds(102));                   // compiling took one of three
    EXPECT_LE(outcome.usage.duration, now - Meter::Clock::time_point() - seconds(3)); // of the run alone
}

// `ptcc run` reads or compiles a file, and runs it with what is left.
TEST(RunTime, OfACommandIsForAllThatItDoes) {
    using std::chrono::milliseconds, std::chrono::seconds;
    const test::TemporaryFolder folder;
    std::ofstream(folder / "p.ptc") << "(+ 1 2)";
    const Engine timed(EngineOptions{.threads = 0});
    Meter::Clock::time_point now{};
    impl_of(timed).now = [&now] { return now += seconds(1); };
    Meter::Clock::duration took{};
    ASSERT_TRUE(load_program(timed, folder / "p.ptc", {.took = &took}).ok());
    EXPECT_GE(took, seconds(1));
    Limits limits;
    limits.timeout = seconds(3);
    EXPECT_EQ(rest_of(limits, seconds(1)).timeout, seconds(2));
    EXPECT_EQ(rest_of(limits, seconds(4)).timeout, milliseconds(1)); // none would be no limit
    limits.timeout = {};
    EXPECT_EQ(rest_of(limits, seconds(4)).timeout, milliseconds(0));
}

/// Slices of work (frontend/work.h) that a run takes beside its fuel: what is searched for a repair of its error.
std::size_t slices_of(const Engine& engine, const ProgramPtr& program, Reason reason, const Limits& limits) {
    std::size_t slices = 0;
    const work::Scope scope([&slices] {
        ++slices;
        return true;
    });
    const Outcome outcome = engine.run(program, under(limits));
    EXPECT_TRUE(outcome.error && outcome.error->reason == reason) << reason_name(reason);
    return slices;
}

/// So much to look at that a search for a repair does not come to its end.
ProgramPtr long_program(const Engine& engine, const std::string& end) {
    std::string source = "(do [";
    for (int i = 0; i < 100'000; ++i)
        source += ":k ";
    const Compiled compiled = engine.compile(source + "] " + end + ")");
    EXPECT_TRUE(compiled);
    return compiled.program;
}

TEST(RunTime, NoRepairIsSearchedForWhatNoEditMends) {
    const ProgramPtr endless = long_program(engine(), "(loop [v []] (recur (conj v (str v))))");
    Limits late = lax(), small = lax();
    late.timeout_after_fuel = 1;
    small.heap_bytes = 1u << 20;
    EXPECT_LE(slices_of(engine(), endless, Reason::Timeout, late), 1u);
    EXPECT_LE(slices_of(engine(), endless, Reason::MemoryExceeded, small), 1u);
    EXPECT_GT(slices_of(engine(), long_program(engine(), "(+ 1 :a)"), Reason::TypeError, lax()), 100u);
}

TEST(RunTime, LittleIsSearchedForARepairWhenItIsOver) {
    const Engine timed(EngineOptions{.threads = 0});
    Limits limits = lax();
    const ProgramPtr program = long_program(timed, "(+ 1 :a)");
    impl_of(timed).now = [] { return Meter::Clock::time_point::max(); };
    EXPECT_GT(slices_of(timed, program, Reason::TypeError, limits), 100u); // without a limit
    limits.timeout = std::chrono::hours(1);
    const std::size_t slices = slices_of(timed, program, Reason::TypeError, limits);
    EXPECT_GT(slices, 30u);
    EXPECT_LT(slices, 50u);
}

std::string nested(std::size_t levels) { return "(reduce (fn [v _] [v]) 1 (range " + std::to_string(levels) + "))"; }

// What is printed may be deeper: nothing reads it level by level.
TEST_F(RunLimits, LevelsOfJson) {
    for (const Entry& entry : entries()) {
        if (entry.is_parallel) continue;
        for (const char* around : {"%", "(return %)", "[(json/generate-string %)]"}) {
            std::string edge = around, beyond = around;
            const bool is_text = edge.front() == '[';
            edge.replace(edge.find('%'), 1, nested(512));
            beyond.replace(beyond.find('%'), 1, nested(513));
            EXPECT_EQ(end_of(run(entry, edge, under(lax(), true))), "ok") << entry.name << ": " << edge;
            EXPECT_EQ(end_of(run(entry, beyond, under(lax(), true))), is_text ? "ok" : "limit_exceeded") << entry.name;
            EXPECT_EQ(end_of(run(entry, beyond, under(lax(), false))), "ok") << entry.name;
        }
        EXPECT_EQ(end_of(run(entry, nested(100'000), under(lax(), true))), "limit_exceeded") << entry.name;
    }
}

// An error's message is as long as the text of a result may be, as JSON; one that is longer is cut, and says so.
TEST_F(RunLimits, Messages) {
    struct Row {
        const char* character; ///< as a literal
        std::size_t json_bytes;
        std::size_t bytes;
    };
    for (const Entry& entry : entries()) {
        if (entry.is_parallel || std::string_view(entry.name) == "a try") continue; // which catches it
        for (const Row& row : {Row{"x", 1, 1}, Row{"\\u0001", 6, 1}, Row{"\\n", 2, 1}, Row{"ä", 2, 2}}) {
            for (const std::size_t limit : {std::size_t{1}, std::size_t{4096}, std::size_t{60'000}}) {
                const std::size_t most = std::max<std::size_t>(limit, 4096);
                Limits limits = lax();
                limits.max_result_bytes = limit;
                const auto message = [&](std::size_t n) {
                    const Outcome outcome = run(entry,
                                                "(throw (Exception. (apply str (repeat " + std::to_string(n) + " \"" +
                                                    row.character + "\"))))",
                                                under(limits));
                    return outcome.error && outcome.error->reason == Reason::RuntimeError ? outcome.error->message : "";
                };
                const std::size_t edge = most / row.json_bytes;
                EXPECT_EQ(message(edge).size(), edge * row.bytes) << entry.name << row.character;
                const std::string cut = message(edge + 1);
                const std::string said = "… (" + std::to_string((edge + 1) * row.bytes) + " bytes in all)";
                EXPECT_TRUE(cut.ends_with(said))
                    << entry.name << cut.substr(cut.size() - std::min<std::size_t>(cut.size(), 60));
                EXPECT_LE(Datum(cut).to_json().size(), most + 2) << entry.name << row.character;
                EXPECT_GE(Datum(cut).to_json().size(), most - 64) << entry.name << row.character;
            }
        }
    }
}

// What a tool or the host answers is in the run's heap, and on its record.
TEST_F(RunLimits, AnswersCountAsMemory) {
    for (const Entry& entry : entries()) {
        if (entry.is_parallel) continue;
        const std::string source = "(count (tool/text {:n 100000}))";
        Limits edge = lax(), beyond = lax();
        edge.heap_bytes = run(entry, source, under(lax())).usage.peak_heap_bytes;
        EXPECT_GT(edge.heap_bytes, 200'000u) << entry.name;
        beyond.heap_bytes = edge.heap_bytes - 1;
        expect_edge(entry, source, edge, beyond, "memory_exceeded");
    }
}

// What a session holds between runs is in the heap of the next one, and what a host defines.
TEST_F(RunLimits, MemoryOfASession) {
    Session session(engine());
    ASSERT_TRUE(session.define("text", Datum(std::string(100'000, 'x'))).ok());
    ASSERT_TRUE(session.run("(def more (vec (range 10000)))", under(lax())).ok());
    Limits edge = lax(), beyond = lax();
    edge.heap_bytes = session.run("(+ 1 2)", under(lax())).usage.peak_heap_bytes;
    EXPECT_GT(edge.heap_bytes, 180'000u);
    beyond.heap_bytes = edge.heap_bytes - 1;
    EXPECT_EQ(end_of(session.run("(+ 1 2)", under(edge))), "ok");
    EXPECT_EQ(end_of(session.run("(+ 1 2)", under(beyond))), "memory_exceeded");
    session.clear();
    EXPECT_EQ(end_of(session.run("(+ 1 2)", under(beyond))), "ok");
}

// What a session holds of names: as many as a program may have. One that is full answers what defines no others.
TEST_F(RunLimits, NamesOfASession) {
    Limits few = lax();
    few.max_symbols = 20;
    Session session(engine());
    const auto defined = [&](std::size_t from, std::size_t to) {
        std::string source;
        for (std::size_t i = from; i < to; ++i)
            source += "(def name" + std::to_string(i) + " 1) ";
        return end_of(session.run(source, under(few)));
    };
    EXPECT_EQ(defined(0, 12), "ok");
    EXPECT_EQ(defined(12, 21), "limit_exceeded");
    EXPECT_EQ(defined(12, 20), "ok");
    EXPECT_EQ(defined(20, 21), "limit_exceeded");
    for (const char* source : {"(let [x (count \"ab\")] (fn [y] (+ x y)))", "(def name3 (inc name4))",
                               "((fn f [n] (if (= n 0) name19 (f (dec n)))) 5)"})
        EXPECT_EQ(end_of(session.run(source, under(few))), "ok") << source;
    few.max_symbols = 10; // less than the session has
    EXPECT_EQ(end_of(session.run("(let [x name3] (+ x name19))", under(few))), "ok");
    EXPECT_EQ(defined(20, 21), "limit_exceeded");
    session.clear();
    EXPECT_EQ(defined(0, 10), "ok");
}

// Names that are longer than usual are in the heap, as long as the session has them.
TEST_F(RunLimits, LongNamesCountAsMemory) {
    const std::string define = "(def " + std::string(100'000, 'n') + " 1) 1";
    const std::uint64_t before = session_.run("1", under(lax())).usage.peak_heap_bytes;
    const std::uint64_t needed = session_.run(define, under(lax())).usage.peak_heap_bytes;
    EXPECT_GE(needed, before + 100'000);
    EXPECT_GE(session_.run("1", under(lax())).usage.peak_heap_bytes, before + 100'000);
    EXPECT_GT(session_.save().value().size(), 100'000u);
    const auto restored = Session::restore(engine(), session_.save().value());
    EXPECT_GT(restored.value()->run("1", under(lax())).usage.peak_heap_bytes, 100'000u);
    session_.clear();
    EXPECT_EQ(session_.run("1", under(lax())).usage.peak_heap_bytes, before);
    Limits edge = lax(), beyond = lax();
    edge.heap_bytes = needed;
    beyond.heap_bytes = needed - 1;
    EXPECT_EQ(end_of(session_.run(define, under(beyond))), "memory_exceeded");
    EXPECT_EQ(session_.run("1", under(lax())).usage.peak_heap_bytes, before);
    EXPECT_EQ(end_of(session_.run(define, under(edge))), "ok");
    session_.clear();
    ASSERT_TRUE(session_.define(std::string(100'000, 'm'), Datum(1)).ok());
    EXPECT_GE(session_.run("1", under(lax())).usage.peak_heap_bytes, before + 100'000);
    session_.undefine(std::string(100'000, 'm'));
    EXPECT_EQ(session_.run("1", under(lax())).usage.peak_heap_bytes, before);
    EXPECT_EQ(next(session_), alone_);
}

// A run that failed, or that the host takes back, leaves no name, of which nobody would see how many there are.
TEST_F(RunLimits, NamesOfARunThatFailedAreGone) {
    const std::uint64_t before = session_.run("1", under(lax())).usage.peak_heap_bytes;
    for (const bool is_taken_back : {false, true}) {
        for (int run = 0; run < 3; ++run) {
            const std::string source = "(def name-" + std::string(1000, 'n') + std::to_string(run) + " 1) ";
            RunOptions options = under(lax());
            options.may_undo = is_taken_back;
            EXPECT_EQ(end_of(session_.run(source + (is_taken_back ? "1" : "(throw (Exception. \"x\"))"), options)),
                      is_taken_back ? "ok" : "runtime_error");
            if (is_taken_back) session_.settle(false);
            EXPECT_EQ(session_.run("1", under(lax())).usage.peak_heap_bytes, before);
        }
    }
}

// What is outside of 1 to 64 counts as the nearest of them.
TEST_F(RunLimits, ParallelLanes) {
    const auto used = [&](std::uint32_t lanes) {
        Limits limits = lax();
        limits.parallel_lanes = lanes;
        const Outcome outcome =
            session_.run("(count (pmap (fn [i] (count (vec (range (* 10 i))))) (range 100)))", under(limits));
        EXPECT_EQ(outcome.value, "100") << lanes;
        EXPECT_EQ(next(session_), alone_) << lanes;
        return std::pair(outcome.usage.fuel, outcome.usage.peak_heap_bytes);
    };
    EXPECT_EQ(used(0), used(1));
    EXPECT_NE(used(1), used(2));
    EXPECT_NE(used(63), used(64));
    EXPECT_EQ(used(64), used(65));
    EXPECT_EQ(used(64), used(UINT32_MAX));
}

} // namespace
} // namespace ptc
