// Structured answers while they arrive.
//
//   ptc::PartialAnswer answer;
//   options.on_delta = [&](const ptc::MissionDelta& delta) {
//       answer.add(delta);
//       if (const auto value = answer.value()) show(*value);       // {"name": "An", "orders": [{"id": 7}]}
//   };
#pragma once
#include "ptc/agent.h"

namespace ptc {

/// The JSON value that a text begins. Whatever comes is taken: a text without JSON has no value.
class PartialAnswer {
public:
    /// A piece of text; a Restart begins again, other kinds are ignored.
    void add(const LlmDelta& delta);
    /// The same of a mission: what is no answer is ignored, and another run, turn or attempt begins again.
    void add(const MissionDelta& delta);
    /// What is known of the first object or list in the text: a text is cut where it ends, a number or a word stands
    /// when it is whole, a member when it has a value. None before the value begins, and where the text is no JSON.
    /// Costs what has arrived.
    [[nodiscard]] std::optional<Datum> value() const;
    [[nodiscard]] bool is_whole() const; ///< there is a value, and it is complete; costs as much

private:
    std::string text_;
    std::uint64_t run_ = 0; ///< of the mission's delta that came last
    std::size_t turn_ = 0;
    unsigned attempt_ = 0;
};

} // namespace ptc
