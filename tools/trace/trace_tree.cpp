// Reads events into runs, and runs into a tree by the number of their caller; then prints the tree. A trace may be cut
// anywhere (a mission that was killed) or written by anybody: nothing here recurses, and what is no event is reported
// with its line.
#include "tools/trace/trace_tree.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "tools/batch.h"
#include "tools/members.h"
#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

namespace ptc {
namespace {

/// Puts events to the runs that they belong to.
class Reader {
public:
    Result<void> add(Datum event, std::size_t line) {
        const std::string name = text_of(event, "event");
        const std::int64_t number = integer_of(event, "run");
        const std::size_t index = tree_.events.size();
        if (name.empty() || number < 1) return not_an_event(line);
        tree_.events.push_back(std::move(event));
        tree_.lines.push_back(line);
        // The trace of a mission that was taken up again begins in its middle.
        if (name == "mission_start" || !runs_.contains(number))
            begin(number, integer_of(tree_.events.back(), "parent"));
        const auto found = runs_.find(number);
        TraceRun& run = tree_.runs[found->second];
        run.items.push_back({index});
        follow(run, name, index);
        return {};
    }
    static Error not_an_event(std::size_t line, const std::string& why = {}) {
        return {Reason::InvalidRequest,
                std::to_string(line) + ": this is no event of a trace" + (why.empty() ? "." : ": " + why)};
    }
    TraceTree take() { return std::move(tree_); }
    void mark_cut() { tree_.is_cut = true; }

private:
    void begin(std::int64_t number, std::int64_t parent) {
        const std::size_t index = tree_.runs.size();
        tree_.runs.emplace_back();
        const auto caller = parent > 0 ? runs_.find(parent) : runs_.end();
        if (caller == runs_.end()) { // a mission of its own, whose numbers begin anew
            runs_.clear();
            tree_.roots.push_back(index);
        } else {
            tree_.runs[caller->second].items.back().called.push_back(index);
        }
        runs_[number] = index;
    }
    void follow(TraceRun& run, const std::string& name, std::size_t index) {
        OpenCalls& open = open_[&run - tree_.runs.data()];
        if (name == "mission_stop") run.is_over = true;
        if (name == "turn_stop" || name == "mission_stop") run.open_calls.clear(), open.clear();
        const Datum& event = tree_.events[index];
        if (name == "tool_start") {
            run.open_calls.insert(index);
            if (event.find("arguments")) open[call_of(event)].push_back(index);
        }
        if (name == "tool_call" && !is_true(event.find("cached"))) {
            const auto answered = open.find(call_of(event));
            if (answered == open.end()) return;
            run.open_calls.erase(answered->second.front());
            answered->second.pop_front();
            if (answered->second.empty()) open.erase(answered);
        }
    }
    /// Equal of a call and its answer; what has no arguments is neither.
    static std::string call_of(const Datum& event) {
        const Datum* arguments = event.find("arguments");
        return arguments ? text_of(event, "tool") + " " + arguments->to_json() : "";
    }

    using OpenCalls = std::unordered_map<std::string, std::deque<std::size_t>>;
    std::unordered_map<std::ptrdiff_t, OpenCalls> open_; ///< by run
    TraceTree tree_;
    std::map<std::int64_t, std::size_t> runs_; ///< of the mission under way, by number
};

/// How far a run has been written, or the runs that one of its calls began.
struct RunCursor {
    const std::vector<std::size_t>* runs;
    std::size_t run = 0;
    std::size_t item = 0;
};

void write_end(std::string& out, const TraceTree& tree, const TraceRun& run, const EventTextOptions& options,
               std::size_t level) {
    for (const std::size_t call : run.open_calls)
        out += open_call_text(tree.events[call], options, level);
    if (!run.is_over) out += note_text("the trace ends before the mission does", options, level);
}

} // namespace

Result<TraceTree> read_trace(std::string_view text) {
    Reader reader;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (is_blank_line(line)) continue;
        Result<Datum> event = Datum::from_json(line);
        if (work::is_over()) return Error(Reason::Timeout, std::to_string(number) + ": the time is over.");
        if (event.ok() && event.value().map()) {
            PTC_CHECK(reader.add(std::move(event).value(), number));
        } else if (end == std::string_view::npos && number > 1) {
            reader.mark_cut();
        } else {
            return Reader::not_an_event(number, event.ok() ? "" : event.error().message);
        }
    }
    return reader.take();
}

// A trace may be written by anybody and nest as it likes: no recursion.
std::string trace_text(const TraceTree& tree, const EventTextOptions& options) {
    std::string out;
    std::vector<RunCursor> cursors{{&tree.roots}};
    std::size_t paid = 0;
    while (!cursors.empty() && work::charge(work_of_text(out.size() - std::exchange(paid, out.size())))) {
        RunCursor& at = cursors.back();
        if (at.run == at.runs->size()) {
            cursors.pop_back();
            continue;
        }
        const std::size_t level = cursors.size() - 1;
        const TraceRun& run = tree.runs[(*at.runs)[at.run]];
        if (at.item == run.items.size()) {
            write_end(out, tree, run, options, level);
            at = {at.runs, at.run + 1};
            continue;
        }
        const TraceRun::Item& item = run.items[at.item++];
        out += event_text(tree.events[item.event], options, level);
        if (!item.called.empty()) cursors.push_back({&item.called});
    }
    if (tree.is_cut) out += note_text("the last line is cut", options, 0);
    return out;
}

} // namespace ptc
