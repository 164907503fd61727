#include "subagent/agent/attachment_keeper.h"
#include "frontend/sha256.h"

namespace ptc {

std::string AttachmentKeeper::keep(const Bytes& bytes) {
    if (!kept_ || !bytes || bytes->size() < kLeastKeptBytes) return "";
    auto& [shared, digest] = seen_[bytes.get()];
    if (!shared) {
        const auto before = known_.find(bytes.get());
        shared = bytes;
        digest = before == known_.end() ? sha256_digits(*bytes) : before->second.second;
    }
    kept_->emplace(digest, bytes);
    return digest;
}

void AttachmentKeeper::end() {
    if (kept_) known_ = std::exchange(seen_, {});
    kept_ = nullptr;
    found_ = nullptr;
}

AttachmentKeeper::Bytes AttachmentKeeper::find(const std::string& digest) {
    if (found_) {
        const auto found = found_->find(digest);
        const Bytes bytes = found == found_->end() ? nullptr : found->second;
        const bool is_known = bytes && known_.contains(bytes.get());
        if (is_known && known_.at(bytes.get()).second == digest) return bytes;
        if (bytes && !is_known && sha256_digits(*bytes) == digest) { // whoever kept it is not trusted
            known_[bytes.get()] = {bytes, digest};
            return bytes;
        }
    }
    has_missed_ = true;
    return nullptr;
}

} // namespace ptc
