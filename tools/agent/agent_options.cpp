// The reader of an agent's options. kMembers is the table of them: a row reads one member into AgentOptions and says
// what is wrong with a value that it cannot take. Tools can be agents again, so the readers of tools and agents call
// each other; what a row cannot hold, functions, comes from PartMakers.
#include "tools/agent/agent_options.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include "frontend/try.h"
#include "tools/members.h"
#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

namespace ptc {
namespace {

Error wrong(std::string_view member, std::string_view must_be) {
    return Error(Reason::InvalidRequest, quoted(member) + " must be " + std::string(must_be) + ".");
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

/// "" when `row` has no such member.
Result<std::string> text_or_none(const Datum& row, std::string_view member) {
    const Datum* found = row.find(member);
    return found ? text_member(member, *found) : std::string();
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

/// Of a tool: how it is answered, and what models and programs know of it.
constexpr std::string_view kToolMembers[] = {
    "signature",  "description", "expose",   "cache",   "native_result", "validation", "cmd",
    "env",        "do",          "sleep_ms", "agent",   "llm_tool",      "self",       "llm",
    "approval",   "mcp",         "outside",  "mission", "within_ms",     "unwritten",  "other_arguments",
    "keeps_keys", "details"};
constexpr std::string_view kLlmToolMembers[] = {"prompt", "signature", "description", "llm", "tools"};

/// Options that every kind of tool has.
Result<void> read_tool_options(const Datum& row, AgentTool& tool) {
    if (const Datum* expose = row.find("expose")) {
        tool.expose = exposure_named(PTC_TRY(text_member("expose", *expose)));
        if (!tool.expose) return wrong("expose", "`native`, `ptc_lisp` or `both`");
    }
    if (const Datum* cache = row.find("cache"); cache && !cache->get_if<bool>()) return wrong("cache", "true or false");
    tool.cache = is_true(row.find("cache"));
    if (const Datum* approval = row.find("approval"); approval && !approval->get_if<bool>())
        return wrong("approval", "true or false");
    tool.tool.approval = is_true(row.find("approval"));
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

Result<ModelRef> model_of(const Datum& row, const PartMakers& makers) {
    const Datum* llm = row.find("llm");
    if (!llm) return ModelRef();
    if (llm->list()) return ModelRef(makers.model(*llm->list()));
    return ModelRef(PTC_TRY(text_member("llm", *llm)));
}

Result<std::vector<AgentTool>> read_tools(const Datum& rows, const PartMakers& makers);

Result<AgentTool> read_llm_tool(const std::string& name, const Datum& row, const PartMakers& makers) {
    if (!row.map()) return wrong("llm_tool", "a map");
    PTC_CHECK(check_members(row, kLlmToolMembers, "the `llm_tool` of the tool `" + name + "`"));
    LlmTool tool;
    tool.prompt = PTC_TRY(text_or_none(row, "prompt"));
    tool.signature = PTC_TRY(text_or_none(row, "signature"));
    tool.description = PTC_TRY(text_or_none(row, "description"));
    tool.model = PTC_TRY(model_of(row, makers));
    if (const Datum* tools = row.find("tools")) tool.tools = PTC_TRY(read_tools(*tools, makers));
    return tool.as_tool(name);
}

Result<AgentTool> read_tool(const std::string& name, const Datum& row, const PartMakers& makers) {
    if (!row.map()) return wrong(name, "a map, as each tool is");
    PTC_CHECK(check_members(row, kToolMembers, "the tool `" + name + "`"));
    if (row.find("within_ms")) PTC_CHECK(count_of("within_ms", *row.find("within_ms")));
    if (const Datum* outside = row.find("outside"); outside && !outside->get_if<bool>())
        return wrong("outside", "true or false");
    AgentTool tool;
    if (is_true(row.find("self"))) {
        tool = AgentTool::self(name);
        tool.model = PTC_TRY(model_of(row, makers));
    } else if (const Datum* judged = row.find("llm_tool")) {
        tool = PTC_TRY(read_llm_tool(name, *judged, makers));
        if (!tool.model.is_given()) tool.model = PTC_TRY(model_of(row, makers));
    } else if (const Datum* agent = row.find("agent")) {
        AgentOptions options = PTC_TRY(read_agent(*agent, makers));
        options.name = name; // in traces and events
        const AgentPtr child = PTC_TRY(Agent::create(std::move(options)));
        tool = child->as_tool(name, PTC_TRY(model_of(row, makers)));
    } else if (const Datum* mission = row.find("mission")) { // carried by itself: not part of this agent
        const AgentOptions child = PTC_TRY(read_agent(*mission, makers));
        PTC_CHECK(model_of(row, makers));
        PTC_CHECK(Agent::create(child));
        tool.tool = Tool{.name = name, .description = child.description, .signature = child.signature};
        tool.tool.context_function = PTC_TRY(makers.tool(name, row));
    } else {
        tool.tool = Tool{.name = name,
                         .description = PTC_TRY(text_or_none(row, "description")),
                         .signature = PTC_TRY(text_or_none(row, "signature"))};
        tool.tool.context_function = PTC_TRY(makers.tool(name, row));
        tool.tool.one_at_a_time = makers.one_tool_at_a_time;
        tool.is_fed = is_true(row.find("mcp"));
        tool.tool.keeps_keys = is_true(row.find("keeps_keys"));
        tool.tool.details = PTC_TRY(text_or_none(row, "details"));
        for (const Datum& field : row["unwritten"].items())
            tool.tool.unwritten.push_back({PTC_TRY(text_or_none(field, "path")), PTC_TRY(text_or_none(field, "name"))});
        for (const Datum& other : row["other_arguments"].items())
            if (const std::string* text = other.text()) tool.tool.other_arguments.push_back(*text);
    }
    PTC_CHECK(read_tool_options(row, tool));
    return tool;
}

Result<std::vector<AgentTool>> read_tools(const Datum& rows, const PartMakers& makers) {
    if (!rows.map()) return wrong("tools", "a map of names and tools");
    std::vector<AgentTool> tools;
    for (const auto& [name, row] : *rows.map())
        tools.push_back(PTC_TRY(read_tool(*name.text(), row, makers)));
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

/// A member of a row that is being read.
struct Reading {
    const std::string& name;
    const Datum& value;
    AgentOptions& options;
    const PartMakers& makers;
};

// Readers of members, by what the member is. Each takes the option that it sets.

template <auto Option> Result<void> read_text(const Reading& r) {
    r.options.*Option = PTC_TRY(text_member(r.name, r.value));
    return {};
}

template <auto Option> Result<void> read_flag(const Reading& r) {
    if (!r.value.get_if<bool>()) return wrong(r.name, "true or false");
    r.options.*Option = is_true(&r.value);
    return {};
}

/// A number that is not negative: a count, or milliseconds.
template <auto Option> Result<void> read_count(const Reading& r) {
    using Type = std::remove_cvref_t<decltype(r.options.*Option)>;
    const std::uint64_t count = PTC_TRY(count_of(r.name, r.value));
    if constexpr (std::is_same_v<Type, std::chrono::milliseconds>)
        r.options.*Option = std::chrono::milliseconds(count);
    else if constexpr (std::is_arithmetic_v<Type>)
        r.options.*Option = static_cast<Type>(count);
    else
        r.options.*Option = static_cast<typename Type::value_type>(count); // an optional
    return {};
}

Result<void> read_tool_list(const Reading& r) {
    r.options.tools = PTC_TRY(read_tools(r.value, r.makers));
    return {};
}

Result<void> read_tool_catalog(const Reading& r) {
    for (AgentTool& tool : PTC_TRY(read_tools(r.value, r.makers)))
        r.options.tool_catalog.push_back(std::move(tool.tool));
    return {};
}

/// A list of texts, which are numbered, of pairs of id and text, or of maps of both.
Result<void> read_plan(const Reading& r) {
    const Error error = wrong(r.name, "a list of texts, of pairs [id, text], or of maps of `id` and `text`");
    if (!r.value.list()) return error;
    for (const Datum& row : r.value.items()) {
        const bool is_pair = row.list() && row.size() == 2;
        const Datum id = row.text() ? Datum(std::to_string(r.options.plan.size() + 1)) : is_pair ? row[0] : row["id"];
        const Datum& text = row.text() ? row : is_pair ? row[1] : row["text"];
        if (!id.text() || !text.text()) return error;
        r.options.plan.push_back({.id = *id.text(), .text = *text.text()});
    }
    return {};
}

Result<void> read_builtin_tools(const Reading& r) {
    if (!r.value.list()) return wrong(r.name, "a list of families");
    for (const Datum& family : *r.value.list())
        r.options.builtin_tools.push_back(PTC_TRY(text_member(r.name, family)));
    return {};
}

Result<void> read_memory_limit(const Reading& r) {
    r.options.memory_limit.reset();
    if (!r.value.is_nil()) r.options.memory_limit = PTC_TRY(count_of(r.name, r.value));
    return {};
}

Result<void> read_tool_cache_limit(const Reading& r) {
    r.options.tool_cache.entries = PTC_TRY(count_of(r.name, r.value));
    return {};
}

Result<void> read_max_cached_bytes(const Reading& r) {
    r.options.tool_cache.bytes = PTC_TRY(count_of(r.name, r.value));
    return {};
}

Result<void> read_max_cost(const Reading& r) {
    double most = 0;
    if (!r.value.to_double(&most)) return wrong(r.name, "a number");
    r.options.max_cost_usd = most;
    return {};
}

Result<void> read_llm_options(const Reading& r) {
    if (!r.value.map()) return wrong(r.name, "a map");
    r.options.llm_options = r.value;
    return {};
}

Result<void> read_trigger(const Datum& row, Compaction& how) {
    how.trigger_turns.reset();
    for (const auto& [key, value] : *row.map()) {
        if (*key.text() == "turns")
            how.trigger_turns = PTC_TRY(count_of("turns", value));
        else if (*key.text() == "tokens")
            how.trigger_tokens = static_cast<std::int64_t>(PTC_TRY(count_of("tokens", value)));
        else
            return wrong("trigger", "made of `turns` and `tokens`");
    }
    return {};
}

/// true: the usual triggers. The names are the reference implementation's.
Result<void> read_compaction(const Reading& r) {
    r.options.compaction.reset();
    if (r.value == Datum(false) || r.value.is_nil()) return {};
    Compaction& how = r.options.compaction.emplace();
    if (r.value == Datum(true)) return {};
    if (!r.value.map()) return wrong(r.name, "true, false, or a map");
    for (const auto& [key, value] : *r.value.map()) {
        const std::string& name = *key.text();
        if (name == "keep_recent_turns")
            how.keep_recent_turns = PTC_TRY(count_of(name, value));
        else if (name != "trigger" || !value.map())
            return wrong(r.name, "made of `trigger` (a map of `turns` and `tokens`) and `keep_recent_turns`");
        else
            PTC_CHECK(read_trigger(value, how));
    }
    return {};
}

Result<void> read_effort(const Reading& r) {
    r.options.reasoning_effort = reasoning_effort_named(PTC_TRY(text_member(r.name, r.value)));
    if (!r.options.reasoning_effort) return wrong(r.name, "`none`, `minimal`, `low`, `medium`, `high` or `max`");
    return {};
}

Result<void> read_tool_choice(const Reading& r) {
    const auto choice = tool_choice_named(PTC_TRY(text_member(r.name, r.value)));
    if (!choice) return wrong(r.name, "`auto`, `none`, `required` or `tool:NAME`");
    r.options.tool_choice = *choice;
    return {};
}

Result<void> read_output(const Reading& r) {
    const auto output = output_named(PTC_TRY(text_member(r.name, r.value)));
    if (!output) return wrong(r.name, "`ptc_lisp` or `text`");
    r.options.output = *output;
    return {};
}

Result<void> read_transport(const Reading& r) {
    const auto transport = transport_named(PTC_TRY(text_member(r.name, r.value)));
    if (!transport) return wrong(r.name, "`content` or `tool_call`");
    r.options.transport = *transport;
    return {};
}

/// {"name"?, "at": point or points, "program": "(..)"} each.
Result<Guard> read_guard(const Datum& row, std::size_t number) {
    constexpr std::string_view kGuardMembers[] = {"name", "at", "program"};
    if (!row.map()) return wrong("guards", "a list of maps");
    PTC_CHECK(check_members(row, kGuardMembers, "a guard"));
    std::string name = PTC_TRY(text_or_none(row, "name"));
    if (name.empty()) name = "guard " + std::to_string(number);
    const Datum* at = row.find("at");
    std::vector<GuardPoint> points;
    const Datum::List one = {at ? *at : Datum()};
    for (const Datum& item : at && at->list() ? *at->list() : one) {
        const std::optional<GuardPoint> point = item.text() ? guard_point_named(*item.text()) : std::nullopt;
        if (!point) {
            std::string all;
            for (const GuardPoint each : guard_points())
                (all += all.empty() ? "" : ", ") += guard_point_name(each);
            return wrong("at", "one or several of " + all);
        }
        points.push_back(*point);
    }
    return program_guard(std::move(name), std::move(points), PTC_TRY(text_or_none(row, "program")));
}

Result<void> read_guards(const Reading& r) {
    if (!r.value.list()) return wrong(r.name, "a list of maps");
    for (const Datum& row : *r.value.list())
        r.options.guards.push_back(PTC_TRY(read_guard(row, r.options.guards.size() + 1)));
    return {};
}

/// An agent as a tool, and what goes over: "conversation", "context".
Result<void> read_handoffs(const Reading& r) {
    if (!r.value.map()) return wrong(r.name, "a map of names and agents");
    for (const auto& [name, row] : *r.value.map()) {
        if (!row.map()) return wrong(*name.text(), "a map, as each handoff is");
        Handoff handoff;
        Datum::Map tool;
        for (const auto& [key, value] : *row.map()) {
            bool* const part = *key.text() == "conversation" ? &handoff.conversation
                               : *key.text() == "context"    ? &handoff.context
                                                             : nullptr;
            if (part && !value.get_if<bool>()) return wrong(*key.text(), "true or false");
            if (part)
                *part = is_true(&value);
            else
                tool.emplace_back(key, value);
        }
        r.options.handoffs.push_back(PTC_TRY(read_tool(*name.text(), Datum(std::move(tool)), r.makers)));
        r.options.handoffs.back().handoff = handoff;
    }
    return {};
}

/// There is only one.
Result<void> read_reference(const Reading& r) {
    return PTC_TRY(text_member(r.name, r.value)) == "compact" ? Result<void>() : wrong(r.name, "`compact`");
}

struct MemberRow {
    std::string_view name;
    Result<void> (*read)(const Reading& r);
};

constexpr MemberRow kMembers[] = {
    {"prompt", read_text<&AgentOptions::prompt>},
    {"signature", read_text<&AgentOptions::signature>},
    {"description", read_text<&AgentOptions::description>},
    {"tools", read_tool_list},
    {"tool_catalog", read_tool_catalog},
    {"builtin_tools", read_builtin_tools},
    {"only_return_ends", read_flag<&AgentOptions::only_return_ends>},
    {"journaling", read_flag<&AgentOptions::journaling>},
    {"plan", read_plan},
    {"handoffs", read_handoffs},
    {"guards", read_guards},
    {"max_turns", read_count<&AgentOptions::max_turns>},
    {"retry_turns", read_count<&AgentOptions::retry_turns>},
    {"turn_budget", read_count<&AgentOptions::turn_budget>},
    {"timeout", read_count<&AgentOptions::timeout>},
    {"mission_timeout", read_count<&AgentOptions::mission_timeout>},
    {"max_depth", read_count<&AgentOptions::max_depth>},
    {"memory_limit", read_memory_limit},
    {"prompt_limit", [](const Reading& r) { return read_prompt_limit(r.value, r.options.prompt_limit); }},
    {"max_tool_calls", read_count<&AgentOptions::max_tool_calls>},
    {"tool_cache_limit", read_tool_cache_limit},
    {"max_cached_bytes", read_max_cached_bytes},
    {"max_consecutive_failures", read_count<&AgentOptions::max_consecutive_failures>},
    {"float_precision", read_count<&AgentOptions::float_precision>},
    {"max_cost_usd", read_max_cost},
    {"token_limit", read_count<&AgentOptions::token_limit>},
    {"compaction", read_compaction},
    {"llm_retry",
     [](const Reading& r) -> Result<void> {
         r.options.retry = PTC_TRY(read_retry(r.value, r.options.retry.base_delay));
         return {};
     }},
    {"llm_options", read_llm_options},
    {"reasoning_effort", read_effort},
    {"tool_choice", read_tool_choice},
    {"system_prompt",
     [](const Reading& r) -> Result<void> {
         r.options.system_prompt = PTC_TRY(read_system_prompt(r.value));
         return {};
     }},
    {"output", read_output},
    {"ptc_transport", read_transport},
    {"ptc_reference", read_reference},
};

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

Result<AgentOptions> read_agent(const Datum& row, const PartMakers& makers) {
    if (!row.map()) return wrong("agent", "a map");
    AgentOptions options;
    for (const auto& [key, value] : *row.map()) {
        const std::string& name = *key.text();
        const auto* member = std::ranges::find(kMembers, name, &MemberRow::name);
        if (member == std::end(kMembers)) {
            std::vector<std::string_view> known;
            std::ranges::transform(kMembers, std::back_inserter(known), &MemberRow::name);
            return Error(Reason::InvalidRequest, "There is no option `" + name + "` of an agent.")
                .with_hint(did_you_mean(suggest(name, known)));
        }
        PTC_CHECK(member->read({name, value, options, makers}));
    }
    return options;
}

} // namespace ptc
