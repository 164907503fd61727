// `ptcc agent`: plans a mission (a new one, one from a checkpoint, or a replay), runs it, shows its events while it
// runs and its result at the end. All that can be wrong with the usage is found while planning, before a model is
// called.
#include "frontend/json_writer.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/self_test.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/agent_recording.h"
#include "tools/agent/agent_setup.h"
#include "tools/agent/approval_prompt.h"
#include "tools/agent/journal_file.h"
#include "tools/agent/mcp_tools.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/run_options.h"
#include <algorithm>
#include <cstring>
#include <ptc/checkpoint.h>
#include <ptc/recording.h>
#include <ptc/telemetry.h>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(The result goes to standard output as a line of JSON. Standard error shows the progress on a terminal, with --verbose
all programs and calls, and why a mission failed.

SPEC is a model: openai:MODEL, anthropic:MODEL, gemini:MODEL, openrouter:MODEL or ollama:MODEL, or a NAME (or model:NAME)
of tools/README.md or of the file of --models; cmd:PROGRAM, a program for the shell that reads requests and writes answers,
one JSON object a line; or script:FILE, whose lines are replies: JSON texts, or objects such as {"text": "..", "tokens":
{"input": 9, "output": 2}}. Keys come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY,
OPENROUTER_API_KEY; this machine's servers need none), as do other addresses: OPENAI_BASE_URL=http://127.0.0.1:8000/v1 for
vLLM or llama.cpp, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OPENROUTER_BASE_URL, OLLAMA_BASE_URL.
TOOLS.json is {"name": {"signature": "(id :int) -> :map", "description"?: "..", "cmd": "python3 tool.py"}, ..}; instead
of "cmd" a tool has "do": {"return": VALUE}, or it is an agent: "agent": {"prompt": "..", "signature": "..", ..}.
tools/README.md has the lines that programs read and write. --timeout-ms bounds a program with its tools.

--checkpoint FILE writes the mission to a SQLite file as it goes. Killed at any time, `ptcc agent --resume FILE` goes on with it:
no call whose answer was written is made again, and one that was cut off is made with the same "key" (tools/README.md). So it
does when the model could not be called (a wrong key, no network). It reads the files of --data again, which must be the same.

A tool with "approval": true in TOOLS.json is called when somebody approves it, while its program stands still: answer y, n and
a reason, or other arguments as a JSON object. With a checkpoint, `later` (or the end of the input) ends ptcc with
approval_pending, and --resume asks again. --approve never denies each call, and is what holds without a terminal.

--record FILE keeps the mission with all that models and tools said, firewalled values, too, in a file for its owner only.
`ptcc agent --replay FILE` gives the same result for the same fuel, and needs nothing but the file. With --prompt or --agent
it replays the agent of the command line, and says at which call that one goes another way.

SIGINT (Ctrl-C) and SIGTERM end the mission as `interrupted`, with its trace and its programs, and then ptcc (with --record
behind the program that runs); a second one ends ptcc at once.

--journal FILE.json makes (task "charge-order-42" (tool/charge ..)) a thing that is done once: what it came to is in the file, for
the next mission with it, and so is what you write into it by hand. It is there before the next call is made, so also when ptcc is
killed; two missions at once cannot have the same file. A file of --agent has "journaling": true and "plan": [..].

Exit codes: 0 returned; 1 failed, or a replay that is another mission; 2 wrong usage, or a file that cannot be read or written.

Examples:
  OPENAI_API_KEY=.. ptcc agent --prompt 'Which customer owes most?' --data orders=orders.json --llm openai:gpt-6-sol --stream
  ptcc agent --prompt 'Which region earns most?' --signature '() -> {region :string}' \
      --data orders=orders.json --llm 'cmd:python3 model.py' --trace mission.jsonl
  ptcc agent --prompt 'Find {{name}}.' --data name=name.json --tools tools.json --llm script:replies.jsonl --verbose
  ptcc agent --resume mission.db --verbose)";

