#include "compiler/language/call_rules.h"

namespace ptc {
namespace {

constexpr bool kSure = true;
constexpr bool kOrNil = false;

constexpr CallRule kRules[] = {
    {"", CallFamily::Gives, FactKind::Any, kOrNil},
    {"?", CallFamily::Gives, FactKind::Bool, kSure}, // every predicate without a row of its own
#define PTC_CALL_RULE(name, family, kind, nil) {name, CallFamily::family, FactKind::kind, nil},
#include "compiler/language/call_rules.def"
};
static_assert(std::size(kRules) < 256);

} // namespace

std::span<const CallRule> call_rules() { return kRules; }

std::uint8_t call_rule_index(std::string_view name) {
    for (std::size_t i = 2; i < std::size(kRules); ++i) {
        if (kRules[i].name == name) return static_cast<std::uint8_t>(i);
    }
    return name.ends_with('?') ? 1 : 0;
}

} // namespace ptc
