// Runs a scenario: its agent is read by the reader that production uses, its model and tools are scripts whose calls
// are written into the log, and its clock moves only when somebody sleeps, so that a scenario takes no time and always
// goes the same way.
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "tools/agent/agent_options.h"
#include "tools/members.h"
#include "tools/tagged_json.h"
#include "tools/testing/scenario.h"

namespace ptc {
namespace {

Error wrong(const std::string& message) { return Error(Reason::InvalidRequest, message); }

MissionClock clock_of(const std::shared_ptr<ScenarioLog>& log) {
    MissionClock clock;
    clock.now = [log] { return std::chrono::milliseconds(log->millis.load()); };
    clock.sleep = [log](std::chrono::milliseconds delay) { log->millis.fetch_add(delay.count()); };
    clock.random = [] { return 1.0; };
    return clock;
}

/// Tools and models do what their rows say; the order of the calls is part of what is expected.
PartMakers scripted_parts(const std::shared_ptr<ScenarioLog>& log) {
    return {.tool = [log](const std::string& name, const Datum& row) -> Result<ContextToolFunction> {
                return without_context(scripted_tool(name, row, watcher_of(log)));
            },
            .model = [log](const Datum::List& replies) { return scripted_llm(replies, watcher_of(log)); },
            .one_tool_at_a_time = true};
}

/// The options of a stage's call.
Result<MissionOptions> read_run(const Datum& run, const Llm& script, const std::shared_ptr<ScenarioLog>& log) {
    MissionOptions options;
    options.model = ModelRef(script);
    options.clock = clock_of(log);
    options.on_event = [log](const MissionEvent& event) {
        const std::scoped_lock lock(log->mutex);
        log->events.push_back(event);
    };
    if (const Datum* context = run.find("context")) options.context = PTC_TRY(untag(*context));
    options.context_signature = text_of(run, "context_signature");
    if (const Datum* tasks = run.find("journal")) options.tasks = PTC_TRY(untag(*tasks));
    if (const Datum* mode = run.find("signature_validation")) {
        options.validation = mode->text() ? validation_mode(*mode->text()) : std::nullopt;
        if (!options.validation) return wrong("`signature_validation` is unknown.");
    }
    if (const Datum* retry = run.find("llm_retry"))
        options.retry = PTC_TRY(read_retry(*retry, std::chrono::milliseconds(1)));
    if (const Datum* registry = run.find("registry"); registry && registry->map()) {
        for (const auto& [name, replies] : *registry->map())
            options.registry[*name.text()] =
                scripted_llm(replies.list() ? *replies.list() : Datum::List(), watcher_of(log));
    }
    const std::string model = text_of(run, "model");
    if (model == "$none")
        options.model = ModelRef();
    else if (!model.empty())
        options.model = ModelRef(model);
    return options;
}

Step refused(const Error& error) {
    Step step;
    step.fail = Fail{.reason = std::string(reason_name(error.reason)), .message = error.message};
    step.memory = Datum(Datum::Map());
    return step;
}

Step run_chat(AgentPtr agent, MissionOptions options, const Datum::List& messages) {
    Chat chat(std::move(agent), std::move(options));
    Step step;
    for (const Datum& message : messages)
        step = chat.say(message.text() ? *message.text() : "");
    return step;
}

/// One agent and its call.
Result<Step> run_stage(const Datum& stage, const Llm& script, const std::shared_ptr<ScenarioLog>& log,
                       const Step* previous) {
    static const Datum kNothing(Datum::Map{});
    const Datum* row = stage.find("agent");
    if (!row) return wrong("A stage has an `agent`.");
    const Datum* given = stage.find("run");
    const Datum& run = given ? *given : kNothing;
    Result<AgentOptions> options = read_agent(*row, scripted_parts(log));
    if (!options.ok()) return refused(options.error());
    std::int64_t tokens = 0;
    if (const Datum* limit = run.find("token_limit"); limit && limit->to_int64(&tokens))
        options.value().token_limit = tokens;
    const Result<AgentPtr> agent = Agent::create(std::move(options).value());
    if (!agent.ok()) return refused(agent.error());
    MissionOptions mission = PTC_TRY(read_run(run, script, log));
    if (is_true(stage.find("context_from_previous")) && previous) mission.previous = *previous;
    if (is_true(run.find("dry_run"))) return agent.value()->validate(mission);
    if (run.find("chat")) {
        const Datum::List& messages = items_of(run, "chat");
        if (messages.empty()) return wrong("`chat` is a list of at least one message.");
        return run_chat(agent.value(), std::move(mission), messages);
    }
    return agent.value()->run(std::move(mission));
}

} // namespace

ScriptWatcher watcher_of(const std::shared_ptr<ScenarioLog>& log) {
    return {.on_request =
                [log](const LlmRequest& request) {
                    const std::scoped_lock lock(log->mutex);
                    log->requests.push_back(request);
                },
            .on_past_end =
                [log] {
                    const std::scoped_lock lock(log->mutex);
                    log->is_past_end = true;
                },
            .on_tool_call =
                [log](const std::string& name, const Datum& arguments) {
                    const std::scoped_lock lock(log->mutex);
                    log->tool_calls.push_back({name, arguments});
                },
            .on_delay = [log](std::int64_t millis) { log->millis.fetch_add(millis); }};
}

std::string_view ScenarioRun::status() const {
    if (step.ok) return "ok";
    return step.fail->reason == reason_name(MissionReason::InvalidRequest) ? "invalid" : "error";
}

Result<ScenarioRun> run_scenario(const Datum& row) {
    ScenarioRun run;
    const Llm script = scripted_llm(items_of(row, "llm"), watcher_of(run.log));
    const Datum::List& stages = items_of(row, "stages");
    if (stages.empty()) {
        run.step = PTC_TRY(run_stage(row, script, run.log, nullptr));
    } else {
        std::optional<Step> previous;
        for (const Datum& stage : stages)
            previous = PTC_TRY(run_stage(stage, script, run.log, previous ? &*previous : nullptr));
        run.step = std::move(*previous);
    }
    run.llm_calls = run.log->requests.size();
    return run;
}

std::string scenario_row_difference(const Datum& row) {
    const Result<ScenarioRun> run = run_scenario(row);
    if (!run.ok()) return run.error().message;
    const Datum* expect = row.find("expect");
    return expect ? scenario_difference(*expect, run.value()) : "the row has no `expect`";
}

ScenarioLine scenario_line(const Datum& row) {
    JsonObject out;
    const Datum* id = row.find("id");
    out.raw("id", id ? id->to_json() : "null");
    const Result<ScenarioRun> run = run_scenario(row);
    if (!run.ok()) return {false, out.boolean("ok", false).text("why", run.error().message).finish()};
    const Step& step = run.value().step;
    const Datum* expect = row.find("expect");
    const std::string why = expect ? scenario_difference(*expect, run.value()) : "";
    out.boolean("ok", why.empty()).text("why", why).text("status", run.value().status());
    if (step.ok) out.raw("return", tagged_json(step.value));
    if (step.fail)
        out.raw("fail", JsonObject()
                            .text("reason", step.fail->reason)
                            .text("message", step.fail->message)
                            .text_or_null("op", step.fail->op.value_or(""))
                            .raw("details", tagged_json(step.fail->details))
                            .finish());
    out.number("turns", static_cast<std::int64_t>(step.trace.size()));
    out.number("llm_calls", static_cast<std::int64_t>(run.value().llm_calls));
    out.raw("tool_calls", json_array(run.value().log->tool_calls, [](const SeenCall& call) {
                return JsonObject().text("name", call.name).raw("args", tagged_json(call.arguments)).finish();
            }));
    out.raw("memory", tagged_json(step.memory));
    out.raw("trace", json_array(step.trace, [](const Turn& turn) {
                return JsonObject()
                    .text_or_null("program", turn.program.value_or(""))
                    .boolean("ok", turn.ok)
                    .text("result", turn.result)
                    .text("reason", turn.reason)
                    .text("message", turn.message)
                    .finish();
            }));
    return {why.empty(), out.finish()};
}

} // namespace ptc
