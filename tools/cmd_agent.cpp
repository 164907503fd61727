#include "tools/batch.h"
#include "tools/command.h"
#include "tools/event_text.h"
#include "tools/external.h"
#include "tools/json_writer.h"
#include "tools/row.h"
#include "tools/run_options.h"
#include "tools/scenario.h"
#include <CLI/CLI.hpp>
#include <cstring>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(The result goes to standard output as a line of JSON. Standard error tells the progress on a terminal, with --verbose
all programs and calls, and why a mission failed.

SPEC is cmd:PROGRAM, a program for the shell that reads requests and writes answers, one JSON object a line, or
script:FILE, whose lines are replies: JSON texts, or objects such as {"text": "..", "tokens": {"input": 9, "output": 2}}.
TOOLS.json is {"name": {"signature": "(id :int) -> :map", "description"?: "..", "cmd": "python3 tool.py"}, ..}; instead
of "cmd" a tool has "do": {"return": VALUE}, or it is an agent: "agent": {"prompt": "..", "signature": "..", ..}.
tools/README.md has the lines that programs read and write. --timeout-ms bounds a program with its tools, here [5000].

Exit codes: 0 returned; 1 failed; 2 wrong usage, or a file that cannot be read or written.

Examples:
  ptcc agent --prompt 'Which region earns most?' --signature '() -> {region :string}' \
      --data orders=orders.json --llm 'cmd:python3 model.py' --trace mission.jsonl
  ptcc agent --prompt 'Find {{name}}.' --data name=name.json --tools tools.json --llm script:replies.jsonl --verbose)";

struct Options {
    std::string file;
    std::string prompt;
    std::string signature;
    std::string tools;
    std::vector<std::string> data;
    std::string llm;
    std::vector<std::string> models;
    std::string output;
    std::optional<std::int64_t> max_turns;
    std::optional<std::int64_t> mission_timeout;
    std::string trace;
    bool verbose = false;
    bool step = false;
    Limits limits{.timeout = AgentOptions{}.timeout};
};

Error wrong(std::string message) { return {Reason::InvalidRequest, std::move(message)}; }

Result<Datum> read_object(const std::string& path) {
    const std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    Result<Datum> json = Datum::from_json(text);
    if (!json.ok()) return wrong(path + ": " + json.error().message);
    if (!json.value().map()) return wrong(path + ": this is no JSON object.");
    return json;
}

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
            return wrong(path + ":" + std::to_string(number) + ": a reply is a JSON text or object on a line.");
        const bool is_text = reply.value().text() != nullptr;
        replies.push_back(is_text ? Datum::object({{"text", std::move(reply).value()}}) : std::move(reply).value());
    }
    return replies;
}

Result<Llm> read_model(const std::string& spec, const std::shared_ptr<ScenarioLog>& log) {
    if (spec.starts_with("script:")) return scripted(PTC_TRY(read_script(spec.substr(7))), log);
    if (spec.starts_with("cmd:")) return external_llm(PTC_TRY(program_arguments(Datum(spec.substr(4)))));
    return wrong("A model is cmd:PROGRAM or script:FILE, not `" + spec + "`.");
}

Result<ToolFunction> make_tool(const std::string& name, const Datum& row, std::chrono::milliseconds timeout,
                               const std::shared_ptr<ScenarioLog>& log) {
    if (const Datum* command = row.find("cmd"))
        return external_tool(name, PTC_TRY(program_arguments(*command)), timeout);
    if (row.find("do")) return scripted_tool(name, row, log);
    return wrong("The tool `" + name + "` has no `cmd`, the program that answers its calls.");
}

/// The options of the agent: those of its file, and over them those of the command line.
Result<AgentOptions> read_options(const Options& given, const std::shared_ptr<ScenarioLog>& log) {
    Datum::Map row;
    if (!given.file.empty()) row = *PTC_TRY(read_object(given.file)).map();
    const auto set = [&row](const char* name, Datum value) {
        std::erase_if(row, [name](const auto& member) { return *member.first.text() == name; });
        row.emplace_back(Datum(name), std::move(value));
    };
    if (!given.prompt.empty()) set("prompt", Datum(given.prompt));
    if (!given.signature.empty()) set("signature", Datum(given.signature));
    if (!given.tools.empty()) set("tools", PTC_TRY(read_object(given.tools)));
    if (!given.output.empty()) set("output", Datum(given.output));
    if (given.max_turns) set("max_turns", Datum(*given.max_turns));
    if (given.mission_timeout) set("mission_timeout", Datum(*given.mission_timeout));
    AgentOptions options = PTC_TRY(read_agent(Datum(std::move(row)), log));
    options.limits = given.limits;
    if (given.file.empty() || given.limits.timeout != Options{}.limits.timeout) options.timeout = given.limits.timeout;
    return options;
}

Result<ModelRegistry> read_registry(const std::vector<std::string>& texts, const std::shared_ptr<ScenarioLog>& log) {
    ModelRegistry registry;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos) return wrong("--model takes NAME=SPEC, not `" + text + "`.");
        registry[text.substr(0, equals)] = PTC_TRY(read_model(text.substr(equals + 1), log));
    }
    return registry;
}

