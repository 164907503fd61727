// `ptcc missions`: what is in a store, for people and for programs, and what they may do about it. Each thing that can
// be done is a command of its own within this one; all of them have --store.
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "frontend/visible_text.h"
#include "ptc/signature.h"
#include "ptc/worker.h"
#include "subagent/engine/invalid_request.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/members.h"
#include "tools/store/store_options.h"
#include "tools/store/stored_agent.h"
#include "tools/trace/event_text.h"
#include <algorithm>
#include <ctime>
#include <map>
#include <pwd.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(Without a command: all missions, as `list` has them. --json writes one line a mission: {"id", "status", "result" of one that is
done, "error" ({"reason", "message"}) of one that failed or was cancelled, "agent", "queue", "tenant", "priority", "attempts",
"turns", "input_tokens", "output_tokens", "cost_usd", "created_ms", "changed_ms", "parent" (the mission that waits for it), "waits_for"
(the approvals and, with "answered_by": outside or child, the calls of tools that it waits for),
"losses" (workers in a row that ended under it without a word), "waits" (why it stands still: {"for": worker, time, retry, model,
tool, approval or child, "names", "since_ms", "until_ms", "reason", "message" of a retry})}. `show --json` has "calls" besides:
{"need", "kind", "name", "key", "is_answered", "asked_ms", "answered_ms", "decision" of an approval: {"is_approved", "by", "reason",
"arguments" when they were changed}}, and "children": {"id", "status"}. A row that somebody else wrote and nobody can read has the
status "unreadable" and a "problem".

status: ready (any worker may take it), running, waiting (for an approval, an answer from outside, a child, a time), done, failed,
cancelled.

Exit codes: 0 done; 1 the store cannot be reached, the mission was over already, or one that is listed cannot be read; 2 wrong
usage, no such mission.

Examples:
  ptcc missions --store sqlite:missions.db
  ptcc missions list --store postgres://me@db/missions --status waiting --json
  ptcc missions approve order-17 --store sqlite:missions.db --arguments '{"amount": 10}'
  ptcc missions answer order-17 --store sqlite:missions.db --result '{"paid": true}'
  ptcc missions tail order-17 --store sqlite:missions.db
  ptcc missions retry --store sqlite:missions.db --status failed --queue nightly
  ptcc missions prune --store sqlite:missions.db --older-than-ms 86400000)";

constexpr Millis64 kLookAtOne{200};

enum class Do : std::uint8_t { List, Show, Cancel, Retry, Approve, Deny, Answer, Tail, Prune };

struct Options {
    StoreArguments store;
    std::string id;
    std::vector<std::string> ids; ///< of `retry`
    bool is_json = false;
    std::string status, queue, tenant, agent, parent;
    std::optional<std::int64_t> need;
    std::string arguments;
    std::string by;
    std::string result, error; ///< of `answer`
    std::string reason = "denied";
    std::int64_t older_than_ms = 0;
    std::int64_t poll_ms = 500;
    bool until_empty = false;
    Do what = Do::List;
};

Error no_mission(const std::string& id) { return invalid_request("There is no mission `" + id + "` in the store."); }

// ---- What is shown

/// {"reason", "message"} of a retry, as they are.
std::pair<std::string, std::string> why_of(const Standing& standing) {
    const Result<Datum> why = Datum::from_json(standing.why);
    if (standing.why.empty() || !why.ok()) return {};
    return {text_of(why.value(), "reason"), text_of(why.value(), "message")};
}

std::string standing_json(const Standing& standing) {
    JsonObject out;
    out.text("for", standing_name(standing.what));
    if (!standing.names.empty()) out.raw("names", json_array(standing.names, json_string));
    if (standing.since > 0) out.number("since_ms", standing.since);
    if (standing.until > 0) out.number("until_ms", standing.until);
    if (const auto [reason, message] = why_of(standing); !reason.empty())
        out.text("reason", reason).text("message", message);
    return out.finish();
}

/// What a row holds as JSON, on one line: whoever changes rows may have put anything there, which is a text then.
std::string json_of_row(const std::string& text) {
    const Result<Datum> value = Datum::from_json(text);
    if (!value.ok() && utf8::find_invalid(text) != utf8::kValid)
        return json_string("(" + std::to_string(text.size()) + " bytes that are no text)");
    if (!value.ok()) return json_string(text);
    return text.find_first_of("\r\n") == std::string::npos ? text : value.value().to_json();
}

