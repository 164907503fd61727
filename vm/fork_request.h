// What pmap and pcalls ask for.
#pragma once
#include "runtime/value.h"
#include <cstddef>

namespace ptc {

/// Operand B of the Fork instruction.
enum class ForkKind : std::uint8_t {
    Pmap,   ///< the callee is called with an item of each column
    Pcalls, ///< the items of the only column are called without arguments
};
constexpr const char* fork_name(ForkKind kind) { return kind == ForkKind::Pmap ? "pmap" : "pcalls"; }

struct ForkRequest {
    ForkKind kind = ForkKind::Pmap;
    Value callee;          ///< nil for pcalls
    Value columns;         ///< a vector of vectors
    std::size_t count = 0; ///< branches: the length of the shortest column
};

} // namespace ptc
