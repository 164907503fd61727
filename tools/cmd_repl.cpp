// `ptcc repl`: lines are collected until their brackets are closed, then run in one session. A line source hides
// whether a person types at a terminal (history, Ctrl-C) or lines come from a pipe. /subagent hands data, tools and
// preludes to a mission, whose result becomes *1.
#include "frontend/try.h"
#include "tools/agent/agent_parts.h"
#include "tools/agent/mcp_tools.h"
#include "tools/agent/repl_mission.h"
#include "tools/command.h"
#include "tools/completeness.h"
#include "tools/interrupt.h"
#include "tools/line_source.h"
#include "tools/report.h"
#include "tools/run_options.h"
#include "tools/test_tools.h"
#include "vm/program.h"
#include <cstdlib>
#include <ptc/version.h>
#include <unistd.h>

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"(An entry may span lines: it ends when its brackets are closed. *1 *2 *3 are the last values; :help lists the commands.
Lines can come from a pipe: then there is no prompt, and values alone go to standard output.

Examples:
  ptcc repl --data orders=orders.json
  printf '/subagent --llm script:replies.jsonl Which region earns most?\n(:region *1)\n' | ptcc repl --data orders=orders.json
  printf '(def x 20)\n(* 2 (inc x))\n' | ptcc repl)";

constexpr const char* kHelp =
    R"(An entry is evaluated when its brackets are closed; until then it goes on on the next line.
  *1 *2 *3       the last values
  (doc NAME)     what a function does; (apropos "text") finds functions
  data/NAME      data given with --data
  :names         what is defined
  :clear         forgets definitions and values
  /subagent --llm cmd:PROGRAM|script:FILE [--signature SIG] [--max-turns N] PROMPT
                 runs a mission over the data, with the tools; its result is *1. /subagent:verbose shows all of it
  :help, /help   this text
  :quit          ends, as Ctrl-D does; Ctrl-C gives up an entry or stops a program
)";

struct Options {
    std::vector<std::string> data;
    std::vector<std::string> preludes;
    std::string tools;
    std::string mcp;
    bool test_tools = false;
    Limits limits = terminal_limits();
    Clock clock;
    std::optional<std::uint64_t> seed{};
    std::string history_file;
};

class Repl {
public:
    Repl(const Engine& engine, RunOptions run_options, const ReplWorld& world, LineSource& lines, Console& console)
        : session_(engine), run_options_(std::move(run_options)), world_(world), lines_(lines), console_(console) {
        print_to(console_, &run_options_);
    }

    /// Until the input ends, the user quits or nobody reads the output.
    void run() {
        while (!done_ && console_.out.ok()) {
            std::string line;
            switch (lines_.read(entry_.empty() ? "ptc> " : "...> ", &line)) {
            case LineSource::Event::Line: add_line(line); break;
            case LineSource::Event::Cancelled:
                console_.out.write("\n");
                entry_.clear();
                break;
            case LineSource::Event::TooLong:
                console_.message("ptcc: the line is too long; the entry is dropped.\n");
                entry_.clear();
                break;
            case LineSource::Event::End:
                if (!entry_.empty()) evaluate(std::exchange(entry_, {})); // reports what is open
                done_ = true;
                break;
            }
            console_.out.flush();
        }
    }

private:
    void add_line(const std::string& line) {
        if (entry_.empty() && (is_blank_line(line) || obey(line))) return;
        entry_ += (entry_.empty() ? "" : "\n") + line;
        if (needs_more_lines(entry_)) return;
        lines_.remember(entry_);
        evaluate(std::exchange(entry_, {}));
    }

