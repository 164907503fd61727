// POSTs over libcurl's multi interface, driven by its sockets: an epoll has all of them, so a step costs what has
// happened, not what is under way, and a host's own loop needs to look at one descriptor. libcurl's callbacks only
// collect bytes and note what to wait for, so nothing of ours runs inside it; sinks are called between its steps.
// Deadlines, silence and callers who have gone are looked for every few milliseconds, and at once when a stop token
// says so.
#include "subagent/providers/http_loop.h"
#include "subagent/providers/curl_library.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr std::size_t kMaxHeaderBytes = 256u << 10; ///< of all headers of an answer
constexpr Millis kAskPoll{25};                      ///< how soon a call ends that nobody waits for
constexpr Millis kPoll{500};                        ///< libcurl wakes up by itself; this is for clocks that jump
constexpr Millis kGrace{50}; ///< for the end of an answer whose content is there, so that the connection stays usable

struct EasyDeleter {
    void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

/// An answer on its way. libcurl writes into it.
struct Answer {
    HttpHead head;
    std::string arrived; ///< bytes of the body that the sink has not seen
    std::size_t header_bytes = 0;
    bool has_head = false; ///< all of it
    Clock::time_point last_byte = Clock::now();
    std::function<void()> on_head{};
    std::array<char, CURL_ERROR_SIZE> error{};
};

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n'))
        text.remove_suffix(1);
    return text;
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& answer = *static_cast<Answer*>(user);
    answer.last_byte = Clock::now();
    const std::string_view line = trimmed({bytes, size * count});
    answer.header_bytes += size * count;
    if (answer.header_bytes > kMaxHeaderBytes) return 0; // an error for libcurl
    if (line.starts_with("HTTP/")) { // also the answer of a proxy, or 100 Continue: what counts comes last
        answer.head = {};
        const std::size_t space = line.find(' ');
        if (space != std::string_view::npos)
            std::from_chars(line.data() + space + 1, line.data() + line.size(), answer.head.status);
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
        answer.head.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    } else if (line.empty() && answer.head.status >= 200) {
        answer.has_head = true;
        if (answer.on_head) answer.on_head();
    }
    return size * count;
}

HeaderList header_list(const HttpPost& request) {
    curl_slist* list = nullptr;
    for (const auto& [name, value] : request.headers)
        // With nothing behind the colon libcurl would leave the header out.
        list = curl().slist_append(list, (value.empty() ? name + ";" : name + ": " + value).c_str());
    list = curl().slist_append(list, "Expect:"); // a long body is not announced, it is sent
    return HeaderList(list);
}

Millis left_until(Clock::time_point when) {
    return std::max(Millis(0), std::chrono::ceil<Millis>(when - Clock::now()));
}

void set_up(CURL* easy, const HttpPost& request, const HeaderList& headers, Answer& answer) {
    const auto set = [easy](CURLoption option, auto value) { (void)curl().easy_setopt(easy, option, value); };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    if (request.method.empty() || request.method == "POST") {
        set(CURLOPT_POST, 1L);
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(CURLOPT_POSTFIELDS, request.body.data());
    } else if (request.method != "GET") {
        set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_USERAGENT, "ptc");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!request.ca_file.empty()) set(CURLOPT_CAINFO, request.ca_file.c_str());
    if (request.is_direct) set(CURLOPT_PROXY, "");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L); // a name that is still being resolved at the deadline is not waited for
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, request.connect_timeout.count())));
    // The loop ends it at the deadline (look_after); libcurl, whose clock counts whole milliseconds, not before that.
    set(CURLOPT_TIMEOUT_MS, static_cast<long>((left_until(request.deadline) + kPoll).count()));
    // A connection that takes several calls at once is waited for, where it is known when it stands.
    if (request.url.starts_with("https:")) set(CURLOPT_PIPEWAIT, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_ERRORBUFFER, answer.error.data());
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, &answer);
}

HttpFault fault_of(CURLcode code, const Answer& answer) {
    // libcurl has no memory for a line of 100 KiB, either.
    if (answer.header_bytes > kMaxHeaderBytes || (code == CURLE_OUT_OF_MEMORY && !answer.has_head))
        return {HttpFault::Kind::TooLarge, "The head of the answer is too long."};
    const std::string detail = answer.error[0] ? answer.error.data() : curl().easy_strerror(code);
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT: return {HttpFault::Kind::Timeout, detail};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return {HttpFault::Kind::Tls, detail};
    default: return {HttpFault::Kind::Network, detail}; // too many to list; all others are the network's
    }
}

HttpFault too_late(std::string message) { return {HttpFault::Kind::Timeout, std::move(message)}; }

} // namespace

