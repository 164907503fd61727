// The kinds of values that the checker distinguishes.
#pragma once
#include <cstdint>

namespace ptc {

enum class FactKind : std::uint8_t {
    Any,   ///< nothing is known
    Never, ///< no value: the program ends before there is one
    Nil,
    Bool,
    Numeric,
    String,
    Keyword,
    Record,   ///< a map with these fields (`parts`) and no other
    Dict,     ///< a map with keys that are not known; `item`: its values
    List,     ///< `item`: its elements
    Tuple,    ///< a vector of these elements (`parts`)
    Set,      ///< `item`: its members
    Function, ///< `item`: what a call gives
};

} // namespace ptc
