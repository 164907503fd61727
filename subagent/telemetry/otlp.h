// Spans and metrics, and their form as OTLP JSON (opentelemetry-proto 1.x: trace ids in hex, 64-bit numbers as texts).
#pragma once
#include "ptc/datum.h"
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptc::otlp {

using Time = std::chrono::system_clock::time_point;

/// Scalars and lists of texts, by name, in the order in which they were added.
using Attributes = std::vector<std::pair<std::string, Datum>>;

enum class SpanKind : std::uint8_t { Internal = 1, Client = 3 };

struct TraceSpan {
    std::string trace_id; ///< 32 hex digits
    std::string id;       ///< 16 hex digits
    std::string parent;   ///< "" for none
    std::string name;
    SpanKind kind = SpanKind::Internal;
    Time start;
    Time end;
    Attributes attributes;
    bool is_error = false;
    std::string message; ///< of an error
};

/// A histogram with explicit bounds, since the beginning of its process.
struct Histogram {
    std::vector<std::uint64_t> buckets; ///< one more than bounds
    std::uint64_t count = 0;
    double sum = 0;
    double least = 0;
    double most = 0;
    void add(double value, const std::vector<double>& bounds);
};

struct HistogramMetric {
    std::string name;
    std::string unit;
    std::vector<double> bounds;
    std::map<std::string, std::pair<Attributes, Histogram>> points; ///< by their attributes as JSON
    void add(const Attributes& attributes, double value);
};

/// What a process has measured since `start`.
struct Metrics {
    Time start;
    HistogramMetric tokens;
    HistogramMetric durations;
    std::uint64_t fuel = 0;
    Metrics();
};

std::string traces_json(const Attributes& resource, const std::vector<std::string>& spans);
std::string metrics_json(const Attributes& resource, const Metrics& metrics, Time now);
std::string span_json(const TraceSpan& span);

} // namespace ptc::otlp
