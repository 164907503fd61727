// Requests to programs as JSON lines, and what their answers mean. What a program writes is not trusted: an answer that
// is none is a protocol error, and the program is started anew, because what else it wrote would answer nothing.
#include "tools/agent/external.h"
#include "frontend/json_writer.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "runtime/clock.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/convert.h"
#include "tools/members.h"
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr std::size_t kShownBytes = 200;

using Steady = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

/// A program and the number of its last request.
struct External {
    External(std::shared_ptr<ProgramPool> pool, std::vector<std::string> arguments,
             std::optional<std::vector<std::string>> environment = {})
        : program(pool ? std::move(pool) : std::make_shared<ProgramPool>(ProgramPool::Bounds()), std::move(arguments),
                  std::move(environment)) {}
    PooledProgram program;
    std::atomic<std::int64_t> last_id{0};
};

std::string message_json(const Message& message) {
    JsonObject out;
    out.text("role", role_name(message.role)).text("content", message.content);
    if (!message.tool_calls.empty())
        out.raw("tool_calls", json_array(message.tool_calls, [](const ToolCall& call) {
                    return JsonObject()
                        .text("id", call.id)
                        .text("name", call.name)
                        .raw("args", call.arguments.to_json())
                        .finish();
                }));
    if (!message.tool_call_id.empty()) out.text("tool_call_id", message.tool_call_id);
    if (message.is_error) out.boolean("is_error", true);
    if (!message.provider_state.empty()) out.text("provider_state", message.provider_state);
    if (!message.attachments.empty()) out.raw("attachments", json_array(message.attachments, attachment_json));
    return out.finish();
}

/// The answer as an object that answers request `id`; else what is wrong with it.
Result<Datum> read_answer_object(std::string_view line, std::int64_t id) {
    const auto wrong = [line](const std::string& why) {
        return Error(Reason::InvalidRequest,
                     why + ": " + std::string(line.substr(0, kShownBytes)) + (line.size() > kShownBytes ? " ..." : ""));
    };
    Result<Datum> answer = Datum::from_json(line);
    if (!answer.ok() && answer.error().reason == Reason::Timeout) return std::move(answer.error());
    if (!answer.ok() || !answer.value().map()) return wrong("The answer is no JSON object");
    std::int64_t answered = 0;
    const Datum* given = answer.value().find("id");
    if (given && (!given->to_int64(&answered) || answered != id))
        return wrong("The answer has another `id` than the request, " + std::to_string(id));
    return answer;
}

LlmError protocol_error(std::string message) { return {.kind = "protocol", .message = std::move(message)}; }

LlmError llm_fault(const LineProcess::Fault& fault) {
    switch (fault.kind) {
    case LineProcess::Fault::Kind::NotStarted: return {.kind = "not_started", .message = fault.message};
    case LineProcess::Fault::Kind::Ended: return {.kind = "ended", .message = fault.message};
    case LineProcess::Fault::Kind::Timeout: return {.kind = "timeout", .message = fault.message};
    case LineProcess::Fault::Kind::Unwanted: return {.kind = "cancelled", .message = fault.message};
    case LineProcess::Fault::Kind::Busy: return {.kind = "busy", .message = fault.message};
    case LineProcess::Fault::Kind::TooLong:
    case LineProcess::Fault::Kind::Unasked: break;
    }
    return protocol_error(fault.message);
}

Result<std::vector<ToolCall>> native_calls_of(const Datum& answer) {
    std::vector<ToolCall> calls;
    for (const Datum& call : items_of(answer, "tool_calls")) {
        const Datum* arguments = call.find("args");
        ToolCall made{text_of(call, "id"), text_of(call, "name"), arguments ? *arguments : Datum(Datum::Map())};
        if (made.id.empty() || made.name.empty() || !made.arguments.map())
            return Error(Reason::InvalidRequest, "A tool call has the texts `id` and `name` and the object `args`.");
        calls.push_back(std::move(made));
    }
    return calls;
}

} // namespace

LlmError llm_error_of(const Datum& error) {
    if (error.text()) return {.kind = *error.text()};
    LlmError out{.kind = text_of(error, "kind"), .message = text_of(error, "message")};
    out.http_status = static_cast<int>(integer_of(error, "http"));
    const Datum* permanent = error.find("permanent");
    out.is_permanent = permanent && *permanent == Datum(true);
    if (error.find("retry_after_ms")) out.retry_after = std::chrono::milliseconds(integer_of(error, "retry_after_ms"));
    return out;
}

