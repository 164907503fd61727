// What the benchmark hosts share: clocks, files, percentiles, and the report of fresh evaluations. One host is one
// embedded language; all take the same commands and print the same lines, so that bench/run can put them side by side.
#pragma once
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bench {

inline double clock_us(clockid_t id) {
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/// Time that this process computed: what the other jobs of the machine do does not count.
inline double cpu_ms() { return clock_us(CLOCK_PROCESS_CPUTIME_ID) / 1e3; }
inline double wall_us() { return clock_us(CLOCK_MONOTONIC); }

[[noreturn]] inline void die(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(4);
}

/// Memory that the process has in use.
inline double resident_kb() {
    long total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return static_cast<double>(resident) * 4;
}

/// "idle<TAB>KB": the memory that each of `n` more costs, behind some that were made before.
template <class Make> void print_idle(int n, Make make) {
    for (int i = 0; i < 1000; ++i)
        make();
    const double before = resident_kb();
    for (int i = 0; i < n; ++i)
        make();
    std::printf("idle\t%.2f\n", (resident_kb() - before) / n);
}

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) die("cannot open " + path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline double percentile(std::vector<double> values, double p) {
    std::sort(values.begin(), values.end());
    const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size()));
    return values[std::min(values.size() - 1, at)];
}

/// Times of evaluations that start from nothing, by phase.
class FreshTimes {
public:
    enum Phase { Create, Context, Compile, Run, Destroy, kPhases };

    void start() { last_ = begin_ = wall_us(); }
    void done(Phase phase) {
        const double now = wall_us();
        phases_[phase].push_back(now - last_);
        last_ = now;
        if (phase == Destroy) total_.push_back(now - begin_);
    }
    void forget() {
        for (auto& phase : phases_)
            phase.clear();
        total_.clear();
    }
    /// "NAME<TAB>n=..<TAB>p50=..<TAB>.." in microseconds; the phases are medians.
    void print(const char* name) const {
        std::printf("%s\tn=%zu\tp50=%.2f\tp99=%.2f\tmin=%.2f", name, total_.size(), percentile(total_, 0.5),
                    percentile(total_, 0.99), percentile(total_, 0.0));
        constexpr std::array<const char*, kPhases> kNames = {"create", "context", "compile", "run", "destroy"};
        for (std::size_t i = 0; i < kPhases; ++i)
            if (!phases_[i].empty()) std::printf("\t%s=%.2f", kNames[i], percentile(phases_[i], 0.5));
        std::printf("\n");
    }

private:
    std::array<std::vector<double>, kPhases> phases_;
    std::vector<double> total_;
    double begin_ = 0;
    double last_ = 0;
};

inline constexpr int kWarmUps = 50; // Evaluations before those that count.

} // namespace bench
