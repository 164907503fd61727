// The error of whoever asks for what cannot be: a file, an option or a call that is not as it should be.
#pragma once
#include "ptc/error.h"
#include <string>
#include <utility>

namespace ptc {

inline Error invalid_request(std::string message) { return Error(Reason::InvalidRequest, std::move(message)); }

} // namespace ptc
