// What cached tools gave, for equal calls later in the run.
#pragma once
#include "ptc/agent.h"
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ptc {

/// Results by cache key (ptc/cache_key.h), within the limits of the agent: the one whose use is longest ago goes first.
class ToolCache {
public:
    struct Entry {
        Datum result{};
        std::uint64_t bytes = 0; ///< of `result`, serialised as memory is
        std::uint64_t used = 0;  ///< when, counted in uses
    };

    /// Null when it is not there. A use; what it points to lives until the next `keep`.
    [[nodiscard]] const Datum* find(std::string_view key);
    /// False, and nothing changes, when the result alone is more than the limits allow.
    bool keep(const std::string& key, const Datum& result, const ToolCacheLimits& limits);
    [[nodiscard]] bool has(std::string_view key) const { return entries.contains(key); }
    [[nodiscard]] std::uint64_t bytes_of(std::string_view key) const; ///< 0 when it is not there

    std::map<std::string, Entry, std::less<>> entries;
    std::uint64_t uses = 0;
    std::uint64_t bytes = 0; ///< of all entries

private:
    void drop_oldest();
};

} // namespace ptc
