// A trace as a page that needs nothing else: what came of it, a timeline, and below it every turn. Agents that were
// called by others stand inside of the call that began them; they are written with a stack, as they may nest without a
// limit. All texts come from programs and models: none gets into the page but through html_text or html_program.
#include "frontend/work.h"
#include "tools/members.h"
#include "tools/number_text.h"
#include "tools/trace/html_text.h"
#include "tools/trace/trace_clock.h"
#include "tools/trace/trace_page_parts.h"
#include "tools/trace/trace_timeline.h"
#include "tools/trace/trace_tree.h"
#include <algorithm>
#include <memory>

namespace ptc {
namespace {

constexpr std::size_t kMostOpenTurns = 12; ///< of a mission that are shown unfolded

bool is_event(const Datum& event, std::string_view name) { return text_of(event, "event") == name; }

std::string element(const char* tag, const char* name, const std::string& content) {
    return "<" + std::string(tag) + " class=\"" + name + "\">" + content + "</" + tag + ">";
}

/// A text that is folded; "" for none.
std::string folded(const char* title, std::string_view text, const std::string& id = "") {
    if (text.empty()) return "";
    return "<details class=\"fold\"" + id + "><summary>" + title + " <small>" + counted_text(text.size(), "byte") +
           "</small></summary><pre>" + html_text(text) + "</pre></details>\n";
}

std::string failure_of(const Datum& event) {
    const std::string reason = text_of(event, "reason");
    const std::string message = text_of(event, "message");
    return (reason.empty() ? "" : element("b", "reason", html_text(reason))) +
           (message.empty() ? "" : "<pre>" + html_text(message) + "</pre>");
}

std::string tokens_of(const Datum& event) {
    const Datum* tokens = event.find("tokens");
    const std::int64_t count = tokens ? integer_of(*tokens, "input") + integer_of(*tokens, "output") : 0;
    return count > 0 ? counted_text(static_cast<std::size_t>(count), "token") : "";
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) {
        if (!part.empty()) out += (out.empty() ? "" : " · ") + part;
    }
    return out;
}

std::string mark(bool is_known, bool ok) {
    if (!is_known) return R"(<span class="mark" title="not over">…</span>)";
    return ok ? R"(<span class="mark" title="ok">✓</span>)" : R"(<span class="mark" title="failed">✗</span>)";
}
const char* verdict(bool is_known, bool ok) { return !is_known ? "open" : ok ? "ok" : "failed"; }

/// What was coerced or let through, those that `is_meant`.
template <class IsMeant> std::string warnings_of(const Datum& event, IsMeant is_meant) {
    std::string out;
    for (const Datum& warning : items_of(event, "warnings")) {
        if (!is_meant(text_of(warning, "of"))) continue;
        const std::int64_t times = integer_of(warning, "times");
        out += "<p class=\"note warning\">" + html_text(text_of(warning, "of")) + ": " +
               html_text(text_of(warning, "text")) + (times > 1 ? " (" + std::to_string(times) + " times)" : "") +
               "</p>\n";
    }
    return out;
}

/// One agent at work while it is written.
class RunWriter {
public:
    RunWriter(const TraceTree& tree, std::size_t run, bool is_root)
        : tree_(tree), run_(tree.runs[run]), index_(run), is_root_(is_root), answers_(answers_of(tree, run_)) {
        for (const auto& answer : answers_) {
            if (answer) answered_.push_back(*answer);
        }
        std::ranges::sort(answered_);
    }

    /// Writes up to the next call that began runs, which are to be written then; null at the end.
    const std::vector<std::size_t>* write(std::string& out) {
        if (item_ == 0) out += begin();
        close_call(out);
        while (item_ < run_.items.size()) {
            const std::size_t at = item_++, size = out.size();
            write_item(out, at);
            if (!work::charge(work_of_text(out.size() - size))) return nullptr;
            if (!run_.items[at].called.empty()) return &run_.items[at].called;
            close_call(out);
        }
        end(out);
        return nullptr;
    }

private:
    [[nodiscard]] const Datum& event(std::size_t item) const { return tree_.events[run_.items[item].event]; }
    /// Where a bar of the timeline leads.
    [[nodiscard]] std::string id(std::size_t item) const {
        return " id=\"e" + std::to_string(run_.items[item].event) + "\"";
    }
    /// The event of this name, looked for from `item` on to the end of its turn; null for none.
    [[nodiscard]] const Datum* in_turn(std::size_t item, std::string_view name) const {
        for (std::size_t i = item; i < run_.items.size() && work::charge(1); ++i) {
            if (is_event(event(i), name)) return &event(i);
            if (is_event(event(i), "turn_stop")) break;
        }
        return nullptr;
    }

