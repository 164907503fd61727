// One POST over libcurl's multi interface. Everything happens on the caller's thread, in one loop: let libcurl work,
// hand what arrived to the sink, look whether the transfer or the time is over, wait for the sockets. libcurl's
// callbacks only collect bytes, so nothing of ours runs inside it. A call takes a multi handle, which keeps
// connections, from a pool and brings it back.
#include "subagent/providers/http_client.h"
#include "subagent/providers/curl_library.h"
#include <algorithm>
#include <array>
#include <charconv>

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr std::size_t kMaxIdle = 8;                 ///< connections that are kept, times those of one multi handle
constexpr std::size_t kMaxHeaderBytes = 256u << 10; ///< of all headers of an answer
constexpr Millis kAskPoll{50};                      ///< how soon a call ends that nobody waits for
constexpr Millis kPoll{500};                        ///< libcurl wakes up by itself; this is for clocks that jump
constexpr Millis kGrace{50}; ///< for the end of an answer whose content is there, so that the connection stays usable

struct EasyDeleter {
    void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
struct UrlDeleter {
    void operator()(CURLU* url) const { curl().url_cleanup(url); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

/// One answer on its way. libcurl writes into it; nothing of ours is called from within libcurl.
struct Transfer {
    HttpHead head;
    std::string arrived; ///< bytes of the body that the sink has not seen
    std::size_t header_bytes = 0;
    Clock::time_point last_byte = Clock::now();
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

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    transfer.last_byte = Clock::now();
    transfer.arrived.append(bytes, size * count);
    return size * count;
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    transfer.last_byte = Clock::now();
    const std::string_view line = trimmed({bytes, size * count});
    transfer.header_bytes += size * count;
    if (transfer.header_bytes > kMaxHeaderBytes) return 0; // an error for libcurl
    if (line.starts_with("HTTP/")) { // also the answer of a proxy, or 100 Continue: what counts comes last
        transfer.head = {};
        const std::size_t space = line.find(' ');
        if (space != std::string_view::npos)
            std::from_chars(line.data() + space + 1, line.data() + line.size(), transfer.head.status);
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
        transfer.head.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return size * count;
}

HeaderList header_list(const HttpPost& request) {
    curl_slist* list = nullptr;
    for (const auto& [name, value] : request.headers)
        list = curl().slist_append(list, (name + ": " + value).c_str());
    list = curl().slist_append(list, "Expect:"); // a long body is not announced, it is sent
    return HeaderList(list);
}

Millis left_until(Clock::time_point when) {
    return std::max(Millis(0), std::chrono::ceil<Millis>(when - Clock::now()));
}

void set_up(CURL* easy, const HttpPost& request, const HeaderList& headers, Transfer& transfer) {
    const auto set = [easy](CURLoption option, auto value) { (void)curl().easy_setopt(easy, option, value); };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
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
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, left_until(request.deadline).count())));
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_ERRORBUFFER, transfer.error.data());
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, &transfer);
}

HttpFault fault_of(CURLcode code, const Transfer& transfer) {
    const std::string detail = transfer.error[0] ? transfer.error.data() : curl().easy_strerror(code);
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

struct HttpClient::Connections {
    CURLM* multi = curl().multi_init();
    Connections() = default;
    ~Connections() { curl().multi_cleanup(multi); }
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    /// Adds `easy` for as long as this lives.
    struct Use {
        CURLM* multi;
        CURL* easy;
        Use(CURLM* m, CURL* e) : multi(m), easy(e) { curl().multi_add_handle(multi, easy); }
        ~Use() { curl().multi_remove_handle(multi, easy); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
    };
    [[nodiscard]] std::optional<CURLcode> result() const {
        int left = 0;
        while (const CURLMsg* message = curl().multi_info_read(multi, &left))
            if (message->msg == CURLMSG_DONE) return message->data.result;
        return std::nullopt;
    }
};

std::string_view HttpHead::find(std::string_view name) const {
    const auto found = std::ranges::find(headers.rbegin(), headers.rend(), name, [](const auto& h) { return h.first; });
    return found == headers.rend() ? std::string_view() : std::string_view(found->second);
}

const std::string& http_problem() { return curl_problem(); }

HttpClient::HttpClient() = default;
HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Connections> HttpClient::take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::make_unique<Connections>();
    std::unique_ptr<Connections> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
}

void HttpClient::put_back(std::unique_ptr<Connections> connections) {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(connections));
}