struct HttpLoop::Transfer {
    Transfer(HttpLoop& owner, std::uint64_t name, HttpPost post, HttpSink receiver)
        : loop(owner), id(name), request(std::move(post)), sink(std::move(receiver)), easy(curl().easy_init()),
          headers(header_list(request)), on_stop(request.stop, [&owner] {
              owner.has_stop_ = true;
              owner.wake();
          }) {}
    ~Transfer() {
        if (is_added) curl().multi_remove_handle(static_cast<CURLM*>(loop.multi_), easy.get());
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    /// Why it must end now, if it must.
    [[nodiscard]] std::optional<HttpOutcome> why_over(Clock::time_point now) const {
        if (enough && now - *enough >= kGrace) return answer.head;
        if (now >= request.deadline) return too_late("The time for the call is over.");
        if (request.idle_timeout && now >= answer.last_byte + *request.idle_timeout)
            return too_late("Nothing came from the server for too long.");
        if (request.stop.stop_requested() || (request.is_unwanted && request.is_unwanted()))
            return HttpFault{HttpFault::Kind::Cancelled, "Nobody waits for the reply any more."};
        return std::nullopt;
    }
    /// When to ask again.
    [[nodiscard]] Clock::time_point next_look(Clock::time_point now) const {
        Clock::time_point next = std::min(request.deadline, now + (request.is_unwanted ? kAskPoll : kPoll));
        if (enough) next = std::min(next, *enough + kGrace);
        if (request.idle_timeout) next = std::min(next, answer.last_byte + *request.idle_timeout);
        return next;
    }

    HttpLoop& loop;
    const std::uint64_t id;
    const HttpPost request;
    const HttpSink sink;
    Answer answer;
    const Easy easy;
    const HeaderList headers;
    bool is_added = false;
    std::optional<Clock::time_point> enough; ///< the sink has all that it wants since then
    std::stop_callback<std::function<void()>> on_stop;
};

struct HttpLoop::Callbacks {
    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* user) {
        auto& transfer = *static_cast<Transfer*>(user);
        transfer.answer.last_byte = Clock::now();
        if (transfer.answer.arrived.empty()) transfer.loop.arrived_.push_back(&transfer);
        transfer.answer.arrived.append(bytes, size * count);
        return size * count;
    }
    static int on_timer(CURLM*, long millis, void* user) {
        auto& timer = static_cast<HttpLoop*>(user)->timer_;
        timer = millis < 0 ? std::nullopt : std::optional(Clock::now() + Millis(millis));
        return 0;
    }
    /// libcurl's data of a socket is whether the epoll has it.
    static int on_socket(CURL*, curl_socket_t socket, int what, void* user, void* is_known) {
        const auto& loop = *static_cast<HttpLoop*>(user);
        if (what == CURL_POLL_REMOVE) {
            (void)::epoll_ctl(loop.poll_, EPOLL_CTL_DEL, socket, nullptr);
            return 0;
        }
        epoll_event event{};
        event.data.fd = socket;
        if (what & CURL_POLL_IN) event.events |= EPOLLIN;
        if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
        (void)::epoll_ctl(loop.poll_, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
        if (!is_known) curl().multi_assign(static_cast<CURLM*>(loop.multi_), socket, user);
        return 0;
    }
    static CURLM* make(HttpLoop& loop) {
        CURLM* multi = curl().multi_init();
        if (!multi) return nullptr;
        const auto set = [multi](CURLMoption option, auto value) { (void)curl().multi_setopt(multi, option, value); };
        set(CURLMOPT_SOCKETFUNCTION, &on_socket);
        set(CURLMOPT_SOCKETDATA, &loop);
        set(CURLMOPT_TIMERFUNCTION, &on_timer);
        set(CURLMOPT_TIMERDATA, &loop);
        return multi;
    }
};

std::string_view HttpHead::find(std::string_view name) const {
    const auto found = std::ranges::find(headers.rbegin(), headers.rend(), name, [](const auto& h) { return h.first; });
    return found == headers.rend() ? std::string_view() : std::string_view(found->second);
}

HttpLoop::HttpLoop() : poll_(::epoll_create1(EPOLL_CLOEXEC)), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = event_;
    if (event_ >= 0) (void)::epoll_ctl(poll_, EPOLL_CTL_ADD, event_, &event);
}

HttpLoop::~HttpLoop() {
    transfers_.clear();
    if (multi_) curl().multi_cleanup(static_cast<CURLM*>(multi_)); // still tells of the sockets that it closes
    for (const int descriptor : {event_, poll_})
        if (descriptor >= 0) ::close(descriptor);
}

