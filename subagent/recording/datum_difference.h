// Where two values part, for people.
#pragma once
#include "ptc/datum.h"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ptc {

struct DatumDifference {
    std::string path; ///< "messages[1].content"; "" when it is the value itself
    std::string a;    ///< JSON, cut around the first byte that differs; "nothing" for what is not there
    std::string b;
};

/// The first one between two values that came from JSON; members in the order of `a`; none when they are the same.
/// Members for which `is_ignored` says so are not looked at. Below keys that start with _ values are not shown.
std::optional<DatumDifference> first_difference(const Datum& a, const Datum& b,
                                                const std::function<bool(std::string_view member)>& is_ignored = {});

} // namespace ptc
