// Digests and the texts that carry bytes. The digests are OpenSSL's libcrypto, which is loaded when one is wanted, so
// that no other command starts later for it.
#pragma once
#include "ptc/result.h"
#include <optional>
#include <string>
#include <string_view>

namespace ptc::mcp {

/// Base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);
/// What `base64` was given; none when the text is not of that form.
std::optional<std::string> read_base64(std::string_view text);
/// In the alphabet of URLs, without padding (section 5).
std::string base64_url(std::string_view bytes);
std::optional<std::string> read_base64_url(std::string_view text);

/// 32 bytes. invalid_request when the system has no libcrypto.
Result<std::string> sha256(std::string_view bytes);
/// 32 bytes. invalid_request when the system has no libcrypto.
Result<std::string> hmac_sha256(std::string_view key, std::string_view bytes);
/// So many bytes that nobody can guess, of libcrypto's generator. invalid_request when there is none.
Result<std::string> random_bytes(std::size_t count);
/// Equal texts; how long it takes shows nothing but their length.
bool same_bytes(std::string_view a, std::string_view b);

} // namespace ptc::mcp
