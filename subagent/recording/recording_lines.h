// The lines of a recording (ptc/recording.h): what they say, written and read.
//
//   {"ptc_recording":1,"started_ms":1767225600000,"note":..}                        the first
//   {"call":1,"run":1,"model":"","agent":"a","depth":0,"turn":1,"attempt":1,"kept":0,"messages":[..],"system":"..",..}
//   {"call":2,"run":1,"tool":"search","arguments":{..}}
//   {"answer":1,"at_ms":12,"text":"..","tool_calls":[..],"tokens":{..}}             or "llm_error": {..}
//   {"answer":2,"at_ms":15,"result":..}                                             or "tool_error": {..}
//   {"call":3,"run":1,"approval":"pay","arguments":{..},"line":2,"column":5}        an approval, as it was asked for
//   {"answer":3,"at_ms":16,"approval":{"ok":true,"arguments"?:{..}}}                or {"ok":false,"reason":".."}
//   {"chance":{"random":[0.5],"interrupted_after":3,"timeouts":[[2,81345]],"late":[5,2000]}}  since the last answer,
//   when there is any; "late": slices of work, and when its end was; "fed":
//   [{"run":1,"turn":1,"tools":[{"name":..,"signature":..,"description":..,"approval"?:true}]}] as well
//   {"end":{"ok":true,"value":..,"usage":{..}}}
//
// Structured bindings see to it that no member of a message, reply or error is forgotten here. Values are exact_json. A
// request of a model has only what is new since the last one of the same agent at work: `kept` messages of that one go
// before its own, and a member that is not there is as it was.
#pragma once
#include "ptc/mission.h"
#include "subagent/agent/mission_state.h"
#include <map>

namespace ptc {

inline constexpr std::int64_t kRecordingVersion = 1;

/// What time and chance did to a mission from one answer to the next.
struct TapeSegment {
    Millis at{0}; ///< of the answer at its beginning
    std::vector<double> random;
    std::optional<std::uint64_t> interrupted_after; ///< so many times the answer was no
    std::map<std::uint64_t, std::int64_t> timeouts; ///< of programs by their number: the fuel that they used
    /// The tools of its feed with which a run went on behind a turn.
    struct Fed {
        std::uint64_t run = 0;
        std::size_t turn = 0;
        std::vector<Tool> tools{};
    };
    std::vector<Fed> fed{};
    /// The mission's time was over in the middle of its own work.
    struct Late {
        std::uint64_t after = 0; ///< so many slices (frontend/work.h)
        Millis at{0};            ///< the time from then on
    };
    std::optional<Late> late{};
    [[nodiscard]] static TapeSegment beginning_at(Millis at) {
        TapeSegment segment;
        segment.at = at;
        return segment;
    }
    [[nodiscard]] bool has_chance() const {
        return !random.empty() || interrupted_after || !timeouts.empty() || !fed.empty() || late;
    }
};

std::string header_line(std::int64_t started_ms, const Datum& note);
std::string chance_line(const TapeSegment& segment);
/// What came, an object. A long one takes milliseconds: whoever asks for the time does so behind it.
std::string answer_members(const LlmResult& result);
std::string answer_members(const ToolAnswer& answer);
std::string answer_members(const ApprovalAnswer& answer);
std::string answer_line(std::uint64_t id, Millis at, std::string members);
std::string end_line(const Step& step);

/// Writes calls; knows the last request of each agent at work.
class CallLines {
public:
    std::string line(const LlmNeed& need);
    std::string line(const ToolNeed& need);
    std::string line(const ApprovalNeed& need);

private:
    struct Last {
        std::vector<Message> messages;
        std::map<std::string, std::string, std::less<>> members; ///< as JSON
    };
    std::map<std::uint64_t, Last> last_;
};

// Of parsed lines. All errors are invalid_request.

/// `line` has "chance": adds to the segment under way.
Result<void> read_chance(const Datum& line, TapeSegment& segment);
/// `line` has "answer".
Result<Millis> read_time(const Datum& line);
using RecordedAnswer = std::variant<LlmResult, ToolAnswer, ApprovalAnswer>;
Result<RecordedAnswer> read_recorded_answer(const Datum& line);
/// The number of the call or answer; 0 when there is none that can be one.
std::uint64_t number_of(const Datum& line, std::string_view member);
/// "call 5, the tool `search` of run 2"; `line` has "call".
std::string call_text(const Datum& line);

} // namespace ptc
