#include "tools/row.h"
#include "tools/trace_tree.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><meta charset="utf-8">
<body style="font: 15px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color-scheme: light dark">
)";
constexpr const char* kSectionStyle = "border-left: 3px solid #7aa; margin: .6em 0; padding: .2em 0 .2em 1em";
constexpr const char* kTextStyle = "margin: .2em 0; white-space: pre-wrap; overflow-wrap: anywhere";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

void write_text(std::string& out, std::string_view text) {
    if (!text.empty()) out += std::string("<pre style=\"") + kTextStyle + "\">" + escaped(text) + "</pre>\n";
}

bool is_event(const Datum& event, std::string_view name) { return text_of(event, "event") == name; }

/// A run while it is written.
struct Writing {
    const std::vector<std::size_t>* runs;
    std::size_t run = 0;
    std::size_t item = 0;
    bool is_begun = false;
    bool has_open_turn = false;
};

/// Whether the turn that begins at `item` ended well, and "turn N: ok".
std::string turn_start(const TraceTree& tree, const TraceRun& run, std::size_t item) {
    const Datum& start = tree.events[run.items[item].event];
    const Datum* number = start.find("turn");
    const auto ends = [&](const TraceRun::Item& other) { return is_event(tree.events[other.event], "turn_stop"); };
    const auto stop = std::find_if(run.items.begin() + static_cast<std::ptrdiff_t>(item), run.items.end(), ends);
    const bool is_known = stop != run.items.end();
    const bool ok = is_known && is_true(tree.events[stop->event].find("ok"));
    const std::string reason = is_known ? text_of(tree.events[stop->event], "reason") : "";
    return std::string(ok ? "<details>" : "<details open>") + "<summary>turn " +
           escaped(number ? number->to_json() : "") + ": " + (ok ? "ok" : "failed " + escaped(reason)) + "</summary>\n";
}

void close_turn(std::string& out, Writing& at) {
    if (at.has_open_turn) out += "</details>\n";
    at.has_open_turn = false;
}

void write_event(std::string& out, const TraceTree& tree, const TraceRun& run, Writing& at) {
    const Datum& event = tree.events[run.items[at.item].event];
    if (is_event(event, "turn_start") || is_event(event, "mission_stop")) close_turn(out, at);
    if (is_event(event, "turn_start")) {
        out += turn_start(tree, run, at.item);
        at.has_open_turn = true;
    }
    write_text(out, event_text(event, {}, 0));
    if (is_event(event, "turn_stop")) close_turn(out, at);
}

void write_end(std::string& out, const TraceTree& tree, const TraceRun& run, Writing& at) {
    for (const std::size_t call : run.open_calls)
        write_text(out, open_call_text(tree.events[call], {}, 0));
    close_turn(out, at);
    if (!run.is_over) write_text(out, note_text("the trace ends before the mission does", {}, 0));
    out += "</section>\n";
}

} // namespace

std::string trace_html(const TraceTree& tree) {
    std::string out = kHead;
    std::vector<Writing> places{{&tree.roots}};
    while (!places.empty()) {
        Writing& at = places.back();
        if (at.run == at.runs->size()) {
            places.pop_back();
            continue;
        }
        const TraceRun& run = tree.runs[(*at.runs)[at.run]];
        if (!at.is_begun) out += std::string("<section style=\"") + kSectionStyle + "\">\n";
        at.is_begun = true;
        if (at.item == run.items.size()) {
            write_end(out, tree, run, at);
            at = {at.runs, at.run + 1};
            continue;
        }
        write_event(out, tree, run, at);
        const TraceRun::Item& item = run.items[at.item++];
        if (!item.called.empty()) places.push_back({&item.called});
    }
    if (tree.is_cut) write_text(out, note_text("the last line is cut", {}, 0));
    return out += "</body></html>\n";
}

} // namespace ptc