    [[nodiscard]] std::string begin() const {
        const Datum& start = event(0);
        std::string out = "<section class=\"run\" id=\"r" + std::to_string(index_) + "\">\n";
        if (!is_root_)
            out += "<h3>" + html_text(text_of(start, "agent")) + " <code>" + html_program(text_of(start, "signature")) +
                   "</code></h3>\n";
        return out + folded("Prompt", text_of(start, "prompt"));
    }
    void write_item(std::string& out, std::size_t item) {
        const Datum& now = event(item);
        const std::string name = text_of(now, "event");
        if (name == "turn_start")
            begin_turn(out, item);
        else if (name == "llm_retry")
            out += "<p class=\"note\">" + again_text(now) + failure_of(now) + "</p>\n";
        else if (name == "llm_reply") {
            out += folded("Reasoning", text_of(now, "reasoning"));
            write_reply(out, now, item);
        } else if (name == "program_start")
            out += "<pre class=\"code\"" + id(item) + ">" + html_program(text_of(now, "program")) + "</pre>\n";
        else if (name == "tool_start")
            begin_call(out, now, answers_[item] ? &event(*answers_[item]) : nullptr, run_.items[item].event);
        else if (name == "tool_call" && !std::ranges::binary_search(answered_, item))
            begin_call(out, now, &now, run_.items[item].event);
        else if (name == "guard")
            out += "<p class=\"note" + std::string(is_true(now.find("ok")) ? "" : " failed") + "\">The guard " +
                   html_text(text_of(now, "guard")) + " at " + html_text(text_of(now, "point")) + ": " +
                   html_text(text_of(now, "reason")) + " " + html_text(text_of(now, "message")) + "</p>\n";
        else if (name == "preview_fallback")
            out += "<p class=\"note\">The preview of " + html_text(text_of(now, "tool")) +
                   " could not be used: " + html_text(text_of(now, "reason")) + "</p>\n";
        else if (name == "compaction")
            out += folded("Cut", text_of(now, "text"));
        else if (name == "approval_request" || name == "approval_answer")
            write_approval(out, now, name == "approval_request");
        else if (name == "turn_stop")
            end_turn(out, now);
    }

    static void write_approval(std::string& out, const Datum& now, bool is_request) {
        const Datum* arguments = now.find("arguments");
        const std::string shown = !arguments ? "" : arguments->text() ? *arguments->text() : arguments->to_json();
        const std::string point = text_of(now, "point");
        const std::string what = point.empty() ? "tool/" + text_of(now, "tool") : point;
        const std::string call = "<b>" + html_text(what) + "</b> <code>" + html_text(shown) + "</code>";
        const std::int64_t line = integer_of(now, "line");
        const std::string place = line == 0 ? ""
                                            : " (line " + std::to_string(line) + ", column " +
                                                  std::to_string(integer_of(now, "column")) + ")";
        if (is_request)
            out += "<p class=\"note\">" + call + place + " waits for approval. " + html_text(text_of(now, "message")) +
                   "</p>\n";
        else if (is_true(now.find("ok")))
            out += "<p class=\"note\">Approved" +
                   (is_true(now.find("changed_arguments")) ? " with other arguments: " + call : std::string()) +
                   ".</p>\n";
        else
            out += "<p class=\"note failed\">Not approved: " + html_text(text_of(now, "message")) + "</p>\n";
    }

    static std::string again_text(const Datum& retry) {
        const std::string model = text_of(retry, "model");
        return model.empty() ? "The model is called again: " : html_text(model) + " failed: ";
    }

