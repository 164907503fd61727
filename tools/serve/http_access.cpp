#include "tools/serve/http_access.h"
#include "subagent/mcp/digest.h"
#include <algorithm>
#include <cstdlib>

namespace ptc {

bool is_loopback_name(std::string_view host) {
    if (host == "localhost" || host == "::1") return true;
    // 127.0.0.0/8 in its usual spelling: a name like 127.evil.example is none of this machine's.
    return host.starts_with("127.") && std::ranges::count(host, '.') == 3 &&
           host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool same_secret(std::string_view a, std::string_view b) { return mcp::same_bytes(a, b); }

bool brings_key(const HttpRequest& request, std::string_view key) {
    constexpr std::string_view kBearer = "bearer ";
    const std::string_view given = request.authorization;
    const bool is_bearer = std::ranges::equal(given.substr(0, kBearer.size()), kBearer,
                                              [](char a, char b) { return a == b || a == b - 'a' + 'A'; });
    return is_bearer && same_secret(given.substr(kBearer.size()), key);
}

std::optional<AccessRefusal> access_refusal(const HttpRequest& request, bool is_loopback, std::string_view key) {
    if (is_loopback && !is_loopback_name(request.host))
        return AccessRefusal{403, "host_refused",
                             "This server answers to localhost and 127.0.0.1 only, as the Host of a request."};
    if (request.is_of_a_page) return AccessRefusal{403, "origin_refused", "Pages in browsers are not answered."};
    if (!key.empty() && !brings_key(request, key))
        return AccessRefusal{401, "invalid_api_key",
                             "The request needs the key of this server, as `Authorization: Bearer KEY`."};
    return std::nullopt;
}

Result<void> check_reach(const std::string& host, bool is_loopback, bool has_key) {
    if (is_loopback || has_key) return {};
    return Error(Reason::InvalidRequest,
                 "On " + host + " anybody could ask: --key-env names a variable of the environment with a key.");
}

Result<std::string> take_key(const std::string& variable) {
    if (variable.empty()) return std::string();
    const char* value = std::getenv(variable.c_str());
    if (!value || !*value)
        return Error(Reason::InvalidRequest, "The environment has no `" + variable + "`, which --key-env names.");
    std::string key = value;
    std::fill_n(std::getenv(variable.c_str()), key.size(), '*'); // /proc/PID/environ shows what was there
    ::unsetenv(variable.c_str());
    return key;
}

std::string address_text(const std::string& host, std::uint16_t port) {
    const bool is_v6 = host.find(':') != std::string::npos;
    return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace ptc
