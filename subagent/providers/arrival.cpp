// What arrives from a server, until it is a reply or an error. The first bytes decide by the head whether they are a
// stream of events or one body; bytes are counted against the limit as they come, and the key is taken out of
// everything that leaves here.
#include "subagent/providers/arrival.h"
#include <algorithm>
#include <utility>

namespace ptc {
namespace {

constexpr std::string_view kEvents = "text/event-stream";
constexpr std::size_t kMaxErrorBody = 64u << 10;
constexpr std::string_view kBlank = " \t\r\n";

bool is_error(const HttpHead& head) { return head.status < 200 || head.status >= 300; }

/// Types of media have no case.
bool is_event_stream(const HttpHead& head) {
    const auto same = [](char given, char own) {
        return given == own || (given >= 'A' && given <= 'Z' && given - 'A' + 'a' == own);
    };
    const std::string_view type = head.find("content-type").substr(0, kEvents.size());
    return std::ranges::equal(type, kEvents, same);
}

/// Servers call streams of events other things, and the official clients read them all the same: events begin with a
/// name or a colon, where JSON and pages have a bracket. Of what was asked to be a stream.
bool begins_events(std::string_view bytes) {
    const std::size_t first = bytes.find_first_not_of(kBlank);
    return first != std::string_view::npos && std::string_view("{[<\"").find(bytes[first]) == std::string_view::npos;
}

/// Of JSON that could not be read.
ProviderFault fault_of(const Error& error) {
    return error.reason == Reason::Timeout ? ProviderFault::Timeout : ProviderFault::BadReply;
}

} // namespace

ReplyArrival::ReplyArrival(const WireFormat& wire, const ProviderCall& call, std::string_view key)
    : call_(call), key_(key), reader_(wire.reader(call)), events_(call.options.max_reply_bytes) {
    if (call.is_stream) sink_.show = [this](const LlmDelta& delta) { show(delta); };
}

/// Without the key, of which each piece may bring a part.
void ReplyArrival::show(const LlmDelta& delta) {
    auto at = filters_.find({delta.kind, delta.call});
    if (at == filters_.end()) {
        const LlmRequest& request = call_.request;
        const auto tell = [&request, kind = delta.kind, call = delta.call,
                           tool = without_secret(std::string(delta.tool), key_)](std::string_view text) {
            if (kind == LlmDelta::Kind::Text && request.on_text) request.on_text(text);
            if (request.on_delta) request.on_delta({kind, text, call, tool});
        };
        at = filters_.try_emplace({delta.kind, delta.call}, tell, key_).first;
    }
    at->second.feed(delta.text);
}

/// Of a server that does not stream.
void ReplyArrival::show_whole(const LlmReply& reply) {
    sink_.reasoning(reply.reasoning);
    sink_.text(reply.text);
    for (std::size_t i = 0; i < reply.tool_calls.size(); ++i)
        sink_.arguments(i, reply.tool_calls[i].name, reply.tool_calls[i].arguments.to_json());
}

bool ReplyArrival::take(const HttpHead& head, std::string_view bytes) {
    bytes_ += bytes.size();
    if (is_error(head)) {
        body_ += bytes.substr(0, kMaxErrorBody - body_.size());
        return body_.size() < kMaxErrorBody;
    }
    if (bytes_ > call_.options.max_reply_bytes) {
        fail(ProviderFault::TooLarge,
             "The reply has more than " + std::to_string(call_.options.max_reply_bytes) + " bytes.");
        return false;
    }
    if (!is_stream_ && body_.find_first_not_of(kBlank) == std::string::npos)
        is_stream_ = is_event_stream(head) || (call_.is_stream && begins_events(bytes));
    if (!is_stream_) {
        body_ += bytes;
        return true;
    }
    const auto visit = [this](const SseEvent& event) { return on_event(event); };
    const std::string blank = std::exchange(body_, {}); // what came before it was known to be a stream
    const bool goes_on = events_.feed(blank, visit) && events_.feed(bytes, visit);
    if (events_.is_too_long()) fail(ProviderFault::TooLarge, "An event of the reply is too long.");
    return goes_on;
}

LlmResult ReplyArrival::finish(const std::variant<HttpHead, HttpFault>& outcome,
                               std::chrono::system_clock::time_point now) {
    LlmResult result = read(outcome, now);
    if (auto* error = std::get_if<LlmError>(&result)) return cleaned(std::move(*error), key_);
    return cleaned(std::get<LlmReply>(std::move(result)), key_);
}

LlmResult ReplyArrival::read(const std::variant<HttpHead, HttpFault>& outcome,
                             std::chrono::system_clock::time_point now) {
    if (error_) return std::move(*error_);
    if (const auto* fault = std::get_if<HttpFault>(&outcome)) {
        // A reply that is complete may end as it likes.
        if (!is_whole()) return provider_error(*fault);
    } else {
        const HttpHead& head = std::get<HttpHead>(outcome);
        if (is_error(head)) return http_error(head, body_, now);
        if (is_stream_)
            end_stream();
        else
            read_body(head);
    }
    if (error_) return std::move(*error_);
    LlmResult result = reader_->finish();
    const auto* reply = std::get_if<LlmReply>(&result);
    if (reply && !is_stream_) show_whole(*reply);
    if (reply)
        for (auto& [text, filter] : filters_)
            filter.finish();
    return result;
}

/// Nothing that follows makes a reply worse that is complete: it is paid for, and was shown.
bool ReplyArrival::is_whole() const { return is_stream_ && reader_->is_done(); }

void ReplyArrival::fail(ProviderFault fault, std::string message) {
    if (is_whole())
        is_over_ = true;
    else if (!error_)
        error_ = provider_error(fault, std::move(message));
}

bool ReplyArrival::on_event(const SseEvent& event) {
    if (event.data.starts_with("[DONE]")) { // OpenAI's end
        is_over_ = true;
        return false;
    }
    const Result<Datum> data = Datum::from_json(event.data);
    if (!data.ok()) {
        fail(fault_of(data.error()), "An event of the reply is no JSON: " + data.error().message);
        return false;
    }
    const bool was_whole = is_whole();
    std::optional<LlmError> error = reader_->read_event(data.value(), sink_);
    is_over_ = reader_->is_over() || (error && was_whole);
    if (!was_whole) error_ = std::move(error);
    return !error_ && !is_over_;
}

/// What the end of the connection cut in two is no bad reply, but half of one.
void ReplyArrival::end_stream() {
    if (is_over_) return;
    events_.finish([this](const SseEvent& event) { return on_event(event); });
    const bool is_providers = error_ && error_->kind != kind_of(ProviderFault::BadReply);
    if (reader_->is_done() || is_over_ || is_providers) return;
    error_ = provider_error(ProviderFault::Network, "The stream ended before the reply did.");
}

void ReplyArrival::read_body(const HttpHead& head) {
    const Result<Datum> json = Datum::from_json(body_);
    if (json.ok()) {
        error_ = reader_->read_whole(json.value());
        return;
    }
    const std::string type(head.find("content-type"));
    fail(fault_of(json.error()), "The reply is no JSON (its type is `" + type + "`): " + json.error().message);
}

} // namespace ptc
