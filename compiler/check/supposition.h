// Another value in the place of one that the program reads: what mends a program that takes its data for others.
#pragma once
#include "compiler/check/fact.h"
#include "frontend/form.h"
#include "ptc/error.h"
#include <span>
#include <string>
#include <vector>

namespace ptc {

/// From a value to what may have been meant by it.
struct WayStep {
    enum Kind : std::uint8_t {
        Field,     ///< (:name x)
        Values,    ///< (vals x)
        Groups,    ///< (apply concat (vals x))
        Keyed,     ///< the values of a map, each with its key as the field `name`
        EachField, ///< (map :name x)
        EachRows,  ///< (mapcat :name x)
        Flat,      ///< (apply concat x)
        Argument,  ///< x for (:name x)
    };
    Kind kind = Field;
    std::string_view name; ///< Field, Keyed, EachField, EachRows
};
using WaySteps = std::vector<WayStep>;

/// That the forms at these places gave what the steps make of their values.
struct Supposition {
    std::vector<const Form*> places;
    WaySteps steps;
};

/// A form that gives data from outside, and what is known of them.
struct DataPoint {
    const Form* form = nullptr;
    const Fact* fact = nullptr;
};

/// What the steps make of a value of which `fact` is known; Any where they do not fit.
[[nodiscard]] const Fact* fact_behind(Facts& facts, const Fact* fact, std::span<const WayStep> steps);

/// Ways from a value to what may have been meant, the nearest first: each with how far it is. `keys`: fields that the
/// program reads and does not find.
struct Way {
    WaySteps steps;
    std::uint32_t distance = 0;
};
[[nodiscard]] std::vector<Way> ways_from(Facts& facts, const Fact* fact, std::span<const std::string_view> keys);

/// What stands before and behind a form for its steps to be taken; Argument is none of them.
struct CodeAround {
    std::string before, behind;
};
[[nodiscard]] CodeAround code_of(std::span<const WayStep> steps);

} // namespace ptc
