// How long work goes on behind its deadline, in CPU time of its thread: native functions with hostile arguments
// (tests/support/hostile_calls.h), instructions of the machine in a loop without an end (hostile_programs.h), and what
// is done outside of programs (host_steps.h, with the sources of hostile_sources.h too).
//   overshoot calls [NAME] | programs [TEXT] | steps [NAME]   the rows, longest first, as lines of CPU milliseconds
//   behind the
//                                                      deadline, the deadline in milliseconds, and a name, with tabs in
//                                                      between
// A deadline is of the wall's clock, and others use the machine: so a timer's signal comes to the thread at the
// deadline and writes down the CPU time that it has used until then. What is measured several times counts with its
// least, as noise only adds. bench/late makes OVERSHOOT.md of all.
#include "runtime/clock.h"
#include "tests/support/host_steps.h"
#include "tests/support/hostile_calls.h"
#include "tests/support/hostile_programs.h"
#include "tests/support/hostile_sources.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

namespace ptc {
namespace {

using std::chrono::milliseconds;

/// Work has phases, and each may be the one in which the deadline comes.
constexpr milliseconds kDeadlines[] = {milliseconds(50), milliseconds(25), milliseconds(12), milliseconds(6)};
constexpr int kRepeats = 5;
constexpr double kWorthRepeating = 1; ///< milliseconds

/// Nanoseconds of this thread's CPU.
std::int64_t cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::atomic<std::int64_t> cpu_at_deadline{0}; ///< 0 until the deadline
void note_cpu(int) { cpu_at_deadline = cpu_now(); }

/// A signal to this thread, once, when the deadline has come.
class Alarm {
public:
    Alarm() {
        struct sigaction action {};
        action.sa_handler = note_cpu;
        action.sa_flags = SA_RESTART;
        sigaction(SIGRTMIN, &action, nullptr);
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGRTMIN;
        event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
        timer_create(CLOCK_MONOTONIC, &event, &timer_);
    }
    ~Alarm() { timer_delete(timer_); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    void set(std::chrono::nanoseconds in) const {
        const itimerspec time{{}, {in.count() / 1'000'000'000, in.count() % 1'000'000'000}};
        timer_settime(timer_, 0, &time, nullptr);
    }

private:
    timer_t timer_{};
};

struct Measured {
    double beyond = 0; ///< milliseconds of CPU behind the deadline
    double all = 0;    ///< milliseconds of CPU
    milliseconds deadline{0};
};

/// `work(deadline)` counts the deadline from where it begins.
template <class Work> Measured measure_once(const Work& work, milliseconds deadline) {
    static const Alarm alarm;
    cpu_at_deadline = 0;
    alarm.set(deadline);
    const std::int64_t begin = cpu_now();
    work(deadline);
    const std::int64_t end = cpu_now();
    alarm.set(std::chrono::nanoseconds(0));
    const std::int64_t late = cpu_at_deadline;
    constexpr double kMillisecond = 1e6;
    return {late == 0 ? 0 : static_cast<double>(end - late) / kMillisecond,
            static_cast<double>(end - begin) / kMillisecond, deadline};
}

void nothing() {}

/// The deadline after which it goes on longest; for each the least of several, as long as that is more than
/// `interesting`. What ends before a deadline does so before later ones. `between` is not measured.
template <class Work, class Between = void (*)()>
Measured measure(const Work& work, double interesting = kWorthRepeating, const Between& between = nothing) {
    Measured longest;
    const auto once = [&](milliseconds deadline) {
        const Measured measured = measure_once(work, deadline);
        between();
        return measured;
    };
    for (const milliseconds deadline : kDeadlines) {
        Measured least = once(deadline);
        for (int i = 1; i < kRepeats && least.beyond > std::max(interesting, longest.beyond); ++i) {
            const Measured again = once(deadline);
            if (again.beyond < least.beyond) least = again;
        }
        if (longest.deadline == milliseconds(0) || least.beyond > longest.beyond) longest = least;
        constexpr double kFarFromDeadlines = 3; // milliseconds
        if (least.all < kFarFromDeadlines) break;
    }
    return longest;
}

struct Row {
    Measured measured;
    std::string name;
};

void print(std::vector<Row> rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.measured.beyond > b.measured.beyond; });
    for (const Row& row : rows)
        std::printf("%.2f\t%lld\t%s\n", row.measured.beyond, static_cast<long long>(row.measured.deadline.count()),
                    row.name.c_str());
}

/// Of each native function, the call that goes on longest.
std::vector<Row> calls(std::size_t bytes, std::string_view only) {
    constexpr std::int64_t kMuch = std::int64_t{1} << 50;
    test::HostileCalls world(bytes);
    std::vector<Row> rows;
    for (const Builtin* row : all_builtins()) {
        if (row->category == Category::Internal || (!only.empty() && only != row->name)) continue;
        Row longest{{-1, 0, milliseconds(0)}, ""};
        world.each(*row, [&](const test::HostileCalls::Places& places) {
            const Measured measured = measure(
                [&](milliseconds deadline) {
                    world.heap().meter.start(kMuch, Meter::Clock::now() + deadline, nullptr);
                    world.heap().put_aside_when_late(true); // as a run does
                    (void)world.call(*row, places);
                    world.heap().put_aside_when_late(false);
                },
                std::max(longest.measured.beyond, kWorthRepeating), [&] { world.heap().give_back_the_rest(); });
            if (measured.beyond > longest.measured.beyond) longest = {measured, world.name(*row, places)};
        });
        std::fprintf(stderr, "%.2f %s\n", longest.measured.beyond, longest.name.c_str());
        rows.push_back(std::move(longest));
    }
    return rows;
}

std::vector<Row> programs(std::string_view only) {
    constexpr std::uint64_t kForever = 1'000'000'000'000;
    Limits limits;
    limits.fuel = Meter::kUnlimited;
    std::vector<Row> rows;
    for (const test::HostileProgram& program : test::kHostilePrograms) {
        if (test::name_of(program).find(only) == std::string::npos) continue;
        test::HostileRun run(program, kForever);
        const auto work = [&](milliseconds deadline) {
            limits.timeout = deadline;
            (void)run.run(&limits);
        };
        rows.push_back({measure(work), test::name_of(program)});
    }
    for (const char* text : test::kLargePrograms) {
        if (std::string_view(text).find(only) == std::string_view::npos) continue;
        const Engine engine({.limits = {.timeout = milliseconds(0)}, .warnings = false, .seed = 1, .threads = 0});
        const ProgramPtr program = engine.compile(text).program;
        if (!program) {
            std::fprintf(stderr, "does not compile: %s\n", text);
            continue;
        }
        Outcome outcome;
        const auto work = [&](milliseconds deadline) {
            limits.timeout = deadline;
            outcome = engine.run(program, {.limits = limits});
        };
        rows.push_back({measure(work), text});
        if (!outcome.error || outcome.error->reason != Reason::Timeout)
            std::fprintf(stderr, "ends by itself: %s: %s\n", text,
                         outcome.error ? outcome.error->message.c_str() : outcome.value.c_str());
    }
    return rows;
}

std::vector<Row> steps(std::size_t bytes, std::string_view only) {
    test::HostSteps::Shapes sources;
    for (const test::SourceShape& shape : test::kSourceShapes)
        sources.emplace_back(shape.name, shape.text_of(bytes));
    test::HostSteps all(bytes, sources);
    std::vector<Row> rows;
    for (const test::HostStep& step : all.all()) {
        if (step.name.find(only) == std::string::npos) continue;
        const auto work = [&](milliseconds deadline) {
            all.set_timeout(deadline);
            step.work();
        };
        rows.push_back({measure(work), step.name});
    }
    return rows;
}

} // namespace
} // namespace ptc

int main(int argc, char** argv) {
    using namespace ptc;
    constexpr std::size_t kBytesOfCalls = std::size_t{128} << 10, kBytesOfSteps = 1'000'000; // sources end at 1 MiB
    const std::string what = argc > 1 ? argv[1] : "";
    const std::string_view only = argc > 2 ? argv[2] : "";
    if (what == "calls") {
        print(calls(kBytesOfCalls, only));
    } else if (what == "programs") {
        print(programs(only));
    } else if (what == "steps") {
        print(steps(kBytesOfSteps, only));
    } else {
        std::fprintf(stderr, "usage: overshoot calls [NAME] | programs [TEXT] | steps [NAME]\n");
        return 2;
    }
}
