// What a unit of fuel buys at worst, and a byte where no fuel is charged: native functions with hostile arguments
// (tests/support/hostile_calls.h), instructions of the machine (hostile_programs.h), work outside of programs
// (host_steps.h).
//   price_list [BYTES [NAME]]     native functions by time, dearest first (of one function only); CPU time, so other
//                                 load changes little. Standard error has the dearest calls, as --count reads them
//   under callgrind, a line each of instructions a unit, units and a name, with tabs in between:
//   price_list --count [BYTES]    the calls that stand on standard input
//   price_list --programs         programs; units are of fuel
//   price_list --steps [BYTES]    work outside of programs; units are bytes
// bench/prices makes PRICES.md of all.
#include "runtime/clock.h"
#include "tests/support/host_steps.h"
#include "tests/support/hostile_calls.h"
#include "tests/support/hostile_programs.h"
#include "tests/support/instructions.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <sstream>

namespace ptc {
namespace {

using test::HostileCalls;

/// Nanoseconds of this thread's CPU.
double cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

constexpr double kDeadline = 1e6; ///< nanoseconds; a call that is not done then must end at once
constexpr std::int64_t kFuel = Meter::kSlice;

struct Measured {
    double time = 0;
    std::int64_t fuel = 1;
    [[nodiscard]] double price() const { return time / static_cast<double>(fuel); }
    [[nodiscard]] double beyond() const { return std::max(0.0, time - kDeadline); }
};

template <class Deadline>
Measured measure(HostileCalls& calls, const Builtin& row, const HostileCalls::Places& places, std::int64_t fuel,
                 Deadline deadline) {
    calls.heap().meter.start(fuel, deadline, nullptr);
    const double begin = cpu_now();
    { const Result<Value> result = calls.call(row, places); }
    return {cpu_now() - begin, calls.fuel(row)};
}

/// With little fuel: what is done before it is paid for, or is not paid for, takes long.
Measured with_little_fuel(HostileCalls& calls, const Builtin& row, const HostileCalls::Places& places) {
    return measure(calls, row, places, kFuel, Meter::Clock::time_point::max());
}
Measured with_deadline(HostileCalls& calls, const Builtin& row, const HostileCalls::Places& places) {
    constexpr std::int64_t kMuch = std::int64_t{1} << 50;
    return measure(calls, row, places, kMuch,
                   Meter::Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(kDeadline)));
}

struct Dearest {
    const Builtin* row = nullptr;
    HostileCalls::Places price_places, beyond_places;
    Measured price, beyond;
};

/// The least of several, as long as it is more than what was seen before.
template <class Measure> Measured least_of(Measure measure_once, double (Measured::*value)() const, double before) {
    Measured least = measure_once();
    for (int i = 0; i < 4 && (least.*value)() > before; ++i) {
        const Measured again = measure_once();
        if (again.time < least.time) least = again;
    }
    return least;
}

/// Calls below `kSmall` nanoseconds tell nothing.
Dearest dearest_of(HostileCalls& calls, const Builtin& row) {
    constexpr double kSmall = 20e3;
    Dearest dearest;
    dearest.row = &row;
    calls.each(row, [&](const HostileCalls::Places& places) {
        const Measured price =
            least_of([&] { return with_little_fuel(calls, row, places); }, &Measured::price, dearest.price.price());
        if (price.time >= kSmall && price.price() > dearest.price.price()) {
            dearest.price = price;
            dearest.price_places = places;
        }
        if (price.time < kSmall) return;
        const Measured beyond =
            least_of([&] { return with_deadline(calls, row, places); }, &Measured::beyond, dearest.beyond.beyond());
        if (beyond.beyond() > dearest.beyond.beyond()) {
            dearest.beyond = beyond;
            dearest.beyond_places = places;
        }
    });
    return dearest;
}

void print_call(const Dearest& dearest) {
    std::fprintf(stderr, "%s", dearest.row->name);
    for (const std::size_t place : dearest.price_places)
        std::fprintf(stderr, " %zu", place);
    std::fprintf(stderr, "\n");
}

std::vector<Dearest> measure_all(HostileCalls& calls, std::string_view only) {
    std::vector<Dearest> all;
    for (const Builtin* row : all_builtins()) {
        if (row->category == Category::Internal || (!only.empty() && only != row->name)) continue;
        Dearest dearest = dearest_of(calls, *row);
        if (dearest.price.time == 0) continue; // nothing takes long
        print_call(dearest);
        all.push_back(std::move(dearest));
    }
    std::sort(all.begin(), all.end(),
              [](const Dearest& a, const Dearest& b) { return a.price.price() > b.price.price(); });
    return all;
}

void print_table(HostileCalls& calls, const std::vector<Dearest>& all) {
    if (all.empty()) return;
    const double median = all[all.size() / 2].price.price();
    std::printf("Median of the dearest call of each function: %.1f ns a unit.\n\n", median);
    std::printf("| dearest call | ns a unit | x median | us | fuel | longest beyond the deadline | us |\n"
                "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Dearest& d : all) {
        const std::string beyond = d.beyond_places.empty() ? "" : calls.name(*d.row, d.beyond_places);
        std::printf("| `%s` | %.1f | %.1f | %.0f | %lld | %s | %.0f |\n", calls.name(*d.row, d.price_places).c_str(),
                    d.price.price(), d.price.price() / median, d.price.time / 1e3, static_cast<long long>(d.price.fuel),
                    beyond.c_str(), d.beyond.beyond() / 1e3);
    }
}

void print_count(std::uint64_t count, std::int64_t units, const std::string& name) {
    std::printf("%.1f\t%lld\t%s\n", static_cast<double>(count) / static_cast<double>(units),
                static_cast<long long>(units), name.c_str());
}

void count_programs() {
    for (const test::HostileProgram& row : test::kHostilePrograms) {
        test::HostileRun program(row);
        Outcome outcome;
        const std::uint64_t count = test::instructions([&] { outcome = program.run(); });
        print_count(count, outcome.usage.fuel, test::name_of(row));
    }
}

void count_steps(std::size_t bytes) {
    const test::HostSteps steps(bytes);
    for (const test::HostStep& step : steps.all())
        print_count(test::instructions(step.work), static_cast<std::int64_t>(step.bytes), step.name);
}

void count_calls(HostileCalls& calls) {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        HostileCalls::Places places;
        for (std::size_t place; words >> place;)
            places.push_back(place);
        const Builtin& row = builtin_at(static_cast<std::uint32_t>(find_builtin(name)));
        calls.heap().meter.start(kFuel, Meter::Clock::time_point::max(), nullptr);
        const std::uint64_t count = test::instructions([&] { (void)calls.call(row, places); });
        print_count(count, calls.fuel(row), calls.name(row, places));
    }
}

} // namespace
} // namespace ptc

int main(int argc, char** argv) {
    using namespace ptc;
    const std::vector<std::string> words(argv + 1, argv + argc);
    const std::string mode = !words.empty() && words[0].starts_with("--") ? words[0] : "";
    const std::size_t first = mode.empty() ? 0 : 1;
    const auto bytes = [&](const char* usual) { return std::stoul(words.size() > first ? words[first] : usual); };
    if (mode == "--programs") {
        count_programs();
    } else if (mode == "--steps") {
        count_steps(bytes("4096"));
    } else {
        test::HostileCalls calls(bytes("131072"));
        if (mode == "--count")
            count_calls(calls);
        else
            print_table(calls, measure_all(calls, words.size() > 1 ? words[1] : ""));
    }
}