std::string_view status_text(const StoredMission& mission) {
    return mission.problem.empty() ? status_name(mission.status) : "unreadable";
}

std::string mission_json(const StoredMission& mission) {
    JsonObject out;
    out.text("id", mission.id).text("status", status_text(mission));
    if (!mission.problem.empty()) out.text("problem", mission.problem);
    if (!mission.result.empty()) out.raw("result", json_of_row(mission.result));
    if (!mission.error.empty()) out.raw("error", json_of_row(mission.error));
    out.text("agent", mission.agent).text("agent_digest", mission.agent_digest).text("queue", mission.queue);
    if (!mission.tenant.empty()) out.text("tenant", mission.tenant);
    out.number("priority", mission.priority).number("attempts", mission.attempts);
    if (mission.losses > 0) out.number("losses", mission.losses);
    if (!mission.worker.empty()) out.text("worker", mission.worker);
    if (!mission.parent.empty()) out.text("parent", mission.parent);
    out.number("turns", mission.turns).number("input_tokens", mission.input_tokens);
    out.number("output_tokens", mission.output_tokens).raw("cost_usd", Datum(mission.cost_usd).to_json());
    out.number("created_ms", mission.created).number("changed_ms", mission.changed);
    if (!mission.waits_for.empty()) out.raw("waits_for", json_of_row(mission.waits_for));
    if (mission.standing.what != Standing::For::Nothing) out.raw("waits", standing_json(mission.standing));
    return out.finish();
}

std::string time_text(std::int64_t millis) {
    const std::time_t seconds = static_cast<std::time_t>(millis / 1000);
    std::tm parts{};
    char text[32];
    ::gmtime_r(&seconds, &parts);
    return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    out.append(width > out.size() ? width - out.size() : 1, ' ');
    return out;
}

std::string span_text(const Standing& standing) {
    return (standing.since > 0 ? " since " + time_text(standing.since) : "") +
           (standing.until > 0 ? " until " + time_text(standing.until) : "");
}

std::string standing_text(const Standing& standing) {
    std::string names;
    for (const std::string& name : standing.names)
        names += (names.empty() ? " " : ", ") + (name.empty() ? "(no name)" : name);
    switch (standing.what) {
    case Standing::For::Retry: {
        const auto [reason, message] = why_of(standing);
        return "to be tried again at " + time_text(standing.until) + " after " + reason + ": " + message;
    }
    case Standing::For::Time: return "waits for its time, " + time_text(standing.until);
    default: return "waits for " + std::string(standing_name(standing.what)) + names + span_text(standing);
    }
}

/// What people read behind the columns: why it failed, what it waits for, the beginning of what it gave.
std::string remark_on(const StoredMission& mission) {
    constexpr std::size_t kMost = 100;
    if (!mission.problem.empty()) return mission.problem;
    if (!mission.error.empty()) {
        const Result<Datum> error = Datum::from_json(mission.error);
        if (error.ok()) return text_of(error.value(), "reason") + ": " + text_of(error.value(), "message");
    }
    const Standing& standing = mission.standing;
    if (standing.what != Standing::For::Nothing && standing.what != Standing::For::Approval)
        return standing_text(standing);
    if (mission.status == MissionStatus::Waiting) {
        const Result<Datum> waits = Datum::from_json(mission.waits_for);
        std::string out;
        if (waits.ok() && waits.value().list()) {
            for (const Datum& one : *waits.value().list())
                if (!one.find("answered_by"))
                    out += (out.empty() ? "approval of " : ", ") + text_of(one, "tool") + " " +
                           (one.find("arguments") ? one.find("arguments")->to_json() : "");
        }
        return out + span_text(standing);
    }
    if (mission.result.size() <= kMost) return mission.result;
    return std::string(utf8::prefix(mission.result, kMost)) + "…";
}

std::string mission_text(const StoredMission& mission) {
    return padded(printable_line(mission.id), 28) + " " + padded(status_text(mission), 10) +
           padded(printable_line(mission.queue + (mission.tenant.empty() ? "" : "/" + mission.tenant)), 16) +
           padded(printable_line(mission.agent), 16) + padded(std::to_string(mission.turns), 6) +
           time_text(mission.changed) + "  " + printable(remark_on(mission));
}

