// Data that many runs share, checked once for all of them.
#pragma once
#include "ptc/data_set.h"
#include "ptc/signature.h"
#include <memory>
#include <string_view>
#include <vector>

namespace ptc {

struct CheckedData {
    std::shared_ptr<const DataSet> coerced; ///< one name with what became of the value; null when it fits as it is
    std::vector<Fault> faults;
    std::vector<Fault> warnings;
    std::size_t more_faults = 0;
};

/// The value of `name` in `set` checked against `signature`, whose one parameter has that name. The check is made where
/// the value is, and once for all who ask. An Error when it goes beyond the limits of `options`. Null: there is no such
/// name.
Result<std::shared_ptr<const CheckedData>> check_data(const DataSet& set, std::string_view name,
                                                      const CompiledSignature& signature,
                                                      const ValidationOptions& options);

} // namespace ptc
