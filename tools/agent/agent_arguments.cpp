#include "tools/agent/agent_arguments.h"
#include "tools/run_options.h"

namespace ptc {
namespace {

/// Its members, in the order of the command's options; the text ones.
template <class Arguments, class Visit> void for_each_text(Arguments& arguments, Visit visit) {
    visit("agent", arguments.file);
    visit("prompt", arguments.prompt);
    visit("signature", arguments.signature);
    visit("tools", arguments.tools);
    visit("mcp", arguments.mcp);
    visit("llm", arguments.llm);
    visit("catalog", arguments.catalog);
    visit("output", arguments.output);
    visit("transport", arguments.transport);
    visit("reasoning_effort", arguments.effort);
    visit("tool_choice", arguments.tool_choice);
    visit("max_cost_usd", arguments.max_cost_usd);
    visit("journal", arguments.journal);
}

/// The numbers that may be absent.
template <class Arguments, class Visit> void for_each_count(Arguments& arguments, Visit visit) {
    visit("max_turns", arguments.max_turns);
    visit("mission_timeout", arguments.mission_timeout);
    visit("retry_turns", arguments.retry_turns);
    visit("turn_budget", arguments.turn_budget);
    visit("token_limit", arguments.token_limit);
    visit("compact_turns", arguments.compact_turns);
    visit("compact_tokens", arguments.compact_tokens);
    visit("keep_turns", arguments.keep_turns);
}

std::vector<std::string> texts_of(const Datum& row, std::string_view name) {
    std::vector<std::string> texts;
    const Datum* found = row.find(name);
    if (!found || !found->list()) return texts;
    for (const Datum& item : *found->list()) {
        if (item.text()) texts.push_back(*item.text());
    }
    return texts;
}

std::optional<std::int64_t> integer_of(const Datum& row, std::string_view name) {
    std::int64_t value = 0;
    const Datum* found = row.find(name);
    return found && found->to_int64(&value) ? std::optional(value) : std::nullopt;
}

} // namespace

std::string write_note(const AgentArguments& arguments) {
    std::vector<std::pair<std::string, Datum>> members;
    for_each_text(arguments, [&](const char* name, const std::string& text) {
        if (!text.empty()) members.emplace_back(name, text);
    });
    members.emplace_back("preludes", Datum::texts(arguments.preludes));
    members.emplace_back("models", Datum::texts(arguments.models));
    if (!arguments.fallbacks.empty()) members.emplace_back("fallbacks", Datum::texts(arguments.fallbacks));
    members.emplace_back("data", Datum::texts(arguments.data));
    for_each_count(arguments, [&](const char* name, const std::optional<std::int64_t>& count) {
        if (count) members.emplace_back(name, *count);
    });
    members.emplace_back("limits", limits_as_data(arguments.limits));
    return Datum::object(std::move(members)).to_json();
}

Result<void> read_note(std::string_view note, AgentArguments& arguments) {
    const Result<Datum> row = Datum::from_json(note);
    if (!row.ok() || !row.value().map())
        return Error(Reason::InvalidRequest, "The mission was not begun by `ptcc agent`.");
    const std::string llm = arguments.llm;
    const std::string catalog = arguments.catalog;
    const std::vector<std::string> models = arguments.models;
    for_each_text(arguments, [&](const char* name, std::string& text) {
        const Datum* found = row.value().find(name);
        text = found && found->text() ? *found->text() : "";
    });
    arguments.preludes = texts_of(row.value(), "preludes");
    if (arguments.data.empty()) arguments.data = texts_of(row.value(), "data");
    if (arguments.fallbacks.empty()) arguments.fallbacks = texts_of(row.value(), "fallbacks");
    arguments.models = models.empty() ? texts_of(row.value(), "models") : models;
    if (!llm.empty()) arguments.llm = llm;
    if (!catalog.empty()) arguments.catalog = catalog;
    for_each_count(arguments, [&](const char* name, std::optional<std::int64_t>& count) {
        count = integer_of(row.value(), name);
    });
    const Datum* limits = row.value().find("limits");
    return limits ? read_limits(*limits, &arguments.limits) : Result<void>();
}

} // namespace ptc
