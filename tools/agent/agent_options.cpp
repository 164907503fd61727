#include "tools/members.h"
#include "tools/tagged_json.h"
#include "tools/testing/scenario.h"
#include <algorithm>
#include <stdexcept>

namespace ptc {
namespace {

using Log = std::shared_ptr<ScenarioLog>;

Error wrong(std::string_view member, std::string_view must_be) {
    return Error(Reason::InvalidRequest, "`" + std::string(member) + "` must be " + std::string(must_be) + ".");
}

Result<std::uint64_t> count_of(std::string_view member, const Datum& value) {
    std::int64_t count = 0;
    if (!value.to_int64(&count) || count < 0) return wrong(member, "a whole number that is not negative");
    return static_cast<std::uint64_t>(count);
}

Result<std::string> text_member(std::string_view member, const Datum& value) {
    if (!value.text()) return wrong(member, "a text");
    return *value.text();
}

Result<NativeResult> read_native_result(const Datum& row) {
    NativeResult result;
    for (const auto& [key, value] : *row.map()) {
        const std::string& name = *key.text();
        if (name == "limit")
            result.limit = PTC_TRY(count_of(name, value));
        else if (name != "preview")
            return wrong("native_result", "made of `preview` and `limit`");
        else if (value.text() && *value.text() == "metadata")
            result.preview = NativeResult::Preview::Metadata;
        else if (value.text() && *value.text() == "rows")
            result.preview = NativeResult::Preview::Rows;
        else if (value.find("const") || value.find("raise")) {
            result.preview = NativeResult::Preview::Custom;
            result.custom = [row = value](const Datum&) -> Result<Datum> {
                if (row.find("raise")) throw std::runtime_error(text_of(row, "raise"));
                return *row.find("const");
            };
        } else
            return wrong("preview", "`metadata`, `rows` or a function");
    }
    return result;
}

/// Options that every kind of tool has.
Result<void> read_tool_options(const Datum& row, AgentTool& tool) {
    if (const Datum* expose = row.find("expose")) {
        tool.expose = exposure_named(PTC_TRY(text_member("expose", *expose)));
        if (!tool.expose) return wrong("expose", "`native`, `ptc_lisp` or `both`");
    }
    tool.cache = is_true(row.find("cache"));
    if (const Datum* native = row.find("native_result")) {
        if (!native->map()) return wrong("native_result", "a map");
        tool.native_result = PTC_TRY(read_native_result(*native));
    }
    if (const Datum* mode = row.find("validation")) {
        tool.tool.validation = validation_mode(PTC_TRY(text_member("validation", *mode)));
        if (!tool.tool.validation) return wrong("validation", "a validation mode");
    }
    return {};
}

Result<ModelRef> model_of(const Datum& row, const Log& log) {
    const Datum* llm = row.find("llm");
    if (!llm) return ModelRef();
    if (llm->list()) return ModelRef(scripted(*llm->list(), log));
    return ModelRef(PTC_TRY(text_member("llm", *llm)));
}

Result<std::vector<AgentTool>> read_tools(const Datum& rows, const Log& log);

Result<AgentTool> read_llm_tool(const std::string& name, const Datum& row, const Log& log) {
    LlmTool tool;
    tool.prompt = text_of(row, "prompt");
    tool.signature = text_of(row, "signature");
    tool.description = text_of(row, "description");
    tool.model = PTC_TRY(model_of(row, log));
    if (const Datum* tools = row.find("tools")) tool.tools = PTC_TRY(read_tools(*tools, log));
    return tool.as_tool(name);
}

Result<AgentTool> read_tool(const std::string& name, const Datum& row, const Log& log) {
    AgentTool tool;
    if (is_true(row.find("self"))) {
        tool = AgentTool::self(name);
    } else if (const Datum* judged = row.find("llm_tool")) {
        tool = PTC_TRY(read_llm_tool(name, *judged, log));
    } else if (const Datum* agent = row.find("agent")) {
        AgentOptions options = PTC_TRY(read_agent(*agent, log));
        options.name = name; // in traces and events
        const AgentPtr child = PTC_TRY(Agent::create(std::move(options)));
        tool = child->as_tool(name, PTC_TRY(model_of(row, log)));
    } else {
        tool.tool =
            Tool{.name = name, .description = text_of(row, "description"), .signature = text_of(row, "signature")};
        tool.tool.keyed_function =
            log->make_tool ? PTC_TRY(log->make_tool(name, row)) : without_key(scripted_tool(name, row, log));
        tool.tool.one_at_a_time = !log->make_tool; // rows tell the order of calls
    }
    PTC_CHECK(read_tool_options(row, tool));
    return tool;
}

Result<std::vector<AgentTool>> read_tools(const Datum& rows, const Log& log) {
    if (!rows.map()) return wrong("tools", "a map of names and tools");
    std::vector<AgentTool> tools;
    for (const auto& [name, row] : *rows.map())
        tools.push_back(PTC_TRY(read_tool(*name.text(), row, log)));
    return tools;
}

Result<void> read_prompt_limit(const Datum& row, PromptLimit& limit) {
    if (!row.map()) return wrong("prompt_limit", "a map");
    for (const auto& [key, value] : *row.map()) {
        const std::uint64_t count = PTC_TRY(count_of("prompt_limit", value));
        if (*key.text() == "list")
            limit.list = count;
        else if (*key.text() == "string")
            limit.string = count;
        else
            return wrong("prompt_limit", "made of `list` and `string`");
    }
    return {};
}

Result<void> read_modes(const std::string& name, const Datum& value, AgentOptions& options) {
    const std::string text = PTC_TRY(text_member(name, value));
    if (name == "output") {
        const auto output = output_named(text);
        if (!output) return wrong("output", "`ptc_lisp` or `text`");
        options.output = *output;
    } else if (name == "ptc_transport") {
        const auto transport = transport_named(text);
        if (!transport) return wrong("ptc_transport", "`content` or `tool_call`");
        options.transport = *transport;
    } else if (text != "compact") {
        return wrong("ptc_reference", "`compact`");
    }
    return {};
}

/// A text is what stands behind the generated system text.
Result<SystemPrompt> read_system_prompt(const Datum& value) {
    SystemPrompt prompt;
    if (value.text()) {
        prompt.suffix = *value.text();
        return prompt;
    }
    if (!value.map()) return wrong("system_prompt", "a text or a map");
    for (const auto& [key, part] : *value.map()) {
        const std::string& name = *key.text();
        std::string* const member = name == "replacement" ? &prompt.replacement
                                    : name == "whole"     ? &prompt.whole
                                    : name == "prefix"    ? &prompt.prefix
                                    : name == "suffix"    ? &prompt.suffix
                                                          : nullptr;
        if (!member) return wrong("system_prompt", "made of `replacement`, `whole`, `prefix` and `suffix`");
        *member = PTC_TRY(text_member(name, part));
    }
    return prompt;
}

/// One member of an agent's row.
Result<void> read_member(const std::string& name, const Datum& value, AgentOptions& options, const Log& log) {
    using std::chrono::milliseconds;
    const auto count = [&] { return count_of(name, value); };
    if (name == "prompt")
        options.prompt = PTC_TRY(text_member(name, value));
    else if (name == "signature")
        options.signature = PTC_TRY(text_member(name, value));
    else if (name == "description")
        options.description = PTC_TRY(text_member(name, value));
    else if (name == "tools")
        options.tools = PTC_TRY(read_tools(value, log));
    else if (name == "tool_catalog") {
        for (AgentTool& tool : PTC_TRY(read_tools(value, log)))
            options.tool_catalog.push_back(std::move(tool.tool));
    } else if (name == "builtin_tools") {
        if (!value.list()) return wrong(name, "a list of families");
        for (const Datum& family : *value.list())
            options.builtin_tools.push_back(PTC_TRY(text_member(name, family)));
    } else if (name == "max_turns")
        options.max_turns = PTC_TRY(count());
    else if (name == "retry_turns")
        options.retry_turns = PTC_TRY(count());
    else if (name == "turn_budget")
        options.turn_budget = PTC_TRY(count());
    else if (name == "timeout")
        options.timeout = milliseconds(PTC_TRY(count()));
    else if (name == "mission_timeout")
        options.mission_timeout = milliseconds(PTC_TRY(count()));
    else if (name == "max_depth")
        options.max_depth = static_cast<unsigned>(PTC_TRY(count()));
    else if (name == "memory_limit") {
        options.memory_limit.reset();
        if (!value.is_nil()) options.memory_limit = PTC_TRY(count());
    } else if (name == "prompt_limit")
        return read_prompt_limit(value, options.prompt_limit);
    else if (name == "max_tool_calls")
        options.max_tool_calls = PTC_TRY(count());
    else if (name == "max_consecutive_failures")
        options.max_consecutive_failures = PTC_TRY(count());
    else if (name == "float_precision")
        options.float_precision = static_cast<unsigned>(PTC_TRY(count()));
    else if (name == "max_cost_usd") {
        double most = 0;
        if (!value.to_double(&most)) return wrong(name, "a number");
        options.max_cost_usd = most;
    } else if (name == "token_limit")
        options.token_limit = static_cast<std::int64_t>(PTC_TRY(count()));
    else if (name == "llm_retry")
        options.retry = PTC_TRY(read_retry(value, options.retry.base_delay));
    else if (name == "llm_options") {
        if (!value.map()) return wrong(name, "a map");
        options.llm_options = value;
    } else if (name == "system_prompt")
        options.system_prompt = PTC_TRY(read_system_prompt(value));
    else if (name == "output" || name == "ptc_transport" || name == "ptc_reference")
        return read_modes(name, value, options);
    else
        return Error(Reason::InvalidRequest, "There is no option `" + name + "` of an agent.");
    return {};
}

} // namespace

Result<RetryPolicy> read_retry(const Datum& row, std::chrono::milliseconds base_delay) {
    RetryPolicy retry;
    retry.base_delay = base_delay;
    if (!row.map()) return wrong("llm_retry", "a map");
    for (const auto& [key, value] : *row.map()) {
        const std::string& name = *key.text();
        if (name == "max_attempts")
            retry.max_attempts = static_cast<unsigned>(std::min<std::uint64_t>(PTC_TRY(count_of(name, value)), 1000));
        else if (name == "base_delay")
            retry.base_delay =
                std::chrono::milliseconds(std::min<std::uint64_t>(PTC_TRY(count_of(name, value)), 86'400'000));
        else if (name == "backoff") {
            const auto backoff = backoff_named(PTC_TRY(text_member(name, value)));
            if (!backoff) return wrong(name, "`exponential`, `linear` or `constant`");
            retry.backoff = *backoff;
        } else if (name == "retryable_errors") {
            if (!value.list()) return wrong(name, "a list of kinds");
            retry.retryable_errors.emplace();
            for (const Datum& kind : *value.list())
                retry.retryable_errors->push_back(PTC_TRY(text_member(name, kind)));
        } else {
            return Error(Reason::InvalidRequest, "There is no option `" + name + "` of `llm_retry`.");
        }
    }
    return retry;
}

Result<AgentOptions> read_agent(const Datum& row, const std::shared_ptr<ScenarioLog>& log) {
    if (!row.map()) return wrong("agent", "a map");
    AgentOptions options;
    for (const auto& [name, value] : *row.map())
        PTC_CHECK(read_member(*name.text(), value, options, log));
    return options;
}

} // namespace ptc
