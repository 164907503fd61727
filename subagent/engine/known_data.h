// What the search for a bound of fuel (compiler/bounds/fuel_bound.h) may know of data.
#pragma once
#include "compiler/bounds/fuel_bound.h"
#include "ptc/data_set.h"
#include <memory>
#include <vector>

namespace ptc {

/// The sizes of everything in the data sets, by name.
std::vector<KnownData> known_data(const std::vector<std::shared_ptr<const DataSet>>& sets);

} // namespace ptc
