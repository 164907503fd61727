// How long reading a request may take, whoever asks: a line of a batch, the body of an HTTP request, arguments of MCP.
#pragma once
#include "ptc/limits.h"
#include <algorithm>
#include <chrono>
#include <cstddef>

namespace ptc {

/// For reading a request of so many bytes, with its data: its own limits are not known before. A second, and several
/// times what JSON takes that was not written to take long, so that a busy machine refuses none.
constexpr ImportLimits request_reading(std::size_t bytes) {
    constexpr std::size_t kBytesAMillisecond = 10'000, kMostBytes = 90'000'000;
    return {.timeout = std::chrono::milliseconds(1000 + std::min(bytes, kMostBytes) / kBytesAMillisecond)};
}

} // namespace ptc