    /// Whether the line is a command of the REPL's own.
    bool obey(const std::string& line) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        const std::string_view word = std::string_view(line).substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
        if (word.starts_with("/subagent")) return start_mission(word);
        if (word == ":help" || word == "/help") {
            console_.out.write(kHelp);
        } else if (word == ":names") {
            for (const std::string& name : session_.names())
                console_.out.line(name);
        } else if (word == ":clear") {
            session_.clear();
        } else if (word == ":quit") {
            done_ = true;
        } else {
            return false;
        }
        return true;
    }

    bool start_mission(std::string_view words) {
        words.remove_prefix(std::string_view("/subagent").size());
        const bool verbose = words.starts_with(":verbose");
        if (verbose) words.remove_prefix(std::string_view(":verbose").size());
        if (!words.empty() && words.front() != ' ' && words.front() != '\t') return false;
        lines_.remember((verbose ? "/subagent:verbose" : "/subagent") + std::string(words));
        std::optional<Datum> result = run_repl_mission(words, verbose, world_, console_);
        if (!result) return true;
        auto data = DataSet::from_datum(Datum::object({{"result", std::move(*result)}}));
        if (!data.ok()) {
            console_.message("ptcc: " + data.error().message + "\n");
            return true;
        }
        RunOptions options = run_options_;
        options.data = {std::move(data).value()};
        report_outcome(session_.run("data/result", options), Source("", "data/result"), {}, console_); // *1
        return true;
    }

    void evaluate(const std::string& entry) {
        Outcome outcome;
        {
            const InterruptibleRun interruptible(session_);
            outcome = session_.run(entry, run_options_);
        }
        const Source source("", entry);
        report_diagnostics(source, outcome.warnings, true, console_);
        report_outcome(outcome, source, {}, console_);
    }

    Session session_;
    RunOptions run_options_;
    const ReplWorld& world_;
    LineSource& lines_;
    Console& console_;
    std::string entry_;
    bool done_ = false;
};

Result<ReplWorld> read_world(const Options& options) {
    ReplWorld world{.limits = options.limits};
    world.data = PTC_TRY(load_data(options.data));
    world.preludes = PTC_TRY(load_preludes(options.preludes));
    if (options.test_tools) {
        for (Tool& tool : test_tools())
            world.tools.emplace_back(std::move(tool));
    }
    if (options.tools.empty()) return world;
    Datum row = Datum::object({{"tools", PTC_TRY(read_object(options.tools))}});
    for (AgentTool& tool : PTC_TRY(read_agent(row, command_line_parts(AgentOptions{}.timeout))).tools)
        world.tools.push_back(std::move(tool));
    return world;
}

int run(const Options& options, Console& console) {
    Result<ReplWorld> read = read_world(options);
    if (!read.ok()) return console.usage_error(read.error());
    ReplWorld& world = read.value();
    const auto upstream = connect_mcp(options.mcp, console, {.asks = true});
    if (!upstream.ok()) return console.usage_error(upstream.error());
    if (upstream.value()) {
        for (Tool& tool : upstream.value()->tools())
            world.tools.emplace_back(std::move(tool));
    }
    std::vector<Tool> tools;
    for (const AgentTool& tool : world.tools) {
        if (tool.tool.is_callable()) tools.push_back(tool.tool); // agents work in missions only
    }
    const Engine engine({.tools = std::move(tools),
                         .limits = options.limits,
                         .preludes = world.preludes,
                         .warnings = upstream.value() != nullptr, // of fields that no result had so far
                         .clock_millis = options.clock,
                         .seed = options.seed});
    if (const int code = report_preludes(engine, false, console)) return code;
    RunOptions run_options;
    run_options.data = world.data;
    const bool is_interactive = console.out.is_terminal() && ::isatty(0) == 1;
    if (!is_interactive) {
        const auto lines = piped_lines(0);
        Repl(engine, std::move(run_options), world, *lines, console).run();
        return kSuccess;
    }
    const InterruptHandler handler;
    const auto lines = terminal_lines(options.history_file);
    console.out.write("ptcc " PTC_VERSION ", :help for help\n");
    console.out.flush();
    Repl(engine, std::move(run_options), world, *lines, console).run();
    return kSuccess;
}

std::string default_history_file() {
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.ptcc_history" : "";
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    options->history_file = default_history_file();
    add_data_option(line, &options->data);
    add_prelude_option(line, &options->preludes);
    line.text("--tools", &options->tools, "What programs and missions may call, as for `ptcc agent`")
        .value_name("TOOLS.json");
    add_mcp_option(line, &options->mcp);
    line.flag("--test-tools", &options->test_tools, "Registers the tools echo, add, boom and users");
    line.text("--history", &options->history_file, "Where entries are kept for the next time; \"\" for nowhere")
        .value_name("FILE");
    add_clock_option(line, &options->clock);
    add_seed_option(line, &options->seed);
    add_limit_options(line, &options->limits);
    return [options](Console& console) { return run(*options, console); };
}

} // namespace

const Command kReplCommand{"repl", "Evaluates what is typed, entry by entry.", declare};

} // namespace ptc
