// Attachments that a snapshot names by digest, while somebody else keeps their bytes (Mission::save).
#pragma once
#include "ptc/attachment.h"
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ptc {

/// Smaller ones stand in the snapshot.
constexpr std::size_t kLeastKeptBytes = 4096;

/// Of one mission: remembers digests, which take milliseconds for a large image, from one snapshot to the next.
class AttachmentKeeper {
public:
    using Bytes = std::shared_ptr<const std::string>;

    /// While a snapshot is written, `kept` gets all that the mission has; null: bytes stand in the snapshot.
    void begin(AttachmentBytes* kept) { kept_ = kept; }
    /// The digest by which the bytes are kept; "" when they stand in the snapshot.
    std::string keep(const Bytes& bytes);
    /// The snapshot is written, or read. Forgets digests of what the mission has no more.
    void end();

    /// While a snapshot is read: what was kept.
    void read_from(const AttachmentBytes& kept) { found_ = &kept; }
    /// Null: it was not kept, or is something else.
    Bytes find(const std::string& digest);
    [[nodiscard]] bool has_missed() const { return has_missed_; } ///< something was not found

private:
    using Known = std::map<const std::string*, std::pair<Bytes, std::string>>;
    AttachmentBytes* kept_ = nullptr;
    const AttachmentBytes* found_ = nullptr;
    bool has_missed_ = false;
    Known known_;
    Known seen_; ///< of them, those of the snapshot under way
};

} // namespace ptc
