#include "subagent/agent/tool_cache.h"
#include "subagent/agent/mission_memory.h"
#include <algorithm>

namespace ptc {

const Datum* ToolCache::find(std::string_view key) {
    const auto found = entries.find(key);
    if (found == entries.end()) return nullptr;
    found->second.used = ++uses;
    return &found->second.result;
}

bool ToolCache::keep(const std::string& key, const Datum& result, const ToolCacheLimits& limits) {
    const std::uint64_t size = compact_size(result);
    if (limits.entries == 0 || size > limits.bytes) return false;
    Entry& entry = entries[key];
    bytes += size - entry.bytes;
    entry = {.result = result, .bytes = size, .used = ++uses};
    while (entries.size() > 1 && (entries.size() > limits.entries || bytes > limits.bytes))
        drop_oldest();
    return true;
}

std::uint64_t ToolCache::bytes_of(std::string_view key) const {
    const auto found = entries.find(key);
    return found == entries.end() ? 0 : found->second.bytes;
}

void ToolCache::drop_oldest() {
    const auto used_before = [](const auto& a, const auto& b) { return a.second.used < b.second.used; };
    const auto oldest = std::ranges::min_element(entries, used_before);
    bytes -= oldest->second.bytes;
    entries.erase(oldest);
}

} // namespace ptc
