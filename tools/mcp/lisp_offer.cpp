// What `ptcc mcp` offers, put together, and what all its calls share: tools that tell of their calls, and by what a
// program that waits finds out whether they are still the same.
#include "tools/mcp/lisp_offer.h"
#include "frontend/try.h"
#include "ptc/version.h"
#include "subagent/engine/tool_calls.h"
#include "subagent/mcp/digest.h"
#include "tools/mcp/lisp_parts.h"

namespace ptc::mcp {
namespace {

constexpr const char* kInstructions =
    "Programs in PTC-Lisp, a safe dialect of Clojure: lisp_eval runs one in a sandbox with exact limits. Write a small "
    "program instead of "
    "reading data row by row. The prompt `solve` and the resource ptc://language/card say how.";

/// What a server says of its tool; what was learnt of results stands behind it, and says nothing of what a call does.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Of what a program that waits needs to find again. Each part has its length in front, so that no two of them run into
/// each other.
std::string identity_of(const LispOptions& options) {
    std::string all;
    const auto add = [&all](const std::string& part) { all += std::to_string(part.size()) + ":" + part; };
    add(options.tools_digest);
    for (const Tool& tool : options.tools)
        add(tool.name), add(tool.signature), add(tool.approval ? "!" : "."), add(first_line(tool.description));
    add("preludes");
    for (const PreludeSource& prelude : options.preludes)
        add(prelude.text);
    add("data");
    for (const auto& set : options.data) {
        for (const std::string& name : set->names())
            add(name), add(set->digest(name));
    }
    return sha256(all).value_or("");
}

/// The tools of the engine: as they are, and who runs a program hears of their calls.
std::vector<Tool> watched(const std::vector<Tool>& tools) {
    std::vector<Tool> all = tools;
    for (Tool& tool : all) {
        if (!tool.is_callable()) continue;
        tool.context_function = [tool](const Datum& arguments, const ToolContext& given) {
            const RunStepsPtr* const steps = given.host<RunStepsPtr>();
            if (!steps) return call_tool(tool, arguments, given);
            ToolContext context = given;
            context.progress = [steps = *steps, name = tool.name](const Datum& state) {
                const std::string* message = state["message"].text();
                steps->step(message ? name + ": " + *message : name);
            };
            (*steps)->begin_tool();
            Result<Datum> answer = call_tool(tool, arguments, context);
            (*steps)->end_tool();
            (*steps)->called(tool.name);
            return answer;
        };
    }
    return all;
}

} // namespace

LispHost::LispHost(LispOptions given, std::shared_ptr<Seal> key, std::shared_ptr<LispSessions> known)
    : options(std::move(given)), seal(std::move(key)),
      engine({.tools = watched(options.tools), .limits = options.limits, .preludes = options.preludes}),
      sessions(std::move(known)), identity(identity_of(options)) {}

Result<std::shared_ptr<LispHost>> lisp_host(LispOptions options) {
    std::shared_ptr<Seal> seal = PTC_TRY(Seal::create(options.key_file, options.approval_lifetime));
    auto sessions =
        std::make_shared<LispSessions>(options.max_sessions, options.max_sessions_bytes, options.session_idle);
    auto host = std::make_shared<LispHost>(std::move(options), std::move(seal), std::move(sessions));
    if (!host->engine.problems().empty()) return host->engine.problems().front();
    return host;
}

Result<std::shared_ptr<LispHost>> with_tools(const LispHost& before, std::vector<Tool> tools) {
    LispOptions options = before.options;
    options.tools = std::move(tools);
    auto host = std::make_shared<LispHost>(std::move(options), before.seal, before.sessions);
    if (!host->engine.problems().empty()) return host->engine.problems().front();
    return host;
}

Offer lisp_offer(const std::shared_ptr<LispHost>& host) {
    const std::vector<DataText> data = described(host->options.data);
    Offer offer{.name = "ptcc", .title = "PTC-Lisp", .version = PTC_VERSION, .instructions = kInstructions};
    offer.tools = offered_tools(host, data);
    offer.resources = offered_resources(host, data);
    offer.templates = offered_templates(host);
    offer.prompts.push_back(solve_prompt(host, data));
    offer.complete = [host](Call& call) { return complete(*host, call); };
    return offer;
}

} // namespace ptc::mcp
