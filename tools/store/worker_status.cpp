// The HTTP side of a worker: three paths, answered on a thread of their own, so that a worker whose threads are all
// busy still says that it lives. /livez asks nobody; /readyz and /metrics ask the store, on another thread, one request
// after the other. Calls of a store that is away are tried again for seconds, which nobody who watches waits: what has
// no answer after a while is answered without the store.
#include "tools/store/worker_status.h"
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "tools/serve/http_access.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ptc {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience{640}; ///< with the store: who asks has an answer within a second

HttpReply text_reply(int status, std::string body) {
    return {.status = status,
            .body = std::move(body),
            .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}};
}

/// A value of a label: backslash, quote and newline are escaped.
std::string label(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        c == '\n' ? out += "\\n" : out += c;
    }
    return out += '"';
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

} // namespace

std::string metrics_text(const WorkerCounts& counts, const std::optional<std::vector<MissionStore::Count>>& missions) {
    std::string out;
    const auto counter = [&out](std::string_view name, std::string_view help, std::uint64_t value) {
        head(out, name, "counter", help);
        out.append(name).append(" ").append(std::to_string(value)).append("\n");
    };
    head(out, "ptc_worker_missions_total", "counter", "Missions that this worker let go of, by what became of them.");
    const std::pair<const char*, std::uint64_t> outcomes[] = {
        {"done", counts.done},       {"failed", counts.failed},     {"cancelled", counts.cancelled},
        {"waiting", counts.waiting}, {"released", counts.released}, {"lost", counts.lost}};
    for (const auto& [outcome, count] : outcomes)
        out += "ptc_worker_missions_total{outcome=\"" + std::string(outcome) + "\"} " + std::to_string(count) + "\n";
    counter("ptc_worker_claims_total", "Missions that this worker claimed.", counts.claimed);
    counter("ptc_worker_turns_total", "Turns of models that this worker began.", counts.turns);
    counter("ptc_worker_commits_total", "Commits of missions under way.", counts.commits);
    counter("ptc_worker_store_errors_total", "Calls of the store that failed.", counts.errors);
    head(out, "ptc_store_up", "gauge", "Whether the store answered in time; there is nothing of it otherwise.");
    out += std::string("ptc_store_up ") + (missions ? "1" : "0") + "\n";
    if (!missions) return out;
    head(out, "ptc_store_missions", "gauge", "Missions in the store.");
    for (const MissionStore::Count& count : *missions)
        out += "ptc_store_missions{queue=" + label(count.queue) + ",status=" + label(status_name(count.status)) + "} " +
               std::to_string(count.missions) + "\n";
    head(out, "ptc_store_oldest_ready_seconds", "gauge", "How long the oldest mission of a queue has been ready.");
    for (const MissionStore::Count& count : *missions) {
        if (count.status == MissionStatus::Ready)
            out += "ptc_store_oldest_ready_seconds{queue=" + label(count.queue) + "} " +
                   std::to_string(count.oldest / 1000) + "." + std::to_string(1000 + count.oldest % 1000).substr(1) +
                   "\n";
    }
    return out;
}

struct WorkerStatus::Impl {
    Impl(const Worker& w, std::shared_ptr<MissionStore> s) : worker(w), store(std::move(s)) {}
    ~Impl() {
        if (server) server->end();
    }

    struct Question {
        std::string path;
        std::shared_ptr<HttpResponder> responder;
        SteadyClock::time_point end; ///< then it is answered without the store
    };
    using QuestionPtr = std::shared_ptr<Question>;

    [[nodiscard]] HttpReply without_store(const std::string& path) const {
        if (path == "/readyz") return text_reply(503, is_draining ? "draining\n" : "the store is away\n");
        return text_reply(200, metrics_text(worker.counts(), std::nullopt));
    }
    [[nodiscard]] HttpReply with_store(const std::string& path) const {
        if (path == "/readyz") return store->unfinished({}, 1).ok() ? text_reply(200, "ok\n") : without_store(path);
        Result<std::vector<MissionStore::Count>> missions = store->counts();
        return missions.ok() ? text_reply(200, metrics_text(worker.counts(), std::move(missions).value()))
                             : without_store(path);
    }

