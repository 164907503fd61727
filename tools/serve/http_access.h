// Who may ask a server of ours at all, whatever it serves.
#pragma once
#include "ptc/result.h"
#include "tools/serve/http_server.h"
#include <string>
#include <string_view>

namespace ptc {

/// A page of a browser can be made to talk to a server on the loopback by a name that resolves to it, so that such a
/// server answers to these names only.
bool is_loopback_name(std::string_view host);

/// Equal texts; how long it takes shows nothing but their length.
bool same_secret(std::string_view a, std::string_view b);

/// Whether the request brings `key`, as `Authorization: Bearer KEY`.
bool brings_key(const HttpRequest& request, std::string_view key);

struct AccessRefusal {
    int status;
    const char* code;
    std::string message;
};
/// Who may not ask at all: on the loopback by another name, a page in a browser, whoever lacks the key ("" for none).
std::optional<AccessRefusal> access_refusal(const HttpRequest& request, bool is_loopback, std::string_view key);
/// invalid_request for a server that others reach, without a key.
Result<void> check_reach(const std::string& host, bool is_loopback, bool has_key);

/// The key in a variable of the environment, "" for no variable. Programs that are started do not inherit it.
/// invalid_request when there is none.
Result<std::string> take_key(const std::string& variable);

/// "127.0.0.1:8080", "[::1]:8080"
std::string address_text(const std::string& host, std::uint16_t port);

} // namespace ptc
