// What a unit of fuel buys at worst: every native function with hostile arguments (tests/support/hostile_calls.h).
//   price_list [BYTES [NAME]]     a table, dearest first (of one function only); CPU time, so other load changes
//   little.
//                                 Standard error has the dearest calls, as --count reads them
//   price_list --count [BYTES]    under callgrind: instructions a unit of the calls that stand on standard input
// bench/prices makes PRICES.md of both.
#include "runtime/clock.h"
#include "tests/support/growth.h"
#include "tests/support/hostile_calls.h"
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
        const std::int64_t fuel = calls.fuel(row);
        std::printf("%8.1f  %s\n", static_cast<double>(count) / static_cast<double>(fuel),
                    calls.name(row, places).c_str());
    }
}

} // namespace
} // namespace ptc

int main(int argc, char** argv) {
    using namespace ptc;
    const bool counts = argc > 1 && std::string_view(argv[1]) == "--count";
    const char* bytes = argc > 1 + counts ? argv[1 + counts] : "131072";
    test::HostileCalls calls(std::stoul(bytes));
    if (counts)
        count_calls(calls);
    else
        print_table(calls, measure_all(calls, argc > 2 ? argv[2] : ""));
}
