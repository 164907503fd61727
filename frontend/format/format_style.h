// How the formatter lays out what it knows by name.
#pragma once
#include <cstdint>
#include <string_view>

namespace ptc {

struct FormStyle {
    enum Kind : std::uint8_t {
        Call,      ///< arguments below the first one
        Steps,     ///< as a Call, each argument on its own line
        CallPairs, ///< as a Call, pairs behind `leading` arguments
        Body,      ///< `leading` arguments beside the name, then each expression on its own line, two columns in
        LooseBody, ///< as a Body whose expressions may share a line
        Pairs,     ///< `leading` arguments beside the name, then pairs, two columns in
        Function,  ///< a Body whose leading arguments end with the parameter vector
    } kind = Call;
    std::uint8_t leading = 0;
    bool binds = false; ///< the first argument is a vector of names and values
};

/// A Call for names that have no style of their own.
FormStyle style_of(std::string_view name);

} // namespace ptc