constexpr const char* kHeading =
    "id                           status    queue           agent           turns changed               ";

Result<MissionFilter> filter_of(const Options& options) {
    MissionFilter filter{
        .queue = options.queue, .tenant = options.tenant, .agent = options.agent, .parent = options.parent};
    if (options.status.empty()) return filter;
    filter.status = status_named(options.status);
    if (!filter.status) return invalid_request("--status is ready, running, waiting, done, failed or cancelled.");
    return filter;
}

/// All of them, page by page, with what they came to; of one that cannot be read, why. Gives how many these are.
Result<std::size_t> for_each_mission(MissionStore& store, MissionFilter filter,
                                     const std::function<bool(const StoredMission&)>& visit) {
    std::size_t unreadable = 0;
    while (true) {
        std::vector<StoredMission> page = PTC_TRY(store.list(filter));
        for (StoredMission& row : page) {
            Result<std::optional<StoredMission>> whole = store.show(row.id);
            if (!whole.ok() && whole.error().reason != Reason::InvalidRequest) return whole.take_error();
            if (!whole.ok()) {
                ++unreadable;
                if (row.problem.empty()) row.problem = whole.error().message;
                whole = std::optional(std::move(row));
            }
            if (whole.value() && !visit(*whole.value())) return unreadable;
        }
        // Rows of somebody else need not be in the order of their texts.
        if (page.size() < filter.most || page.back().id <= filter.after) return unreadable;
        filter.after = page.back().id;
    }
}

Result<int> list(MissionStore& store, const Options& options, Console& console) {
    const MissionFilter filter = PTC_TRY(filter_of(options));
    if (!options.is_json) console.out.line(kHeading);
    const std::size_t unreadable = PTC_TRY(for_each_mission(store, filter, [&](const StoredMission& mission) {
        console.out.line(options.is_json ? mission_json(mission) : mission_text(mission));
        return console.out.ok();
    }));
    if (unreadable == 0) return kSuccess;
    console.message("ptcc: " + std::to_string(unreadable) + " of the missions cannot be read.\n");
    return kFailed;
}

std::string_view kind_name(StoredCall::Kind kind) {
    switch (kind) {
    case StoredCall::Kind::ModelCall: return "model";
    case StoredCall::Kind::ToolCall: return "tool";
    case StoredCall::Kind::Approval: return "approval";
    case StoredCall::Kind::Outside: return "outside";
    case StoredCall::Kind::Child: return "child";
    }
    return "";
}

std::string decision_json(const ApprovalAnswer& answer) {
    JsonObject out;
    out.boolean("is_approved", answer.is_approved);
    if (!answer.by.empty()) out.text("by", answer.by);
    if (!answer.reason.empty()) out.text("reason", answer.reason);
    if (answer.arguments) out.raw("arguments", answer.arguments->to_json());
    return out.finish();
}

std::string call_json(const StoredCall& call) {
    JsonObject out;
    out.number("need", static_cast<std::int64_t>(call.need))
        .text("kind", kind_name(call.kind))
        .text("name", call.name)
        .text("key", call.key)
        .boolean("is_answered", call.answer.has_value())
        .number("asked_ms", call.asked);
    if (call.answered > 0) out.number("answered_ms", call.answered);
    if (const std::optional<ApprovalAnswer> answer = approval_answer(call)) out.raw("decision", decision_json(*answer));
    return out.finish();
}

/// Of an approval: what was said, when, by whom, and why or with which arguments.
std::string decision_text(const StoredCall& call) {
    const std::optional<ApprovalAnswer> answer = approval_answer(call);
    if (!answer) return "";
    std::string out = answer->is_approved ? " approved" : " denied";
    if (!answer->by.empty()) out += " by " + answer->by;
    if (call.answered > 0) out += " at " + time_text(call.answered);
    if (answer->arguments) out += " with " + answer->arguments->to_json();
    if (!answer->reason.empty()) out += ": " + answer->reason;
    std::ranges::replace_if(
        out, [](char c) { return c == '\n' || c == '\r'; }, ' '); // a call is one line
    return out;
}

