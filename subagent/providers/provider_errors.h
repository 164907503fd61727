// Errors of providers as LlmErrors: one table of kinds, one from what providers write to them.
#pragma once
#include "ptc/llm.h"
#include "subagent/providers/http_client.h"

namespace ptc {

enum class ProviderFault : std::uint8_t {
#define PTC_PROVIDER_ERROR(Name, kind, is_permanent, doc) Name,
#include "subagent/providers/provider_errors.def"
#undef PTC_PROVIDER_ERROR
};
std::string_view kind_of(ProviderFault fault);
bool is_permanent(ProviderFault fault);

LlmError provider_error(ProviderFault fault, std::string message);
LlmError provider_error(const HttpFault& fault);

/// An answer that is no success: its status, headers, and body, which is whatever a server or a proxy sent. `now` is
/// for Retry-After with a date.
LlmError http_error(const HttpHead& head, std::string_view body, std::chrono::system_clock::time_point now);

/// An error that came inside of a reply or a stream of status 200: {"error": {..}}, or what is in there. None if it is
/// none.
std::optional<LlmError> error_in(const Datum& json);

/// Of Retry-After, a number of seconds or an HTTP date, and retry-after-ms. At most an hour.
std::optional<std::chrono::milliseconds> retry_after(const HttpHead& head, std::chrono::system_clock::time_point now);

} // namespace ptc
