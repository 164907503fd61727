// Percent encoding, as in addresses.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

/// With all but letters, digits and `-._~` as %XX.
std::string percent_encoded(std::string_view text);

/// With the bytes that each %XX stands for; what only looks like one stays as it is.
std::string percent_decoded(std::string_view text);

} // namespace ptc
