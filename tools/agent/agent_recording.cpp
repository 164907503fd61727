// The note of a recording, and the agent that a replay needs. The note has the agent's row without anything that could
// be called (commands, scripts), and a replay makes the same agent of it with models and tools that fail when called:
// the recording answers in their place. Nothing in a note is trusted.
#include "tools/agent/agent_recording.h"
#include "frontend/try.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/invalid_request.h"
#include "tools/agent/agent_parts.h"
#include "tools/members.h"
#include "tools/run_options.h"
#include <ptc/version.h>

namespace ptc {
namespace {

Datum without_commands(const Datum& agent);

/// How a tool is called is dropped; an agent as a tool has tools, too.
Datum tool_without_commands(const Datum& row) {
    if (!row.map()) return row;
    Datum::Map out;
    for (const auto& [key, value] : *row.map()) {
        const std::string_view name = *key.text();
        if (name == "cmd" || name == "do" || name == "env") continue;
        // A scripted model of its own: that it has one is all that counts.
        if (name == "llm" && value.list())
            out.emplace_back(key, Datum(Datum::List{}));
        else
            out.emplace_back(key, name == "agent" || name == "mission" || name == "llm_tool" ? without_commands(value)
                                                                                             : value);
    }
    return Datum(std::move(out));
}

Datum without_commands(const Datum& agent) {
    if (!agent.map()) return agent;
    Datum::Map out;
    for (const auto& [key, value] : *agent.map()) {
        const std::string& name = *key.text();
        const bool has_tools = (name == "tools" || name == "tool_catalog" || name == "handoffs") && value.map();
        if (!has_tools) {
            out.emplace_back(key, value);
            continue;
        }
        Datum::Map tools;
        for (const auto& [tool, row] : *value.map())
            tools.emplace_back(tool, tool_without_commands(row));
        out.emplace_back(key, Datum(std::move(tools)));
    }
    return Datum(std::move(out));
}

Datum preludes_as_data(const std::vector<PreludeSource>& preludes) {
    Datum::List out;
    for (const PreludeSource& prelude : preludes)
        out.push_back(Datum::object({{"name", prelude.file_name}, {"text", prelude.text}}));
    return Datum(std::move(out));
}

LlmResult silent_model(const LlmRequest&) { return LlmError{.kind = "replay", .message = "A replay calls no model."}; }

struct Parts {
    Datum row;
    std::vector<PreludeSource> preludes{};
    Limits limits;
    std::vector<std::shared_ptr<const DataSet>> data{};
    std::vector<Attachment> attachments{};
};

/// A replay has no clock, so what a file asks for must be something that ends.
Result<void> check_recorded_limits(const Limits& limits) {
    constexpr std::int64_t kMostFuel = 100'000'000'000;
    constexpr std::uint64_t kMostHeap = std::uint64_t{8} << 30;
    constexpr std::uint32_t kMostDepth = 10'000'000;
    const bool is_fine = limits.fuel <= kMostFuel && limits.heap_bytes <= kMostHeap && limits.max_depth <= kMostDepth;
    return is_fine ? Result<void>()
                   : invalid_request("The recording asks for more fuel, memory or depth than a replay gives.");
}

/// As `--data` gave them.
Result<std::vector<std::shared_ptr<const DataSet>>> recorded_data(const Datum& data) {
    std::vector<std::shared_ptr<const DataSet>> sets;
    if (!data.map()) return sets;
    for (const auto& [name, value] : *data.map())
        sets.push_back(PTC_TRY(DataSet::from_json(*name.text(), value.to_json())));
    return sets;
}

Result<Parts> recorded_parts(const Datum& note) {
    const Datum* row = note.find("agent");
    const Datum* limits = note.find("limits");
    const Datum* data = note.find("data");
    if (!note.find("ptcc") || !row || !limits || !data)
        return invalid_request(
            "The mission was not recorded by `ptcc agent`, so there must be an agent on the command line.");
    Parts parts{.row = *row, .limits = AgentArguments{}.limits};
    parts.data = PTC_TRY(recorded_data(*data));
    for (const Datum& one : items_of(note, "attachments"))
        parts.attachments.push_back(PTC_TRY(read_attachment(one)));
    PTC_CHECK(read_limits(*limits, &parts.limits));
    PTC_CHECK(check_recorded_limits(parts.limits));
    for (const Datum& prelude : items_of(note, "preludes"))
        parts.preludes.push_back({text_of(prelude, "name"), text_of(prelude, "text")});
    return parts;
}

Result<Parts> given_parts(const AgentArguments& arguments) {
    Parts parts{.row = PTC_TRY(agent_row(arguments)), .limits = arguments.limits};
    parts.preludes = PTC_TRY(load_preludes(arguments.preludes));
    parts.data = PTC_TRY(load_data(arguments.data));
    parts.attachments = PTC_TRY(read_attachments(arguments));
    return parts;
}

} // namespace

Result<Datum> recording_note(const AgentArguments& arguments, const Datum& row,
                             const std::vector<PreludeSource>& preludes, const MissionOptions& mission) {
    std::vector<std::string> models;
    for (const auto& [name, model] : mission.registry)
        models.push_back(name);
    Datum::List attachments;
    for (const Attachment& one : mission.attachments)
        attachments.push_back(PTC_TRY(Datum::from_json(attachment_json(one))));
    return Datum::object({{"ptcc", PTC_VERSION},
                          {"agent", without_commands(row)},
                          {"preludes", preludes_as_data(preludes)},
                          {"limits", limits_as_data(arguments.limits)},
                          {"models", Datum::texts(models)},
                          {"is_script", arguments.llm.starts_with("script:")},
                          {"tasks", mission.tasks},
                          {"done_steps", mission.done_steps},
                          {"attachments", Datum(std::move(attachments))},
                          {"data", PTC_TRY(load_data_map(arguments.data))}});
}

PartMakers silent_parts() {
    const auto refuse = [](const Datum&, const ToolContext&) -> Result<Datum> {
        return Error(Reason::ToolError, "A replay calls no tool.");
    };
    return {.tool = [refuse](const std::string&, const Datum&) { return Result<ContextToolFunction>(refuse); },
            .model = [](const Datum::List&) { return Llm(silent_model); }};
}

MissionOptions silent_mission(const Datum& note) {
    MissionOptions mission;
    mission.model = ModelRef(Llm(silent_model));
    for (const Datum& name : items_of(note, "models")) {
        if (name.text()) mission.registry[*name.text()] = silent_model;
    }
    if (is_true(note.find("is_script"))) mission.retry = script_retry();
    mission.tasks = note["tasks"];
    mission.done_steps = note["done_steps"];
    return mission;
}

Result<ReplayedAgent> replayed_agent(const Datum& note, const AgentArguments& arguments) {
    const bool is_given = !arguments.file.empty() || !arguments.prompt.empty();
    Parts parts = PTC_TRY(is_given ? given_parts(arguments) : recorded_parts(note));
    AgentOptions options =
        PTC_TRY(agent_options_of(parts.row, std::move(parts.preludes), parts.limits, silent_parts()));
    ReplayedAgent replayed;
    replayed.agent = PTC_TRY(Agent::create(std::move(options)));
    replayed.mission = silent_mission(note);
    replayed.mission.data = std::move(parts.data);
    replayed.mission.attachments = std::move(parts.attachments);
    return replayed;
}

} // namespace ptc
