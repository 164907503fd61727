// Memory that the system refuses. Each allocation of C++ objects that some work makes (reading, compiling, running,
// values for hosts, snapshots, missions) fails once: what is promised is that std::bad_alloc comes out, or an error, or
// the result; that nothing leaks (the address sanitizer looks); and that the engine goes on as if nothing had happened.
// A heap's own limit is another matter: tests/vm/fail_loop_test.cpp.
#include "tests/subagent/missions.h"
#include "tools/mcp/workers.h"
#include <cstdlib>
#include <functional>
#include <latch>
#include <new>

namespace {

// Of this thread: how many more allocations work; negative: all. One fails, then all work again.
thread_local std::int64_t working = -1;
thread_local bool has_failed = false;

void* take(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    if (working >= 0 && working-- == 0) {
        has_failed = true;
        throw std::bad_alloc();
    }
    void* memory = alignment > alignof(std::max_align_t)
                       ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                       : std::malloc(bytes ? bytes : 1);
    if (!memory) std::abort();
    return memory;
}

} // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void* operator new[](std::size_t bytes) { return take(bytes); }
void* operator new(std::size_t bytes, std::align_val_t a) { return take(bytes, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return take(bytes, static_cast<std::size_t>(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { // sorting asks for room like this
    try {
        return take(bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& n) noexcept { return operator new(bytes, n); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace ptc {
namespace {

/// `work` again and again, each time with another allocation that fails: all of the first thousand, then some. `check`
/// looks after each at what must still be so.
void with_every_failure(const std::function<void()>& work, const std::function<void()>& check) {
    work(); // what is made once, and by all, is there
    int failures = 0;
    for (std::int64_t n = 0;; n += n < 1000 ? 1 : 1 + n / 100) {
        has_failed = false;
        working = n;
        try {
            work();
        } catch (const std::bad_alloc&) {
        }
        working = -1;
        check();
        if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) {
            FAIL() << "at allocation " << n;
        }
        if (!has_failed) break;
        ++failures;
    }
    EXPECT_GT(failures, 20) << "too little was tried";
}

EngineOptions on_this_thread() { return {.threads = 0, .tool_threads = 0}; }

void goes_on(const Engine& engine) { EXPECT_EQ(engine.run("(+ 1 2)").value, "3"); }

TEST(AllocationFaults, Compiling) {
    const Engine engine(on_this_thread());
    with_every_failure(
        [&] {
            const Compiled compiled =
                engine.compile("(defn total [xs] (reduce + (map :amount xs)))\n"
                               "(let [{:keys [a b] :or {b 2}} data/row] (str a b (total data/xs)))");
            EXPECT_TRUE(compiled);
        },
        [&] { goes_on(engine); });
}

TEST(AllocationFaults, FindingAndMendingMistakes) {
    const Engine engine(on_this_thread());
    with_every_failure([&] { EXPECT_FALSE(engine.compile("(let [x (fitler odd? [1 2)] (prinln x (+ 1 \"a\")))")); },
                       [&] { goes_on(engine); });
}

TEST(AllocationFaults, Running) {
    const Engine engine(on_this_thread());
    const auto data =
        DataSet::from_json(R"({"rows": [{"k": "a", "n": 1}, {"k": "b", "n": 2}, {"k": "a", "n": 3}]})").value();
    const Compiled compiled = engine.compile(
        "(println (count data/rows)) (pmap inc [1 2 3]) (re-seq #\"a+\" \"aabab\") (try (throw (ex-info \"x\" {})) "
        "(catch Exception e 1)) (into {} (map (fn [[k rs]] [k (reduce + (map :n rs))]) (group-by :k data/rows)))");
    ASSERT_TRUE(compiled);
    with_every_failure(
        [&] { (void)engine.run(compiled.program, {.data = {data}, .want_json = true, .want_datum = true}); },
        [&] { goes_on(engine); });
}

TEST(AllocationFaults, FailingRuns) {
    const Engine engine(on_this_thread());
    with_every_failure([&] { EXPECT_FALSE(engine.run("(defn f [x] (+ x nil)) (map f [1 2])").ok()); },
                       [&] { goes_on(engine); });
}

TEST(AllocationFaults, SessionsAndSnapshots) {
    const Engine engine(
        {.tools = {{.name = "ask", .signature = "(q :string) -> :int"}}, .threads = 0, .tool_threads = 0});
    with_every_failure(
        [&] {
            Session session(engine);
            (void)session.run("(def seen {:a [1 2 3] \"b\" #{4}})");
            RunState state = session.start("(+ (count seen) (tool/ask {:q \"how many\"}))");
            if (!std::holds_alternative<Suspended>(state)) return;
            const Result<std::string> bytes = session.save();
            if (!bytes.ok()) return;
            const Result<std::unique_ptr<Session>> other = Session::restore(engine, bytes.value());
            if (other.ok()) (void)other.value()->resume(Datum(40));
        },
        [&] { goes_on(engine); });
}

TEST(AllocationFaults, ValuesOfHosts) {
    const Engine engine(on_this_thread());
    with_every_failure(
        [&] {
            const Result<Datum> datum =
                Datum::from_json(R"({"a": [1, 2.5, null, "text", {"b": 123456789012345678901}]})");
            if (datum.ok()) (void)DataSet::from_datum(datum.value());
            if (datum.ok()) (void)datum.value().to_json();
            (void)parse_signature("(a :string, b [{id :int}]) -> {n :int, tags? [:string]}");
        },
        [&] { goes_on(engine); });
}

TEST(AllocationFaults, Missions) {
    const AgentPtr made = agent({.prompt = "Count {{n}}.", .signature = "(n :int) -> :int"});
    with_every_failure(
        [&] {
            const Step step = made->run(
                programs({"(def x (range data/n)) (println x)", "(fitler odd? x)", "(return (count x))"}).llm(),
                json(R"({"n": 3, "_key": "hunter2-password"})"));
            EXPECT_TRUE(!step.ok || step.value == Datum(3)) << step.value.to_json();
        },
        [&] { EXPECT_EQ(made->run(programs({"(return 1)"}).llm(), json(R"({"n": 3})")).value, Datum(1)); });
}

/// Whether exactly two of its works can be at it at once.
void has_room_for_two(mcp::Workers& workers) {
    struct Counts {
        std::latch both{2}, done{4};
        std::atomic<int> at_work{0}, most{0};
    };
    const auto counts = std::make_shared<Counts>();
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(workers.run({.run = [counts, waits = i < 2] {
            const int now = ++counts->at_work;
            for (int seen = counts->most; seen < now && !counts->most.compare_exchange_weak(seen, now);) {
            }
            if (waits) counts->both.arrive_and_wait();
            --counts->at_work;
            counts->done.count_down();
        }}));
    }
    counts->done.wait();
    EXPECT_EQ(counts->most, 2);
}

TEST(AllocationFaults, WorkersOfAServer) {
    const mcp::ClientName owner{.address = "an owner with a name that needs memory", .session = "and so has this one"};
    for (std::int64_t n = 0; n < 30; ++n) {
        std::atomic<int> ran{0}, taken{0};
        mcp::Workers workers({.at_work = 2, .waiting = 8, .standing = 4});
        for (int i = 0; i < 3; ++i) {
            working = n;
            try {
                mcp::Workers::Work work{.run =
                                            [&, n] {
                                                mcp::Workers::Place place(workers, owner);
                                                working = n % 6;
                                                place.leave();
                                                place.come_back({});
                                                working = -1;
                                                ++ran;
                                                ran.notify_one();
                                            },
                                        .owner = owner};
                taken += workers.run(std::move(work)) ? 1 : 0;
            } catch (const std::bad_alloc&) {
            }
            working = -1;
        }
        for (int seen = ran; seen < taken; seen = ran)
            ran.wait(seen);
        ASSERT_EQ(ran, taken) << "at allocation " << n;
        has_room_for_two(workers);
        if (HasFatalFailure()) FAIL() << "at allocation " << n;
    }
}

} // namespace
} // namespace ptc
