#include "compiler/signature/signature_cache.h"
#include "frontend/try.h"

#include "runtime/signature/malli.h"
#include <mutex>

namespace ptc {

Result<SignaturePtr> SignatureCache::get(std::string_view text) {
    {
        const std::shared_lock lock(mutex_);
        if (const auto known = signatures_.find(text); known != signatures_.end()) return known->second;
    }
    // Outside of the lock: two threads may compile the same text, and the first to finish is kept.
    SignaturePtr compiled = PTC_TRY(compile_signature(PTC_TRY(parse_signature(text))));
    const std::unique_lock lock(mutex_);
    if (signatures_.size() >= capacity_) make_room();
    return signatures_.try_emplace(std::string(text), std::move(compiled)).first->second;
}

void SignatureCache::make_room() {
    std::erase_if(signatures_, [](const auto& entry) { return entry.second.use_count() == 1; });
    if (signatures_.size() >= capacity_) signatures_.clear();
}

std::size_t SignatureCache::size() const {
    const std::shared_lock lock(mutex_);
    return signatures_.size();
}

} // namespace ptc
