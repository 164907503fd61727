// "This call becomes that text", for repairs: rows of foreign.def and call_repairs.def, in the notation of
// compiler/language/rewrite.h, applied to a call of the program.
#pragma once
#include "compiler/repair/kinds.h"
#include <functional>

namespace ptc::repair {

/// What the argument `index` of a call may be.
using ArgumentKinds = std::function<Kinds(std::size_t index)>;

/// What the first alternative that fits makes of the call; none when none fits. Without `kinds` nothing is known of the
/// arguments but how they are written.
[[nodiscard]] Proposal rewrite_call(const Code& code, const CallSite& call, std::string_view rewrite,
                                    const ArgumentKinds& kinds = {});
/// The same for a name that is used as a value.
[[nodiscard]] Proposal rewrite_value(const Place& name, std::string_view rewrite);

/// Where the rows of call_repairs.def are tried.
enum class CallRepairGroup : std::uint8_t {
    TooFew,     ///< fewer arguments than the function takes
    Aggregates, ///< sums, averages and reductions of what is no collection
    WrongCount, ///< any other number of arguments
    Misplaced,  ///< arguments that belong to another function
};
/// What the first row of the group for `function` that fits makes of the call.
[[nodiscard]] Proposal tabled_repair(CallRepairGroup group, std::string_view function, const Code& code,
                                     const CallSite& call, const ArgumentKinds& kinds);
/// What takes the place of `function`, which met a value of that kind as its argument `bad_call.argument` (from 1; 0:
/// not known).
[[nodiscard]] Proposal tabled_conversion(const Code& code, const CallSite& call, const BadCall& bad_call);

/// All rewrites of call_repairs.def, and what rows may ask of a value between angle brackets. For tests.
[[nodiscard]] std::vector<std::string_view> tabled_rewrites();
[[nodiscard]] std::span<const std::string_view> repair_value_words();

} // namespace ptc::repair
