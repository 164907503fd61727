// The timeline: a lane for each agent at work, bars placed by percent of the mission's time. Lanes are limited in
// number, so that the page of a huge trace stays one that a browser can show.
#include "tools/trace/trace_timeline.h"
#include "frontend/utf8.h"
#include "tools/members.h"
#include "tools/number_text.h"
#include "tools/trace/html_text.h"
#include "tools/trace/trace_clock.h"
#include <algorithm>
#include <cstdio>

namespace ptc {
namespace {

constexpr std::size_t kMostLanes = 300;
constexpr std::size_t kMostIndent = 12;
constexpr std::size_t kMostLabel = 200; ///< bytes of a line's name

/// From the first thing that began to the last that ended.
struct Scale {
    std::int64_t begin;
    std::int64_t length;
    [[nodiscard]] std::string percent(std::int64_t micros) const {
        char text[32];
        std::snprintf(text, sizeof text, "%.3f%%", 100.0 * static_cast<double>(micros) / static_cast<double>(length));
        return text;
    }
};

Scale scale_of(const std::vector<TraceLane>& lanes) {
    std::int64_t begin = lanes.front().begin;
    std::int64_t end = begin + 1;
    for (const TraceLane& lane : lanes) {
        begin = std::min(begin, lane.begin);
        end = std::max(end, lane.end);
        for (const TraceSpan& span : lane.spans) {
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end);
        }
    }
    return {begin, end - begin};
}

const char* class_of(TraceSpan::Kind kind) {
    switch (kind) {
    case TraceSpan::Kind::Model: return "model";
    case TraceSpan::Kind::Program: return "program";
    case TraceSpan::Kind::Tool: return "tool";
    }
    return "";
}

std::string place(const Scale& scale, std::int64_t begin, std::int64_t end) {
    return "style=\"left:" + scale.percent(begin - scale.begin) + ";width:" + scale.percent(end - begin) + "\"";
}

std::string bar(const TraceTree& tree, const Scale& scale, const TraceSpan& span) {
    const std::string what = span.kind == TraceSpan::Kind::Tool ? "tool/" + text_of(tree.events[span.event], "tool")
                                                                : std::string(class_of(span.kind));
    const std::string title = "turn " + std::to_string(span.turn) + ": " + what + ", " +
                              duration_text(span.end - span.begin) + (span.ok ? "" : ", failed");
    return "<a class=\"bar " + std::string(class_of(span.kind)) + (span.ok ? "" : " failed") + "\" href=\"#e" +
           std::to_string(span.event) + "\" " + place(scale, span.begin, span.end) + " title=\"" + html_text(title) +
           "\"></a>";
}

/// What distinguishes it from its like: what it was called with.
std::string caller_text(const TraceTree& tree, const TraceLane& lane) {
    const Datum* arguments = lane.call ? tree.events[*lane.call].find("arguments") : nullptr;
    if (!arguments) return "";
    const std::string text = arguments->text() ? *arguments->text() : arguments->to_json();
    return text.size() > 2 ? " <small>" + html_text(utf8::prefix(text, kMostLabel)) + "</small>" : "";
}

std::string lane_html(const TraceTree& tree, const Scale& scale, const TraceLane& lane) {
    const TraceRun& run = tree.runs[lane.run];
    std::string out = "<li><a class=\"who\" href=\"#r" + std::to_string(lane.run) +
                      "\" style=\"--depth:" + std::to_string(std::min(lane.depth, kMostIndent)) + "\">" +
                      html_text(text_of(tree.events[run.items.front().event], "agent")) + caller_text(tree, lane) +
                      "</a><div class=\"track\"><span class=\"life\" " + place(scale, lane.begin, lane.end) +
                      "></span>";
    for (const TraceSpan& span : lane.spans)
        out += bar(tree, scale, span);
    return out + "</div></li>\n";
}

/// Where a quarter of the time has gone, and so on.
std::string axis(const Scale& scale) {
    std::string out = "<div class=\"axis\">";
    for (int quarter = 0; quarter <= 4; ++quarter)
        out += "<span>" + (quarter == 0 ? "0" : duration_text(scale.length / 4 * quarter)) + "</span>";
    return out + "</div>\n";
}

} // namespace

std::string timeline_html(const TraceTree& tree, std::size_t root) {
    const std::vector<TraceLane> lanes = lanes_of(tree, root);
    if (lanes.empty()) return "";
    const Scale scale = scale_of(lanes);
    std::string out =
        "<section class=\"timeline\">\n<h2>Timeline</h2>\n<p class=\"legend\"><span class=\"model\">model</span>"
        "<span class=\"program\">program</span><span class=\"tool\">tool</span>"
        "<span class=\"failed\">failed</span></p>\n" +
        axis(scale) + "<ol>\n";
    for (std::size_t i = 0; i < std::min(lanes.size(), kMostLanes); ++i)
        out += lane_html(tree, scale, lanes[i]);
    out += "</ol>\n";
    if (lanes.size() > kMostLanes)
        out += "<p class=\"note\">" + counted_text(lanes.size() - kMostLanes, "more agent") + "</p>\n";
    return out + "</section>\n";
}

} // namespace ptc
