// Values that no model may see: those below a key that starts with `_` (requirements 62 to 69).
#pragma once
#include "ptc/attachment.h"
#include "ptc/datum.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ptc {

inline constexpr std::string_view kFirewalled = "<Firewalled>";

/// The name of a text or keyword key; "" for another one.
std::string_view key_name(const Datum& key);

/// What a mission keeps of firewalled values, to find them in text that it did not write: printed lines and messages.
/// Views hide firewalled values by their keys, of any length; this is the second line behind them and knows texts and
/// numbers of at least kMinSecretBytes only: shorter ones are words that occur anyway. They are found as they are and
/// with the escapes of pr-str and JSON, as often as these were put in. A program that hides a value by changing it
/// otherwise, or gives it another name piece by piece, is not stopped. It fails closed: once there is more to look
/// for than kMaxSecretBytes, nothing that was not written here is shown any more.
struct Secrets {
    std::set<std::string, std::less<>> texts; ///< spelled in one way (spelling.h)
    std::size_t bytes = 0;
    std::set<std::uint64_t> collections; ///< digests of those that were firewalled as a whole
    bool is_full = false;                ///< there were more than can be kept
    /// The first kMinSecretBytes of each of `texts`: most places of a text are passed by with one look.
    std::unordered_set<std::uint64_t> beginnings;

    /// Of data that missions share, each complete; with these it is one collection. Not part of snapshots.
    std::vector<std::shared_ptr<const Secrets>> shared{};

    [[nodiscard]] bool empty() const;
    /// Makes `beginnings` again, after `texts` was read.
    void index();
};
inline constexpr std::size_t kMinSecretBytes = 6;
inline constexpr std::size_t kMaxSecretBytes = std::size_t{4} << 20; ///< kept in all
inline constexpr std::size_t kMaxSecretCollections = 100'000;

/// Adds what is below firewalled keys of `value`, or all of it.
void learn_secrets(Secrets& secrets, const Datum& value, bool is_firewalled = false);
/// Adds what another agent keeps from its model.
void learn_secrets(Secrets& secrets, const Secrets& others);

/// `text` with every secret, or the beginning of one that was cut (which `…` marks), replaced by <Firewalled>. The work
/// grows with the text, and with the logarithm of the number of secrets.
std::string without_secrets(const Secrets& secrets, std::string_view text);

/// Takes secrets out of what is readable of attachments: the bytes of texts (Attachment::is_text) and names. Nobody
/// looks into images, PDFs and other bytes. An address with a secret in it cannot be read without it: why it is
/// refused.
[[nodiscard]] std::optional<std::string> hide_secrets(const Secrets& secrets, std::vector<Attachment>& attachments);

/// A message that lists faults with their paths, without the values found at firewalled ones.
std::string without_firewalled_faults(std::string_view message);

/// `value` with "<Firewalled>" for what is below firewalled keys.
Datum public_view(const Datum& value);
/// The same, and for secrets under other names: texts and numbers as above, collections of any size as a whole.
Datum public_view(const Datum& value, const Secrets& secrets);

} // namespace ptc
