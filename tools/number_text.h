// Numbers for people.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace ptc {

std::string grouped_text(std::int64_t n);                          ///< "12,345"
std::string counted_text(std::size_t n, const std::string& thing); ///< "1 byte", "2,000 bytes"
std::string duration_text(std::int64_t micros);                    ///< "12 µs", "3.4 ms", "1.25 s"

} // namespace ptc
