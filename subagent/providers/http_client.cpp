#include "subagent/providers/http_client.h"
#include "subagent/providers/curl_library.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxIdle = 8; ///< loops that are kept, each with its connections
constexpr std::chrono::hours kForever{24};

struct UrlDeleter {
    void operator()(CURLU* url) const { curl().url_cleanup(url); }
};

using Url = std::unique_ptr<CURLU, UrlDeleter>;

/// Null when it is no address, or there is no libcurl.
Url parse_url(const std::string& url) {
    if (!http_problem().empty()) return nullptr;
    Url parsed(curl().url());
    if (!parsed || curl().url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return nullptr;
    return parsed;
}

std::string part_of(const Url& url, CURLUPart which, unsigned flags = 0) {
    char* text = nullptr;
    if (curl().url_get(url.get(), which, &text, flags) != CURLUE_OK) return "";
    std::string out(text);
    curl().free(text);
    return out;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

} // namespace

const std::string& http_problem() { return curl_problem(); }

std::unique_ptr<HttpLoop> HttpClient::take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::make_unique<HttpLoop>();
    std::unique_ptr<HttpLoop> taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
}

void HttpClient::put_back(std::unique_ptr<HttpLoop> loop) {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(loop));
}

HttpOutcome HttpClient::post(HttpPost request, const HttpSink& sink) {
    std::unique_ptr<HttpLoop> loop = take();
    loop->start(0, std::move(request), sink);
    std::vector<HttpLoop::End> ends;
    while (ends.empty())
        ends = loop->wait(kForever);
    put_back(std::move(loop));
    return std::move(ends.front().outcome);
}

bool HttpAddress::is_this_machine() const {
    if (host == "localhost" || host == "::1") return true;
    // 127.0.0.0/8, in the form that cannot be the name of another host.
    return host.starts_with("127.") && std::ranges::count(host, '.') == 3 &&
           host.find_first_not_of("0123456789.") == std::string::npos;
}

std::optional<HttpAddress> parse_address(const std::string& url) {
    const Url parsed = parse_url(url);
    if (!parsed) return std::nullopt;
    const auto part = [&](CURLUPart which) { return part_of(parsed, which); };
    HttpAddress address{.scheme = part(CURLUPART_SCHEME), .host = lower(part(CURLUPART_HOST))};
    if (address.host.starts_with('[')) address.host = address.host.substr(1, address.host.size() - 2);
    for (const CURLUPart which : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
        address.has_more = address.has_more || !part(which).empty();
    return address;
}

std::string resolved_address(const std::string& url, const std::string& reference) {
    const Url parsed = parse_url(url);
    // Set upon an address, a relative one is resolved.
    if (!parsed || curl().url_set(parsed.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK) return "";
    return part_of(parsed, CURLUPART_URL);
}

std::string origin_of(const std::string& url) {
    const Url parsed = parse_url(url);
    if (!parsed) return "";
    return part_of(parsed, CURLUPART_SCHEME) + "://" + lower(part_of(parsed, CURLUPART_HOST)) + ":" +
           part_of(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

} // namespace ptc
