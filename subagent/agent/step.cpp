// What a mission comes to, its failures with their causes, and its warnings.
#include "ptc/step.h"
#include "ptc/error.h"
#include <algorithm>

namespace ptc {
namespace {

struct ReasonRow {
    MissionReason reason;
    std::string_view name;
    std::string_view doc;
    FailCause cause;
    std::vector<Reason> programs{}; ///< the failures of programs that are this one's
};

const std::vector<ReasonRow>& rows() {
    using enum Reason;
    static const std::vector<ReasonRow> all = {
#define PTC_SHARED_REASON(Name, cause, ...)                                                                            \
    {MissionReason::Name, reason_name(Name), reason_doc(Name), FailCause::cause, {__VA_ARGS__}},
#define PTC_MISSION_REASON(Name, reason, cause, doc, ...)                                                              \
    {MissionReason::Name, #reason, doc, FailCause::cause, {__VA_ARGS__}},
#include "ptc/mission_reasons.def"
#undef PTC_MISSION_REASON
#undef PTC_SHARED_REASON
    };
    return all;
}

const ReasonRow& row_of(MissionReason reason) { return rows()[static_cast<std::size_t>(reason)]; }

} // namespace

BoundaryWarnings::BoundaryWarnings() = default;
BoundaryWarnings::BoundaryWarnings(const BoundaryWarnings& other) = default;
BoundaryWarnings::BoundaryWarnings(BoundaryWarnings&& other) noexcept = default;
BoundaryWarnings& BoundaryWarnings::operator=(const BoundaryWarnings& other) = default;
BoundaryWarnings& BoundaryWarnings::operator=(BoundaryWarnings&& other) noexcept = default;
BoundaryWarnings::~BoundaryWarnings() = default;

Step::Step() = default;
Step::Step(const Step& other) = default;
Step::Step(Step&& other) noexcept = default;
Step& Step::operator=(const Step& other) = default;
Step& Step::operator=(Step&& other) noexcept = default;
Step::~Step() = default;

std::string_view reason_name(MissionReason reason) { return row_of(reason).name; }
std::string_view reason_doc(MissionReason reason) { return row_of(reason).doc; }

std::optional<MissionReason> mission_reason_named(std::string_view name) {
    const auto found = std::ranges::find(rows(), name, &ReasonRow::name);
    return found == rows().end() ? std::nullopt : std::optional(found->reason);
}

std::optional<MissionReason> mission_reason_of(Reason reason) {
    const auto is_it = [reason](const ReasonRow& row) { return std::ranges::count(row.programs, reason) > 0; };
    const auto found = std::ranges::find_if(rows(), is_it);
    return found == rows().end() ? std::nullopt : std::optional(found->reason);
}

FailCause cause_of(std::string_view reason) {
    const std::optional<MissionReason> known = mission_reason_named(reason);
    return known ? row_of(*known).cause : FailCause::Mission;
}

bool is_outside(FailCause cause) {
    switch (cause) {
    case FailCause::Mission:
    case FailCause::Time: return false;
    case FailCause::Model:
    case FailCause::Host:
    case FailCause::Setup: return true;
    }
    return false;
}

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
    static const std::vector<MissionReason> all = [] {
        std::vector<MissionReason> reasons;
        for (const ReasonRow& row : rows())
            reasons.push_back(row.reason);
        return reasons;
    }();
    return all;
}

} // namespace ptc
