// Programs that a host writes about data whose names it knows: guards, graders.
#pragma once
#include "ptc/engine.h"
#include <span>
#include <string_view>

namespace ptc {

/// invalid_request when `program` reads data/NAME of another name: it would find nil, and decide by that.
Result<void> check_data_names(const Program& program, std::span<const std::string_view> names);

} // namespace ptc
