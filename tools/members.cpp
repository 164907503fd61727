#include "tools/members.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include <algorithm>
#include <vector>

namespace ptc {

Result<void> check_members(const Datum& row, std::span<const std::string_view> known, const std::string& of) {
    for (const auto& [key, value] : *row.map()) {
        const std::string& name = *key.text();
        if (std::ranges::find(known, name) != known.end()) continue;
        Error error(Reason::InvalidRequest, "There is no member " + quoted_excerpt(name) + " of " + of + ".");
        const std::vector<std::string> near = suggest(name, known);
        std::string all;
        for (const std::string_view one : known)
            (all += all.empty() ? "" : ", ") += one;
        return std::move(error).with_hint(near.empty() ? "There are " + all + "." : did_you_mean(near));
    }
    return {};
}

} // namespace ptc
