// A server that is a program of ours. One thread reads what it writes for as long as it runs and hands answers to those
// who wait for them, so any number of calls may be under way; requests of the server are answered by one of these.
// A server that writes without end, writes what is no message, or does not read what it is sent, is killed: its calls
// fail, and the next one starts it anew. While no call is under way the reading thread answers by itself, pings for
// one.
#include "frontend/quoted.h"
#include "frontend/utf8.h"
#include "subagent/mcp/child_process.h"
#include "subagent/mcp/client_secrets.h"
#include "subagent/mcp/client_transport.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ptc::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kPatience{250};     ///< for a server to end when its input does
constexpr Millis kTakeTime{1000};    ///< for it to take what is no request
constexpr Millis kMostDoubt{10'000}; ///< for it to answer anything after a call that was given up
constexpr std::size_t kKeptErrorBytes = 2000;
constexpr std::size_t kShownErrors = 300;
// Requests of the server that wait for an answer: as many as it may ask in one call, and these, with all that they say;
// of further ones nothing but their ids is kept, and they are refused. None is passed over in silence: a server may
// wait for each of its answers.
constexpr std::size_t kMostWaitingRequests = 16;
constexpr std::size_t kMostRefusedRequests = 100'000;
// Against a server that ends each time: so many starts in so long.
constexpr std::size_t kMostStarts = 5;
constexpr std::chrono::seconds kStartsTime{60};

std::vector<std::string> environment_of(const McpServer& server) {
    std::vector<std::string> environment = child_environment({});
    for (const auto& [name, value] : server.environment) {
        std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
        environment.push_back(name + "=" + value);
    }
    return environment;
}

class StdioTransport final : public Transport {
public:
    StdioTransport(const McpServer& server, Listener listener) : server_(server), listener_(std::move(listener)) {}
    ~StdioTransport() override {
        close();
        if (wake_ >= 0) ::close(wake_);
    }
    StdioTransport(const StdioTransport&) = delete;
    StdioTransport& operator=(const StdioTransport&) = delete;

    std::optional<Failure> open() override;
    bool is_open() override {
        const std::scoped_lock lock(mutex_);
        return is_running_;
    }
    Answer request(const Outgoing& request, const CallTerms& given) override;
    std::optional<Failure> notify(std::string_view method, const Datum& params) override {
        return send(write_notification(method, params), SteadyClock::now() + kTakeTime);
    }
    void set_revision(std::optional<Revision>) override {} // the messages carry all of it
    void agree(Revision) override {}
    void close() override;

private:
    struct Waiting {
        bool has_list = false;   ///< which is no part of the answer
        bool is_endless = false; ///< it listens: nothing is done meanwhile
        std::optional<Answer> answer{};
        std::string list{};
    };
    struct Asked {
        Message request;
        bool is_refused = false;
    };
    std::optional<Failure> send(std::string line, Deadline deadline, const std::stop_token& stop = {});
    void read();
    void wake();
    void doubt(std::int64_t call);
    [[nodiscard]] std::optional<Millis> left_of_doubt();
    bool take_output();
    void take_errors();
    bool take_line(std::string_view line);
    bool answer_misspelt(const Datum& id);
    bool take_request(Message request);
    bool is_listing(std::string_view line);
    std::variant<Message, BadMessage> read_line(std::string_view line);
    void end_all(const Failure& why);
    [[nodiscard]] Failure ended();
    [[nodiscard]] std::string last_words() const;
    [[nodiscard]] std::vector<Message> take_left_over();
    void answer_alone(const Message& request);
    void answer_server(std::unique_lock<std::mutex>& lock, Questions& questions, CallTerms& terms);

    const McpServer server_;
    const Listener listener_;
    std::mutex opening_; ///< held while it is started or closed
    std::timed_mutex writing_;
    std::mutex mutex_; ///< of all below
    std::condition_variable changed_;
    bool is_running_ = false;
    std::atomic<bool> is_deaf_{false};
    std::atomic<bool> is_closing_{false};
    std::map<std::int64_t, Waiting> waiting_;
    std::deque<Asked> asked_; ///< by the server
    std::string noise_;       ///< the last line that is no message, if it is the answer of no call
    std::deque<SteadyClock::time_point> starts_;
    std::optional<SteadyClock::time_point> doubted_until_; ///< a call was given up, and nothing was answered since
    std::int64_t last_ping_ = 0;                           ///< below it: ids of calls are above

    // Of the reading thread, and of those who start and close.
    Child child_;
    int wake_ = -1; ///< ends the reading
    std::thread reader_;
    std::string buffer_;
    std::string errors_; ///< the last of what it wrote there
    bool has_cut_errors_ = false;
    std::size_t unanswered_ = 0;
};

std::optional<Failure> StdioTransport::open() {
    const std::scoped_lock opening(opening_);
    if (is_open()) return std::nullopt;
    if (reader_.joinable()) reader_.join(); // of the one that ended
    const SteadyClock::time_point now = SteadyClock::now();
    while (!starts_.empty() && now - starts_.front() > kStartsTime)
        starts_.pop_front();
    if (starts_.size() >= kMostStarts)
        return failure(Failure::Kind::NotThere, "It has ended " + std::to_string(starts_.size()) +
                                                    " times in a minute and is not started again before that is over.");
    starts_.push_back(now);
    std::variant<Child, int> started = start_child({.arguments = server_.command,
                                                    .environment = environment_of(server_),
                                                    .folder = server_.folder,
                                                    .keeps_errors = true});
    if (const int* error = std::get_if<int>(&started))
        return failure(Failure::Kind::NotThere,
                       quoted_excerpt(server_.program.empty() ? server_.command[0] : server_.program, 200) +
                           " cannot be started: " + std::strerror(*error) + ".");
    child_ = std::get<Child>(started);
    if (wake_ < 0) wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::uint64_t times = 0;
    (void)!::read(wake_, &times, sizeof times);
    buffer_.clear();
    errors_.clear();
    has_cut_errors_ = false;
    unanswered_ = 0;
    is_deaf_ = is_closing_ = false;
    {
        const std::scoped_lock lock(mutex_);
        is_running_ = true;
        doubted_until_.reset();
        asked_.clear();
        noise_.clear();
    }
    reader_ = std::thread([this] { read(); });
    return std::nullopt;
}

void StdioTransport::close() {
    const std::scoped_lock opening(opening_);
    if (reader_.joinable()) {
        is_closing_ = true;
        wake();
        reader_.join();
    }
}

void StdioTransport::wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
}