std::string call_text(const StoredCall& call) {
    return padded("call " + std::to_string(call.need), 10) + std::string(kind_name(call.kind)) + " " +
           printable_line(call.name) +
           (call.kind == StoredCall::Kind::Child ? ", mission " + printable_line(call.key) : "") +
           (call.answer ? printable(decision_text(call)) : " (no answer yet)");
}

std::string child_json(const StoredMission& child) {
    return JsonObject().text("id", child.id).text("status", status_name(child.status)).finish();
}

Result<int> show(MissionStore& store, const Options& options, Console& console) {
    const std::optional<StoredMission> mission = PTC_TRY(store.show(options.id));
    if (!mission) return no_mission(options.id);
    const std::vector<StoredCall> calls = PTC_TRY(store.calls(options.id));
    const std::vector<StoredMission> children = PTC_TRY(store.list({.parent = options.id}));
    if (options.is_json) {
        std::string line = mission_json(*mission);
        line.pop_back();
        line += ",\"calls\":" + json_array(calls, call_json);
        if (!children.empty()) line += ",\"children\":" + json_array(children, child_json);
        console.out.line(line + "}");
        return kSuccess;
    }
    console.out.line("id        " + mission->id);
    console.out.line("status    " + std::string(status_name(mission->status)));
    const std::string tenant = mission->tenant.empty() ? "" : ", tenant " + mission->tenant;
    console.out.line("agent     " + printable_line(mission->agent + " (" + mission->agent_digest + ")"));
    console.out.line("queue     " + printable_line(mission->queue + tenant) + ", priority " +
                     std::to_string(mission->priority));
    console.out.line("created   " + time_text(mission->created) + ", changed " + time_text(mission->changed));
    console.out.line("used      " + std::to_string(mission->turns) + " turns, " +
                     std::to_string(mission->input_tokens) + " tokens in, " + std::to_string(mission->output_tokens) +
                     " out, " + Datum(mission->cost_usd).to_json() + " USD");
    if (!mission->worker.empty()) console.out.line("worker    " + printable_line(mission->worker));
    if (!mission->parent.empty()) console.out.line("parent    " + printable_line(mission->parent));
    if (const std::string remark = remark_on(*mission); !remark.empty())
        console.out.line(padded(mission->status == MissionStatus::Done ? "result" : "why", 10) +
                         printable(mission->status == MissionStatus::Done ? mission->result : remark));
    for (const StoredCall& call : calls)
        console.out.line(call_text(call));
    for (const StoredMission& child : children)
        console.out.line("child     " + printable_line(child.id) + " " + std::string(status_name(child.status)));
    return kSuccess;
}

bool is_over(MissionStatus status) {
    return status == MissionStatus::Done || status == MissionStatus::Failed || status == MissionStatus::Cancelled;
}

/// Lines for one mission: each change of it, and its calls as they are made and answered; until it is over.
Result<int> tail_one(MissionStore& store, const Options& options, Console& console) {
    const EndSignals signals;
    std::optional<std::pair<MissionStatus, std::uint64_t>> seen;
    std::map<std::uint64_t, bool> calls; ///< and whether they were answered
    while (!EndSignals::came() && console.out.ok()) {
        // Read before its calls: none of one that is over is missing then.
        const std::optional<StoredMission> mission = PTC_TRY(store.show(options.id));
        if (!mission) return no_mission(options.id);
        for (const StoredCall& call : PTC_TRY(store.calls(options.id))) {
            const bool is_answered = call.answer.has_value();
            const auto known = calls.find(call.need);
            if (known != calls.end() && known->second == is_answered) continue;
            calls[call.need] = is_answered;
            if (options.is_json)
                console.out.line(JsonObject().text("id", options.id).raw("call", call_json(call)).finish());
            else
                console.out.line(call_text(call));
        }
        const auto now = std::make_pair(mission->status, mission->revision);
        if (seen != now) console.out.line(options.is_json ? mission_json(*mission) : mission_text(*mission));
        seen = now;
        console.out.flush();
        if (is_over(mission->status)) break;
        store.watch(std::min(Millis64(options.poll_ms), kLookAtOne)); // nobody is told of what one mission does
    }
    return kSuccess;
}

