// What is known of a value as a sequence (endless.h).
#pragma once
#include <cstdint>

namespace ptc {

enum class Laziness : std::uint8_t {
    None,   ///< all there, or not known to be anything else
    Maybe,  ///< of a parameter, or what a function of the program gives: it may be by need, which is asked at run time
    ByNeed, ///< computed by need; it may have an end
    Endless,
};

} // namespace ptc