/// Sends the line, whole: a part of one would make nonsense of the next. It is given up at `deadline`, or `stop`.
std::optional<Failure> StdioTransport::send(std::string line, Deadline deadline, const std::stop_token& stop) {
    line += '\n';
    const std::unique_lock writing(writing_, deadline);
    if (!writing.owns_lock()) return failure(Failure::Kind::Timeout, "It does not read what it is sent.");
    std::string_view rest = line;
    while (!rest.empty()) {
        int input = -1;
        {
            const std::scoped_lock lock(mutex_);
            if (!is_running_) return failure(Failure::Kind::Ended, "It has ended.");
            input = child_.input;
        }
        pollfd ready{.fd = input, .events = POLLOUT, .revents = 0};
        const auto left = std::chrono::ceil<Millis>(deadline - SteadyClock::now()).count();
        if (left <= 0 || stop.stop_requested()) {
            if (rest.size() != line.size()) { // it has half of a message: it is of no use any more
                is_deaf_ = true;
                wake();
            }
            if (left > 0) return failure(Failure::Kind::Cancelled, "Nobody waits for it any more.");
            return failure(Failure::Kind::Timeout, "It does not read what it is sent.");
        }
        if (::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 100))) <= 0) continue;
        const ssize_t written = write_quietly(input, rest);
        if (written >= 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR && errno != EAGAIN)
            return failure(Failure::Kind::Ended, "It has closed its input.");
    }
    return std::nullopt;
}

/// Until the program ends, breaks a rule, or is to be closed.
void StdioTransport::read() {
    while (true) {
        pollfd fds[] = {{.fd = child_.output, .events = POLLIN, .revents = 0},
                        {.fd = child_.errors, .events = POLLIN, .revents = 0},
                        {.fd = wake_, .events = POLLIN, .revents = 0}};
        const std::optional<Millis> left = left_of_doubt();
        if (::poll(fds, 3, left ? static_cast<int>(left->count()) : -1) < 0 && errno != EINTR) break;
        std::uint64_t times = 0;
        if (fds[2].revents) (void)!::read(wake_, &times, sizeof times);
        if (is_deaf_ || is_closing_) {
            end_all(failure(Failure::Kind::Ended, is_deaf_ ? "It did not read what it was sent." : "It was closed."));
            break;
        }
        if (fds[1].revents) take_errors();
        if (fds[0].revents && !take_output()) break;
        if (left_of_doubt() == Millis(0)) {
            end_all(failure(Failure::Kind::Ended, "It answered nothing any more after a call that was given up."));
            break;
        }
    }
}

