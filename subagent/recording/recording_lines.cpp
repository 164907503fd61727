// The lines of recordings (recording_lines.h shows them). Writing takes every type apart by structured bindings: a
// member that is added to one of them does not compile until it is recorded. Reading checks everything, as a recording
// may have been edited by hand.
#include "subagent/recording/recording_lines.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "subagent/recording/exact_json.h"
#include <algorithm>

namespace ptc {
namespace {

/// As exact_json has it; a long one is not copied once more.
void add_text(JsonObject& out, std::string_view name, const std::string& text) {
    if (utf8::find_invalid(text) == utf8::kValid)
        out.text(name, text);
    else
        out.raw(name, exact_json(text));
}

std::string calls_json(const std::vector<ToolCall>& calls) {
    return json_array(calls, [](const ToolCall& call) {
        const auto& [id, name, arguments, problem] = call; // all there are
        JsonObject out;
        out.raw("id", exact_json(id)).raw("name", exact_json(name)).raw("args", exact_json(arguments));
        if (!problem.empty()) out.raw("problem", exact_json(problem));
        return out.finish();
    });
}

std::string message_json(const Message& message) {
    const auto& [role, content, tool_calls, tool_call_id, is_error, provider_state, attachments] =
        message; // all there are
    JsonObject out;
    out.raw("role", exact_json(Datum(role_name(role))));
    add_text(out, "content", content);
    if (!tool_calls.empty()) out.raw("tool_calls", calls_json(tool_calls));
    if (!tool_call_id.empty()) out.raw("tool_call_id", exact_json(tool_call_id));
    if (is_error) out.raw("is_error", "true");
    if (!provider_state.empty()) out.raw("provider_state", exact_json(provider_state));
    if (!attachments.empty()) // not their bytes: a replay gets them where the mission got them
        out.raw("attachments",
                json_array(attachments, [](const Attachment& one) { return exact_json(Datum(one.description())); }));
    return out.finish();
}

std::string tools_json(const std::vector<ToolSchema>& tools) {
    return json_array(tools, [](const ToolSchema& tool) {
        return JsonObject()
            .raw("name", exact_json(tool.name))
            .raw("description", exact_json(tool.description))
            .raw("input_schema", tool.input_schema_json.empty() ? "null" : tool.input_schema_json)
            .finish();
    });
}

std::string unwritten_json(const std::vector<UnwrittenField>& fields) {
    return json_array(fields, [](const UnwrittenField& field) {
        return JsonObject().raw("path", exact_json(field.path)).raw("name", exact_json(field.name)).finish();
    });
}

/// What models and programs know of them; a replay calls none.
std::string fed_json(const TapeSegment::Fed& fed) {
    return JsonObject()
        .number("run", fed.run)
        .number("turn", static_cast<std::uint64_t>(fed.turn))
        .raw("tools",
             json_array(fed.tools,
                        [](const Tool& tool) {
                            JsonObject out;
                            out.raw("name", exact_json(tool.name)).raw("signature", exact_json(tool.signature));
                            out.raw("description", exact_json(tool.description));
                            if (!tool.details.empty()) out.raw("details", exact_json(tool.details));
                            if (tool.approval) out.raw("approval", "true");
                            if (tool.keeps_keys) out.raw("keeps_keys", "true");
                            if (!tool.unwritten.empty()) out.raw("unwritten", unwritten_json(tool.unwritten));
                            if (!tool.other_arguments.empty())
                                out.raw("other_arguments",
                                        json_array(tool.other_arguments,
                                                   [](const std::string& name) { return exact_json(name); }));
                            return out.finish();
                        }))
        .finish();
}

std::string tokens_json(const TokenUsage& tokens) {
    return JsonObject()
        .number("input", tokens.input)
        .number("output", tokens.output)
        .number("cache_read", tokens.cache_read)
        .number("cache_creation", tokens.cache_creation)
        .raw("cost_usd", exact_json(tokens.cost_usd))
        .finish();
}

std::string failures_json(const std::vector<ModelFailure>& failures) {
    return json_array(failures, [](const ModelFailure& failure) {
        const auto& [model, kind, message, usage] = failure; // all there are
        return JsonObject()
            .raw("model", exact_json(model))
            .raw("kind", exact_json(kind))
            .raw("message", exact_json(message))
            .raw("tokens", tokens_json(usage))
            .finish();
    });
}

Error malformed(std::string_view what) { return {Reason::InvalidRequest, std::string(what) + " is malformed"}; }

constexpr std::int64_t kMostMillis = std::int64_t{1} << 50;
constexpr std::int64_t kMostTokens = 1'000'000'000'000; ///< of one reply: sums of them do not overflow

Result<std::int64_t> count_of(const Datum& object, std::string_view member, std::int64_t most) {
    std::int64_t count = 0;
    const Datum* found = object.find(member);
    if (!found || !found->to_int64(&count) || count < 0 || count > most) return malformed(quoted(member));
    return count;
}

Result<std::string> text_of(const Datum& object, std::string_view member) {
    const Datum* found = object.find(member);
    const Datum text = found ? PTC_TRY(read_exact(*found)) : Datum();
    if (!text.text()) return malformed(quoted(member));
    return *text.text();
}

Result<TokenUsage> read_tokens(const Datum& tokens) {
    TokenUsage usage;
    usage.input = PTC_TRY(count_of(tokens, "input", kMostTokens));
    usage.output = PTC_TRY(count_of(tokens, "output", kMostTokens));
    usage.cache_read = PTC_TRY(count_of(tokens, "cache_read", kMostTokens));
    usage.cache_creation = PTC_TRY(count_of(tokens, "cache_creation", kMostTokens));
    const Datum* cost = tokens.find("cost_usd");
    if (!cost || !cost->to_double(&usage.cost_usd)) return malformed("`cost_usd`");
    return usage;
}

Result<std::vector<ToolCall>> read_calls(const Datum& rows) {
    if (!rows.list()) return malformed("`tool_calls`");
    std::vector<ToolCall> calls;
    for (const Datum& row : *rows.list()) {
        ToolCall call{.id = PTC_TRY(text_of(row, "id")), .name = PTC_TRY(text_of(row, "name")), .arguments = {}};
        const Datum* arguments = row.find("args");
        call.arguments = arguments ? PTC_TRY(read_exact(*arguments)) : Datum();
        if (!call.arguments.map()) return malformed("`args`");
        if (row.find("problem")) call.problem = PTC_TRY(text_of(row, "problem"));
        calls.push_back(std::move(call));
    }
    return calls;
}

Result<std::vector<ModelFailure>> read_failures(const Datum& rows) {
    if (!rows.list()) return malformed("`failures`");
    std::vector<ModelFailure> failures;
    for (const Datum& row : *rows.list()) {
        const Datum* tokens = row.find("tokens");
        failures.push_back({.model = PTC_TRY(text_of(row, "model")),
                            .kind = PTC_TRY(text_of(row, "kind")),
                            .message = PTC_TRY(text_of(row, "message")),
                            .usage = tokens ? PTC_TRY(read_tokens(*tokens)) : TokenUsage()});
    }
    return failures;
}

Result<RecordedAnswer> read_reply(const Datum& line) {
    LlmReply reply;
    reply.text = PTC_TRY(text_of(line, "text"));
    if (const Datum* calls = line.find("tool_calls")) reply.tool_calls = PTC_TRY(read_calls(*calls));
    if (const Datum* tokens = line.find("tokens")) reply.usage = PTC_TRY(read_tokens(*tokens));
    if (line.find("provider_state")) reply.provider_state = PTC_TRY(text_of(line, "provider_state"));
    if (line.find("reasoning")) reply.reasoning = PTC_TRY(text_of(line, "reasoning"));
    if (line.find("model")) reply.model = PTC_TRY(text_of(line, "model"));
    if (const Datum* failures = line.find("failures")) reply.failures = PTC_TRY(read_failures(*failures));
    return RecordedAnswer(LlmResult(std::move(reply)));
}

Result<RecordedAnswer> read_llm_error(const Datum& row) {
    LlmError error;
    error.kind = PTC_TRY(text_of(row, "kind"));
    error.message = PTC_TRY(text_of(row, "message"));
    error.http_status = static_cast<int>(PTC_TRY(count_of(row, "http", 1'000'000)));
    if (row.find("retry_after_ms")) error.retry_after = Millis(PTC_TRY(count_of(row, "retry_after_ms", kMostMillis)));
    const Datum* permanent = row.find("permanent");
    error.is_permanent = permanent && *permanent == Datum(true);
    if (const Datum* tokens = row.find("tokens")) error.usage = PTC_TRY(read_tokens(*tokens));
    return RecordedAnswer(LlmResult(std::move(error)));
}

Result<RecordedAnswer> read_tool_error(const Datum& row) {
    const std::optional<Reason> reason = reason_named(PTC_TRY(text_of(row, "reason")));
    if (!reason) return malformed("`reason`");
    Error error(*reason, PTC_TRY(text_of(row, "message")));
    error.hint = PTC_TRY(text_of(row, "hint"));
    return RecordedAnswer(ToolAnswer(std::move(error)));
}

Result<RecordedAnswer> read_approval(const Datum& row) {
    ApprovalAnswer answer;
    const Datum* ok = row.find("ok");
    if (!ok) return malformed("`approval`");
    answer.is_approved = *ok == Datum(true);
    if (row.find("reason")) answer.reason = PTC_TRY(text_of(row, "reason"));
    if (const Datum* arguments = row.find("arguments")) answer.arguments = PTC_TRY(read_exact(*arguments));
    if (row.find("by")) answer.by = PTC_TRY(text_of(row, "by"));
    return RecordedAnswer(std::move(answer));
}

Result<Datum> no_tool(const Datum&, const ToolContext&) { return Error(Reason::ToolError, "A replay calls no tool."); }

Result<TapeSegment::Fed> read_fed(const Datum& row) {
    TapeSegment::Fed fed;
    fed.run = static_cast<std::uint64_t>(PTC_TRY(count_of(row, "run", kMostMillis)));
    fed.turn = static_cast<std::size_t>(PTC_TRY(count_of(row, "turn", kMostMillis)));
    if (!row["tools"].list()) return malformed("`tools`");
    for (const Datum& one : row["tools"].items()) {
        Tool tool{.name = PTC_TRY(text_of(one, "name")),
                  .description = PTC_TRY(text_of(one, "description")),
                  .signature = PTC_TRY(text_of(one, "signature"))};
        if (one.find("details")) tool.details = PTC_TRY(text_of(one, "details"));
        tool.approval = one["approval"] == Datum(true);
        tool.keeps_keys = one["keeps_keys"] == Datum(true);
        for (const Datum& field : one["unwritten"].items())
            tool.unwritten.push_back({PTC_TRY(text_of(field, "path")), PTC_TRY(text_of(field, "name"))});
        for (const Datum& name : one["other_arguments"].items()) {
            if (!name.text()) return malformed("`other_arguments`");
            tool.other_arguments.push_back(*name.text());
        }
        tool.context_function = no_tool;
        fed.tools.push_back(std::move(tool));
    }
    return fed;
}

std::string shown(const Datum& line, std::string_view member) {
    const Datum* found = line.find(member);
    return found ? found->text() ? *found->text() : found->to_json() : "";
}

} // namespace

std::string header_line(std::int64_t started_ms, const Datum& note) {
    return JsonObject()
        .number("ptc_recording", kRecordingVersion)
        .number("started_ms", started_ms)
        .raw("note", exact_json(note))
        .finish();
}

std::string chance_line(const TapeSegment& segment) {
    JsonObject chance;
    if (!segment.random.empty())
        chance.raw("random", json_array(segment.random, [](double x) { return exact_json(Datum(x)); }));
    if (segment.interrupted_after) chance.number("interrupted_after", *segment.interrupted_after);
    if (!segment.timeouts.empty()) {
        chance.raw("timeouts", json_array(segment.timeouts, [](const auto& timeout) {
                       return "[" + std::to_string(timeout.first) + "," + std::to_string(timeout.second) + "]";
                   }));
    }
    if (segment.late)
        chance.raw("late",
                   "[" + std::to_string(segment.late->after) + "," + std::to_string(segment.late->at.count()) + "]");
    if (!segment.fed.empty()) chance.raw("fed", json_array(segment.fed, fed_json));
    return JsonObject().raw("chance", chance.finish()).finish();
}

std::string answer_members(const LlmResult& result) {
    JsonObject out;
    if (const auto* error = std::get_if<LlmError>(&result)) {
        const auto& [kind, message, http_status, retry_after, is_permanent, usage] = *error;
        JsonObject members;
        members.raw("kind", exact_json(kind)).raw("message", exact_json(message)).number("http", http_status);
        if (retry_after) members.number("retry_after_ms", retry_after->count());
        if (is_permanent) members.raw("permanent", "true");
        members.raw("tokens", tokens_json(usage));
        return out.raw("llm_error", members.finish()).finish();
    }
    const auto& [text, tool_calls, usage, provider_state, reasoning, model, failures] = std::get<LlmReply>(result);
    add_text(out, "text", text);
    if (!tool_calls.empty()) out.raw("tool_calls", calls_json(tool_calls));
    if (!provider_state.empty()) out.raw("provider_state", exact_json(provider_state));
    if (!reasoning.empty()) add_text(out, "reasoning", reasoning);
    if (!model.empty()) out.raw("model", exact_json(model));
    if (!failures.empty()) out.raw("failures", failures_json(failures));
    return out.raw("tokens", tokens_json(usage)).finish();
}

std::string answer_members(const ToolAnswer& answer) {
    JsonObject out;
    const auto* error = std::get_if<Error>(&answer);
    if (!error) return out.raw("result", exact_json(std::get<Datum>(answer))).finish();
    JsonObject members;
    members.raw("reason", exact_json(Datum(reason_name(error->reason))))
        .raw("message", exact_json(error->message))
        .raw("hint", exact_json(error->hint));
    return out.raw("tool_error", members.finish()).finish();
}

std::string answer_members(const ApprovalAnswer& answer) {
    const auto& [is_approved, reason, arguments, by] = answer; // all there are
    JsonObject members;
    members.raw("ok", is_approved ? "true" : "false");
    if (!reason.empty()) members.raw("reason", exact_json(reason));
    if (arguments) members.raw("arguments", exact_json(*arguments));
    if (!by.empty()) members.raw("by", exact_json(by));
    return JsonObject().raw("approval", members.finish()).finish();
}

std::string answer_line(std::uint64_t id, Millis at, std::string members) {
    const std::string start =
        "{\"answer\":" + std::to_string(id) + ",\"at_ms\":" + std::to_string(at.count()) + (members == "{}" ? "" : ",");
    return members.replace(0, 1, start);
}

std::string end_line(const Step& step) {
    JsonObject out;
    out.raw("ok", step.ok ? "true" : "false");
    if (step.ok) out.raw("value", exact_json(step.value));
    if (step.fail) {
        out.raw("reason", exact_json(step.fail->reason)).raw("message", exact_json(step.fail->message));
        out.raw("op", exact_json(step.fail->op ? Datum(*step.fail->op) : Datum()))
            .raw("details", exact_json(step.fail->details));
    }
    out.raw("memory", exact_json(step.memory));
    const MissionUsage& usage = step.usage;
    out.raw("usage", JsonObject()
                         .number("turns", usage.turns)
                         .number("llm_calls", usage.llm_calls)
                         .number("tool_calls", usage.tool_calls)
                         .raw("tokens", tokens_json(usage.tokens))
                         .number("fuel", usage.fuel)
                         .number("peak_heap_bytes", usage.peak_heap_bytes)
                         .finish());
    return JsonObject().raw("end", out.finish()).finish();
}

std::string CallLines::line(const LlmNeed& need) {
    const LlmRequest& request = need.request;
    Last& last = last_[need.run];
    const auto differs = std::ranges::mismatch(last.messages, request.messages);
    const auto kept = static_cast<std::size_t>(differs.in2 - request.messages.begin());
    JsonObject out;
    out.number("call", need.id)
        .number("run", need.run)
        .raw("model", exact_json(need.name))
        .raw("agent", exact_json(request.agent));
    out.number("depth", request.depth).number("turn", request.turn).number("attempt", request.attempt);
    out.number("kept", kept)
        .raw("messages", json_array(std::ranges::subrange(differs.in2, request.messages.end()), message_json));
    last.messages = request.messages;
    const auto unset = [&last](const char* name) { return std::string(last.members[name].empty() ? "" : "null"); };
    const std::pair<const char*, std::string> members[] = {
        {"system", exact_json(Datum(request.system))},
        {"tools", tools_json(request.tools)},
        {"schema", request.schema_json.empty() ? "null" : request.schema_json},
        {"options", exact_json(request.options)},
        // Absent until one is given, as in recordings from before there were any.
        {"effort", request.effort ? exact_json(Datum(reasoning_effort_name(*request.effort))) : unset("effort")},
        {"tool_choice", request.tool_choice == ToolChoice() ? unset("tool_choice")
                                                            : exact_json(Datum(tool_choice_name(request.tool_choice)))},
    };
    for (const auto& [name, json] : members) {
        std::string& known = last.members[name];
        if (json == known) continue;
        out.raw(name, json);
        known = json;
    }
    return out.finish();
}

std::string CallLines::line(const ToolNeed& need) {
    return JsonObject()
        .number("call", need.id)
        .number("run", need.run)
        .raw("tool", exact_json(need.tool->name))
        .raw("arguments", exact_json(need.arguments))
        .finish();
}

std::string CallLines::line(const ApprovalNeed& need) {
    return JsonObject()
        .number("call", need.id)
        .number("run", need.request.run)
        .raw("approval", exact_json(need.request.subject()))
        .raw("arguments", exact_json(need.request.arguments))
        .number("line", need.request.line)
        .number("column", need.request.column)
        .finish();
}

namespace {

/// [1,0]: a number from 1 on, and one from 0.
Result<std::pair<std::int64_t, std::int64_t>> read_pair(const Datum& pair, std::string_view what) {
    std::int64_t number = 0, value = 0;
    const bool is_pair = pair.list() && pair.list()->size() == 2 && pair.list()->front().to_int64(&number) &&
                         pair.list()->back().to_int64(&value);
    if (!is_pair || number < 1 || value < 0) return malformed(what);
    return std::pair(number, value);
}

} // namespace

Result<void> read_chance(const Datum& line, TapeSegment& segment) {
    const Datum& chance = *line.find("chance");
    if (!chance.map()) return malformed("`chance`");
    if (const Datum* random = chance.find("random")) {
        if (!random->list()) return malformed("`random`");
        for (const Datum& item : *random->list()) {
            double x = 0;
            if (!item.to_double(&x) || !(x >= 0 && x <= 1)) return malformed("`random`");
            segment.random.push_back(x);
        }
    }
    if (chance.find("interrupted_after"))
        segment.interrupted_after =
            static_cast<std::uint64_t>(PTC_TRY(count_of(chance, "interrupted_after", kMostMillis)));
    if (const Datum* fed = chance.find("fed")) {
        if (!fed->list()) return malformed("`fed`");
        for (const Datum& row : fed->items())
            segment.fed.push_back(PTC_TRY(read_fed(row)));
    }
    if (const Datum* late = chance.find("late")) {
        const auto [after, at] = PTC_TRY(read_pair(*late, "`late`"));
        if (at > kMostMillis) return malformed("`late`");
        segment.late = TapeSegment::Late{static_cast<std::uint64_t>(after), std::max(segment.at, Millis(at))};
    }
    if (const Datum* timeouts = chance.find("timeouts")) {
        if (!timeouts->list()) return malformed("`timeouts`");
        for (const Datum& pair : *timeouts->list()) {
            const auto [program, fuel] = PTC_TRY(read_pair(pair, "`timeouts`"));
            segment.timeouts[static_cast<std::uint64_t>(program)] = fuel;
        }
    }
    return {};
}

Result<Millis> read_time(const Datum& line) { return Millis(PTC_TRY(count_of(line, "at_ms", kMostMillis))); }

Result<RecordedAnswer> read_recorded_answer(const Datum& line) {
    if (line.find("text")) return read_reply(line);
    if (const Datum* error = line.find("llm_error")) return read_llm_error(*error);
    if (const Datum* error = line.find("tool_error")) return read_tool_error(*error);
    if (const Datum* approval = line.find("approval")) return read_approval(*approval);
    if (const Datum* result = line.find("result")) return RecordedAnswer(ToolAnswer(PTC_TRY(read_exact(*result))));
    return malformed("the answer");
}

std::uint64_t number_of(const Datum& line, std::string_view member) {
    std::int64_t number = 0;
    const Datum* found = line.find(member);
    return found && found->to_int64(&number) && number > 0 ? static_cast<std::uint64_t>(number) : 0;
}

std::string call_text(const Datum& line) {
    const auto cut = [](std::string text) { return text.size() > 80 ? text.substr(0, 80) + ".." : text; };
    std::string out = "call " + cut(shown(line, "call"));
    if (line.find("tool"))
        return out + ", the tool `" + cut(shown(line, "tool")) + "` of run " + cut(shown(line, "run"));
    if (line.find("approval"))
        return out + ", the approval of `" + cut(shown(line, "approval")) + "` of run " + cut(shown(line, "run"));
    out += ", to the model";
    if (!shown(line, "model").empty()) out += " `" + cut(shown(line, "model")) + "`";
    return out + " by the agent `" + cut(shown(line, "agent")) + "` (run " + cut(shown(line, "run")) + ", turn " +
           cut(shown(line, "turn")) + ", attempt " + cut(shown(line, "attempt")) + ")";
}

} // namespace ptc