namespace {

bool is_program_file(const std::string& path) {
    struct stat file {};
    return ::stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// As the shell and posix_spawnp look for it in `folder`.
bool is_program(const std::string& name, const std::string& folder) {
    if (name.find('/') != std::string::npos)
        return is_program_file(folder.empty() || name.starts_with('/') ? name : folder + "/" + name);
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/local/bin:/bin:/usr/bin";
    while (true) {
        const std::size_t end = rest.find(':');
        const std::string place(rest.substr(0, end));
        if (is_program_file((place.empty() ? "." : place) + "/" + name)) return true;
        if (end == std::string_view::npos) return false;
        rest.remove_prefix(end + 1);
    }
}

/// The program that a line for the shell begins with, when that is plain to see: no word of the shell itself, nothing
/// that it would expand.
std::string first_program(std::string_view line) {
    constexpr std::string_view kShell[] = {
        ".",     ":",      "[",      "alias",  "bg",       "break",   "case",    "cd",    "command", "echo", "eval",
        "exec",  "exit",   "export", "false",  "fg",       "for",     "getopts", "hash",  "if",      "jobs", "kill",
        "local", "printf", "pwd",    "read",   "readonly", "return",  "set",     "shift", "test",    "time", "times",
        "trap",  "true",   "type",   "ulimit", "umask",    "unalias", "unset",   "until", "wait",    "while"};
    std::size_t begin = line.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return {};
    if (line.substr(begin).starts_with("exec ")) begin = std::min(line.find_first_not_of(' ', begin + 4), line.size());
    const std::size_t end = line.find_first_of(" \t\n", begin);
    const std::string word(line.substr(begin, end - begin));
    const bool is_plain = std::ranges::all_of(word, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("/._-+").find(c) != std::string::npos;
    });
    const bool is_shells = std::ranges::find(kShell, word) != std::end(kShell);
    return is_plain && !is_shells ? word : "";
}

Error no_command() { return {Reason::InvalidRequest, "`cmd` must be a text for the shell, or a list of texts."}; }

/// The program that a command begins with; "" where that is not plain to see.
std::string program_of(const Datum& command) {
    if (command.text()) return first_program(*command.text());
    const bool is_list = command.list() && !command.list()->empty() && command.list()->front().text();
    return is_list ? *command.list()->front().text() : "";
}

} // namespace

Result<void> check_program(const Datum& command, const std::string& folder) {
    const std::string name = program_of(command);
    if (name.empty() || is_program(name, folder)) return {};
    return Error(Reason::InvalidRequest, "There is no program " + quoted(name) + ".");
}

Result<std::vector<std::string>> program_arguments(const Datum& command) {
    std::vector<std::string> arguments;
    if (command.text() && !command.text()->empty()) arguments = {"/bin/sh", "-c", *command.text()};
    if (command.list()) {
        for (const Datum& argument : *command.list()) {
            if (!argument.text()) return no_command();
            arguments.push_back(*argument.text());
        }
    }
    if (arguments.empty()) return no_command();
    PTC_CHECK(check_program(command));
    return arguments;
}

std::string llm_request_json(const LlmRequest& request, std::int64_t id, std::optional<Millis> time_left) {
    JsonObject out;
    out.number("id", id).text("kind", "llm").text("system", request.system);
    out.raw("messages", json_array(request.messages, message_json)).text("prompt", request.prompt);
    out.number("turn", static_cast<std::int64_t>(request.turn)).number("attempt", request.attempt);
    out.text("agent", request.agent).number("depth", request.depth);
    out.raw("tools", json_array(request.tools, [](const ToolSchema& tool) {
                return JsonObject()
                    .text("name", tool.name)
                    .text("description", tool.description)
                    .raw("parameters", tool.input_schema_json)
                    .finish();
            }));
    out.raw("schema", request.schema_json.empty() ? "null" : request.schema_json);
    out.raw("time_left_ms", time_left ? std::to_string(time_left->count()) : "null");
    out.raw("options", request.options.to_json());
    if (request.effort) out.text("reasoning_effort", reasoning_effort_name(*request.effort));
    if (request.tool_choice != ToolChoice()) out.text("tool_choice", tool_choice_name(request.tool_choice));
    if (!request.key.empty()) out.text("key", request.key);
    return out.finish();
}

