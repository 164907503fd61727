#include "subagent/engine/closed_data.h"
#include "compiler/bounds/effects.h"
#include "frontend/quoted.h"
#include <algorithm>

namespace ptc {

Result<void> check_data_names(const Program& program, std::span<const std::string_view> names) {
    for (const EffectSite& site : effects_of(program).sites) {
        if (site.kind != EffectKind::Data || site.name.empty() || std::ranges::find(names, site.name) != names.end())
            continue;
        std::string known;
        for (const std::string_view name : names)
            known += (known.empty() ? "" : ", ") + std::string(name);
        return Error(Reason::InvalidRequest,
                     "There is no " + quoted("data/" + site.name) + " here, there is " + known + ".");
    }
    return {};
}

} // namespace ptc