/// A line for each mission whose status changed, until a signal, or until nothing is left to do.
Result<int> tail(MissionStore& store, const Options& options, Console& console) {
    const EndSignals signals;
    std::map<std::string, std::pair<MissionStatus, std::uint64_t>> seen;
    const MissionFilter filter = PTC_TRY(filter_of(options));
    while (!EndSignals::came() && console.out.ok()) {
        PTC_CHECK(for_each_mission(store, filter, [&](const StoredMission& mission) {
            const auto now = std::make_pair(mission.status, mission.revision);
            const auto before = seen.find(mission.id);
            if (before == seen.end() || before->second != now)
                console.out.line(options.is_json ? mission_json(mission) : mission_text(mission));
            seen[mission.id] = now;
            return console.out.ok() && !EndSignals::came();
        }));
        console.out.flush();
        if (options.until_empty && PTC_TRY(store.unfinished({}, 1)) == 0) break;
        store.watch(Millis64(options.poll_ms));
    }
    return kSuccess;
}

// ---- What is done

int report_done(bool is_done, const std::string& id, Console& console) {
    if (is_done) return kSuccess;
    console.message("ptcc: The mission `" + id +
                    "` does not take that any more: it is over already, is being cancelled, or has its answer.\n");
    return kFailed;
}

/// The call of a kind that is open; --need says which, where there are several.
Result<StoredCall> open_call(MissionStore& store, const Options& options, StoredCall::Kind kind) {
    const std::string what = kind == StoredCall::Kind::Approval ? "approval" : "answer from outside";
    std::vector<StoredCall> open = PTC_TRY(store.calls(options.id));
    std::erase_if(open, [&](const StoredCall& call) {
        if (options.need) return call.need != static_cast<std::uint64_t>(*options.need);
        return call.kind != kind || call.answer;
    });
    if (open.size() == 1) return std::move(open.front());
    if (options.need)
        return invalid_request("The mission `" + options.id + "` has no call " + std::to_string(*options.need) + ".");
    if (open.empty()) return invalid_request("The mission `" + options.id + "` waits for no " + what + ".");
    std::string all;
    for (const StoredCall& call : open)
        all += (all.empty() ? "" : ", ") + std::to_string(call.need) + " (" + call.name + ")";
    return invalid_request("The mission `" + options.id + "` waits for several " +
                           (kind == StoredCall::Kind::Approval ? "approvals" : "answers") + ": --need says which, of " +
                           all + ".");
}

/// That it fits a tool of that name, as its arguments or its result: told here, while who gives it can mend it, and not
/// in the mission.
Result<void> check_value(MissionStore& store, const std::string& id, const std::string& tool, Direction direction,
                         const Datum& value) {
    const std::optional<StoredMission> mission = PTC_TRY(store.show(id));
    const std::optional<AgentVersion> agent =
        mission ? PTC_TRY(store.agent(mission->agent_digest)) : std::optional<AgentVersion>();
    if (!agent) return {};
    std::string problem;
    for (const std::string& text : StoredAgents::signatures_of(agent->content, tool)) {
        const Result<SignaturePtr> signature = compile_signature(text);
        if (!signature.ok()) return {}; // it has none
        const Validation checked = PTC_TRY(validate(*signature.value(), direction, value, {.is_json_text = true}));
        if (checked.ok) return {};
        problem = std::string(direction == Direction::Input ? "--arguments do" : "--result does") + " not fit `" +
                  tool + "`, whose signature is " + text + ":";
        for (const Fault& fault : checked.errors)
            problem += " " + fault_text(fault) + ";";
        problem.back() = '.';
    }
    return problem.empty() ? Result<void>() : invalid_request(problem);
}