/// Everything that happened as one object, for programs.
std::string step_json(const Step& step) {
    JsonObject out;
    out.boolean("ok", step.ok);
    if (step.ok) out.raw("return", step.value.to_json());
    if (step.fail)
        out.raw("fail", JsonObject()
                            .text("reason", step.fail->reason)
                            .text("message", step.fail->message)
                            .text_or_null("op", step.fail->op.value_or(""))
                            .raw("details", step.fail->details.to_json())
                            .finish());
    const MissionUsage& usage = step.usage;
    out.raw("memory", step.memory.to_json()).text("signature", step.signature);
    out.raw("usage", JsonObject()
                         .number("turns", static_cast<std::int64_t>(usage.turns))
                         .number("llm_calls", static_cast<std::int64_t>(usage.llm_calls))
                         .number("tool_calls", static_cast<std::int64_t>(usage.tool_calls))
                         .number("input_tokens", usage.tokens.input)
                         .number("output_tokens", usage.tokens.output)
                         .raw("cost_usd", Datum(usage.tokens.cost_usd).to_json())
                         .number("fuel", usage.fuel)
                         .number("peak_heap_bytes", static_cast<std::int64_t>(usage.peak_heap_bytes))
                         .number("duration_us", usage.duration.count())
                         .finish());
    return out.finish();
}

/// What people see of a mission while it runs.
void show(const MissionEvent& event, bool verbose, Console& console) {
    if (!verbose && !console.err.is_terminal()) return;
    const Result<Datum> members = Datum::from_json(event_json(event));
    if (!members.ok()) return;
    console.err.write(
        event_text(members.value(), {.is_brief = !verbose, .color = console.err.has_color()}, event.depth));
    console.err.flush();
}

int report(const Step& step, const Options& options, Console& console) {
    if (options.step)
        console.out.line(step_json(step));
    else if (step.ok)
        console.out.line(step.value.to_json());
    // Those who watch have read it already.
    if (!step.ok && !options.step && !options.verbose && !console.err.is_terminal())
        console.message("ptcc: " + step.fail->reason + ": " + step.fail->message + "\n");
    return step.ok ? kSuccess : kFailed;
}

int run(const Options& options, Console& console) {
    const auto log = std::make_shared<ScenarioLog>();
    log->make_tool = [&options, calls = std::make_shared<ScenarioLog>()](const std::string& name, const Datum& row) {
        return make_tool(name, row, options.limits.timeout, calls);
    };
    MissionOptions mission;
    Result<AgentOptions> agent_options = read_options(options, log);
    if (!agent_options.ok()) return console.usage_error(agent_options.error());
    const Result<AgentPtr> agent = Agent::create(std::move(agent_options).value());
    if (!agent.ok()) return console.usage_error(agent.error());
    Result<Llm> model = read_model(options.llm, log);
    if (!model.ok()) return console.usage_error(model.error());
    mission.model = ModelRef(std::move(model).value());
    Result<ModelRegistry> registry = read_registry(options.models, log);
    if (!registry.ok()) return console.usage_error(registry.error());
    mission.registry = std::move(registry).value();
    Result<Datum> context = load_data_map(options.data);
    if (!context.ok()) return console.usage_error(context.error());
    mission.context = std::move(context).value();
    if (options.llm.starts_with("script:")) mission.retry = RetryPolicy{.base_delay = std::chrono::milliseconds(1)};
    std::shared_ptr<TraceFile> trace;
    if (!options.trace.empty()) {
        Result<std::shared_ptr<TraceFile>> file = TraceFile::create(options.trace);
        if (!file.ok()) return console.usage_error(file.error());
        trace = std::move(file).value();
    }
    mission.on_event = [&](const MissionEvent& event) {
        if (trace) trace->write(event);
        show(event, options.verbose, console);
    };
    const int code = report(agent.value()->run(std::move(mission)), options, console);
    if (trace && trace->error_number() != 0)
        return console.usage_error("Cannot write the trace: " + std::string(std::strerror(trace->error_number())) +
                                   ".");
    return code;
}

} // namespace

Command agent_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("agent", "Runs a mission: a model writes programs until one returns.");
    command->footer(kFooter);
    const auto options = std::make_shared<Options>();
    command->add_option("--prompt", options->prompt, "What is to be done; {{name}} stands for data/name");
    command->add_option("--signature", options->signature,
                        "What must come of it, e.g. '() -> {total :float}' [any value]");
    command->add_option("--tools", options->tools, "What programs may call")->type_name("TOOLS.json");
    add_data_option(*command, &options->data);
    command->add_option("--llm", options->llm, "The model")->type_name("SPEC")->required();
    command->add_option("--model", options->models, "Models that tools name; can be repeated")
        ->type_name("NAME=SPEC")
        ->allow_extra_args(false);
    command->add_option("--agent", options->file, "An object of options: prompt, signature, tools, max_turns, ..")
        ->type_name("FILE.json");
    command->add_option("--output", options->output, "ptc_lisp or text [ptc_lisp]");
    command->add_option("--max-turns", options->max_turns, "Turns of the model [5]")->check(CLI::Range(1, 1'000'000));
    command->add_option("--mission-timeout-ms", options->mission_timeout, "Time of the whole mission [60000]")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}));
    command->add_option("--trace", options->trace, "Writes all that happens, as it happens; `ptcc trace` shows it")
        ->type_name("FILE");
    command->add_flag("--verbose", options->verbose, "Tells programs, calls and results on standard error");
    command->add_flag("--step", options->step,
                      R"(Prints {"ok", "return" or "fail", "memory", "signature", "usage"}, of failures too)");
    add_limit_options(*command, &options->limits);
    return {command, [options](Console& console) { return run(*options, console); }};
}

} // namespace ptc
