// Base64 (RFC 4648), as protocols carry bytes in JSON.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

/// With padding, without line breaks.
std::string base64(std::string_view bytes);
/// None for what is no base64 of the standard alphabet. Padding may be missing.
std::optional<std::string> read_base64(std::string_view text);

} // namespace ptc
