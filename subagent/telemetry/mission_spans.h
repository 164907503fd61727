// The events of one mission as spans: what is open, and what ends with which event.
#pragma once
#include "ptc/telemetry.h"
#include "subagent/telemetry/otlp.h"
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace ptc {

/// What a mission's spans and figures are handed to.
struct SpanSink {
    std::function<void(const otlp::TraceSpan&)> span;
    std::function<void(const otlp::Attributes&, std::chrono::duration<double>)> duration;
    std::function<void(const otlp::Attributes&, const TokenUsage&)> tokens;
    std::function<void(std::uint64_t)> fuel;
};

/// Not for several threads at once.
class MissionSpans {
public:
    MissionSpans(MissionTelemetry about, bool has_content, SpanSink sink);
    void take(const MissionEvent& event, otlp::Time now);
    /// Ends what is open, as an error: the mission was given up.
    void abandon(otlp::Time now);

private:
    struct Run {
        otlp::TraceSpan span;
        otlp::Time asked; ///< when the call of the model that is under way began
        std::optional<otlp::TraceSpan> program;
        std::deque<otlp::TraceSpan> tools;       ///< calls under way, the newest last
        std::deque<otlp::TraceSpan> approvals{}; ///< that are waited for
    };
    void begin_run(const MissionEvent& event, otlp::Time now);
    void end_run(const MissionEvent& event, otlp::Time now);
    void end_chat(Run& run, const MissionEvent& event, otlp::Time now);
    void begin_program(Run& run, const MissionEvent& event, otlp::Time now);
    void end_program(Run& run, const MissionEvent& event, otlp::Time now);
    void begin_tool(Run& run, const MissionEvent& event, otlp::Time now);
    void end_tool(Run& run, const MissionEvent& event, otlp::Time now);
    void begin_approval(Run& run, const MissionEvent& event, otlp::Time now);
    void end_approval(Run& run, const MissionEvent& event, otlp::Time now);
    /// A moment: what it guards has a span of its own, before or after it.
    void note_guard(const Run& run, const MissionEvent& event, otlp::Time now);
    otlp::TraceSpan open(std::string name, std::string_view operation, const std::string& parent, otlp::Time now) const;
    void close(otlp::TraceSpan span, const MissionEvent& event, otlp::Time now);
    /// The span that a call or program of a run lies in.
    static const std::string& innermost(const Run& run);
    otlp::Attributes model_attributes(std::string_view operation, const std::string& model) const;

    const MissionTelemetry about_;
    const bool has_content_;
    const SpanSink sink_;
    const std::string trace_id_;
    std::map<std::uint64_t, Run> runs_;
};

} // namespace ptc