using Options = AgentArguments;

/// `search: limit: coerced string "10" to int` each.
std::string warnings_json(const BoundaryWarnings& warnings) {
    std::vector<std::string> lines;
    for (const BoundaryWarning& warning : warnings.all)
        lines.push_back(warning.what + ": " + warning.text +
                        (warning.times > 1 ? " (" + std::to_string(warning.times) + " times)" : ""));
    if (warnings.more > 0) lines.push_back("and " + std::to_string(warnings.more) + " more");
    return Datum::texts(lines).to_json();
}

std::string journal_json(const std::vector<JournalLine>& journal) {
    return json_array(journal, [](const JournalLine& line) {
        return JsonObject().number("turn", static_cast<std::int64_t>(line.turn)).text("text", line.text).finish();
    });
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
                         .number("cache_read_tokens", usage.tokens.cache_read)
                         .number("cache_creation_tokens", usage.tokens.cache_creation)
                         .raw("cost_usd", Datum(usage.tokens.cost_usd).to_json())
                         .number("fuel", usage.fuel)
                         .number("peak_heap_bytes", static_cast<std::int64_t>(usage.peak_heap_bytes))
                         .number("duration_us", usage.duration.count())
                         .finish());
    if (!step.journal.empty()) out.raw("journal", journal_json(step.journal));
    if (!step.tasks.is_nil()) out.raw("tasks", step.tasks.to_json());
    if (!step.done_steps.is_nil()) out.raw("done_steps", step.done_steps.to_json());
    if (step.handed_over) out.raw("handed_over", json_array(step.handed_over->path, json_string));
    if (!step.warnings.empty()) out.raw("warnings", warnings_json(step.warnings));
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

/// The file of --checkpoint or --resume, and what it knows of the mission; of --resume the command line that it began
/// with.
Result<std::shared_ptr<CheckpointFile>> open_checkpoint(Options& options, GivenReplies& given) {
    const bool is_resumed = !options.resume.empty();
    const std::string& path = is_resumed ? options.resume : options.checkpoint;
    // A mistyped name would make a file.
    if (is_resumed && !is_there(path)) return invalid_request("There is no file " + path + ".");
    std::shared_ptr<CheckpointFile> file = PTC_TRY(CheckpointFile::open(path));
    for (const CheckpointedCall& call : PTC_TRY(file->calls(options.mission)))
        given[call.name] += call.kind == CheckpointedCall::Kind::ModelCall && call.is_answered;
    if (!is_resumed) return file;
    const std::vector<CheckpointedMission> missions = PTC_TRY(file->missions());
    const auto found = std::ranges::find(missions, options.mission, &CheckpointedMission::id);
    if (found == missions.end()) return invalid_request(path + " has no mission `" + options.mission + "`.");
    PTC_CHECK(read_note(found->note, options));
    if (found->is_done) options.data.clear(); // nothing reads them any more
    return file;
}

/// All that runs a mission.
struct Plan {
    std::shared_ptr<McpClient> upstream{}; ///< servers of --mcp
    AgentPtr agent;
    MissionOptions mission;
    std::shared_ptr<CheckpointFile> checkpoint{};
    std::shared_ptr<JournalFile> journal{};
    std::shared_ptr<const Recording> recording{}; ///< to be replayed
    Datum note{};                                 ///< of the recording to be made
};

Result<Plan> plan_replay(const Options& options) {
    const std::shared_ptr<const Recording> recording = PTC_TRY(Recording::open(options.replay));
    ReplayedAgent replayed = PTC_TRY(replayed_agent(recording->note(), options));
    return Plan{.agent = std::move(replayed.agent), .mission = std::move(replayed.mission), .recording = recording};
}

std::vector<Tool> fed_tools_of(const Agent& agent) {
    std::vector<Tool> fed;
    for (const AgentTool& tool : agent.options().tools) {
        if (tool.is_fed) fed.push_back(tool.tool);
    }
    return fed;
}