/// Until it is taken for stuck; none when there is no doubt.
std::optional<Millis> StdioTransport::left_of_doubt() {
    const std::scoped_lock lock(mutex_);
    if (!doubted_until_) return std::nullopt;
    return std::max(Millis(0), std::chrono::ceil<Millis>(*doubted_until_ - SteadyClock::now()));
}

/// Of a call that was given up. Many servers do one thing after the other: one that is stuck in this call would answer
/// none of the next ones. It is asked for a sign of life, and started anew when none comes, whatever it is an answer
/// to. One that may be at work for an earlier call still has no time to answer.
void StdioTransport::doubt(std::int64_t call) {
    std::int64_t ping = 0;
    {
        const std::scoped_lock lock(mutex_);
        const auto is_earlier = [call](const auto& one) { return one.first < call && !one.second.is_endless; };
        if (!is_running_ || doubted_until_ || std::ranges::any_of(waiting_, is_earlier)) return;
        doubted_until_ = SteadyClock::now() + std::min<Millis>(server_.timeout, kMostDoubt);
        ping = --last_ping_;
    }
    wake();
    (void)send(write_request(Datum(ping), method_text(Method::Ping), Datum(Datum::Map())),
               SteadyClock::now() + kTakeTime);
}

/// What there is, without waiting for more: what a program has started may keep its standard error open for ever.
void StdioTransport::take_errors() {
    if (child_.errors < 0) return;
    char bytes[4096];
    const ssize_t count = ::read(child_.errors, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
        ::close(child_.errors);
        child_.errors = -1; // poll passes over it
        return;
    }
    errors_.append(bytes, static_cast<std::size_t>(count));
    has_cut_errors_ = has_cut_errors_ || errors_.size() > kKeptErrorBytes;
    if (errors_.size() > kKeptErrorBytes) errors_.erase(0, errors_.size() - kKeptErrorBytes);
}

