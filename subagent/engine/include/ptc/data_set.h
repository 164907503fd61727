// Data for programs, imported once and read by any number of sessions on any threads.
#pragma once
#include "ptc/datum.h"
#include "ptc/owned.h"
#include "ptc/result.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

/// Immutable. Its memory does not count towards a session's heap limit.
class DataSet {
public:
    /// `json` is an object: each member is data/NAME. At most 512 levels deep; timeout or memory_exceeded beyond
    /// `limits`.
    static Result<std::shared_ptr<const DataSet>> from_json(std::string_view json, const ImportLimits& limits = {});
    /// One name with one JSON value.
    static Result<std::shared_ptr<const DataSet>> from_json(std::string_view name, std::string_view json,
                                                            const ImportLimits& limits = {});
    /// One name with a text.
    static Result<std::shared_ptr<const DataSet>> from_text(std::string_view name, std::string_view utf8);
    /// Each entry of a map is data/KEY, with all the types that a Datum has; keys are texts or keywords.
    static Result<std::shared_ptr<const DataSet>> from_datum(const Datum& map);
    ~DataSet();
    DataSet(const DataSet&) = delete;
    DataSet& operator=(const DataSet&) = delete;
    [[nodiscard]] std::size_t memory_bytes() const;
    /// The names behind data/, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Sixteen digits that follow from the value of `name` alone, in every process; "" when there is no such name. The
    /// first call looks at the whole value.
    [[nodiscard]] std::string digest(std::string_view name) const;

private:
    struct Impl;
    friend struct DataSetAccess; ///< for the library's own files
    explicit DataSet(std::unique_ptr<Impl> impl);
    Owned<Impl> impl_;
};

} // namespace ptc
