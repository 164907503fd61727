// What a command line names, made into the parts of a mission: models (programs, scripts, providers), tools (programs
// and what they get of the environment), catalogues of prices, objects from files. Whatever is wrong is
// invalid_request, with the name of what was given.
#include "tools/agent/agent_parts.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/mcp/child_process.h"
#include "tools/agent/external.h"
#include "tools/agent/script.h"
#include "tools/batch.h"
#include "tools/members.h"
#include "tools/trace/event_text.h"
#include <algorithm>

namespace ptc {
namespace {

/// Replies as lines: texts, or objects.
Result<Datum::List> read_script(const std::string& path) {
    const std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    Datum::List replies;
    std::string_view rest = text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (is_blank_line(line)) continue;
        Result<Datum> reply = Datum::from_json(line);
        if (!reply.ok() || (!reply.value().text() && !reply.value().map()))
            return invalid_request(path + ":" + std::to_string(number) +
                                   ": a reply is a JSON text or object on a line.");
        const bool is_text = reply.value().text() != nullptr;
        replies.push_back(is_text ? Datum::object({{"text", std::move(reply).value()}}) : std::move(reply).value());
    }
    return replies;
}

std::string provider_list() {
    std::string out;
    for (const std::string_view name : provider_names())
        (out += out.empty() ? "" : ", ") += name;
    return out;
}

/// "env": variables that the tool's program gets besides the usual ones.
Result<std::vector<std::string>> names_in_env(const std::string& tool, const Datum& row) {
    std::vector<std::string> names;
    const Datum* env = row.find("env");
    if (!env) return names;
    const Error error = invalid_request("The `env` of the tool `" + tool + "` is no list of names of variables.");
    if (!env->list()) return error;
    for (const Datum& name : *env->list()) {
        if (!name.text()) return error;
        names.push_back(*name.text());
    }
    return names;
}

/// Of a row that mcp_tools.h made: the tool's function takes its place.
ContextToolFunction no_mcp_tool() {
    return [](const Datum&, const ToolContext&) -> Result<Datum> {
        return Error(Reason::ToolError, "Its MCP server is not named: give --mcp.");
    };
}

/// Of a tool that a store's workers wait for.
ContextToolFunction no_worker() {
    return [](const Datum&, const ToolContext&) -> Result<Datum> {
        return Error(Reason::ToolError, "It is answered from outside, which only missions of a store can wait for: "
                                        "`ptcc submit`.");
    };
}

Result<ContextToolFunction> make_tool(const std::string& name, const Datum& row, std::chrono::milliseconds timeout,
                                      const std::shared_ptr<ProgramPool>& pool) {
    if (const Datum* command = row.find("cmd")) {
        std::vector<std::string> environment = child_environment(PTC_TRY(names_in_env(name, row)));
        return external_tool(name, PTC_TRY(program_arguments(*command)), std::move(environment), timeout, pool);
    }
    if (row.find("do")) return without_context(scripted_tool(name, row));
    if (is_true(row.find("mcp"))) return no_mcp_tool();
    if (is_true(row.find("outside")) || row.find("mission")) return no_worker();
    return invalid_request("The tool `" + name + "` has no `cmd`, the program that answers its calls.");
}

} // namespace

Result<Datum> read_object(const std::string& path) {
    const std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    Result<Datum> json = Datum::from_json(text);
    if (!json.ok()) return invalid_request(path + ": " + json.error().message);
    if (!json.value().map()) return invalid_request(path + ": this is no JSON object.");
    return json;
}

PartMakers command_line_parts(std::chrono::milliseconds timeout, std::shared_ptr<ProgramPool> pool) {
    return {.tool = [timeout, pool = std::move(pool)](const std::string& name,
                                                      const Datum& row) { return make_tool(name, row, timeout, pool); },
            .model = [](const Datum::List& replies) { return scripted_llm(replies); }};
}

Result<ModelCatalog> read_catalog(const std::string& path) {
    if (path.empty()) return ModelCatalog::builtin();
    const std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    Result<ModelCatalog> catalog = ModelCatalog::from_json(text);
    if (!catalog.ok()) return invalid_request(path + ": " + catalog.error().message);
    return catalog;
}

Result<Llm> read_model(const std::string& spec, const ModelCatalog& catalog, std::size_t given,
                       std::shared_ptr<ProgramPool> pool) {
    if (spec.starts_with("script:")) {
        Datum::List replies = PTC_TRY(read_script(spec.substr(7)));
        replies.erase(replies.begin(), replies.begin() + static_cast<std::ptrdiff_t>(std::min(given, replies.size())));
        return scripted_llm(std::move(replies));
    }
    if (spec.starts_with("cmd:"))
        return external_llm(PTC_TRY(program_arguments(Datum(spec.substr(4)))), std::move(pool));
    if (catalog.is_spec(spec)) return catalog.llm(spec);
    return invalid_request("A model is PROVIDER:MODEL (" + provider_list() +
                           "), a NAME that is known or in the file of --models, cmd:PROGRAM or script:FILE, not `" +
                           spec + "`.");
}

void show_event(const MissionEvent& event, bool verbose, Console& console) {
    const Result<Datum> members = Datum::from_json(event_json(event));
    if (!members.ok()) return;
    console.err.write(
        event_text(members.value(), {.is_brief = !verbose, .color = console.err.has_color()}, event.depth));
    console.err.flush();
}

} // namespace ptc
