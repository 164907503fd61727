// What a model reads of a program that it ran through a tool (lisp_eval, or a server's): one map for success and
// failure, bounded in size, with the programs that read on where a value is cut.
#include "subagent/agent/eval_report.h"
#include "frontend/utf8.h"
#include "subagent/agent/firewall.h"
#include "subagent/agent/outcome_facts.h"
#include "subagent/agent/prompt.h"
#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMostPrinted = 4000;  ///< bytes of printed lines
constexpr std::size_t kMostMemory = 12'000; ///< of definitions
constexpr std::size_t kMostNames = 500; ///< of all that is defined; they are bounded in size, as names of programs are
constexpr std::size_t kMostMessage = 4000;

/// A key or an index as programs write it.
std::string literal(const Datum& key) {
    const auto* keyword = key.get_if<Datum::Keyword>();
    return keyword ? ":" + keyword->name : key.to_json();
}

/// Where the next program finds a value: as *1, *2 or *3, or its entries as data/NAME.
enum class Kept : std::uint8_t { AsData, AsResult, AsSecond, AsThird };

/// The program text that gives the value at `path` of it.
std::string program_for(const std::vector<Datum>& path, Kept kept) {
    const bool is_data = kept == Kept::AsData;
    const std::string root =
        is_data ? "data/" + std::string(key_name(path[0])) : "*" + std::to_string(static_cast<int>(kept));
    std::string keys;
    for (std::size_t i = is_data ? 1 : 0; i < path.size(); ++i)
        keys += (keys.empty() ? "" : " ") + literal(path[i]);
    return keys.empty() ? root : "(get-in " + root + " [" + keys + "])";
}

/// The program that gives what comes after the part that is shown; "" when only the whole can be read.
std::string next_page(const Cut& cut, Kept kept = Kept::AsResult) {
    const std::string shown = std::to_string(cut.shown);
    const std::string size = std::to_string(cut.page);
    const std::string whole = program_for(cut.path, kept);
    const std::string rest = "(drop " + shown + " " + whole + ")";
    switch (cut.kind) {
    case Cut::Kind::Items: return cut.total - cut.shown <= cut.page ? rest : "(take " + size + " " + rest + ")";
    case Cut::Kind::Entries: // a map again, so that what its keys hide stays hidden
        return "(into {} (take " + size + " " + rest + "))";
    case Cut::Kind::Text:
        return "(subs " + whole + " " + shown + " (min (count " + whole + ") " + std::to_string(cut.shown + cut.page) +
               "))";
    case Cut::Kind::Depth: return whole;
    }
    return whole;
}

Datum cut_entry(const Cut& cut, bool is_kept) {
    std::vector<std::pair<std::string, Datum>> members = {{"path", Datum(cut.path)}};
    if (cut.kind != Cut::Kind::Depth) {
        members.emplace_back("shown", Datum(static_cast<std::int64_t>(cut.shown)));
        members.emplace_back(cut.kind == Cut::Kind::Text ? "total_bytes" : "total",
                             Datum(static_cast<std::int64_t>(cut.total)));
    }
    if (is_kept) members.emplace_back("next", next_page(cut));
    return Datum::object(std::move(members));
}

/// The first lines, as many as may be shown, and how many there are.
Datum printed(const std::vector<std::string>& lines) {
    Datum::List shown;
    std::size_t bytes = 0;
    for (const std::string& line : lines) {
        const std::size_t room = kMostPrinted - bytes;
        if (line.size() <= room) {
            shown.emplace_back(line);
            bytes += line.size();
            continue;
        }
        shown.emplace_back(std::string(utf8::prefix(line, room)) + "… (" + std::to_string(lines.size()) +
                           (lines.size() == 1 ? " line, " : " lines in all; this one has ") +
                           std::to_string(line.size()) + " bytes)");
        break;
    }
    return Datum(std::move(shown));
}

/// A collection without its values.
Preview shape_of(const Datum& value) {
    const auto* set = value.get_if<Datum::Set>();
    const std::size_t size = value.list() ? value.list()->size() : set ? set->items.size() : value.map()->size();
    return {shown_type_text(value) + " (" + std::to_string(size) + " in all)", true};
}

std::string cut_message(const std::string& message) {
    if (message.size() <= kMostMessage) return message;
    return std::string(utf8::prefix(message, kMostMessage)) + "… (" + std::to_string(message.size()) + " bytes in all)";
}

Datum render_error(const EvalReport& report, const PreviewLimits& limits) {
    std::vector<std::pair<std::string, Datum>> members = {{"status", "error"},
                                                          {"reason", Datum(eval_reason(report.reason))},
                                                          {"message", cut_message(report.message)},
                                                          {"feedback", report.feedback}};
    if (report.value) members.emplace_back("result", preview(*report.value, limits).text);
    return Datum::object(std::move(members));
}

} // namespace

std::optional<std::string> stored_line(const Definition& one) {
    if (!one.value.ok() || !one.value.value()) return std::nullopt;
    return one.name + " " + shown_type_text(*one.value.value());
}

Preview ShownDefinitions::shown(const Definition& one) const {
    if (is_firewalled(one.name)) return Preview{std::string(kFirewalled)};
    const Datum& value = *one.value.value();
    return hides_ && hides_(value) ? shape_of(value) : preview(value, limits_);
}

void ShownDefinitions::add(const Definition& one) {
    if (bytes_ > kMostMemory) return;
    if (!shown_.empty()) bytes_ += shown_.back().first.size() + shown_.back().second.text()->size();
    if (bytes_ > kMostMemory) {
        is_truncated_ = true;
    } else if (!one.value.ok()) {
        is_truncated_ = true;
        shown_.emplace_back(one.name, Datum("… (too large to be shown)"));
    } else if (one.value.value()) {
        const Preview text = shown(one);
        is_truncated_ = is_truncated_ || text.is_cut;
        shown_.emplace_back(one.name, Datum(text.text));
    }
}

