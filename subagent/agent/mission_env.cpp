#include "subagent/agent/mission_env.h"
#include <algorithm>
#include <random>

namespace ptc {

Millis system_now() { return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now().time_since_epoch()); }

/// Seeded once a thread.
double system_chance() {
    thread_local std::minstd_rand generator(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(generator);
}

Millis MissionEnv::clock_now() const {
    if (tape) return tape->now();
    if (options.clock.now) return options.clock.now();
    return system_now();
}

Millis MissionEnv::now() const { return paused_at.value_or(clock_now()) - paused; }

void MissionEnv::pause() {
    if (!paused_at) paused_at = clock_now();
}

void MissionEnv::end_pause() {
    if (!paused_at) return;
    paused += std::max(Millis(0), clock_now() - *paused_at);
    paused_at.reset();
}

double MissionEnv::random() const {
    if (tape) return tape->random();
    return options.clock.random ? options.clock.random() : system_chance();
}

bool MissionEnv::is_interrupted() const {
    if (tape) return totals.is_interrupted || tape->is_interrupted();
    return totals.is_interrupted || options.stop.stop_requested() ||
           (options.is_interrupted && options.is_interrupted());
}

void MissionEnv::emit(const MissionEvent& event) const {
    if (!options.on_event) return;
    try {
        options.on_event(event);
    } catch (...) { // whoever watches a mission cannot break it
    }
}

ToolContext MissionEnv::tool_context(std::uint64_t need) const {
    return {.mission = options.id, .key = key_of(need), .host_value = options.host_value, .stop = stopping.get_token()};
}

std::string MissionEnv::key_of(std::uint64_t need) const {
    return options.id.empty() ? "" : options.id + "/" + std::to_string(need);
}

} // namespace ptc
