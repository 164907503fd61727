#include "subagent/store/snapshot_codec.h"
#include <algorithm>
#include <bit>
#include <memory>
#include <zstd.h>

namespace ptc {
namespace {

constexpr int kLevel = 1;
constexpr int kMostWindowLog = 28; ///< two of the largest snapshots
constexpr int kMostHashLog = 23;   ///< 32 MiB of tables; of snapshots beyond 64 MiB what stands first is written again

struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeExpander {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// "" when there is no memory for it.
std::string compressed(std::string_view bytes, std::string_view previous) {
    const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
    if (!context) return "";
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    // All of it is to be within reach: what a mission got stands in its conversation, its definitions and its journal,
    // as far from each other as the mission is long.
    const int window = static_cast<int>(std::bit_width(previous.size() + bytes.size()));
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, std::clamp(window, 10, kMostWindowLog));
    // zstd indexes the last 8 << hashLog bytes of a prefix only: what stands before would be written again.
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_hashLog, std::clamp(window - 2, 10, kMostHashLog));
    if (!previous.empty()) ZSTD_CCtx_refPrefix(context.get(), previous.data(), previous.size());
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
    out.resize(ZSTD_isError(size) ? 0 : size);
    return out;
}

} // namespace

std::uint64_t snapshot_digest(std::string_view snapshot) {
    return std::hash<std::string_view>()(snapshot) | 1; // never 0, which is that of none
}

SnapshotPart snapshot_part(std::string_view snapshot, std::string_view previous, const ClaimedMission::Kept& kept) {
    const bool is_last = kept.parts > 0 && kept.parts < kMostParts && kept.digest == snapshot_digest(previous);
    SnapshotPart part;
    part.kept.digest = snapshot_digest(snapshot);
    if (is_last && kept.delta_bytes <= kept.base_bytes) {
        part.bytes = compressed(snapshot, previous);
        part.is_base = part.bytes.empty();
        part.kept.base_bytes = kept.base_bytes;
        part.kept.delta_bytes = kept.delta_bytes + part.bytes.size();
        part.kept.parts = kept.parts + 1;
    }
    if (part.is_base) {
        part.bytes = compressed(snapshot, {});
        part.kept.base_bytes = part.bytes.size();
        part.kept.delta_bytes = 0;
        part.kept.parts = 1;
    }
    return part;
}

Result<std::string> expanded(std::string_view part, std::string_view previous, std::int64_t size) {
    const auto refused = [] { return Error(Reason::InvalidRequest, "The store has a snapshot that cannot be read."); };
    if (size < 0 || static_cast<std::size_t>(size) > kMostSnapshotBytes) return refused();
    const std::unique_ptr<ZSTD_DCtx, FreeExpander> context(ZSTD_createDCtx());
    if (!context) return Error(Reason::StoreUnavailable, "There is no memory to read a snapshot.");
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMostWindowLog);
    if (!previous.empty()) ZSTD_DCtx_refPrefix(context.get(), previous.data(), previous.size());
    std::string out(static_cast<std::size_t>(size), '\0');
    const std::size_t got = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), part.data(), part.size());
    if (ZSTD_isError(got) || got != out.size()) return refused();
    return out;
}

} // namespace ptc