Datum ShownDefinitions::report(std::vector<std::string> names) const {
    std::ranges::sort(names);
    const bool are_all = names.size() <= kMostNames;
    if (!are_all) names.resize(kMostNames);
    return Datum::object({{"changed", Datum::object(shown_)},
                          {"stored_keys", Datum::texts(names)},
                          {"truncated", is_truncated_ || !are_all}});
}

std::string_view eval_reason(std::string_view reason) {
    if (reason == reason_name(MissionReason::MemoryExceeded)) return "memory_limit";
    for (const std::string_view same : {reason_name(MissionReason::ParseError), reason_name(MissionReason::Timeout),
                                        reason_name(MissionReason::ValidationError), std::string_view("fail")}) {
        if (reason == same) return same;
    }
    return "runtime_error";
}

std::string_view told_reason(const Feedback& feedback, MissionReason reason) {
    return feedback.is_by_call ? eval_reason(reason_name(reason)) : reason_name(reason);
}

std::string paging_text(const Preview& shown, bool is_kept, const std::vector<NewData>& new_data, unsigned star) {
    if (shown.cuts.empty()) return "";
    const Cut& first = shown.cuts[0];
    if (!is_kept && !first.path.empty() &&
        std::ranges::find(new_data, key_name(first.path[0]), &NewData::name) != new_data.end())
        return "To read on: " + next_page(first, Kept::AsData);
    if (!is_kept && first.kind == Cut::Kind::Items && first.path.empty())
        return "What `return` gives is not kept. To read on: the same program without return and with (drop " +
               std::to_string(first.shown) + " VALUE) as its last value, which is then *1.";
    if (!is_kept)
        return "What `return` gives is not kept. To read on: the same program without return, whose value is then *1.";
    const std::string name = "*" + std::to_string(star);
    return "To read on: " + next_page(first, static_cast<Kept>(star)) + "\nThis value is " + name +
           " for the next program" + (star < 2 ? ", then *2" : "") + (star < 3 ? ", then *3" : "") + "; (def name " +
           name + ") keeps it.";
}

Datum render(const EvalReport& report, const PreviewLimits& limits) {
    if (!report.reason.empty()) return render_error(report, limits);
    const Preview shown = preview(*report.value, result_limits(limits, report.is_kept));
    Datum prints = printed(report.prints);
    Datum memory = report.changed ? report.changed->report(report.names) : Datum();
    std::vector<std::pair<std::string, Datum>> members = {{"status", "ok"},
                                                          {"result", "user=> " + shown.text},
                                                          {"prints", std::move(prints)},
                                                          {"feedback", report.feedback},
                                                          {"truncated", shown.is_cut}}; // the result alone
    Datum::List more;
    for (const Cut& cut : shown.cuts)
        more.push_back(cut_entry(cut, report.is_kept && report.changed));
    if (!more.empty()) members.emplace_back("more", Datum(std::move(more)));
    if (report.changed) members.emplace_back("memory", std::move(memory));
    return Datum::object(std::move(members));
}

Datum eval_refusal(std::string_view reason, std::string_view message) {
    return Datum::object(
        {{"status", "error"}, {"reason", Datum(reason)}, {"message", Datum(message)}, {"feedback", Datum(message)}});
}

namespace {

Datum failure_payload(const Outcome& outcome, const EvalPayloadOptions& options, Feedback feedback) {
    EvalReport report;
    if (outcome.kind == Outcome::Kind::Fail) {
        const Fail fail = fail_of(outcome);
        report.value = &*outcome.datum;
        report.reason = "fail";
        report.message = fail.message;
        report.feedback = failure_text(feedback, fail.reason, fail.message);
    } else {
        report.reason = reason_name(mission_reason_of(outcome));
        report.message = outcome.error->message;
        report.feedback =
            failure_text(feedback, eval_reason(report.reason), rendered_error(std::string(options.program), outcome));
    }
    return render(report, preview_limits(options.limit));
}

Datum value_payload(const Session& session, const Outcome& outcome, const EvalPayloadOptions& options,
                    Feedback feedback) {
    const PreviewLimits limits = preview_limits(options.limit);
    ShownDefinitions changed(limits);
    EvalReport report;
    report.value = &*outcome.datum;
    report.is_kept = outcome.kind == Outcome::Kind::Ok; // requirement 226
    const Preview shown = preview(*outcome.datum, result_limits(limits, report.is_kept));
    report.prints = outcome.prints;
    if (options.has_memory) {
        report.changed = &changed;
        report.names = session.names();
        feedback.paging = paging_text(shown, report.is_kept, {});
        see_definitions(session, outcome.changed_names, kMostDefined, [&](const Definition& one) {
            changed.add(one);
            if (std::optional<std::string> line = stored_line(one)) feedback.stored.push_back(std::move(*line));
        });
    }
    feedback.result = shown.text;
    feedback.type = shown_type_text(*outcome.datum);
    feedback.is_cut = shown.is_cut;
    report.feedback = success_text(feedback);
    return render(report, limits);
}

} // namespace

Datum eval_payload(const Session& session, const Outcome& outcome, const EvalPayloadOptions& options) {
    Feedback feedback;
    feedback.is_by_call = true;
    feedback.prints = outcome.prints;
    return outcome.ok() ? value_payload(session, outcome, options, std::move(feedback))
                        : failure_payload(outcome, options, std::move(feedback));
}

} // namespace ptc