/// Its file is the mission's from here on.
Result<void> open_journal(const std::string& path, Plan& plan) {
    if (path.empty()) return {};
    plan.journal = PTC_TRY(JournalFile::open(path));
    plan.mission.tasks = plan.journal->tasks();
    plan.mission.done_steps = plan.journal->done_steps();
    plan.mission.on_journal = [journal = plan.journal](const JournalChange& change) { return journal->change(change); };
    return {};
}

Result<Plan> plan_mission(Options& options, Console& console) {
    if (!options.replay.empty()) return plan_replay(options);
    if (options.llm.empty() && options.resume.empty()) return invalid_request("--llm is required.");
    GivenReplies given;
    Plan plan;
    if (!options.checkpoint.empty() || !options.resume.empty())
        plan.checkpoint = PTC_TRY(open_checkpoint(options, given));
    const PartMakers makers = command_line_parts(options.limits.timeout);
    // One that is resumed may wait for the tool of any server.
    const bool is_new = options.resume.empty();
    plan.upstream = PTC_TRY(connect_mcp(
        options.mcp, console,
        {.approve = options.approve, .asks = true, .follows = true, .waits_shortly = is_new, .needs_tools = is_new}));
    const std::vector<Tool> upstream_tools = plan.upstream ? plan.upstream->tools() : std::vector<Tool>();
    const Datum row = PTC_TRY(with_mcp_tools(PTC_TRY(agent_row(options)), upstream_tools));
    const std::vector<PreludeSource> preludes = PTC_TRY(load_preludes(options.preludes));
    AgentOptions agent = PTC_TRY(agent_options_of(row, preludes, options.limits, makers));
    feed_mcp_tools(agent, plan.upstream);
    plan.agent = PTC_TRY(Agent::create(std::move(agent)));
    PTC_CHECK(check_prices(options, plan.agent->options()));
    plan.mission = PTC_TRY(read_mission_options(options, given));
    plan.mission.attachments = PTC_TRY(read_attachments(options));
    PTC_CHECK(open_journal(options.journal, plan));
    if (options.record.empty()) return plan;
    // As the agent was made: servers may have changed their tools since they were asked for the row.
    const Datum made = plan.upstream ? with_mcp_rows(row, fed_tools_of(*plan.agent)) : row;
    plan.note = PTC_TRY(recording_note(options, made, preludes, plan.mission));
    return plan;
}

/// What was given up because of a signal is to be done by who resumes it.
bool is_interrupted(const Step& step) { return step.fail && cause_of(step.fail->reason) == FailCause::Host; }

bool is_uncalled(const Step& step) { return step.fail && cause_of(step.fail->reason) == FailCause::Model; }

/// A new mission in both files: the recording has it from its start.
Result<Step> record_checkpointed(Plan plan, const Options& options) {
    CheckpointFile& file = *plan.checkpoint;
    const std::string& id = options.mission;
    const std::vector<CheckpointedMission> known = PTC_TRY(file.missions());
    if (std::ranges::find(known, id, &CheckpointedMission::id) != known.end())
        return invalid_request("The mission `" + id + "` was begun before: --record keeps a mission from its start.");
    const std::string note = write_note(options);
    MissionKeeper keeper;
    keeper.before_calls = [&](const Mission& mission, const Needs& needs) {
        const bool is_to_go_on = mission.is_done() && (is_interrupted(mission.step()) || is_uncalled(mission.step()));
        return is_to_go_on ? Result<void>() : file.save(id, mission, needs, note);
    };
    // A call that failed is made again by who goes on.
    keeper.on_reply = [&](const LlmNeed& need, const LlmResult& result) {
        return std::holds_alternative<LlmError>(result) ? Result<void>() : file.record(id, need, result);
    };
    keeper.on_answer = [&](const ToolNeed& need, const ToolAnswer& answer) {
        const bool is_given_up = std::holds_alternative<Error>(answer) && EndSignals::came();
        return is_given_up ? Result<void>() : file.record(id, need, answer);
    };
    keeper.on_approval = [&](const ApprovalNeed& need, const ApprovalAnswer& answer) {
        return EndSignals::came() ? Result<void>() : file.record(id, need, answer);
    };
    plan.mission.id = id;
    return record_mission(plan.agent, std::move(plan.mission), options.record, plan.note, keeper);
}