std::variant<HttpHead, HttpFault> HttpClient::post(const HttpPost& request, const HttpSink& sink) {
    if (left_until(request.deadline) == Millis(0)) return too_late("No time is left.");
    std::unique_ptr<Connections> connections = take();
    const Easy easy(curl().easy_init());
    const HeaderList headers = header_list(request);
    Transfer transfer;
    if (!connections->multi || !easy || !headers) return HttpFault{HttpFault::Kind::Network, "libcurl has no memory."};
    set_up(easy.get(), request, headers, transfer);
    const auto outcome = [&]() -> std::variant<HttpHead, HttpFault> {
        const Connections::Use use(connections->multi, easy.get());
        std::optional<Clock::time_point> enough; // the sink has all that it wants since then
        while (true) {
            int running = 0;
            if (curl().multi_perform(connections->multi, &running) != CURLM_OK)
                return HttpFault{HttpFault::Kind::Network, "libcurl failed."};
            if (!transfer.arrived.empty()) {
                const std::string bytes = std::exchange(transfer.arrived, {});
                if (!enough && !sink(transfer.head, bytes)) enough = Clock::now();
            }
            const std::optional<CURLcode> result = connections->result();
            if (result && (*result == CURLE_OK || enough)) return transfer.head;
            if (result) return fault_of(*result, transfer);
            if (enough && Clock::now() - *enough >= kGrace) return transfer.head;
            if (left_until(request.deadline) == Millis(0)) return too_late("The time for the call is over.");
            if (request.is_unwanted && request.is_unwanted())
                return HttpFault{HttpFault::Kind::Cancelled, "Nobody waits for the reply any more."};
            const Millis poll = request.is_unwanted ? kAskPoll : kPoll;
            Millis wait = std::min(poll, enough ? left_until(*enough + kGrace) : left_until(request.deadline));
            if (request.idle_timeout) {
                const Millis idle = left_until(transfer.last_byte + *request.idle_timeout);
                if (idle == Millis(0)) return too_late("Nothing came from the server for too long.");
                wait = std::min(wait, idle);
            }
            (void)curl().multi_poll(connections->multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
        }
    }();
    put_back(std::move(connections));
    return outcome;
}

bool HttpAddress::is_this_machine() const {
    if (host == "localhost" || host == "::1") return true;
    // 127.0.0.0/8, in the form that cannot be the name of another host.
    return host.starts_with("127.") && std::ranges::count(host, '.') == 3 &&
           host.find_first_not_of("0123456789.") == std::string::npos;
}

std::optional<HttpAddress> parse_address(const std::string& url) {
    if (!http_problem().empty()) return std::nullopt;
    const std::unique_ptr<CURLU, UrlDeleter> parsed(curl().url());
    if (!parsed || curl().url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return std::nullopt;
    const auto part = [&](CURLUPart which) {
        char* text = nullptr;
        if (curl().url_get(parsed.get(), which, &text, 0) != CURLUE_OK) return std::string();
        std::string out(text);
        curl().free(text);
        return out;
    };
    HttpAddress address{.scheme = part(CURLUPART_SCHEME), .host = lower(part(CURLUPART_HOST))};
    if (address.host.starts_with('[')) address.host = address.host.substr(1, address.host.size() - 2);
    for (const CURLUPart which : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
        address.has_more = address.has_more || !part(which).empty();
    return address;
}

} // namespace ptc
