// The parts of what a program came to, and the one place that puts them together for a model (ptc/eval_payload.h).
#pragma once
#include "ptc/eval_payload.h"
#include "subagent/agent/mission_memory.h"
#include "subagent/agent/preview.h"
#include <functional>
#include <optional>
#include <utility>

namespace ptc {

struct Feedback;

/// Definitions of a program as a model reads them: as many as there is room for.
class ShownDefinitions {
public:
    /// `hides`: of which collections only type and size are shown.
    explicit ShownDefinitions(PreviewLimits limits, std::function<bool(const Datum&)> hides = {})
        : limits_(std::move(limits)), hides_(std::move(hides)) {
        limits_.has_own_keys = true; // programs made them
    }
    void add(const Definition& one);
    /// Beside `names`, of all that is defined.
    [[nodiscard]] Datum report(std::vector<std::string> names) const;

private:
    [[nodiscard]] Preview shown(const Definition& one) const;

    PreviewLimits limits_;
    std::function<bool(const Datum&)> hides_;
    std::vector<std::pair<std::string, Datum>> shown_;
    std::size_t bytes_ = 0; ///< of those in front of the last one
    bool is_truncated_ = false;
};

/// "name type"; none of what is not defined any more, or is too large to be looked at.
std::optional<std::string> stored_line(const Definition& one);

struct EvalReport {
    const Datum* value = nullptr; ///< what it gave; of a failure what (fail ..) was given, else null
    bool is_kept = true;          ///< the value is *1 of the next program
    std::vector<std::string> prints{};
    std::string feedback{};                    ///< the same for reading, with what to do next
    const ShownDefinitions* changed = nullptr; ///< null: definitions are left out
    std::vector<std::string> names{};          ///< all that is defined
    std::string reason{};                      ///< "" for success; else as missions and programs name it
    std::string message{};
};
Datum render(const EvalReport& report, const PreviewLimits& limits);

/// Requirement 230: the tool's name for what a program or a mission calls so.
std::string_view eval_reason(std::string_view reason);
/// A reason as the rest of the answer names it.
std::string_view told_reason(const Feedback& feedback, MissionReason reason);

/// How to read on where `shown` is cut; "" when nothing is. The value is *1 of the next program (`is_kept`), or the
/// entries of the map that it is are data/NAME (`new_data`), or neither. `star`: 2 when it is *2 by then.
std::string paging_text(const Preview& shown, bool is_kept, const std::vector<NewData>& new_data, unsigned star = 1);

} // namespace ptc
