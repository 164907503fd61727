// How much fuel a program can use at most, found without running it.
#pragma once
#include "compiler/bounds/abstract_value.h"
#include "vm/program.h"
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ptc {

/// A value that data/`name` has when the program runs.
struct KnownData {
    std::string name;
    AbstractValue value;
};

struct FuelBound {
    std::optional<std::int64_t> units; ///< none: no bound is known, see `why`
    std::string why;                   ///< a clause: "`filter` goes through `data/orders`, whose size is not known"
    Span span;                         ///< the place in the program that `why` is about
};

/// A run of `program` in a session without definitions of its own uses no more than this, compilation included,
/// whatever happens in it. Data that is not among `data` may be anything; the context has at most 16 names.
///
/// The program is followed step by step over abstract values: both branches of a test that is not decided,
/// each round of a loop, each call. So bounds exist for what ends whatever the unknown values are, and whose steps all
/// have a bounded cost; that of a step depends on the sizes of values, so whatever is done to a value of unknown size
/// (data, answers of tools) ends the search, as do loops and recursion that nothing known ends, more than `max_steps`,
/// and the end of the budget (frontend/work.h).
FuelBound fuel_bound(const Program& program, std::span<const KnownData> data, std::size_t max_steps = 400'000);

} // namespace ptc