Result<Step> carry_out(Plan plan, const Options& options) {
    if (plan.recording) return plan.recording->replay(plan.agent, std::move(plan.mission));
    if (plan.checkpoint && !options.record.empty()) return record_checkpointed(std::move(plan), options);
    if (plan.checkpoint)
        return plan.checkpoint->run(plan.agent, options.mission, std::move(plan.mission), write_note(options));
    if (!options.record.empty()) return record_mission(plan.agent, std::move(plan.mission), options.record, plan.note);
    return plan.agent->run(std::move(plan.mission));
}

/// The model of --llm as the conventions of OpenTelemetry name it.
MissionTelemetry telemetry_of(const Options& options) {
    const std::size_t colon = options.llm.find(':');
    if (colon == std::string::npos) return {.id = {}, .provider = {}, .model = options.llm};
    const std::string provider = options.llm.substr(0, colon);
    if (provider == "cmd" || provider == "script" || provider == "model") return {};
    return {
        .id = {}, .provider = provider == "gemini" ? "gcp.gemini" : provider, .model = options.llm.substr(colon + 1)};
}

Result<std::shared_ptr<Telemetry>> open_telemetry(const Options& options) {
    if (options.telemetry.empty() && options.telemetry_content)
        return invalid_request("--telemetry-content needs --telemetry URL.");
    if (options.telemetry.empty()) return std::shared_ptr<Telemetry>();
    TelemetryOptions made;
    made.endpoint = options.telemetry;
    made.has_content = options.telemetry_content;
    made.timeout = std::chrono::seconds(3); // the result is there: nobody waits long for a collector
    return Telemetry::create(std::move(made));
}

