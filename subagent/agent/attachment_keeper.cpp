#include "subagent/agent/attachment_keeper.h"
#include "frontend/sha256.h"
#include <algorithm>
#include <functional>

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

namespace {

constexpr int kMostCompared = 4;

/// Of the text's size and of parts all over it: a mission's long texts are looked up in each of its snapshots, and what
/// has the same hash is compared.
std::size_t sampled_hash(std::string_view text) {
    constexpr std::size_t kSamples = 32, kSample = 32;
    std::string samples = std::to_string(text.size());
    for (std::size_t i = 0; i < kSamples; ++i)
        samples += text.substr(i * (text.size() / kSamples), kSample);
    samples += text.substr(text.size() - std::min(text.size(), kSample));
    return std::hash<std::string_view>()(samples);
}

} // namespace

const AttachmentKeeper::Texts::value_type* AttachmentKeeper::find_in(const Texts& texts, std::size_t hash,
                                                                     std::string_view text) {
    const auto [first, last] = texts.equal_range(hash);
    int compared = 0; // texts may be made to have one hash: then each has its digest made anew
    for (auto one = first; one != last && compared < kMostCompared; ++one, ++compared)
        if (*one->second.first == text) return &*one;
    return nullptr;
}

std::string AttachmentKeeper::keep_text(std::string_view text) {
    if (!kept_ || text.size() < kLeastKeptText || text.size() > kMostKeptText - text_bytes_) return "";
    text_bytes_ += text.size();
    const std::size_t hash = sampled_hash(text);
    const Texts::value_type* one = find_in(seen_texts_, hash, text);
    if (!one) {
        const Texts::value_type* before = find_in(known_texts_, hash, text);
        one = &*(before ? seen_texts_.insert(*before)
                        : seen_texts_.emplace(
                              hash, std::pair(std::make_shared<const std::string>(text), sha256_digits(text))));
    }
    kept_->emplace(one->second.second, one->second.first);
    return one->second.second;
}

void AttachmentKeeper::end() {
    if (kept_) {
        known_ = std::exchange(seen_, {});
        known_texts_ = std::exchange(seen_texts_, {});
    }
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

AttachmentKeeper::Bytes AttachmentKeeper::find_text(const std::string& digest) {
    Bytes bytes = find(digest);
    if (!bytes || bytes->size() > kMostKeptText - text_bytes_) return nullptr;
    text_bytes_ += bytes->size();
    const std::size_t hash = sampled_hash(*bytes);
    if (!find_in(known_texts_, hash, *bytes)) known_texts_.emplace(hash, std::pair(bytes, digest));
    return bytes;
}

} // namespace ptc
