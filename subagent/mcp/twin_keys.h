// Results of a declared type under the names that programs have for their fields.
#pragma once
#include "ptc/datum.h"
#include "ptc/schema_reader.h"
#include "ptc/type.h"
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>

namespace ptc::mcp {

/// Other names of keys that no schema declares, where hyphens alone tell them from other keys of some value: a key that
/// has one keeps it in each later result of its tool. Any thread may use it.
class TwinKeys {
public:
    /// The value with other names for keys that are one but for hyphens, as checking it against its type would refuse
    /// them. A field of `type` has the name that `names` (SignatureReading::result_names) say where the type has it; of
    /// other keys one that shares its name with a field or another key has a name that no field has. Fails with a
    /// timeout when the thread's work::Scope is over. What is nested too deep stays as it is.
    Result<Datum> with_names_apart(Datum value, const Type& type, std::span<const RenamedParameter> names = {});
    /// Whether some key has another name.
    [[nodiscard]] bool has_names() const {
        const std::scoped_lock lock(mutex_);
        return !names_.empty();
    }

private:
    friend class Renaming;
    using Names = std::map<std::string, std::string, std::less<>>;
    mutable std::mutex mutex_;
    Names names_;                              ///< at most kMostKept
    std::set<std::string, std::less<>> given_; ///< these names
};

/// Whether there is a key with a hyphen anywhere: only then two may be one.
bool has_hyphens(const Datum& value);

} // namespace ptc::mcp
