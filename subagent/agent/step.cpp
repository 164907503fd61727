#include "ptc/step.h"
#include <algorithm>

namespace ptc {
namespace {

struct ReasonRow {
    std::string_view name;
    std::string_view doc;
};

constexpr ReasonRow kReasons[] = {
#define PTC_MISSION_REASON(Name, reason, doc) {#reason, doc},
#include "ptc/mission_reasons.def"
#undef PTC_MISSION_REASON
};

} // namespace

std::string_view reason_name(MissionReason reason) { return kReasons[static_cast<std::size_t>(reason)].name; }
std::string_view reason_doc(MissionReason reason) { return kReasons[static_cast<std::size_t>(reason)].doc; }

void BoundaryWarnings::add(BoundaryWarning warning) {
    const auto same = std::ranges::find_if(
        all, [&](const BoundaryWarning& known) { return known.what == warning.what && known.text == warning.text; });
    if (same != all.end())
        same->times += warning.times;
    else if (all.size() < kMost)
        all.push_back(std::move(warning));
    else
        ++more;
}

void BoundaryWarnings::add(const BoundaryWarnings& others) {
    for (const BoundaryWarning& warning : others.all)
        add(warning);
    more += others.more;
}

const std::vector<MissionReason>& mission_reasons() {
    static const std::vector<MissionReason> all = {
#define PTC_MISSION_REASON(Name, reason, doc) MissionReason::Name,
#include "ptc/mission_reasons.def"
#undef PTC_MISSION_REASON
    };
    return all;
}

} // namespace ptc
