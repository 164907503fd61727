// A call and what its arguments may be.
#pragma once
#include "compiler/repair/rules.h"

namespace ptc::repair {

struct Arguments {
    const Code& code;
    const Place& place; ///< of the call
    CallSite call;
    std::string_view function;

    [[nodiscard]] Kinds kinds(std::size_t i) const {
        return call.has(i) ? kinds_of(code, place.inner(*call.arguments[i])) : kAnyKind;
    }
    [[nodiscard]] bool all(Kinds wanted, std::size_t from = 0) const {
        for (std::size_t i = from; i < call.size(); ++i) {
            if (!call.has(i) || (kinds(i) & ~wanted) != 0) return false;
        }
        return true;
    }
    [[nodiscard]] std::uint32_t begin(std::size_t i) const { return call.arguments[i]->span.begin; }
    [[nodiscard]] std::uint32_t end(std::size_t i) const { return call.arguments[i]->span.end; }
    /// What the first row of call_repairs.def that fits makes of the call.
    [[nodiscard]] Proposal tabled(CallRepairGroup group) const {
        return tabled_repair(group, function, code, call, [this](std::size_t i) { return kinds(i); });
    }
    /// Brackets, or a call, around the arguments from `first` to `last`.
    [[nodiscard]] Repair around(std::size_t first, std::size_t last, std::string before, std::string after) const {
        return {wrapping({begin(first), end(last)}, std::move(before), std::move(after)), {}, {}};
    }
};

} // namespace ptc::repair
