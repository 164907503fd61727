// Calls whose endless sequence is written in them: (take n (iterate f x)), (mapv f (range) coll), (map f coll (cycle
// items)).
#pragma once
#include "compiler/analyze/context.h"
#include <optional>

namespace ptc {

struct Analyzer;
struct CoreFunction;
struct CoreName;

/// What such a call becomes: a call of a function of the core library that is a loop, in which no item is taken out of
/// a function. The same functions are called with the same values, in the same order.
struct WrittenCall {
    const CoreFunction* function = nullptr;
    Form list;
    const Form* items = nullptr; ///< the collection that is counted, or the first item: it must not be by need itself,
    const Form* step = nullptr;  ///< nor what this function gives, if there is one
    const Form* other = nullptr; ///< nor this value, if there is one
};

/// Nothing for all other calls.
std::optional<WrittenCall> call_of_written_source(Analyzer& a, const CoreName& name, const Form& list);

} // namespace ptc
