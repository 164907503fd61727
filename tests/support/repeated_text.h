// Texts that are one part again and again.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptc::test {

inline std::string times(std::string_view part, std::size_t count) {
    std::string text;
    text.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

} // namespace ptc::test
