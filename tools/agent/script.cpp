// Scripted models and tools. Each call first reports itself to the watcher, then does what its row says; rows are
// tagged JSON (tools/tagged_json.h), so that they can give keywords and sets. A script's replies are handed out under
// its own lock, in the order of the calls.
#include "tools/agent/script.h"
#include "tools/agent/external.h"
#include "tools/members.h"
#include "tools/tagged_json.h"
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace ptc {
namespace {

std::vector<ToolCall> calls_of(const Datum& reply) {
    std::vector<ToolCall> calls;
    for (const Datum& call : items_of(reply, "tool_calls")) {
        const Datum* arguments = call.find("args");
        calls.push_back({text_of(call, "id"), text_of(call, "name"), arguments ? *arguments : Datum(Datum::Map())});
    }
    return calls;
}

TokenUsage usage_of(const Datum& reply) {
    TokenUsage usage;
    if (const Datum* tokens = reply.find("tokens")) {
        usage.input = integer_of(*tokens, "input");
        usage.output = integer_of(*tokens, "output");
        usage.cache_read = integer_of(*tokens, "cache_read");
        usage.cache_creation = integer_of(*tokens, "cache_creation");
    }
    if (const Datum* cost = reply.find("cost_usd")) (void)cost->to_double(&usage.cost_usd);
    return usage;
}

/// A result: `{"$raise": text}` in the place of a value raises.
Result<Datum> value_of(const Datum& value) {
    if (const Datum* raised = value.find("$raise")) throw std::runtime_error(raised->text() ? *raised->text() : "");
    return untag(value);
}

bool same_arguments(const Datum& row, const Datum& arguments) {
    const Result<Datum> wanted = untag(row);
    return wanted.ok() && same_datum(wanted.value(), arguments);
}

class Script {
public:
    Script(Datum::List replies, ScriptWatcher watcher) : replies_(std::move(replies)), watcher_(std::move(watcher)) {}

    LlmResult reply(const LlmRequest& request) {
        const std::optional<Datum> found = next(request);
        if (!found) return LlmError{.kind = "past_end", .message = "The script has no further reply."};
        const Datum& reply = *found;
        if (watcher_.on_delay) watcher_.on_delay(integer_of(reply, "delay_ms"));
        if (const Datum* raised = reply.find("raise")) throw std::runtime_error(raised->text() ? *raised->text() : "");
        if (const Datum* error = reply.find("error")) {
            LlmError failed = llm_error_of(*error);
            if (failed.message.empty()) failed.message = "scripted";
            return failed;
        }
        LlmReply out{.text = text_of(reply, "text"), .tool_calls = calls_of(reply), .usage = usage_of(reply)};
        if (request.on_text) request.on_text(out.text);
        if (request.on_delta && !out.text.empty()) request.on_delta({.text = out.text});
        return out;
    }

private:
    std::optional<Datum> next(const LlmRequest& request) {
        const std::scoped_lock lock(mutex_);
        if (watcher_.on_request) watcher_.on_request(request);
        if (next_ < replies_.size()) return replies_[next_++];
        if (watcher_.on_past_end) watcher_.on_past_end();
        return std::nullopt;
    }

    std::mutex mutex_; ///< of next_
    Datum::List replies_;
    std::size_t next_ = 0;
    ScriptWatcher watcher_;
};

} // namespace

Llm scripted_llm(Datum::List replies, ScriptWatcher watcher) {
    const auto script = std::make_shared<Script>(std::move(replies), std::move(watcher));
    return [script](const LlmRequest& request) { return script->reply(request); };
}

ContextToolFunction without_context(ToolFunction function) {
    return [function = std::move(function)](const Datum& arguments, const ToolContext&) { return function(arguments); };
}

ToolFunction scripted_tool(const std::string& name, const Datum& row, ScriptWatcher watcher) {
    const Datum* given = row.find("do");
    const Datum action = given ? *given : Datum();
    const auto calls = std::make_shared<std::atomic<std::size_t>>(0);
    return [name, action, calls, watcher = std::move(watcher)](const Datum& arguments) -> Result<Datum> {
        if (watcher.on_tool_call) watcher.on_tool_call(name, arguments);
        if (watcher.on_delay) watcher.on_delay(integer_of(action, "sleep_ms"));
        if (is_true(action.find("echo"))) return arguments;
        if (const Datum* raised = action.find("raise")) throw std::runtime_error(raised->text() ? *raised->text() : "");
        if (const Datum* value = action.find("return")) return value_of(*value);
        if (const auto& sequence = items_of(action, "seq"); !sequence.empty())
            return value_of(sequence[std::min(calls->fetch_add(1), sequence.size() - 1)]);
        for (const Datum& pair : items_of(action, "by_args")) {
            if (pair.list() && pair.list()->size() == 2 && same_arguments((*pair.list())[0], arguments))
                return value_of((*pair.list())[1]);
        }
        const Datum* otherwise = action.find("else");
        return otherwise ? value_of(*otherwise) : Datum();
    };
}

} // namespace ptc
