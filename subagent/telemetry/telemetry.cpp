// What waits, and the thread that sends it. Missions hand over spans as texts; the thread takes them in batches, posts
// them, and puts a batch back when the collector may take it later.
#include "ptc/telemetry.h"
#include "subagent/providers/http_client.h"
#include "subagent/telemetry/mission_spans.h"
#include "subagent/telemetry/otlp.h"
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

namespace ptc {
namespace {

constexpr std::size_t kBatch = 512;                       ///< spans of a request
constexpr std::size_t kBatchBytes = std::size_t{2} << 20; ///< of them, but for one that is larger
constexpr std::size_t kMostOfAnAnswer = std::size_t{64} << 10;

enum class Sent : std::uint8_t { Yes, Later, Never };

std::string from_environment(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

bool may_be_taken_later(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

/// How many spans a collector that answered 200 says to have refused.
std::uint64_t refused(const std::string& answer) {
    const Result<Datum> read = Datum::from_json(answer);
    const Datum* partial = read.ok() ? read.value().find("partialSuccess") : nullptr;
    const Datum* count = partial ? partial->find("rejectedSpans") : nullptr;
    if (!count) return 0;
    std::int64_t n = 0;
    if (const std::string* text = count->text())
        n = std::strtoll(text->c_str(), nullptr, 10);
    else
        (void)count->to_int64(&n);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
}

} // namespace

struct Telemetry::Impl {
    explicit Impl(TelemetryOptions options);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] otlp::Time now() const { return options.now ? options.now() : std::chrono::system_clock::now(); }
    void take(const otlp::TraceSpan& span);
    SpanSink sink();
    bool flush();
    void run();

    const TelemetryOptions options;
    const otlp::Attributes resource;
    HttpClient http;
    mutable std::mutex mutex;
    std::condition_variable changed; ///< for the thread: there is something to do; for flush: it was done
    std::deque<std::string> waiting;
    std::size_t waiting_bytes = 0;
    otlp::Metrics metrics;
    bool has_new_metrics = false;
    std::uint64_t sent = 0;
    std::uint64_t lost = 0;
    std::uint64_t rounds_wanted = 0;
    std::uint64_t rounds_done = 0;
    bool was_taken = true; ///< all of the last round
    bool is_over = false;
    std::thread thread;

private:
    Sent post(const std::string& path, const std::string& body, std::uint64_t* refused_spans);
    std::vector<std::string> next_batch();
    bool send_spans();
    bool send_metrics();
};

Telemetry::Impl::Impl(TelemetryOptions given)
    : options(std::move(given)),
      resource({{"service.name", options.service}, {"telemetry.sdk.name", "ptc"}, {"telemetry.sdk.language", "cpp"}}) {
    metrics.start = now();
    thread = std::thread([this] { run(); });
}

Telemetry::Impl::~Impl() {
    {
        const std::lock_guard lock(mutex);
        is_over = true;
    }
    changed.notify_all();
    thread.join();
}

void Telemetry::Impl::take(const otlp::TraceSpan& span) {
    std::string text = otlp::span_json(span);
    const std::lock_guard lock(mutex);
    if (waiting_bytes + text.size() > options.max_waiting) {
        ++lost;
        return;
    }
    waiting_bytes += text.size();
    waiting.push_back(std::move(text));
    if (waiting.size() >= kBatch) changed.notify_all();
}

std::vector<std::string> Telemetry::Impl::next_batch() {
    const std::lock_guard lock(mutex);
    std::vector<std::string> batch;
    std::size_t bytes = 0;
    while (!waiting.empty() && batch.size() < kBatch &&
           (batch.empty() || bytes + waiting.front().size() <= kBatchBytes)) {
        bytes += waiting.front().size();
        batch.push_back(std::move(waiting.front()));
        waiting.pop_front();
    }
    waiting_bytes -= bytes;
    return batch;
}

Sent Telemetry::Impl::post(const std::string& path, const std::string& body, std::uint64_t* refused_spans) {
    if (options.send) return options.send(path, body) ? Sent::Yes : Sent::Later;
    HttpPost request{.url = options.endpoint + path,
                     .headers = options.headers,
                     .body = body,
                     .deadline = std::chrono::steady_clock::now() + options.timeout,
                     .connect_timeout = options.timeout,
                     .idle_timeout = {}};
    request.headers.emplace_back("content-type", "application/json");
    const std::optional<HttpAddress> address = parse_address(options.endpoint);
    request.is_direct = address && address->is_this_machine();
    std::string answer;
    const auto outcome = http.post(request, [&](const HttpHead&, std::string_view bytes) {
        answer.append(bytes.substr(0, kMostOfAnAnswer - std::min(answer.size(), kMostOfAnAnswer)));
        return answer.size() < kMostOfAnAnswer;
    });
    const HttpHead* head = std::get_if<HttpHead>(&outcome);
    if (!head) return Sent::Later;
    if (head->status / 100 == 2) {
        *refused_spans = refused(answer);
        return Sent::Yes;
    }
    return may_be_taken_later(head->status) ? Sent::Later : Sent::Never;
}

/// False: some wait on, or were refused.
bool Telemetry::Impl::send_spans() {
    for (std::vector<std::string> batch = next_batch(); !batch.empty(); batch = next_batch()) {
        std::uint64_t refused_spans = 0;
        const Sent result = post("/v1/traces", otlp::traces_json(resource, batch), &refused_spans);
        const std::lock_guard lock(mutex);
        if (result == Sent::Later) {
            for (auto span = batch.rbegin(); span != batch.rend(); ++span) {
                waiting_bytes += span->size();
                waiting.push_front(std::move(*span));
            }
            return false;
        }
        refused_spans = result == Sent::Never ? batch.size() : std::min<std::uint64_t>(refused_spans, batch.size());
        lost += refused_spans;
        sent += batch.size() - refused_spans;
        if (result == Sent::Never) return false;
    }
    return true;
}

bool Telemetry::Impl::send_metrics() {
    std::string body;
    {
        const std::lock_guard lock(mutex);
        if (!has_new_metrics) return true;
        has_new_metrics = false;
        body = otlp::metrics_json(resource, metrics, now());
    }
    std::uint64_t refused_spans = 0;
    if (post("/v1/metrics", body, &refused_spans) == Sent::Yes) return true;
    const std::lock_guard lock(mutex);
    has_new_metrics = true; // they are sums: the next ones have these in them
    return false;
}

void Telemetry::Impl::run() {
    std::unique_lock lock(mutex);
    while (!is_over || was_taken) { // what missions left behind goes, too, if it can
        changed.wait_for(lock, options.interval,
                         [&] { return is_over || rounds_wanted > rounds_done || waiting.size() >= kBatch; });
        if (is_over && (!was_taken || (waiting.empty() && !has_new_metrics))) return;
        const std::uint64_t round = rounds_wanted;
        lock.unlock();
        const bool spans_taken = send_spans();
        const bool all_taken = spans_taken && send_metrics(); // a collector that is gone is waited for once
        lock.lock();
        was_taken = all_taken;
        rounds_done = round;
        changed.notify_all();
        if (!was_taken) // also when much waits: a collector that is down is not asked all the time
            changed.wait_for(lock, options.interval, [&] { return is_over || rounds_wanted > rounds_done; });
    }
}

bool Telemetry::Impl::flush() {
    std::unique_lock lock(mutex);
    const std::uint64_t round = ++rounds_wanted;
    changed.notify_all();
    changed.wait(lock, [&] { return rounds_done >= round || is_over; });
    return was_taken && lost == 0;
}

Telemetry::Telemetry(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Telemetry::~Telemetry() {
    bool is_worth_it = false;
    {
        const std::lock_guard lock(impl_->mutex);
        is_worth_it = impl_->was_taken;
    }
    if (is_worth_it) impl_->flush();
}

Result<std::shared_ptr<Telemetry>> Telemetry::create(TelemetryOptions options) {
    if (options.endpoint.empty())
        options.endpoint = from_environment("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    if (options.service.empty()) options.service = from_environment("OTEL_SERVICE_NAME", "ptc");
    while (options.endpoint.ends_with('/'))
        options.endpoint.pop_back();
    if (!options.send) {
        const std::optional<HttpAddress> address = parse_address(options.endpoint);
        if (!address || (address->scheme != "http" && address->scheme != "https") || address->has_more)
            // Not quoted: there may be a password in it.
            return Error(Reason::InvalidRequest,
                         "The address of a collector is http or https, a host and a port, such as "
                         "http://localhost:4318; without user, query and fragment.");
        if (!http_problem().empty()) return Error(Reason::InvalidRequest, http_problem());
    }
    return std::shared_ptr<Telemetry>(new Telemetry(std::make_shared<Impl>(std::move(options))));
}

SpanSink Telemetry::Impl::sink() {
    const auto measure = [this](auto&& change) {
        const std::lock_guard lock(mutex);
        change(metrics);
        has_new_metrics = true;
    };
    return {.span = [this](const otlp::TraceSpan& span) { take(span); },
            .duration =
                [measure](const otlp::Attributes& attributes, std::chrono::duration<double> time) {
                    measure([&](otlp::Metrics& all) { all.durations.add(attributes, time.count()); });
                },
            .tokens =
                [measure](otlp::Attributes attributes, const TokenUsage& usage) {
                    attributes.emplace_back("gen_ai.token.type", "input");
                    measure([&](otlp::Metrics& all) { all.tokens.add(attributes, static_cast<double>(usage.input)); });
                    attributes.back().second = "output";
                    measure([&](otlp::Metrics& all) { all.tokens.add(attributes, static_cast<double>(usage.output)); });
                },
            .fuel = [measure](std::uint64_t fuel) { measure([&](otlp::Metrics& all) { all.fuel += fuel; }); }};
}

/// The spans of one mission, whose agents may work on several threads.
struct Telemetry::Watch {
    Watch(std::shared_ptr<Impl> to, MissionTelemetry mission)
        : impl(std::move(to)), spans(std::move(mission), impl->options.has_content, impl->sink()) {}
    ~Watch() { spans.abandon(impl->now()); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    const std::shared_ptr<Impl> impl;
    std::mutex mutex;
    MissionSpans spans;
};

SharedFunction<void(const MissionEvent&)> Telemetry::mission(MissionTelemetry about) {
    return [watch = std::make_shared<Watch>(impl_, std::move(about))](const MissionEvent& event) {
        const std::lock_guard lock(watch->mutex);
        watch->spans.take(event, watch->impl->now());
    };
}

bool Telemetry::flush() { return impl_->flush(); }
std::uint64_t Telemetry::spans_sent() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->sent;
}
std::uint64_t Telemetry::spans_lost() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->lost;
}

} // namespace ptc