    void begin_turn(std::string& out, std::size_t item) {
        close_turn(out);
        const Datum& start = event(item);
        const Datum* stop = in_turn(item, "turn_stop");
        const Datum* reply = in_turn(item, "llm_reply");
        const bool ok = stop && is_true(stop->find("ok"));
        const bool is_open = !ok || (is_root_ && ++open_turns_ <= kMostOpenTurns);
        out +=
            "<details class=\"turn " + std::string(verdict(stop, ok)) + "\" id=\"e" +
            std::to_string(run_.items[item].event) + "\"" + (is_open ? " open" : "") + "><summary>" + mark(stop, ok) +
            "<b>Turn " + std::to_string(integer_of(start, "turn")) + "</b>" + element("span", "gist", gist(stop)) +
            element(
                "span", "cost",
                joined(
                    {reply ? "model " + duration_text(integer_of(*reply, "duration_us")) : "",
                     reply ? tokens_of(*reply) : "",
                     stop && stop->find("program") ? "program " + duration_text(integer_of(*stop, "duration_us")) : "",
                     stop && stop->find("program")
                         ? counted_text(static_cast<std::size_t>(std::max<std::int64_t>(0, integer_of(*stop, "fuel"))),
                                        "unit") +
                               " of fuel"
                         : ""})) +
            "</summary>\n<div class=\"folds\">" + folded("System text", text_of(start, "system")) +
            folded("Told the model", text_of(start, "told"));
        has_open_turn_ = has_open_folds_ = true;
    }
    /// What came of a turn, in a line that is seen when it is folded.
    static std::string gist(const Datum* stop) {
        if (!stop) return "not over";
        if (!is_true(stop->find("ok"))) return html_text(text_of(*stop, "reason"));
        return "<code>" + html_program(text_of(*stop, "result")) + "</code>";
    }
    void write_reply(std::string& out, const Datum& reply, std::size_t item) {
        const std::string text = text_of(reply, "text");
        const bool has_program = in_turn(item, "program_start");
        if (has_program) out += folded("Reply", text, id(item));
        close_folds(out);
        if (!has_program && !text.empty())
            out += "<pre class=\"reply\"" + id(item) + ">" + html_text(text) + "</pre>\n";
    }
    void end_turn(std::string& out, const Datum& stop) {
        write_prints(out, stop);
        out += warnings_of(stop, [](const std::string&) { return true; });
        if (const std::int64_t more = integer_of(stop, "more_warnings"); more > 0)
            out += "<p class=\"note warning\">and " + counted_text(static_cast<std::size_t>(more), "other warning") +
                   "</p>\n";
        if (!is_true(stop.find("ok")))
            out += "<div class=\"result failed\">" + failure_of(stop) + "</div>\n";
        else if (const std::string result = text_of(stop, "result"); !result.empty())
            out += "<div class=\"result ok\"><pre>" + html_program(result) + "</pre></div>\n";
        close_turn(out);
    }
    static void write_prints(std::string& out, const Datum& stop) {
        std::string lines;
        for (const Datum& line : items_of(stop, "prints"))
            lines += html_text(line.text() ? *line.text() : line.to_json()) + "\n";
        if (!lines.empty()) out += "<pre class=\"prints\" title=\"printed\">" + lines + "</pre>\n";
    }
    /// What was said, in a row at the top of a turn.
    void close_folds(std::string& out) {
        if (has_open_folds_) out += "</div>\n";
        has_open_folds_ = false;
    }
    void close_turn(std::string& out) {
        close_folds(out);
        if (has_open_turn_) out += "</details>\n";
        has_open_turn_ = false;
    }

    /// `call` is null for one that has no answer.
    void begin_call(std::string& out, const Datum& start, const Datum* call, std::size_t event) {
        const Datum* arguments = start.find("arguments");
        const std::string shown = !arguments ? "" : arguments->text() ? *arguments->text() : arguments->to_json();
        const bool ok = call && is_true(call->find("ok"));
        const std::string took = !call                           ? "no answer"
                                 : is_true(call->find("cached")) ? "cached"
                                                                 : duration_text(integer_of(*call, "duration_us"));
        out += "<details class=\"call " + std::string(verdict(call, ok)) + "\" id=\"e" + std::to_string(event) + "\"" +
               (ok ? "" : " open") + "><summary>" + mark(call, ok) + "<b>tool/" + html_text(text_of(start, "tool")) +
               (is_true(start.find("handoff")) ? " takes over" : "") + "</b>" +
               element("span", "gist", "<code>" + html_text(shown) + "</code>") + element("span", "cost", took) +
               "</summary>\n<pre>" + html_text(shown) + "</pre>\n";
        call_end_ = call ? answer_of(*call) : "";
        has_open_call_ = true;
    }
    static std::string answer_of(const Datum& call) {
        if (!is_true(call.find("ok"))) return "<div class=\"result failed\">" + failure_of(call) + "</div>\n";
        const char* cut = is_true(call.find("result_preview_truncated")) ? "<small>a preview</small>" : "";
        return "<div class=\"result ok\"><pre>" + html_program(text_of(call, "result")) + "</pre>" + cut + "</div>\n";
    }
    void close_call(std::string& out) {
        if (has_open_call_) out += call_end_ + "</details>\n";
        has_open_call_ = false;
    }
    void end(std::string& out) {
        close_turn(out);
        if (!run_.is_over) out += "<p class=\"note failed\">The trace ends before the mission does.</p>\n";
        out += "</section>\n";
    }