bool StdioTransport::take_output() {
    char bytes[65536];
    const ssize_t count = ::read(child_.output, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (count <= 0) {
        end_all(ended());
        return false;
    }
    unanswered_ += static_cast<std::size_t>(count);
    const std::size_t searched = buffer_.size();
    buffer_.append(bytes, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = buffer_.find('\n', searched); end != std::string::npos; end = buffer_.find('\n', begin)) {
        if (!take_line(std::string_view(buffer_).substr(begin, end - begin))) return false;
        begin = end + 1;
    }
    constexpr std::size_t kKeptRoom = std::size_t{1} << 20; // what a large message needed is given back
    if (begin > 0 && buffer_.capacity() > kKeptRoom)
        std::string(buffer_, begin).swap(buffer_);
    else
        buffer_.erase(0, begin);
    if (buffer_.size() <= kMaxMessageBytes && unanswered_ <= kMaxUnansweredBytes) return true;
    end_all(failure(Failure::Kind::Broken, "It wrote more than it may: a message has at most " +
                                               std::to_string(kMaxMessageBytes) + " bytes."));
    return false;
}

/// Whether it is the answer to who wants a list, which may be large: that is known before it is read.
bool StdioTransport::is_listing(std::string_view line) {
    const auto wants_list = [](const auto& one) { return one.second.has_list; };
    {
        const std::scoped_lock lock(mutex_);
        if (std::ranges::none_of(waiting_, wants_list)) return false;
    }
    std::int64_t id = 0;
    if (!find_message_id(line).to_int64(&id)) return false;
    const std::scoped_lock lock(mutex_);
    const auto found = waiting_.find(id);
    return found != waiting_.end() && wants_list(*found);
}

/// Also the id of what is no message.
std::variant<Message, BadMessage> StdioTransport::read_line(std::string_view line) {
    std::variant<Message, BadMessage> read = read_message(line, is_listing(line) ? listing_limits() : message_limits());
    if (auto* const bad = std::get_if<BadMessage>(&read); bad && bad->id.is_nil()) bad->id = find_message_id(line);
    return read;
}

/// Whether a request of the server, such as a ping, needs no call that is under way: only questions to the user do.
bool needs_no_call(const Message& request) { return request.method != method_text(Method::Elicit); }

/// Of what the server asked in calls that are over, all that nobody has to be asked for. Under the lock.
std::vector<Message> StdioTransport::take_left_over() {
    std::vector<Message> left;
    if (!waiting_.empty()) return left; // somebody who waits answers
    std::erase_if(asked_, [&](Asked& asked) {
        const bool is_left = needs_no_call(asked.request);
        if (is_left) left.push_back(std::move(asked.request));
        return is_left;
    });
    return left;
}

/// While no call is under way. A server that does not read may miss the answer, but holds nobody up for long.
void StdioTransport::answer_alone(const Message& request) {
    Questions none;
    (void)send(listener_.answer(request, none), SteadyClock::now() + kTakeTime);
}

/// Whether it goes on.
bool StdioTransport::take_request(Message request) {
    bool is_alone = false;
    {
        const std::scoped_lock lock(mutex_);
        is_alone = waiting_.empty() && needs_no_call(request);
    }
    if (is_alone) {
        answer_alone(request);
        return true;
    }
    {
        const std::scoped_lock lock(mutex_);
        const std::size_t most = kMostWaitingRequests + server_.max_questions;
        const bool is_refused = asked_.size() >= most;
        if (is_refused) request.params = Datum();
        if (asked_.size() < most + kMostRefusedRequests) {
            asked_.push_back({std::move(request), is_refused});
            changed_.notify_all();
            return true;
        }
    }
    end_all(failure(Failure::Kind::Broken, "It asks on and on, and waits for no answer."));
    return false;
}

/// The number of a call that the id of an answer spells as a text, or with a fraction of nothing: that call fails at
/// once. Under the lock; whether there is such a call.
bool StdioTransport::answer_misspelt(const Datum& id) {
    const auto* fraction = id.get_if<double>();
    const auto meant = std::ranges::find_if(waiting_, [&](const auto& one) {
        return id == Datum(std::to_string(one.first)) || (fraction && *fraction == static_cast<double>(one.first));
    });
    if (meant == waiting_.end()) return false;
    if (!meant->second.answer)
        meant->second.answer =
            failure(Failure::Kind::Broken,
                    "It answered `" + id.to_json() + "` where it was asked `" + std::to_string(meant->first) + "`.");
    changed_.notify_all();
    return true;
}

/// Whether it goes on.
bool StdioTransport::take_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return true;
    std::variant<Message, BadMessage> read = read_line(line);
    std::int64_t id = 0;
    if (const auto* bad = std::get_if<BadMessage>(&read)) {
        // Servers print to standard output what belongs elsewhere: that is passed over, and told where a call gets no
        // answer. An answer that is none is not.
        const std::scoped_lock lock(mutex_);
        const auto found = bad->id.to_int64(&id) ? waiting_.find(id) : waiting_.end();
        if (found == waiting_.end()) {
            constexpr std::size_t kMostLookedAt = 65'536;
            const Result<Datum> json = line.size() <= kMostLookedAt ? Datum::from_json(line) : Result<Datum>(Datum());
            if (!json.ok() || !answer_misspelt(json.value()["id"])) noise_ = shown_noise(line, server_);
            return true;
        }
        found->second.answer = failure(Failure::Kind::Broken, "What it answered is no message: " + bad->error.message);
        changed_.notify_all();
        return true;
    }
    auto& message = std::get<Message>(read);
    if (message.kind == MessageKind::Notification) {
        listener_.hear(message);
        return true;
    }
    if (message.kind == MessageKind::Request) return take_request(std::move(message));
    const std::scoped_lock lock(mutex_);
    doubted_until_.reset();
    const auto found = message.id.to_int64(&id) ? waiting_.find(id) : waiting_.end();
    if (found == waiting_.end()) (void)answer_misspelt(message.id);
    if (found == waiting_.end() || found->second.answer) return true; // a second answer, or one that came too late
    unanswered_ = 0;
    found->second.list = std::move(message.list);
    if (message.kind == MessageKind::Result)
        found->second.answer = std::move(message.result);
    else
        found->second.answer = Failure{
            .kind = Failure::Kind::Refused, .message = message.error.message, .error = std::move(message.error)};
    changed_.notify_all();
    return true;
}

/// How it ended, with the last of what it said.
Failure StdioTransport::ended() {
    std::string how = "It closed its output.";
    if (has_ended_within(child_, kPatience)) {
        take_errors();
        siginfo_t info{};
        (void)::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT);
        how = info.si_code == CLD_EXITED ? "It ended with exit code " + std::to_string(info.si_status) + "."
                                         : "It was ended by signal " + std::to_string(info.si_status) + ".";
    }
    if (const std::string said = last_words(); !said.empty()) how += " It said: " + quoted_excerpt(said, kShownErrors);
    return failure(Failure::Kind::Ended, std::move(how));
}

