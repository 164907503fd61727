// What a scenario expects, compared with what came of it. One function a member of `expect`, each of which gives the
// first difference as text, or "" when there is none; members that a row does not have are not looked at. The members
// are described in tests/conformance/README.md, the wildcards of JSON at `matches`.
#include "tools/members.h"
#include "tools/tagged_json.h"
#include "tools/testing/scenario.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

std::string shortened(const std::string& text) {
    constexpr std::size_t kMost = 1500;
    return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

/// Whether `text` holds a part of a row; a list is any one of its members.
bool holds(const std::string& text, const Datum& part) {
    const auto is_in = [&](const Datum& one) { return one.text() && text.find(*one.text()) != std::string::npos; };
    return part.list() ? std::ranges::any_of(*part.list(), is_in) : is_in(part);
}

std::string contains_difference(const Datum& row, const char* member, const std::string& text) {
    for (const Datum& part : items_of(row, member)) {
        if (!holds(text, part)) return std::string(member) + ": " + part.to_json() + " is not in: " + shortened(text);
    }
    return "";
}

std::string absent_difference(const Datum& row, const char* member, const std::string& text) {
    for (const Datum& part : items_of(row, member)) {
        if (holds(text, part)) return std::string(member) + ": " + part.to_json() + " is in: " + shortened(text);
    }
    return "";
}

/// The first that is not "".
std::string first_of(std::initializer_list<std::string> differences) {
    for (const std::string& difference : differences) {
        if (!difference.empty()) return difference;
    }
    return "";
}

// ---- Texts of requests

std::string text_of_message(const Message& message) {
    std::string text = message.content;
    for (const ToolCall& call : message.tool_calls)
        text += "\n" + call.name + " " + call.arguments.to_json();
    return text;
}

std::string text_of_request(const LlmRequest& request) {
    std::string text = request.system;
    for (const Message& message : request.messages)
        text += "\n" + text_of_message(message);
    return text;
}

// ---- JSON with wildcards

bool matches(const Datum& expected, const Datum& actual, bool subset);

bool matches_map(const Datum::Map& expected, const Datum& actual, bool subset) {
    if (!actual.map() || (!subset && actual.map()->size() != expected.size())) return false;
    return std::ranges::all_of(expected, [&](const auto& entry) {
        const Datum* found = actual.find(*entry.first.text());
        return found && matches(entry.second, *found, subset);
    });
}

/// In a subset maps may have more keys; `$any`, `$contains` and `$exact` say the rest.
bool matches(const Datum& expected, const Datum& actual, bool subset) {
    if (const Datum* any = expected.find("$any"))
        return std::ranges::any_of(*any->list(), [&](const Datum& one) { return matches(one, actual, subset); });
    if (const Datum* part = expected.find("$contains"))
        return holds(actual.text() ? *actual.text() : actual.to_json(), *part);
    if (const Datum* exact = expected.find("$exact")) return matches(*exact, actual, false);
    if (expected.map()) return matches_map(*expected.map(), actual, subset);
    if (!expected.list()) return same_datum(expected, actual);
    return actual.list() && std::ranges::equal(*expected.list(), *actual.list(),
                                               [&](const Datum& a, const Datum& b) { return matches(a, b, subset); });
}

// ---- Members of `expect`

std::string count_difference(const Datum& expect, const char* member, std::size_t actual) {
    const Datum* expected = expect.find(member);
    const Datum got(static_cast<std::int64_t>(actual));
    return !expected || *expected == got ? "" : expected_but(member, *expected, got);
}

std::string status_difference(const Datum& expect, const ScenarioRun& run) {
    const std::string expected = text_of(expect, "status");
    if (expected.empty() || expected == run.status()) return "";
    std::string got(run.status());
    if (run.step.fail)
        got += ", " + run.step.fail->reason + ": " + run.step.fail->message;
    else
        got += ", " + tagged_json(run.step.value);
    return "status: expected " + expected + ", got " + shortened(got);
}

std::string return_difference(const Datum& expect, const Step& step) {
    const Datum* expected = expect.find("return");
    if (!expected) return "";
    const Result<Datum> value = untag(*expected);
    if (!value.ok()) return value.error().message;
    if (step.ok && same_datum(value.value(), step.value)) return "";
    return "return: expected " + expected->to_json() + ", got " + (step.ok ? tagged_json(step.value) : "a failure");
}

std::string original_difference(const Datum& expected, const Fail& fail) {
    const std::string reason = text_of(expected, "original_reason");
    if (reason.empty()) return "";
    const Datum* original = fail.details.find("original_failure");
    return original && text_of(*original, "reason") == reason ? "" : "original_reason: got " + fail.details.to_json();
}

std::string fail_difference(const Datum& expect, const Step& step) {
    const Datum* expected = expect.find("fail");
    if (!expected) return "";
    if (!step.fail) return "expected a failure";
    const Fail& fail = *step.fail;
    if (const std::string reason = text_of(*expected, "reason"); !reason.empty() && reason != fail.reason)
        return "reason: expected " + reason + ", got " + fail.reason + ": " + fail.message;
    const Datum::List& any = items_of(*expected, "reason_any");
    if (!any.empty() && std::ranges::find(any, Datum(fail.reason)) == any.end())
        return expected_but("reason_any", Datum(any), Datum(fail.reason));
    if (const Datum* op = expected->find("op"); op && *op != (fail.op ? Datum(*fail.op) : Datum()))
        return expected_but("op", *op, fail.op ? Datum(*fail.op) : Datum());
    if (const Datum* details = expected->find("details"); details && !matches(*details, fail.details, true))
        return expected_but("details", *details, fail.details);
    return first_of(
        {contains_difference(*expected, "message_contains", fail.message), original_difference(*expected, fail)});
}

std::string calls_difference(const char* member, const Datum* expected, const std::vector<SeenCall>& calls) {
    if (!expected || !expected->list()) return "";
    const auto same = [](const Datum& row, const SeenCall& call) {
        const Datum* arguments = row.find("args");
        const Result<Datum> wanted = untag(arguments ? *arguments : Datum(Datum::Map()));
        return text_of(row, "name") == call.name && wanted.ok() && same_datum(wanted.value(), call.arguments);
    };
    if (std::ranges::equal(*expected->list(), calls, same)) return "";
    Datum::List got;
    for (const SeenCall& call : calls)
        got.push_back(Datum::object({{"name", call.name}, {"args", call.arguments}}));
    return expected_but(member, *expected, Datum(got));
}

std::string memory_difference(const Datum& expect, const Step& step) {
    if (const Datum* expected = expect.find("memory")) {
        for (const auto& [name, value] : *expected->map()) {
            const Result<Datum> wanted = untag(value);
            const Datum* kept = step.memory.find(*name.text());
            if (!kept || !wanted.ok() || !same_datum(wanted.value(), *kept))
                return expected_but("memory `" + *name.text() + "`", value, kept ? *kept : Datum());
        }
    }
    for (const Datum& name : items_of(expect, "memory_absent")) {
        if (step.memory.find(*name.text())) return "memory: `" + *name.text() + "` is there";
    }
    return "";
}

std::string messages_difference(const Datum& expect, const ScenarioLog& log) {
    std::string all;
    for (const LlmRequest& request : log.requests)
        all += text_of_request(request) + "\n";
    return first_of(
        {contains_difference(expect, "messages_contain", all), absent_difference(expect, "messages_absent", all)});
}

std::string turn_difference(const Datum& row, const Turn& turn) {
    if (const Datum* program = row.find("program");
        program && *program != (turn.program ? Datum(*turn.program) : Datum()))
        return expected_but("program", *program, turn.program ? Datum(*turn.program) : Datum());
    if (const Datum* ok = row.find("ok"); ok && *ok != Datum(turn.ok)) return expected_but("ok", *ok, Datum(turn.ok));
    std::vector<SeenCall> calls;
    for (const ToolUse& use : turn.tool_calls)
        calls.push_back({use.name, use.arguments});
    return calls_difference("tool_calls", row.find("tool_calls"), calls);
}

std::string trace_difference(const Datum& expect, const Step& step) {
    const Datum* expected = expect.find("trace");
    if (!expected) return "";
    if (expected->list()->size() != step.trace.size())
        return "trace: expected " + std::to_string(expected->list()->size()) + " turns, got " +
               std::to_string(step.trace.size());
    for (std::size_t i = 0; i < step.trace.size(); ++i) {
        const std::string difference = turn_difference((*expected->list())[i], step.trace[i]);
        if (!difference.empty()) return "trace, turn " + std::to_string(i + 1) + ": " + difference;
    }
    return "";
}

// ---- Events

Datum event_row(const MissionEvent& event) {
    return Datum::object({{"name", event_name(event.kind)},
                          {"ok", event.ok},
                          {"tool", event.tool},
                          {"exposure_layer", event.layer == Exposure::Native ? "native" : "ptc_lisp"},
                          {"cached", event.is_cached}});
}

std::string events_difference(const Datum& expect, const ScenarioLog& log) {
    const Datum* ordered = expect.find("events_ordered");
    const bool is_ordered = !ordered || is_true(ordered);
    std::size_t from = 0;
    for (const Datum& row : items_of(expect, "events")) {
        std::size_t at = is_ordered ? from : 0;
        while (at < log.events.size() && !matches(row, event_row(log.events[at]), true))
            ++at;
        if (at == log.events.size()) return "events: " + row.to_json() + " did not happen, or not in this order";
        from = at + 1;
    }
    for (const Datum& name : items_of(expect, "events_absent")) {
        const auto happened = [&](const MissionEvent& event) { return *name.text() == event_name(event.kind); };
        if (std::ranges::any_of(log.events, happened)) return "events_absent: " + name.to_json() + " happened";
    }
    return "";
}

// ---- Requests

const Message* answer_to(const LlmRequest& request, const std::string& call_id) {
    for (const Message& message : request.messages) {
        if (message.role == Message::Role::Tool && message.tool_call_id == call_id) return &message;
    }
    return nullptr;
}

std::string tool_result_difference(const Datum& row, const std::string& content) {
    const Result<Datum> parsed = Datum::from_json(content);
    const Datum decoded = parsed.ok() ? parsed.value() : Datum(content);
    if (const Datum* json = row.find("json"); json && !matches(*json, decoded, true))
        return expected_but("json", *json, decoded);
    if (const Datum* equals = row.find("equals"); equals && !matches(*equals, decoded, false))
        return expected_but("equals", *equals, decoded);
    for (const Datum& key : items_of(row, "absent_keys")) {
        if (decoded.find(*key.text())) return "absent_keys: " + key.to_json() + " is in " + content;
    }
    return first_of({contains_difference(row, "contains", content), absent_difference(row, "absent", content)});
}

std::string tool_results_difference(const Datum& row, const LlmRequest& request) {
    const Datum* expected = row.find("tool_results");
    if (!expected) return "";
    for (const auto& [id, checks] : *expected->map()) {
        const Message* message = answer_to(request, *id.text());
        if (!message) return "tool_results: there is no answer to " + *id.text();
        const std::string difference = tool_result_difference(checks, message->content);
        if (!difference.empty()) return "tool_results " + *id.text() + ": " + difference;
    }
    return "";
}

std::string native_tools_difference(const Datum& row, const LlmRequest& request) {
    std::set<std::string> names;
    for (const ToolSchema& tool : request.tools)
        names.insert(tool.name);
    if (row.find("native_tools")) {
        std::set<std::string> expected;
        for (const Datum& name : items_of(row, "native_tools"))
            expected.insert(*name.text());
        if (expected != names) return "native_tools: expected " + row.find("native_tools")->to_json() + ", got others";
    }
    if (const Datum* schemas = row.find("tool_schema")) {
        for (const auto& [name, schema] : *schemas->map()) {
            const auto tool = std::ranges::find(request.tools, *name.text(), &ToolSchema::name);
            if (tool == request.tools.end()) return "tool_schema: there is no tool " + *name.text();
            const Result<Datum> actual = Datum::from_json(tool->input_schema_json);
            if (!actual.ok() || !matches(schema, actual.value(), true))
                return "tool_schema " + *name.text() + ": got " + tool->input_schema_json;
        }
    }
    return "";
}

std::string schema_difference(const Datum& row, const LlmRequest& request) {
    const Datum* expected = row.find("schema");
    if (!expected) return "";
    const Result<Datum> actual = Datum::from_json(request.schema_json);
    return actual.ok() && matches(*expected, actual.value(), true) ? "" : "schema: got " + request.schema_json;
}

std::string request_difference(const Datum& row, const LlmRequest& request) {
    if (const std::string role = text_of(row, "last_role"); !role.empty()) {
        const std::string_view last = request.messages.empty() ? "" : role_name(request.messages.back().role);
        if (role != last) return "last_role: expected " + role + ", got " + std::string(last);
    }
    const std::string text = text_of_request(request);
    return first_of({contains_difference(row, "contains", text), absent_difference(row, "absent", text),
                     contains_difference(row, "system_contains", request.system),
                     absent_difference(row, "system_absent", request.system), native_tools_difference(row, request),
                     schema_difference(row, request), tool_results_difference(row, request)});
}

std::string requests_difference(const Datum& expect, const ScenarioLog& log) {
    for (const Datum& row : items_of(expect, "requests")) {
        std::int64_t n = 0;
        const Datum* number = row.find("n");
        if (!number || !number->to_int64(&n) || n < 1) return "a row of `requests` has no `n`";
        if (static_cast<std::size_t>(n) > log.requests.size()) return "request " + std::to_string(n) + " was not made";
        const std::string difference = request_difference(row, log.requests[static_cast<std::size_t>(n - 1)]);
        if (!difference.empty()) return "request " + std::to_string(n) + ": " + difference;
    }
    return "";
}

constexpr std::string_view kMembers[] = {"status",           "return",          "fail",    "turns",
                                         "llm_calls",        "tool_calls",      "memory",  "memory_absent",
                                         "messages_contain", "messages_absent", "trace",   "events",
                                         "events_absent",    "events_ordered",  "requests"};

/// A member that nobody checks would hold whatever it says.
std::string unknown_member(const Datum& expect) {
    for (const auto& [name, value] : *expect.map()) {
        if (std::ranges::find(kMembers, *name.text()) == std::end(kMembers))
            return "`expect` has no member `" + *name.text() + "`";
    }
    return "";
}

} // namespace

std::string scenario_difference(const Datum& expect, const ScenarioRun& run) {
    if (!expect.map()) return "`expect` is an object";
    if (run.log->is_past_end) return "the model was called more often than the script says";
    const ScenarioLog& log = *run.log;
    return first_of({unknown_member(expect), status_difference(expect, run), return_difference(expect, run.step),
                     fail_difference(expect, run.step), count_difference(expect, "turns", run.step.trace.size()),
                     count_difference(expect, "llm_calls", run.llm_calls),
                     calls_difference("tool_calls", expect.find("tool_calls"), log.tool_calls),
                     memory_difference(expect, run.step), messages_difference(expect, log),
                     trace_difference(expect, run.step), events_difference(expect, log),
                     requests_difference(expect, log)});
}

} // namespace ptc