    const TraceTree& tree_;
    const TraceRun& run_;
    std::size_t index_;
    bool is_root_;
    std::vector<std::optional<std::size_t>> answers_;
    std::vector<std::size_t> answered_; ///< items that are answers, sorted
    std::size_t item_ = 0;
    std::size_t open_turns_ = 0;
    bool has_open_turn_ = false;
    bool has_open_folds_ = false;
    bool has_open_call_ = false;
    std::string call_end_;
};

/// What came of a mission, and what it used.
std::string header(const TraceTree& tree, const TraceRun& run) {
    const Datum& start = tree.events[run.items.front().event];
    const Datum& stop = tree.events[run.items.back().event];
    const bool is_over = run.is_over;
    const bool ok = is_over && is_true(stop.find("ok"));
    std::string out = "<header class=\"" + std::string(verdict(is_over, ok)) + "\">\n<h1>" + mark(is_over, ok) +
                      html_text(text_of(start, "agent")) + "</h1>\n<code class=\"signature\">" +
                      html_program(text_of(start, "signature")) + "</code>\n";
    if (!is_over) return out + "<p class=\"note\">not over</p></header>\n";
    out += "<div class=\"outcome\">" +
           (ok ? "<pre>" + html_program(text_of(stop, "result")) + "</pre>" : failure_of(stop)) + "</div>\n" +
           warnings_of(stop, [](const std::string& of) { return of == "context"; }); // others stand at their turns
    const Datum* usage = stop.find("usage");
    if (!usage) return out + "</header>\n";
    const auto fact = [&out](const char* name, const std::string& value) {
        out += "<div><dt>" + std::string(name) + "</dt><dd>" + value + "</dd></div>";
    };
    const auto count = [&](const Datum& from, const char* name) { return grouped_text(integer_of(from, name)); };
    out += "<dl>";
    fact("time", duration_text(integer_of(stop, "duration_us")));
    fact("turns", count(*usage, "turns"));
    fact("model calls", count(*usage, "llm_calls"));
    fact("tool calls", count(*usage, "tool_calls"));
    if (const Datum* tokens = usage->find("tokens")) {
        fact("tokens in", count(*tokens, "input"));
        fact("tokens out", count(*tokens, "output"));
    }
    fact("fuel", count(*usage, "fuel"));
    fact("peak memory", count(*usage, "peak_heap_bytes") + " B");
    return out + "</dl>\n</header>\n";
}

void write_runs(std::string& out, const TraceTree& tree, std::size_t root) {
    struct RunCursor {
        const std::vector<std::size_t>* runs;
        std::size_t next;
    };
    const std::vector<std::size_t> first = {root};
    std::vector<std::pair<RunCursor, std::unique_ptr<RunWriter>>> cursors;
    cursors.emplace_back(RunCursor{&first, 0}, nullptr);
    while (!cursors.empty() && work::charge(1)) { // traces nest as they like: no recursion
        auto& [cursor, writer] = cursors.back();
        if (!writer && cursor.next == cursor.runs->size()) {
            cursors.pop_back();
            continue;
        }
        if (!writer) writer = std::make_unique<RunWriter>(tree, (*cursor.runs)[cursor.next++], cursors.size() == 1);
        const std::vector<std::size_t>* called = writer->write(out);
        if (called)
            cursors.emplace_back(RunCursor{called, 0}, nullptr);
        else
            writer.reset();
    }
}

std::string page_title(const TraceTree& tree) {
    if (tree.roots.empty()) return "ptc trace";
    const TraceRun& run = tree.runs[tree.roots.front()];
    return html_text(text_of(tree.events[run.items.front().event], "agent")) + " – ptc trace";
}

} // namespace

std::string trace_html(const TraceTree& tree) {
    std::string out;
    for (const std::size_t root : tree.roots) {
        out += "<article>\n" + header(tree, tree.runs[root]) + timeline_html(tree, root) + "<h2>Turns</h2>\n";
        write_runs(out, tree, root);
        out += "</article>\n";
    }
    if (tree.is_cut) out += "<p class=\"note failed\">The last line of the trace is cut.</p>\n";
    return whole_page(page_title(tree), out);
}

} // namespace ptc