/// Of what it wrote to standard error, as people and models may read it: whole characters, and no secrets.
std::string StdioTransport::last_words() const {
    const std::string shown = without_secrets(errors_, server_, has_cut_errors_ ? CutAt::Front : CutAt::Nowhere);
    std::string_view said = shown;
    while (!said.empty() && utf8::is_continuation(static_cast<unsigned char>(said.front())))
        said.remove_prefix(1);
    if (const std::size_t valid = utf8::find_invalid(said); valid != utf8::kValid) said = said.substr(0, valid);
    while (!said.empty() && (said.back() == '\n' || said.back() == ' '))
        said.remove_suffix(1);
    return std::string(said);
}

/// The end of the program: nobody waits for it any more.
void StdioTransport::end_all(const Failure& why) {
    Child ended;
    {
        const std::scoped_lock lock(mutex_);
        is_running_ = false;
        ended = std::exchange(child_, Child());
        for (auto& [id, waiting] : waiting_) {
            if (!waiting.answer) waiting.answer = why;
        }
        asked_.clear();
    }
    changed_.notify_all();
    if (ended.pid <= 0) return;
    const std::scoped_lock writing(writing_); // who is writing sees that it has ended, and lets go of the descriptor
    ::close(ended.input);                     // the sign to end by itself
    ended.input = -1;
    if (why.kind != Failure::Kind::Broken) (void)has_ended_within(ended, kPatience);
    kill_child(ended);
}

/// What the server asks is answered by somebody who waits for it, so that reading goes on. While a person thinks, the
/// call's time stands still. The server has the time of the call to take the answer: it may still be asking.
void StdioTransport::answer_server(std::unique_lock<std::mutex>& lock, Questions& questions, CallTerms& terms) {
    const Asked asked = std::move(asked_.front());
    asked_.pop_front();
    const bool is_alone = waiting_.size() == 1; // else nobody knows in which call it asks
    lock.unlock();
    const SteadyClock::time_point began = SteadyClock::now();
    Questions none;
    const ToolContext* const context = std::exchange(questions.context, is_alone ? terms.context : nullptr);
    std::string answer = listener_.answer(asked.request, asked.is_refused ? none : questions);
    questions.context = context;
    terms.deadline += SteadyClock::now() - began;
    (void)send(std::move(answer), terms.deadline, terms.stop);
    lock.lock();
}

Answer StdioTransport::request(const Outgoing& request, const CallTerms& given) {
    CallTerms terms = given;
    Questions questions{server_.max_questions, terms.context};
    std::int64_t id = 0;
    (void)request.id.to_int64(&id);
    {
        const std::scoped_lock lock(mutex_);
        if (!is_running_) return failure(Failure::Kind::Ended, "It has ended.");
        waiting_.emplace(id, Waiting{.has_list = request.list != nullptr,
                                     .is_endless = request.method == method_text(Method::Listen)});
    }
    std::optional<Failure> unsent =
        send(write_request(request.id, request.method, request.params), terms.deadline, terms.stop);
    const std::stop_callback on_stop(terms.stop, [this] {
        const std::scoped_lock waiting(mutex_); // not between a look and the wait
        changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    while (!unsent && !waiting_.at(id).answer) {
        if (!asked_.empty()) {
            answer_server(lock, questions, terms);
            continue;
        }
        if (terms.stop.stop_requested()) unsent = failure(Failure::Kind::Cancelled, "Nobody waits for it any more.");
        if (unsent || changed_.wait_until(lock, terms.deadline) == std::cv_status::no_timeout) continue;
        if (SteadyClock::now() >= terms.deadline && !waiting_.at(id).answer)
            unsent = failure(Failure::Kind::Timeout, "It did not answer in time." + noise_text(noise_));
    }
    // Whoever could not send it all may have been told why: that it ended.
    std::optional<Answer> answer = std::move(waiting_.at(id).answer);
    if (request.list) *request.list = std::move(waiting_.at(id).list);
    waiting_.erase(id);
    const std::vector<Message> left_over = take_left_over();
    lock.unlock();
    for (const Message& asked : left_over)
        answer_alone(asked);
    if (answer) return std::move(*answer);
    const bool is_given_up = unsent->kind == Failure::Kind::Timeout || unsent->kind == Failure::Kind::Cancelled;
    if (is_given_up && request.method != method_text(Method::Initialize))
        (void)notify(method_text(Method::Cancelled), Datum::object({{"requestId", request.id}}));
    if (is_given_up && request.method == method_text(Method::ToolsCall)) doubt(id);
    return std::move(*unsent);
}

} // namespace

std::unique_ptr<Transport> make_stdio_transport(const McpServer& server, Listener listener) {
    return std::make_unique<StdioTransport>(server, std::move(listener));
}

} // namespace ptc::mcp
