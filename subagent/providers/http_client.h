// HTTP over libcurl, as clients of models need it: one POST, whose answer is handed over as it arrives, and which ends
// in time.
#pragma once
#include "ptc/shared_function.h"
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptc {

/// What is sent. (The server of tools has an HttpRequest: names of both are linked into one program.)
struct HttpPost {
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::chrono::steady_clock::time_point deadline;
    std::chrono::milliseconds connect_timeout{0};
    std::optional<std::chrono::milliseconds> idle_timeout{}; ///< without a byte from the server
    std::string ca_file{};                                   ///< "": the system's
    bool is_direct = false;                                  ///< no proxy, whatever the environment says
    SharedFunction<bool()> is_unwanted{};                    ///< asked 20 times a second; true: the call ends at once
};

/// Status and headers.
struct HttpHead {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers{}; ///< names in lower case
    /// The last value of a header; "" when there is none.
    [[nodiscard]] std::string_view find(std::string_view name) const;
};

/// Why there is no answer, or only a part of one.
struct HttpFault {
    enum class Kind : std::uint8_t { Timeout, Network, Tls, Cancelled };
    Kind kind = Kind::Network;
    std::string message;
};

/// The next bytes of the body. False: that is enough, the rest is not waited for.
using HttpSink = std::function<bool(const HttpHead& head, std::string_view bytes)>;

/// Why there is no HTTP on this machine: no libcurl. "" when there is; only then may calls be made.
const std::string& http_problem();

/// May be used by several threads at once: each call takes connections that no other one uses, and brings them back.
/// Everything happens on the caller's thread, `sink` too. Certificates are verified, redirects not followed, no signal
/// is sent or needed.
class HttpClient {
public:
    HttpClient();
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    [[nodiscard]] std::variant<HttpHead, HttpFault> post(const HttpPost& request, const HttpSink& sink);

private:
    struct Connections; ///< a libcurl multi handle
    std::unique_ptr<Connections> take();
    void put_back(std::unique_ptr<Connections> connections);

    std::mutex mutex_;
    std::vector<std::unique_ptr<Connections>> idle_;
};

/// Of an address: "https", "host", and what is wrong with it for our purposes.
struct HttpAddress {
    std::string scheme;
    std::string host;      ///< without brackets
    bool has_more = false; ///< user, password, query or fragment
    [[nodiscard]] bool is_this_machine() const;
};
std::optional<HttpAddress> parse_address(const std::string& url);

} // namespace ptc