void HttpLoop::start(std::uint64_t id, HttpPost request, HttpSink sink) {
    if (left_until(request.deadline) == Millis(0)) {
        ends_.push_back({id, too_late("No time is left.")});
        return;
    }
    if (!multi_) multi_ = Callbacks::make(*this);
    auto made = std::make_unique<Transfer>(*this, id, std::move(request), std::move(sink));
    Transfer& transfer = *made;
    if (!multi_ || poll_ < 0 || event_ < 0 || !transfer.easy || !transfer.headers) {
        ends_.push_back({id, HttpFault{HttpFault::Kind::Network, "There is no memory, or no descriptor, for a call."}});
        return;
    }
    if (transfer.request.wants_head) transfer.answer.on_head = [this, &transfer] { arrived_.push_back(&transfer); };
    set_up(transfer.easy.get(), transfer.request, transfer.headers, transfer.answer);
    (void)curl().easy_setopt(transfer.easy.get(), CURLOPT_WRITEFUNCTION, &Callbacks::on_body);
    (void)curl().easy_setopt(transfer.easy.get(), CURLOPT_WRITEDATA, &transfer);
    (void)curl().easy_setopt(transfer.easy.get(), CURLOPT_PRIVATE, &transfer);
    transfer.is_added = curl().multi_add_handle(static_cast<CURLM*>(multi_), transfer.easy.get()) == CURLM_OK;
    const Clock::time_point look = transfer.next_look(Clock::now());
    next_look_ = transfers_.empty() ? look : std::min(next_look_, look);
    if (transfer.is_added)
        transfers_.emplace(id, std::move(made));
    else
        ends_.push_back({id, HttpFault{HttpFault::Kind::Network, "libcurl failed."}});
}

void HttpLoop::cancel(std::uint64_t id) {
    const auto found = transfers_.find(id);
    if (found != transfers_.end()) std::erase(arrived_, found->second.get());
    std::erase_if(ends_, [id](const End& end) { return end.id == id; });
    if (found != transfers_.end()) transfers_.erase(found);
}

void HttpLoop::wake() {
    const std::uint64_t one = 1;
    (void)!::write(event_, &one, sizeof one);
}

std::optional<Clock::time_point> HttpLoop::due() const {
    if (!ends_.empty()) return Clock::now();
    if (transfers_.empty()) return std::nullopt;
    return timer_ ? std::min(*timer_, next_look_) : next_look_;
}

/// Waits for sockets and lets libcurl work.
void HttpLoop::act(Millis timeout) {
    std::array<epoll_event, 64> events{};
    const int count =
        ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), static_cast<int>(timeout.count()));
    int running = 0;
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.fd == event_) {
            std::uint64_t times = 0;
            is_woken_ = ::read(event_, &times, sizeof times) > 0;
            continue;
        }
        int what = 0;
        if (event.events & (EPOLLIN | EPOLLHUP)) what |= CURL_CSELECT_IN;
        if (event.events & EPOLLOUT) what |= CURL_CSELECT_OUT;
        if (event.events & EPOLLERR) what |= CURL_CSELECT_ERR;
        (void)curl().multi_socket_action(static_cast<CURLM*>(multi_), event.data.fd, what, &running);
    }
    if (timer_ && Clock::now() >= *timer_) {
        timer_.reset(); // libcurl sets the next one
        (void)curl().multi_socket_action(static_cast<CURLM*>(multi_), CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

void HttpLoop::hand_over() {
    while (!arrived_.empty()) {
        Transfer& transfer = *arrived_.back();
        arrived_.pop_back();
        const std::string bytes = std::exchange(transfer.answer.arrived, {});
        if (transfer.enough || transfer.sink(transfer.answer.head, bytes)) continue;
        transfer.enough = Clock::now();
        next_look_ = std::min(next_look_, *transfer.enough + kGrace);
    }
}

void HttpLoop::finish(Transfer& transfer, HttpOutcome outcome) {
    ends_.push_back({transfer.id, std::move(outcome)});
    transfers_.erase(transfer.id);
}

void HttpLoop::read_results() {
    int left = 0;
    while (const CURLMsg* message = curl().multi_info_read(static_cast<CURLM*>(multi_), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        void* owner = nullptr;
        if (curl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner) != CURLE_OK || !owner) continue;
        auto& transfer = *static_cast<Transfer*>(owner);
        const bool is_whole = code == CURLE_OK || transfer.enough;
        finish(transfer, is_whole ? HttpOutcome(transfer.answer.head) : fault_of(code, transfer.answer));
    }
}

/// Of all transfers, which is cheap, but not done more often than needed.
void HttpLoop::look_after() {
    const Clock::time_point now = Clock::now();
    if (!has_stop_.exchange(false) && now < next_look_) return;
    next_look_ = now + kPoll;
    for (auto at = transfers_.begin(); at != transfers_.end();) {
        Transfer& transfer = *(at++)->second;
        if (std::optional<HttpOutcome> over = transfer.why_over(now))
            finish(transfer, std::move(*over));
        else
            next_look_ = std::min(next_look_, transfer.next_look(now));
    }
}

std::vector<HttpLoop::End> HttpLoop::wait(Millis timeout) {
    const Clock::time_point end = Clock::now() + std::min(timeout, Millis(std::chrono::hours(24)));
    while (true) {
        Millis most = ends_.empty() ? left_until(end) : Millis(0);
        if (const auto next = due()) most = std::min(most, left_until(*next));
        act(most);
        hand_over();
        read_results();
        look_after();
        if (!ends_.empty() || std::exchange(is_woken_, false) || Clock::now() >= end) return std::exchange(ends_, {});
    }
}

} // namespace ptc
