// What a tool may know of the call beside its arguments: who calls, until when, and for whom.
#pragma once
#include "ptc/datum.h"
#include "ptc/shared_function.h"
#include <any>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace ptc {

/// Given to tools that take it (Tool::context_function, or a last parameter `const ToolContext&` of a callable). A tool
/// that works after its call has ended may keep a copy.
struct ToolContext {
    std::string mission{}; ///< MissionOptions::id; "" without one
    std::string agent{};   ///< the name of the agent that calls; "" outside of missions
    std::uint64_t run = 0; ///< which of the mission's agents at work, as MissionEvent::run
    std::size_t turn = 0;  ///< of that agent
    std::string key{};     ///< of the call, when the mission has an id: see KeyedToolFunction
    std::any host_value{}; ///< MissionOptions::host_value, RunOptions::host_value
    /// When nobody waits for the result any more: the end of the program's time, or of the mission's. None: never, or
    /// it goes by a clock of the host's.
    std::optional<std::chrono::steady_clock::time_point> deadline{};
    /// Stops when the mission is interrupted or destroyed, or when RunOptions::stop does.
    std::stop_token stop{};
    /// MissionOptions::on_progress, if there is one; for the thread of the tool.
    SharedFunction<void(Datum)> progress{};

    /// The host's value; null when it is none, or no T.
    template <class T> [[nodiscard]] const T* host() const { return std::any_cast<T>(&host_value); }
    /// Tells whoever watches the mission how far the tool is. Never throws.
    void report(Datum state) const;
};

} // namespace ptc
