// Attachments and long texts that a snapshot names by digest, while somebody else keeps their bytes (Mission::save): a
// mission is saved before each of its calls, and what it was told and said grows from one to the next.
#pragma once
#include "ptc/attachment.h"
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ptc {

/// Smaller ones stand in the snapshot.
constexpr std::size_t kLeastKeptBytes = 4096;
constexpr std::size_t kLeastKeptText = 16384;
/// Of kept texts in one snapshot, each as often as it stands there: a snapshot that others made names one often.
constexpr std::size_t kMostKeptText = std::size_t{256} << 20;

/// Of one mission: remembers digests, which take milliseconds for a large image, from one snapshot to the next.
class AttachmentKeeper {
public:
    using Bytes = std::shared_ptr<const std::string>;

    /// While a snapshot is written, `kept` gets all that the mission has; null: bytes stand in the snapshot.
    void begin(AttachmentBytes* kept) {
        kept_ = kept;
        text_bytes_ = 0;
    }
    /// The digest by which the bytes are kept; "" when they stand in the snapshot.
    std::string keep(const Bytes& bytes);
    /// The same for a text, which is found again by what it is.
    std::string keep_text(std::string_view text);
    /// The snapshot is written, or read. Forgets digests of what the mission has no more.
    void end();

    /// While a snapshot is read: what was kept.
    void read_from(const AttachmentBytes& kept) {
        found_ = &kept;
        text_bytes_ = 0;
    }
    /// Null: it was not kept, or is something else.
    Bytes find(const std::string& digest);
    /// Null as well for more than kMostKeptText.
    Bytes find_text(const std::string& digest);
    [[nodiscard]] bool has_missed() const { return has_missed_; } ///< something was not found

private:
    using Known = std::map<const std::string*, std::pair<Bytes, std::string>>;
    using Texts = std::unordered_multimap<std::size_t, std::pair<Bytes, std::string>>; ///< by a hash
    static const Texts::value_type* find_in(const Texts& texts, std::size_t hash, std::string_view text);
    AttachmentBytes* kept_ = nullptr;
    const AttachmentBytes* found_ = nullptr;
    bool has_missed_ = false;
    Known known_;
    Known seen_; ///< of them, those of the snapshot under way
    Texts known_texts_;
    Texts seen_texts_;
    std::size_t text_bytes_ = 0; ///< of the snapshot under way
};

} // namespace ptc
