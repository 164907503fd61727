// Snapshots as differences: zstd with the snapshot before as prefix.
#pragma once
#include "ptc/mission_store.h"
#include "ptc/result.h"
#include <string>
#include <string_view>

namespace ptc {

constexpr std::size_t kMostSnapshotBytes = std::size_t{96} << 20;
constexpr std::uint32_t kMostParts = 64; ///< to be read by a claim

/// What one commit adds to the parts of a mission's snapshot: the first part is a whole snapshot, each later one the
/// difference to what those before it give.
struct SnapshotPart {
    bool is_base = true; ///< in place of all parts that are there
    std::string bytes{};
    ClaimedMission::Kept kept{}; ///< with this part
};

/// A difference when `previous` is the snapshot that `kept` tells of, and the differences before it are not larger than
/// what they stand on; so all parts of a snapshot have at most three times the bytes of one. Every kMostParts commits
/// all of it is written anew.
SnapshotPart snapshot_part(std::string_view snapshot, std::string_view previous, const ClaimedMission::Kept& kept);

/// The snapshot of `size` bytes that a part gives on top of those before. Rows may come from elsewhere: nothing larger
/// than `size` is made, and no size above kMostSnapshotBytes is believed.
Result<std::string> expanded(std::string_view part, std::string_view previous, std::int64_t size);

/// By which a snapshot is known again.
std::uint64_t snapshot_digest(std::string_view snapshot);

} // namespace ptc