LlmResult read_llm_answer(std::string_view line, std::int64_t id) {
    const Result<Datum> answer = read_answer_object(line, id);
    if (!answer.ok() && answer.error().reason == Reason::Timeout)
        return LlmError{.kind = "timeout", .message = answer.error().message};
    if (!answer.ok()) return protocol_error(answer.error().message);
    const Datum& members = answer.value();
    if (const Datum* error = members.find("error"); error && !error->is_nil()) return llm_error_of(*error);
    Result<std::vector<ToolCall>> calls = native_calls_of(members);
    if (!calls.ok()) return protocol_error(calls.error().message);
    const Datum* text = members.find("text");
    if ((!text || !text->text()) && calls.value().empty())
        return protocol_error("The answer has neither a `text` nor `tool_calls` nor an `error`.");
    LlmReply reply{.text = text_of(members, "text"), .tool_calls = std::move(calls).value()};
    if (const Datum* tokens = members.find("tokens")) {
        reply.usage.input = integer_of(*tokens, "input");
        reply.usage.output = integer_of(*tokens, "output");
        reply.usage.cache_read = integer_of(*tokens, "cache_read");
        reply.usage.cache_creation = integer_of(*tokens, "cache_creation");
    }
    if (const Datum* cost = members.find("cost_usd")) (void)cost->to_double(&reply.usage.cost_usd);
    reply.provider_state = text_of(members, "provider_state");
    reply.reasoning = text_of(members, "reasoning");
    return reply;
}

Result<Datum> read_tool_answer(std::string_view line, std::int64_t id) {
    Result<Datum> answer = read_answer_object(line, id);
    if (!answer.ok()) return Error(Reason::ToolError, answer.error().message);
    const Datum& members = answer.value();
    if (const Datum* error = members.find("error"); error && !error->is_nil())
        return Error(Reason::ToolError, error->text() ? *error->text() : error->to_json());
    const Datum* result = members.find("result");
    if (!result) return Error(Reason::ToolError, "The answer has neither a `result` nor an `error`.");
    std::vector<Attachment> attachments;
    for (const Datum& item : items_of(members, "attachments")) {
        Result<Attachment> read = read_attachment(item);
        if (!read.ok()) return Error(Reason::ToolError, read.error().message);
        attachments.push_back(std::move(read).value());
    }
    return attachments.empty() ? *result : with_attachments(*result, std::move(attachments));
}

Llm external_llm(std::vector<std::string> arguments, std::shared_ptr<ProgramPool> pool) {
    const auto external = std::make_shared<External>(std::move(pool), std::move(arguments));
    return [external](const LlmRequest& request) -> LlmResult {
        const std::int64_t id = ++external->last_id;
        std::optional<Steady::time_point> end;
        if (request.time_left) end = Steady::now() + *request.time_left;
        auto taken = external->program.take(end, request.is_unwanted);
        if (const auto* fault = std::get_if<LineProcess::Fault>(&taken)) return llm_fault(*fault);
        const auto& process = std::get<PooledProgram::Use>(taken);
        std::optional<Millis> left;
        if (end) left = std::max(Millis(1), std::chrono::ceil<Millis>(*end - Steady::now()));
        // Time for the answer is time for reading it, too.
        const ImportScope time({.timeout = left.value_or(Millis(0))});
        const auto answer = process->request(llm_request_json(request, id, left), left, request.is_unwanted);
        if (const auto* fault = std::get_if<LineProcess::Fault>(&answer)) return llm_fault(*fault);
        LlmResult reply = read_llm_answer(std::get<std::string>(answer), id);
        const auto* error = std::get_if<LlmError>(&reply);
        if (error && error->kind == "protocol") process->restart(); // what else it wrote answers nothing
        if (const auto* given = std::get_if<LlmReply>(&reply); given && request.on_text) request.on_text(given->text);
        if (const auto* given = std::get_if<LlmReply>(&reply); given && request.on_delta && !given->text.empty())
            request.on_delta({.text = given->text});
        return reply;
    };
}

ContextToolFunction external_tool(std::string name, std::vector<std::string> arguments,
                                  std::vector<std::string> environment, Millis timeout,
                                  std::shared_ptr<ProgramPool> pool) {
    const auto external = std::make_shared<External>(std::move(pool), std::move(arguments), std::move(environment));
    return
        [external, name = std::move(name), timeout](const Datum& given, const ToolContext& context) -> Result<Datum> {
            const auto failed = [](const LineProcess::Fault& fault) {
                return Error(Reason::ToolError, "The program of the tool failed. " + fault.message);
            };
            const std::int64_t id = ++external->last_id;
            const SharedFunction<bool()> is_unwanted = [stop = context.stop] { return stop.stop_requested(); };
            auto taken = external->program.take(context.deadline.value_or(Steady::now() + timeout), is_unwanted);
            if (const auto* fault = std::get_if<LineProcess::Fault>(&taken)) return failed(*fault);
            const ImportScope time({.timeout = timeout});
            JsonObject request;
            request.number("id", id).text("kind", "tool").text("name", name).raw("arguments", given.to_json());
            if (!context.key.empty()) request.text("key", context.key);
            const auto answer = std::get<PooledProgram::Use>(taken)->request(request.finish(), timeout, is_unwanted);
            if (const auto* fault = std::get_if<LineProcess::Fault>(&answer)) return failed(*fault);
            return read_tool_answer(std::get<std::string>(answer), id);
        };
}

} // namespace ptc
