// The table of what is known of calls; the rows are in call_rules.def.
#pragma once
#include "compiler/language/fact_kind.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace ptc {

enum class CallFamily : std::uint8_t {
#define PTC_CALL_FAMILY(Name, handler) Name,
#include "compiler/language/call_rules.def"
};

struct CallRule {
    std::string_view name;
    CallFamily family;
    FactKind kind;
    bool sure; ///< what it gives is never nil
};

std::span<const CallRule> call_rules();
/// The row of a function, 0 for none (row 0 is not a function's). Slow: asked once a name, when the core library is
/// made.
std::uint8_t call_rule_index(std::string_view name);

} // namespace ptc
