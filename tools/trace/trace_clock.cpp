// When things of a trace happened. An event has the time of its end and a duration; spans are made of both, and a
// tool's start is paired with the call that answers it, since calls may overlap.
#include "tools/trace/trace_clock.h"
#include "frontend/work.h"
#include "runtime/time.h"
#include "tools/members.h"
#include <algorithm>
#include <deque>
#include <map>

namespace ptc {
namespace {

constexpr std::size_t kWorkOfEvent = 20; ///< of work::Scope

/// Microseconds since 1970; none without a time.
std::optional<std::int64_t> time_of(const Datum& event) {
    const ParsedTime time = parse_iso_time(text_of(event, "time"));
    if (time.kind != ParsedTime::Kind::Instant) return std::nullopt;
    return time.a * 1000 + time.b / 1000;
}

/// How long it took; not more than years, whoever wrote the trace.
std::int64_t duration_of(const Datum& event) {
    return std::clamp<std::int64_t>(integer_of(event, "duration_us"), 0, 1'000'000'000'000'000);
}

class LaneMaker {
public:
    LaneMaker(const TraceTree& tree, std::size_t run, std::size_t depth) : tree_(tree), run_(tree.runs[run]) {
        lane_.run = run;
        lane_.depth = depth;
    }
    std::optional<TraceLane> make() {
        const std::vector<std::optional<std::size_t>> answers = answers_of(tree_, run_);
        for (std::size_t i = 0; i < run_.items.size(); ++i) {
            if (!work::charge(kWorkOfEvent)) return std::nullopt;
            const Datum& event = tree_.events[run_.items[i].event];
            const std::optional<std::int64_t> now = time_of(event);
            if (!now) return std::nullopt;
            if (i == 0) lane_.begin = *now;
            lane_.end = *now;
            add(event, *now, i, answers[i]);
        }
        close_program(false);
        return std::move(lane_);
    }

private:
    void add(const Datum& event, std::int64_t now, std::size_t item, std::optional<std::size_t> answer) {
        const std::string name = text_of(event, "event");
        const std::int64_t turn = integer_of(event, "turn");
        const std::size_t index = run_.items[item].event;
        if (name == "llm_reply") {
            const std::int64_t begin = now - duration_of(event);
            lane_.spans.push_back({TraceSpan::Kind::Model, begin, now, true, index, turn});
        } else if (name == "program_start") {
            program_ = lane_.spans.size();
            lane_.spans.push_back({TraceSpan::Kind::Program, now, now, true, index, turn});
        } else if (name == "tool_start") {
            const Datum* call = answer ? &tree_.events[run_.items[*answer].event] : nullptr;
            const std::int64_t took = call ? duration_of(*call) : 0;
            const bool ok = call && is_true(call->find("ok"));
            lane_.spans.push_back({TraceSpan::Kind::Tool, now, now + took, ok, index, turn});
            lane_.end = std::max(lane_.end, now + took);
        } else if (name == "turn_stop") {
            close_program(is_true(event.find("ok")));
        }
    }
    void close_program(bool ok) {
        if (!program_) return;
        lane_.spans[*program_].end = lane_.end;
        lane_.spans[*program_].ok = ok;
        program_.reset();
    }

    const TraceTree& tree_;
    const TraceRun& run_;
    TraceLane lane_;
    std::optional<std::size_t> program_; ///< the span of the one that runs
};

} // namespace

std::vector<std::optional<std::size_t>> answers_of(const TraceTree& tree, const TraceRun& run) {
    std::vector<std::optional<std::size_t>> answers(run.items.size());
    std::map<std::string, std::deque<std::size_t>> waiting; ///< of this turn, by tool and arguments
    for (std::size_t i = 0; i < run.items.size() && work::charge(kWorkOfEvent); ++i) {
        const Datum& event = tree.events[run.items[i].event];
        const std::string name = text_of(event, "event");
        if (name == "turn_stop") waiting.clear();
        if (name != "tool_start" && name != "tool_call") continue;
        const Datum* arguments = event.find("arguments");
        const std::string key = text_of(event, "tool") + " " + (arguments ? arguments->to_json() : "");
        if (name == "tool_start") {
            waiting[key].push_back(i);
        } else if (const auto found = waiting.find(key);
                   found != waiting.end() && !found->second.empty() && !is_true(event.find("cached"))) {
            answers[found->second.front()] = i;
            found->second.pop_front();
        }
    }
    return answers;
}

// Traces nest as they like: no recursion.
std::vector<TraceLane> lanes_of(const TraceTree& tree, std::size_t root) {
    std::vector<TraceLane> lanes;
    struct Visit {
        std::size_t run;
        std::size_t depth;
        std::optional<std::size_t> call;
    };
    std::vector<Visit> visits = {{root, 0, {}}}; // the next one is the last
    while (!visits.empty()) {
        const Visit now = visits.back();
        visits.pop_back();
        std::optional<TraceLane> lane = LaneMaker(tree, now.run, now.depth).make();
        if (!lane) return {};
        lane->call = now.call;
        lanes.push_back(std::move(*lane));
        const auto first = static_cast<std::ptrdiff_t>(visits.size());
        for (const TraceRun::Item& item : tree.runs[now.run].items) {
            for (const std::size_t child : item.called)
                visits.push_back({child, now.depth + 1, item.event});
        }
        std::reverse(visits.begin() + first, visits.end());
    }
    return lanes;
}

} // namespace ptc
