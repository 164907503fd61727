// What a mission keeps in memory of its programs, and how much it is.
#pragma once
#include "ptc/engine.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Bytes of a compact binary serialisation (requirement 141): a tag byte a value; lengths and integers as
/// variable-length numbers; 8 bytes a float; the bytes of texts.
std::size_t compact_size(const Datum& value);

/// A name of a session and what it stands for; none when it is not defined any more. Fails when it is too large to be
/// looked at.
struct Definition {
    std::string name;
    Result<std::optional<Datum>> value;
};
inline constexpr std::uint64_t kMostDefined = std::uint64_t{16} << 20;
/// Gives `see` one after the other, as all of them at once take many times what they are in the sandbox. Those behind
/// the one with which they are more than `most` bytes in all are not looked at: limit_exceeded; nor those that there is
/// no time for: timeout.
using SeeDefinition = std::function<void(Definition)>;
void see_definitions(const Session& session, const std::vector<std::string>& names, std::uint64_t most,
                     const SeeDefinition& see);

/// What the result of a turn added behind data/.
struct NewData {
    std::string name;
    std::string_view note;    ///< what it took the place of, in words; "" for nothing
    std::string definition{}; ///< the name of the definition that it was; "" for none
};

/// The names of those in `results`, maps, in their order.
std::vector<std::string> data_names(const std::vector<Datum>& results);

/// The definitions of a session, measured as they change.
struct MemoryUse {
    std::map<std::string, std::size_t, std::less<>> bytes; ///< by name, the name included
    std::size_t total = 0;

    [[nodiscard]] bool is_measured() const { return total < SIZE_MAX / 2; }
    /// Measures it anew; `total` stays as it is until `add_up`. A value that is too large to be looked at counts as
    /// SIZE_MAX / 2.
    void set(const Definition& changed);
    void add_up();
};

} // namespace ptc
