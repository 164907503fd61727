// Parts of sorted maps and sets: what subseq and rsubseq give.
#pragma once
#include "runtime/ordering.h"
#include <span>

namespace ptc {

/// What is asked of a key: how it compares with a bound, in the order in which the collection is read.
struct KeyTest {
    Relation relation;
    const Value* bound;
};
struct PartReading {
    bool backwards;  ///< from the last one to the first
    bool only_first; ///< no more than the first of those that would be read
};

/// A vector of the entries of a map (members of a set) whose keys pass all tests. The ends are found by halving, so it
/// costs what it gives and the logarithm of what it leaves out. Nil where each key has to be asked: of a collection
/// that a function of the program sorts, and where the order of the keys, in which 1 is not 1.0, may not be that of
/// `compare`, in which they tie.
Result<Value> sorted_part(Heap& heap, const Value& coll, std::span<const KeyTest> tests, PartReading reading);

} // namespace ptc