int run(Options options, Console& console) {
    if (const Result<void> tested = self_test(); !tested.ok()) return console.usage_error(tested.error());
    Result<Plan> planned = plan_mission(options, console);
    if (!planned.ok()) return console.usage_error(planned.error());
    Plan plan = std::move(planned).value();
    std::shared_ptr<TraceFile> trace;
    if (!options.trace.empty()) {
        Result<std::shared_ptr<TraceFile>> file = TraceFile::create(options.trace);
        if (!file.ok()) return console.usage_error(file.error());
        trace = std::move(file).value();
    }
    if (options.stream)
        plan.mission.on_text = [&console](std::string_view text) {
            console.err.write(text);
            console.err.flush();
        };
    const Result<std::shared_ptr<Telemetry>> telemetry = open_telemetry(options);
    if (!telemetry.ok()) return console.usage_error(telemetry.error());
    const auto measure = telemetry.value() ? telemetry.value()->mission(telemetry_of(options)) : nullptr;
    plan.mission.on_event = [&](const MissionEvent& event) {
        if (trace) trace->write(event);
        if (measure) measure(event);
        const bool is_reply = event.kind == MissionEvent::Kind::LlmReply || event.kind == MissionEvent::Kind::LlmRetry;
        if (options.stream && is_reply && event.depth == 0) console.err.write("\n");
        if (options.verbose || console.err.is_terminal()) show_event(event, options.verbose, console);
    };
    const bool is_replay = plan.recording != nullptr;
    const EndSignals signals;
    const bool may_wait = plan.checkpoint && options.record.empty(); // a recording goes from start to end
    plan.mission.approve = approver_of(options.approve, may_wait, console);
    const std::shared_ptr<JournalFile> journal = plan.journal;
    const auto is_unwritten = [journal] { return journal && journal->failure(); };
    plan.mission.stop = signals.stop(); // ends what computes
    // True before the programs have ended. What cannot be kept must not be done.
    if (!is_replay) plan.mission.is_interrupted = [is_unwritten] { return EndSignals::came() || is_unwritten(); };
    const Result<Step> step = carry_out(std::move(plan), options);
    if (!step.ok()) {
        console.usage_error(step.error());
        if (step.error().reason == Reason::Interrupted) EndSignals::end_process();
        return is_replay ? kFailed : kUsage; // what was read is in order, and another mission
    }
    if (journal) journal->finish();
    if (is_unwritten()) console.message("ptcc: The journal is not written. " + journal->failure()->message + "\n");
    const int reported = report(step.value(), options, console);
    const int code = is_unwritten() ? kUsage : reported;
    if (telemetry.value() && !telemetry.value()->flush())
        console.err.write("ptcc: The collector at " + options.telemetry +
                          " did not take all of the mission's spans.\n");
    if (is_interrupted(step.value())) {
        console.out.flush();
        EndSignals::end_process();
    }
    if (trace && trace->error_number() != 0)
        return console.usage_error("Cannot write the trace: " + std::string(std::strerror(trace->error_number())) +
                                   ".");
    return code;
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    add_agent_options(line, options.get());
    add_mcp_option(line, &options->mcp);
    line.texts("--image", &options->images, "What the model sees with the prompt; can be repeated")
        .value_name("FILE|URL");
    line.texts("--file", &options->files, "What it reads so: a PDF or a text; can be repeated").value_name("FILE");
    line.text("--trace", &options->trace, "Writes all that happens, as it happens; `ptcc trace` shows it")
        .value_name("FILE")
        .not_empty();
    line.text("--telemetry", &options->telemetry, "Sends OpenTelemetry spans and metrics to a collector (OTLP/HTTP)")
        .value_name("URL")
        .not_empty();
    line.flag("--telemetry-content", &options->telemetry_content,
              "With prompts, programs, arguments and results in them");
    const DeclaredOption record =
        line.text("--record", &options->record, "Keeps all that models and tools are asked and say")
            .value_name("FILE")
            .not_empty();
    const DeclaredOption replay =
        line.text("--replay", &options->replay, "Repeats a recorded mission, and calls no model and no tool")
            .value_name("FILE")
            .not_empty()
            .excludes(record);
    const DeclaredOption checkpoint =
        line.text("--checkpoint", &options->checkpoint, "Writes the mission, so that it survives the end of ptcc")
            .value_name("FILE.db")
            .not_empty()
            .excludes(replay);
    line.text("--resume", &options->resume, "Goes on with the mission in such a file, as it was begun")
        .value_name("FILE.db")
        .not_empty()
        .excludes(checkpoint)
        .excludes(record)
        .excludes(replay);
    line.text("--journal", &options->journal,
              "What (task id ..) came to: read if it is there, and written with each task")
        .value_name("FILE.json")
        .not_empty()
        .excludes(replay);
    line.text("--mission", &options->mission, "Its name in the file, which may hold several [mission]")
        .value_name("NAME");
    add_approve_option(
        line, &options->approve,
        "Calls of tools that need approval: ask reads the answers from standard input [ask on a terminal]");
    line.flag("--stream", &options->stream, "Writes replies to standard error as they arrive");
    line.flag("--verbose", &options->verbose, "Prints programs, calls and results on standard error");
    line.flag(
        "--step", &options->step,
        R"(Prints {"ok", "return" or "fail", "memory", "signature", "usage", "journal"?, "tasks"?, "done_steps"?, "handed_over"?, "warnings"?}, of failures too)");
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kAgentCommand{"agent", "Runs a mission: a model writes programs until one returns.", declare};

} // namespace ptc
