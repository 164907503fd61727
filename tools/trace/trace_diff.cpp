// Compares traces agent by agent. Runs are paired by who called them at which event, and walked in step without
// recursion; the first pair of events that differs is reported with the path of the member.
#include "tools/trace/trace_diff.h"
#include "frontend/json_writer.h"
#include "frontend/utf8.h"
#include "frontend/work.h"
#include "subagent/recording/datum_difference.h"
#include "tools/members.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kShown = 160;
constexpr std::size_t kWorkOfCompared = 40; ///< of work::Scope

bool is_ignored(std::string_view member) {
    return member == "time" || member == "duration_us" || member == "run" || member == "parent";
}

/// The agents at work that an event began, or the missions of the traces, in both.
struct PairCursor {
    const std::vector<std::size_t>* a;
    const std::vector<std::size_t>* b;
    std::size_t run = 0; ///< of these
    std::size_t item = 0;
};

/// An event of one trace.
struct Side {
    const TraceTree& tree;
    const TraceRun* run;

    Side(const TraceTree& t, const std::vector<std::size_t>& runs, std::size_t i)
        : tree(t), run(i < runs.size() ? &t.runs[runs[i]] : nullptr) {}
    [[nodiscard]] const TraceRun::Item* item(std::size_t i) const {
        return run && i < run->items.size() ? &run->items[i] : nullptr;
    }
    [[nodiscard]] const Datum* event(const TraceRun::Item* item) const {
        return item ? &tree.events[item->event] : nullptr;
    }
    [[nodiscard]] std::size_t line(const TraceRun::Item* item) const { return item ? tree.lines[item->event] : 0; }
};

/// An event for people: without its time.
std::string shown_event(const Datum* event) {
    if (!event) return "nothing";
    Datum::Map members;
    for (const auto& [key, value] : *event->map()) {
        if (!is_ignored(*key.text())) members.emplace_back(key, value);
    }
    const std::string json = Datum(std::move(members)).to_json();
    const std::string_view shown = utf8::prefix(json, kShown);
    return std::string(shown) + (shown.size() < json.size() ? "… (" + std::to_string(json.size()) + " bytes)" : "");
}

std::optional<TraceDifference> compare_events(const Side& a, const Side& b, std::size_t item) {
    const TraceRun::Item* in_a = a.item(item);
    const TraceRun::Item* in_b = b.item(item);
    TraceDifference found{.a = a.event(in_a),
                          .b = b.event(in_b),
                          .a_line = a.line(in_a),
                          .b_line = b.line(in_b),
                          .path = {},
                          .a_text = {},
                          .b_text = {},
                          .same_of_run = item};
    if (found.a && found.b && text_of(*found.a, "event") == text_of(*found.b, "event")) {
        auto parts = first_difference(*found.a, *found.b, is_ignored);
        if (!parts) return std::nullopt;
        found.path = std::move(parts->path);
        found.a_text = std::move(parts->a);
        found.b_text = std::move(parts->b);
        return found;
    }
    found.a_text = shown_event(found.a);
    found.b_text = shown_event(found.b);
    return found;
}

std::string where(const TraceDifference& difference) {
    const Datum& event = difference.a ? *difference.a : *difference.b;
    std::string out = "agent `" + text_of(event, "agent") + "`";
    const auto number = [](const Datum* e, const char* member) {
        const Datum* found = e ? e->find(member) : nullptr;
        return found ? found->to_json() : std::string("none");
    };
    out += " (run " + number(difference.a, "run") + " of A, run " + number(difference.b, "run") + " of B)";
    if (event.find("turn")) out += ", turn " + number(&event, "turn");
    return out;
}

} // namespace

// Traces may be written by anybody and nest as they like: no recursion.
TraceComparison compare_traces(const TraceTree& a, const TraceTree& b) {
    TraceComparison comparison;
    std::vector<PairCursor> cursors{{&a.roots, &b.roots}};
    while (!cursors.empty() && work::charge(kWorkOfCompared)) {
        PairCursor& at = cursors.back();
        if (at.run >= std::max(at.a->size(), at.b->size())) {
            cursors.pop_back();
            continue;
        }
        const Side left(a, *at.a, at.run);
        const Side right(b, *at.b, at.run);
        const TraceRun::Item* in_a = left.item(at.item);
        const TraceRun::Item* in_b = right.item(at.item);
        if (!in_a && !in_b) {
            ++comparison.same_runs;
            at = {at.a, at.b, at.run + 1};
            continue;
        }
        comparison.difference = compare_events(left, right, at.item);
        if (comparison.difference) return comparison;
        ++comparison.same_events;
        ++at.item;
        if (!in_a->called.empty() || !in_b->called.empty()) cursors.push_back({&in_a->called, &in_b->called});
    }
    return comparison;
}

std::string comparison_text(const TraceComparison& comparison) {
    const auto count = [](std::size_t n, const char* one, const char* many) {
        return std::to_string(n) + " " + (n == 1 ? one : many);
    };
    const std::string events = count(comparison.same_events, "event", "events");
    if (!comparison.difference)
        return "Both are the same: " + events + " of " +
               count(comparison.same_runs, "agent at work", "agents at work") + ".\n";
    const TraceDifference& difference = *comparison.difference;
    std::string out = "The same so far: " + events + ", " + std::to_string(difference.same_of_run) +
                      " of them of the agent at work that differs.\n";
    if (comparison.same_events == 0) out = "Different from the start.\n";
    out += "They part at " + where(difference) + ": ";
    if (!difference.path.empty())
        out += text_of(*difference.a, "event") + ", `" + difference.path + "`\n";
    else
        out += "another event\n";
    const auto side = [](const char* name, std::size_t line, const std::string& text) {
        return std::string("  ") + name + (line > 0 ? ", line " + std::to_string(line) : "") + ": " + text + "\n";
    };
    return out + side("A", difference.a_line, difference.a_text) + side("B", difference.b_line, difference.b_text);
}

std::string comparison_json(const TraceComparison& comparison) {
    JsonObject out;
    out.boolean("same", !comparison.difference);
    out.number("same_events", static_cast<std::int64_t>(comparison.same_events));
    if (!comparison.difference)
        return out.number("runs", static_cast<std::int64_t>(comparison.same_runs)).finish() + "\n";
    const TraceDifference& difference = *comparison.difference;
    const auto side = [](const Datum* event, std::size_t line, const std::string& text) {
        if (!event) return std::string("null");
        const Datum* run = event->find("run");
        return JsonObject()
            .number("line", static_cast<std::int64_t>(line))
            .raw("run", run ? run->to_json() : "null")
            .text("event", text_of(*event, "event"))
            .text("shown", text)
            .finish();
    };
    const Datum& event = difference.a ? *difference.a : *difference.b;
    const Datum* turn = event.find("turn");
    out.number("same_events_of_run", static_cast<std::int64_t>(difference.same_of_run));
    out.text("agent", text_of(event, "agent")).raw("turn", turn ? turn->to_json() : "null");
    out.text_or_null("member", difference.path);
    out.raw("a", side(difference.a, difference.a_line, difference.a_text));
    out.raw("b", side(difference.b, difference.b_line, difference.b_text));
    return out.finish() + "\n";
}

} // namespace ptc
