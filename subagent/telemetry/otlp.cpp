// OTLP as JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Members are those of the protobuf
// messages in lowerCamelCase; what has its default is left out, and numbers of 64 bits are texts.
#include "subagent/telemetry/otlp.h"
#include <algorithm>

namespace ptc::otlp {
namespace {

constexpr std::string_view kScope = "ptc";
constexpr std::int64_t kCumulative = 2;  ///< AGGREGATION_TEMPORALITY_CUMULATIVE
constexpr std::int64_t kStatusError = 2; ///< STATUS_CODE_ERROR

Datum nanoseconds(Time time) {
    return Datum(std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count()));
}

Datum any_value(const Datum& value) {
    if (const bool* b = value.get_if<bool>()) return Datum::object({{"boolValue", *b}});
    if (const auto* i = value.get_if<std::int64_t>()) return Datum::object({{"intValue", std::to_string(*i)}});
    if (const double* x = value.get_if<double>()) return Datum::object({{"doubleValue", *x}});
    if (const Datum::List* items = value.list()) {
        Datum::List values;
        for (const Datum& item : *items)
            values.push_back(any_value(item));
        return Datum::object({{"arrayValue", Datum::object({{"values", Datum(std::move(values))}})}});
    }
    return Datum::object({{"stringValue", value.text() ? value : Datum(value.to_json())}});
}

Datum key_values(const Attributes& attributes) {
    Datum::List rows;
    for (const auto& [key, value] : attributes)
        rows.push_back(Datum::object({{"key", key}, {"value", any_value(value)}}));
    return Datum(std::move(rows));
}

Datum scope() { return Datum::object({{"name", std::string(kScope)}}); }

Datum resource_of(const Attributes& attributes) { return Datum::object({{"attributes", key_values(attributes)}}); }

Datum counts(const std::vector<std::uint64_t>& buckets) {
    Datum::List all;
    for (const std::uint64_t n : buckets)
        all.emplace_back(std::to_string(n));
    return Datum(std::move(all));
}

Datum metric_of(const HistogramMetric& metric, Time start, Time now) {
    Datum::List points;
    for (const auto& [key, point] : metric.points) {
        const auto& [attributes, histogram] = point;
        points.push_back(
            Datum::object({{"attributes", key_values(attributes)},
                           {"startTimeUnixNano", nanoseconds(start)},
                           {"timeUnixNano", nanoseconds(now)},
                           {"count", std::to_string(histogram.count)},
                           {"sum", histogram.sum},
                           {"min", histogram.least},
                           {"max", histogram.most},
                           {"bucketCounts", counts(histogram.buckets)},
                           {"explicitBounds", Datum(Datum::List(metric.bounds.begin(), metric.bounds.end()))}}));
    }
    return Datum::object({{"name", metric.name},
                          {"unit", metric.unit},
                          {"histogram", Datum::object({{"dataPoints", Datum(std::move(points))},
                                                       {"aggregationTemporality", kCumulative}})}});
}

Datum fuel_metric(std::uint64_t fuel, Time start, Time now) {
    Datum::List points;
    points.push_back(Datum::object({{"startTimeUnixNano", nanoseconds(start)},
                                    {"timeUnixNano", nanoseconds(now)},
                                    {"asInt", std::to_string(fuel)}}));
    return Datum::object({{"name", "ptc.program.fuel"},
                          {"unit", "{fuel}"},
                          {"sum", Datum::object({{"dataPoints", Datum(std::move(points))},
                                                 {"aggregationTemporality", kCumulative},
                                                 {"isMonotonic", true}})}});
}

} // namespace

void Histogram::add(double value, const std::vector<double>& bounds) {
    buckets.resize(bounds.size() + 1);
    ++buckets[static_cast<std::size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin())];
    least = count ? std::min(least, value) : value;
    most = count ? std::max(most, value) : value;
    sum += value;
    ++count;
}

void HistogramMetric::add(const Attributes& attributes, double value) {
    auto& [names, histogram] = points[key_values(attributes).to_json()];
    names = attributes;
    histogram.add(value, bounds);
}

// The bounds are those that the conventions advise.
Metrics::Metrics()
    : tokens{.name = "gen_ai.client.token.usage", .unit = "{token}", .bounds = {}, .points = {}},
      durations{.name = "gen_ai.client.operation.duration", .unit = "s", .bounds = {}, .points = {}} {
    for (double bound = 1; bound <= 67'108'864; bound *= 4)
        tokens.bounds.push_back(bound);
    for (double bound = 0.01; bound < 100; bound *= 2)
        durations.bounds.push_back(bound);
}

std::string span_json(const TraceSpan& span) {
    std::vector<std::pair<std::string, Datum>> members = {{"traceId", span.trace_id}, {"spanId", span.id}};
    if (!span.parent.empty()) members.emplace_back("parentSpanId", span.parent);
    members.emplace_back("name", span.name);
    members.emplace_back("kind", static_cast<std::int64_t>(span.kind));
    members.emplace_back("startTimeUnixNano", nanoseconds(span.start));
    members.emplace_back("endTimeUnixNano", nanoseconds(std::max(span.start, span.end)));
    members.emplace_back("attributes", key_values(span.attributes));
    if (span.is_error)
        members.emplace_back("status", Datum::object({{"code", kStatusError}, {"message", span.message}}));
    return Datum::object(std::move(members)).to_json();
}

std::string traces_json(const Attributes& resource, const std::vector<std::string>& spans) {
    std::string out = R"({"resourceSpans":[{"resource":)" + resource_of(resource).to_json() +
                      R"(,"scopeSpans":[{"scope":)" + scope().to_json() + R"(,"spans":[)";
    for (std::size_t i = 0; i < spans.size(); ++i)
        (out += i ? "," : "") += spans[i];
    return out + "]}]}]}";
}

std::string metrics_json(const Attributes& resource, const Metrics& metrics, Time now) {
    Datum::List rows;
    for (const HistogramMetric* metric : {&metrics.tokens, &metrics.durations})
        if (!metric->points.empty()) rows.push_back(metric_of(*metric, metrics.start, now));
    rows.push_back(fuel_metric(metrics.fuel, metrics.start, now));
    Datum::List scopes;
    scopes.push_back(Datum::object({{"scope", scope()}, {"metrics", Datum(std::move(rows))}}));
    Datum::List resources;
    resources.push_back(
        Datum::object({{"resource", resource_of(resource)}, {"scopeMetrics", Datum(std::move(scopes))}}));
    return Datum::object({{"resourceMetrics", Datum(std::move(resources))}}).to_json();
}

} // namespace ptc::otlp
