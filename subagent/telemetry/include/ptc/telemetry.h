// Missions as OpenTelemetry traces and metrics, with the GenAI semantic conventions, sent as OTLP/HTTP JSON. Not part
// of <ptc/ptc.h>: link ptc::telemetry, which uses libcurl as ptc::providers does.
//
//   auto telemetry = ptc::Telemetry::create({.endpoint = "http://localhost:4318"});
//   options.on_event = telemetry.value()->mission({.provider = "openai", .model = "gpt-6-mini"});
//
// Spans, each within the one before it:
//   invoke_agent NAME   a run of an agent, from its start to its end; of an agent that another called, within the tool
//   chat MODEL          a call of the model, gen_ai.response.model says which one answered (of a fallback or a route
//   the
//                       one that did); one that failed and is made again has error.type
//   run_program         a program, with its fuel (ptc.fuel) and its heap (ptc.peak_heap_bytes)
//   execute_tool NAME   a tool call; one that a cache answers has ptc.cached
//   approval NAME       the wait for somebody's decision about a call, or about what a guard asks (ptc.guard.point);
//   one
//                       that is denied has error.type
//   guard NAME          a moment in which a guard changed, refused or had something asked: ptc.guard.point and .verdict
// Metrics: gen_ai.client.token.usage and gen_ai.client.operation.duration (histograms), ptc.program.fuel (a sum).
//
// Prompts, replies, programs, arguments and results are left out unless `has_content` asks for them: then they are the
// texts of the mission's events, which hold no firewalled values.
#pragma once
#include "ptc/agent.h"
#include "ptc/shared_function.h"
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptc {

struct TelemetryOptions {
    /// Of a collector; /v1/traces and /v1/metrics are put behind it. "": OTEL_EXPORTER_OTLP_ENDPOINT of the
    /// environment, else http://localhost:4318. http and https.
    std::string endpoint{};
    std::string service{};                                      ///< "": OTEL_SERVICE_NAME, else "ptc"
    std::vector<std::pair<std::string, std::string>> headers{}; ///< of each request, such as a key
    bool has_content = false;
    std::chrono::milliseconds timeout{10'000};      ///< of a request
    std::chrono::milliseconds interval{5'000};      ///< between requests while missions run
    std::size_t max_waiting = std::size_t{8} << 20; ///< bytes of spans that were not sent yet; more are dropped
    /// In place of HTTP: `path` is "/v1/traces" or "/v1/metrics". False: it could not be sent. Called by one thread at
    /// a time, none of the caller's.
    SharedFunction<bool(const std::string& path, const std::string& body)> send{};
    SharedFunction<std::chrono::system_clock::time_point()> now{}; ///< the system's when empty; on any thread
};

/// What events do not say about a mission.
struct MissionTelemetry {
    std::string id{};       ///< gen_ai.conversation.id; "" for none
    std::string provider{}; ///< gen_ai.provider.name: "openai", "anthropic", ..
    std::string model{};    ///< gen_ai.request.model
};

/// Collects spans of any number of missions and threads, and sends them from a thread of its own. A collector that is
/// slow or gone holds nobody up: what waits is bounded, and is sent again when that can help (no answer, or a status of
/// 429, 502, 503 or 504), every `interval`.
class Telemetry {
public:
    /// invalid_request: the address is none, or there is no libcurl.
    static Result<std::shared_ptr<Telemetry>> create(TelemetryOptions options);
    /// As flush(), but not behind an attempt that failed: a collector that is gone holds up nobody twice.
    ~Telemetry();
    Telemetry(const Telemetry&) = delete;
    Telemetry& operator=(const Telemetry&) = delete;

    /// For MissionOptions::on_event of one mission. Works on after this object's end, too. Spans that are open when it
    /// is destroyed are ended with error.type "abandoned".
    [[nodiscard]] SharedFunction<void(const MissionEvent&)> mission(MissionTelemetry about = {});
    /// Tries once to send what waits, for a time of `timeout`. False when some of it was not taken, or had been lost
    /// before.
    bool flush();
    [[nodiscard]] std::uint64_t spans_sent() const;
    [[nodiscard]] std::uint64_t spans_lost() const; ///< no room, or the collector refused them

private:
    struct Impl;
    struct Watch;
    explicit Telemetry(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

} // namespace ptc