/// As --by has it, else what the system calls whoever runs this.
Result<std::string> name_of_who_decides(const std::string& given) {
    constexpr std::size_t kMostBytes = 200;
    if (given.size() > kMostBytes || utf8::find_invalid(given) != utf8::kValid)
        return invalid_request("--by is at most " + std::to_string(kMostBytes) + " bytes of UTF-8.");
    if (!given.empty()) return given;
    char buffer[4096];
    passwd entry{};
    passwd* found = nullptr;
    const bool is_known = ::getpwuid_r(::geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found;
    return is_known ? std::string(found->pw_name) : "user " + std::to_string(::geteuid());
}

Result<int> decide(MissionStore& store, const Options& options, Console& console) {
    ApprovalAnswer answer =
        options.what == Do::Approve ? ApprovalAnswer::approve() : ApprovalAnswer::deny(options.reason);
    const std::string by = PTC_TRY(name_of_who_decides(options.by));
    Result<Datum> arguments = options.arguments.empty() ? Datum() : Datum::from_json(options.arguments);
    if (!options.arguments.empty() && (!arguments.ok() || !arguments.value().map()))
        return invalid_request("--arguments is a JSON object.");
    const std::optional<StoredMission> mission = PTC_TRY(store.show(options.id));
    if (mission && is_over(mission->status)) return report_done(false, options.id, console);
    const StoredCall call = PTC_TRY(open_call(store, options, StoredCall::Kind::Approval));
    if (!options.arguments.empty()) {
        PTC_CHECK(check_value(store, options.id, call.name, Direction::Input, arguments.value()));
        answer = ApprovalAnswer::approve_with(std::move(arguments).value());
    }
    answer.by = by;
    return report_done(PTC_TRY(store.signal(options.id, approval_signal(call.need, answer))), options.id, console);
}

/// What a tool gave that is none of the workers'.
Result<int> give_answer(MissionStore& store, const Options& options, Console& console) {
    if (options.result.empty() && options.error.empty())
        return invalid_request("One of --result and --error is required.");
    if (!options.result.empty() && !options.error.empty())
        return invalid_request("--result and --error exclude each other: a call gives a result, or fails.");
    const std::optional<StoredMission> mission = PTC_TRY(store.show(options.id));
    if (mission && is_over(mission->status)) return report_done(false, options.id, console);
    const StoredCall call = PTC_TRY(open_call(store, options, StoredCall::Kind::Outside));
    ToolAnswer given = Error(Reason::ToolError, options.error);
    if (!options.result.empty()) {
        Result<Datum> result = Datum::from_json(options.result);
        if (!result.ok()) return invalid_request("--result: " + result.error().message);
        PTC_CHECK(check_value(store, options.id, call.name, Direction::Output, result.value()));
        given = std::move(result).value();
    }
    return report_done(PTC_TRY(store.signal(options.id, tool_signal(call.need, given))), options.id, console);
}

Result<int> retry(MissionStore& store, const Options& options, Console& console) {
    if (!options.status.empty() || !options.queue.empty() || !options.tenant.empty() || !options.agent.empty() ||
        !options.parent.empty())
        return invalid_request("Ids and filters exclude each other.");
    int code = kSuccess;
    for (const std::string& id : options.ids) {
        if (PTC_TRY(store.retry(id))) continue;
        console.message("ptcc: The mission `" + id + "` neither failed nor was cancelled: only such go on.\n");
        code = kFailed;
    }
    return code;
}

/// Those that the filters name; prints how many. One that another call took up meanwhile is not counted.
Result<int> retry_all(MissionStore& store, const Options& options, Console& console) {
    const MissionFilter filter = PTC_TRY(filter_of(options));
    if (filter.status != MissionStatus::Failed && filter.status != MissionStatus::Cancelled)
        return invalid_request("Name missions, or all with --status failed or --status cancelled.");
    std::size_t all = 0;
    std::optional<Error> failed;
    PTC_CHECK(for_each_mission(store, filter, [&](const StoredMission& mission) {
        const Result<bool> done = store.retry(mission.id);
        if (!done.ok()) failed = done.error();
        all += done.ok() && done.value() ? 1 : 0;
        return done.ok();
    }));
    if (failed) return *failed;
    console.out.line(std::to_string(all));
    return kSuccess;
}

Result<int> carry_out(const Options& options, Console& console) {
    const std::shared_ptr<MissionStore> store = PTC_TRY(open_existing_store(options.store));
    switch (options.what) {
    case Do::List: return list(*store, options, console);
    case Do::Show: return show(*store, options, console);
    case Do::Cancel: return report_done(PTC_TRY(store->signal(options.id, {})), options.id, console);
    case Do::Retry: return options.ids.empty() ? retry_all(*store, options, console) : retry(*store, options, console);
    case Do::Approve:
    case Do::Deny: return decide(*store, options, console);
    case Do::Answer: return give_answer(*store, options, console);
    case Do::Tail: return options.id.empty() ? tail(*store, options, console) : tail_one(*store, options, console);
    case Do::Prune: {
        std::uint64_t all = 0, some = 0;
        do
            all += some = PTC_TRY(store->prune(Millis64(options.older_than_ms)));
        while (some > 0);
        console.out.line(std::to_string(all));
        return kSuccess;
    }
    }
    return kSuccess;
}

int run(const Options& options, Console& console) {
    const Result<int> done = carry_out(options, console);
    return done.ok() ? done.value() : report_store_error(done.error(), console);
}

// ---- Options

void add_filter_options(CommandLine line, Options* options) {
    line.flag("--json", &options->is_json, "One JSON object a line");
    line.text("--status", &options->status,
              "Only missions that are ready, running, waiting, done, failed or cancelled");
    line.text("--queue", &options->queue, "Only those of a queue");
    line.text("--tenant", &options->tenant, "Only those of a tenant");
    line.text("--agent", &options->agent, "Only those of an agent, by its name");
    line.text("--parent", &options->parent, "Only those that a mission began").value_name("ID");
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    add_store_options(line, &options->store);
    add_filter_options(line, options.get());
    std::vector<std::pair<CommandLine, Do>> commands;
    const auto add = [&](const char* name, const char* summary, Do what) {
        commands.emplace_back(line.subcommand(name, summary), what);
        add_store_options(commands.back().first, &options->store);
        return commands.back().first;
    };
    const auto add_for_one = [&](const char* name, const char* summary, Do what) {
        CommandLine command = add(name, summary, what);
        command.text("ID", &options->id, "The mission").required();
        return command;
    };
    add_filter_options(add("list", "All missions, by their ids", Do::List), options.get());
    add_for_one("show", "One mission, with its calls", Do::Show)
        .flag("--json", &options->is_json, "As one JSON object");
    add_for_one("cancel", "Ends a mission", Do::Cancel);
    CommandLine retry = add(
        "retry",
        "Has missions that failed or were cancelled go on where they were written last; by filters: prints how many",
        Do::Retry);
    retry.texts("ID", &options->ids, "The missions [those of --status, --queue, ..]");
    add_filter_options(retry, options.get());
    CommandLine approve = add_for_one("approve", "Approves the call that a mission waits for", Do::Approve);
    approve.number("--need", &options->need, "Which, when it waits for several");
    approve
        .text("--arguments", &options->arguments,
              "Arguments in place of those that the call has: all that it needs, also those that stay")
        .value_name("JSON");
    CommandLine deny = add_for_one("deny", "Denies the call: it fails with `approval_denied`", Do::Deny);
    deny.number("--need", &options->need, "Which, when it waits for several");
    CommandLine answer = add_for_one("answer", "Answers the call of a tool that no worker makes", Do::Answer);
    answer.number("--need", &options->need, "Which, when it waits for several");
    answer.text("--result", &options->result, "What the tool gave").value_name("JSON");
    answer.text("--error", &options->error, "Why it gave nothing: the program reads it as the tool's error");
    for (CommandLine command : {approve, deny})
        command.text("--by", &options->by, "Who decides, for those who look later [the user that runs this]")
            .value_name("NAME");
    deny.text("--reason", &options->reason, "What the program and the model read");
    CommandLine tail = add("tail",
                           "A line for each mission that changes, until a signal; or for one, and its calls, "
                           "until it is over",
                           Do::Tail);
    tail.text("ID", &options->id, "The mission [all]");
    add_filter_options(tail, options.get());
    tail.flag("--until-empty", &options->until_empty, "Ends when nothing is ready or running");
    CommandLine prune = add("prune", "Forgets missions that are over, and prints how many", Do::Prune);
    prune.number("--older-than-ms", &options->older_than_ms, "Only those that have been over for so long [0]")
        .range(std::int64_t{0}, std::int64_t{1'000'000'000'000});
    return [options, commands](Console& console) {
        for (const auto& [command, what] : commands) {
            if (command.is_chosen()) options->what = what;
        }
        return run(*options, console);
    };
}

} // namespace

const Command kMissionsCommand{"missions",
                               "Shows the missions of a store, approves, answers, cancels and retries them.", declare};

} // namespace ptc
