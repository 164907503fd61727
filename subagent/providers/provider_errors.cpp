// From what servers say to one of our kinds of error. Three tables are asked in this order: codes of the body, words of
// its message (some providers call everything an invalid request), the status. Waits come from headers or the body, as
// seconds, milliseconds or dates.
#include "subagent/providers/provider_errors.h"
#include "subagent/providers/curl_library.h"
#include "subagent/providers/wire.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>

namespace ptc {
namespace {

using Millis = std::chrono::milliseconds;

constexpr Millis kMaxWait = std::chrono::hours(1);

struct Kind {
    std::string_view name;
    bool is_permanent;
};
constexpr Kind kKinds[] = {
#define PTC_PROVIDER_ERROR(Name, kind, is_permanent, doc) {kind, is_permanent},
#include "subagent/providers/provider_errors.def"
#undef PTC_PROVIDER_ERROR
};

struct Named {
    std::string_view name;
    ProviderFault fault;
};

/// `code`, `type`, `status` and `reason` of error bodies. The most specific ones come first: an error has several.
constexpr Named kCodes[] = {
    // OpenAI and those that speak its protocol
    {"context_length_exceeded", ProviderFault::ContextLength},
    {"exceed_context_size_error", ProviderFault::ContextLength},
    {"insufficient_quota", ProviderFault::Quota},
    {"credit_balance_exhausted", ProviderFault::Quota},
    {"billing_hard_limit_reached", ProviderFault::Quota},
    {"billing_not_active", ProviderFault::Quota},
    {"model_not_found", ProviderFault::ModelNotFound},
    {"invalid_api_key", ProviderFault::Authentication},
    {"content_policy_violation", ProviderFault::ContentFilter},
    {"content_filter", ProviderFault::ContentFilter},
    {"server_is_overloaded", ProviderFault::Overloaded},
    {"slow_down", ProviderFault::Overloaded},
    {"rate_limit_exceeded", ProviderFault::RateLimit},
    // Google
    {"API_KEY_INVALID", ProviderFault::Authentication},
    {"API_KEY_EXPIRED", ProviderFault::Authentication},
    {"RESOURCE_EXHAUSTED", ProviderFault::RateLimit},
    {"UNAUTHENTICATED", ProviderFault::Authentication},
    {"PERMISSION_DENIED", ProviderFault::Permission},
    {"NOT_FOUND", ProviderFault::ModelNotFound}, // the model is all that our addresses name
    {"UNAVAILABLE", ProviderFault::Overloaded},
    {"DEADLINE_EXCEEDED", ProviderFault::Timeout},
    {"CANCELLED", ProviderFault::Cancelled},
    {"INTERNAL", ProviderFault::ServerError},
    {"FAILED_PRECONDITION", ProviderFault::InvalidRequest},
    {"INVALID_ARGUMENT", ProviderFault::InvalidRequest},
    // Anthropic; OpenAI uses several of these, too
    {"authentication_error", ProviderFault::Authentication},
    {"permission_error", ProviderFault::Permission},
    {"billing_error", ProviderFault::Quota},
    {"not_found_error", ProviderFault::NotFound},
    {"conflict_error", ProviderFault::Conflict},
    {"request_too_large", ProviderFault::TooLarge},
    {"rate_limit_error", ProviderFault::RateLimit},
    {"timeout_error", ProviderFault::Timeout},
    {"overloaded_error", ProviderFault::Overloaded},
    {"service_unavailable_error", ProviderFault::Overloaded},
    {"api_error", ProviderFault::ServerError},
    {"server_error", ProviderFault::ServerError},
    {"invalid_request_error", ProviderFault::InvalidRequest},
};

/// What only the message shows, of errors that are "invalid requests" otherwise. Lower case.
constexpr Named kWords[] = {
    {"maximum context length", ProviderFault::ContextLength},               // OpenAI, vLLM
    {"context window", ProviderFault::ContextLength},                       // Ollama and others
    {"prompt is too long", ProviderFault::ContextLength},                   // Anthropic
    {"exceeds the maximum number of tokens", ProviderFault::ContextLength}, // Google
    {"exceeds the available context size", ProviderFault::ContextLength},   // llama.cpp
    {"credit balance is too low", ProviderFault::Quota},                    // Anthropic
    {"api key not valid", ProviderFault::Authentication},                   // Google
    {"incorrect api key", ProviderFault::Authentication},                   // OpenAI
};

struct StatusRow {
    int status;
    ProviderFault fault;
};
constexpr StatusRow kStatuses[] = {
    {400, ProviderFault::InvalidRequest}, {401, ProviderFault::Authentication}, {402, ProviderFault::Quota},
    {403, ProviderFault::Permission},     {404, ProviderFault::NotFound},       {408, ProviderFault::Timeout},
    {409, ProviderFault::Conflict},       {413, ProviderFault::TooLarge},       {425, ProviderFault::RateLimit},
    {429, ProviderFault::RateLimit},      {499, ProviderFault::Cancelled},      {501, ProviderFault::InvalidRequest},
    {503, ProviderFault::Overloaded},     {504, ProviderFault::Timeout},        {524, ProviderFault::Timeout},
    {529, ProviderFault::Overloaded},
};

ProviderFault fault_of_status(int status) {
    const auto* row = std::ranges::find(kStatuses, status, &StatusRow::status);
    if (row != std::end(kStatuses)) return row->fault;
    return status >= 500 ? ProviderFault::ServerError : ProviderFault::InvalidRequest;
}

/// What an error body says, whoever wrote it.
struct Said {
    std::string message;
    std::vector<std::string> codes;
    int status = 0; ///< OpenRouter and Google repeat or replace the HTTP status
    std::optional<Millis> retry_after;
};

/// "34s" or "0.5s".
std::optional<Millis> seconds_text(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    constexpr double kLongest = 1e9; // which nobody waits for, as anything beyond
    const bool is_beyond = error == std::errc::result_out_of_range || seconds >= kLongest;
    if ((error != std::errc() && !is_beyond) || !(seconds >= 0)) return std::nullopt;
    if (is_beyond && text.find_first_of("eEiInN") != std::string_view::npos) return std::nullopt; // no time in seconds
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (!rest.empty() && rest != "s") return std::nullopt;
    return Millis(static_cast<std::int64_t>((is_beyond ? kLongest : seconds) * 1000));
}

void read_code(const Datum* code, Said& said) {
    if (!code) return;
    std::int64_t number = 0;
    if (code->text())
        said.codes.push_back(*code->text());
    else if (code->to_int64(&number) && number >= 100 && number < 600)
        said.status = static_cast<int>(number);
}

/// Google's `details`: why, and when to come back.
void read_details(const Datum& error, Said& said) {
    const Datum* details = error.find("details");
    if (!details || !details->list()) return;
    for (const Datum& detail : *details->list()) {
        read_code(detail.find("reason"), said);
        if (const std::string delay = text_at(detail, "retryDelay"); !delay.empty())
            said.retry_after = seconds_text(delay);
    }
}

Said read_error(const Datum& error) {
    Said said;
    if (error.text()) {
        said.message = *error.text();
        return said;
    }
    said.message = text_at(error, "message");
    if (said.message.empty()) said.message = text_at(error, "detail");
    read_details(error, said);
    for (const char* name : {"code", "type", "status"})
        read_code(error.find(name), said);
    return said;
}

bool contains_word(std::string_view message, std::string_view word) {
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
    return std::ranges::search(message, word, same).begin() != message.end();
}

std::optional<ProviderFault> fault_said(const Said& said) {
    std::optional<ProviderFault> found;
    for (const Named& row : kCodes) {
        if (!found && std::ranges::find(said.codes, row.name) != said.codes.end()) found = row.fault;
    }
    if (found && *found != ProviderFault::InvalidRequest && *found != ProviderFault::NotFound) return found;
    for (const Named& row : kWords)
        if (contains_word(said.message, row.name)) return row.fault;
    return found;
}

/// `invalid_request_error` and `server_error` are what errors are called that have no name of their own, whatever their
/// status is.
bool is_general(ProviderFault fault) {
    return fault == ProviderFault::InvalidRequest || fault == ProviderFault::ServerError;
}

/// `status` is what the server or the error gave; none: 500.
LlmError error_of(const Said& said, std::optional<int> status) {
    const std::optional<ProviderFault> found = fault_said(said);
    const bool is_telling = found && !(status && is_general(*found));
    ProviderFault fault = is_telling ? *found : fault_of_status(status.value_or(500));
    if (fault == ProviderFault::NotFound && contains_word(said.message, "model")) fault = ProviderFault::ModelNotFound;
    LlmError error = provider_error(fault, said.message);
    error.http_status = status.value_or(500);
    error.retry_after = said.retry_after;
    return error;
}

/// The part of the body that describes the error; a server may also wrap it in a list.
const Datum* error_part(const Datum& json) {
    const Datum* body = &json;
    if (const Datum::List* list = json.list()) {
        if (list->empty()) return nullptr;
        body = &list->front();
    }
    const Datum* error = body->find("error");
    const bool says_why = error && (error->map() || (error->text() && !error->text()->empty()));
    return says_why ? error : nullptr; // some servers write `false` or "" into every reply
}

std::optional<Millis> date_text(const std::string& text, std::chrono::system_clock::time_point now) {
    if (!curl_problem().empty()) return std::nullopt;
    const time_t when = curl().getdate(text.c_str(), nullptr);
    if (when == -1) return std::nullopt;
    // In seconds since 1970: the clock's own unit, nanoseconds, has no dates behind the year 2262.
    const auto wait = std::chrono::seconds(when) - std::chrono::duration<double>(now.time_since_epoch());
    const double millis = std::ceil(std::chrono::duration<double, std::milli>(wait).count());
    return Millis(static_cast<Millis::rep>(std::clamp(millis, 0.0, static_cast<double>(kMaxWait.count()))));
}

} // namespace

std::string_view kind_of(ProviderFault fault) { return kKinds[static_cast<std::size_t>(fault)].name; }
bool is_permanent(ProviderFault fault) { return kKinds[static_cast<std::size_t>(fault)].is_permanent; }

LlmError provider_error(ProviderFault fault, std::string message) {
    return {.kind = std::string(kind_of(fault)), .message = std::move(message), .is_permanent = is_permanent(fault)};
}

LlmError provider_error(const HttpFault& fault) {
    switch (fault.kind) {
    case HttpFault::Kind::Timeout: return provider_error(ProviderFault::Timeout, fault.message);
    case HttpFault::Kind::Tls: return provider_error(ProviderFault::Tls, fault.message);
    case HttpFault::Kind::Cancelled: return provider_error(ProviderFault::Cancelled, fault.message);
    case HttpFault::Kind::TooLarge: return provider_error(ProviderFault::TooLarge, fault.message);
    case HttpFault::Kind::Network: break;
    }
    return provider_error(ProviderFault::Network, fault.message);
}

LlmError http_error(const HttpHead& head, std::string_view body, std::chrono::system_clock::time_point now) {
    Said said;
    if (head.status >= 300 && head.status < 400) {
        said.message = "The server sends elsewhere, and redirects are not followed.";
    } else if (const Result<Datum> json = Datum::from_json(body); json.ok()) {
        const Datum* part = error_part(json.value());
        said = read_error(part ? *part : json.value());
    } else {
        said.message = body; // a page of a proxy, or plain text
    }
    if (said.message.empty()) said.message = "HTTP status " + std::to_string(head.status) + ".";
    LlmError error = error_of(said, head.status);
    if (const auto wish = retry_after(head, now)) error.retry_after = wish;
    if (error.retry_after) error.retry_after = std::min(*error.retry_after, kMaxWait);
    // Both official clients obey this one before their own tables.
    if (const std::string_view again = head.find("x-should-retry"); !again.empty())
        error.is_permanent = again == "false";
    for (const char* name : {"request-id", "x-request-id"}) {
        const std::string_view id = head.find(name);
        if (!id.empty() && id.size() <= 100) error.message += " (request " + std::string(id) + ")";
    }
    return error;
}

std::optional<LlmError> error_in(const Datum& json) {
    const Datum* part = error_part(json);
    if (!part) return std::nullopt;
    const Said said = read_error(*part);
    LlmError error = error_of(said, said.status ? std::optional(said.status) : std::nullopt);
    if (error.message.empty()) error.message = "The reply is an error.";
    error.http_status = said.status;
    return error;
}

std::optional<Millis> retry_after(const HttpHead& head, std::chrono::system_clock::time_point now) {
    std::optional<Millis> wish;
    if (const std::string_view ms = head.find("retry-after-ms"); !ms.empty()) {
        wish = seconds_text(ms);
        if (wish) return std::min(*wish / 1000, kMaxWait);
    }
    const std::string value(head.find("retry-after"));
    if (value.empty()) return std::nullopt;
    wish = seconds_text(value);
    if (!wish) wish = date_text(value, now);
    return wish ? std::optional(std::min(*wish, kMaxWait)) : std::nullopt;
}

} // namespace ptc