    /// On the server's thread, as `answer_late_ones`.
    void ask(Question question) {
        constexpr std::size_t kMostWaiting = 64;
        if (question.path == "/readyz" && is_draining) return question.responder->reply(without_store(question.path));
        std::unique_lock lock(mutex);
        if (open.size() >= kMostWaiting) {
            lock.unlock();
            return question.responder->reply(text_reply(503, "too many ask\n"));
        }
        open.push_back(std::make_shared<Question>(std::move(question)));
        came.notify_one();
    }
    void answer_late_ones() {
        std::vector<QuestionPtr> late;
        {
            const std::scoped_lock lock(mutex);
            const auto now = SteadyClock::now();
            std::erase_if(open, [&](const QuestionPtr& question) {
                if (question->end > now) return false;
                late.push_back(question);
                return true;
            });
        }
        for (const QuestionPtr& question : late)
            question->responder->reply(without_store(question->path));
    }
    void answer_all(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (came.wait(lock, stop, [this] { return !open.empty(); })) {
            const QuestionPtr next = open.front();
            lock.unlock();
            const HttpReply reply = with_store(next->path);
            lock.lock();
            if (std::erase(open, next) == 0) continue; // it was answered meanwhile
            lock.unlock();
            next->responder->reply(reply);
            lock.lock();
        }
    }

    const Worker& worker;
    const std::shared_ptr<MissionStore> store;
    std::atomic<bool> is_draining{false};
    std::unique_ptr<HttpServer> server;
    std::uint16_t port = 0;
    bool is_loopback = true; ///< names of other hosts in requests are refused
    std::jthread thread;     ///< ends before the server goes
    std::mutex mutex;        ///< of `open`
    std::condition_variable_any came;
    std::deque<QuestionPtr> open; ///< whoever takes one out answers it
    std::jthread asker;           ///< ends first
};

WorkerStatus::WorkerStatus(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkerStatus::~WorkerStatus() = default;

Result<std::unique_ptr<WorkerStatus>> WorkerStatus::listen(const std::string& host, std::uint16_t port,
                                                           const std::string& key, const Worker& worker,
                                                           std::shared_ptr<MissionStore> store) {
    auto impl = std::make_unique<Impl>(worker, std::move(store));
    const auto error_body = [](int, std::string_view message) { return JsonObject().text("error", message).finish(); };
    const auto refusal = [error_body](int status, std::string_view message) {
        return HttpReply{.status = status, .body = error_body(status, message), .headers = {}};
    };
    const auto gate = [refusal, key, raw = impl.get()](const HttpRequest& head) -> std::optional<HttpReply> {
        // Who watches over processes brings no keys, and learns nothing of what is in the store.
        const std::string_view needed = head.path == "/metrics" ? std::string_view(key) : std::string_view();
        if (const auto refused = access_refusal(head, raw->is_loopback, needed))
            return refusal(refused->status, refused->message);
        if (head.path != "/livez" && head.path != "/readyz" && head.path != "/metrics")
            return refusal(404, "There is no such path.");
        if (head.method != "GET") return refusal(405, "This path answers GET only.");
        return std::nullopt;
    };
    const auto handler = [raw = impl.get()](const HttpRequest& request,
                                            const std::shared_ptr<HttpResponder>& responder) {
        if (request.path == "/livez") return responder->reply(text_reply(200, "ok\n"));
        raw->ask({request.path, responder, SteadyClock::now() + kPatience});
    };
    impl->server = PTC_TRY(HttpServer::listen(host, port, {}, gate, handler, error_body));
    impl->port = impl->server->port();
    impl->is_loopback = impl->server->is_loopback();
    PTC_CHECK(check_reach(host, impl->is_loopback, !key.empty()));
    impl->server->every(kPatience / 8, [raw = impl.get()] { raw->answer_late_ones(); });
    impl->thread = std::jthread([raw = impl.get()] { raw->server->run_until_end(); });
    impl->asker = std::jthread([raw = impl.get()](const std::stop_token& stop) { raw->answer_all(stop); });
    return std::unique_ptr<WorkerStatus>(new WorkerStatus(std::move(impl)));
}

std::uint16_t WorkerStatus::port() const { return impl_->port; }
void WorkerStatus::note_draining() { impl_->is_draining = true; }

} // namespace ptc
