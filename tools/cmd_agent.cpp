#include "tools/agent_parts.h"
#include "tools/command.h"
#include "tools/json_writer.h"
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
    std::vector<std::string> preludes;
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
    options.preludes = PTC_TRY(load_preludes(given.preludes));
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
    const auto log = agent_log(options.limits.timeout);
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
        if (options.verbose || console.err.is_terminal()) show_event(event, options.verbose, console);
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
    add_prelude_option(*command, &options->preludes);
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
