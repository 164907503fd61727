// What a run that failed knew: names of data, keys of maps. Repairs of its error are chosen by it.
#pragma once
#include "compiler/repair/surroundings.h"
#include "vm/vm.h"

namespace ptc {

/// Names below data/, in the order of names.
std::vector<std::string> data_names(Heap& heap, std::span<const Value> data);
/// Keys of maps in the data, the memory and earlier results; looks at a bounded number of values.
std::vector<std::string> known_keys(Vm& vm);

} // namespace ptc
