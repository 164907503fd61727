// Keys that a misspelt one may stand for.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// As keys are compared here: small letters, underscores for hyphens.
[[nodiscard]] std::string normal_key(std::string_view name);
/// price-each, priceEach, price_each and price/each as their words.
[[nodiscard]] std::vector<std::string> words_of_key(std::string_view name);
/// The same key in another spelling, or one with few typing errors; "" when there is none.
[[nodiscard]] std::string near_spelling(std::string_view name, std::span<const std::string_view> keys);
/// The key that was most likely meant: the same in another spelling, one with few typing errors, or the only one with
/// a word more or less, or of which this is an abbreviation. "" when none is near.
[[nodiscard]] std::string near_key(std::string_view name, std::span<const std::string_view> keys);

} // namespace ptc
