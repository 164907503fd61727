// Values that no model may see: those below a key that starts with `_` (requirements 62 to 69).
#pragma once
#include "ptc/datum.h"
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ptc {

inline constexpr std::string_view kFirewalled = "<Firewalled>";

/// The name of a text or keyword key; "" for another one.
std::string_view key_name(const Datum& key);

/// What a mission keeps of firewalled values, to find them in text that it did not write: printed lines and messages.
/// Views hide firewalled values by their keys, of any length; this is the second line behind them and knows texts and
/// numbers of at least kMinSecretBytes only: shorter ones are words that occur anyway. A program that hides a value by
/// changing it, or gives it another name piece by piece, is not stopped.
struct Secrets {
    std::set<std::string, std::less<>> texts;
    std::size_t bytes = 0;
    std::set<std::string, std::less<>> collections; ///< JSON of those that were firewalled as a whole
    std::size_t collection_bytes = 0;
};
inline constexpr std::size_t kMinSecretBytes = 6;
inline constexpr std::size_t kMaxSecretBytes = std::size_t{4} << 20; ///< kept in all; of collections as much again

/// Adds what is below firewalled keys of `value`, or all of it.
void learn_secrets(Secrets& secrets, const Datum& value, bool is_firewalled = false);

/// `text` with every secret, or the beginning of one that was cut, replaced by <Firewalled>.
std::string without_secrets(const Secrets& secrets, std::string_view text);

/// A message that lists faults with their paths, without the values found at firewalled ones.
std::string without_firewalled_faults(std::string_view message);

/// `value` with "<Firewalled>" for what is below firewalled keys.
Datum public_view(const Datum& value);
/// The same, and for secrets under other names: texts and numbers as above, collections of any size as a whole.
Datum public_view(const Datum& value, const Secrets& secrets);

} // namespace ptc
