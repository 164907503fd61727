// One POST over HTTP, on the caller's thread.
#pragma once
#include "subagent/providers/http_loop.h"
#include <mutex>

namespace ptc {

/// Why there is no HTTP on this machine: no libcurl. "" when there is; only then may calls be made.
const std::string& http_problem();

/// May be used by several threads at once: each call takes a loop, with its connections, that no other one uses, and
/// brings it back. Everything happens on the caller's thread, `sink` too, which may throw.
class HttpClient {
public:
    [[nodiscard]] HttpOutcome post(HttpPost request, const HttpSink& sink);

    /// A loop for calls of the caller's own, with connections that earlier ones left. Brought back with nothing under
    /// way.
    std::unique_ptr<HttpLoop> take();
    void put_back(std::unique_ptr<HttpLoop> loop);

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<HttpLoop>> idle_;
};

/// Of an address: "https", "host", and what is wrong with it for our purposes.
struct HttpAddress {
    std::string scheme;
    std::string host;      ///< without brackets
    bool has_more = false; ///< user, password, query or fragment
    [[nodiscard]] bool is_this_machine() const;
};
std::optional<HttpAddress> parse_address(const std::string& url);
/// Where `reference`, of a header or a page, leads from `url`; "" when that is no address.
std::string resolved_address(const std::string& url, const std::string& reference);
/// "https://host:443": scheme, host and port, the usual one where the address has none; "" when it is no address.
std::string origin_of(const std::string& url);

} // namespace ptc
