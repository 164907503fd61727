// The fields of times: ChronoField/DAY_OF_WEEK and its like.
#pragma once
#include "runtime/builtins/arguments.h"

namespace ptc {

/// The value of the field that argument 2 is, of the time that argument 1 is.
Result<Value> field_of_time(Call& call, Args args);

} // namespace ptc
